"""The metrics that protospot computes itself, each defined once.

A definition is a form (see `kernels.forms`), a scale per row, and a last step. The cosine
cost 1 - cos(x, y) is taken as half the squared distance of the unit vectors, which is the same
number without the cancellation: a copy costs exactly 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from protospot.errors import InputError
from protospot.kernels.forms import ABSOLUTE, PRODUCT, SQUARED
from protospot.points import Points
from protospot.types import Floats

ALIASES = {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean"}


@dataclass(frozen=True, slots=True)
class Definition:
    """How a cost is computed from two rows."""

    name: str
    form: int
    is_unit: bool = False  # rows are scaled to length 1 first
    is_root: bool = False
    factor: float = 1.0

    @property
    def is_product(self) -> bool:
        """Whether the cost is an inner product at heart, which a matrix product can screen."""
        return self.form != ABSOLUTE

    def scales(self, points: Points, name: str) -> Floats:
        """Return the factor of each row: 1, or what brings it to length 1."""
        if not self.is_unit:
            return np.ones(len(points))
        lengths = _lengths(points)
        if not lengths.all():
            row = int(np.flatnonzero(lengths == 0)[0])
            raise InputError(
                f"metric 'cosine' needs rows of non-zero length, but {name}[{row}] is all zeros: "
                "drop such rows or choose another metric."
            )
        return 1.0 / lengths

    def finish(self, out: Floats) -> Floats:
        """Take the last step on computed forms, in place."""
        if self.is_root:
            np.sqrt(out, out=out)
        if self.factor != 1.0:
            out *= self.factor
        return out


DEFINITIONS = {
    definition.name: definition
    for definition in (
        Definition("sqeuclidean", SQUARED),
        Definition("euclidean", SQUARED, is_root=True),
        Definition("cosine", SQUARED, is_unit=True, factor=0.5),
        Definition("cityblock", ABSOLUTE),
        Definition("dot", PRODUCT, factor=-1.0),
    )
}


def squared_norms(points: Points) -> Floats:
    """Return the squared length of every row, in float64."""
    norms = np.empty(len(points))
    for rows in points.blocks():
        if points.is_sparse:
            norms[rows] = points.sparse_block(rows).power(2).sum(axis=1)
        else:
            block = points.block(rows).astype(np.float64, copy=False)
            norms[rows] = np.einsum("ij,ij->i", block, block)
    return norms


def _lengths(points: Points) -> Floats:
    """Return the length of every row, also of those whose square no float64 can hold."""
    lengths = np.empty(len(points))
    for rows in points.blocks():
        if points.is_sparse:
            block = points.sparse_block(rows)
            tops = abs(block).max(axis=1).toarray().ravel()
            unit = block.multiply(1 / np.where(tops > 0, tops, 1)[:, None])
            lengths[rows] = tops * np.sqrt(unit.power(2).sum(axis=1))
        else:
            block = points.block(rows).astype(np.float64)
            tops = np.abs(block).max(axis=1)
            block /= np.where(tops > 0, tops, 1)[:, None]
            lengths[rows] = tops * np.sqrt(np.einsum("ij,ij->i", block, block))
    return lengths
