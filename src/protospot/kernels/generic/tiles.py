"""Rows of the cost matrix: their share of sums, gains and live pairs.

A tile is a (sources, targets) piece of the matrix, `rows` says which of its rows are meant, and
`out` has a place for each of them. Kernels write into the arrays they are given, so that a caller
can reuse its buffers.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

Array = Any  # of any library that follows the array API standard


def sparse_products(
    sources: Array,
    begins: Array,
    columns: Array,
    values: Array,
    p: Array,
    features: Array,
    q: Array,
    out: Array,
) -> None:
    """Write p_i + q_j + sum_k x_ik y_kj for some sources, of which only the numbers are stored.

    Those of source i lie at begins_i to begins_i+1; `features` has a row for each column k.
    """
    xp = array_namespace(begins, values)
    for n in range(sources.shape[0]):
        i = int(sources[n])
        mine = slice(int(begins[i]), int(begins[i + 1]))
        rows = xp.take(features, xp.astype(columns[mine], xp.int64), axis=0)
        out[n, :] = p[i] + q + xp.matmul(values[mine], rows)


def sums(tile: Array, rows: Array, weights: Array, out: Array) -> None:
    """Add the weighted sum of each source's costs: out_i += sum_j w_j c_ij."""
    out += _weighted(_rows(tile, rows), weights, out)


def gains(tile: Array, rows: Array, best: Array, weights: Array, edges: Array, out: Array) -> None:
    """Add what each source would gain, sum_j w_j (best_j - c_ij)+, in parts.

    Part b of a source's gain, out_ib, is that of the targets from edge_b up to edge_b+1.
    """
    xp = array_namespace(tile, best)
    costs = _rows(tile, rows)
    for b in range(edges.shape[0] - 1):
        part = slice(int(edges[b]), int(edges[b + 1]))
        drops = xp.clip(best[None, part] - costs[:, part], min=0)
        out[:, b] += _weighted(drops, weights[part], out)


def contest(
    matrix: Array,
    sources: Array,
    best: Array,
    weights: Array,
    edges: Array,
    bar: float,
    rises: bool,
    slack: float,
    parts: Array,
    turn: Array,
    values: Array,
    is_stale: Array,
) -> tuple[float, int]:
    """Bring gains of some sources up to date, each until it falls below the bar for certain.

    A gain is the sum of its `parts` over targets from one edge to the next. Old parts are upper
    bounds, and so is `values`, their sum; each source takes up where it left off. With `rises` the
    bar rises to the largest gain known; it is returned, and how many parts were computed.
    """
    xp = array_namespace(matrix, best)
    spent = 0
    n_parts = edges.shape[0] - 1
    for n in range(sources.shape[0]):
        i = int(sources[n])
        done = 0
        while done < n_parts and float(values[i]) + slack >= bar:
            part = int(turn[i])
            mine = slice(int(edges[part]), int(edges[part + 1]))
            fresh = xp.zeros((1, 1), dtype=values.dtype)
            ends = xp.asarray([0, mine.stop - mine.start])
            row = matrix[i : i + 1, mine]
            gains(row, xp.zeros(1, dtype=xp.int64), best[mine], weights[mine], ends, fresh)
            values[i] = values[i] + fresh[0, 0] - parts[i, part]
            parts[i, part] = fresh[0, 0]
            turn[i] = (part + 1) % n_parts
            done += 1
        spent += done
        if done == n_parts:
            values[i] = xp.sum(parts[i, :])
            is_stale[i] = False
            if rises:
                bar = max(bar, float(values[i]) - slack)
    return bar, spent


def lower(
    tile: Array, rows: Array, before: Array, after: Array, weights: Array, out: Array
) -> None:
    """Take away what each source lost when `best` fell from `before` to `after`.

    out_i -= sum_j w_j ((before_j - c_ij)+ - (after_j - c_ij)+), which is one clip.
    """
    xp = array_namespace(tile, before)
    drop = xp.minimum((before - after)[None, :], before[None, :] - _rows(tile, rows))
    out -= _weighted(xp.clip(drop, min=0), weights, out)


def nearest(tile: Array, rows: Array, first: int, best: Array, second: Array, owner: Array) -> None:
    """Keep each target's cheapest and second cheapest cost, and the source of the cheapest.

    The rows are those of the sources from `first` on; of equal costs the earlier source stays.
    """
    xp = array_namespace(tile, best)
    found = xp.astype(_rows(tile, rows), best.dtype)
    costs = xp.concat((best[None, :], second[None, :], found), axis=0)
    row = xp.argmin(costs, axis=0)
    order = xp.sort(costs, axis=0)
    owner[...] = xp.where(row < 2, owner, xp.astype(row - 2 + first, owner.dtype))
    best[...] = order[0, :]
    second[...] = order[1, :]


def collect(
    tile: Array,
    rows: Array,
    best: Array,
    weights: Array,
    limits: Array,
    target: Array,
    cost: Array,
    counts: Array,
    out: Array,
) -> int:
    """List the pairs that cost less than their target's limit, source by source; add up gains.

    Writes targets and costs to the front of `target` and `cost`, how many each source has to
    `counts`, and returns how many there are. Room for a whole tile and 8 more must be there.
    A limit is not below the target's best, so that a gain needs no other pairs.
    """
    xp = array_namespace(tile, limits)
    found = _rows(tile, rows)
    live = found < limits[None, :]
    flat = xp.nonzero(xp.reshape(live, (-1,)))[0]
    total = int(flat.shape[0])
    target[:total] = xp.astype(flat % limits.shape[0], target.dtype)
    cost[:total] = xp.take(xp.reshape(found, (-1,)), flat)
    counts[...] = xp.sum(xp.astype(live, counts.dtype), axis=1, dtype=counts.dtype)
    edges = xp.asarray([0, limits.shape[0]])
    gains(tile, rows, best, weights, edges, out[:, None])
    return total


def _rows(tile: Array, rows: Array) -> Array:
    return array_namespace(tile, rows).take(tile, rows, axis=0)


def _weighted(costs: Array, weights: Array, out: Array) -> Array:
    xp = array_namespace(costs, weights)
    return xp.matmul(xp.astype(costs, out.dtype), xp.astype(weights, out.dtype))
