"""The field of sources, as a pick sees it: who may lead, and which targets a pick serves better."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

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


def descend(
    most: int,
    rank: int,
    tie: float,
    slack: float,
    rounding: float,
    least: int,
    start: Array,
    length: Array,
    source: Array,
    cost: Array,
    scales: Array,
    begins: Array,
    targets: Array,
    weights: Array,
    values: Array,
    best: Array,
    owner: Array,
    picks: Array,
    drops: Array,
) -> tuple[int, int, float]:
    """Pick one source after the other from exact lists, as long as it is clear which comes next.

    `start`, `length`, `source`, `cost` and `scales` list the live pairs by target, `begins` and
    `targets` by source; `values` are the gains, off by at most `slack`, which grows by `rounding`
    with each change of a target. The first pick made here has this `rank`. Stops after `most`
    picks, or when `least` pairs died, or when a gain is zero, by `tie`, or within it of another.
    Writes `picks` and the `drops` of the cost; returns how many, how many pairs were dropped from
    the lists (this reference drops none), and the slack.
    """
    xp = array_namespace(values, best)
    made = 0
    while made < most:
        top = float(xp.max(values))
        near = xp.nonzero(values >= top - tie - 2 * slack)[0]
        if near.shape[0] != 1 or top - slack <= tie:
            break
        who, drop = int(near[0]), 0.0
        for t in range(int(begins[who]), int(begins[who + 1])):
            j = int(targets[t])
            mine = slice(int(start[j]), int(start[j]) + int(length[j]))
            costs = float(scales[j]) * xp.astype(cost[mine], values.dtype)
            found = xp.nonzero(source[mine] == who)[0]
            if found.shape[0] == 0 or not float(costs[found[0]]) < float(best[j]):
                continue
            before, after = float(best[j]), float(costs[found[0]])
            lost = float(weights[j]) * (before - xp.clip(costs, min=after, max=before))
            for e in range(costs.shape[0]):
                values[int(source[mine][e])] -= lost[e]
            best[j], owner[j] = after, rank + made
            drop += float(weights[j]) * (before - after)
            slack += rounding
        values[who] = -xp.inf
        picks[made], drops[made] = who, drop
        made += 1
    return made, 0, slack
