"""Points prepared for matrix products: moved, scaled, and with two extra features.

With x' = (f x, s |x|^2 + c, 1) and y' = (y, 1, s |y|^2) the product x' . y' is the cost
f x.y + c + s (|x|^2 + |y|^2): for f = -2, s = 1, c = 0 the squared distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from protospot.points import Points
from protospot.threads import Team
from protospot.types import Floats, Ints, Numbers

EXTRA = 2  # features added to those of a point
_BLOCK_BYTES = 1 << 19  # of float64 rows that are prepared together


@dataclass(frozen=True, slots=True)
class Shape:
    """What a product of features is to become."""

    factor: float  # of x . y
    squares: float  # of |x|^2 and |y|^2
    constant: float
    shift: Floats  # taken off every point first


class Features:
    """One table's points, as factors of a matrix product."""

    def __init__(
        self, points: Points, scales: Floats | None, shape: Shape, dtype: Any, *, is_source: bool
    ) -> None:
        self._points, self._scales, self._shape = points, scales, shape
        self._is_source = is_source
        self._dtype = np.dtype(dtype)
        self._kept: Numbers | None = None
        self.norms = np.empty(len(points))  # squared lengths, in float64

    def prepare(self, team: Team, *, keep: bool) -> None:
        """Measure all points, and keep their features if asked to."""
        width = self._points.shape[1] + EXTRA
        if keep:
            self._kept = np.empty((len(self._points), width), self._dtype)
        blocks = self._points.blocks(_BLOCK_BYTES)
        workers = min(team.size, len(blocks))

        def work(worker: int) -> None:
            with np.errstate(over="ignore", invalid="ignore"):  # the caller looks at the norms
                for rows in blocks[worker::workers]:
                    block = self.moved(rows)
                    self.norms[rows] = _squared_lengths(block)
                    if self._kept is not None:
                        self._write(block, rows, self._kept[rows])

        team.run(work, workers)

    def moved(self, rows: slice | Ints) -> Any:
        """Return these points in float64, moved and scaled (sparse ones as they are stored)."""
        if self._points.is_sparse:
            part = self._points.sparse_block(rows)
            return part if self._scales is None else part.multiply(self._scales[rows, None]).tocsr()
        block = np.subtract(self._points.block(rows), self._shape.shift, dtype=np.float64)
        if self._scales is not None:
            block *= self._scales[rows, None]
        return block

    def rows(self, rows: slice | Ints) -> Numbers:
        """Return the features of these points."""
        if self._kept is not None:
            return self._kept[rows]
        block = self.moved(rows)
        out = np.empty((len(block), block.shape[1] + EXTRA), self._dtype)
        self._write(block, rows, out)
        return out

    def _write(self, block: Floats, rows: slice | Ints, out: Numbers) -> None:
        width, shape = block.shape[1], self._shape
        squares = shape.squares * self.norms[rows]
        if self._is_source:
            np.multiply(block, shape.factor, out=out[:, :width], casting="same_kind")
            out[:, width] = squares + shape.constant
            out[:, width + 1] = 1
        else:
            out[:, :width] = block
            out[:, width] = 1
            out[:, width + 1] = squares


def _squared_lengths(block: Any) -> Floats:
    if isinstance(block, np.ndarray):
        lengths: Floats = np.einsum("ij,ij->i", block, block)
        return lengths
    return np.asarray(block.power(2).sum(axis=1))
