"""Costs between points by their definition, computed in float64 pair by pair.

Slower than `product.ProductCost`, and with nothing to doubt: what it gives is the exact cost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from protospot.costs.metrics import Definition
from protospot.costs.pairs import PairCosts
from protospot.costs.plan import Plan
from protospot.costs.tiled import TiledCost
from protospot.points import Points
from protospot.threads import shares
from protospot.types import Floats, Ints, Numbers

_WORTH_A_THREAD = 1 << 18  # multiplications below which a second thread costs more than it brings


class PointCost(TiledCost):
    """Costs between two tables of points, exact everywhere."""

    def __init__(self, source: Points, target: Points, metric: Definition, plan: Plan) -> None:
        super().__init__((len(source), len(target)), source.shape[1], plan, np.float64)
        self._source, self._target = source, target
        self._metric = metric
        self._scales = metric.scales(source, "source"), metric.scales(target, "target")

    def rows(self, sources: Ints, targets: Numbers | None = None) -> Floats:
        """Return exact costs from these sources to every target, or to the given targets."""
        if len(sources) == 1 and self._target.is_ready:
            every = np.arange(self.shape[1]) if targets is None else targets
            return self._row(int(sources[0]), every)
        n = self.shape[1] if targets is None else len(targets)
        out = np.empty((len(sources), n))
        side = PointCost._source_side(self, sources)
        step = self.plan.tile[0]
        work_size = len(sources) * n * self._width
        workers = self.plan.threads if work_size > _WORTH_A_THREAD else 1

        def work(worker: int) -> None:
            for begin in range(worker * step, n, workers * step):
                part = slice(begin, min(begin + step, n))
                which = part if targets is None else targets[part]
                costs = np.empty((len(sources), part.stop - part.start))
                PointCost._tile(self, side, PointCost._target_side(self, which), costs)
                out[:, part] = costs

        self._team.run(work, workers)
        return out

    def _row(self, source: int, targets: Numbers) -> Floats:
        """Return one row at some targets, without a copy of them: the pairs seen from afar."""
        p, q = self._scales
        row = self._source.block(slice(source, source + 1)), p[source : source + 1]
        out = np.empty((1, len(targets)))
        heavy = len(targets) * self._width > _WORTH_A_THREAD
        parts = shares(len(targets), self.plan.threads if heavy else 1)

        def work(worker: int) -> None:
            mine = targets[parts[worker]]
            count = np.array([len(mine)], np.int32)
            out[0, parts[worker]] = self._listed((self._target, q), row, count, mine)

        self._team.run(work, len(parts))
        return out

    def pair_costs(self, targets: slice, counts: Numbers, sources: Numbers) -> Floats:
        """Return exact costs of listed pairs: the first counts_0 are the first target's, ..."""
        if not self._source.is_ready:
            return super().pair_costs(targets, counts, sources)
        p, q = self._scales
        block = self._target.block(targets)
        return self._listed((self._source, p), (block, q[targets]), counts, sources)

    @property
    def listed_costs(self) -> PairCosts | None:
        """What gives exact costs of pairs listed by source; None where that would cost too much."""
        return self._costs_of if self._target.is_ready else None

    def _costs_of(self, sources: Ints, counts: Numbers, targets: Ints) -> Floats:
        """Return exact costs of listed pairs: the first counts_0 are the first source's, ..."""
        p, q = self._scales
        rows = self._source.block(sources)
        return self._listed((self._target, q), (rows, p[sources]), counts, targets)

    def _listed(self, among: Any, rows: Any, counts: Numbers, numbers: Numbers) -> Floats:
        """Return exact costs of rows of one side, counts_0 with the first of them, ..."""
        (points, p), (block, q) = among, rows
        out = np.empty(len(numbers))
        form = self._metric.form
        self._kernels.direct_pairs(form, points.raw, block, p, q, counts, numbers, out)
        return self._metric.finish(out)

    def _source_side(self, rows: slice | Ints) -> Any:
        return _block(self._source, rows), self._scales[0][rows]

    def _target_side(self, rows: slice | Ints) -> Any:
        return _block(self._target, rows), self._scales[1][rows]

    def _tile(self, source_side: Any, target_side: Any, out: Numbers) -> None:
        (source, p), (target, q) = source_side, target_side
        if isinstance(target, np.ndarray):
            self._kernels.direct(self._metric.form, source, target, p, q, out)
        else:
            x, y = ((m.indptr.astype(np.int64), m.indices, m.data) for m in (source, target))
            self._kernels.direct_sparse(self._metric.form, self._width, *x, *y, p, q, out)
        self._metric.finish(out)


def _block(points: Points, rows: slice | Ints) -> Any:
    return points.sparse_block(rows) if points.is_sparse else points.block(rows)
