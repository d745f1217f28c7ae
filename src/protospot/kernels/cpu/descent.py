"""Pick after pick from exact lists, in one go: lazy greedy with a heap of upper bounds.

Lists are short by now, so what counts is what happens between them: no slices are made, only
sources at the top of the heap are looked at, and some of them together, so that the memory that
one needs is on its way while another is looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from protospot.kernels.cpu.pairs import fetch
from protospot.kernels.forms import BEST, LOOK, WEIGHT
from protospot.kernels.jit import kernel
from protospot.types import Bools, Floats, Ints, Numbers

_BATCH = 31  # sources that are looked at together at most: five levels of a heap


@kernel()
def descend(
    most: int,
    patience: int,
    rank: int,
    tie: float,
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
    best: Floats,
    owner: Ints,
    picks: Ints,
    drops: Floats,
) -> tuple[int, int]:
    """Same as generic.descend."""
    made, spent = 0, 0
    weights, known_best = table[WEIGHT], table[BEST]
    lists = edges, begin, length, target, cost, best, weights
    batch = np.empty((3, _BATCH), np.int64)
    places, todo, looked = batch[0], batch[1], batch[2]
    bounds = np.empty(len(values))
    fresh = np.empty(len(values), np.int64)  # the number of picks made here that a gain knows of
    _begin(values, doubts, is_stale, bounds, fresh)
    heap = _heap(bounds)
    while made < most and spent < patience:
        reach = -np.inf  # below it a source is no rival of the leader
        ahead = 3  # places of the heap to look at: one of the first three is next
        while True:
            n = 0
            for place in range(min(ahead, len(heap))):
                who = heap[place]
                if bounds[who] <= reach:
                    continue
                if fresh[who] == made:
                    reach = max(reach, values[who] - doubts[who] - 2 * slack - tie)
                    continue
                places[n], todo[n] = place, who
                n += 1
            if n == 0:
                break
            ahead = min(_BATCH, 2 * ahead + 1)  # one more level of the heap
            _look_at_all(n, todo, looked, made, reach - slack, *lists, parts, values, doubts)
            for e in range(n - 1, -1, -1):  # bounds only fall: those below come first
                who, pairs = todo[e], looked[e]
                spent += abs(pairs)
                if pairs > 0:  # to the end
                    doubts[who], fresh[who] = 0.0, made
                    reach = max(reach, values[who] - 2 * slack - tie)
                bounds[who] = values[who] + doubts[who]
                _sift(heap, bounds, np.uintp(places[e]))
        leader = heap[0]
        is_sole = len(heap) == 1 or bounds[heap[_runner_up(heap, bounds)]] < reach
        is_sure = fresh[leader] == made and values[leader] - doubts[leader] - slack > tie
        if not (is_sole and is_sure):
            break
        drops[made] = _serve(leader, rank + made, *lists, known_best, owner)
        values[leader] = bounds[leader] = -np.inf
        _sift(heap, bounds, np.uintp(0))
        picks[made] = leader
        made += 1
    _end(fresh, made, is_stale)
    return made, spent


@kernel()
def _look_at_all(
    n: int,
    todo: Ints,
    looked: Ints,
    turn: int,
    bar: float,
    edges: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    best: Floats,
    weights: Floats,
    parts: Floats,
    values: Floats,
    doubts: Floats,
) -> None:
    """Look at some sources again; write how many pairs each had, as `_look_again` returns it."""
    lists = edges, begin, length, target, cost, best, weights
    for e in range(n):
        for part in range(len(edges) - 1):
            fetch(todo[e], part, begin, length, target, cost)
    for e in range(n):
        looked[e] = _look_again(todo[e], turn, bar, *lists, parts, values, doubts)


@kernel()
def _begin(values: Floats, doubts: Floats, is_stale: Bools, bounds: Floats, fresh: Ints) -> None:
    """Write upper bounds, and what is known; loops, as NumPy's words take seconds to compile."""
    for i in range(len(values)):
        bounds[i] = values[i] + doubts[i]
        fresh[i] = -1 if is_stale[i] else 0


@kernel()
def _end(fresh: Ints, made: int, is_stale: Bools) -> None:
    """Tell which gains are old after so many picks."""
    for i in range(len(fresh)):
        is_stale[i] = fresh[i] != made


@kernel(inline=True)
def _look_again(
    source: int,
    turn: int,
    bar: float,
    edges: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    best: Floats,
    weights: Floats,
    parts: Floats,
    values: Floats,
    doubts: Floats,
) -> int:
    """Bring a gain up to date until it falls below the bar, and drop pairs that died.

    Returns how many pairs were looked at, and that below zero where it fell before the end.
    """
    spent, step = 0, 0
    n_parts = len(edges) - 1
    while step < n_parts and values[source] + doubts[source] >= bar:
        part = (turn + step) % n_parts
        first, base = np.uintp(begin[source, part]), np.uintp(edges[part])
        count = np.uintp(length[source, part])
        kept, gain = first, 0.0
        for e in range(first, first + count):
            number, price = target[e], cost[e]
            j = base + np.uintp(number)
            fall = best[j] - np.float64(price)
            # Written always, kept while it lives: no branch to mispredict.
            target[kept], cost[kept] = number, price
            kept += np.uintp(fall > 0.0)
            gain += weights[j] * max(fall, 0.0)
        length[source, part] = kept - first
        values[source] += gain - parts[source, part]
        parts[source, part] = gain
        spent += LOOK + int(count)
        step += 1
    total = 0.0  # summed anew, or rounding would pile up
    for part in range(n_parts):
        total += parts[source, part]
    values[source] = total
    return spent if step == n_parts else -spent


@kernel(inline=True)
def _serve(
    source: int,
    rank: int,
    edges: Ints,
    begin: Ints,
    length: Numbers,
    target: Numbers,
    cost: Numbers,
    best: Floats,
    weights: Floats,
    known_best: Floats,
    owner: Ints,
) -> float:
    """Give a source the targets that it serves more cheaply; return by how much the cost falls."""
    drop = 0.0
    for part in range(len(edges) - 1):
        first, base = np.uintp(begin[source, part]), np.uintp(edges[part])
        for e in range(first, first + np.uintp(length[source, part])):
            j = base + np.uintp(target[e])
            before, after = best[j], np.float64(cost[e])
            if after < before:
                drop += weights[j] * (before - after)
                best[j] = known_best[j] = after
                owner[j] = rank
    return drop


@kernel()
def _heap(bounds: Floats) -> Ints:
    """Return the sources as a heap: none has a larger bound than the one above it."""
    heap = np.empty(len(bounds), np.int64)
    for i in range(len(bounds)):
        heap[i] = i
    for place in range(len(bounds) // 2 - 1, -1, -1):
        _sift(heap, bounds, np.uintp(place))
    return heap


@kernel(inline=True)
def _sift(heap: Ints, bounds: Floats, place: Any) -> None:
    """Move the source at a place, whose bound fell, down to where it belongs."""
    one, size = np.uintp(1), np.uintp(len(heap))
    at = np.uintp(place)
    who = heap[at]
    bound = bounds[who]
    below = at + at + one
    while below < size:
        if below + one < size and bounds[heap[below + one]] > bounds[heap[below]]:
            below += one
        if bounds[heap[below]] <= bound:
            break
        heap[at] = heap[below]
        at, below = below, below + below + one
    heap[at] = who


@kernel(inline=True)
def _runner_up(heap: Ints, bounds: Floats) -> Any:
    """Return the place of the largest bound but one."""
    if len(heap) > 2 and bounds[heap[2]] > bounds[heap[1]]:
        return np.uintp(2)
    return np.uintp(min(1, len(heap) - 1))
