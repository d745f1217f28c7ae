"""Live pairs: the few (source, target) pairs that can still change a gain.

A pair whose cost reaches its target's best can never matter again, because the best only falls.
After a few picks most pairs are dead; the others are collected once, and from then on a pick walks
only the lists of the targets it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np

from protospot.threads import Team, shares
from protospot.types import Floats, Ints, Numbers

INDEX_BYTES = 4  # per pair: a target
_BLOCK = 4096  # targets whose pairs are worked on together
_WORTH_A_THREAD = 1 << 17  # pairs below which a second thread costs more than it brings

PairCosts = Callable[[slice, Numbers, Numbers], Floats]  # targets, pairs of each, their sources


class LivePairs:
    """Lists of pairs by target: sources and costs, sorted by source."""

    def __init__(
        self,
        kernels: ModuleType,
        team: Team,
        n_source: int,
        start: Ints,
        length: Numbers,
        source: Numbers,
        cost: Numbers,
        margins: Floats,
    ) -> None:
        self._kernels, self._team = kernels, team
        self._n_source = n_source
        self._start, self._length = start, length
        self._source, self._cost = source, cost
        self._margins = margins  # per target: how far a listed cost may be from the exact one
        self._index: tuple[Ints, Numbers] | None = None
        self.is_exact = not margins.any()
        self.counted = int(length.sum())  # pairs when the lists were made
        self.count = self.counted  # pairs listed now

    @property
    def has_index(self) -> bool:
        """Whether pairs are listed by source too."""
        return self._index is not None

    def gains(self, best: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """How much each source would lower the weighted sum of `best`, and how far off that is."""
        gains, doubt = np.zeros(self._n_source), np.zeros(self._n_source)
        lists = self._start, self._length, self._source, self._cost
        self._kernels.pair_gains(*lists, best, weights, self._margins, gains, doubt)
        return gains, doubt

    def lower(
        self, gains: Floats, targets: Numbers, before: Floats, after: Floats, weights: Floats
    ) -> None:
        """Bring gains up to date after the best of these targets fell; drop pairs that died."""
        listed = int(self._length[targets].sum())
        workers = self._team.size if listed > _WORTH_A_THREAD else 1
        changes = [gains] + [np.zeros(self._n_source) for _ in range(workers - 1)]
        parts = shares(len(targets), workers)
        margins = self._margins[targets]

        def work(worker: int) -> None:
            mine = parts[worker]
            self._kernels.walk(
                targets[mine],
                before[mine],
                after[mine],
                margins[mine],
                weights,
                self._start,
                self._length,
                self._source,
                self._cost,
                changes[worker],
            )

        self._team.run(work, workers)
        for change in changes[1:]:
            gains += change
        self.count -= listed - int(self._length[targets].sum())

    def targets_of(self, source: int) -> Numbers:
        """Targets that this source may serve more cheaply than their best."""
        if self._index is not None:
            begins, targets = self._index
            return targets[begins[source] : begins[source + 1]]
        workers = self._team.size
        parts = shares(len(self._start), workers)
        found: list[Numbers] = [np.empty(0, np.int64)] * workers

        def search(worker: int) -> None:
            mine = parts[worker]
            out = np.empty(mine.stop - mine.start, np.int64)
            number = self._kernels.listing(
                self._start[mine], self._length[mine], self._source, source, out
            )
            found[worker] = out[:number] + mine.start

        self._team.run(search)
        return np.concatenate(found)

    def packed(self, best: Floats, pair_costs: PairCosts | None = None) -> LivePairs:
        """Return the pairs that are still live, side by side, and listed by source as well.

        With `pair_costs` the listed costs are replaced by the exact ones.
        """
        n_target = len(self._start)
        blocks = [slice(a, min(a + _BLOCK, n_target)) for a in range(0, n_target, _BLOCK)]
        parts: list[tuple[Numbers, Numbers, Numbers]] = [()] * len(blocks)  # type: ignore[list-item]
        workers = self._team.size if self.count > _WORTH_A_THREAD else 1

        def work(worker: int) -> None:
            for b in range(worker, len(blocks), workers):
                parts[b] = self._part(blocks[b], best, pair_costs)

        self._team.run(work, workers)
        length, source, cost = (np.concatenate(part) for part in zip(*parts, strict=True))
        margins = np.zeros(n_target) if pair_costs else self._margins
        start = _begins(length)[:-1]
        pairs = LivePairs(
            self._kernels, self._team, self._n_source, start, length, source, cost, margins
        )
        begins = np.zeros(self._n_source + 1, np.int64)
        targets = np.empty(len(source), np.int32)
        self._kernels.by_source(start, length, source, begins, targets)
        pairs._index = begins, targets
        return pairs

    def _part(
        self, targets: slice, best: Floats, pair_costs: PairCosts | None
    ) -> tuple[Numbers, Numbers, Numbers]:
        limits = best[targets] + self._margins[targets]
        lists = self._start[targets], self._length[targets], self._source, self._cost
        length, source, cost = self._pack(*lists, limits)
        if pair_costs is None:
            return length, source, cost
        cost = pair_costs(targets, length, source)
        return self._pack(_begins(length)[:-1], length, source, cost, best[targets])

    def _pack(
        self, start: Ints, length: Numbers, source: Numbers, cost: Numbers, limits: Floats
    ) -> tuple[Numbers, Numbers, Numbers]:
        most = int(length.sum()) + 1  # the kernel writes one place ahead
        kept = np.empty_like(length), np.empty(most, source.dtype), np.empty(most, cost.dtype)
        total = self._kernels.pack(start, length, source, cost, limits, *kept)
        return kept[0], kept[1][:total], kept[2][:total]


def _begins(length: Numbers) -> Ints:
    return np.concatenate(([0], np.cumsum(length, dtype=np.int64)))
