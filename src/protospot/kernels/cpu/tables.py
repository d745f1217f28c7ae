"""One pass over rows of a table: its sums, and the rows as factors of a matrix product."""

from __future__ import annotations

import numpy as np

from protospot.kernels.jit import FUSE, kernel
from protospot.types import Floats, Ints, Numbers


@kernel(FUSE)
def row_sums(block: Numbers, out: Floats) -> None:
    """Same as generic.row_sums."""
    for i in range(block.shape[0]):
        row = block[i]
        total = 0.0
        for k in range(block.shape[1]):
            total += np.float64(row[k])
        out[i] = total


@kernel(FUSE)
def column_sums(block: Numbers, out: Floats) -> None:
    """Same as generic.column_sums."""
    for i in range(block.shape[0]):
        row = block[i]
        for k in range(block.shape[1]):
            out[k] += np.float64(row[k])


@kernel(FUSE)
def squared_lengths(
    block: Numbers, shift: Floats, scales: Floats, out: Floats, reach: Floats
) -> None:
    """Same as generic.squared_lengths."""
    for i in range(block.shape[0]):
        row, scale = block[i], scales[i]
        total = 0.0
        for k in range(block.shape[1]):
            step = (np.float64(row[k]) - shift[k]) * scale
            total += step * step
            reach[k] = max(reach[k], abs(step))
        out[i] = total


@kernel()
def factors(
    block: Numbers, columns: Ints, shift: Floats, scales: Floats, factor: float, out: Numbers
) -> None:
    """Same as generic.factors."""
    is_whole = len(columns) == block.shape[1]
    for i in range(block.shape[0]):
        row, mine = block[i], out[i]
        scale = scales[i] * factor
        if is_whole:
            for k in range(len(columns)):
                mine[k] = (np.float64(row[k]) - shift[k]) * scale
        else:
            for n in range(len(columns)):
                k = columns[n]
                mine[n] = (np.float64(row[k]) - shift[k]) * scale


@kernel(FUSE)
def pull(block: Numbers, shift: Floats, masses: Floats, out: Floats) -> None:
    """Same as generic.pull."""
    for i in range(block.shape[0]):
        row, mass = block[i], masses[i]
        for k in range(block.shape[1]):
            out[k] += mass * (np.float64(row[k]) - shift[k])


@kernel(FUSE)
def pulled(block: Numbers, shift: Floats, scales: Floats, by: Floats, out: Floats) -> None:
    """Same as generic.pulled."""
    for i in range(block.shape[0]):
        row, scale = block[i], scales[i]
        total = 0.0
        for k in range(block.shape[1]):
            total += (np.float64(row[k]) - shift[k]) * scale * by[k]
        out[i] = total


@kernel()
def count_numbers(block: Numbers, out: Ints) -> None:
    """Same as generic.count_numbers."""
    for i in range(block.shape[0]):
        row = block[i]
        number = 0
        for k in range(block.shape[1]):
            number += row[k] != 0
        out[i] = number


@kernel()
def take_numbers(block: Numbers, scales: Floats, columns: Numbers, values: Numbers) -> None:
    """Same as generic.take_numbers."""
    e = 0
    for i in range(block.shape[0]):
        row, scale = block[i], scales[i]
        for k in range(block.shape[1]):
            if row[k] != 0:
                columns[e] = k
                values[e] = np.float64(row[k]) * scale
                e += 1
