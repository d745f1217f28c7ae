"""Lists of near pairs: those of source i lie from begin_i on, length_i of them.

They are all the pairs that cost less than their target's cutoff, with their costs. Prototypes have
positions; `near`, `low` and `high` hold the position of each target's cheapest prototype, its cost,
and the cost of the second cheapest.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

Array = Any  # of any library that follows the array API standard


def near_gains(
    sources: Array,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
    level: Array,
    weights: Array,
    out: Array,
) -> None:
    """Write what each of these sources would gain below a level: sum_j w_j (level_j - c_ij)+."""
    xp = array_namespace(cost, level)
    for n in range(sources.shape[0]):
        targets, costs = _list(int(sources[n]), begin, length, target, cost)
        falls = xp.clip(xp.take(level, targets) - costs, min=0)
        out[n] = xp.sum(xp.take(weights, targets) * falls)


def near_counts(
    sources: Array,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
    level: Array,
    out: Array,
) -> None:
    """Write how many of these sources cost each target less than its level."""
    xp = array_namespace(cost, level)
    out[...] = 0
    for n in range(sources.shape[0]):
        targets, costs = _list(int(sources[n]), begin, length, target, cost)
        for j in targets[costs < xp.take(level, targets)]:
            out[int(j)] += 1


def serve(
    prototypes: Array,
    marked: Array,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
    near: Array,
    low: Array,
    high: Array,
) -> None:
    """Find the two cheapest prototypes of each marked target; infinity where none is listed.

    Of equal costs the prototype that comes first is the cheapest.
    """
    xp = array_namespace(cost, low)
    low[...] = xp.where(marked, xp.inf, low)
    high[...] = xp.where(marked, xp.inf, high)
    near[...] = xp.where(marked, xp.asarray(0, dtype=near.dtype), near)
    for p in range(prototypes.shape[0]):
        targets, costs = _list(int(prototypes[p]), begin, length, target, cost)
        for e in range(targets.shape[0]):
            j, price = int(targets[e]), float(costs[e])
            if not marked[j]:
                continue
            if price < float(low[j]):
                high[j], low[j], near[j] = float(low[j]), price, p
            elif price < float(high[j]):
                high[j] = price


def find_swap(
    first: int,
    count: int,
    least: float,
    keep: int,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
    weights: Array,
    near: Array,
    low: Array,
    high: Array,
    is_free: Array,
    change: Array,
) -> tuple[int, int, float]:
    """Look for a source that lowers the cost by more than `least` in the place of a prototype.

    Sources are looked at in order, `count` of them from `first` on; the last is followed by the
    first. Returns the source, the position of the prototype that should make room, and by how
    much the cost would fall; -1, -1 and 0 where there is none. The first `keep` positions stay.
    `change` is room for a number per position.
    """
    xp = array_namespace(cost, low)
    removal = xp.zeros_like(change)
    for j in range(near.shape[0]):
        p = int(near[j])
        removal[p] = removal[p] + weights[j] * (high[j] - low[j])
    for step in range(count):
        i = (first + step) % begin.shape[0]
        if not is_free[i]:
            continue
        targets, costs = _list(i, begin, length, target, cost)
        floor, ceiling = xp.take(low, targets), xp.take(high, targets)
        mass, owner = xp.take(weights, targets), xp.take(near, targets)
        shared = float(xp.sum(mass * xp.clip(floor - costs, min=0)))
        # A target that loses its prototype goes to the new one where that costs less than `high`.
        kept = mass * xp.clip(ceiling - xp.maximum(costs, floor), min=0)
        change[...] = removal
        for e in range(targets.shape[0]):
            p = int(owner[e])
            change[p] = change[p] - kept[e]
        position = keep + int(xp.argmin(change[keep:]))
        fall = shared - float(change[position])
        if fall > least:
            return i, position, fall
    return -1, -1, 0.0


def _list(
    source: int, begin: Array, length: Array, target: Array, cost: Array
) -> tuple[Array, Array]:
    xp = array_namespace(target)
    first = int(begin[source])
    mine = slice(first, first + int(length[source]))
    return xp.astype(target[mine], xp.int64), xp.astype(cost[mine], xp.float64)
