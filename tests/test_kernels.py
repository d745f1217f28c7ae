"""Compiled kernels do what the generic ones say, and those need no more than the array standard."""

import inspect
from itertools import pairwise
from typing import Any

import array_api_strict
import numpy as np
import pytest

from protospot.kernels import cpu, generic
from protospot.kernels.cpu.processor import LANES, below, marked, number, take, take_by_loop
from protospot.kernels.forms import BEST, MARGIN, SCALE, SQUARED
from protospot.kernels.jit import kernel
from tests.kernel_arguments import SHAPES, TILES, draws, edges_of, lists, table_of

# What a kernel fills, from an array of arguments on, up to how many it returns.
FILLED = {"collect": (6, 2), "pack": (9, 2), "listing": (7, 1), "contenders": (4, 1)}
FILLED |= {"settle": (4, 3), "rivals": (5, 1)}
LISTS = slice(7, 10)  # those of `contest_listed`: whether dead pairs stay is left open


# `descend` is many steps of a selection: it is tested as such, below.
ALONE = [name for name in cpu.__all__ if name != "descend"]


def run(kernels, name, arguments, xp=np):
    """What a kernel returns, and the arrays as it leaves them, as far as it promises anything."""
    arrays = [xp.asarray(x.copy()) if isinstance(x, np.ndarray) else x for x in arguments]
    found = getattr(kernels, name)(*arrays)
    left = [np.asarray(x) for x in arrays]
    first, amount = FILLED.get(name, (0, 0))
    total = found[0] if name == "settle" else found
    for at in range(first, first + amount):
        left[at] = left[at][:total]
    if name == "contest_listed":
        del left[LISTS]
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


@pytest.mark.parametrize("dtype", ["u2", "i4", "f4", "f8"])
@pytest.mark.parametrize("way", [take, take_by_loop], ids=["here", "elsewhere"])
def test_the_marked_of_sixteen_values_are_taken_in_order(way, dtype):
    @kernel()
    def pick(given, marks, out):
        mask = marked(marks, 3)
        way(given, mask, 3, out, 2)
        return number(mask)

    rng = np.random.default_rng(0)
    for share in (0.0, 0.1, 0.5, 1.0):
        given = rng.integers(0, 1000, LANES + 3).astype(dtype)
        marks = (rng.random(len(given)) < share).astype("u1")
        out = np.zeros(LANES + 3, dtype)
        expected = given[3:][marks[3:] == 1]
        assert pick(given, marks, out) == len(expected)
        np.testing.assert_array_equal(out[2 : 2 + len(expected)], expected)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_bit_of_the_mask_is_set_where_a_value_is_below_its_limit(dtype):
    @kernel()
    def mask_of(values, limits):
        return below(values, limits, 1)

    rng = np.random.default_rng(0)
    values, limits = rng.integers(0, 4, (2, LANES + 1)).astype(dtype)
    bits = [int(bit) for bit in f"{mask_of(values, limits):016b}"[::-1]]
    np.testing.assert_array_equal(bits, values[1:] < limits[1:])


@pytest.mark.parametrize("kernels", [cpu, generic])
def test_a_small_gain_keeps_its_digits_beside_large_ones(kernels):
    m, n = 300, 50
    rng = np.random.default_rng(0)
    cost = rng.random((n, m))
    cost[7] = 1 - 1e-9 * cost[7]
    pairs = lists(rng, np.ones((n, m), bool), edges_of(rng, m), cost)
    table = table_of(np.ones(m), 1.0, 0.0, 1.0)
    parts = np.full((n, len(pairs[0]) - 1), 1e3)
    values, doubts, is_stale = parts.sum(axis=1), np.zeros(n), np.ones(n, bool)
    known = parts, values, doubts, is_stale
    kernels.contest_listed(np.arange(n), -np.inf, 1, 0.0, table, *pairs, *known)
    assert not is_stale.any()
    np.testing.assert_allclose(values, (1 - cost).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_looking_at_a_list_drops_pairs_that_died_and_no_other(shape, dtype):
    for arguments in draws("contest_listed", shape, dtype):
        given: list[Any] = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
        given[1] = -np.inf
        table = given[4]
        table[BEST] *= 0.3
        limits = table[BEST] + table[MARGIN]
        before, live = (pairs_of(given, bar) for bar in (np.full(shape[1], np.inf), limits))
        cpu.contest_listed(*given)
        after = pairs_of(given, np.full(shape[1], np.inf))
        for i in given[0]:
            for part in range(len(given[5]) - 1):
                kept, alive = after[i][part], live[i][part]
                is_worth_it = len(alive) < 0.9 * len(before[i][part])
                assert kept == (alive if is_worth_it else before[i][part])


def pairs_of(arguments, limits):
    """The listed (target, cost) below their target's limit, by source and part."""
    table, edges, begin, length, target, cost = arguments[4:10]
    found = []
    for starts, sizes in zip(begin, length, strict=True):
        mine = []
        for b, (first, size) in enumerate(zip(starts, sizes, strict=True)):
            run = slice(first, first + size)
            numbers = edges[b] + target[run].astype(int)
            costs = table[SCALE, numbers] * cost[run]
            is_below = table[BEST, numbers] - costs > table[BEST, numbers] - limits[numbers]
            mine.append(list(zip(numbers[is_below], cost[run][is_below], strict=True)))
        found.append(mine)
    return found


def descent(rng, cost, best, weights, kernels, most):
    """The picks that `descend` makes, their drops, and the state it leaves."""
    n, m = cost.shape
    live = cost < best
    pairs = lists(rng, live, edges_of(rng, m), cost)
    edges = pairs[0]
    gains = np.maximum(best - cost, 0) * weights
    parts = np.stack([gains[:, a:b].sum(axis=1) for a, b in pairwise(edges)], 1)
    parts += rng.random(parts.shape)  # old gains: upper bounds
    values, doubts = parts.sum(axis=1), rng.random(n)
    is_stale = np.ones(n, bool)
    best, owner = best.copy(), np.full(m, -1)
    picks, drops = np.zeros(most, np.int64), np.zeros(most)
    made, spent = kernels.descend(
        *(most, 10**9, 7, 1e-12, 1e-13),
        *(table_of(best, 1.0, 0.0, weights), *pairs, parts, values, doubts, is_stale),
        *(best, owner, picks, drops),
    )
    assert made == 0 or spent > 0
    return picks[:made], drops[:made], best, owner, values + doubts, values, is_stale


@pytest.mark.parametrize("kernels", [cpu, generic])
@pytest.mark.parametrize("shape", [(5, 9), (13, 31), (37, 66)])
def test_descending_is_picking_the_largest_gain_again_and_again(shape, kernels):
    n, m = shape
    rng = np.random.default_rng(shape)
    cost, weights = rng.random((n, m)), rng.random(m)
    expected = np.full(m, 0.8)
    found = descent(rng, cost, expected, weights, kernels, 4)
    picks, drops, best, owner, bounds, values, is_stale = found
    assert len(picks) == 4
    for rank, (pick, drop) in enumerate(zip(picks, drops, strict=True)):
        gains = np.maximum(expected - cost, 0) @ weights
        assert pick == gains.argmax()
        np.testing.assert_allclose(drop, gains.max(), rtol=1e-12)
        assert (owner[cost[pick] < expected] >= 7 + rank).all()
        expected = np.minimum(expected, cost[pick])
    np.testing.assert_array_equal(best, expected)
    gains = np.maximum(best - cost, 0) @ weights
    left = np.setdiff1d(np.arange(n), picks)
    assert (bounds[left] >= gains[left] - 1e-13).all()
    fresh = left[~is_stale[left]]
    np.testing.assert_allclose(values[fresh], gains[fresh], atol=1e-13)
    assert (values[picks] == -np.inf).all()


@pytest.mark.parametrize("kernels", [cpu, generic])
def test_descending_stops_where_two_gains_are_equal_and_where_none_is_left(kernels):
    rng = np.random.default_rng(0)
    equal = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5], [0.9, 0.9, 0.9]])
    assert len(descent(rng, equal, np.ones(3), np.ones(3), kernels, 3)[0]) == 0
    single = np.array([[0.0, 0.0, 0.5], [1.0, 0.0, 0.5]])
    assert descent(rng, single, np.ones(3), np.ones(3), kernels, 2)[0].tolist() == [0]


@pytest.mark.parametrize("kernels", [cpu, generic])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_copy_costs_exactly_nothing(kernels, dtype):
    rng = np.random.default_rng(1)
    rows = (1e3 * rng.random((9, 13))).astype(dtype)
    scales, out = rng.random(9), np.empty((9, 9))
    kernels.direct(SQUARED, rows, rows, scales, scales, out)
    assert (out.diagonal() == 0).all()
    assert (out > 0).sum() == 72
    alone = np.empty(9)
    numbers = np.ones(9, np.int32), np.arange(9, dtype=np.int32)
    kernels.direct_pairs(SQUARED, rows, rows, scales, scales, *numbers, alone)
    assert (alone == 0).all()
    columns = np.tile(np.arange(13, dtype=np.int32), 9)
    stored = np.arange(0, 118, 13), columns, rows.ravel().astype("f8")
    kernels.direct_sparse(SQUARED, 13, *stored, *stored, scales, scales, out)
    assert (out.diagonal() == 0).all()
