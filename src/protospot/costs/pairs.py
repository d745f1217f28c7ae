"""Live pairs: the few (source, target) pairs that can still change a gain.

A pair whose cost reaches its target's best can never matter again, because the best only falls.
After a few picks most pairs are dead; the others are collected once, source by source, and from
then on a source's gain is computed from its list, which shrinks each time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from protospot.costs.codes import number_type
from protospot.costs.known import Known
from protospot.kernels.forms import BEST, MARGIN, SCALE
from protospot.threads import Team, share_out, shares
from protospot.types import Floats, Ints, Numbers

_BLOCK = 512  # sources whose pairs are copied together
_RUN = 512  # pairs in a part of a list, below which parts are merged
_WORTH_A_THREAD = 1 << 18  # pairs below which a second thread costs more than it brings

PairCosts = Callable[[Ints, Numbers, Ints], Floats]  # sources, pairs of each, their targets


@dataclass(frozen=True, slots=True)
class Lists:
    """Pairs by source, in parts: see `kernels.generic.pairs`."""

    table: Floats
    edges: Ints
    begin: Ints
    length: Numbers
    target: Numbers
    cost: Numbers

    @property
    def all(self) -> tuple[Floats, Ints, Ints, Numbers, Numbers, Numbers]:
        """Return the arrays, in the order in which kernels take them."""
        return self.table, self.edges, self.begin, self.length, self.target, self.cost


class LivePairs:
    """Lists of pairs by source, sorted by target."""

    def __init__(self, kernels: ModuleType, team: Team, lists: Lists) -> None:
        self._kernels, self._team, self._lists = kernels, team, lists
        self.is_exact = not lists.table[MARGIN].any()
        self._usual = float("inf")  # pairs looked at for a source that may lead
        self.count = int(lists.length.sum())  # pairs listed when the lists were made
        self.pair_bytes = lists.target.itemsize + lists.cost.itemsize
        self.nbytes = lists.target.nbytes + lists.cost.nbytes

    @property
    def live(self) -> int:
        """How many pairs are listed now: those that died are dropped when they are looked at."""
        return int(self._lists.length.sum())

    def contest(self, sources: Ints, bar: float, known: Known) -> int:
        """Bring gains of sources up to date, each until it falls below the bar for certain.

        Returns how many pairs were looked at.
        """
        # As much work as the last time, for as many sources: most are soon below the bar.
        workers = self._team.size if self._usual * len(sources) > _WORTH_A_THREAD else 1
        turn, mine = known.next_turn(), shares(len(sources), workers)
        spent = [0] * workers

        def work(worker: int) -> None:
            spent[worker] = self._kernels.contest_listed(
                sources[mine[worker]], bar, turn, known.slack, *self._lists.all, *known.state
            )

        self._team.run(work, workers)
        self._usual = sum(spent) / len(sources)
        return sum(spent)

    def descend(
        self,
        most: int,
        patience: int,
        rank: int,
        tie: float,
        known: Known,
        best: Floats,
        owner: Ints,
    ) -> tuple[list[int], list[float], int]:
        """Pick source after source while it is clear which is next, and lists are worth keeping.

        Needs exact costs. Brings gains, `best` and `owner` up to date; returns the picks, by how
        much each lowered the cost, and how many pairs were looked at.
        """
        picks, drops = np.empty(most, np.int64), np.empty(most)
        made, spent = self._kernels.descend(
            most,
            patience,
            rank,
            tie,
            known.slack,
            *self._lists.all,
            *known.state,
            best,
            owner,
            picks,
            drops,
        )
        return picks[:made].tolist(), drops[:made].tolist(), spent

    def targets_of(self, source: int) -> Ints:
        """Return the targets that this source may serve more cheaply than their best."""
        out = np.empty(int(self._lists.length[source].sum()) + 1, np.int64)
        return out[: self._kernels.listing(source, *self._lists.all, out)]

    def lower(self, targets: Ints, after: Floats) -> None:
        """Follow a pick that lowered the best of some targets."""
        self._lists.table[BEST, targets] = after

    def groups(self) -> Ints:
        """Return which parts to merge, so that each holds pairs enough to be worth a look."""
        edges, n_parts = self._lists.edges, len(self._lists.edges) - 1
        least = -(-int(edges[-1]) // (1 << 16))  # so that numbers of targets stay small
        wanted = self.count // (_RUN * len(self._lists.length))
        return np.unique(
            np.linspace(0, n_parts, min(n_parts, max(wanted, least, 1)) + 1, dtype=int)
        )

    def whole(self, pair_costs: PairCosts | None = None) -> Lists:
        """Return the pairs that are still live, each source's in one part; zeros where none is.

        With `pair_costs` the listed costs are replaced by the exact ones.
        """
        return self.packed(np.array([0, len(self._lists.edges) - 1]), pair_costs, fills=True)._lists

    def packed(
        self, groups: Ints, pair_costs: PairCosts | None = None, *, fills: bool = False
    ) -> LivePairs:
        """Return the pairs that are still live, with merged parts.

        With `pair_costs` the listed costs are replaced by the exact ones.
        """
        x, n_source = self._lists, len(self._lists.length)
        edges = x.edges[groups]
        table = x.table
        if pair_costs is not None:
            table = x.table.copy()
            table[SCALE], table[MARGIN] = 1.0, 0.0
        blocks = [slice(a, min(a + _BLOCK, n_source)) for a in range(0, n_source, _BLOCK)]
        room = [int(x.length[block].sum()) + 1 for block in blocks]  # kernels write one ahead
        at = np.concatenate(([0], np.cumsum(room)))
        new = Lists(
            table,
            edges,
            np.empty((n_source, len(edges) - 1), np.int64),
            np.empty((n_source, len(edges) - 1), x.length.dtype),
            np.empty(at[-1], number_type(int(np.diff(edges).max()))),
            np.empty(at[-1], np.float64 if pair_costs else x.cost.dtype),
        )

        def copy(block: slice, _: int) -> None:
            first = int(at[block.start // _BLOCK])
            place = slice(first, first + room[block.start // _BLOCK])
            sources = np.arange(block.start, block.stop)
            end = place.start + self._copy(sources, place, groups, new, pair_costs)
            if fills:
                new.target[end : place.stop] = new.cost[end : place.stop] = 0

        share_out(blocks, self._team, copy)
        return LivePairs(self._kernels, self._team, new)

    def _copy(
        self, sources: Ints, place: slice, groups: Ints, new: Lists, pair_costs: PairCosts | None
    ) -> int:
        """Copy the live pairs of some sources to their place; return how many there are."""
        length = np.empty((len(sources), len(groups) - 1), new.length.dtype)
        target = new.target[place]
        cost = np.empty(len(target), self._lists.cost.dtype) if pair_costs else new.cost[place]
        x = self._lists
        lists = x.table, x.edges, groups, x.begin, x.length, x.target, x.cost
        kept = int(self._kernels.pack(sources, *lists, length, target, cost))
        if pair_costs is not None:
            origins = np.repeat(np.tile(new.edges[:-1], len(sources)), length.ravel())
            counts = length.sum(axis=1, dtype=np.int32)
            new.cost[place][:kept] = pair_costs(sources, counts, origins + target[:kept])
        new.begin[sources] = place.start + begins(length)
        new.length[sources] = length
        return kept


def begins(length: Numbers) -> Ints:
    """Return where runs of these lengths begin that lie side by side."""
    ends: Any = np.cumsum(length, dtype=np.int64).reshape(length.shape)
    starts: Ints = ends - length
    return starts
