"""Better prototypes by swaps: one goes, another source comes, as long as that lowers the cost.

The idea is FasterPAM's (Schubert and Rousseeuw 2021), here for any costs and weights: with the two
cheapest prototypes of each target at hand, one look at a source's near pairs tells what it would
bring in the place of every prototype. The first swap that pays is made at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from protospot.costs.near import Near
from protospot.costs.tiled import TiledCost
from protospot.errors import Stop
from protospot.kernels.choose import kernels
from protospot.types import Bools, Floats, Ints, OnPick, Pick

_EPS = float(np.finfo(np.float64).eps)
_LEAST = 1e-12  # of the costs that a fall is the difference of: less may be rounding
_SCREENED = 1e-6  # of them where they are screened: more than they are likely to be off together


@dataclass(slots=True)
class Budget:
    """How much searching is allowed, and what was used of it."""

    max_swaps: float = float("inf")
    max_passes: float = float("inf")
    on_swap: OnPick | None = None
    swaps: int = 0
    looked: int = 0  # sources looked at
    ended: str = field(default="no single swap lowers the cost", init=False)

    def is_spent(self, n_source: int) -> bool:
        """Whether there is none left; then `ended` says of what."""
        if self.swaps >= self.max_swaps:
            self.ended = f"max_swaps={self.max_swaps:g} reached"
        elif self.looked >= self.max_passes * n_source:
            self.ended = f"max_passes={self.max_passes:g} reached"
        else:
            return False
        return True


class Served:
    """Prototypes, and the two cheapest of each target."""

    def __init__(
        self, cost: TiledCost, weights: Floats, picks: Ints, near: Near, keep: int
    ) -> None:
        n_target = cost.shape[1]
        self.picks = picks
        self.near = np.zeros(n_target, np.int64)  # position of the cheapest
        self.low, self.high = np.empty(n_target), np.empty(n_target)
        self._cost, self._weights, self._keep = cost, weights, keep
        self._change = np.empty(len(picks))
        self.turn_to(near)
        self._serve(np.ones(n_target, bool))

    def turn_to(self, near: Near) -> None:
        """Look for swaps among the sources whose pairs are listed here."""
        self.lists, self.is_free = near, near.is_listed.copy()
        self.is_free[self.picks] = False
        self._lists_all = bool(near.is_listed[self.picks].all())

    @property
    def total(self) -> float:
        """The transport cost."""
        return float(self.low @ self._weights)

    @property
    def missing(self) -> float:
        """Share of the targets whose second cheapest prototype lies beyond the cutoff."""
        return float((self.high > self.lists.cutoff).mean())

    def search(self, first: int, count: int) -> tuple[int, int]:
        """Return the first source that pays, and whose place it takes; -1 and -1 for none."""
        size = float(self._weights @ (np.abs(self.low) + np.abs(self.high)))
        unsure = 2 * float(self._weights @ self.lists.margin)
        least = max(_LEAST, 4 * _EPS * len(self.low)) * size + min(unsure, _SCREENED * size)
        state = self._weights, self.near, self.low, self.high, self.is_free, self._change
        found = kernels().find_swap(first, count, least, self._keep, *self.lists.lists, *state)
        return int(found[0]), int(found[1])

    def swap(self, source: int, position: int) -> None:
        """Put a source in the place of a prototype."""
        gone = int(self.picks[position])
        self.is_free[gone] = self.lists.is_listed[gone]
        self.is_free[source] = False
        self.picks[position] = source
        # At the cutoff a pair is not listed.
        marked = (self.near == position) | (self.high >= self.lists.cutoff)
        for row in (gone, source):
            if self.lists.is_listed[row]:
                first = self.lists.begin[row]
                marked[self.lists.target[first : first + self.lists.length[row]]] = True
            else:
                marked |= self._cost.rows(np.array([row]))[0] <= self.high
        self._serve(marked)

    def _serve(self, marked: Bools) -> None:
        if self._lists_all:
            state = self.near, self.low, self.high
            kernels().serve(self.picks, marked, *self.lists.lists, *state)
            marked &= ~np.isfinite(self.high)
        # Not listed, or served from beyond the cutoff: look at all prototypes.
        far = np.flatnonzero(marked)
        step = max(1, self._cost.plan.rows_at_once * self._cost.shape[1] // len(self.picks))
        for begin in range(0, len(far), step):
            some = far[begin : begin + step]
            costs = self._cost.rows(self.picks, some)
            self.near[some] = costs.argmin(axis=0)
            costs = np.partition(costs, min(1, len(costs) - 1), axis=0)
            self.low[some] = costs[0]
            self.high[some] = costs[1]


def sweep(served: Served, budget: Budget) -> bool:
    """Swap until no source whose pairs are listed pays; False when the budget ended it."""
    n_source, position = len(served.is_free), 0
    share = float(served.lists.is_listed.mean())
    while not budget.is_spent(n_source):
        source, place = served.search(position, n_source)
        steps = (source - position) % n_source + 1 if source >= 0 else n_source
        budget.looked += math.ceil(share * steps)
        if source < 0:
            return True
        before, gone = served.total, int(served.picks[place])
        served.swap(source, place)
        if served.total >= before:  # by rounding after all: undone, and not tried again
            served.swap(gone, place)
            served.is_free[source] = False
            continue
        budget.swaps += 1
        position = (source + 1) % n_source
        if budget.on_swap is not None:
            try:
                budget.on_swap(Pick(place, source, before - served.total, served.total))
            except Stop:
                budget.ended = "on_swap raised Stop"
                return False
    return False
