"""Lists of live pairs: entries start_j to start_j + length_j of `source` and `cost` are target j's.

A pair is live while it costs less than the best its target has; the others can never matter again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_numpy_array

Array = Any  # of any library that follows the array API standard


def merge(counts: Array, source: Array, cost: Array, out_source: Array, out_cost: Array) -> None:
    """Bring pieces, each sorted by target, into one list sorted by target.

    counts[p, j] is how many pairs of target j piece p holds; pieces follow one another.
    """
    xp = array_namespace(counts, source)
    pieces, m = counts.shape
    target = xp.tile(xp.arange(m), (pieces,))
    order = xp.argsort(xp.repeat(target, xp.reshape(counts, (-1,))), stable=True)
    total = order.shape[0]
    out_source[:total] = xp.take(source, order)
    out_cost[:total] = xp.take(cost, order)


def pair_gains(
    start: Array,
    length: Array,
    source: Array,
    cost: Array,
    best: Array,
    weights: Array,
    margins: Array,
    out: Array,
    doubt: Array,
) -> None:
    """Add what each source would gain, as far as the listed pairs go.

    A listed cost may be off by its target's margin; `doubt` is what that makes of the gain.
    """
    xp = array_namespace(start, cost)
    target, entry = _entries(start, length)
    drop = xp.take(best, target) - xp.astype(xp.take(cost, entry), best.dtype)
    who = xp.take(source, entry)
    _scatter_add(out, who, xp.take(weights, target) * xp.clip(drop, min=0))
    _scatter_add(doubt, who, xp.take(weights * margins, target))


def walk(
    targets: Array,
    before: Array,
    after: Array,
    margins: Array,
    weights: Array,
    start: Array,
    length: Array,
    source: Array,
    cost: Array,
    out: Array,
) -> None:
    """Take away what each listed source lost when these targets' best fell; see tiles.lower.

    `before`, `after` and `margins` are given per changed target. Pairs that cost `after + margin`
    or more are dead and may be dropped from the lists; this reference leaves them.
    """
    xp = array_namespace(start, cost)
    changed, entry = _entries(xp.take(start, targets), xp.take(length, targets))
    high, low = xp.take(before, changed), xp.take(after, changed)
    drop = xp.minimum(high - low, high - xp.astype(xp.take(cost, entry), before.dtype))
    weight = xp.take(xp.take(weights, targets), changed)
    _scatter_add(out, xp.take(source, entry), -weight * xp.clip(drop, min=0))


def pack(
    start: Array,
    length: Array,
    source: Array,
    cost: Array,
    limits: Array,
    out_length: Array,
    out_source: Array,
    out_cost: Array,
) -> int:
    """Copy the listed pairs that cost less than their target's limit; return how many.

    `start`, `length` and `limits` are those of a few targets; their pairs come out side by side.
    """
    xp = array_namespace(start, cost)
    target, entry = _entries(start, length)
    live = xp.take(cost, entry) < xp.take(limits, target)
    kept = xp.take(entry, xp.nonzero(live)[0])
    total = int(kept.shape[0])
    out_source[:total] = xp.take(source, kept)
    out_cost[:total] = xp.astype(xp.take(cost, kept), out_cost.dtype)
    out_length[...] = 0
    _scatter_add(out_length, target, xp.astype(live, out_length.dtype))
    return total


def listing(start: Array, length: Array, source: Array, wanted: int, out: Array) -> int:
    """Write the targets whose list holds the wanted source; return how many there are."""
    xp = array_namespace(start, source)
    target, entry = _entries(start, length)
    found = xp.take(target, xp.nonzero(xp.take(source, entry) == wanted)[0])
    out[: found.shape[0]] = xp.astype(found, out.dtype)
    return int(found.shape[0])


def by_source(start: Array, length: Array, source: Array, begins: Array, targets: Array) -> None:
    """List the same pairs by source: targets[begins_i : begins_i+1] are those of source i."""
    xp = array_namespace(start, source)
    target, entry = _entries(start, length)
    listed = xp.take(source, entry)
    order = xp.argsort(listed, stable=True)
    targets[...] = xp.astype(xp.take(target, order), targets.dtype)
    n_source = begins.shape[0] - 1
    edges = xp.arange(n_source + 1, dtype=source.dtype)
    begins[...] = xp.astype(xp.searchsorted(xp.take(listed, order), edges), begins.dtype)


def _entries(start: Array, length: Array) -> tuple[Array, Array]:
    """Return, for every listed pair, the position of its target in `start` and its own place."""
    xp = array_namespace(start, length)
    length = xp.astype(length, start.dtype)
    target = xp.repeat(xp.arange(start.shape[0]), length)
    skipped = xp.cumulative_sum(length) - length
    return target, xp.arange(target.shape[0]) - xp.take(skipped - start, target)


def _scatter_add(out: Array, position: Array, values: Array) -> None:
    xp = array_namespace(out, position)
    values = xp.astype(values, out.dtype)
    if is_numpy_array(out):
        np.add.at(out, position, values)
        return
    # The standard has no scatter. A matrix of zeros and ones is as exact, if only for small lists.
    places = xp.arange(out.shape[0], dtype=position.dtype)
    is_there = xp.astype(position[:, None] == places[None, :], out.dtype)
    out += xp.matmul(values[None, :], is_there)[0, :]
