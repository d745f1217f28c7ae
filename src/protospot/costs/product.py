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
from protospot.errors import InputError
from protospot.points import Points
from protospot.types import Floats, Ints, Numbers

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
        self._refuse_overflow()
        if self.dtype == np.float32 and not self._is_safe():
            self.dtype = np.dtype(np.float64)
            self._prepare()
        self.margins = self._all_margins()

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
        pull = np.zeros(self._width)
        for rows in self._target.blocks():
            pull += target.moved(rows).T @ weights[rows]
        sums = np.empty(self.shape[0])
        for rows in self._source.blocks():
            sums[rows] = source.moved(rows) @ pull
        sizes = source.norms + float(weights @ target.norms)
        shape = self._shape
        sums = shape.factor * sums + shape.squares * sizes + shape.constant
        return sums, summing(self._width + self.shape[1]) * (sizes + shape.constant)

    def _prepare(self) -> None:
        scales = self._scales if self._metric.is_unit else (None, None)
        self._sides = (
            Features(self._source, scales[0], self._shape, self.dtype, is_source=True),
            Features(self._target, scales[1], self._shape, self.dtype, is_source=False),
        )
        for side, name in zip(self._sides, ("source", "target"), strict=True):
            side.prepare(self._team, keep=name in self.plan.copies and not self._source.is_sparse)

    def _refuse_overflow(self) -> None:
        if not all(np.isfinite(side.norms).all() for side in self._sides):
            raise InputError(
                f"metric {self._metric.name!r} needs points whose squared length is finite in "
                "float64, but some overflow: divide the features by a constant first."
            )

    def _is_safe(self) -> bool:
        top = max(float(side.norms.max()) for side in self._sides)
        return top == 0 or _SAFE[0] < top < _SAFE[1]

    def _source_side(self, rows: slice | Ints) -> Any:
        return self._side(0, rows)

    def _target_side(self, rows: slice | Ints) -> Any:
        return self._side(1, rows)

    def _side(self, side: int, rows: slice | Ints) -> Any:
        features = self._sides[side]
        if self._source.is_sparse:
            return features.moved(rows), features.norms[rows]
        return features.rows(rows)

    def _tile(self, target_side: Any, source_side: Any, out: Numbers) -> None:
        if self._source.is_sparse:
            (target, q), (source, p) = target_side, source_side
            out[...] = self._shape.factor * (target @ source.T).toarray() + self._shape.constant
            out += self._shape.squares * (p + q[:, None])
        else:
            np.matmul(target_side, source_side.T, out=out)
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
        error = (abs(self._shape.factor) * min(terms, 8 * np.sqrt(terms)) + 10) * unit
        # |x| |y| <= (r |x|^2 + |y|^2 / r) / 2 for any r: balance the two sides.
        ratio = 1.0
        if not self._shape.squares and source.any() and target.any():
            ratio = float(np.sqrt(target.mean() / source.mean()))
        lost = terms * self.underflow  # products too small to hold
        margins = error * source * ratio + lost, error * target / ratio + lost
        return (np.sqrt(margins[0]), np.sqrt(margins[1])) if self._metric.is_root else margins
