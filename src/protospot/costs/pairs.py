"""Live pairs: the few (source, target) pairs that can still change a gain.

A pair whose cost reaches its target's best can never matter again, because the best only falls.
After a few picks most pairs are dead; the others are collected once, and from then on a pick walks
only the lists of the targets it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np

from protospot import threads
from protospot.types import Floats, Ints, Numbers

INDEX_BYTES = 4  # per pair: a target
_BLOCK = 4096  # targets whose pairs are worked on together
_WORTH_A_THREAD = 1 << 18  # pairs below which a second thread costs more than it brings

PairCosts = Callable[[slice, Numbers, Numbers], Floats]  # targets, pairs of each, their sources


class LivePairs:
    """Lists of pairs by target: sources and costs, sorted by source."""

    def __init__(
        self,
        kernels: ModuleType,
        n_source: int,
        workers: int,
        start: Ints,
        length: Numbers,
        source: Numbers,
        cost: Numbers,
        margins: Floats,
    ) -> None:
        self._kernels = kernels
        self._n_source = n_source
        self._workers = workers
        self._start, self._length = start, length
        self._source, self._cost = source, cost
        self._margins = margins  # per target: how far a listed cost may be from the exact one
        self._index: tuple[Ints, Numbers] | None = None
        self.counted = int(length.sum())  # pairs when the lists were made

    @property
    def count(self) -> int:
        """How many pairs are listed now."""
        return int(self._length.sum())

    @property
    def is_exact(self) -> bool:
        """Whether the listed costs are exact."""
        return not self._margins.any()

    @property
    def has_index(self) -> bool:
        """Whether `targets_of` can be asked."""
        return self._index is not None

    def gains(self, best: Floats, weights: Floats) -> Floats:
        """How much each source would lower the weighted sum of `best`."""
        gains = np.zeros(self._n_source)
        self._kernels.pair_gains(
            self._start, self._length, self._source, self._cost, best, weights, gains
        )
        return gains

    def lower(
        self, gains: Floats, targets: Numbers, before: Floats, after: Floats, weights: Floats
    ) -> None:
        """Bring gains up to date after the best of these targets fell; drop pairs that died."""
        heavy = int(self._length[targets].sum()) > _WORTH_A_THREAD
        workers = self._workers if heavy else 1
        changes = [gains] + [np.zeros(self._n_source) for _ in range(workers - 1)]
        edges = np.linspace(0, len(targets), workers + 1).astype(int)

        def work(worker: int) -> None:
            mine = slice(edges[worker], edges[worker + 1])
            self._kernels.walk(
                targets[mine],
                before[mine],
                after[mine],
                self._margins[targets[mine]],
                weights,
                self._start,
                self._length,
                self._source,
                self._cost,
                changes[worker],
            )

        threads.run(work, workers)
        for change in changes[1:]:
            gains += change

    def targets_of(self, source: int) -> Numbers:
        """Targets that this source may serve more cheaply than their best."""
        assert self._index is not None
        begins, targets = self._index
        return targets[begins[source] : begins[source + 1]]

    def indexed(self, best: Floats, pair_costs: PairCosts | None = None) -> LivePairs:
        """Return the pairs that are still live, packed, and listed by source as well.

        With `pair_costs` the listed costs are replaced by the exact ones.
        """
        n_target = len(self._start)
        blocks = [slice(a, min(a + _BLOCK, n_target)) for a in range(0, n_target, _BLOCK)]
        packed: list[tuple[Numbers, Numbers, Numbers]] = [()] * len(blocks)  # type: ignore[list-item]
        workers = self._workers if self.count > _WORTH_A_THREAD else 1

        def work(worker: int) -> None:
            for b in range(worker, len(blocks), workers):
                packed[b] = self._packed(blocks[b], best, pair_costs)

        threads.run(work, workers)
        length, source, cost = (np.concatenate(parts) for parts in zip(*packed, strict=True))
        margins = np.zeros(n_target) if pair_costs else self._margins
        start = np.concatenate(([0], np.cumsum(length, dtype=np.int64)))[:-1]
        pairs = LivePairs(
            self._kernels, self._n_source, self._workers, start, length, source, cost, margins
        )
        begins = np.zeros(self._n_source + 1, np.int64)
        targets = np.empty(len(source), np.int32)
        self._kernels.by_source(start, length, source, begins, targets)
        pairs._index = begins, targets
        return pairs

    def _packed(
        self, targets: slice, best: Floats, pair_costs: PairCosts | None
    ) -> tuple[Numbers, Numbers, Numbers]:
        length = self._length[targets]
        owner = np.repeat(np.arange(len(length)), length)
        skipped = np.cumsum(length, dtype=np.int64) - length
        entries = np.arange(len(owner)) + (self._start[targets] - skipped)[owner]
        source, cost = self._source[entries], self._cost[entries]
        if pair_costs is not None:
            cost = pair_costs(targets, length, source)
        limits = best[targets] + (0 if pair_costs else self._margins[targets])
        live = cost < limits[owner]
        kept = np.bincount(owner[live], minlength=len(length)).astype(np.int32)
        return kept, source[live], cost[live]
