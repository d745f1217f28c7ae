"""The cost matrix, tile by tile, over several threads.

A tile is a (targets, sources) piece of the matrix that fits in cache. A subclass says how to make
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

_WORTH_A_THREAD = 1 << 22  # multiplications below which a second thread costs more than it brings


class Tiles:
    """A matrix that is made tile by tile."""

    def __init__(self, shape: tuple[int, int], width: int, plan: Plan, dtype: Any) -> None:
        self.shape = shape
        self.plan = plan
        self.dtype = np.dtype(dtype)  # of a tile
        self.margins = np.zeros(shape[0]), np.zeros(shape[1])  # a tile may be off by their sum
        self._width = width  # numbers per point, for guesses of work
        self._kernels = kernels()
        self._team = Team(plan.threads)
        self._buffers: dict[int, Numbers] = {}

    def _target_side(self, rows: slice | Ints) -> Any:
        """Return what `_tile` needs to know of these targets."""
        raise NotImplementedError

    def _source_side(self, rows: slice | Ints) -> Any:
        """Return what `_tile` needs to know of these sources."""
        raise NotImplementedError

    def _tile(self, target_side: Any, source_side: Any, out: Numbers) -> None:
        """Write the costs of all pairs of the two sides to `out`, (targets, sources)."""
        raise NotImplementedError

    def _tiles(
        self, worker: int, workers: int, targets: Ints | None = None, sources: Ints | None = None
    ) -> Iterator[tuple[slice, Iterator[tuple[slice, Numbers]]]]:
        """Yield a worker's share of the targets, part by part, each with its tiles."""
        n = self.shape[1] if targets is None else len(targets)
        step = max(1, min(self.plan.tile[0], -(-n // workers)))
        for begin in range(worker * step, n, workers * step):
            part = slice(begin, min(begin + step, n))
            side = self._target_side(part if targets is None else targets[part])
            yield part, self._row_of_tiles(worker, side, part.stop - part.start, sources)

    def _row_of_tiles(
        self, worker: int, side: Any, m: int, sources: Ints | None
    ) -> Iterator[tuple[slice, Numbers]]:
        if worker not in self._buffers:
            self._buffers[worker] = np.empty(self.plan.tile[0] * self.plan.tile[1], self.dtype)
        n_source = self.shape[0] if sources is None else len(sources)
        for begin in range(0, n_source, self.plan.tile[1]):
            columns = slice(begin, min(begin + self.plan.tile[1], n_source))
            n = columns.stop - columns.start
            tile = self._buffers[worker][: m * n].reshape(m, n)
            other = self._source_side(columns if sources is None else sources[columns])
            self._tile(side, other, tile)
            yield columns, tile

    def _spread(self, work: Any, n_target: int, n_source: int | None = None) -> None:
        pairs = n_target * (self.shape[0] if n_source is None else n_source)
        workers = self.plan.threads if pairs * self._width > _WORTH_A_THREAD else 1
        self._team.run(lambda worker: work(worker, workers), workers)
