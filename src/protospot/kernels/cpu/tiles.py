"""One tile of the cost matrix, still in cache: its share of sums, gains and live pairs.

Loops over four rows of a tile at a time keep their sum in a register and meet the float64 total
once; the sum of four is all that is ever rounded to the tile's own dtype.
"""

from __future__ import annotations

import numpy as np

from protospot.kernels.jit import FUSE, kernel
from protospot.types import Floats, Ints, Numbers


@kernel(FUSE)
def sums(tile: Numbers, weights: Numbers, out: Floats) -> None:
    """Same as generic.sums."""
    m, n = tile.shape
    for j in range(0, m - m % 4, 4):
        a, b, c, d = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
        p, q, r, s = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for i in range(n):
            out[i] += p * a[i] + q * b[i] + r * c[i] + s * d[i]
    for j in range(m - m % 4, m):
        for i in range(n):
            out[i] += weights[j] * tile[j, i]


@kernel(FUSE)
def gains(tile: Numbers, best: Numbers, weights: Numbers, out: Floats) -> None:
    """Same as generic.gains."""
    m, n = tile.shape
    zero = tile.dtype.type(0)
    for j in range(0, m - m % 4, 4):
        a, b, c, d = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
        e, f, g, h = best[j], best[j + 1], best[j + 2], best[j + 3]
        p, q, r, s = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for i in range(n):
            out[i] += (
                p * max(zero, e - a[i])
                + q * max(zero, f - b[i])
                + r * max(zero, g - c[i])
                + s * max(zero, h - d[i])
            )
    for j in range(m - m % 4, m):
        for i in range(n):
            out[i] += weights[j] * max(zero, best[j] - tile[j, i])


@kernel(FUSE)
def lower(tile: Numbers, before: Numbers, after: Numbers, weights: Numbers, out: Floats) -> None:
    """Same as generic.lower."""
    m, n = tile.shape
    zero = tile.dtype.type(0)
    for j in range(0, m - m % 4, 4):
        a, b, c, d = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
        e, f, g, h = before[j], before[j + 1], before[j + 2], before[j + 3]
        t, u, v, w = e - after[j], f - after[j + 1], g - after[j + 2], h - after[j + 3]
        p, q, r, s = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for i in range(n):
            out[i] -= (
                p * max(zero, min(t, e - a[i]))
                + q * max(zero, min(u, f - b[i]))
                + r * max(zero, min(v, g - c[i]))
                + s * max(zero, min(w, h - d[i]))
            )
    for j in range(m - m % 4, m):
        span = before[j] - after[j]
        for i in range(n):
            out[i] -= weights[j] * max(zero, min(span, before[j] - tile[j, i]))


@kernel()
def nearest(tile: Numbers, first: int, best: Floats, second: Floats, owner: Ints) -> None:
    """Same as generic.nearest."""
    m, n = tile.shape
    for j in range(m):
        low, next_low, who = best[j], second[j], owner[j]
        for i in range(n):
            cost = np.float64(tile[j, i])
            if cost < next_low:
                if cost < low:
                    low, next_low, who = cost, low, first + i
                else:
                    next_low = cost
        best[j], second[j], owner[j] = low, next_low, who


@kernel()
def collect(
    tile: Numbers,
    limits: Numbers,
    first: int,
    source: Numbers,
    cost: Numbers,
    counts: Numbers,
) -> int:
    """Same as generic.collect."""
    m, n = tile.shape
    number = np.int32(first)
    found = np.uintp(0)  # unsigned, as i: no check for indices that count from the end
    for j in range(m):
        row, limit, begin = tile[j], limits[j], found
        for i in range(np.uintp(0), np.uintp(n)):
            # Written always, kept when live: no branch to mispredict.
            source[found] = number + np.int32(i)
            cost[found] = row[i]
            found += np.uintp(row[i] < limit)
        counts[j] = found - begin
    return int(found)
