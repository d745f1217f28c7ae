"""The MMD witness function: where the prototypes are too dense, or too sparse, for the target.

Kim, Khanna and Koyejo, "Examples are not enough, learn to criticize!" (NIPS 2016), section 3.2:
the witness at y is the difference between the kernel densities of target and prototypes. The
criticisms are chosen greedily to maximise the sum of their absolute witness and the log
determinant of their kernel matrix, which keeps them apart from each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from protospot.gaussian import GaussianKernel
from protospot.points import Points
from protospot.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from protospot.selection import Selection

_SPANNED = 1e-10  # share of a kernel feature that rounding can leave of one already explained
_TIE = 1e-12


def by_density(
    selection: Selection, source: Points, target: Points, n: int, kernel: GaussianKernel
) -> Ints:
    """Return up to n rows of the target where its density and the prototypes' differ most."""
    prototypes = Points(source.block(selection.indices))
    there = kernel.densities(target, target, selection.target_weights)
    here = kernel.densities(target, prototypes, selection.weights)
    has_weight = selection.target_weights > 0
    listed = spread_out(np.abs(there - here), lambda row: kernel.row(target, row), n, has_weight)
    return np.array(listed, dtype=np.int64)


def spread_out(
    witness: Floats, kernel_row: Callable[[int], Floats], n: int, allowed: Bools
) -> list[int]:
    """Choose up to n points, greedily, by sum of `witness` + log det of their kernel matrix.

    A point whose kernel feature the chosen ones span, as every copy of one of them, adds a log
    determinant of minus infinity and is never chosen.
    """
    chosen: list[int] = []
    factor: list[Floats] = []  # columns of the Cholesky factor, extended to all points
    unexplained = np.where(allowed, 1.0, 0.0)  # the gain in log det is the log of this
    while len(chosen) < n:
        free = unexplained > _SPANNED
        if not free.any():
            break
        score = np.log(unexplained, out=np.full(len(free), -np.inf), where=free) + witness
        best = int(np.flatnonzero(score >= score.max() - _TIE)[0])
        column = kernel_row(best)
        for earlier in factor:
            column -= earlier[best] * earlier
        column /= np.sqrt(unexplained[best])
        unexplained -= column**2
        factor.append(column)
        chosen.append(best)
    return chosen
