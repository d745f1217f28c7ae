"""The only place that decides which kernels run."""

from __future__ import annotations

import importlib
import os
from functools import cache
from types import ModuleType


@cache
def kernels(name: str | None = None) -> ModuleType:
    """Return the kernels to use: ``cpu`` where numba can be imported, else ``generic``.

    The environment variable PROTOSPOT_KERNELS asks for one of them by name.
    """
    name = name or os.environ.get("PROTOSPOT_KERNELS")
    if name is not None:
        return importlib.import_module(f"protospot.kernels.{name}")
    try:
        return importlib.import_module("protospot.kernels.cpu")
    except ImportError:
        return importlib.import_module("protospot.kernels.generic")
