"""Points prepared for matrix products: moved, scaled, and with two extra features.

With x' = (f x, s |x|^2 + c, 1) and y' = (y, 1, s |y|^2) the product x' . y' is the cost
f x.y + c + s (|x|^2 + |y|^2): for f = -2, s = 1, c = 0 the squared distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from protospot.kernels.choose import kernels
from protospot.points import Points
from protospot.threads import Team, share_out
from protospot.types import Floats, Ints, Numbers

EXTRA = 2  # features added to those of a point


@dataclass(frozen=True, slots=True)
class Shape:
    """What a product of features is to become."""

    factor: float  # of x . y
    squares: float  # of |x|^2 and |y|^2
    constant: float
    shift: Floats  # taken off every point first


class Features:
    """One table's points, as factors of a matrix product.

    Features of a dense table are made block by block when they are asked for, or once and kept.
    """

    def __init__(
        self, points: Points, scales: Floats, shape: Shape, dtype: Any, *, is_source: bool
    ) -> None:
        self._points, self._scales, self._shape = points, scales, shape
        self._is_source = is_source
        self._dtype = np.dtype(dtype)
        self._kernels = kernels()
        self._columns = np.arange(points.shape[1])
        self._kept: Numbers | None = None
        self.norms = np.empty(len(points))  # squared lengths, in float64

    def measure(self, team: Team) -> Floats:
        """Measure all points; return the largest size of a number in each column."""
        reach = np.zeros((team.size, self._points.shape[1]))

        def work(rows: slice, worker: int) -> None:
            with np.errstate(over="ignore", invalid="ignore"):  # the caller looks at the norms
                if self._points.is_sparse:
                    self.norms[rows] = self.sparse_rows(rows).power(2).sum(axis=1)
                    return
                block, scales = self._points.block(rows), self._scales[rows]
                known = self._shape.shift, scales
                self._kernels.squared_lengths(block, *known, self.norms[rows], reach[worker])

        share_out(self._points.strips(), team, work)
        top: Floats = reach.max(axis=0)
        return top

    def prepare(self, columns: Ints, team: Team, *, keep: bool) -> None:
        """Say which columns count in a product, and keep the features if asked to."""
        self._columns = columns
        if keep:
            kept = self._kept = np.empty((len(self._points), len(columns) + EXTRA), self._dtype)
            share_out(self._points.strips(), team, lambda rows, _: self._write(rows, kept[rows]))

    def rows(self, rows: slice | Ints) -> Numbers:
        """Return the features of these points of a dense table."""
        if self._kept is not None:
            return self._kept[rows]
        n = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        out = np.empty((n, len(self._columns) + EXTRA), self._dtype)
        self._write(rows, out)
        return out

    def sparse_rows(self, rows: slice | Ints) -> Any:
        """Return these points of a sparse table, scaled, in float64."""
        return self._points.sparse_block(rows).multiply(self._scales[rows, None]).tocsr()

    def pull(self, weights: Floats, team: Team) -> Floats:
        """Return the weighted sum of the points, moved and scaled."""
        totals = np.zeros((team.size, self._points.shape[1]))
        masses = weights * self._scales

        def work(rows: slice, worker: int) -> None:
            if self._points.is_sparse:
                totals[worker] += self._points.sparse_block(rows).T @ masses[rows]
            else:
                block = self._points.block(rows)
                self._kernels.pull(block, self._shape.shift, masses[rows], totals[worker])

        share_out(self._points.strips(), team, work, in_turn=True)
        total: Floats = totals.sum(axis=0)
        return total

    def pulled(self, by: Floats, team: Team) -> Floats:
        """Return the inner product of each point, moved and scaled, with a vector."""
        products = np.empty(len(self._points))

        def work(rows: slice, _: int) -> None:
            if self._points.is_sparse:
                products[rows] = self.sparse_rows(rows) @ by
            else:
                block, scales = self._points.block(rows), self._scales[rows]
                self._kernels.pulled(block, self._shape.shift, scales, by, products[rows])

        share_out(self._points.strips(), team, work)
        return products

    def _write(self, rows: slice | Ints, out: Numbers) -> None:
        width, shape = len(self._columns), self._shape
        factor = shape.factor if self._is_source else 1.0
        block, scales = self._points.block(rows), self._scales[rows]
        self._kernels.factors(block, self._columns, shape.shift, scales, factor, out)
        squares = shape.squares * self.norms[rows]
        if self._is_source:
            out[:, width] = squares + shape.constant
            out[:, width + 1] = 1
        else:
            out[:, width] = 1
            out[:, width + 1] = squares
