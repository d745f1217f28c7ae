"""The field of sources, as a pick sees it: who may lead, and which targets a pick serves better."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from protospot.kernels.forms import BEST, WEIGHT
from protospot.kernels.generic.pairs import contest_listed

Array = Any  # of any library that follows the array API standard


def contenders(values: Array, doubts: Array, slack: float, tie: float, out: Array) -> int:
    """Write the sources whose gain may be the largest, or within tie of it; return how many.

    A gain may be off by its doubt and the slack, which all have in common.
    """
    xp = array_namespace(values, doubts)
    bar = float(xp.max(values - doubts)) - tie - 2 * slack
    found = xp.nonzero(values + doubts >= bar)[0]
    total = int(found.shape[0])
    out[:total] = xp.astype(found, out.dtype)
    return total


def settle(
    targets: Array,
    costs: Array,
    weights: Array,
    best: Array,
    changed: Array,
    before: Array,
    after: Array,
) -> tuple[int, float]:
    """Lower the best of those of the targets that these costs are below.

    Their numbers go to `changed`, their best until now and from now on to `before` and `after`.
    Returns how many there are, and the drop of the weighted sum, added up in their order: so it
    comes out the same wherever it is done.
    """
    xp = array_namespace(costs, best)
    held = xp.take(best, xp.astype(targets, xp.int64))
    lower = xp.nonzero(costs < held)[0]
    total, drop = int(lower.shape[0]), 0.0
    changed[:total] = xp.astype(xp.take(targets, lower), changed.dtype)
    before[:total] = xp.take(held, lower)
    after[:total] = xp.take(costs, lower)
    for e in range(total):
        j = int(changed[e])
        drop += float(weights[j]) * (float(before[e]) - float(after[e]))
        best[j] = after[e]
    return total, drop


def rivals(
    values: Array, doubts: Array, is_stale: Array, slack: float, bar: float, out: Array
) -> int:
    """Write the sources with an old gain that may reach the bar; return how many.

    A gain of minus infinity reaches none.
    """
    xp = array_namespace(values, doubts)
    reaches = xp.logical_and(values + doubts + slack >= bar, values > -xp.inf)
    found = xp.nonzero(xp.logical_and(is_stale, reaches))[0]
    total = int(found.shape[0])
    out[:total] = xp.astype(found, out.dtype)
    return total


def descend(
    most: int,
    patience: int,
    rank: int,
    tie: float,
    slack: float,
    table: Array,
    edges: Array,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
    parts: Array,
    values: Array,
    doubts: Array,
    is_stale: Array,
    best: Array,
    owner: Array,
    picks: Array,
    drops: Array,
) -> tuple[int, int]:
    """Pick one source after the other from exact lists, as long as it is clear which comes next.

    Gains are known as in `contest_listed`. The first pick made here has this `rank`. Stops after
    `most` picks, or once `patience` pairs were looked at, or when a gain is zero, by `tie`, or
    within it of another. Brings `best` and `owner` up to date, writes `picks` and the `drops` of
    the cost; returns how many, and how many pairs were looked at.
    """
    xp = array_namespace(values, best)
    made = spent = 0
    room = xp.empty(values.shape[0], dtype=picks.dtype)
    lists = table, edges, begin, length, target, cost
    known = parts, values, doubts, is_stale
    while made < most and spent < patience:
        front = int(xp.argmax(values))
        if float(values[front]) == -xp.inf:
            break
        one = xp.asarray([front], dtype=picks.dtype)
        spent += contest_listed(one, -xp.inf, made, slack, *lists, *known)
        bar = float(values[front]) - float(doubts[front]) - slack
        found = rivals(values, doubts, is_stale, slack, bar, room)
        spent += contest_listed(room[:found], bar, made, slack, *lists, *known)
        if contenders(values, doubts, slack, tie, room) != 1:
            break
        who = int(room[0])
        if is_stale[who] or float(values[who]) - float(doubts[who]) - slack <= tie:
            break
        drops[made] = _serve(who, rank + made, *lists, best, owner)
        values[who] = -xp.inf
        is_stale[...] = True
        picks[made] = who
        made += 1
    return made, spent


def _serve(
    source: int,
    rank: int,
    table: Array,
    edges: Array,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
    best: Array,
    owner: Array,
) -> float:
    """Give a source the targets that it serves more cheaply; return by how much the cost falls."""
    drop = 0.0
    for part in range(edges.shape[0] - 1):
        first = int(begin[source, part])
        for e in range(first, first + int(length[source, part])):
            j = int(edges[part]) + int(target[e])
            before, after = float(best[j]), float(cost[e])
            if after < before:
                drop += float(table[WEIGHT, j]) * (before - after)
                table[BEST, j] = best[j] = after
                owner[j] = rank
    return drop
