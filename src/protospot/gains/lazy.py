"""Gains computed again only for sources that may lead (Minoux 1978).

A gain can only shrink as the selection grows, so an old one is an upper bound. Few sources ever
come near the lead: the top of the field is computed again, batch by batch, until the best fresh
gain beats every bound.
"""

from __future__ import annotations

import numpy as np

from protospot.costs import Cost
from protospot.gains.stage import largest, screening_slack
from protospot.types import Bools, Floats, Ints, Numbers

_BATCH = 32, 256  # sources computed again together at first: at least, at most
_SHARE = 100  # of the field, within these bounds, one in so many


class Lazy:
    """Gains of which some are fresh and the others upper bounds."""

    def __init__(self, cost: Cost, weights: Floats, values: Floats) -> None:
        self._cost, self._weights = cost, weights
        self._is_stale: Bools = np.zeros(len(values), bool)
        self.values = values
        self.doubts, self.slack = screening_slack(cost, weights, max(0.0, float(values.max())))
        self.work = 0.0  # passes over all pairs that fresh gains have cost

    def targets_of(self, source: int) -> Numbers | None:
        """Return None: any target may be served more cheaply."""
        return None

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick: from now on all gains are bounds."""
        self._is_stale[:] = True

    def freshen(self, best: Floats, count: int, among: Ints | None) -> None:
        """Compute gains again until no bound reaches the count-th largest fresh gain."""
        field = np.arange(len(self.values)) if among is None else among
        batch = min(max(_BATCH[0], len(self.values) // _SHARE), _BATCH[1])
        while True:
            doubts = self.doubts[field] + self.slack
            values, is_stale = self.values[field], self._is_stale[field]
            sure = np.where(is_stale, -np.inf, values - doubts)
            reached = is_stale & (values + doubts >= largest(sure, min(count, len(field))))
            reached &= values > -np.inf
            found = np.flatnonzero(reached)
            if len(found) == 0:
                return
            if len(found) > batch:
                found = found[np.argpartition(-values[found], batch - 1)[:batch]]
            sources = np.sort(field[found])
            self.values[sources] = self._cost.gains(best, self._weights, sources)
            self._is_stale[sources] = False
            self.work += len(sources) / len(self.values)
            batch *= 2
