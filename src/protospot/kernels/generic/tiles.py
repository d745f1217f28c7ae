"""One tile of the cost matrix, (targets, sources): its share of sums, gains and live pairs.

Kernels write into the arrays they are given, so that a caller can reuse its buffers.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

Array = Any  # of any library that follows the array API standard


def sums(tile: Array, weights: Array, out: Array) -> None:
    """Add the weighted sum of each source's costs: out_i += sum_j w_j c_ji."""
    out += _weighted(tile, weights, out)


def gains(tile: Array, best: Array, weights: Array, out: Array) -> None:
    """Add what each source would gain: out_i += sum_j w_j (best_j - c_ji)+."""
    xp = array_namespace(tile, best)
    out += _weighted(xp.clip(best[:, None] - tile, min=0), weights, out)


def lower(tile: Array, before: Array, after: Array, weights: Array, out: Array) -> None:
    """Take away what each source lost when `best` fell from `before` to `after`.

    out_i -= sum_j w_j ((before_j - c_ji)+ - (after_j - c_ji)+), which is one clip.
    """
    xp = array_namespace(tile, before)
    drop = xp.minimum((before - after)[:, None], before[:, None] - tile)
    out -= _weighted(xp.clip(drop, min=0), weights, out)


def nearest(tile: Array, first: int, best: Array, second: Array, owner: Array) -> None:
    """Keep each target's cheapest and second cheapest cost, and the source of the cheapest.

    Column 0 of the tile is source `first`; of equal costs the earlier source stays the owner.
    """
    xp = array_namespace(tile, best)
    costs = xp.concat((best[:, None], second[:, None], xp.astype(tile, best.dtype)), axis=1)
    column = xp.argmin(costs, axis=1)
    order = xp.sort(costs, axis=1)
    owner[...] = xp.where(column < 2, owner, xp.astype(column - 2 + first, owner.dtype))
    best[...] = order[:, 0]
    second[...] = order[:, 1]


def collect(
    tile: Array, limits: Array, first: int, source: Array, cost: Array, counts: Array
) -> int:
    """List the pairs that cost less than their target's limit, target by target.

    Writes sources and costs to the front of `source` and `cost`, how many each target has to
    `counts`, and returns how many there are. Room for a whole tile must be there.
    """
    xp = array_namespace(tile, limits)
    live = tile < limits[:, None]
    flat = xp.nonzero(xp.reshape(live, (-1,)))[0]
    found = int(flat.shape[0])
    source[:found] = xp.astype(flat % tile.shape[1] + first, source.dtype)
    cost[:found] = xp.take(xp.reshape(tile, (-1,)), flat)
    counts[...] = xp.sum(xp.astype(live, counts.dtype), axis=1, dtype=counts.dtype)
    return found


def _weighted(tile: Array, weights: Array, out: Array) -> Array:
    xp = array_namespace(tile, weights)
    return xp.matmul(xp.astype(weights, out.dtype), xp.astype(tile, out.dtype))
