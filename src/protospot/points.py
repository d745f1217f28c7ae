"""Rows of numbers, kept as they came and handed out block by block."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from protospot.kernels.choose import kernels
from protospot.threads import Team, available, share_out
from protospot.types import Floats, Ints, Numbers

if TYPE_CHECKING:
    import scipy.sparse

_NARROW = {"b1", "i1", "u1", "i2", "u2", "f2", "f4"}  # float32 holds all their values exactly
_BLOCK_BYTES = 1 << 19
_STRIP_BYTES = 1 << 22  # of a block that need not be copied


class Points:
    """A checked, numeric (n, d) table: an array, a memory map or a sparse matrix.

    The table itself is never copied whole; `block` gives dense rows in the working dtype, float32
    for 8- and 16-bit numbers and float32, float64 for everything wider.
    """

    def __init__(self, raw: Any, dtype: np.dtype[Any] | None = None) -> None:
        self.raw = raw
        self.shape: tuple[int, int] = raw.shape
        self.dtype = working_dtype(raw.dtype) if dtype is None else dtype

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are stored as a SciPy sparse matrix."""
        return not isinstance(self.raw, np.ndarray)

    @property
    def is_ready(self) -> bool:
        """Whether the table can be used as it stands: dense, contiguous, in the working dtype."""
        return not self.is_sparse and self.raw.dtype == self.dtype and self.raw.flags.c_contiguous

    @property
    def stored(self) -> int:
        """How many numbers a row stores on average."""
        return -(-self.raw.nnz // len(self)) if self.is_sparse else self.shape[1]

    def block(self, rows: slice | Ints) -> Numbers:
        """Return these rows, dense and contiguous, in the working dtype (a view where possible)."""
        part = self.raw[rows]
        if self.is_sparse:
            part = part.toarray()
        return np.ascontiguousarray(part, dtype=self.dtype)

    def sparse_block(self, rows: slice | Ints) -> scipy.sparse.csr_array:
        """Return these rows of a sparse table, still sparse, in float64."""
        return self.raw[rows].astype(np.float64)

    def blocks(self, budget: int = _BLOCK_BYTES) -> list[slice]:
        """Return slices that cover all rows, each block of them as stored within the budget."""
        step = max(1, budget // (8 * max(1, self.stored)))
        return [slice(a, min(a + step, len(self))) for a in range(0, len(self), step)]

    def strips(self) -> list[slice]:
        """Return slices that cover all rows, for kernels that take them in the working dtype."""
        return self.blocks(_STRIP_BYTES if self.is_ready else _BLOCK_BYTES)

    def cast(self, dtype: np.dtype[Any]) -> Points:
        """Return the same table with another working dtype."""
        return self if dtype == self.dtype else Points(self.raw, dtype)

    def upcast(self) -> Points:
        """Return the table copied whole into the working dtype."""
        return Points(self.block(slice(None)), self.dtype)

    @cached_property
    def row_sums(self) -> Floats:
        """The sum of each row, in float64."""
        sums = np.empty(len(self))

        def add(rows: slice, _: int) -> None:
            with np.errstate(over="ignore", invalid="ignore"):  # the reader looks at the sums
                kernels().row_sums(self.block(rows), sums[rows])

        share_out(self.strips(), Team(available()), add)
        return sums

    @cached_property
    def column_sums(self) -> Floats:
        """The sum of each column, in float64."""
        if self.is_sparse:
            return np.asarray(self.raw.sum(axis=0, dtype=np.float64)).ravel()
        team = Team(available())
        sums = np.zeros((team.size, self.shape[1]))

        def add(rows: slice, worker: int) -> None:
            with np.errstate(over="ignore", invalid="ignore"):
                kernels().column_sums(self.block(rows), sums[worker])

        share_out(self.strips(), team, add, in_turn=True)
        total: Floats = sums.sum(axis=0)
        return total

    def mean(self) -> Floats:
        """Return the mean row, in float64."""
        return self.column_sums / len(self)


def working_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the float type that this type is computed in."""
    return np.dtype(np.float32 if dtype.str[1:] in _NARROW else np.float64)
