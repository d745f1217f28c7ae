"""The cost matrix, tile by tile, over several threads.

A tile is a (sources, targets) piece of the matrix that fits in cache. A subclass says how to make
one; workers share the targets out among themselves, and each reuses one buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from protospot.costs.plan import Plan
from protospot.kernels.choose import kernels
from protospot.threads import Team
from protospot.types import Ints, Numbers

_WORTH_A_THREAD = 1 << 20  # multiplications below which a second thread costs more than it brings

_ALL = slice(None)

# Sources by their place among those asked for, a tile, and the rows of it that are theirs.
Column = Iterator[tuple[slice, Numbers, Ints]]


class Tiles:
    """A matrix that is made tile by tile."""

    # Whether workers share out the sources, so that each sees all targets.
    splits_sources = False

    def __init__(self, shape: tuple[int, int], width: int, plan: Plan, dtype: Any) -> None:
        self.shape = shape
        self.plan = plan
        self.dtype = np.dtype(dtype)  # of a tile
        self.margins = np.zeros(shape[0]), np.zeros(shape[1])  # a tile may be off by their sum
        self._width = width  # numbers per point, for guesses of work
        self._kernels = kernels()
        self._team = Team(plan.threads)
        self._rows = np.arange(plan.tile[1])
        self._buffers: dict[int, Numbers] = {}

    @property
    def _together(self) -> int:
        """How many sources a tile has at most."""
        return self.plan.tile[1]

    def _source_side(self, rows: slice | Ints) -> Any:
        """Return what `_tile` needs to know of these sources."""
        raise NotImplementedError

    def _target_side(self, rows: slice | Ints) -> Any:
        """Return what `_tile` needs to know of these targets."""
        raise NotImplementedError

    def _tile(self, source_side: Any, target_side: Any, out: Numbers) -> None:
        """Write the costs of all pairs of the two sides to `out`, (sources, targets)."""
        raise NotImplementedError

    def _tiles(
        self,
        worker: int,
        workers: int,
        targets: slice | Ints = _ALL,
        sources: Ints | None = None,
    ) -> Iterator[tuple[slice, Column]]:
        """Yield a worker's share of the targets, part by part, each with its tiles.

        Parts count from the first of the targets that were asked for. With one worker, its number
        only says whose buffer to use.
        """
        n = self._number(targets)
        step = max(1, min(self.plan.tile[0], -(-n // workers)))
        first = worker * step if workers > 1 else 0
        for begin in range(first, n, workers * step):
            part = slice(begin, min(begin + step, n))
            if isinstance(targets, slice):
                base = targets.indices(self.shape[1])[0]
                side = self._target_side(slice(base + part.start, base + part.stop))
            else:
                side = self._target_side(targets[part])
            yield part, self._column(worker, side, part.stop - part.start, sources)

    def _column(self, worker: int, side: Any, m: int, sources: Ints | None) -> Column:
        if worker not in self._buffers:
            self._buffers[worker] = np.empty(self.plan.tile[0] * self.plan.tile[1], self.dtype)
        n_source = self.shape[0] if sources is None else len(sources)
        step = min(self._together, len(self._rows), self._buffers[worker].size // m)
        for begin in range(0, n_source, step):
            part = slice(begin, min(begin + step, n_source))
            n = part.stop - part.start
            tile = self._buffers[worker][: n * m].reshape(n, m)
            self._tile(self._source_side(part if sources is None else sources[part]), side, tile)
            yield part, tile, self._rows[:n]

    def _number(self, targets: slice | Ints) -> int:
        """How many targets these are."""
        if isinstance(targets, slice):
            return len(range(*targets.indices(self.shape[1])))
        return len(targets)

    def _workers(self, n_target: int, n_source: int | None = None) -> int:
        """How many threads so many pairs are worth."""
        pairs = n_target * (self.shape[0] if n_source is None else n_source)
        return self.plan.threads if pairs * self._width > _WORTH_A_THREAD else 1

    def _share_targets(self, work: Any, n_source: int) -> None:
        """Have each worker see all sources for some targets; one alone where rows are stored."""
        if self.splits_sources:
            work(0, 1)
        else:
            self._spread(work, self.shape[1], n_source)

    def _spread(self, work: Any, n_target: int, n_source: int | None = None) -> None:
        workers = self._workers(n_target, n_source)
        self._team.run(lambda worker: work(worker, workers), workers)
