"""How much memory this process holds, and held at most since it was last asked to watch.

The kernel's own high-water mark is read and reset where /proc has it (Linux). Elsewhere the
highest level since the process began is all there is, which loading may have set.
"""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from contextlib import suppress
from pathlib import Path

_SELF = Path("/proc/self")


def watch() -> int:
    """Give back what is free, forget the peak so far, and return the bytes held now."""
    gc.collect()
    with suppress(OSError, AttributeError):
        # Room that earlier calls freed, but that the allocator keeps, would hide what comes next.
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        (_SELF / "clear_refs").write_text("5")
    return _level("VmRSS")


def peak() -> int:
    """Return the most bytes held at a time since `watch`."""
    return _level("VmHWM")


def _level(name: str) -> int:
    try:
        lines = (_SELF / "status").read_text().splitlines()
    except OSError:
        highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return highest if sys.platform == "darwin" else 1024 * highest
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))
