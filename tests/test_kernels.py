"""Compiled kernels do what the generic ones say, and those need no more than the array standard."""

import inspect
from typing import Any

import array_api_strict
import numpy as np
import pytest

from protospot.kernels import cpu, generic
from protospot.kernels.forms import ABSOLUTE, PRODUCT, SQUARED

SHAPES = [(1, 1), (1, 7), (5, 1), (4, 3), (8, 16), (13, 31), (37, 66)]  # targets x sources
FILLS = (0.0, 0.3, 1.0)  # share of pairs that are live: none, some, all


def lists(rng, shape, dtype, fill):
    """Live pairs as workers gather them: targets in any order, gaps in between, lists empty."""
    m, n = shape
    live = [np.flatnonzero(rng.random(n) < fill) for _ in range(m)]
    start, at = np.zeros(m, np.int64), 0
    source = rng.integers(0, n, 2 * m * n + 8).astype(np.int32)
    for j in rng.permutation(m):
        start[j] = at
        source[at : at + len(live[j])] = live[j]
        at += len(live[j]) + int(rng.integers(0, 3))
    cost = rng.random(len(source)).astype(dtype)
    return start, np.array([len(x) for x in live], np.int32), source, cost


def tile_arguments(name, rng, shape, dtype, fill):
    m, n = shape
    # Whole numbers: equal costs, and costs equal to the limits.
    tile = rng.integers(0, 9, shape).astype(dtype) / dtype.type(3)
    mass, out = rng.random(m).astype(dtype), 5 * rng.random(n)
    high = (rng.integers(2, 9, m) * fill / 3).astype(dtype)
    low = high * rng.integers(0, 3, m).astype(dtype) / dtype.type(2)
    best, second = np.sort(rng.integers(1, 9, (2, m)) / 3, axis=0)
    room = np.empty(m * n + 1, np.int32), np.empty(m * n + 1, dtype)
    return {
        "sums": (tile, rng.random(m), out),
        "gains": (tile, high, mass, out),
        "lower": (tile, high, low, mass, out),
        "nearest": (tile, 70, best, second, rng.integers(0, 70, m)),
        "collect": (tile, high, 70, *room, np.empty(m, np.int32)),
    }[name]


def pair_arguments(name, rng, shape, dtype, fill):
    m, n = shape
    known = start, length, source, _ = lists(rng, shape, dtype, fill)
    best, weights, margins = rng.random(m), rng.random(m), rng.integers(0, 2, m) / 16
    targets = np.flatnonzero(rng.random(m) < 0.7).astype(rng.choice(["i4", "i8"]))
    before = 0.5 + best[targets]
    counts = rng.integers(0, 3, (5, m)).astype(np.int32)
    pieces = rng.integers(0, n, counts.sum()).astype(np.int32), rng.random(counts.sum())
    total = int(length.sum())
    out, room = rng.random(n), (np.empty(total + 1, np.int32), np.empty(total + 1, dtype))
    return {
        "merge": (counts, *pieces, np.empty_like(pieces[0]), np.empty_like(pieces[1])),
        "pair_gains": (*known, best, weights, margins, out, rng.random(n)),
        "walk": (targets, before, best[targets], margins[targets], weights, *known, out),
        "pack": (*known, best, np.empty_like(length), *room),
        "listing": (start, length, source, int(rng.integers(0, n)), np.empty(m, np.int64)),
        "by_source": (start, length, source, np.zeros(n + 1, np.int64), np.empty(total, np.int32)),
    }[name]


def direct_arguments(name, rng, shape, dtype, fill, form):
    (m, n), width = shape, int(rng.integers(1, 9))
    y, x = (rng.normal(size=(rows, width)).astype(dtype) for rows in shape)
    x[0] = y[0]
    p, q, out = rng.random(n), rng.random(m), np.empty((m, n))
    p[0] = q[0]
    if name == "direct":
        return form, x, y, p, q, out
    if name == "direct_pairs":
        _, counts, _, _ = lists(rng, shape, dtype, fill)
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
        if name in ("sums", "gains", "lower", "nearest", "collect"):
            yield tile_arguments(name, rng, shape, dtype, fill)
        elif name.startswith("direct"):
            for form in (SQUARED, ABSOLUTE, PRODUCT):
                yield direct_arguments(name, rng, shape, dtype, fill, form)
        else:
            yield pair_arguments(name, rng, shape, dtype, fill)


def run(kernels, name, arguments, xp=np):
    """What a kernel returns, and the arrays as it leaves them, as far as it promises anything."""
    arrays = [xp.asarray(x.copy()) if isinstance(x, np.ndarray) else x for x in arguments]
    found = getattr(kernels, name)(*arrays)
    left = [np.asarray(x) for x in arrays]
    if name in ("collect", "pack"):
        at = 3 if name == "collect" else 6
        left[at], left[at + 1] = left[at][:found], left[at + 1][:found]
    if name == "listing":
        left[-1] = left[-1][:found]
    if name == "walk":
        del left[6:9]  # whether dead pairs stay is left open
    return found, left


def assert_alike(one, other, rtol):
    assert one[0] == other[0]
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
@pytest.mark.parametrize("name", cpu.__all__)
def test_a_compiled_kernel_does_what_its_generic_twin_does(name, shape, dtype):
    is_rounded = dtype == "f4" and name in ("gains", "lower")  # four terms are added in float32
    for given in draws(name, shape, dtype):
        compiled, expected = run(cpu, name, given), run(generic, name, given)
        assert_alike(compiled, expected, rtol=3e-6 if is_rounded else 1e-13)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 1), (13, 31)])
@pytest.mark.parametrize("name", generic.__all__)
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
        kernels.pair_gains(*lists, one, one, zero, gains, np.zeros(n))
    else:
        kernels.walk(np.arange(m), one, zero, zero, one, *lists, gains)
    np.testing.assert_allclose(np.abs(gains), (1 - cost).sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_walking_drops_the_pairs_that_died_and_no_other(shape, dtype):
    for arguments in draws("walk", shape, dtype):
        targets, _, after, margins = arguments[:4]
        limits = np.full(shape[0], np.inf)
        limits[targets] = after + margins
        expected = listed(arguments, limits)
        left = [x.copy() for x in arguments]
        cpu.walk(*left)
        assert listed(left, np.full(shape[0], np.inf)) == expected


def listed(arguments, limits):
    start, length, source, cost = arguments[5:9]
    ends = zip(start, start + length, strict=True)
    pairs = [zip(source[a:b], cost[a:b], strict=True) for a, b in ends]
    return [[p for p in mine if p[1] < top] for mine, top in zip(pairs, limits, strict=True)]


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
