"""Compiled kernels do what the generic ones say, and those need no more than the array standard."""

import inspect
from typing import Any

import array_api_strict
import numpy as np
import pytest

from protospot.costs.codes import number_type
from protospot.kernels import cpu, generic
from protospot.kernels.forms import ABSOLUTE, PRODUCT, SQUARED

SHAPES = [(1, 1), (1, 7), (5, 1), (4, 3), (8, 16), (13, 31), (37, 66)]  # sources x targets
FILLS = (0.0, 0.3, 1.0)  # share of pairs that are live: none, some, all
TILES = ("sums", "gains", "contest", "lower", "nearest", "collect", "sparse_products")
TABLES = (
    "column_sums",
    "count_numbers",
    "factors",
    "pull",
    "pulled",
    "row_sums",
    "squared_lengths",
    "take_numbers",
)
FIELD = ("contenders", "settle")
# What a kernel fills, from an array of arguments on, up to how many it returns.
FILLED = {"collect": (5, 2), "pack": (7, 2), "listing": (4, 1), "contenders": (4, 1)}
FILLED |= {"settle": (4, 3)}


# `descend` is many steps of a selection: it is tested as such, below.
ALONE = [name for name in cpu.__all__ if name != "descend"]


def lists(rng, shape, dtype, fill):
    """Live pairs as workers gather them: targets in any order, gaps in between, lists empty."""
    n, m = shape
    live = [np.flatnonzero(rng.random(n) < fill) for _ in range(m)]
    start, at = np.zeros(m, np.int64), 0
    source = rng.integers(0, n, 2 * m * n + 8).astype(number_type(n))
    for j in rng.permutation(m):
        start[j] = at
        source[at : at + len(live[j])] = live[j]
        at += len(live[j]) + int(rng.integers(0, 3))
    cost = rng.random(len(source))
    is_coded = dtype == "f4"
    cost = (65_500 * cost).astype("u2") if is_coded else cost.astype(dtype)
    scales = rng.random(m) / 65_500 if is_coded else np.ones(m)
    return start, np.array([len(x) for x in live], np.int32), source, cost, scales


def edges_of(rng, m):
    return np.unique(np.concatenate(([0, m], rng.integers(0, m, 3))))


def tile_arguments(name, rng, shape, dtype, fill):
    n, m = shape
    # Whole numbers: equal costs, and costs equal to the limits.
    tile = rng.integers(0, 9, (n + 2, m)).astype(dtype) / dtype.type(3)
    rows = rng.permutation(n + 2)[:n]
    mass, out = rng.random(m).astype(dtype), 5 * rng.random(n)
    high = (rng.integers(2, 9, m) * fill / 3).astype(dtype)
    low = high * rng.integers(0, 3, m).astype(dtype) / dtype.type(2)
    best, second = np.sort(rng.integers(1, 9, (2, m)) / 3, axis=0)
    room = np.empty(m * n + 8, np.uint16), np.empty(m * n + 8, dtype)
    edges = edges_of(rng, m)
    parts = 1e3 * rng.random((n + 2, len(edges) - 1))
    turn = rng.integers(0, len(edges) - 1, n + 2)
    known = parts, turn, parts.sum(axis=1), np.ones(n + 2, bool)
    stored = rng.integers(0, 3, n + 2)
    begins = np.concatenate(([0], stored.cumsum()))
    numbers = rng.integers(0, 4, begins[-1]).astype(np.int32), rng.random(begins[-1]).astype(dtype)
    sides = rng.random(n + 2).astype(dtype), rng.random((4, m)).astype(dtype), mass
    return {
        "sums": (tile, rows, rng.random(m), out),
        "gains": (tile, rows, high, mass, edges, rng.random((n, len(edges) - 1))),
        "contest": (tile, rows, high, mass, edges, float(fill * m), fill < 1, 1e-9, *known),
        "lower": (tile, rows, high, low, mass, out),
        "nearest": (tile, rows, 70, best, second, rng.integers(0, 70, m)),
        "collect": (tile, rows, high, mass, high, *room, np.empty(n, np.int32), out),
        "sparse_products": (rows, begins, *numbers, *sides, np.empty((n, m), dtype)),
    }[name]


def pair_arguments(name, rng, shape, dtype, fill):
    n, m = shape
    known = start, length, source, cost, scales = lists(rng, shape, dtype, fill)
    best, weights, margins = rng.random(m), rng.random(m), rng.integers(0, 2, m) / 16
    targets = np.flatnonzero(rng.random(m) < 0.7).astype(rng.choice(["i4", "i8"]))
    before = 0.5 + best[targets]
    total, out = int(length.sum()), rng.random(n)
    counts = rng.integers(0, min(m, 3) + 1, n).astype(np.int32)
    by_row = np.concatenate([rng.permutation(m)[:count] for count in counts]).astype(np.uint16)
    given = rng.random(len(by_row)).astype(dtype)
    shift, kind = (0.5, np.uint16) if dtype == "f4" else (0.0, dtype)
    inverse = rng.integers(1, 999, m).astype(dtype) if shift else np.ones(m, dtype)
    at = np.concatenate(([0], np.bincount(by_row, minlength=m).cumsum()[:-1]))
    placed = np.zeros(len(by_row), number_type(n)), np.zeros(len(by_row), kind)
    listed = np.concatenate([source[a : a + size] for a, size in zip(start, length, strict=True)])
    places = np.concatenate(([0], np.bincount(listed, minlength=n).cumsum()[:-1]))
    room = np.empty_like(length), np.empty(total + 1, source.dtype), np.empty(total + 1, cost.dtype)
    return {
        "tally": (start, length, source, np.zeros(n, np.int64)),
        "by_target": (3, counts, by_row, given, inverse, shift, at, *placed),
        "by_source": (5, start, length, source, places, np.zeros(total, np.int32)),
        "pair_gains": (*known, best, weights, margins, out, rng.random(n)),
        "walk": (targets, before, best[targets], margins, scales, weights, *known[:4], out),
        "pack": (*known, best, *room),
        "listing": (start, length, source, int(rng.integers(0, n)), np.empty(m, np.int64)),
    }[name]


def field_arguments(name, rng, shape, _, fill):
    n, m = shape
    if name == "contenders":
        values, doubts = rng.integers(0, 4, n) * 1.0, rng.integers(0, 2, n) * fill
        values[rng.random(n) < 0.2] = -np.inf
        values[0] = 1.0
        return values, doubts, 0.25 * fill, 1e-12, np.empty(n, np.int64)
    targets = np.flatnonzero(rng.random(m) < fill).astype(np.uint16)
    size = len(targets)
    room = np.empty(size, np.int64), np.empty(size), np.empty(size)
    costs, best = rng.integers(0, 4, size) * 1.0, rng.integers(0, 4, m) * 1.0
    return targets, costs, rng.random(m), best, *room


def table_arguments(name, rng, shape, dtype, fill):
    n, width = shape
    block = np.where(rng.random(shape) < fill, rng.normal(size=shape), 0).astype(dtype)
    shift, scales = rng.random(width), rng.random(n)
    columns = np.flatnonzero(rng.random(width) < 0.3 + fill)
    number = int((block != 0).sum())
    return {
        "column_sums": (block, rng.random(width)),
        "count_numbers": (block, np.empty(n, np.int64)),
        "factors": (block, columns, shift, scales, -2.0, np.zeros((n, len(columns) + 2), dtype)),
        "pull": (block, shift, scales, rng.random(width)),
        "pulled": (block, shift, scales, rng.random(width), np.empty(n)),
        "row_sums": (block, np.empty(n)),
        "squared_lengths": (block, shift, scales, np.empty(n), rng.random(width)),
        "take_numbers": (block, scales, np.empty(number, np.int32), np.empty(number, dtype)),
    }[name]


def direct_arguments(name, rng, shape, dtype, fill, form):
    (n, m), width = shape, int(rng.integers(1, 9))
    x, y = (rng.normal(size=(rows, width)).astype(dtype) for rows in shape)
    x[0] = y[0]
    p, q, out = rng.random(n), rng.random(m), np.empty((n, m))
    p[0] = q[0]
    if name == "direct":
        return form, x, y, p, q, out
    if name == "direct_pairs":
        counts = lists(rng, shape, dtype, fill)[1]
        source = rng.integers(0, n, counts.sum()).astype(np.int32)
        return form, x, y, p, q, counts, source, np.empty(len(source))
    sides: list[Any] = []
    for rows in (x, y):
        stored = rng.random(rows.shape) < fill
        begins = np.concatenate(([0], stored.sum(axis=1).cumsum()))
        sides += [begins, np.nonzero(stored)[1].astype(np.int32), rows[stored].astype("f8")]
    return form, width, *sides, p, q, out


def draws(name, shape, dtype):
    rng, dtype = np.random.default_rng(shape), np.dtype(dtype)
    for fill in FILLS:
        if name.startswith("direct"):
            for form in (SQUARED, ABSOLUTE, PRODUCT):
                yield direct_arguments(name, rng, shape, dtype, fill, form)
            continue
        for names, arguments in (
            (TILES, tile_arguments),
            (TABLES, table_arguments),
            (FIELD, field_arguments),
        ):
            if name in names:
                yield arguments(name, rng, shape, dtype, fill)
                break
        else:
            yield pair_arguments(name, rng, shape, dtype, fill)


def run(kernels, name, arguments, xp=np):
    """What a kernel returns, and the arrays as it leaves them, as far as it promises anything."""
    arrays = [xp.asarray(x.copy()) if isinstance(x, np.ndarray) else x for x in arguments]
    found = getattr(kernels, name)(*arrays)
    left = [np.asarray(x) for x in arrays]
    first, number = FILLED.get(name, (0, 0))
    total = found[0] if name == "settle" else found
    for at in range(first, first + number):
        left[at] = left[at][:total]
    if name == "walk":
        del left[7:10]  # whether dead pairs stay is left open
        found = None
    return found, left


def assert_alike(one, other, rtol):
    np.testing.assert_allclose(one[0] or 0, other[0] or 0, rtol=rtol)
    for x, y in zip(one[1], other[1], strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol)


def test_both_sets_of_kernels_have_the_same_names_and_arguments():
    assert cpu.__all__ == generic.__all__
    for name in cpu.__all__:
        arguments = inspect.signature(getattr(cpu, name).py_func).parameters
        assert list(arguments) == list(inspect.signature(getattr(generic, name)).parameters)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ALONE)
def test_a_compiled_kernel_does_what_its_generic_twin_does(name, shape, dtype):
    # Terms, or their sum, are rounded to float32.
    is_rounded = dtype == "f4" and name in (*TILES, "factors", "take_numbers")
    for given in draws(name, shape, dtype):
        compiled, expected = run(cpu, name, given), run(generic, name, given)
        assert_alike(compiled, expected, rtol=3e-6 if is_rounded else 1e-13)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 1), (13, 31)])
@pytest.mark.parametrize("name", ALONE)
def test_a_generic_kernel_runs_on_any_array_library(name, shape, dtype):
    for arguments in draws(name, shape, dtype):
        strict = run(generic, name, arguments, array_api_strict)
        assert_alike(strict, run(generic, name, arguments), rtol=1e-13)


@pytest.mark.parametrize("kernels", [cpu, generic])
@pytest.mark.parametrize("name", ["pair_gains", "walk"])
def test_a_small_gain_keeps_its_digits_beside_large_ones(name, kernels):
    m, n = 300, 50
    cost = np.random.default_rng(0).random((m, n))
    cost[:, 7] = 1 - 1e-9 * cost[:, 7]
    listed = np.arange(0, m * n, n), np.full(m, n, np.int32), np.tile(np.arange(n, dtype="i4"), m)
    lists, one, zero = (*listed, cost.flatten()), np.ones(m), np.zeros(m)
    gains = np.zeros(n)
    if name == "pair_gains":
        kernels.pair_gains(*lists, one, one, one, zero, gains, np.zeros(n))
    else:
        kernels.walk(np.arange(m), one, zero, zero, one, one, *lists, gains)
    np.testing.assert_allclose(np.abs(gains), (1 - cost).sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_walking_drops_the_pairs_that_died_and_no_other(shape, dtype):
    for arguments in draws("walk", shape, dtype):
        targets, _, after, margins, scales = arguments[:5]
        limits = np.full(shape[1], np.inf)
        limits[targets] = after + margins[targets]
        expected = listed(arguments, scales, limits)
        left = [x.copy() for x in arguments]
        dropped = cpu.walk(*left)
        assert listed(left, scales, np.full(shape[1], np.inf)) == expected
        assert dropped == arguments[7].sum() - left[7].sum()


def listed(arguments, scales, limits):
    start, length, source, cost = arguments[6:10]
    ends = zip(start, start + length, scales, strict=True)
    pairs = [zip(source[a:b], scale * cost[a:b], strict=True) for a, b, scale in ends]
    return [[p for p in mine if p[1] < top] for mine, top in zip(pairs, limits, strict=True)]


@pytest.mark.parametrize("kernels", [cpu, generic])
@pytest.mark.parametrize("shape", [(5, 9), (13, 31), (37, 66)])
def test_descending_is_picking_the_largest_gain_again_and_again(shape, kernels):
    n, m = shape
    rng = np.random.default_rng(shape)
    cost, weights = rng.random((n, m)), rng.random(m)
    best, owner = np.full(m, 0.8), np.full(m, -1)
    live = cost < best
    begins = np.concatenate(([0], live.sum(axis=1).cumsum()))
    length = live.sum(axis=0).astype(np.int32)
    start = length.cumsum() - length
    source, at = np.nonzero(live.T)[1].astype(np.uint16), np.nonzero(live)[1].astype(np.int32)
    costs = cost.T[live.T]
    values = np.maximum(best - cost, 0) @ weights
    expected = best.copy()
    picks, drops = np.zeros(n, np.int64), np.zeros(n)
    lists = start, length, source, costs, np.ones(m), begins, at
    state = weights, values, best, owner, picks, drops
    made, _, slack = kernels.descend(4, 7, 1e-12, 1e-13, 1e-16, 10**9, *lists, *state)
    assert made == 4
    assert slack > 1e-13
    for rank in range(made):
        gains = np.maximum(expected - cost, 0) @ weights
        assert picks[rank] == gains.argmax()
        np.testing.assert_allclose(drops[rank], gains.max(), rtol=1e-12)
        assert (owner[cost[picks[rank]] < expected] >= 7 + rank).all()
        expected = np.minimum(expected, cost[picks[rank]])
    np.testing.assert_array_equal(best, expected)
    gains = np.maximum(best - cost, 0) @ weights
    left = np.setdiff1d(np.arange(n), picks[:made])
    np.testing.assert_allclose(values[left], gains[left], atol=1e-13)
    assert (values[picks[:made]] == -np.inf).all()


@pytest.mark.parametrize("kernels", [cpu, generic])
def test_descending_stops_where_two_gains_are_equal(kernels):
    cost = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    lists = np.arange(3), np.array([1, 1, 0], "i4"), np.arange(2, dtype="u2"), np.zeros(2)
    index = np.ones(3), np.array([0, 1, 2]), np.arange(2, dtype="i4")
    state = np.ones(3), 1 - cost.min(axis=1), np.ones(3), np.zeros(3, int)
    room = np.zeros(2, np.int64), np.zeros(2)
    made, _, _ = kernels.descend(2, 1, 1e-12, 0.0, 0.0, 99, *lists, *index, *state, *room)
    assert made == 0


@pytest.mark.parametrize("kernels", [cpu, generic])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_copy_costs_exactly_nothing(kernels, dtype):
    rng = np.random.default_rng(1)
    rows = (1e3 * rng.random((9, 13))).astype(dtype)
    scales, out = rng.random(9), np.empty((9, 9))
    kernels.direct(SQUARED, rows, rows, scales, scales, out)
    assert (out.diagonal() == 0).all()
    assert (out > 0).sum() == 72
    listed = np.empty(9)
    numbers = np.ones(9, np.int32), np.arange(9, dtype=np.int32)
    kernels.direct_pairs(SQUARED, rows, rows, scales, scales, *numbers, listed)
    assert (listed == 0).all()
    columns = np.tile(np.arange(13, dtype=np.int32), 9)
    stored = np.arange(0, 118, 13), columns, rows.ravel().astype("f8")
    kernels.direct_sparse(SQUARED, 13, *stored, *stored, scales, scales, out)
    assert (out.diagonal() == 0).all()
