"""How kernels are compiled: without the interpreter's lock, and kept for the next process."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numba

# Set to 0 where the folder of the cache is shared by unlike machines.
NUMBA_CACHE = os.getenv("PROTOSPOT_NUMBA_CACHE", "1") != "0"

# Sums may be reordered, so that they run in vector registers. Products and sums must not be fused
# in the exact kernels: x*p - y*q of a copy has to be 0.
REORDER = {"reassoc", "nsz"}
FUSE = REORDER | {"contract"}
# The largest of numbers among which there is no NaN may be looked for in vector registers, too.
MAXIMUM = {"nnan", "nsz"}

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(fastmath: set[str] | None = None, *, inline: bool = False) -> Callable[[Kernel], Kernel]:
    """Compile a function on its first call for each combination of dtypes.

    With `inline` it becomes part of the kernels that call it: to hand over a dozen arrays takes
    longer than to walk a short list.
    """

    def compiled(function: Kernel) -> Kernel:
        options: dict[str, Any] = {"nogil": True, "fastmath": fastmath or False}
        options |= {"forceinline": inline}
        try:
            return numba.njit(function, cache=NUMBA_CACHE, **options)  # type: ignore[no-any-return]
        except RuntimeError:  # no folder to write the cache to
            return numba.njit(function, **options)  # type: ignore[no-any-return]

    return compiled
