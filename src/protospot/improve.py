"""Swaps until none pays, with as many near pairs at hand at a time as fit in memory.

Pairs of all sources are collected together where they fit. Else those of some sources at a time,
always beside the prototypes' own; and where not even that fits, rows are made one by one.
"""

from __future__ import annotations

import math

import numpy as np

from protospot.costs.near import (
    Near,
    near_pairs,
    near_room,
    near_rows,
    three_lowest,
    wider,
)
from protospot.costs.tiled import TiledCost
from protospot.swaps import Budget, Served, sweep
from protospot.threads import shares
from protospot.types import Floats, Ints

_NEARLY = 0.02  # share of targets with pairs missing, with which screened swaps are as good as done
_ROUNDS = 10  # times that the pairs of a source are collected at most
_FEWEST = 8  # sources in a part, below which rows are made one by one
_FILLED = 0.7  # of the room, by as many pairs as a sample tells


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
    around = _Around(cost, weights, picks.copy())
    served: Served | None = None
    is_exact, quiet, swapped, turn = False, 0, 0, 0
    while turn < _ROUNDS * around.parts:
        near = around.near(turn, is_exact=is_exact)
        if near is None:
            around.divide()
            is_exact, quiet, swapped, turn = around.by_rows, 0, 0, 0
            served = None  # its costs may be screened ones
            continue
        if served is None or not is_exact:
            served = Served(cost, weights, around.picks, near, keep)
        else:
            served.turn_to(near)
        before = budget.swaps
        if not sweep(served, budget):
            return around.picks, None
        made, turn = budget.swaps - before, turn + 1
        swapped += made
        is_settled = is_exact and (served.missing == 0 or made == 0)
        quiet = (quiet + 1 if made == 0 else 1) if is_settled else 0
        if quiet == around.parts:
            return around.picks, near if around.parts == 1 else None
        if turn % around.parts == 0:
            few = swapped <= len(picks) // 20
            if not is_exact and (few or served.missing < _NEARLY):
                is_exact, served = True, None
            swapped = 0
    budget.ended = f"pairs were collected {_ROUNDS} times"
    return around.picks, None


class _Around:
    """All sources, in as few parts as it takes for the near pairs of each to fit in memory."""

    def __init__(self, cost: TiledCost, weights: Floats, picks: Ints) -> None:
        self.picks, self.parts = picks, 1
        self.by_rows = False  # whether not even the pairs of a few sources fit
        self._cost, self._weights = cost, weights
        self._lowest: tuple[Ints, Floats] | None = None  # for which prototypes

    def near(self, turn: int, *, is_exact: bool) -> Near | None:
        """Return the near pairs of a part of the sources and of the prototypes, or None."""
        n_source = self._cost.shape[0]
        cutoffs = self._cutoffs(is_last=is_exact or self.parts > 1)
        part = shares(n_source, self.parts)[turn % self.parts]
        mine = np.arange(part.start, part.stop)
        if self.by_rows:
            return near_rows(self._cost, cutoffs[0], mine)
        if self.parts == 1:
            return near_pairs(self._cost, self._weights, cutoffs, is_exact=is_exact)
        both = np.union1d(mine, self.picks)
        return near_pairs(self._cost, self._weights, cutoffs, both, is_exact=is_exact)

    def divide(self) -> None:
        """Make parts smaller: their near pairs do not fit."""
        n_source, n_target = self._cost.shape
        cutoff, room = self._cutoffs(is_last=True)[-1], _FILLED * near_room(self._cost)
        expected = self._cost.live_share(cutoff) * n_source * n_target
        likely = math.ceil(expected / room) if room else n_source
        self.parts = max(2 * self.parts, likely)
        if n_source < _FEWEST * self.parts:
            self.parts, self.by_rows = -(-n_source // self._cost.plan.rows_at_once), True

    def _cutoffs(self, *, is_last: bool) -> list[Floats]:
        """Return up to where pairs are worth listing, the widest cutoff first.

        A swap depends on the pairs below the second cheapest prototype. After a few it is another.
        """
        cost = self._cost
        if self._lowest is None or (self._lowest[0] != self.picks).any():
            self._lowest = self.picks.copy(), three_lowest(cost, self.picks)
        _, second, third = self._lowest[1]
        slack = cost.margins[0].max() + cost.margins[1]
        if is_last:
            return [wider(second, 0.05) + slack, second + slack]
        third = np.where(np.isfinite(third), third, wider(second, 1.3))
        return [wider(third, 0.15) + slack, third + slack, second + slack]
