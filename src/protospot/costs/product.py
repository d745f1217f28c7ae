"""Costs that are inner products at heart: squared Euclidean, Euclidean, cosine and dot.

Two extra features make a tile one matrix product (see `features`). Points are moved by the target's
mean first, because a product of coordinates far from the origin loses all that distinguishes them.
Screened costs come with a margin; exact ones are the parent's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from protospot.costs.features import EXTRA, Features, Shape
from protospot.costs.metrics import Definition
from protospot.costs.plan import Plan
from protospot.costs.points import PointCost
from protospot.costs.tiled import summing
from protospot.costs.zeros import NumbersAlone, numbers_alone
from protospot.errors import InputError
from protospot.points import Points
from protospot.types import Floats, Ints, Numbers

_NEARLY_ALL = 0.97  # of the columns: leaving out the others would not pay
_SAFE = 1e-15, 1e15  # squared lengths that float32 squares and sums without harm


class ProductCost(PointCost):
    """Costs between points, screened by matrix products."""

    def __init__(self, source: Points, target: Points, metric: Definition, plan: Plan) -> None:
        super().__init__(source, target, metric, plan)
        is_distance = metric.name in ("sqeuclidean", "euclidean")
        moves = is_distance and not source.is_sparse
        self._shape = Shape(
            factor=-2.0 if is_distance else -1.0,
            squares=1.0 if is_distance else 0.0,
            constant=1.0 if metric.name == "cosine" else 0.0,
            shift=target.mean() if moves else np.zeros(source.shape[1]),
        )
        # A root magnifies what float32 loses near zero; sparse products are made in float64.
        self.dtype = np.dtype(np.float64)
        if source.dtype == np.float32 and not (source.is_sparse or metric.is_root):
            self.dtype = np.dtype(np.float32)
        self._prepare()
        if self.dtype == np.float32 and not self._is_safe():
            self.dtype = np.dtype(np.float64)
            self._prepare()
        self.margins = self._all_margins()
        self.rounds = self.dtype == np.float32 and metric.name != "dot"

    def exact(self) -> PointCost:
        """Return the same cost without screening."""
        return PointCost(self._source, self._target, self._metric, self.plan)

    def weighted_sums(self, weights: Floats) -> tuple[Floats, Floats | float]:
        """Return the cost of serving all targets from each source, in closed form where there is.

        sum_j w_j |x - y_j|^2 expands into three terms, none of them pairwise.
        """
        if self._metric.is_root:
            return super().weighted_sums(weights)
        source, target = self._sides
        sums = source.pulled(target.pull(weights, self._team), self._team)
        sizes = source.norms + float(weights @ target.norms)
        shape = self._shape
        sums = shape.factor * sums + shape.squares * sizes + shape.constant
        return sums, summing(self._width + self.shape[1]) * (sizes + shape.constant)

    def _prepare(self) -> None:
        source, target = self._scales
        self._sides = (
            Features(self._source, source, self._shape, self.dtype, is_source=True),
            Features(self._target, target, self._shape, self.dtype, is_source=False),
        )
        reach = [side.measure(self._team) for side in self._sides]
        self._refuse_overflow()
        # A column of nothing but zeros on one side adds nothing to a product: after the move that
        # is one that is the same in all targets, such as the rim of a picture.
        columns = np.flatnonzero((reach[0] > 0) & (reach[1] > 0))
        if len(columns) > _NEARLY_ALL * self._width:
            columns = np.arange(self._width)
        self._alone: NumbersAlone | None = None
        if self._source.is_sparse:
            return
        if "source" in self.plan.copies:
            known = self._sides, self._shape, self.dtype, self._team
            self._alone = numbers_alone(self._source, source, *known)
        if self._alone is not None:
            self._sides[1].prepare(np.arange(self._width), self._team, keep=False)
            return
        for side, name in zip(self._sides, ("source", "target"), strict=True):
            side.prepare(columns, self._team, keep=name in self.plan.copies)

    def _refuse_overflow(self) -> None:
        if not all(np.isfinite(side.norms).all() for side in self._sides):
            raise InputError(
                f"metric {self._metric.name!r} needs points whose squared length is finite in "
                "float64, but some overflow: divide the features by a constant first."
            )

    def _is_safe(self) -> bool:
        top = max(float(side.norms.max()) for side in self._sides)
        return top == 0 or _SAFE[0] < top < _SAFE[1]

    @property
    def _together(self) -> int:
        # Where zeros are skipped, the targets of a tile take half of the cache, too.
        return self.plan.tile[1] if self._alone is None else max(1, self.plan.tile[1] // 2)

    def _source_side(self, rows: slice | Ints) -> Any:
        if self._alone is not None:
            return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        return self._side(0, rows)

    def _target_side(self, rows: slice | Ints) -> Any:
        return self._side(1, rows) if self._alone is None else self._alone.target_side(rows)

    def _side(self, side: int, rows: slice | Ints) -> Any:
        features = self._sides[side]
        if self._source.is_sparse:
            return features.sparse_rows(rows), features.norms[rows]
        return features.rows(rows)

    def _tile(self, source_side: Any, target_side: Any, out: Numbers) -> None:
        if self._source.is_sparse:
            (source, p), (target, q) = source_side, target_side
            out[...] = self._shape.factor * (source @ target.T).toarray() + self._shape.constant
            out += self._shape.squares * (q + p[:, None])
        elif self._alone is not None:
            self._alone.tile(source_side, target_side, out)
        else:
            np.matmul(source_side, target_side.T, out=out)
        if self._metric.is_root:
            np.sqrt(np.maximum(out, 0, out=out), out=out)

    def _all_margins(self) -> tuple[Floats, Floats]:
        """Bound the error of a screened cost by a sum of a source's and a target's share.

        A dot product of w terms in floating point is off by at most w u times the sum of the
        terms' sizes, and by 8 sqrt(w) u with a probability of failure below 1e-13 (Higham and Mary
        2019); 10 u covers the rounding of coordinates, norms, weights and bests.
        """
        source, target = (side.norms for side in self._sides)
        unit = float(np.finfo(self.dtype).eps) / 2
        terms = self._width + EXTRA
        if self._alone is not None:
            source, target = self._alone.norms, target + self._alone.lost
            terms = self._alone.terms + EXTRA
        error = (abs(self._shape.factor) * min(terms, 8 * np.sqrt(terms)) + 10) * unit
        # |x| |y| <= (r |x|^2 + |y|^2 / r) / 2 for any r: balance the two sides.
        ratio = 1.0
        if not self._shape.squares and source.any() and target.any():
            ratio = float(np.sqrt(target.mean() / source.mean()))
        lost = terms * self.underflow  # products too small to hold
        margins = error * source * ratio + lost, error * target / ratio + lost
        return (np.sqrt(margins[0]), np.sqrt(margins[1])) if self._metric.is_root else margins
