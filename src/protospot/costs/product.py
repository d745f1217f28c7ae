"""Costs that are inner products at heart: squared Euclidean, Euclidean, cosine and dot.

Two extra features make a tile one matrix product: with x' = (-2x, |x|^2, 1) and y' = (y, 1, |y|^2),
x' . y' = |x - y|^2. Points are moved by the target's mean first, because a product of coordinates
far from the origin loses all that distinguishes them. Screened costs come with a margin; exact ones
are the parent's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from protospot.costs.metrics import Definition
from protospot.costs.plan import Plan
from protospot.costs.points import PointCost
from protospot.errors import InputError
from protospot.points import Points
from protospot.types import Floats, Ints, Numbers

EXTRA = 2  # features added to those of a point
_PREPARE_BYTES = 1 << 19  # of float64 rows that are prepared together
_SAFE = 1e-15, 1e15  # squared lengths that float32 squares and sums without harm


class ProductCost(PointCost):
    """Costs between points, screened by matrix products."""

    def __init__(self, source: Points, target: Points, metric: Definition, plan: Plan) -> None:
        super().__init__(source, target, metric, plan)
        is_distance = metric.name in ("sqeuclidean", "euclidean")
        moves = is_distance and not source.is_sparse
        self._shift = target.mean() if moves else np.zeros(source.shape[1])
        # cost = factor x . y + what the extra features bring
        self._factor = -2.0 if is_distance else -1.0
        self._squares = 1.0 if is_distance else 0.0  # how often |x|^2 and |y|^2 come in
        self._constant = 1.0 if metric.name == "cosine" else 0.0
        self._norms = self._squared_norms(0), self._squared_norms(1)
        self.dtype = self._screening_dtype()
        self.margins = self._all_margins()
        self._features: dict[int, Numbers] = {}
        for side, name in enumerate(("source", "target")):
            if name in plan.copies and not source.is_sparse:
                self._features[side] = self._prepared(side)

    def exact(self) -> PointCost:
        """Return the same cost without screening."""
        return PointCost(self._source, self._target, self._metric, self.plan)

    def weighted_sums(self, weights: Floats) -> tuple[Floats, Floats | float]:
        """Return the cost of serving all targets from each source, in closed form where there is.

        sum_j w_j |x - y_j|^2 expands into three terms, none of them pairwise.
        """
        if self._metric.is_root:
            return super().weighted_sums(weights)
        pull = np.zeros(self._width)
        for rows in self._target.blocks():
            pull += self._moved(1, rows).T @ weights[rows]
        sums = np.empty(self.shape[0])
        for rows in self._source.blocks():
            sums[rows] = self._moved(0, rows) @ pull
        spread = float(weights @ self._norms[1])
        sizes = self._norms[0] + spread
        sums = self._factor * sums + self._squares * sizes + self._constant
        terms = 64 + 8 * np.sqrt(self._width + self.shape[1])
        return sums, terms * float(np.finfo(np.float64).eps) * (sizes + self._constant)

    def _source_side(self, rows: slice | Ints) -> Any:
        return self._side(0, rows)

    def _target_side(self, rows: slice | Ints) -> Any:
        return self._side(1, rows)

    def _side(self, side: int, rows: slice | Ints) -> Any:
        if self._source.is_sparse:
            return self._moved(side, rows), self._norms[side][rows]
        return self._features[side][rows] if side in self._features else self._made(side, rows)

    def _tile(self, target_side: Any, source_side: Any, out: Numbers) -> None:
        if self._source.is_sparse:
            (target, q), (source, p) = target_side, source_side
            out[...] = self._factor * (target @ source.T).toarray() + self._constant
            out += self._squares * (p + q[:, None])
        else:
            np.matmul(target_side, source_side.T, out=out)
        if self._metric.is_root:
            np.sqrt(np.maximum(out, 0, out=out), out=out)

    def _moved(self, side: int, rows: slice | Ints) -> Any:
        """Return these rows in float64, moved or scaled as the metric wants them."""
        points, scales = (self._source, self._target)[side], self._scales[side][rows]
        if points.is_sparse:
            return points.sparse_block(rows).multiply(scales[:, None]).tocsr()
        block = points.block(rows).astype(np.float64)  # a copy: it is changed in place
        block *= scales[:, None]
        block -= self._shift
        return block

    def _made(self, side: int, rows: slice | Ints) -> Numbers:
        """Return these rows with their extra features, in the screening dtype."""
        block = self._moved(side, rows)
        out = np.empty((len(block), self._width + EXTRA), self.dtype)
        out[:, : self._width] = block if side else self._factor * block
        out[:, self._width + side] = self._squares * self._norms[side][rows] + (
            0 if side else self._constant
        )
        out[:, self._width + 1 - side] = 1
        return out

    def _prepared(self, side: int) -> Numbers:
        points = (self._source, self._target)[side]
        out = np.empty((len(points), self._width + EXTRA), self.dtype)
        self._each_block(points, lambda rows: out.__setitem__(rows, self._made(side, rows)))
        return out

    def _squared_norms(self, side: int) -> Floats:
        points = (self._source, self._target)[side]
        norms = np.empty(len(points))

        def measure(rows: slice) -> None:
            block = self._moved(side, rows)
            square = block.power(2).sum(axis=1) if points.is_sparse else (block * block).sum(axis=1)
            norms[rows] = square

        self._each_block(points, measure)
        return norms

    def _each_block(self, points: Points, act: Callable[[slice], None]) -> None:
        blocks = points.blocks(_PREPARE_BYTES)
        workers = min(self.plan.threads, len(blocks))

        def work(worker: int) -> None:
            for rows in blocks[worker::workers]:
                act(rows)

        self._team.run(work, workers)

    def _screening_dtype(self) -> np.dtype[Any]:
        top = max(float(self._norms[0].max()), float(self._norms[1].max()))
        if not np.isfinite(top):
            raise InputError(
                f"metric {self._metric.name!r} needs points whose squared length is finite in "
                "float64, but some overflow: divide the features by a constant first."
            )
        is_safe = top == 0 or _SAFE[0] < top < _SAFE[1]
        # A root magnifies what float32 loses near zero.
        if self._source.is_sparse or self._metric.is_root or not is_safe:
            return np.dtype(np.float64)
        return self._source.dtype

    def _all_margins(self) -> tuple[Floats, Floats]:
        """Bound the error of a screened cost by a sum of a source's and a target's share.

        A dot product of w terms in floating point is off by at most w u times the sum of the
        terms' sizes, and by 8 sqrt(w) u with a probability of failure below 1e-13 (Higham and Mary
        2019); 10 u covers the rounding of coordinates, norms, weights and bests.
        """
        unit = float(np.finfo(self.dtype).eps) / 2
        terms = self._width + EXTRA
        error = (abs(self._factor) * min(terms, 8 * np.sqrt(terms)) + 10) * unit
        source, target = self._norms
        # |x| |y| <= (r |x|^2 + |y|^2 / r) / 2 for any r: balance the two sides.
        ratio = 1.0
        if not self._squares and source.any() and target.any():
            ratio = float(np.sqrt(target.mean() / source.mean()))
        lost = terms * self.underflow  # products too small to hold
        margins = error * source * ratio + lost, error * target / ratio + lost
        return (np.sqrt(margins[0]), np.sqrt(margins[1])) if self._metric.is_root else margins
