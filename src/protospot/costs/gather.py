"""Collecting live pairs tile by tile, several workers at once, within a limit.

A tile gives a run of pairs, source by source. Runs that belong to one part of the targets are
merged on their way to the pool, so that a source's pairs with that part lie side by side.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from protospot.costs.codes import Codes, number_type
from protospot.costs.pairs import Lists, begins
from protospot.costs.tiles import Column
from protospot.types import Floats, Ints, Numbers

_AHEAD = 16  # places that the kernel may write behind the last pair


@dataclass(frozen=True, slots=True)
class Bar:
    """What some targets have, in the precision of a tile, and the limits that costs must beat."""

    best: Numbers
    weights: Numbers
    limits: Numbers
    edges: Ints  # of the parts that they fall into

    def across(self) -> tuple[Numbers, Numbers, Numbers, Ints]:
        """Return all of it, in the order in which kernels take it."""
        return self.best, self.weights, self.limits, self.edges


class Scratch:
    """A worker's room for runs of pairs, used again and again."""

    def __init__(self, kernels: ModuleType, width: int, size: int, dtype: Any) -> None:
        # As large as may be needed: the system hands out pages on first touch.
        self.target = np.empty(size + _AHEAD, number_type(width))
        self.cost = np.empty(size + _AHEAD, dtype)
        self._kernels = kernels
        self.clear()

    def clear(self) -> None:
        """Forget all runs."""
        self.used = 0
        self.starts: list[int] = []
        self.bases: list[int] = []
        self.counts: list[Numbers] = []

    def collect(self, base: int, tiles: Column, bar: Bar, gains: Floats, most: int) -> bool:
        """Add a run: the live pairs of some targets, the first of which is number `base`.

        Adds up what each source gains by them, part by part. False when there are more than most.
        """
        self.starts.append(self.used)
        self.bases.append(base)
        counts = []
        for sources, tile, rows in tiles:
            room = self.target[self.used :], self.cost[self.used :]
            count = np.empty((len(rows), len(bar.edges) - 1), np.int32)
            out = gains[sources]
            self.used += self._kernels.collect(tile, rows, *bar.across(), *room, count, out)
            counts.append(count.reshape(-1))
            if self.used > most:
                return False
        self.counts.append(np.concatenate(counts))
        return True


class Gatherer:
    """A pool of pairs that workers fill, run by run."""

    def __init__(
        self, kernels: ModuleType, n_source: int, edges: Ints, codes: Codes, limit: int
    ) -> None:
        self._kernels, self._codes = kernels, codes
        self._edges, self._limit = edges, limit
        self._lock = threading.Lock()
        self._used = 0
        self._begin = np.zeros((n_source, len(edges) - 1), np.int64)
        self._length = np.zeros((n_source, len(edges) - 1), np.int32)
        # Only what is written takes memory: the system hands out pages on first touch.
        self._target = np.empty(limit, number_type(int(np.diff(edges).max())))
        self._cost = np.empty(limit, codes.dtype)

    @property
    def room(self) -> int:
        """How many more pairs fit."""
        return self._limit - self._used

    def place(self, sources: slice, parts: slice, scratch: Scratch) -> bool:
        """Bring the runs of some sources and parts to the lists; False when they do not fit."""
        counts = np.stack(scratch.counts)
        length = counts.sum(axis=0, dtype=np.int32)
        with self._lock:
            first, self._used = self._used, self._used + scratch.used
        if first + scratch.used > self._limit:
            return False
        place = slice(first, first + scratch.used)
        shape = sources.stop - sources.start, parts.stop - parts.start
        self._kernels.merge(
            np.array(scratch.starts),
            np.array(scratch.bases),
            counts,
            scratch.target,
            scratch.cost,
            self._codes.inverse[self._edges[parts.start] :],
            self._codes.shift,
            self._target[place],
            self._cost[place],
        )
        self._begin[sources, parts] = first + begins(length).reshape(shape)
        self._length[sources, parts] = length.reshape(shape)
        return True

    def lists(self, table: Floats) -> Lists | None:
        """Return what was gathered, or None when it did not fit."""
        if self._used > self._limit:
            return None
        pool = self._target[: self._used], self._cost[: self._used]
        return Lists(table, self._edges, self._begin, self._length, *pool)

    def give_up(self) -> None:
        """Say that there are more pairs than the limit."""
        self._used = self._limit + 1
