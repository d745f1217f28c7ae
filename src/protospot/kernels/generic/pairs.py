"""Lists of live pairs: entries start_j to start_j + length_j of `source` and `cost` are target j's.

A pair is live while it costs less than the best its target has; the others can never matter again.
Costs are listed as multiples of their target's scale, so that small whole numbers can hold them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_numpy_array

Array = Any  # of any library that follows the array API standard


def tally(start: Array, length: Array, numbers: Array, out: Array) -> None:
    """Add how often each number occurs in lists that lie at start_j to start_j + length_j."""
    xp = array_namespace(numbers, out)
    _, entry = _entries(start, length)
    _count(xp.take(numbers, entry), out)


def by_target(
    first: int,
    counts: Array,
    target: Array,
    cost: Array,
    inverse: Array,
    shift: float,
    at: Array,
    out_source: Array,
    out_cost: Array,
) -> None:
    """Bring pairs that are listed source by source to the lists of their targets.

    The first counts_0 pairs are those of source `first`. Target j's are written from place at_j on,
    which moves behind them. A cost is multiplied by its target's inverse scale; with a shift of
    one half it is rounded to a whole number, and is not negative.
    """
    xp = array_namespace(counts, target)
    source = xp.repeat(xp.arange(counts.shape[0]), xp.astype(counts, xp.int64)) + first
    order, of, place = _places(target, at)
    code = xp.take(cost, order) * xp.take(inverse, of)
    if shift:
        code = xp.floor(xp.clip(code + shift, min=shift))
    _put(out_source, place, xp.take(source, order))
    _put(out_cost, place, code)


def by_source(
    first: int, start: Array, length: Array, source: Array, at: Array, targets: Array
) -> None:
    """Write the targets of each source from place at_i on, which moves behind them.

    The lists are those of the targets from `first` on.
    """
    xp = array_namespace(start, source)
    target, entry = _entries(start, length)
    order, _, place = _places(xp.take(source, entry), at)
    _put(targets, place, xp.take(target + first, order))


def pair_gains(
    start: Array,
    length: Array,
    source: Array,
    cost: Array,
    scales: Array,
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
    drop = xp.take(best, target) - xp.take(scales, target) * _values(cost, entry, best.dtype)
    who = xp.take(source, entry)
    _scatter_add(out, who, xp.take(weights, target) * xp.clip(drop, min=0))
    _scatter_add(doubt, who, xp.take(weights * margins, target))


def walk(
    targets: Array,
    before: Array,
    after: Array,
    margins: Array,
    scales: Array,
    weights: Array,
    start: Array,
    length: Array,
    source: Array,
    cost: Array,
    out: Array,
) -> int:
    """Take away what each listed source lost when these targets' best fell; see tiles.lower.

    `before` and `after` are given per changed target. Pairs that cost `after + margin` or more are
    dead and may be dropped from the lists; returns how many were. This reference drops none.
    """
    xp = array_namespace(start, cost)
    targets = xp.astype(targets, xp.int64)
    changed, entry = _entries(xp.take(start, targets), xp.take(length, targets))
    high, low = xp.take(before, changed), xp.take(after, changed)
    scale = xp.take(xp.take(scales, targets), changed)
    drop = xp.minimum(high - low, high - scale * _values(cost, entry, before.dtype))
    weight = xp.take(xp.take(weights, targets), changed)
    _scatter_add(out, xp.take(source, entry), -weight * xp.clip(drop, min=0))
    return 0


def pack(
    start: Array,
    length: Array,
    source: Array,
    cost: Array,
    scales: Array,
    limits: Array,
    out_length: Array,
    out_source: Array,
    out_cost: Array,
) -> int:
    """Copy the listed pairs that cost less than their target's limit; return how many.

    `start`, `length`, `scales` and `limits` are those of a few targets; their pairs come out side
    by side.
    """
    xp = array_namespace(start, cost)
    target, entry = _entries(start, length)
    costs = xp.take(scales, target) * _values(cost, entry, scales.dtype)
    live = costs < xp.take(limits, target)
    kept = xp.take(entry, xp.nonzero(live)[0])
    total = int(kept.shape[0])
    out_source[:total] = xp.take(source, kept)
    out_cost[:total] = xp.take(cost, kept)
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


def _places(numbers: Array, at: Array) -> tuple[Array, Array, Array]:
    """Return the entries sorted by number, their numbers, and the place of each; move `at`."""
    xp = array_namespace(numbers, at)
    numbers = xp.astype(numbers, xp.int64)
    order = xp.argsort(numbers, stable=True)
    of = xp.take(numbers, order)
    before = xp.astype(xp.searchsorted(of, of), at.dtype)  # how many of the same number
    place = xp.take(at, of) + xp.arange(of.shape[0], dtype=at.dtype) - before
    _count(numbers, at)
    return order, of, place


def _count(numbers: Array, out: Array) -> None:
    xp = array_namespace(numbers, out)
    _scatter_add(out, numbers, xp.ones(numbers.shape[0], dtype=out.dtype))


def _values(cost: Array, entry: Array, dtype: Any) -> Array:
    xp = array_namespace(cost, entry)
    return xp.astype(xp.take(cost, entry), dtype)


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
    position = xp.astype(position, xp.int64)
    if is_numpy_array(out):
        np.add.at(out, position, values)
        return
    # The standard has no scatter. A matrix of zeros and ones is as exact, if only for small lists.
    places = xp.arange(out.shape[0], dtype=position.dtype)
    is_there = xp.astype(position[:, None] == places[None, :], out.dtype)
    out += xp.matmul(values[None, :], is_there)[0, :]


def _put(out: Array, place: Array, values: Array) -> None:
    xp = array_namespace(out, place)
    values = xp.astype(values, out.dtype)
    if is_numpy_array(out):
        out[place] = values
        return
    for e in range(place.shape[0]):
        out[int(place[e])] = values[e]
