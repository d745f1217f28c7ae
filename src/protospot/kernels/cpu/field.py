"""The field of sources, as a pick sees it: who may lead, and which targets a pick serves better."""

from __future__ import annotations

import numpy as np

from protospot.kernels.jit import MAXIMUM, kernel
from protospot.types import Floats, Ints, Numbers


@kernel(MAXIMUM)
def contenders(values: Floats, doubts: Floats, slack: float, tie: float, out: Ints) -> int:
    """Same as generic.contenders."""
    bar = values[0] - doubts[0]
    for i in range(len(values)):
        bar = max(bar, values[i] - doubts[i])
    reach = bar - tie - 2 * slack
    found = np.uintp(0)
    for i in range(np.uintp(len(values))):
        if values[i] + doubts[i] >= reach:
            out[found] = i
            found += np.uintp(1)
    return int(found)


@kernel()
def settle(
    targets: Numbers,
    costs: Floats,
    weights: Floats,
    best: Floats,
    changed: Ints,
    before: Floats,
    after: Floats,
) -> tuple[int, float]:
    """Same as generic.settle."""
    found, drop = 0, 0.0
    for e in range(len(targets)):
        j = np.uintp(targets[e])
        if costs[e] < best[j]:
            changed[found], before[found], after[found] = j, best[j], costs[e]
            drop += weights[j] * (best[j] - costs[e])
            best[j] = costs[e]
            found += 1
    return found, drop


@kernel()
def descend(
    most: int,
    rank: int,
    tie: float,
    slack: float,
    rounding: float,
    least: int,
    start: Ints,
    length: Numbers,
    source: Numbers,
    cost: Numbers,
    scales: Floats,
    begins: Ints,
    targets: Numbers,
    weights: Floats,
    values: Floats,
    best: Floats,
    owner: Ints,
    picks: Ints,
    drops: Floats,
) -> tuple[int, int, float]:
    """Same as generic.descend."""
    made, dropped = 0, 0
    while made < most and dropped < least:
        who = _sole(values, tie + 2 * slack)
        if who < 0 or values[who] - slack <= tie:
            break
        drop = 0.0
        for t in range(np.uintp(begins[who]), np.uintp(begins[who + 1])):
            j = np.int64(targets[t])
            low = _listed(source, start[j], length[j], who)
            if low < 0:
                continue
            after = scales[j] * cost[np.uintp(low)]
            before, weight = best[j], weights[j]
            if after >= before:
                continue
            kept = first = np.uintp(start[j])
            for e in range(first, first + np.uintp(length[j])):
                c = scales[j] * cost[e]
                values[np.uintp(source[e])] -= weight * (before - min(max(c, after), before))
                source[kept] = source[e]
                cost[kept] = cost[e]
                kept += np.uintp(c < after)
            dropped += length[j] - np.int64(kept - first)
            length[j] = kept - first
            best[j], owner[j] = after, rank + made
            drop += weight * (before - after)
            slack += rounding
        values[who] = -np.inf
        picks[made], drops[made] = who, drop
        made += 1
    return made, dropped, slack


@kernel(MAXIMUM)
def _sole(values: Floats, margin: float) -> int:
    """Return the place of the largest value; -1 when another comes within the margin."""
    top = values[0]
    for i in range(len(values)):
        top = max(top, values[i])
    reach, near, who = top - margin, 0, 0
    for i in range(len(values)):
        near += values[i] >= reach
    if near != 1:
        return -1
    for i in range(len(values)):
        if values[i] >= reach:
            who = i
    return who


@kernel()
def _listed(source: Numbers, start: int, length: int, wanted: int) -> int:
    """Return the place of a source in a list that is sorted by source; -1 where it is not."""
    low = np.uintp(start)
    high = end = low + np.uintp(length)
    while low < high:
        middle = (low + high) >> np.uintp(1)
        if source[middle] < wanted:
            low = middle + np.uintp(1)
        else:
            high = middle
    return int(low) if low < end and source[low] == wanted else -1
