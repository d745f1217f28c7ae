"""Lists of live pairs: a few per target, walked and shortened as the selection grows.

Places are unsigned (`np.uintp`): numba then need not ask whether an index counts from the end,
which would double the time of loops as short as these.
"""

from __future__ import annotations

import numpy as np

from protospot.kernels.jit import kernel
from protospot.types import Floats, Ints, Numbers


@kernel()
def merge(
    counts: Numbers, source: Numbers, cost: Numbers, out_source: Numbers, out_cost: Numbers
) -> None:
    """Same as generic.merge."""
    pieces, m = counts.shape
    begins = np.zeros(pieces, np.int64)
    total = 0
    for p in range(pieces):
        begins[p] = total
        for j in range(m):
            total += counts[p, j]
    at = np.uintp(0)
    for j in range(m):
        for p in range(pieces):
            begin = np.uintp(begins[p])
            number = np.uintp(counts[p, j])
            for e in range(number):
                out_source[at + e] = source[begin + e]
                out_cost[at + e] = cost[begin + e]
            at += number
            begins[p] += counts[p, j]


@kernel()
def pair_gains(
    start: Ints,
    length: Numbers,
    source: Numbers,
    cost: Numbers,
    best: Floats,
    weights: Floats,
    margins: Floats,
    out: Floats,
    doubt: Floats,
) -> None:
    """Same as generic.pair_gains."""
    for j in range(len(start)):
        begin, weight = np.uintp(start[j]), weights[j]
        unsure = weight * margins[j]
        for e in range(begin, begin + np.uintp(length[j])):
            who = np.uintp(source[e])
            out[who] += weight * max(best[j] - cost[e], 0.0)
            doubt[who] += unsure


@kernel()
def walk(
    targets: Numbers,
    before: Floats,
    after: Floats,
    margins: Floats,
    weights: Floats,
    start: Ints,
    length: Numbers,
    source: Numbers,
    cost: Numbers,
    out: Floats,
) -> None:
    """Same as generic.walk; also drops the pairs that died from the lists."""
    for t in range(len(targets)):
        j = targets[t]
        high, low, weight = before[t], after[t], weights[j]
        limit = low + margins[t]
        begin = np.uintp(start[j])
        kept = begin
        for e in range(begin, begin + np.uintp(length[j])):
            c = np.float64(cost[e])
            out[np.uintp(source[e])] -= weight * (high - min(max(c, low), high))
            # Written always, kept when live: no branch to mispredict.
            source[kept] = source[e]
            cost[kept] = cost[e]
            kept += np.uintp(c < limit)
        length[j] = kept - begin


@kernel()
def pack(
    start: Ints,
    length: Numbers,
    source: Numbers,
    cost: Numbers,
    limits: Floats,
    out_length: Numbers,
    out_source: Numbers,
    out_cost: Numbers,
) -> int:
    """Same as generic.pack."""
    at = np.uintp(0)
    for j in range(len(start)):
        before, limit = at, limits[j]
        begin = np.uintp(start[j])
        for e in range(begin, begin + np.uintp(length[j])):
            out_source[at] = source[e]
            out_cost[at] = cost[e]
            at += np.uintp(cost[e] < limit)
        out_length[j] = at - before
    return int(at)


@kernel()
def listing(start: Ints, length: Numbers, source: Numbers, wanted: int, out: Numbers) -> int:
    """Same as generic.listing; the lists are sorted by source."""
    found = 0
    for j in range(len(start)):
        low = np.uintp(start[j])
        high = end = low + np.uintp(length[j])
        while low < high:
            middle = (low + high) >> np.uintp(1)
            if source[middle] < wanted:
                low = middle + np.uintp(1)
            else:
                high = middle
        if low < end and source[low] == wanted:
            out[found] = j
            found += 1
    return found


@kernel()
def by_source(
    start: Ints, length: Numbers, source: Numbers, begins: Ints, targets: Numbers
) -> None:
    """Same as generic.by_source."""
    for j in range(len(start)):
        begin = np.uintp(start[j])
        for e in range(begin, begin + np.uintp(length[j])):
            begins[np.uintp(source[e]) + np.uintp(1)] += 1
    for i in range(1, len(begins)):
        begins[i] += begins[i - 1]
    for j in range(len(start)):
        begin = np.uintp(start[j])
        for e in range(begin, begin + np.uintp(length[j])):
            who = np.uintp(source[e])
            targets[np.uintp(begins[who])] = j
            begins[who] += 1
    for i in range(len(begins) - 1, 0, -1):
        begins[i] = begins[i - 1]
    begins[0] = 0
