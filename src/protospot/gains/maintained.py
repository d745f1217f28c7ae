"""Gains that follow every change of a target, with costs made anew for the targets that changed.

When a pick lowers a target's best from a to b, the gain of source i falls by exactly
w_j clip(a - c_ij, 0, a - b), and only targets that changed contribute.
"""

from __future__ import annotations

from protospot.costs import Cost
from protospot.gains.stage import EPS, screening_slack
from protospot.types import Floats, Ints, Numbers


class Maintained:
    """Gains kept up to date for all sources."""

    def __init__(self, cost: Cost, weights: Floats, values: Floats) -> None:
        self._cost, self._weights = cost, weights
        self._largest = max(0.0, float(values.max()))
        self.values = values
        self.doubts, self.slack = screening_slack(cost, weights, self._largest)
        self.work = 0.0  # passes over all pairs that changes have cost

    def targets_of(self, source: int) -> Numbers | None:
        """Return None: any target may be served more cheaply."""
        return None

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick that lowered the best of some targets."""
        self._cost.lower(self.values, changed, before, after, self._weights)
        # A screened cost may come out a little different each time it is made, and every change
        # of a target rounds a gain once.
        margins, mass = self._cost.margins, self._weights[changed]
        self.doubts = self.doubts + 2 * margins[0] * float(mass.sum())
        self.slack += 2 * float(mass @ margins[1][changed]) + len(changed) * EPS * self._largest
        self.work += len(changed) / len(best)

    def freshen(self, best: Floats, count: int, among: Ints | None) -> None:
        """Do nothing: all values hold."""
