"""Near pairs: all that cost less than their target's cutoff, with their exact costs.

What can be gained by swaps, and what a bound on the best possible cost needs, is decided by the
pairs below a target's second cheapest prototype, or a little more: a hundredth of all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from protospot.costs.pairs import Lists
from protospot.costs.tiled import TiledCost
from protospot.kernels.forms import MARGIN, SCALE
from protospot.types import Floats, Ints, Numbers

_EXACT_BYTES = 12  # at most, of a pair with its exact cost


@dataclass(frozen=True, slots=True)
class Near:
    """Lists by source, see `kernels.generic.near`."""

    begin: Ints
    length: Numbers
    target: Numbers
    cost: Numbers
    cutoff: Floats  # of each target
    margin: Floats  # by which listed costs of each target may be off; 0 where they are exact

    @property
    def lists(self) -> tuple[Ints, Numbers, Numbers, Numbers]:
        """The lists, in the order in which kernels take them."""
        return self.begin, self.length, self.target, self.cost

    @property
    def count(self) -> int:
        """How many pairs are listed."""
        return int(self.length.sum())


def near_pairs(
    cost: TiledCost, weights: Floats, cutoffs: Iterable[Floats], *, is_exact: bool = True
) -> Near | None:
    """Return the pairs below the first of these cutoffs whose pairs fit in memory, if any.

    Their costs are exact where that can be had; asked not to be, they may be off by the margin.
    """
    limit = min(cost.plan.pair_limit(cost.shape, cost.pair_size), cost.shape[0] * cost.shape[1])
    for cutoff in cutoffs:
        found = cost.live(cutoff, weights, limit)
        if found is None:
            continue
        pairs = found[0]
        # They are listed once with exact costs, and once more source by source.
        if pairs.nbytes + 2 * _EXACT_BYTES * pairs.count <= cost.plan.pair_bytes:
            sharp = cost.sharpened(pairs) if is_exact else None
            return _near((sharp or pairs).whole(), cutoff)
    return None


def _near(lists: Lists, cutoff: Floats) -> Near:
    costs = lists.cost
    margin = lists.table[MARGIN]
    if margin.any():  # only coded or screened costs were to be had
        costs = lists.table[SCALE, lists.target] * costs
    return Near(lists.begin[:, 0], lists.length[:, 0], lists.target, costs, cutoff, margin)


def wider(cutoff: Floats, share: float) -> Floats:
    """Return cutoffs raised by a share of their size; costs may be negative."""
    return cutoff + share * np.abs(cutoff)


def three_lowest(cost: TiledCost, sources: Ints) -> Floats:
    """Return (3, n_target) roughly the lowest costs that these sources have; infinity if fewer."""
    lowest = np.full((3, cost.shape[1]), np.inf)

    def work(worker: int, workers: int) -> None:
        for part, tiles in cost._tiles(worker, workers, sources=sources):
            held = lowest[:, part]
            for _, tile, rows in tiles:
                both = np.concatenate((held, tile[rows]), axis=0)
                both.partition(2, axis=0)
                held = np.sort(both[:3], axis=0)
            lowest[:, part] = held

    cost._share_targets(work, len(sources))
    return lowest
