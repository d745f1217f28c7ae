"""The machine, in words that name no host and no path."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

import numpy as np


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def describe(threads: int) -> dict[str, str]:
    """Return what a reader of the numbers should know of the machine."""
    return {
        "processor": _processor(),
        "cores": f"{cores()}, of which {threads} used",
        "memory": _memory(),
        "system": f"{platform.system()} on {platform.machine()}",
        "Python": platform.python_version(),
        "NumPy": f"{np.__version__} with {_blas()}",
    }


def _processor() -> str:
    with suppress(OSError):
        facts: dict[str, str] = {}
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            facts.setdefault(name.strip(), value.strip())
        if "model name" in facts:
            family = facts.get("cpu family", "unknown")
            return f"{facts['model name']}, family {family}, model {facts.get('model', 'unknown')}"
    return platform.processor() or "unknown"


def _memory() -> str:
    with suppress(AttributeError, ValueError, OSError):
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return f"{size / 2**30:.0f} GiB"
    return "unknown"


def _blas() -> str:
    from threadpoolctl import threadpool_info

    # SciPy brings one of its own.
    libraries = sorted(threadpool_info(), key=lambda found: "numpy" not in found["filepath"])
    for library in libraries:
        if library["user_api"] == "blas":
            kind = library.get("architecture") or "unknown architecture"
            return f"{library['internal_api']} {library['version']} ({kind})"
    return "an unknown BLAS"
