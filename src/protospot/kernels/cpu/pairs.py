"""Lists of live pairs: a few per target, walked and shortened as the selection grows.

Places are unsigned (`np.uintp`): numba then need not ask whether an index counts from the end,
which would double the time of loops as short as these.
"""

from __future__ import annotations

import numpy as np

from protospot.kernels.jit import kernel
from protospot.types import Floats, Ints, Numbers


@kernel()
def tally(start: Ints, length: Numbers, numbers: Numbers, out: Ints) -> None:
    """Same as generic.tally."""
    for j in range(len(start)):
        begin = np.uintp(start[j])
        for e in range(begin, begin + np.uintp(length[j])):
            out[np.uintp(numbers[e])] += 1


@kernel()
def by_target(
    first: int,
    counts: Numbers,
    target: Numbers,
    cost: Numbers,
    inverse: Numbers,
    shift: float,
    at: Ints,
    out_source: Numbers,
    out_cost: Numbers,
) -> None:
    """Same as generic.by_target."""
    half = cost.dtype.type(shift)
    e = np.uintp(0)
    for i in range(len(counts)):
        for _ in range(counts[i]):
            j = np.uintp(target[e])
            place = np.uintp(at[j])
            at[j] += 1
            out_source[place] = first + i
            code = cost[e] * inverse[j] + half
            out_cost[place] = code if half == 0 else max(code, half)
            e += np.uintp(1)


@kernel()
def by_source(
    first: int, start: Ints, length: Numbers, source: Numbers, at: Ints, targets: Numbers
) -> None:
    """Same as generic.by_source."""
    for j in range(len(start)):
        begin = np.uintp(start[j])
        for e in range(begin, begin + np.uintp(length[j])):
            who = np.uintp(source[e])
            targets[np.uintp(at[who])] = first + j
            at[who] += 1


@kernel()
def pair_gains(
    start: Ints,
    length: Numbers,
    source: Numbers,
    cost: Numbers,
    scales: Floats,
    best: Floats,
    weights: Floats,
    margins: Floats,
    out: Floats,
    doubt: Floats,
) -> None:
    """Same as generic.pair_gains."""
    for j in range(len(start)):
        begin, weight, scale = np.uintp(start[j]), weights[j], scales[j]
        unsure = weight * margins[j]
        for e in range(begin, begin + np.uintp(length[j])):
            who = np.uintp(source[e])
            out[who] += weight * max(best[j] - scale * cost[e], 0.0)
            doubt[who] += unsure


@kernel()
def walk(
    targets: Numbers,
    before: Floats,
    after: Floats,
    margins: Floats,
    scales: Floats,
    weights: Floats,
    start: Ints,
    length: Numbers,
    source: Numbers,
    cost: Numbers,
    out: Floats,
) -> int:
    """Same as generic.walk; also drops the pairs that died from the lists."""
    dropped = 0
    for t in range(len(targets)):
        j = targets[t]
        high, low, weight, scale = before[t], after[t], weights[j], scales[j]
        limit = low + margins[j]
        begin = np.uintp(start[j])
        kept = begin
        for e in range(begin, begin + np.uintp(length[j])):
            c = scale * cost[e]
            out[np.uintp(source[e])] -= weight * (high - min(max(c, low), high))
            # Written always, kept when live: no branch to mispredict.
            source[kept] = source[e]
            cost[kept] = cost[e]
            kept += np.uintp(c < limit)
        dropped += length[j] - np.int64(kept - begin)
        length[j] = kept - begin
    return dropped


@kernel()
def pack(
    start: Ints,
    length: Numbers,
    source: Numbers,
    cost: Numbers,
    scales: Floats,
    limits: Floats,
    out_length: Numbers,
    out_source: Numbers,
    out_cost: Numbers,
) -> int:
    """Same as generic.pack."""
    at = np.uintp(0)
    for j in range(len(start)):
        before, limit, scale = at, limits[j], scales[j]
        begin = np.uintp(start[j])
        for e in range(begin, begin + np.uintp(length[j])):
            out_source[at] = source[e]
            out_cost[at] = cost[e]
            at += np.uintp(scale * cost[e] < limit)
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
