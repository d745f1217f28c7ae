"""How gains are known: one stage after another, each cheaper and none less exact."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from protospot.costs import Cost
from protospot.types import Floats, Ints, Numbers

EPS = float(np.finfo(np.float64).eps)


class Stage(Protocol):
    """Gains of all sources; minus infinity for a spent source.

    A gain may be off by its doubt and by the slack, which all have in common.
    """

    work: float  # passes over all pairs that it has cost to keep gains up to date

    @property
    def values(self) -> Floats:
        """The gains."""
        ...

    @property
    def doubts(self) -> Floats:
        """How far each may be off."""
        ...

    @property
    def slack(self) -> float:
        """How far all may be off, beyond that."""
        ...

    def targets_of(self, source: int) -> Numbers | None:
        """Targets that this source may serve more cheaply; None for any."""
        ...

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick that lowered the best of some targets."""
        ...

    def freshen(self, best: Floats, count: int, among: Ints | None) -> None:
        """Make sure that the values of those that can be among the `count` largest hold."""
        ...


def screening_slack(cost: Cost, weights: Floats, largest: float) -> tuple[Floats, float]:
    """Return how far gains can be off that one pass over screened costs gave: each, and all."""
    margins = cost.margins
    lost = len(weights) * cost.underflow  # products with a weight that are too small to hold
    return margins[0], float(weights @ margins[1]) + 2 * cost.rounding * largest + lost


def weighted(rows: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of each row, pairwise: `@` rounds too much over many targets."""
    total: Floats = (rows * weights).sum(axis=-1)
    return total


def largest(values: Floats, count: int) -> float:
    """Return the count-th largest value."""
    if count == 1:
        return float(values.max())
    return float(np.partition(values, len(values) - count)[len(values) - count])
