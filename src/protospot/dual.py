"""The bound as a function of its multipliers, from lists of near pairs or from costs themselves.

L(u) = sum_j q_j u_j - (the k largest of rho_i(u)), with rho_i(u) = sum_j q_j (u_j - c_ij)+: what
source i would gain if every target j now cost u_j. Only pairs below u count, and only sources that
may be among the k: most steps look at those that lately gained most, some at all.
"""

from __future__ import annotations

import numpy as np

from protospot.costs.near import Near, count_below, near_pairs
from protospot.costs.tiled import TiledCost
from protospot.gains import weighted
from protospot.gains.stage import screening_slack
from protospot.kernels.choose import kernels
from protospot.threads import Team, shares
from protospot.types import Floats, Ints

_EPS = float(np.finfo(np.float64).eps)
_WORTH_A_THREAD = 1 << 18  # pairs
_FIELD = 8  # times k sources that are looked at between two looks at all
_FEW = 64  # sources more than a multiple of k


class Dual:
    """The bound, and the sources in its field: those that are looked at in most steps."""

    def __init__(self, cost: TiledCost, near: Near | None, weights: Floats, k: int) -> None:
        self.near, self.weights, self.k = near, weights, k
        self.lists_all = near is not None  # else to look at all is a pass over the costs
        self.field: Ints = np.empty(0, np.int64)
        self._top = float(np.finfo(cost.dtype).max)  # of the numbers that tiles can hold
        self._cost, self._team = cost, Team(cost.plan.threads)
        self._counts = np.empty(len(weights), np.int64)

    @property
    def cutoff(self) -> Floats | float:
        """Up to where the multipliers may go."""
        return self._top if self.near is None else np.minimum(self.near.cutoff, self._top)

    def at(self, level: Floats) -> tuple[float, Ints]:
        """Return the bound as the field has it, and the sources that gain most."""
        gains = self._gains(self.field, level)
        k = min(self.k, len(gains))
        best = np.argpartition(-gains, k - 1)[:k]
        return self._value(level, gains[best]), self.field[best]

    def slope(self, leaders: Ints, level: Floats) -> Floats:
        """Return 1 minus how many of these sources serve each target below its level."""
        if self.near is None:
            return 1 - count_below(self._cost, leaders, level)
        kernels().near_counts(leaders, *self.near.lists, level, self._counts)
        return 1 - self._counts.astype(np.float64)

    def survey(self, level: Floats, cutoffs: list[Floats]) -> float:
        """Return the bound by all sources, and add those that gain most to the field.

        Where not all pairs are listed, those of the field are then, below one of the cutoffs.
        """
        every = np.arange(self._cost.shape[0])
        gains = self._gains(every, level) if self.lists_all else self._passed(level)
        order = np.argsort(-gains, kind="stable")
        self.field = np.union1d(self.field, order[: _FIELD * self.k + _FEW])
        if not self.lists_all:
            self._list(gains, cutoffs)
        return self._value(level, gains[order[: self.k]])

    def surely(self, level: Floats) -> float:
        """Return a bound that is below the best possible cost whatever is lost by rounding."""
        if self.near is not None and self.lists_all:
            # Costs may be lower than they are listed by their margin.
            gains = self._gains(np.arange(self._cost.shape[0]), level + self.near.margin)
        else:
            # Any multipliers will do: those that tiles can hold are not rounded there.
            level = np.maximum(level, -self._top).astype(self._cost.dtype).astype(np.float64)
            gains = self._upper_gains(level)
        k = min(self.k, len(gains))
        largest = np.partition(gains, len(gains) - k)[len(gains) - k :]
        bound = float(self.weights @ level) - float(np.sort(largest).sum())
        # A cost below its target's level is no larger than that and what is gained by it.
        size = (1 + 2 * k) * float(self.weights @ np.abs(level)) + float(largest.sum())
        bound -= 4 * len(level) * _EPS * size
        return bound if np.isfinite(bound) else -np.inf

    def _list(self, gains: Floats, cutoffs: list[Floats]) -> None:
        """List the pairs of the field; of fewer sources where they do not fit."""
        while True:
            self.near = near_pairs(self._cost, self.weights, cutoffs, self.field)
            least = 2 * self.k + _FEW
            if self.near is not None or len(self.field) <= least:
                return
            most = max(least, len(self.field) // 2)
            self.field = np.sort(self.field[np.argsort(-gains[self.field])[:most]])

    def _value(self, level: Floats, largest: Floats) -> float:
        return float(self.weights @ level) - float(largest.sum())

    def _passed(self, level: Floats, sources: Ints | None = None) -> Floats:
        return self._cost.gains(level, self.weights, sources)

    def _gains(self, sources: Ints, level: Floats) -> Floats:
        if self.near is None:
            return self._passed(level, sources)
        near, gains = self.near, np.empty(len(sources))
        workers = self._team.size if near.count > _WORTH_A_THREAD else 1
        mine = shares(len(sources), workers)

        def work(worker: int) -> None:
            rows = sources[mine[worker]]
            given = *near.lists, level, self.weights, gains[mine[worker]]
            kernels().near_gains(rows, *given)

        self._team.run(work, workers)
        return gains

    def _upper_gains(self, level: Floats) -> Floats:
        """Return no less than what each source gains, and hardly more for those that gain most."""
        gains = self._cost.gains(level, self.weights)
        doubts, slack = screening_slack(self._cost, self.weights, max(0.0, float(gains.max())))
        upper: Floats = gains + doubts + slack
        k = min(self.k, len(gains))
        surely = np.partition(gains - doubts - slack, len(gains) - k)[len(gains) - k]
        leaders = np.flatnonzero(upper >= surely)
        most = 4 * self.k + _FEW
        if len(leaders) > most:
            leaders = leaders[np.argpartition(-upper[leaders], most)[:most]]
        step = self._cost.plan.rows_at_once
        for begin in range(0, len(leaders), step):
            some = leaders[begin : begin + step]
            falls = np.maximum(level - self._cost.rows(some), 0)
            upper[some] = weighted(falls, self.weights)
        return upper
