"""Costs worked on tile by tile: "reduce, don't store".

A subclass says how to make a tile, and how to compute exact rows; everything else here is a
reduction over tiles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from protospot.costs import gather
from protospot.costs.codes import codes
from protospot.costs.gather import Bar, Gatherer, Piece, Scratch
from protospot.costs.pairs import LivePairs
from protospot.costs.plan import listing_price, pair_size, sample_shape
from protospot.costs.tiles import Tiles
from protospot.types import Floats, Ints, Numbers


class TiledCost(Tiles):
    """A cost whose matrix is made tile by tile."""

    # Whether listing live pairs may round their costs: where they are screened, and not negative.
    rounds = False
    _sampled: Numbers | None = None

    @property
    def rounding(self) -> float:
        """Relative rounding of a screened sum over all targets."""
        # Terms are rounded to the tile's precision, and summed in float64.
        return 4 * float(np.finfo(self.dtype).eps) + summing(self.shape[1])

    @property
    def pair_size(self) -> int:
        """Bytes per live pair while they are collected."""
        return pair_size(self.shape, self.dtype, rounds=self.rounds, twice=self.splits_sources)

    @property
    def _together(self) -> int:
        """How many sources a tile has at most."""
        return self.plan.tile[1]

    @property
    def _sample_shape(self) -> tuple[int, int]:
        return sample_shape(self.plan.tile)

    @property
    def listing_price(self) -> float:
        """What it costs to list a pair, in pairs looked at."""
        return listing_price(self._width)

    @property
    def underflow(self) -> float:
        """What the smallest numbers of the screening precision lose."""
        return float(np.finfo(self.dtype).smallest_subnormal)

    def rows(self, sources: Ints, targets: Numbers | None = None) -> Floats:
        """Return exact costs from these sources to every target, or to the given targets."""
        raise NotImplementedError

    def pair_costs(self, targets: slice, counts: Numbers, sources: Numbers) -> Floats:
        """Return exact costs of listed pairs: the first counts_0 are the first target's, ..."""
        owner = np.repeat(np.arange(targets.start, targets.stop), counts)
        out = np.empty(len(sources))
        order = np.argsort(sources, kind="stable")
        edges = np.flatnonzero(np.diff(sources[order])) + 1
        for mine in np.split(order, edges) if len(order) else []:
            out[mine] = self.rows(sources[mine[:1]].astype(np.int64), owner[mine])[0]
        return out

    def sharpened(self, pairs: LivePairs, best: Floats) -> LivePairs | None:
        """Return the same pairs with exact costs; None where that would cost too much."""
        return None

    def exact(self) -> TiledCost:
        """Return the same cost without screening."""
        return self

    def weighted_sums(self, weights: Floats) -> tuple[Floats, Floats | float]:
        """Return the cost of serving all targets from each source, and how far off it may be."""

        def add(tile: Numbers, rows: Ints, part: slice, out: Floats) -> None:
            self._kernels.sums(tile, rows, weights[part], out)

        sums = self._summed(add)
        rounding = summing(self.shape[1]) * float(np.abs(sums).max())
        return sums, self.margins[0] + float(weights @ self.margins[1]) + rounding

    def gains(self, best: Floats, weights: Floats, sources: Ints | None = None) -> Floats:
        """Return how much each source, or each of the given, would lower the sum of `best`."""

        def add(tile: Numbers, rows: Ints, part: slice, out: Floats) -> None:
            high, mass = self._cast(best, part), self._masses(weights, part)
            edges = np.array([0, part.stop - part.start])
            self._kernels.gains(tile, rows, high, mass, edges, out[:, None])

        return self._summed(add, sources=sources)

    def lower(
        self, gains: Floats, targets: Ints, before: Floats, after: Floats, weights: Floats
    ) -> None:
        """Bring gains up to date after the best of these targets fell from before to after."""
        mass = weights[targets]

        def add(tile: Numbers, rows: Ints, part: slice, out: Floats) -> None:
            high, low = self._cast(before, part), self._cast(after, part)
            self._kernels.lower(tile, rows, high, low, self._masses(mass, part), out)

        gains += self._summed(add, targets)

    def live_share(self, best: Floats) -> float:
        """Return roughly which share of the pairs costs less than its target's best."""
        targets, sources = (
            np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))
            for n, most in zip(self.shape[::-1], self._sample_shape, strict=True)
        )
        if self._sampled is None:
            self._sampled = np.empty((len(sources), len(targets)), self.dtype)
            self._tile(self._source_side(sources), self._target_side(targets), self._sampled)
        live = np.count_nonzero(self._sampled < self._limits(best, targets))
        return live / self._sampled.size

    def live(self, best: Floats, weights: Floats, limit: int) -> tuple[LivePairs, Floats] | None:
        """Return all pairs that cost less than their target's best, and all gains.

        None when there are more than limit.
        """
        limits = self._limits(best, slice(None))
        listed = codes(limits, is_rounded=self.rounds)
        gatherer = Gatherer(self._kernels, self._team, self.shape, listed, limit)
        totals: dict[int, Floats] = {}
        pieces: dict[int, Piece] = {}

        def work(worker: int, workers: int) -> None:
            width = self.shape[1] if self.splits_sources else self.plan.tile[0]
            # Pairs up to the limit, and all those of the tile that goes over it.
            size = min(limit + self._together * width, self.shape[0] * width)
            scratch = Scratch(width, size, self.dtype)
            total = totals[worker] = np.zeros(self.shape[0])

            for part, tiles in self._tiles(worker, workers):
                known = self._cast(best, part), self._masses(weights, part)
                piece = gatherer.piece(Bar(*known, limits[part]), tiles, scratch, total)
                if piece is None:
                    return
                if self.splits_sources:
                    pieces[worker] = piece
                elif not gatherer.place(part, [piece]):
                    return

        self._spread(work, self.shape[1])
        whole = [pieces[worker] for worker in sorted(pieces)]
        if whole:
            gatherer.place(slice(0, self.shape[1]), whole)
        margins = self.margins[1] + self.margins[0].max() + listed.error
        pairs = gatherer.pairs(margins, gather.index_of(whole) if whole else None)
        return None if pairs is None else (pairs, _sum(totals))

    def nearest(self) -> tuple[Floats, Ints]:
        """Return each target's exact cheapest cost and the lowest source that has it."""
        n_target = self.shape[1]
        found: dict[int, tuple[Floats, Floats, Ints]] = {}

        def work(worker: int, workers: int) -> None:
            best, second = np.full(n_target, np.inf), np.full(n_target, np.inf)
            owner = np.zeros(n_target, np.int64)
            found[worker] = best, second, owner
            for part, tiles in self._tiles(worker, workers):
                for sources, tile, rows in tiles:
                    mine = best[part], second[part], owner[part]
                    self._kernels.nearest(tile, rows, sources.start, *mine)

        self._spread(work, n_target)
        best, second, owner = found.pop(0)
        # Workers come in the order of their sources: of equal costs the earlier stays.
        for _, (other, other_second, whose) in sorted(found.items()):
            np.minimum(np.minimum(second, other_second), np.maximum(best, other), out=second)
            owner = np.where(other < best, whose, owner)
            np.minimum(best, other, out=best)
        # Where screening cannot tell the two cheapest apart, look at all sources exactly.
        doubt = second - best <= 2 * (self.margins[0].max() + self.margins[1])
        best = self.pair_costs(slice(0, n_target), np.ones(n_target, np.int32), owner)
        self._settle(np.flatnonzero(doubt), best, owner)
        return best, owner

    def _settle(self, targets: Ints, best: Floats, owner: Ints) -> None:
        best[targets] = np.inf
        step = self.plan.rows_at_once
        for first in range(0, self.shape[0] if len(targets) else 0, step):
            sources = np.arange(first, min(first + step, self.shape[0]))
            for source, costs in zip(sources, self.rows(sources, targets), strict=True):
                lower = targets[costs < best[targets]]
                owner[lower] = source
                best[targets] = np.minimum(best[targets], costs)

    def _summed(self, add: Any, targets: Ints | None = None, sources: Ints | None = None) -> Floats:
        """Return the sum of what `add(tile, its rows, part of the targets, out)` adds."""
        n_source, n_target = (
            n if rows is None else len(rows)
            for n, rows in zip(self.shape, (sources, targets), strict=True)
        )
        totals: dict[int, Floats] = {}

        def work(worker: int, workers: int) -> None:
            total = totals[worker] = np.zeros(n_source)
            for part, tiles in self._tiles(worker, workers, targets, sources):
                for places, tile, rows in tiles:
                    add(tile, rows, part, total[places])

        self._spread(work, n_target, n_source)
        return _sum(totals)

    def _cast(self, values: Floats, part: slice) -> Numbers:
        return values[part].astype(self.dtype)

    def _masses(self, weights: Floats, part: slice) -> Numbers:
        masses = weights[part]
        is_light = (masses > 0) & (masses < np.finfo(self.dtype).tiny)
        # Beside huge costs even a mass that float32 cannot hold may decide.
        return masses if is_light.any() else masses.astype(self.dtype)

    def _limits(self, best: Floats, part: slice | Ints) -> Numbers:
        limits = best[part] + self.margins[1][part] + self.margins[0].max()
        # Rounded up: a live pair must never look dead.
        raised: Numbers = np.nextafter(limits.astype(self.dtype), self.dtype.type(np.inf))
        return raised


def summing(n: int) -> float:
    """Return the relative rounding of a sum of n terms in float64."""
    return (64 + n) * float(np.finfo(np.float64).eps)


def _sum(totals: dict[int, Floats]) -> Floats:
    # In the order of the workers, so that a second run rounds alike.
    summed: Floats = np.sum([totals[worker] for worker in sorted(totals)], axis=0)
    return summed
