"""Rows of the cost matrix, still in cache: their share of sums, gains and live pairs.

Each loop runs along the targets of one source, which is how costs are stored, and keeps its sum in
float64 registers; only the terms are rounded to the tile's own dtype.
"""

from __future__ import annotations

import numpy as np

from protospot.kernels.cpu.processor import LANES, below, number, prefetch, take, widest
from protospot.kernels.jit import FUSE, MAXIMUM, kernel
from protospot.types import Bools, Floats, Ints, Numbers

_FEW = 0.015  # share of the pairs: with fewer, to ask whether there is any pays


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
    """Same as generic.sparse_products; eight numbers at a time, to write less often."""
    one, eight = np.uintp(1), np.uintp(8)
    for n in range(len(sources)):
        i, row = sources[n], out[n]
        for j in range(len(q)):
            row[j] = p[i] + q[j]
        e, end = np.uintp(begins[i]), np.uintp(begins[i + 1])
        while e + eight <= end:
            v = values[e : e + eight]
            a, b, c, d = v[0], v[1], v[2], v[3]
            f, g, h, o = v[4], v[5], v[6], v[7]
            at = columns[e : e + eight]
            s, t, u, w = features[at[0]], features[at[1]], features[at[2]], features[at[3]]
            x, y, z, r = features[at[4]], features[at[5]], features[at[6]], features[at[7]]
            for j in range(len(q)):
                row[j] += (a * s[j] + b * t[j] + c * u[j] + d * w[j]) + (
                    f * x[j] + g * y[j] + h * z[j] + o * r[j]
                )
            e += eight
        while e < end:
            a, s = values[e], features[columns[e]]
            for j in range(len(q)):
                row[j] += a * s[j]
            e += one


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
    turn: int,
    slack: float,
    parts: Floats,
    values: Floats,
    doubts: Floats,
    is_stale: Bools,
) -> int:
    """Same as generic.contest."""
    spent, n_left = 0, len(sources)
    n_parts = len(edges) - 1
    left, fresh = sources.copy(), np.empty(n_left)
    for step in range(n_parts):
        part = (turn + step) % n_parts
        a, b = edges[part], edges[part + 1]
        high, mass = best[a:b], weights[a:b]
        together = n_left - n_left % 4
        for n in range(0, together, 4):
            c, d, e, f = left[n], left[n + 1], left[n + 2], left[n + 3]
            fresh[n], fresh[n + 1], fresh[n + 2], fresh[n + 3] = _four_gains(
                matrix[c, a:b], matrix[d, a:b], matrix[e, a:b], matrix[f, a:b], high, mass
            )
        for n in range(together, n_left):
            fresh[n] = _gain(matrix[left[n], a:b], high, mass)
        kept = 0
        for n in range(n_left):
            i = left[n]
            values[i] += fresh[n] - parts[i, part]
            parts[i, part] = fresh[n]
            left[kept] = i
            kept += values[i] + doubts[i] + slack >= bar
        spent += n_left * (b - a)
        n_left = kept
    for n in range(n_left):
        i = left[n]
        # Summed anew, or rounding would pile up.
        values[i], is_stale[i] = parts[i].sum(), False
    return spent


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


@kernel(FUSE | MAXIMUM)
def _listed_gain(target: Numbers, cost: Numbers, best: Numbers, weights: Numbers) -> float:
    zero = cost.dtype.type(0)
    total = 0.0
    for e in range(len(target)):
        j = np.uintp(target[e])
        total += np.float64(weights[j] * max(zero, best[j] - cost[e]))
    return total


@kernel(FUSE)
def collect(
    tile: Numbers,
    rows: Ints,
    best: Numbers,
    weights: Numbers,
    limits: Numbers,
    edges: Ints,
    target: Numbers,
    cost: Numbers,
    counts: Numbers,
    out: Floats,
) -> int:
    """Same as generic.collect."""
    numbers = np.arange(widest(edges)).astype(target.dtype)
    found = np.uintp(0)  # unsigned: no check for indices that count from the end
    ahead = np.uintp(tile.shape[1])  # to the same place in the row that is likely to be next
    are_few = False  # among so many, that most times there is none
    for n in range(len(rows)):
        whole, before = tile[rows[n]], found
        for b in range(len(edges) - 1):
            x, y = edges[b], edges[b + 1]
            row, bar, begin = whole[x:y], limits[x:y], found
            size = np.uintp(y - x)
            even = size - size % np.uintp(LANES)
            for j in range(np.uintp(0), even, np.uintp(LANES)):
                prefetch(row, j + ahead)
                mask = below(row, bar, j)
                if are_few and mask == 0:
                    continue
                take(numbers, mask, j, target, found)
                take(row, mask, j, cost, found)
                found += np.uintp(number(mask))
            for j in range(even, size):
                target[found], cost[found] = j, row[j]
                found += np.uintp(row[j] < bar[j])
            out[n, b] += _listed_gain(
                target[begin:found], cost[begin:found], best[x:y], weights[x:y]
            )
            counts[n, b] = found - begin
        are_few = bool(found - before < _FEW * len(whole))
    return int(found)
