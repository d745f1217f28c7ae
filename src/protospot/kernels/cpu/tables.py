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
def _sum_and_gain(row: Numbers, guess: Numbers) -> tuple[float, float]:
    zero = row.dtype.type(0)
    total, gain = 0.0, 0.0
    for j in range(len(guess)):
        total += np.float64(row[j])
        gain += np.float64(max(zero, guess[j] - row[j]))
    return total, gain


@kernel(FUSE)
def _four_sums_and_gains(
    a: Numbers, b: Numbers, c: Numbers, d: Numbers, guess: Numbers
) -> tuple[float, float, float, float, float, float, float, float]:
    zero = a.dtype.type(0)
    p, q, r, s = 0.0, 0.0, 0.0, 0.0
    t, u, v, w = 0.0, 0.0, 0.0, 0.0
    for j in range(len(guess)):
        high = guess[j]
        p += np.float64(a[j])
        t += np.float64(max(zero, high - a[j]))
        q += np.float64(b[j])
        u += np.float64(max(zero, high - b[j]))
        r += np.float64(c[j])
        v += np.float64(max(zero, high - c[j]))
        s += np.float64(d[j])
        w += np.float64(max(zero, high - d[j]))
    return p, q, r, s, t, u, v, w


@kernel()
def sums_and_gains(
    block: Numbers, guess: Numbers, edges: Ints, sums: Floats, parts: Floats
) -> None:
    """Same as generic.sums_and_gains; four rows at a time keep more of the memory busy."""
    n = block.shape[0]
    together = n - n % 4
    for i in range(n):
        sums[i] = 0.0
    for part in range(len(edges) - 1):
        x, y = edges[part], edges[part + 1]
        for i in range(together, n):
            total, parts[i, part] = _sum_and_gain(block[i, x:y], guess[x:y])
            sums[i] += total
    for i in range(0, together, 4):
        a, b, c, d = block[i], block[i + 1], block[i + 2], block[i + 3]
        for part in range(len(edges) - 1):
            x, y = edges[part], edges[part + 1]
            p, q, r, s, t, u, v, w = _four_sums_and_gains(
                a[x:y], b[x:y], c[x:y], d[x:y], guess[x:y]
            )
            sums[i] += p
            sums[i + 1] += q
            sums[i + 2] += r
            sums[i + 3] += s
            parts[i, part], parts[i + 1, part], parts[i + 2, part], parts[i + 3, part] = t, u, v, w


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
