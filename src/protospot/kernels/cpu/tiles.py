"""Rows of the cost matrix, still in cache: their share of sums, gains and live pairs.

Each loop runs along the targets of one source, which is how costs are stored, and keeps its sum in
float64 registers; only the terms are rounded to the tile's own dtype.
"""

from __future__ import annotations

import numpy as np

from protospot.kernels.jit import FUSE, kernel
from protospot.types import Bools, Floats, Ints, Numbers


@kernel(FUSE)
def sparse_products(
    sources: Ints,
    begins: Ints,
    columns: Numbers,
    values: Numbers,
    p: Numbers,
    features: Numbers,
    q: Numbers,
    out: Numbers,
) -> None:
    """Same as generic.sparse_products; four numbers at a time, to write less often."""
    for n in range(len(sources)):
        i, row = sources[n], out[n]
        for j in range(len(q)):
            row[j] = p[i] + q[j]
        e, end = begins[i], begins[i + 1]
        while e + 4 <= end:
            a, b, c, d = values[e], values[e + 1], values[e + 2], values[e + 3]
            s, t = features[columns[e]], features[columns[e + 1]]
            u, v = features[columns[e + 2]], features[columns[e + 3]]
            for j in range(len(q)):
                row[j] += a * s[j] + b * t[j] + c * u[j] + d * v[j]
            e += 4
        while e < end:
            a, s = values[e], features[columns[e]]
            for j in range(len(q)):
                row[j] += a * s[j]
            e += 1


@kernel(FUSE)
def sums(tile: Numbers, rows: Ints, weights: Numbers, out: Floats) -> None:
    """Same as generic.sums."""
    for n in range(len(rows)):
        row = tile[rows[n]]
        total = 0.0
        for j in range(len(weights)):
            total += np.float64(weights[j] * row[j])
        out[n] += total


@kernel(FUSE)
def _gain(row: Numbers, best: Numbers, weights: Numbers) -> float:
    zero = row.dtype.type(0)
    total = 0.0
    for j in range(len(best)):
        total += np.float64(weights[j] * max(zero, best[j] - row[j]))
    return total


@kernel(FUSE)
def _four_gains(
    a: Numbers, b: Numbers, c: Numbers, d: Numbers, best: Numbers, weights: Numbers
) -> tuple[float, float, float, float]:
    zero = a.dtype.type(0)
    p, q, r, s = 0.0, 0.0, 0.0, 0.0
    for j in range(len(best)):
        high, weight = best[j], weights[j]
        p += np.float64(weight * max(zero, high - a[j]))
        q += np.float64(weight * max(zero, high - b[j]))
        r += np.float64(weight * max(zero, high - c[j]))
        s += np.float64(weight * max(zero, high - d[j]))
    return p, q, r, s


@kernel()
def gains(
    tile: Numbers, rows: Ints, best: Numbers, weights: Numbers, edges: Ints, out: Floats
) -> None:
    """Same as generic.gains; four rows at a time keep more of the memory busy."""
    together = len(rows) - len(rows) % 4
    for n in range(0, together, 4):
        a, b, c, d = tile[rows[n]], tile[rows[n + 1]], tile[rows[n + 2]], tile[rows[n + 3]]
        for part in range(len(edges) - 1):
            x, y = edges[part], edges[part + 1]
            p, q, r, s = _four_gains(a[x:y], b[x:y], c[x:y], d[x:y], best[x:y], weights[x:y])
            out[n, part] += p
            out[n + 1, part] += q
            out[n + 2, part] += r
            out[n + 3, part] += s
    for n in range(together, len(rows)):
        row = tile[rows[n]]
        for part in range(len(edges) - 1):
            x, y = edges[part], edges[part + 1]
            out[n, part] += _gain(row[x:y], best[x:y], weights[x:y])


@kernel()
def contest(
    matrix: Numbers,
    sources: Ints,
    best: Numbers,
    weights: Numbers,
    edges: Ints,
    bar: float,
    rises: bool,
    slack: float,
    parts: Floats,
    turn: Ints,
    values: Floats,
    is_stale: Bools,
) -> tuple[float, int]:
    """Same as generic.contest."""
    spent = 0
    n_parts = len(edges) - 1
    for n in range(len(sources)):
        i = sources[n]
        row, value, part = matrix[i], values[i], turn[i]
        done = 0
        while done < n_parts and value + slack >= bar:
            a, b = edges[part], edges[part + 1]
            fresh = _gain(row[a:b], best[a:b], weights[a:b])
            value += fresh - parts[i, part]
            parts[i, part] = fresh
            part = part + 1 if part + 1 < n_parts else 0
            done += 1
        turn[i], values[i] = part, value
        spent += done
        if done == n_parts:
            # Summed anew, or rounding would pile up.
            values[i] = parts[i].sum()
            is_stale[i] = False
            if rises:
                bar = max(bar, values[i] - slack)
    return bar, spent


@kernel(FUSE)
def lower(
    tile: Numbers, rows: Ints, before: Numbers, after: Numbers, weights: Numbers, out: Floats
) -> None:
    """Same as generic.lower."""
    zero = tile.dtype.type(0)
    for n in range(len(rows)):
        row = tile[rows[n]]
        total = 0.0
        for j in range(len(before)):
            span = before[j] - after[j]
            total += np.float64(weights[j] * max(zero, min(span, before[j] - row[j])))
        out[n] -= total


@kernel()
def nearest(
    tile: Numbers, rows: Ints, first: int, best: Floats, second: Floats, owner: Ints
) -> None:
    """Same as generic.nearest."""
    for n in range(len(rows)):
        row = tile[rows[n]]
        for j in range(len(best)):
            cost = np.float64(row[j])
            second[j] = min(second[j], max(best[j], cost))
            owner[j] = first + n if cost < best[j] else owner[j]
            best[j] = min(best[j], cost)


@kernel()
def _mark(row: Numbers, limits: Numbers, out: Numbers) -> None:
    for j in range(len(limits)):
        out[j] = row[j] < limits[j]


@kernel(FUSE)
def collect(
    tile: Numbers,
    rows: Ints,
    best: Numbers,
    weights: Numbers,
    limits: Numbers,
    target: Numbers,
    cost: Numbers,
    counts: Numbers,
    out: Floats,
) -> int:
    """Same as generic.collect."""
    # Marks are made in vector registers and looked at eight at a time: most words are zero.
    words = np.zeros((len(limits) + 7) // 8, np.uint64)
    marks = words.view(np.uint8)
    zero = tile.dtype.type(0)
    found = np.uintp(0)  # unsigned: no check for indices that count from the end
    for n in range(len(rows)):
        row, begin = tile[rows[n]], found
        _mark(row, limits, marks)
        for w in range(np.uintp(len(words))):
            word = words[w]
            if word:
                for byte in range(np.uintp(8)):
                    # Written always, kept when live: no branch to mispredict.
                    target[found] = (w << np.uintp(3)) + byte
                    found += np.uintp((word >> np.uint64(8 * byte)) & np.uint64(1))
        total = 0.0
        for e in range(begin, found):
            j = np.uintp(target[e])
            cost[e] = row[j]
            total += np.float64(weights[j] * max(zero, best[j] - row[j]))
        out[n] += total
        counts[n] = found - begin
    return int(found)
