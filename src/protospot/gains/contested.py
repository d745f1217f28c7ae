"""Gains computed again only for sources that may lead, and no further than it takes to see.

A gain can only shrink as the selection grows, so an old one is an upper bound, and only sources
whose bound reaches the lead are looked at again (Minoux 1978). Here a gain is kept in parts, each
that of some of the targets: after a few fresh parts the bound of most candidates is below the
lead, and the rest of their pairs is not looked at.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from protospot.costs import Cost
from protospot.costs.known import Known, gain_edges
from protospot.gains.stage import largest, screening_slack
from protospot.kernels.choose import kernels
from protospot.kernels.forms import AHEAD
from protospot.types import Floats, Ints, Numbers

_MORE = 8  # times as many as that next, and so on
_IN_TILES = 64  # sources that are looked at first where tiles are made for many at a time


class Ring(Protocol):
    """Where gains are computed again."""

    def contest(self, sources: Ints, best: Floats, bar: float, known: Known) -> int:
        """Bring gains up to date until they fall below the bar; return the pairs looked at."""
        ...


class Contested:
    """Gains of which some are fresh and the others upper bounds, in parts."""

    def __init__(self, ring: Ring, known: Known, n_pairs: int, ahead: int = AHEAD) -> None:
        self._ring, self._known, self._n_pairs, self._ahead = ring, known, n_pairs, ahead
        self._rivals = kernels().rivals
        self._room = np.empty(len(known.values), np.int64)
        self._knows_some = True  # whether any gain is fresh
        self.work = 0.0  # passes over all pairs that fresh gains have cost

    @property
    def values(self) -> Floats:
        """The gains."""
        return self._known.values

    @property
    def doubts(self) -> Floats:
        """How far each may be off."""
        return self._known.doubts

    @property
    def slack(self) -> float:
        """How far all may be off, beyond that."""
        return self._known.slack

    def targets_of(self, source: int) -> Numbers | None:
        """Return None: any target may be served more cheaply."""
        return None

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick: from now on all gains are bounds."""
        self._known.is_stale[:] = True
        self._knows_some = False

    def freshen(self, best: Floats, count: int, among: Ints | None) -> None:
        """Compute gains again until no bound reaches the count-th largest fresh gain.

        A few that lead by their bounds first: they raise the bar for the others.
        """
        surely = np.full(count, -np.inf)  # the largest fresh gains
        if self._knows_some:
            is_fresh = ~self._known.is_stale if among is None else ~self._known.is_stale[among]
            fresh = np.flatnonzero(is_fresh) if among is None else among[is_fresh]
            surely = np.concatenate((surely, self._surely(fresh)))
        most = max(count, self._ahead)
        while True:
            bar = largest(surely, count) - self.slack
            rivals = self._stale(bar, among)
            if len(rivals) == 0:
                return
            if len(rivals) > most:
                first = np.argpartition(-self.values[rivals], most - 1)[:most]
                rivals = np.sort(rivals[first])
            self._contest(rivals, best, bar)
            surely = np.concatenate((surely, self._surely(rivals)))
            most *= _MORE

    def _surely(self, sources: Ints) -> Floats:
        """Return how much those of the sources gain at least whose gains are fresh."""
        fresh = sources[~self._known.is_stale[sources]]
        return self.values[fresh] - self.doubts[fresh]

    def _stale(self, bar: float, among: Ints | None) -> Ints:
        """Return the sources with an old gain that may reach the bar."""
        known = self._known
        if among is None:
            bounds = known.values, known.doubts, known.is_stale, known.slack, bar
            return self._room[: self._rivals(*bounds, self._room)]
        values = known.values[among]
        reaches = (values + known.doubts[among] + known.slack >= bar) & (values > -np.inf)
        return among[known.is_stale[among] & reaches]

    def _contest(self, sources: Ints, best: Floats, bar: float) -> None:
        spent = self._ring.contest(sources, best, bar, self._known)
        self.work += spent / self._n_pairs
        self._knows_some = True


class Matrix:
    """The whole matrix of costs, with gains in a few parts."""

    def __init__(self, cost: Cost, weights: Floats) -> None:
        self._cost, self._weights = cost, weights
        self._edges = gain_edges(cost.shape[1])

    def contest(self, sources: Ints, best: Floats, bar: float, known: Known) -> int:
        """Bring gains up to date until they fall below the bar; return the pairs looked at."""
        given = best, self._weights, self._edges, bar, known
        return self._cost.contest(sources, *given)

    def known(self, best: Floats) -> Known:
        """Compute all gains."""
        parts = self._cost.gain_parts(best, self._weights, self._edges)
        top = max(0.0, float(parts.sum(axis=1).max()))
        doubts, slack = screening_slack(self._cost, self._weights, top)
        return Known.fresh(parts, doubts.copy(), slack)


def of_matrix(cost: Cost, weights: Floats, best: Floats) -> Contested:
    """Return gains that are computed again from the whole matrix."""
    matrix = Matrix(cost, weights)
    ahead = AHEAD if cost.splits_sources else _IN_TILES
    return Contested(matrix, matrix.known(best), cost.shape[0] * cost.shape[1], ahead)
