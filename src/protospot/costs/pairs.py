"""Live pairs: the few (source, target) pairs that can still change a gain.

A pair whose cost reaches its target's best can never matter again, because the best only falls.
After a few picks most pairs are dead; the others are collected once, and from then on a pick walks
only the lists of the targets it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from protospot.costs.codes import number_type
from protospot.threads import Team, shares
from protospot.types import Floats, Ints, Numbers

INDEX_BYTES = 4  # per pair: a target
_BLOCK = 4096  # targets whose pairs are worked on together
_WORTH_A_THREAD = 1 << 16  # pairs below which a second thread costs more than it brings

PairCosts = Callable[[slice, Numbers, Numbers], Floats]  # targets, pairs of each, their sources


@dataclass(slots=True)
class Descent:
    """A run of picks: what it starts from, and where it ends."""

    rank: int  # of the first pick
    tie: float
    slack: float
    rounding: float  # of a gain, with each change of a target
    weights: Floats
    values: Floats
    best: Floats
    owner: Ints


@dataclass(frozen=True, slots=True)
class Lists:
    """Pairs by target: those of target j lie at start_j to start_j + length_j."""

    start: Ints
    length: Numbers
    source: Numbers
    cost: Numbers  # times its target's scale
    scales: Floats
    margins: Floats  # per target: how far a listed cost may be from the exact one


@dataclass(frozen=True, slots=True)
class Index:
    """The same pairs by source: those of source i lie at begins_i to begins_i+1."""

    begins: Ints
    targets: Numbers


class LivePairs:
    """Lists of pairs by target, sorted by source, and perhaps an index of them by source."""

    def __init__(
        self,
        kernels: ModuleType,
        team: Team,
        n_source: int,
        lists: Lists,
        index: Index | None = None,
    ) -> None:
        self._kernels, self._team = kernels, team
        self._n_source = n_source
        self._lists, self._index = lists, index
        self.is_exact = not lists.margins.any()
        self.counted = int(lists.length.sum())  # pairs when the lists were made
        self.count = self.counted  # pairs listed now
        self.pair_bytes = lists.source.itemsize + lists.cost.itemsize
        self.nbytes = lists.source.nbytes + lists.cost.nbytes
        self.nbytes += index.targets.nbytes if index is not None else 0

    @property
    def has_index(self) -> bool:
        """Whether pairs are listed by source too."""
        return self._index is not None

    @property
    def margins(self) -> Floats:
        """Per target, how far a listed cost may be from the exact one."""
        return self._lists.margins

    def gains(self, best: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """How much each source would lower the weighted sum of `best`, and how far off that is."""
        gains, doubt = np.zeros(self._n_source), np.zeros(self._n_source)
        x = self._lists
        lists = x.start, x.length, x.source, x.cost, x.scales
        self._kernels.pair_gains(*lists, best, weights, x.margins, gains, doubt)
        return gains, doubt

    def lower(
        self, gains: Floats, targets: Numbers, before: Floats, after: Floats, weights: Floats
    ) -> None:
        """Bring gains up to date after the best of these targets fell; drop pairs that died."""
        x = self._lists
        # On average; exact enough to say whether to share the work.
        listed = len(targets) * (self.count // len(x.start) + 1)
        workers = self._workers(listed)
        changes = [gains] + [np.zeros(self._n_source) for _ in range(workers - 1)]
        dropped = [0] * workers
        parts = shares(len(targets), workers)

        def work(worker: int) -> None:
            mine = parts[worker]
            dropped[worker] = self._kernels.walk(
                targets[mine],
                before[mine],
                after[mine],
                x.margins,
                x.scales,
                weights,
                x.start,
                x.length,
                x.source,
                x.cost,
                changes[worker],
            )

        self._team.run(work, workers)
        for change in changes[1:]:
            gains += change
        self.count -= sum(dropped)

    def descend(self, most: int, run: Descent) -> tuple[list[int], list[float]]:
        """Pick source after source while it is clear which is next, and half of the pairs live.

        Needs exact costs and the index. Brings the run up to date; returns the picks, and by how
        much each lowered the cost.
        """
        assert self._index is not None
        x = self._lists
        picks, drops = np.empty(most, np.int64), np.empty(most)
        made, dropped, run.slack = self._kernels.descend(
            most,
            run.rank,
            run.tie,
            run.slack,
            run.rounding,
            max(1, self.count - self.counted // 2),
            x.start,
            x.length,
            x.source,
            x.cost,
            x.scales,
            self._index.begins,
            self._index.targets,
            run.weights,
            run.values,
            run.best,
            run.owner,
            picks,
            drops,
        )
        self.count -= dropped
        return picks[:made].tolist(), drops[:made].tolist()

    def targets_of(self, source: int) -> Numbers:
        """Targets that this source may serve more cheaply than their best."""
        if self._index is not None:
            begins = self._index.begins
            return self._index.targets[begins[source] : begins[source + 1]]
        x = self._lists
        workers = self._team.size
        parts = shares(len(x.start), workers)
        found: list[Numbers] = [np.empty(0, np.int64)] * workers

        def search(worker: int) -> None:
            mine = parts[worker]
            out = np.empty(mine.stop - mine.start, np.int64)
            number = self._kernels.listing(x.start[mine], x.length[mine], x.source, source, out)
            found[worker] = out[:number] + mine.start

        self._team.run(search)
        return np.concatenate(found)

    def indexed(self) -> LivePairs:
        """Return the same pairs, listed by source as well."""
        x, workers = self._lists, self._workers(self.count)
        parts = shares(len(x.start), workers)
        tallies = np.zeros((workers, self._n_source), np.int64)

        def count(worker: int) -> None:
            mine = parts[worker]
            self._kernels.tally(x.start[mine], x.length[mine], x.source, tallies[worker])

        self._team.run(count, workers)
        begins = np.concatenate(([0], np.cumsum(tallies.sum(axis=0))))
        # Each worker's targets come behind those of the workers before it.
        at = begins[:-1] + np.cumsum(tallies, axis=0) - tallies
        targets = np.empty(begins[-1], number_type(len(x.start)))

        def turn(worker: int) -> None:
            mine = parts[worker]
            lists = x.start[mine], x.length[mine], x.source
            self._kernels.by_source(mine.start, *lists, at[worker], targets)

        self._team.run(turn, workers)
        return LivePairs(self._kernels, self._team, self._n_source, x, Index(begins, targets))

    def packed(self, best: Floats, pair_costs: PairCosts | None = None) -> LivePairs:
        """Return the pairs that are still live.

        With `pair_costs` the listed costs are replaced by the exact ones.
        """
        old, n_target = self._lists, len(best)
        blocks = [slice(a, min(a + _BLOCK, n_target)) for a in range(0, n_target, _BLOCK)]
        room = [int(old.length[block].sum()) + 1 for block in blocks]  # kernels write one ahead
        begins = np.concatenate(([0], np.cumsum(room)))
        new = Lists(
            np.empty(n_target, np.int64),
            np.empty_like(old.length),
            np.empty(begins[-1], old.source.dtype),
            np.empty(begins[-1], np.float64 if pair_costs else old.cost.dtype),
            np.ones(n_target) if pair_costs else old.scales,
            np.zeros(n_target) if pair_costs else old.margins,
        )
        workers = self._workers(self.count)

        def copy(worker: int) -> None:
            for b in range(worker, len(blocks), workers):
                place = slice(int(begins[b]), int(begins[b + 1]))
                self._copy(blocks[b], place, best, new, pair_costs)

        self._team.run(copy, workers)
        return LivePairs(self._kernels, self._team, self._n_source, new)

    def _copy(
        self, targets: slice, place: slice, best: Floats, new: Lists, pair_costs: PairCosts | None
    ) -> None:
        """Copy the live pairs of some targets to their place."""
        x, limits = self._lists, best[targets] + self._lists.margins[targets]
        length, source = new.length[targets], new.source[place]
        cost = np.empty(len(source), x.cost.dtype) if pair_costs else new.cost[place]
        lists = x.start[targets], x.length[targets], x.source, x.cost, x.scales[targets]
        kept = int(self._kernels.pack(*lists, limits, length, source, cost))
        if pair_costs is not None:
            exact = pair_costs(targets, length, source[:kept])
            lists = _begins(length), length.copy(), source[:kept].copy(), exact, new.scales[targets]
            self._kernels.pack(*lists, best[targets], length, source, new.cost[place])
        new.start[targets] = place.start + _begins(length)

    def _workers(self, n_pairs: int) -> int:
        return self._team.size if n_pairs > _WORTH_A_THREAD else 1


def _begins(length: Numbers) -> Ints:
    begins: Ints = np.cumsum(length, dtype=np.int64) - length
    return begins
