"""Near pairs: all that cost less than their target's cutoff, with their exact costs.

What can be gained by swaps, and what a bound on the best possible cost needs, is decided by the
pairs below a target's second cheapest prototype, or a little more: a hundredth of all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from protospot.costs.pairs import LivePairs
from protospot.costs.tiled import TiledCost
from protospot.kernels.forms import MARGIN, SCALE
from protospot.types import Bools, Floats, Ints, Numbers

_BYTES = 16  # at most, of a pair while it is listed anew, with its exact cost or decoded


@dataclass(frozen=True, slots=True)
class Near:
    """Lists by source, see `kernels.generic.near`."""

    begin: Ints
    length: Numbers
    target: Numbers
    cost: Numbers
    cutoff: Floats  # of each target
    margin: Floats  # by which listed costs of each target may be off; 0 where they are exact
    is_listed: Bools  # of each source; the others have empty lists

    @property
    def lists(self) -> tuple[Ints, Numbers, Numbers, Numbers]:
        """The lists, in the order in which kernels take them."""
        return self.begin, self.length, self.target, self.cost

    @property
    def count(self) -> int:
        """How many pairs are listed."""
        return int(self.length.sum())


def near_room(cost: TiledCost) -> int:
    """Return how many near pairs fit in memory."""
    limit = min(cost.plan.pair_limit(cost.shape, cost.pair_size), cost.shape[0] * cost.shape[1])
    return min(limit, cost.plan.pair_bytes // (cost.pair_size + _BYTES))


def near_pairs(
    cost: TiledCost,
    weights: Floats,
    cutoffs: Iterable[Floats],
    sources: Ints | None = None,
    *,
    is_exact: bool = True,
) -> Near | None:
    """Return the pairs below the first of these cutoffs whose pairs fit in memory, if any.

    Of all sources, or of the given. Costs are exact where that can be had; asked not to be, they
    may be off by the margin.
    """
    room = near_room(cost)
    for cutoff in cutoffs:
        found = cost.live(cutoff, weights, room, sources) if room else None
        if found is not None:
            return _near(cost, found[0], cutoff, sources, is_exact=is_exact)
    return None


def near_rows(cost: TiledCost, cutoff: Floats, sources: Ints) -> Near:
    """Return the pairs of a few sources below a cutoff, from rows that exist whole for a moment."""
    n_source, n_target = cost.shape
    rows = cost.rows(sources)
    owner, target = np.nonzero(rows < cutoff)
    length = np.bincount(owner, minlength=len(sources))
    begin = np.cumsum(length) - length
    # A place more than there are pairs: kernels may look one ahead.
    costs = np.append(rows[owner, target], 0.0)
    known = _spread(begin, sources, n_source), _spread(length, sources, n_source)
    listed = np.append(target, 0), costs, cutoff, np.zeros(n_target)
    return Near(*known, *listed, _spread(np.ones(len(sources), bool), sources, n_source))


def _near(
    cost: TiledCost, pairs: LivePairs, cutoff: Floats, sources: Ints | None, *, is_exact: bool
) -> Near:
    n_source, exact = cost.shape[0], cost.listed_costs if is_exact else None
    if exact is not None and sources is not None:
        lists = pairs.whole(lambda places, *listed: exact(sources[places], *listed))
    else:
        lists = pairs.whole(exact)
    costs, margin = lists.cost, lists.table[MARGIN]
    if margin.any():  # only coded or screened costs were to be had
        costs = lists.table[SCALE, lists.target] * costs
    known = lists.target, costs, cutoff, margin
    if sources is None:
        return Near(lists.begin[:, 0], lists.length[:, 0], *known, np.ones(n_source, bool))
    begin, length = (_spread(x[:, 0], sources, n_source) for x in (lists.begin, lists.length))
    return Near(begin, length, *known, _spread(np.ones(len(sources), bool), sources, n_source))


def _spread(values: Any, sources: Ints, n_source: int) -> Any:
    """Return what is known of some sources as an array over all; zero for the others."""
    out = np.zeros(n_source, values.dtype)
    out[sources] = values
    return out


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


def count_below(cost: TiledCost, sources: Ints, level: Floats) -> Floats:
    """Return to how many of these sources each target's cost is roughly below its level."""
    counts = np.zeros(cost.shape[1])

    def work(worker: int, workers: int) -> None:
        for part, tiles in cost._tiles(worker, workers, sources=sources):
            for _, tile, rows in tiles:
                counts[part] += np.count_nonzero(tile[rows] < level[part], axis=0)

    cost._share_targets(work, len(sources))
    return counts
