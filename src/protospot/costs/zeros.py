"""Matrix products that skip zeros: pictures, counts and rectified features are mostly zeros.

BLAS multiplies them all. A dense table that is mostly zeros is kept here as the numbers it has, row
by row; costs then take as many multiplications as there are numbers. Points must not be moved for
that, or zeros were none: with x' = x - m the product x' . y' is x . y' - m . y', and the last term
depends on the target alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from protospot.costs.features import Features, Shape
from protospot.kernels.choose import kernels
from protospot.points import Points
from protospot.threads import Team, share_out
from protospot.types import Floats, Ints, Numbers

_FEW = 0.25  # share of numbers up to which skipping zeros is quicker than BLAS
_NARROW = 16  # columns: below that a cost is not the work of its product
_FAR = 4.0  # times the mean squared length after the move, beyond which too much would be lost


class NumbersAlone:
    """The sources as the numbers they have, and the targets as columns to multiply them with."""

    def __init__(self, source: Features, target: Features, shape: Shape, raw: Floats) -> None:
        self.norms = np.maximum(source.norms, raw)  # which the error of a product depends on
        self.terms = 0
        self._source, self._target, self._shape = source, target, shape

    def prepare(self, points: Points, scales: Floats, counts: Ints, dtype: Any, team: Team) -> None:
        """Gather the numbers of the sources."""
        shape = self._shape
        begins = self._begins = np.concatenate(([0], np.cumsum(counts)))
        self._columns = np.empty(begins[-1], np.int32)
        self._values = np.empty(begins[-1], dtype)
        self.terms = int(counts.max())
        self._p = (shape.squares * self._source.norms + shape.constant).astype(dtype)
        pulled = self._target.pulled(shape.shift, team)
        self._q = (shape.squares * self._target.norms - shape.factor * pulled).astype(dtype)
        self.lost = np.abs(pulled)

        def take(rows: slice, _: int) -> None:
            mine = slice(begins[rows.start], begins[rows.stop])
            factors = shape.factor * scales[rows]
            kernels().take_numbers(
                points.block(rows), factors, self._columns[mine], self._values[mine]
            )

        share_out(points.strips(), team, take)

    def target_side(self, rows: slice | Ints) -> Any:
        """Return these targets' features as columns, and what is added for each target."""
        width = len(self._shape.shift)
        return np.ascontiguousarray(self._target.rows(rows)[:, :width].T), self._q[rows]

    def tile(self, sources: Ints, target_side: Any, out: Numbers) -> None:
        """Write the costs from these sources."""
        listed = self._begins, self._columns, self._values
        kernels().sparse_products(sources, *listed, self._p, *target_side, out)


def numbers_alone(
    points: Points,
    scales: Floats,
    sides: tuple[Features, Features],
    shape: Shape,
    dtype: Any,
    team: Team,
) -> NumbersAlone | None:
    """Return the sources without their zeros; None where that would not pay, or lose too much."""
    n, width = points.shape
    if width < _NARROW:
        return None
    counts, raw, ones = np.empty(n, np.int64), np.empty(n), np.zeros(width)

    def count(rows: slice, _: int) -> None:
        block = points.block(rows)
        kernels().count_numbers(block, counts[rows])
        kernels().squared_lengths(block, ones, scales[rows], raw[rows], np.zeros(width))

    share_out(points.strips(), team, count)
    norms = [raw, *(side.norms for side in sides)]
    if not all(np.isfinite(lengths).all() for lengths in norms):
        return None  # to be refused, or computed in float64
    if counts.sum() > _FEW * n * width or raw.mean() > _FAR * sides[0].norms.mean():
        return None
    alone = NumbersAlone(*sides, shape, raw)
    alone.prepare(points, scales, counts, dtype, team)
    return alone
