"""Lists of live pairs: a few per target, walked and shortened as the selection grows."""

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
    at = 0
    for j in range(m):
        for p in range(pieces):
            for e in range(begins[p], begins[p] + counts[p, j]):
                out_source[at] = source[e]
                out_cost[at] = cost[e]
                at += 1
            begins[p] += counts[p, j]


@kernel()
def pair_gains(
    start: Ints,
    length: Numbers,
    source: Numbers,
    cost: Numbers,
    best: Floats,
    weights: Floats,
    out: Floats,
) -> None:
    """Same as generic.pair_gains."""
    for j in range(len(start)):
        for e in range(start[j], start[j] + length[j]):
            drop = best[j] - cost[e]
            if drop > 0:
                out[source[e]] += weights[j] * drop


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
        begin = start[j]
        kept = begin
        for e in range(begin, begin + length[j]):
            c = np.float64(cost[e])
            if c < high:
                out[source[e]] -= weight * (high - max(c, low))
            if c < limit:
                source[kept] = source[e]
                cost[kept] = cost[e]
                kept += 1
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
    at = 0
    for j in range(len(start)):
        begin, limit = at, limits[j]
        for e in range(start[j], start[j] + length[j]):
            if cost[e] < limit:
                out_source[at] = source[e]
                out_cost[at] = cost[e]
                at += 1
        out_length[j] = at - begin
    return at


@kernel()
def listing(start: Ints, length: Numbers, source: Numbers, wanted: int, out: Numbers) -> int:
    """Same as generic.listing; the lists are sorted by source."""
    found = 0
    for j in range(len(start)):
        low = start[j]
        high = end = low + length[j]
        while low < high:
            middle = (low + high) // 2
            if source[middle] < wanted:
                low = middle + 1
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
        for e in range(start[j], start[j] + length[j]):
            begins[source[e] + 1] += 1
    for i in range(1, len(begins)):
        begins[i] += begins[i - 1]
    for j in range(len(start)):
        for e in range(start[j], start[j] + length[j]):
            i = source[e]
            targets[begins[i]] = j
            begins[i] += 1
    for i in range(len(begins) - 1, 0, -1):
        begins[i] = begins[i - 1]
    begins[0] = 0
