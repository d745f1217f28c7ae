"""Lists of near pairs, walked: what a source gains, which swap pays, who serves a target."""

from __future__ import annotations

import numpy as np

from protospot.kernels.jit import FUSE, MAXIMUM, kernel
from protospot.types import Bools, Floats, Ints, Numbers


@kernel(FUSE | MAXIMUM)
def near_gains(
    sources: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    level: Floats,
    weights: Floats,
    out: Floats,
) -> None:
    """Same as generic.near_gains."""
    for n in range(len(sources)):
        first = np.uintp(begin[sources[n]])
        total = 0.0
        for e in range(first, first + np.uintp(length[sources[n]])):
            j = np.uintp(target[e])
            total += weights[j] * max(level[j] - np.float64(cost[e]), 0.0)
        out[n] = total


@kernel()
def near_counts(
    sources: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    level: Floats,
    out: Ints,
) -> None:
    """Same as generic.near_counts."""
    out[:] = 0
    for n in range(len(sources)):
        first = np.uintp(begin[sources[n]])
        for e in range(first, first + np.uintp(length[sources[n]])):
            j = np.uintp(target[e])
            out[j] += np.float64(cost[e]) < level[j]


@kernel()
def serve(
    prototypes: Ints,
    marked: Bools,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    near: Ints,
    low: Floats,
    high: Floats,
) -> None:
    """Same as generic.serve."""
    for t in range(len(marked)):
        if marked[t]:
            low[t] = high[t] = np.inf
            near[t] = 0
    for p in range(len(prototypes)):
        first = np.uintp(begin[prototypes[p]])
        for e in range(first, first + np.uintp(length[prototypes[p]])):
            j, price = np.uintp(target[e]), np.float64(cost[e])
            if not marked[j]:
                continue
            if price < low[j]:
                high[j], low[j], near[j] = low[j], price, p
            elif price < high[j]:
                high[j] = price


@kernel()
def find_swap(
    first: int,
    count: int,
    least: float,
    keep: int,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    weights: Floats,
    near: Ints,
    low: Floats,
    high: Floats,
    is_free: Bools,
    change: Floats,
) -> tuple[int, int, float]:
    """Same as generic.find_swap."""
    removal = np.zeros(len(change))
    for t in range(len(near)):
        removal[near[t]] += weights[t] * (high[t] - low[t])
    for step in range(count):
        i = (first + step) % len(begin)
        if not is_free[i]:
            continue
        shared = 0.0
        for p in range(len(change)):
            change[p] = removal[p]
        start = np.uintp(begin[i])
        for e in range(start, start + np.uintp(length[i])):
            j, price = np.uintp(target[e]), np.float64(cost[e])
            floor, ceiling = low[j], high[j]
            # A target that loses its prototype goes to the new one where that is below `high`.
            shared += weights[j] * max(floor - price, 0.0)
            change[near[j]] -= weights[j] * max(ceiling - max(price, floor), 0.0)
        position, smallest = keep, change[keep]
        for p in range(keep + 1, len(change)):
            if change[p] < smallest:
                position, smallest = p, change[p]
        if shared - smallest > least:
            return i, position, shared - smallest
    return -1, -1, 0.0
