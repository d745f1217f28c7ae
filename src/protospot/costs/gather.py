"""Collecting live pairs tile by tile, several workers at once, within a limit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from protospot.costs.pairs import LivePairs
from protospot.threads import Team
from protospot.types import Floats, Numbers


class Gatherer:
    """A pool of pairs that workers fill, one row of tiles at a time."""

    def __init__(
        self, kernels: ModuleType, team: Team, shape: tuple[int, int], dtype: Any, limit: int
    ) -> None:
        self._kernels, self._team = kernels, team
        self._n_source, n_target = shape
        self._lock = threading.Lock()
        self._used = 0
        self._is_full = False
        # Only what is written takes memory: the system hands out pages on first touch.
        self._source = np.empty(limit, np.int32)
        self._cost = np.empty(limit, dtype)
        self._start = np.zeros(n_target, np.int64)
        self._length = np.zeros(n_target, np.int32)

    def scratch(self) -> Scratch:
        """Return room for the pairs of some targets, for a worker to use again and again."""
        return Scratch(self._cost.dtype)

    def gather(
        self,
        part: slice,
        limits: Numbers,
        tiles: Iterator[tuple[slice, Numbers]],
        scratch: Scratch,
    ) -> bool:
        """Add the live pairs of some targets; False when the pool is full."""
        scratch.used = 0
        counts = []
        for columns, tile in tiles:
            source, cost = scratch.room(tile.size + 1)  # the kernel writes one place ahead
            count = np.empty(len(limits), np.int32)
            scratch.used += self._kernels.collect(tile, limits, columns.start, source, cost, count)
            counts.append(count)
            if self._is_full:
                return False
        with self._lock:
            begin, self._used = self._used, self._used + scratch.used
            self._is_full |= self._used > len(self._source)
        if self._is_full:
            return False
        pool = slice(begin, begin + scratch.used)
        pieces = np.array(counts)
        self._kernels.merge(
            pieces, scratch.source, scratch.cost, self._source[pool], self._cost[pool]
        )
        lengths = pieces.sum(axis=0, dtype=np.int64)
        self._length[part] = lengths
        self._start[part] = begin + np.cumsum(lengths) - lengths
        return True

    def pairs(self, margins: Floats) -> LivePairs | None:
        """Return what was gathered, or None when it did not fit."""
        if self._is_full:
            return None
        return LivePairs(
            self._kernels,
            self._team,
            self._n_source,
            self._start,
            self._length,
            self._source,
            self._cost,
            margins,
        )


class Scratch:
    """A worker's pairs on their way to the pool, piece after piece."""

    def __init__(self, dtype: Any) -> None:
        self.source = np.empty(0, np.int32)
        self.cost = np.empty(0, dtype)
        self.used = 0

    def room(self, size: int) -> tuple[Numbers, Numbers]:
        """Return the free end of the buffers, at least this long."""
        if len(self.source) < self.used + size:
            for name in ("source", "cost"):
                old = getattr(self, name)
                new = np.empty(2 * self.used + size, old.dtype)
                new[: self.used] = old[: self.used]
                setattr(self, name, new)
        return self.source[self.used :], self.cost[self.used :]
