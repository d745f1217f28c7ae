"""Costs that are stored: a matrix the user has, or one that was worth keeping."""

from __future__ import annotations

from typing import Any

import numpy as np

from protospot.costs.pairs import LivePairs
from protospot.costs.plan import Plan
from protospot.costs.tiled import TiledCost, summing
from protospot.kernels.forms import PRODUCT
from protospot.points import Points
from protospot.types import Floats, Ints, Numbers


class DenseCost(TiledCost):
    """A stored (n_source, n_target) matrix; its entries are the exact costs.

    With `top`, the matrix holds similarities, and the cost is `top` minus them.
    """

    def __init__(self, matrix: Points, plan: Plan, top: float | None = None) -> None:
        super().__init__(matrix.shape, 1, plan, np.float64 if top is not None else matrix.dtype)
        self._points, self._matrix = matrix, matrix.raw
        self._top = top

    def rows(self, sources: Ints, targets: Numbers | None = None) -> Floats:
        """Return the costs from these sources to every target, or to the given targets."""
        if targets is None:
            return self._as_costs(self._matrix[sources])
        return self._as_costs(self._matrix[sources[:, None], targets])

    def weighted_sums(self, weights: Floats) -> tuple[Floats, Floats | float]:
        """Return the cost of serving all targets from each source, along the stored rows."""
        sums = np.empty((1, self.shape[0]))
        p, q = np.ones(self.shape[0]), np.ones(1)
        step = self.plan.tile[1]

        def work(worker: int) -> None:
            for begin in range(worker * step, self.shape[0], self.plan.threads * step):
                rows = slice(begin, begin + step)
                block = self._points.block(rows)
                self._kernels.direct(PRODUCT, block, weights[None], p[rows], q, sums[:, rows])

        self._team.run(work)
        sums = sums[0] if self._top is None else self._top - sums[0]
        scale = float(np.abs(sums).max()) + abs(self._top or 0.0)
        return sums, summing(self.shape[1]) * scale

    def pair_costs(self, targets: slice, counts: Numbers, sources: Numbers) -> Floats:
        """Return the costs of listed pairs: the first counts_0 are the first target's, ..."""
        owner = np.repeat(np.arange(targets.start, targets.stop), counts)
        return self._as_costs(self._matrix[sources, owner])

    def sharpened(self, pairs: LivePairs, best: Floats) -> LivePairs:
        """Return the same pairs, which are exact already, listed by source too."""
        return pairs.packed(best)

    def _source_side(self, rows: slice | Ints) -> slice | Ints:
        return rows

    def _target_side(self, rows: slice | Ints) -> slice | Ints:
        return rows

    def _tile(self, target_side: Any, source_side: Any, out: Numbers) -> None:
        both_listed = not isinstance(source_side, slice) and not isinstance(target_side, slice)
        part = self._matrix[source_side[:, None] if both_listed else source_side, target_side]
        out[...] = part.T
        if self._top is not None:
            np.subtract(self._top, out, out=out)

    def _as_costs(self, values: Numbers) -> Floats:
        costs = values.astype(np.float64)
        return costs if self._top is None else np.subtract(self._top, costs, out=costs)
