"""Collecting live pairs tile by tile, several workers at once, within a limit.

Tiles give pairs source by source. All those of some targets make a piece; pieces are then brought
to the lists of their targets, which lie side by side in one pool.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from protospot.costs.codes import Codes, number_type
from protospot.costs.pairs import Index, Lists, LivePairs
from protospot.costs.tiles import Column
from protospot.threads import Team
from protospot.types import Floats, Numbers

_AHEAD = 8  # places that the kernel may write behind the last pair


@dataclass(frozen=True, slots=True)
class Piece:
    """Pairs of the sources from `first` on, the first counts_0 of them the first source's."""

    first: int
    counts: Numbers
    target: Numbers
    cost: Numbers


@dataclass(frozen=True, slots=True)
class Bar:
    """What some targets have, in the precision of a tile, and the limits that costs must beat."""

    best: Numbers
    weights: Numbers
    limits: Numbers


class Scratch:
    """A worker's room for a piece, used again and again."""

    def __init__(self, n_target: int, size: int, dtype: Any) -> None:
        # As large as may be needed: the system hands out pages on first touch.
        self.target = np.empty(size + _AHEAD, number_type(n_target))
        self.cost = np.empty(size + _AHEAD, dtype)
        self.used = 0


class Gatherer:
    """A pool of pairs that workers fill, piece by piece."""

    def __init__(
        self, kernels: ModuleType, team: Team, shape: tuple[int, int], codes: Codes, limit: int
    ) -> None:
        self._kernels, self._team = kernels, team
        self._n_source, n_target = shape
        self._codes, self._limit = codes, limit
        self._lock = threading.Lock()
        self._used = 0
        # Only what is written takes memory: the system hands out pages on first touch.
        self._source = np.empty(limit, number_type(self._n_source))
        self._cost = np.empty(limit, codes.dtype)
        self._start = np.zeros(n_target, np.int64)
        self._length = np.zeros(n_target, np.int32)

    def piece(self, bar: Bar, tiles: Column, scratch: Scratch, gains: Floats) -> Piece | None:
        """Collect the live pairs of some targets, and add what each source gains by them.

        None when there is no room for more.
        """
        scratch.used = 0
        counts = []
        first = None
        for sources, tile, rows in tiles:
            first = sources.start if first is None else first
            target, cost = scratch.target[scratch.used :], scratch.cost[scratch.used :]
            count = np.empty(len(rows), np.int32)
            given = tile, rows, bar.best, bar.weights, bar.limits
            scratch.used += self._kernels.collect(*given, target, cost, count, gains[sources])
            counts.append(count)
            if self._used + scratch.used > self._limit:
                self._used = self._limit + 1
                return None
        pairs = slice(0, scratch.used)
        every = np.concatenate(counts) if counts else np.empty(0, np.int32)
        return Piece(first or 0, every, scratch.target[pairs], scratch.cost[pairs])

    def place(self, part: slice, pieces: list[Piece]) -> bool:
        """Bring pieces, in the order of their sources, to the lists of these targets.

        False when they do not fit.
        """
        n = part.stop - part.start
        tallies = np.zeros((len(pieces), n), np.int64)
        for piece, tally in zip(pieces, tallies, strict=True):
            whole = np.zeros(1, np.int64), np.array([len(piece.target)])
            self._kernels.tally(*whole, piece.target, tally)
        length = tallies.sum(axis=0)
        total = int(length.sum())
        with self._lock:
            begin, self._used = self._used, self._used + total
        if begin + total > self._limit:
            return False
        self._length[part] = length
        start = self._start[part] = begin + np.cumsum(length) - length
        at = start + np.cumsum(tallies, axis=0) - tallies
        codes = self._codes

        def bring(number: int) -> None:
            piece = pieces[number]
            self._kernels.by_target(
                piece.first,
                piece.counts,
                piece.target,
                piece.cost,
                codes.inverse[part],
                codes.shift,
                at[number],
                self._source,
                self._cost,
            )

        if len(pieces) == 1:
            bring(0)  # by the worker that collected it
        else:
            self._team.run(bring, len(pieces))
        return True

    def pairs(self, margins: Floats, index: Index | None = None) -> LivePairs | None:
        """Return what was gathered, or None when it did not fit."""
        if self._used > self._limit:
            return None
        lists = Lists(
            self._start,
            self._length,
            self._source[: self._used],
            self._cost[: self._used],
            self._codes.scales,
            margins,
        )
        return LivePairs(self._kernels, self._team, self._n_source, lists, index)


def index_of(pieces: list[Piece]) -> Index:
    """Return pieces that hold all pairs of all targets as they are: a list by source."""
    counts = np.concatenate([piece.counts for piece in pieces])
    targets = np.concatenate([piece.target for piece in pieces])
    return Index(np.concatenate(([0], np.cumsum(counts, dtype=np.int64))), targets)
