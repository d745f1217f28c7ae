"""Lists of live pairs: a few per source, walked and shortened as the selection grows.

Places are unsigned (`np.uintp`): numba then need not ask whether an index counts from the end,
which would double the time of loops as short as these.
"""

from __future__ import annotations

import numpy as np

from protospot.kernels.cpu.processor import LANES, marked, number, prefetch, take, widest
from protospot.kernels.forms import BEST, LOOK, MARGIN, SCALE, WEIGHT
from protospot.kernels.jit import FUSE, MAXIMUM, kernel
from protospot.types import Bools, Floats, Ints, Numbers

_FEW = 0.9  # share of a list that lives, below which it is worth to drop the others


@kernel()
def merge(
    starts: Ints,
    bases: Ints,
    counts: Numbers,
    target: Numbers,
    cost: Numbers,
    inverse: Numbers,
    shift: float,
    out_target: Numbers,
    out_cost: Numbers,
) -> None:
    """Same as generic.merge."""
    total = 0
    places = np.empty(len(starts), np.int64)
    for g in range(len(bases)):
        places[g] = starts[g]
        for i in range(counts.shape[1]):
            total += counts[g, i]
    if len(bases) == 1:  # which is in order as it is
        _copy(starts[0], total, target, cost, bases[0], inverse, shift, 0, out_target, out_cost)
        return
    at = 0
    for i in range(counts.shape[1]):
        for g in range(len(bases)):
            count = counts[g, i]
            _copy(
                places[g], count, target, cost, bases[g], inverse, shift, at, out_target, out_cost
            )
            places[g] += count
            at += count


@kernel(inline=True)
def _copy(
    begin: int,
    count: int,
    target: Numbers,
    cost: Numbers,
    base: int,
    inverse: Numbers,
    shift: float,
    at: int,
    out_target: Numbers,
    out_cost: Numbers,
) -> None:
    """Copy so many pairs from `begin` on to `at`, as they are to be listed."""
    first, ahead, origin = np.uintp(begin), np.uintp(at), np.uintp(base)
    half = cost.dtype.type(shift)
    if half == 0:  # nothing is coded: no need to look up any target's scale
        for e in range(np.uintp(count)):
            out_target[ahead + e] = origin + np.uintp(target[first + e])
            out_cost[ahead + e] = cost[first + e]
        return
    for e in range(np.uintp(count)):
        number = origin + np.uintp(target[first + e])
        out_target[ahead + e] = number
        out_cost[ahead + e] = max(cost[first + e] * inverse[number] + half, half)


@kernel(FUSE | MAXIMUM)
def _walk(
    best: Floats,
    scale: Floats,
    margin: Floats,
    weight: Floats,
    target: Numbers,
    cost: Numbers,
    marks: Numbers,
) -> tuple[float, float, int]:
    """Mark the pairs of a list that live; return its gain, how far off, and how many live."""
    gain, doubt, live = 0.0, 0.0, 0
    for e in range(len(target)):
        j = np.uintp(target[e])
        fall, unsure, mass = best[j] - scale[j] * cost[e], margin[j], weight[j]
        is_live = fall > -unsure
        gain += mass * max(fall, 0.0)
        doubt += mass * unsure if is_live else 0.0
        live += is_live
        marks[e] = is_live
    return gain, doubt, live


@kernel(FUSE)
def _mark(
    best: Floats, scale: Floats, margin: Floats, target: Numbers, cost: Numbers, marks: Numbers
) -> None:
    """Mark the pairs of a list that live."""
    for e in range(len(target)):
        j = np.uintp(target[e])
        marks[e] = best[j] - scale[j] * cost[e] > -margin[j]


@kernel()
def _keep(values: Numbers, marks: Numbers, first: int, count: int, out: Numbers, at: int) -> int:
    """Write the marked of so many values from `first` on to `out`; return how many."""
    place = np.uintp(at)
    whole = np.uintp(count) - np.uintp(count) % np.uintp(LANES)
    mine = values[first : first + count]
    for e in range(np.uintp(0), whole, np.uintp(LANES)):
        mask = marked(marks, e)
        take(mine, mask, e, out, place)
        place += np.uintp(number(mask))
    for e in range(whole, np.uintp(count)):
        if marks[e]:
            out[place] = mine[e]
            place += np.uintp(1)
    return int(place - np.uintp(at))


@kernel(inline=True)
def fetch(
    source: int, part: int, begin: Ints, length: Numbers, target: Numbers, cost: Numbers
) -> None:
    """Ask for a part of a list before it is looked at: lists lie anywhere in memory."""
    first = np.uintp(begin[source, part])
    for e in range(first, first + np.uintp(length[source, part]), np.uintp(LANES)):
        prefetch(target, e)
        prefetch(cost, e)


@kernel()
def _look(
    i: int,
    part: int,
    table: Floats,
    edges: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    parts: Floats,
    values: Floats,
    marks: Numbers,
) -> float:
    """Bring a part of a gain up to date, and drop pairs that died; return how far off it may be."""
    first, count, base = begin[i, part], length[i, part], edges[part]
    mine = target[first : first + count], cost[first : first + count]
    of = table[BEST, base:], table[SCALE, base:], table[MARGIN, base:], table[WEIGHT, base:]
    gain, doubt, live = _walk(*of, *mine, marks)
    if live < _FEW * count:
        _keep(target, marks, first, count, target, first)
        _keep(cost, marks, first, count, cost, first)
        length[i, part] = live
    values[i] += gain - parts[i, part]
    parts[i, part] = gain
    return doubt


@kernel()
def contest_listed(
    sources: Ints,
    bar: float,
    turn: int,
    slack: float,
    table: Floats,
    edges: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    parts: Floats,
    values: Floats,
    doubts: Floats,
    is_stale: Bools,
) -> int:
    """Same as generic.contest_listed; also drops the pairs that died from the lists."""
    spent, n_left = 0, len(sources)
    n_parts = len(edges) - 1
    left, unsure = sources.copy(), np.zeros(n_left)
    marks = np.empty(widest(edges), np.uint8)
    lists = table, edges, begin, length, target, cost
    for step in range(n_parts):
        part, kept = (turn + step) % n_parts, 0
        for n in range(n_left):
            i = left[n]
            fetch(left[min(n + 1, n_left - 1)], part, begin, length, target, cost)
            spent += LOOK + length[i, part]
            left[kept] = i
            unsure[kept] = unsure[n] + _look(i, part, *lists, parts, values, marks)
            kept += values[i] + doubts[i] + slack >= bar
        n_left = kept
    for n in range(n_left):
        i = left[n]
        # Summed anew, or rounding would pile up.
        values[i], doubts[i], is_stale[i] = parts[i].sum(), unsure[n], False
    return spent


@kernel()
def listing(
    source: int,
    table: Floats,
    edges: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    out: Ints,
) -> int:
    """Same as generic.listing."""
    found = np.uintp(0)
    for part in range(len(edges) - 1):
        first, base = np.uintp(begin[source, part]), np.uintp(edges[part])
        for e in range(first, first + np.uintp(length[source, part])):
            j = base + np.uintp(target[e])
            out[found] = j
            fall = table[BEST, j] - table[SCALE, j] * cost[e]
            found += np.uintp(fall > -table[MARGIN, j])
    return int(found)


@kernel()
def pack(
    sources: Ints,
    table: Floats,
    edges: Ints,
    groups: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    out_length: Numbers,
    out_target: Numbers,
    out_cost: Numbers,
) -> int:
    """Same as generic.pack."""
    at = 0
    marks = np.empty(widest(edges), np.uint8)
    for n in range(len(sources)):
        i = sources[n]
        for group in range(len(groups) - 1):
            before, origin = at, edges[groups[group]]
            for part in range(groups[group], groups[group + 1]):
                first, count, base = begin[i, part], length[i, part], edges[part]
                mine = target[first : first + count], cost[first : first + count]
                _mark(table[BEST, base:], table[SCALE, base:], table[MARGIN, base:], *mine, marks)
                _keep(cost, marks, first, count, out_cost, at)
                kept = _keep(target, marks, first, count, out_target, at)
                for e in range(at, at + kept):
                    out_target[e] += base - origin
                at += kept
            out_length[n, group] = at - before
    return at
