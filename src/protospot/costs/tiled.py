"""Costs worked on tile by tile: "reduce, don't store".

A subclass says how to make a tile, and how to compute exact rows; everything else here is a
reduction over tiles.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from protospot.costs.codes import codes, part_edges
from protospot.costs.gather import Bar, Gatherer, Scratch
from protospot.costs.known import Known, even_edges
from protospot.costs.pairs import LivePairs, PairCosts
from protospot.costs.plan import exact_price, listing_price, pair_size, sample_shape
from protospot.costs.tiles import Tiles
from protospot.types import Floats, Ints, Numbers

_ALL = slice(None)


class TiledCost(Tiles):
    """A cost whose matrix is made tile by tile."""

    # Whether listing live pairs may round their costs: where they are screened, and not negative.
    rounds = False
    _sampled: tuple[Ints, Numbers] | None = None  # targets, and some of their costs

    @property
    def rounding(self) -> float:
        """Relative rounding of a screened sum over all targets."""
        # Terms are rounded to the tile's precision, and summed in float64.
        return 4 * float(np.finfo(self.dtype).eps) + summing(self.shape[1])

    @property
    def pair_size(self) -> int:
        """Bytes per live pair while they are collected."""
        return pair_size(self.shape, self.dtype, self.plan.threads, rounds=self.rounds)

    @property
    def _sample_shape(self) -> tuple[int, int]:
        return sample_shape(self.plan.tile)

    @property
    def listing_price(self) -> float:
        """What it costs to list a pair, in pairs looked at."""
        return listing_price(self._width)

    @property
    def exact_price(self) -> float:
        """What the exact cost of a listed pair costs, in pairs looked at."""
        return exact_price(self._width)

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

    @property
    def listed_costs(self) -> PairCosts | None:
        """What gives exact costs of pairs listed by source; None where that would cost too much."""
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

    def gains(
        self, best: Floats, weights: Floats, sources: Ints | None = None, within: slice = _ALL
    ) -> Floats:
        """Return how much each source, or each of the given, would lower the sum of `best`.

        Or as much of it as comes from the targets within a slice.
        """
        begin, end, _ = within.indices(self.shape[1])
        best, weights = best[begin:end], weights[begin:end]

        def add(tile: Numbers, rows: Ints, part: slice, out: Floats) -> None:
            high, mass = self._cast(best, part), self._masses(weights, part)
            edges = np.array([0, part.stop - part.start])
            self._kernels.gains(tile, rows, high, mass, edges, out[:, None])

        return self._summed(add, slice(begin, end), sources)

    def gain_parts(self, best: Floats, weights: Floats, edges: Ints) -> Floats:
        """Return all gains in parts: that of the targets between one edge and the next."""
        parts = np.empty((self.shape[0], len(edges) - 1))
        for b in range(len(edges) - 1):
            parts[:, b] = self.gains(best, weights, within=slice(edges[b], edges[b + 1]))
        return parts

    def contest(
        self,
        sources: Ints,
        best: Floats,
        weights: Floats,
        edges: Ints,
        bar: float,
        known: Known,
    ) -> int:
        """Bring gains of sources up to date, each until it falls below the bar for certain.

        Returns how many pairs were looked at. All sources go through the parts together.
        """
        n_parts, spent = len(edges) - 1, 0
        first, left = known.next_turn(), sources
        for part in ((first + step) % n_parts for step in range(n_parts)):
            within = slice(edges[part], edges[part + 1])
            fresh = self.gains(best, weights, left, within)
            known.values[left] += fresh - known.parts[left, part]
            known.parts[left, part] = fresh
            spent += len(left) * int(within.stop - within.start)
            left = left[known.values[left] + known.doubts[left] + known.slack >= bar]
            if len(left) == 0:
                return spent
        known.values[left] = known.parts[left].sum(axis=1)
        known.is_stale[left] = False
        return spent

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
        if self._sampled is None:
            targets, sources = (
                even_edges(n - 1, min(n, most) - 1) if n > 1 else np.zeros(1, np.int64)
                for n, most in zip(self.shape[::-1], self._sample_shape, strict=True)
            )
            tile = np.empty((len(sources), len(targets)), self.dtype)
            self._tile(self._source_side(sources), self._target_side(targets), tile)
            self._sampled = targets, tile
        targets, tile = self._sampled
        return float(np.count_nonzero(tile < self._limits(best, targets)) / tile.size)

    def live(
        self, best: Floats, weights: Floats, limit: int, sources: Ints | None = None
    ) -> tuple[LivePairs, Floats] | None:
        """Return all pairs that cost less than their target's best, and all gains in parts.

        None when there are more than limit. Of the given sources only, if any: then lists and gains
        are numbered by their places.
        """
        n_source = self.shape[0] if sources is None else len(sources)
        limits = self._limits(best, slice(None))
        listed = codes(limits, is_rounded=self.rounds)
        workers = self._workers(self.shape[1], n_source)
        edges = part_edges(self.shape[1], workers, streams=self.splits_sources)
        gatherer = Gatherer(self._kernels, n_source, edges, listed, limit)
        parts = np.zeros((n_source, len(edges) - 1))

        def bar(part: slice, edges: Ints) -> Bar:
            return Bar(self._cast(best, part), self._masses(weights, part), limits[part], edges)

        self._gather(gatherer, edges, bar, parts, sources)
        margins = self.margins[1] + self.margins[0].max() + listed.error
        # In the order that kernels.forms says.
        lists = gatherer.lists(np.stack([best, listed.scales, margins, weights]))
        return None if lists is None else (LivePairs(self._kernels, self._team, lists), parts)

    def _gather(
        self, gatherer: Gatherer, edges: Ints, bar: Any, gains: Floats, sources: Ints | None
    ) -> None:
        """Bring the live pairs of all tiles to the gatherer; workers take parts in turn."""
        turns, n_source = count(), len(gains)

        def work(worker: int, _: int) -> None:
            width = int(np.diff(edges).max())
            # Pairs up to the limit, and all those of the tile that goes over it.
            tile = self.plan.tile[0] * self.plan.tile[1]
            size = min(gatherer.room + tile, n_source * width)
            scratch = Scratch(self._kernels, width, size, self.dtype)
            while (b := next(turns)) < len(edges) - 1:
                scratch.clear()
                begin = int(edges[b])
                targets = slice(begin, int(edges[b + 1]))
                for part, tiles in self._tiles(worker, 1, targets, sources):
                    whole = slice(begin + part.start, begin + part.stop)
                    mine = bar(whole, np.array([0, part.stop - part.start]))
                    if not scratch.collect(
                        part.start, tiles, mine, gains[:, b : b + 1], gatherer.room
                    ):
                        gatherer.give_up()
                        return
                if not gatherer.place(slice(0, n_source), slice(b, b + 1), scratch):
                    return

        self._spread(work, self.shape[1], n_source)

    def may_serve(self, sources: Ints) -> list[Ints]:
        """Return, source by source, the targets that may cost it less than all those before it."""
        found: list[list[Ints]] = [[] for _ in sources]
        slack = 2 * (self.margins[0].max() + self.margins[1])

        def work(worker: int, workers: int) -> None:
            for part, tiles in self._tiles(worker, workers, sources=sources):
                least = np.full(part.stop - part.start, np.inf)
                for places, tile, rows in tiles:
                    for place, row in zip(range(places.start, places.stop), rows, strict=True):
                        reached = np.flatnonzero(tile[row] < least + slack[part])
                        found[place].append(part.start + reached)
                        np.minimum(least, tile[row], out=least)

        self._share_targets(work, len(sources))
        return [np.sort(np.concatenate(parts)) for parts in found]

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

    def _summed(
        self, add: Any, targets: slice | Ints = _ALL, sources: Ints | None = None
    ) -> Floats:
        """Return the sum of what `add(tile, its rows, part of the targets, out)` adds."""
        n_source = self.shape[0] if sources is None else len(sources)
        n_target = self._number(targets)
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
