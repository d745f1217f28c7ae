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
    turn: int,
    slack: float,
    parts: Array,
    values: Array,
    doubts: Array,
    is_stale: Array,
) -> int:
    """Bring gains of some sources up to date, each until it falls below the bar for certain.

    A gain is the sum of its `parts` over targets from one edge to the next, and may be off by its
    doubt and the slack. Old parts are upper bounds, and so is `values`, their sum. All sources go
    through the parts together, from part number `turn` on. Returns how many pairs were looked at.
    """
    xp = array_namespace(matrix, best)

    def fresh(source: int, part: int) -> tuple[Array, float, int]:
        mine = slice(int(edges[part]), int(edges[part + 1]))
        gain = xp.zeros((1, 1), dtype=values.dtype)
        ends = xp.asarray([0, mine.stop - mine.start])
        row = matrix[source : source + 1, mine]
        gains(row, xp.zeros(1, dtype=xp.int64), best[mine], weights[mine], ends, gain)
        return gain[0, 0], float(doubts[source]) / (edges.shape[0] - 1), mine.stop - mine.start

    return in_parts(fresh, sources, bar, turn, slack, parts, values, doubts, is_stale)


def in_parts(
    fresh: Any,
    sources: Array,
    bar: float,
    turn: int,
    slack: float,
    parts: Array,
    values: Array,
    doubts: Array,
    is_stale: Array,
) -> int:
    """Do what `contest` says, where fresh(source, part) is a part, its doubt, and its pairs."""
    xp = array_namespace(parts, values)
    n_parts, spent = parts.shape[1], 0
    left = [(int(i), 0.0) for i in sources]
    for part in ((turn + step) % n_parts for step in range(n_parts)):
        kept = []
        for i, unsure in left:
            gain, doubt, pairs = fresh(i, part)
            values[i] = values[i] + gain - parts[i, part]
            parts[i, part] = gain
            spent += pairs
            if float(values[i]) + float(doubts[i]) + slack >= bar:
                kept.append((i, unsure + doubt))
        left = kept
    for i, unsure in left:
        values[i], doubts[i], is_stale[i] = xp.sum(parts[i, :]), unsure, False
    return spent


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
    edges: Array,
    target: Array,
    cost: Array,
    counts: Array,
    out: Array,
) -> int:
    """List the pairs that cost less than their target's limit, source by source; add up gains.

    A source's pairs come in parts: part b is that of the targets from edge_b up to edge_b+1, which
    are numbered from edge_b on. Writes targets and costs to the front of `target` and `cost`, how
    many each part has to `counts`, and returns how many there are. Room for a whole tile and 16
    more must be there. A limit is not below the target's best, so that a gain, added to `out` part
    by part, needs no other pairs.
    """
    xp = array_namespace(tile, limits)
    found = _rows(tile, rows)
    live = found < limits[None, :]
    flat = xp.nonzero(xp.reshape(live, (-1,)))[0]
    total = int(flat.shape[0])
    column = flat % limits.shape[0]
    part = xp.searchsorted(edges, column, side="right") - 1
    target[:total] = xp.astype(column - xp.take(edges, part), target.dtype)
    cost[:total] = xp.take(xp.reshape(found, (-1,)), flat)
    for b in range(edges.shape[0] - 1):
        mine = xp.astype(live[:, int(edges[b]) : int(edges[b + 1])], counts.dtype)
        counts[:, b] = xp.sum(mine, axis=1, dtype=counts.dtype)
    gains(tile, rows, best, weights, edges, out)
    return total


def _rows(tile: Array, rows: Array) -> Array:
    return array_namespace(tile, rows).take(tile, rows, axis=0)


def _weighted(costs: Array, weights: Array, out: Array) -> Array:
    xp = array_namespace(costs, weights)
    return xp.matmul(xp.astype(costs, out.dtype), xp.astype(weights, out.dtype))
