"""Lists of live pairs: those of source i with the targets of part b, from begin_ib on.

There are length_ib of them. Their targets, in order, are numbered from edge_b on, and lie before
edge_b+1. A pair is live while it costs less than the best its target has; the others can never
matter again. A `table` holds what a pair needs of its target, in the rows of `kernels.forms`;
costs are listed as multiples of their target's scale, so that small whole numbers can hold them.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from protospot.kernels.forms import BEST, LOOK, MARGIN, SCALE, WEIGHT
from protospot.kernels.generic.tiles import in_parts

Array = Any  # of any library that follows the array API standard


def merge(
    starts: Array,
    bases: Array,
    counts: Array,
    target: Array,
    cost: Array,
    inverse: Array,
    shift: float,
    out_target: Array,
    out_cost: Array,
) -> None:
    """Bring pairs that are listed source by source, run after run, together source by source.

    Run g has counts_gi pairs of source i and begins at start_g; its targets are counted from
    base_g. Without a shift costs stay as they are; with a shift of one half a cost is multiplied
    by its target's inverse scale and rounded to a whole number, and is not negative.
    """
    at, places = 0, [int(start) for start in starts]
    for i in range(counts.shape[1]):
        for g in range(bases.shape[0]):
            count = int(counts[g, i])
            run, out = slice(places[g], places[g] + count), slice(at, at + count)
            out_target[out], codes = _encoded(
                int(bases[g]), target[run], cost[run], inverse, shift, out_target.dtype
            )
            out_cost[out] = array_namespace(codes).astype(codes, out_cost.dtype)
            places[g] += count
            at += count


def _encoded(
    base: int, target: Array, cost: Array, inverse: Array, shift: float, dtype: Any
) -> tuple[Array, Array]:
    xp = array_namespace(target, cost)
    targets = base + xp.astype(target, xp.int64)
    if shift:
        cost = xp.floor(xp.clip(cost * xp.take(inverse, targets) + shift, min=shift))
    return xp.astype(targets, dtype), cost


def contest_listed(
    sources: Array,
    bar: float,
    turn: int,
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
) -> int:
    """Same as tiles.contest, from lists.

    A gain that all parts are fresh of gets a fresh doubt, too. Pairs that are dead by the table may
    be dropped from the lists that were looked at; this reference drops none. To find a list counts
    as some pairs looked at.
    """
    xp = array_namespace(values, cost)

    def fresh(source: int, part: int) -> tuple[Array, float, int]:
        fall, of = _falls(source, part, table, edges, begin, length, target, cost)
        weight, margin = of[WEIGHT, :], of[MARGIN, :]
        doubt = xp.sum(xp.where(fall > -margin, weight * margin, xp.zeros_like(margin)))
        pairs = LOOK + int(length[source, part])
        return xp.sum(weight * xp.clip(fall, min=0)), float(doubt), pairs

    return in_parts(fresh, sources, bar, turn, slack, parts, values, doubts, is_stale)


def listing(
    source: int,
    table: Array,
    edges: Array,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
    out: Array,
) -> int:
    """Write the targets of a source's live pairs; return how many there are."""
    xp = array_namespace(table, target)
    found = 0
    for part in range(edges.shape[0] - 1):
        fall, of = _falls(source, part, table, edges, begin, length, target, cost)
        live = xp.nonzero(fall > -of[MARGIN, :])[0]
        mine = xp.take(_targets(source, part, edges, begin, length, target), live)
        out[found : found + mine.shape[0]] = xp.astype(mine, out.dtype)
        found += int(mine.shape[0])
    return found


def pack(
    sources: Array,
    table: Array,
    edges: Array,
    groups: Array,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
    out_length: Array,
    out_target: Array,
    out_cost: Array,
) -> int:
    """Copy the live pairs of some sources, side by side; return how many.

    The parts from group_q up to group_q+1 become one.
    """
    xp = array_namespace(table, target)
    at = 0
    for n in range(sources.shape[0]):
        i = int(sources[n])
        for q in range(groups.shape[0] - 1):
            before, origin = at, int(edges[int(groups[q])])
            for part in range(int(groups[q]), int(groups[q + 1])):
                fall, of = _falls(i, part, table, edges, begin, length, target, cost)
                live = xp.nonzero(fall > -of[MARGIN, :])[0]
                places = int(begin[i, part]) + live
                mine = xp.take(_targets(i, part, edges, begin, length, target), live)
                out = slice(at, at + int(live.shape[0]))
                out_target[out] = xp.astype(mine - origin, out_target.dtype)
                out_cost[out] = xp.take(cost, places)
                at = out.stop
            out_length[n, q] = at - before
    return at


def _targets(
    source: int, part: int, edges: Array, begin: Array, length: Array, target: Array
) -> Array:
    xp = array_namespace(target)
    first = int(begin[source, part])
    mine = target[first : first + int(length[source, part])]
    return int(edges[part]) + xp.astype(mine, xp.int64)


def _falls(
    source: int,
    part: int,
    table: Array,
    edges: Array,
    begin: Array,
    length: Array,
    target: Array,
    cost: Array,
) -> tuple[Array, Array]:
    """Return how far each listed pair is below its target's best, and its part of the table."""
    xp = array_namespace(table, cost)
    of = xp.take(table, _targets(source, part, edges, begin, length, target), axis=1)
    first = int(begin[source, part])
    costs = xp.astype(cost[first : first + int(length[source, part])], table.dtype)
    return of[BEST, :] - of[SCALE, :] * costs, of
