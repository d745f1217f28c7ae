"""How the costs of live pairs are listed: as they are, or as whole numbers of two bytes.

A screened float32 cost may be off by more than a 65,000th of its target's best. Listed as the
nearest multiple of that it is hardly worse, and takes half the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from protospot.costs.known import even_edges
from protospot.types import Floats, Ints, Numbers

_PART = 4096  # targets at least that a list of pairs is divided by
_STREAMED = 16_384  # and where nothing but how far a sum is known depends on it
_PARTS = 32  # at most, unless their targets could then not be numbered in two bytes
_STEPS = 65_500  # that a target's limit is divided into; a little room for rounding up


@dataclass(frozen=True, slots=True)
class Codes:
    """A listed cost is its code times its target's scale."""

    dtype: np.dtype[Any]
    scales: Floats
    inverse: Numbers  # of the scales, in the precision of the costs
    shift: float  # added before the fraction is cut off
    error: Floats  # by which a listed cost may differ from the one that was given


def codes(limits: Numbers, *, is_rounded: bool) -> Codes:
    """Return codes for costs below these limits; rounded ones for costs that are not negative."""
    if not is_rounded:
        ones = np.ones(len(limits))
        return Codes(limits.dtype, ones, ones.astype(limits.dtype), 0.0, np.zeros(len(limits)))
    # So that the inverse of the smallest can be held, too.
    least = 4 * float(np.finfo(limits.dtype).tiny)
    scales = np.maximum(limits.astype(np.float64) / _STEPS, least)
    inverse = (1 / scales).astype(limits.dtype)
    return Codes(np.dtype(np.uint16), scales, inverse, 0.5, 0.51 * scales)


def code_type(dtype: Any, *, is_rounded: bool) -> np.dtype[Any]:
    """Return the type that costs of this type are listed in."""
    return np.dtype(np.uint16) if is_rounded else np.dtype(dtype)


def number_type(n: int) -> np.dtype[Any]:
    """Return the smallest type for the numbers of n things."""
    return np.dtype(np.uint16 if n <= 1 << 16 else np.int32)


def part_edges(n_target: int, workers: int, *, streams: bool = False) -> Ints:
    """Return where the parts begin that lists of pairs are divided into.

    A few for each worker, which collects one at a time; fewer where each `streams` through rows.
    """
    if streams:
        return even_edges(n_target, max(1, n_target // _STREAMED))
    parts = min(n_target // _PART, max(_PARTS, n_target >> 16)) // workers * workers
    return even_edges(n_target, min(n_target, max(parts, workers)))
