"""Gains of stored costs, read row by row and no further than it takes to see who leads.

As in `lazy`, old gains are upper bounds, and only sources that may lead are looked at again
(Minoux 1978). Here a gain is kept in parts, each that of some of the targets: after a few fresh
parts the bound of most candidates is below the lead, and the rest of their row is not read.
"""

from __future__ import annotations

import numpy as np

from protospot.costs.dense import DenseCost, Known
from protospot.gains.stage import largest, screening_slack
from protospot.types import Floats, Ints, Numbers

_PART = 512  # targets at least
_PARTS = 16  # at most


class Contested:
    """Gains of which some are fresh and the others upper bounds, in parts."""

    def __init__(self, cost: DenseCost, weights: Floats, best: Floats) -> None:
        n_source, n_target = cost.shape
        self._cost, self._weights = cost, weights
        n_parts = min(_PARTS, max(1, n_target // _PART))
        edges = np.arange(n_parts + 1) * n_target // n_parts
        parts = cost.gain_parts(best, weights, edges)
        self.values = parts.sum(axis=1)
        self.doubts, self.slack = screening_slack(cost, weights, max(0.0, float(self.values.max())))
        turn, is_stale = np.zeros(n_source, np.int64), np.zeros(n_source, bool)
        self._known = Known(edges, parts, turn, self.values, is_stale, self.slack)
        self.work = 0.0  # passes over all pairs that fresh gains have cost

    def targets_of(self, source: int) -> Numbers | None:
        """Return None: any target may be served more cheaply."""
        return None

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick: from now on all gains are bounds."""
        self._known.is_stale[:] = True

    def freshen(self, best: Floats, count: int, among: Ints | None) -> None:
        """Compute gains again until no bound reaches the count-th largest fresh gain."""
        known, values = self._known, self.values
        field = np.arange(len(values)) if among is None else among
        field = field[values[field] > -np.inf]
        count = min(count, len(field))
        if count == 0 or not known.is_stale[field].any():
            return
        # Those that led so far are looked at whole: they say where the bar is.
        ahead = field[np.argpartition(-values[field], count - 1)[:count]]
        self._contest(ahead, best, -np.inf, rises=False)
        bar = largest(values[ahead], count) - self.slack
        rivals = field[known.is_stale[field] & (values[field] + self.slack >= bar)]
        self._contest(rivals[np.argsort(-values[rivals])], best, bar, rises=count == 1)

    def _contest(self, sources: Ints, best: Floats, bar: float, *, rises: bool) -> None:
        spent = self._cost.contest(sources, best, self._weights, bar, self._known, rises=rises)
        self.work += spent / self._known.parts.size
