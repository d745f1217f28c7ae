"""Arguments to call each kernel with: small, random, and with all the odd cases in them."""

from typing import Any

import numpy as np

from protospot.costs.codes import number_type
from protospot.kernels.forms import ABSOLUTE, BEST, MARGIN, PRODUCT, SCALE, SQUARED, WEIGHT

SHAPES = [(1, 1), (1, 7), (5, 1), (4, 3), (8, 16), (13, 31), (37, 66), (9, 250)]
FILLS = (0.0, 0.01, 0.3, 1.0)  # share of pairs that are live: none, few, some, all
TILES = ("sums", "gains", "contest", "lower", "nearest", "collect", "sparse_products")
PAIRS = ("contest_listed", "listing", "merge", "pack")
NEAR = ("find_swap", "near_counts", "near_gains", "serve")
FIELD = ("contenders", "rivals", "settle")
DIRECT = ("direct", "direct_pairs", "direct_sparse")
_AHEAD = 16  # places behind the last pair that a kernel may write to


def draws(name, shape, dtype):
    """Arguments of a kernel, several times over."""
    rng, dtype = np.random.default_rng(shape), np.dtype(dtype)
    for fill in FILLS:
        if name in DIRECT:
            for form in (SQUARED, ABSOLUTE, PRODUCT):
                yield _direct_arguments(name, rng, shape, dtype, fill, form)
        elif name in TILES:
            yield _tile_arguments(name, rng, shape, dtype, fill)
        elif name in PAIRS:
            yield _pair_arguments(name, rng, shape, dtype, fill)
        elif name in NEAR:
            yield _near_arguments(name, rng, shape, dtype, fill)
        elif name in FIELD:
            yield _field_arguments(name, rng, shape, fill)
        else:
            yield _table_arguments(name, rng, shape, dtype, fill)


def edges_of(rng, m):
    """Where parts of m targets begin: up to four, of any size."""
    return np.unique(np.concatenate(([0, m], rng.integers(0, m, 3))))


def lists(rng, live, edges, costs):
    """The pairs marked in `live`, as workers leave them: lists in any order, gaps in between."""
    n, n_parts = len(live), len(edges) - 1
    begin, length = np.zeros((n, n_parts), np.int64), np.zeros((n, n_parts), np.int32)
    target = np.zeros(2 * live.size + _AHEAD, number_type(live.shape[1]))
    cost = np.zeros(len(target), costs.dtype)
    at = 0
    for place in rng.permutation(n * n_parts):
        i, b = divmod(place, n_parts)
        mine = np.flatnonzero(live[i, edges[b] : edges[b + 1]])
        begin[i, b], length[i, b] = at, len(mine)
        run = slice(at, at + len(mine))
        target[run], cost[run] = mine, costs[i, edges[b] + mine]
        at += len(mine) + int(rng.integers(0, 2))
    return edges, begin, length, target, cost


def table_of(best, scale, margin, weight):
    """What listed pairs need of their targets."""
    table = np.empty((4, len(best)))
    table[BEST], table[SCALE], table[MARGIN], table[WEIGHT] = best, scale, margin, weight
    return table


def listed(rng, shape, dtype, fill):
    """A table of targets, and lists of pairs: coded ones in float32, exact ones in float64."""
    m = shape[1]
    is_coded = dtype == "f4"
    costs = rng.random(shape)
    costs = (65_500 * costs).astype("u2") if is_coded else costs
    scale = rng.random(m) / 65_500 if is_coded else np.ones(m)
    margin = rng.integers(0, 2, m) / 16 if is_coded else np.zeros(m)
    table = table_of(rng.random(m), scale, margin, rng.random(m))
    return table, *lists(rng, rng.random(shape) < fill, edges_of(rng, m), costs)


def _bounds(rng, n, n_parts):
    """Gains in parts that are much too large, as old ones are."""
    parts = 1e3 * (1 + rng.random((n, n_parts)))
    return parts, parts.sum(axis=1), rng.random(n), np.ones(n, bool)


def _tile_arguments(name, rng, shape, dtype, fill):
    n, m = shape
    # Whole numbers: equal costs, and costs equal to the limits.
    tile = rng.integers(0, 9, (n + 2, m)).astype(dtype) / dtype.type(3)
    if 0 < fill < 0.1:
        tile = np.where(rng.random(tile.shape) < fill, dtype.type(0), dtype.type(9))
    rows = rng.permutation(n + 2)[:n]
    mass, out = rng.random(m).astype(dtype), 5 * rng.random(n)
    high = (rng.integers(2, 9, m) * fill / 3).astype(dtype)
    low = high * rng.integers(0, 3, m).astype(dtype) / dtype.type(2)
    best, second = np.sort(rng.integers(1, 9, (2, m)) / 3, axis=0)
    room = np.empty(m * n + _AHEAD, np.uint16), np.empty(m * n + _AHEAD, dtype)
    edges = edges_of(rng, m)
    n_parts = len(edges) - 1
    known = _bounds(rng, n + 2, n_parts)
    # A bar that some bounds fall below when a part of them is fresh, but not at once.
    contest = 700.0 * n_parts, int(rng.integers(n_parts)), 1e-9
    stored = rng.integers(0, 3, n + 2)
    columns = np.concatenate(([0], stored.cumsum()))
    numbers = rng.integers(0, 4, columns[-1]).astype(np.int32), rng.random(columns[-1])
    numbers = numbers[0], numbers[1].astype(dtype)
    sides = rng.random(n + 2).astype(dtype), rng.random((4, m)).astype(dtype), mass
    in_parts = rng.random((n, n_parts))
    return {
        "sums": (tile, rows, rng.random(m), out),
        "gains": (tile, rows, high, mass, edges, in_parts),
        "contest": (tile, rows, high, mass, edges, *contest, *known),
        "lower": (tile, rows, high, low, mass, out),
        "nearest": (tile, rows, 70, best, second, rng.integers(0, 70, m)),
        "collect": (
            *(tile, rows, high, mass, high, edges),
            *(*room, np.empty((n, n_parts), np.int32), in_parts),
        ),
        "sparse_products": (rows, columns, *numbers, *sides, np.empty((n, m), dtype)),
    }[name]


def _pair_arguments(name, rng, shape, dtype, fill):
    n, m = shape
    if name == "merge":
        return _runs(rng, shape, dtype, fill)
    table, edges, *rest = listed(rng, shape, dtype, fill)
    n_parts, total = len(edges) - 1, int(rest[1].sum())
    sources = rng.permutation(n)[: n // 2 + 1]
    bar = -np.inf if fill == 1 else 700.0 * n_parts
    turn = int(rng.integers(n_parts))
    groups = np.unique(np.concatenate(([0, n_parts], rng.integers(0, n_parts, 1))))
    room = np.empty(total + _AHEAD, rest[2].dtype), np.empty(total + _AHEAD, rest[3].dtype)
    length = np.empty((len(sources), len(groups) - 1), np.int32)
    known = _bounds(rng, n, n_parts)
    return {
        "contest_listed": (sources, bar, turn, 1e-9, table, edges, *rest, *known),
        "listing": (int(rng.integers(n)), table, edges, *rest, np.empty(m + 1, np.int64)),
        "pack": (sources, table, edges, groups, *rest, length, *room),
    }[name]


def _runs(rng, shape, dtype, fill):
    """Two runs of pairs, source by source, as `merge` takes them: the second of other targets."""
    n, m = shape
    counts = rng.binomial(m, fill, (2, n)).astype(np.int32)
    total = int(counts.sum())
    target, cost = rng.integers(0, m, total).astype(np.uint16), rng.random(total).astype(dtype)
    shift, kind = (0.5, np.uint16) if dtype == "f4" else (0.0, dtype)
    inverse = rng.integers(1, 999, 2 * m).astype(dtype) if shift else np.ones(2 * m, dtype)
    starts = np.array([0, int(counts[0].sum())])
    room = np.empty(total, np.uint16), np.empty(total, kind)
    return starts, np.array([0, m]), counts, target, cost, inverse, shift, *room


def _near_arguments(name, rng, shape, dtype, fill):
    n, m = shape
    # Whole numbers: equal costs, and costs equal to the level.
    costs = rng.integers(0, 9, shape).astype(dtype)
    whole = np.array([0, m])
    begin, length, target, cost = lists(rng, rng.random(shape) < fill, whole, costs)[1:]
    pairs = begin[:, 0], length[:, 0], target, cost
    sources, weights = rng.permutation(n)[: n // 2 + 1], rng.random(m)
    low, high = np.sort(rng.integers(0, 9, (2, m)), axis=0).astype("f8")
    k = len(sources)
    near, keep = rng.integers(0, k, m), int(rng.integers(0, k))
    is_free, change = rng.random(n) < 0.7, np.empty(k)
    search = int(rng.integers(0, n)), n, 0.01, keep
    return {
        "find_swap": (*search, *pairs, weights, near, low, high, is_free, change),
        "near_counts": (sources, *pairs, high, np.empty(m, np.int64)),
        "near_gains": (sources, *pairs, high, weights, np.empty(k)),
        "serve": (sources, rng.random(m) < 0.7, *pairs, near, low, high),
    }[name]


def _field_arguments(name, rng, shape, fill):
    n, m = shape
    values, doubts = rng.integers(0, 4, n) * 1.0, rng.integers(0, 2, n) * fill
    values[rng.random(n) < 0.2] = -np.inf
    values[0] = 1.0
    room = np.empty(n + 1, np.int64)
    if name == "contenders":
        return values, doubts, 0.25 * fill, 1e-12, room
    if name == "rivals":
        return values, doubts, rng.random(n) < 0.7, 0.25, 2.25, room
    targets = np.flatnonzero(rng.random(m) < fill).astype(np.uint16)
    size = len(targets)
    changes = np.empty(size, np.int64), np.empty(size), np.empty(size)
    costs, best = rng.integers(0, 4, size) * 1.0, rng.integers(0, 4, m) * 1.0
    return targets, costs, rng.random(m), best, *changes


def _table_arguments(name, rng, shape, dtype, fill):
    n, width = shape
    block = np.where(rng.random(shape) < fill, rng.normal(size=shape), 0).astype(dtype)
    shift, scales = rng.random(width), rng.random(n)
    columns = np.flatnonzero(rng.random(width) < 0.3 + fill)
    number, edges = int((block != 0).sum()), edges_of(rng, width)
    return {
        "column_sums": (block, rng.random(width)),
        "count_numbers": (block, np.empty(n, np.int64)),
        "factors": (block, columns, shift, scales, -2.0, np.zeros((n, len(columns) + 2), dtype)),
        "pull": (block, shift, scales, rng.random(width)),
        "pulled": (block, shift, scales, rng.random(width), np.empty(n)),
        "row_sums": (block, np.empty(n)),
        "squared_lengths": (block, shift, scales, np.empty(n), rng.random(width)),
        "sums_and_gains": (
            *(block, rng.normal(size=width).astype(dtype), edges),
            *(np.empty(n), np.empty((n, len(edges) - 1))),
        ),
        "take_numbers": (block, scales, np.empty(number, np.int32), np.empty(number, dtype)),
    }[name]


def _direct_arguments(name, rng, shape, dtype, fill, form):
    (n, m), width = shape, int(rng.integers(1, 9))
    x, y = (rng.normal(size=(rows, width)).astype(dtype) for rows in shape)
    x[0] = y[0]
    p, q, out = rng.random(n), rng.random(m), np.empty((n, m))
    p[0] = q[0]
    if name == "direct":
        return form, x, y, p, q, out
    if name == "direct_pairs":
        counts = rng.binomial(n, fill, m).astype(np.int32)
        source = rng.integers(0, n, counts.sum()).astype(np.int32)
        return form, x, y, p, q, counts, source, np.empty(len(source))
    sides: list[Any] = []
    for rows in (x, y):
        stored = rng.random(rows.shape) < fill
        starts = np.concatenate(([0], stored.sum(axis=1).cumsum()))
        sides += [starts, np.nonzero(stored)[1].astype(np.int32), rows[stored].astype("f8")]
    return form, width, *sides, p, q, out
