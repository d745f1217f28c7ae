"""Better prototypes by swaps: one goes, another source comes, as long as that lowers the cost.

The idea is FasterPAM's (Schubert and Rousseeuw 2021), here for any costs and weights: with the two
cheapest prototypes of each target at hand, one look at a source's near pairs tells what it would
bring in the place of every prototype. The first swap that pays is made at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from protospot.costs.near import Near, near_pairs, three_lowest, wider
from protospot.costs.tiled import TiledCost
from protospot.errors import Stop
from protospot.kernels.choose import kernels
from protospot.types import Bools, Floats, Ints, OnPick, Pick

_EPS = float(np.finfo(np.float64).eps)
_LEAST = 1e-12  # of the costs that a fall is the difference of: less may be rounding
_SCREENED = 1e-6  # of them where they are screened: more than they are likely to be off together
_NEARLY = 0.02  # share of targets with pairs missing, with which screened swaps are as good as done
_ROUNDS = 10  # times that pairs are collected at most


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
        self.picks, self.lists = picks, near
        self.near = np.zeros(n_target, np.int64)  # position of the cheapest
        self.low, self.high = np.empty(n_target), np.empty(n_target)
        self.is_free = np.ones(cost.shape[0], bool)
        self.is_free[picks] = False
        self._cost, self._weights, self._keep = cost, weights, keep
        self._change = np.empty(len(picks))
        self._serve(np.ones(n_target, bool))

    @property
    def total(self) -> float:
        """The transport cost."""
        return float(self.low @ self._weights)

    @property
    def missing(self) -> float:
        """Share of the targets whose second cheapest prototype lies beyond the cutoff."""
        return float((self.high > self.lists.cutoff).mean())

    def search(self, first: int, count: int) -> tuple[int, int, float]:
        """Return the first source that pays, whose place it takes, and the fall of the cost."""
        size = float(self._weights @ (np.abs(self.low) + np.abs(self.high)))
        unsure = 2 * float(self._weights @ self.lists.margin)
        least = max(_LEAST, 4 * _EPS * len(self.low)) * size + min(unsure, _SCREENED * size)
        state = self._weights, self.near, self.low, self.high, self.is_free, self._change
        found = kernels().find_swap(first, count, least, self._keep, *self.lists.lists, *state)
        return int(found[0]), int(found[1]), float(found[2])

    def swap(self, source: int, position: int) -> None:
        """Put a source in the place of a prototype."""
        gone = self.picks[position : position + 1].copy()
        self.is_free[gone] = True
        self.is_free[source] = False
        self.picks[position] = source
        marked = self.near == position
        for row in (gone[0], source):
            first = self.lists.begin[row]
            marked[self.lists.target[first : first + self.lists.length[row]]] = True
        self._serve(marked | (self.high > self.lists.cutoff))

    def _serve(self, marked: Bools) -> None:
        state = self.near, self.low, self.high
        kernels().serve(self.picks, marked, *self.lists.lists, *state)
        # Served from beyond the cutoff: look at all prototypes.
        far = np.flatnonzero(marked & ~np.isfinite(self.high))
        step = max(1, self._cost.plan.rows_at_once * self._cost.shape[1] // len(self.picks))
        for begin in range(0, len(far), step):
            some = far[begin : begin + step]
            costs = self._cost.rows(self.picks, some)
            self.near[some] = costs.argmin(axis=0)
            costs = np.partition(costs, min(1, len(costs) - 1), axis=0)
            self.low[some] = costs[0]
            self.high[some] = costs[1]


def improve(
    cost: TiledCost, weights: Floats, picks: Ints, budget: Budget, keep: int = 0
) -> tuple[Ints, Near | None]:
    """Return prototypes that no single swap improves, as far as the budget goes.

    A source takes the position of the one it replaces; the first `keep` are not replaced. Also
    returns the near pairs that prove it, if they are at hand.

    First with screened costs, by which almost every swap pays that seems to; then with exact ones.
    """
    if not max(1, keep) < len(picks) < cost.shape[0]:
        return picks, None  # nothing to swap, or a single one, which has no second cheapest
    picks, is_exact = picks.copy(), False
    for _ in range(_ROUNDS):
        near = near_pairs(cost, weights, _cutoffs(cost, picks, is_exact), is_exact=is_exact)
        if near is None:
            budget.ended = "the near pairs do not fit in memory"
            return picks, None
        served, before = Served(cost, weights, picks, near, keep), budget.swaps
        if not _sweep(served, budget):
            return picks, None
        if is_exact and (served.missing == 0 or budget.swaps == before):
            return picks, near
        few = budget.swaps - before < len(picks) // 20
        is_exact = is_exact or few or served.missing < _NEARLY
    budget.ended = f"pairs were collected {_ROUNDS} times"
    return picks, None


def _cutoffs(cost: TiledCost, picks: Ints, is_last: bool) -> list[Floats]:
    """Return up to where pairs are worth listing, the widest cutoff first.

    A swap depends on the pairs below the second cheapest prototype. After a few it is another.
    """
    _, second, third = three_lowest(cost, picks)
    slack = cost.margins[0].max() + cost.margins[1]
    third = np.where(np.isfinite(third), third, wider(second, 1.3))
    if is_last:
        return [wider(second, 0.05) + slack, second + slack]
    return [wider(third, 0.15) + slack, third + slack, second + slack]


def _sweep(served: Served, budget: Budget) -> bool:
    """Swap until no source pays; False when the budget ended it."""
    n_source, position = len(served.is_free), 0
    while not budget.is_spent(n_source):
        source, place, fall = served.search(position, n_source)
        budget.looked += (source - position) % n_source + 1 if source >= 0 else n_source
        if source < 0:
            return True
        before, gone = served.total, int(served.picks[place])
        served.swap(source, place)
        if served.total >= before:  # by rounding after all: swaps that go on so might never end
            served.swap(gone, place)
            return True
        budget.swaps += 1
        position = (source + 1) % n_source
        if budget.on_swap is not None:
            try:
                budget.on_swap(Pick(place, source, fall, served.total))
            except Stop:
                budget.ended = "on_swap raised Stop"
                return False
    return False
