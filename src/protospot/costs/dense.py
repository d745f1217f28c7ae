"""Costs that are stored: a matrix the user has, or one that was worth keeping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from protospot.costs.gather import Gatherer, Scratch
from protospot.costs.known import Known
from protospot.costs.look import Look
from protospot.costs.plan import Plan
from protospot.costs.tiled import TiledCost, summing
from protospot.costs.tiles import Column
from protospot.points import Points
from protospot.threads import Team, share_out, shares
from protospot.types import Floats, Ints, Numbers

_SAMPLE = 64, 256  # targets and sources
_CHUNK = 1 << 21  # costs that are looked at together
_ALL = slice(None)


class DenseCost(TiledCost):
    """A stored (n_source, n_target) matrix; its entries are the exact costs.

    With `top`, the matrix holds similarities, and the cost is `top` minus them. A matrix of costs
    whose rows can be read as they stand is never copied: each worker streams through rows of its
    own.
    """

    def __init__(
        self, matrix: Points, plan: Plan, look: Look | None = None, top: float | None = None
    ) -> None:
        super().__init__(matrix.shape, 1, plan, np.float64 if top is not None else matrix.dtype)
        self._matrix, self._look, self._top = matrix.raw, look, top
        self.splits_sources = matrix.is_ready and top is None

    def rows(self, sources: Ints, targets: Numbers | None = None) -> Floats:
        """Return the costs from these sources to every target, or to the given targets."""
        if targets is None:
            return self._as_costs(self._matrix[sources])
        return self._as_costs(self._matrix[sources[:, None], targets])

    def weighted_sums(self, weights: Floats) -> tuple[Floats, Floats | float]:
        """Return the cost of serving all targets from each source, along the stored rows."""
        if not self.splits_sources:
            return super().weighted_sums(weights)
        if self._look is not None and (weights == weights[0]).all():
            sums = self._look.sums * weights[0]
        else:
            sums, _ = super().weighted_sums(weights)
        return sums, summing(self.shape[1]) * float(np.abs(sums).max())

    def pair_costs(self, targets: slice, counts: Numbers, sources: Numbers) -> Floats:
        """Return the costs of listed pairs: the first counts_0 are the first target's, ..."""
        owner = np.repeat(np.arange(targets.start, targets.stop), counts)
        return self._as_costs(self._matrix[sources, owner])

    @property
    def _together(self) -> int:
        return max(1, _CHUNK // self.shape[1]) if self.splits_sources else super()._together

    @property
    def _sample_shape(self) -> tuple[int, int]:
        return _SAMPLE  # small: each number lies in a line of memory of its own

    def gain_parts(self, best: Floats, weights: Floats, edges: Ints) -> Floats:
        """Return all gains in parts: that of the targets between one edge and the next."""
        if not self.splits_sources:
            return super().gain_parts(best, weights, edges)
        look, self._look = self._look, None  # which is right once, if at all
        found = None if look is None else look.gains_beside(self._cast(best, _ALL), weights)
        if found is not None:
            return found
        parts = np.zeros((self.shape[0], len(edges) - 1))
        given = self._cast(best, _ALL), self._masses(weights, _ALL), edges

        def work(mine: slice, _: int) -> None:
            rows = np.arange(mine.start, mine.stop)
            self._kernels.gains(self._matrix, rows, *given, parts[mine])

        self._share_sources(work, self.shape[0])
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

        Returns how many pairs were looked at.
        """
        if not self.splits_sources:
            return super().contest(sources, best, weights, edges, bar, known)
        given = self._cast(best, _ALL), self._masses(weights, _ALL), edges
        turn = known.next_turn()
        spent: dict[int, int] = {}

        def work(worker: int, workers: int) -> None:
            mine = sources[shares(len(sources), workers)[worker]]
            spent[worker] = self._kernels.contest(
                self._matrix, mine, *given, bar, turn, known.slack, *known.state
            )

        self._spread(work, self.shape[1], len(sources))
        return sum(spent.values())

    def _gather(
        self, gatherer: Gatherer, edges: Ints, bar: Any, gains: Floats, sources: Ints | None
    ) -> None:
        if not self.splits_sources:
            super()._gather(gatherer, edges, bar, gains, sources)
            return
        every = np.arange(self.shape[0]) if sources is None else sources
        across = bar(slice(0, self.shape[1]), edges)
        size = min(self._together, len(every)) * self.shape[1]
        width = int(np.diff(edges).max())
        scratches: dict[int, Scratch] = {}

        def work(mine: slice, worker: int) -> None:
            if gatherer.room < 0:  # somebody found that there are too many
                return
            if worker not in scratches:
                scratches[worker] = Scratch(self._kernels, width, size, self.dtype)
            scratch = scratches[worker]
            scratch.clear()
            tile = iter([(mine, self._matrix, every[mine])])
            if scratch.collect(0, tile, across, gains, gatherer.room):
                gatherer.place(mine, slice(0, len(edges) - 1), scratch)
            else:
                gatherer.give_up()

        self._share_sources(work, len(every))

    def _share_sources(self, work: Any, n_source: int) -> None:
        """Call ``work(sources, worker)`` for so many sources, some at a time."""
        team = self._team if self._workers(self.shape[1], n_source) > 1 else Team(1)
        share_out(self._chunks(slice(0, n_source)), team, work)

    def _tiles(
        self,
        worker: int,
        workers: int,
        targets: slice | Ints = _ALL,
        sources: Ints | None = None,
    ) -> Iterator[tuple[slice, Column]]:
        if self.splits_sources and self._are_all(targets):
            every = np.arange(self.shape[0]) if sources is None else sources
            yield slice(0, self.shape[1]), self._stream(shares(len(every), workers)[worker], every)
        else:
            yield from super()._tiles(worker, workers, targets, sources)

    def _are_all(self, targets: slice | Ints) -> bool:
        n = self.shape[1]
        return isinstance(targets, slice) and targets.indices(n) == (0, n, 1)

    def _chunks(self, share: slice) -> list[slice]:
        step = self._together
        return [slice(a, min(a + step, share.stop)) for a in range(share.start, share.stop, step)]

    def _stream(self, share: slice, sources: Ints) -> Column:
        for part in self._chunks(share):
            yield part, self._matrix, sources[part]

    def _source_side(self, rows: slice | Ints) -> slice | Ints:
        return rows

    def _target_side(self, rows: slice | Ints) -> slice | Ints:
        return rows

    def _tile(self, source_side: Any, target_side: Any, out: Numbers) -> None:
        both_listed = not isinstance(source_side, slice) and not isinstance(target_side, slice)
        rows = source_side[:, None] if both_listed else source_side
        out[...] = self._matrix[rows, target_side]
        if self._top is not None:
            np.subtract(self._top, out, out=out)

    def _as_costs(self, values: Numbers) -> Floats:
        costs = values.astype(np.float64)
        return costs if self._top is None else np.subtract(self._top, costs, out=costs)
