"""The cost that a choice reaches, by brute force in float64: one scale for all competitors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.data import Arrays

_BLOCK = 1 << 24  # products at a time


def cost_of(indices: NDArray[np.int64], given: Arrays) -> float:
    """Return the mean, over the targets, of the cost to the cheapest of these sources."""
    if given.matrix is not None:
        return float(given.matrix[indices].min(axis=0).mean(dtype=np.float64))
    centre = given.targets.mean(axis=0, dtype=np.float64)
    prototypes = given.sources[indices].astype(np.float64) - centre
    norms = np.einsum("ij,ij->i", prototypes, prototypes)
    step = max(1, _BLOCK // len(prototypes))
    total = 0.0
    for begin in range(0, len(given.targets), step):
        block = given.targets[begin : begin + step].astype(np.float64) - centre
        nearest = prototypes[(norms - 2 * block @ prototypes.T).argmin(axis=1)]
        # By differences: the products only say which prototype is nearest.
        total += float(((block - nearest) ** 2).sum())
    return total / len(given.targets)


def same_picks(indices: ArrayLike, others: ArrayLike) -> int:
    """Return how many of the first picks are the same, in the same order."""
    first, second = np.asarray(indices), np.asarray(others)
    n = min(len(first), len(second))
    different = np.flatnonzero(first[:n] != second[:n])
    return int(different[0]) if len(different) else n
