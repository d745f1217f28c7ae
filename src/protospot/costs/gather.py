"""Collecting live pairs tile by tile, several workers at once, within a limit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from protospot.costs.pairs import LivePairs
from protospot.types import Numbers


class Gatherer:
    """A pool of pairs that workers fill, one row of tiles at a time."""

    def __init__(self, kernels: ModuleType, n_target: int, dtype: Any, limit: int) -> None:
        self._kernels = kernels
        self._lock = threading.Lock()
        self._used = 0
        self._is_full = False
        # Only what is written takes memory: the system hands out pages on first touch.
        self._source = np.empty(limit, np.int32)
        self._cost = np.empty(limit, dtype)
        self._start = np.zeros(n_target, np.int64)
        self._length = np.zeros(n_target, np.int32)

    def scratch(self, tile: tuple[int, int]) -> tuple[Numbers, Numbers]:
        """Return room for the pairs of one tile, for a worker to use again and again."""
        size = tile[0] * tile[1] + 1  # the kernel writes one place ahead
        return np.empty(size, np.int32), np.empty(size, self._cost.dtype)

    def gather(
        self,
        part: slice,
        limits: Numbers,
        tiles: Iterator[tuple[slice, Numbers]],
        scratch: tuple[Numbers, Numbers],
    ) -> bool:
        """Add the live pairs of some targets; False when the pool is full."""
        counts, sources, costs = [], [], []
        for columns, tile in tiles:
            count = np.empty(len(limits), np.int32)
            found = self._kernels.collect(tile, limits, columns.start, *scratch, count)
            counts.append(count)
            sources.append(scratch[0][:found].copy())
            costs.append(scratch[1][:found].copy())
            if self._is_full:
                return False
        total = sum(map(len, sources))
        with self._lock:
            begin, self._used = self._used, self._used + total
            self._is_full |= self._used > len(self._source)
        if self._is_full:
            return False
        self._length[part] = np.sum(counts, axis=0)
        lengths = self._length[part].astype(np.int64)
        self._start[part] = begin + np.cumsum(lengths) - lengths
        self._kernels.merge(
            np.array(counts),
            np.concatenate(sources),
            np.concatenate(costs),
            self._source[begin : begin + total],
            self._cost[begin : begin + total],
        )
        return True

    def pairs(self, n_source: int, workers: int, margins: Any) -> LivePairs | None:
        """Return what was gathered, or None when it did not fit."""
        if self._is_full:
            return None
        return LivePairs(
            self._kernels,
            n_source,
            workers,
            self._start,
            self._length,
            self._source,
            self._cost,
            margins,
        )
