"""Centres of weighted point groups: the point that serves a group at the least cost.

Each function takes `shares`, a sparse (k, n) matrix whose rows hold the weights of one group each
and sum to 1 (or are empty), and returns a (k, d) array; the row of an empty group means nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from protospot.costs.metrics import squared_norms
from protospot.points import Points
from protospot.types import Floats, Ints

if TYPE_CHECKING:
    import scipy.sparse

_BLOCK_VALUES = 1 << 21  # numbers looked at together: 16 MiB in float64
_SLACK = 1e-12  # rounding of sums of weights that are 1 in total
_STILL = 1e-10  # see geometric_medians: the cost found is within twice this share of the least
_MAX_STEPS = 1000  # to a geometric median; 100 are usually enough
_FARTHEST = 1000  # of those steps in one jump


def means(shares: scipy.sparse.csr_array, points: Points) -> Floats:
    """Return weighted means, which minimise the weighted sum of squared distances."""
    if points.is_sparse:
        return np.asarray((shares @ points.raw).toarray(), dtype=np.float64)
    k, width = shares.shape[0], points.shape[1]
    by_point = shares.tocsc()
    total = np.zeros((k, width))
    # Blocks of at least k rows: adding up the (k, d) parts then never costs more than making them.
    for rows in points.blocks(8 * max(_BLOCK_VALUES, k * width)):
        total += by_point[:, rows] @ points.block(rows)
    return total


def directions(shares: scipy.sparse.csr_array, points: Points) -> Floats:
    """Return unit vectors along the weighted sum of unit vectors, the least cosine cost.

    The row is NaN where the unit vectors cancel: every direction is then as good as any other.
    A zero vector has no direction and does not count.
    """
    lengths = np.sqrt(squared_norms(points))
    scales = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    pulls = shares.copy()
    pulls.data *= scales[pulls.indices]
    sums = means(pulls, points)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.where(norms > _SLACK, norms, np.nan))


def medians(shares: scipy.sparse.csr_array, points: Points) -> Floats:
    """Return weighted medians of each coordinate, the least sum of cityblock distances.

    Where half the weight falls between two values, any value from the one to the other is as
    good; the lower one is returned, so that every coordinate is one that a point has.
    """
    return _each(_median, shares, points)


def geometric_medians(shares: scipy.sparse.csr_array, points: Points) -> Floats:
    """Return geometric medians, which minimise the weighted sum of Euclidean distances.

    Weiszfeld's iteration, with the step of Vardi and Zhang (2000) on points of the group, and
    extrapolated where it creeps. It ends when the forces that the group pulls with cancel to
    1e-10 of its weight: the sum of distances is then within 2e-10 of the least, relative.
    """
    return _each(_geometric_median, shares, points)


def _each(
    center: Callable[[Points, Ints, Floats], Floats],
    shares: scipy.sparse.csr_array,
    points: Points,
) -> Floats:
    found = np.full((shares.shape[0], points.shape[1]), np.nan)
    starts = shares.indptr
    for row in np.flatnonzero(np.diff(starts)):
        group = slice(starts[row], starts[row + 1])
        members = shares.indices[group].astype(np.int64)
        found[row] = center(points, members, shares.data[group])
    return found


def _median(points: Points, members: Ints, weights: Floats) -> Floats:
    width = points.shape[1]
    found = np.empty(width)
    step = max(1, _BLOCK_VALUES // len(members))
    for start in range(0, width, step):
        values = points.raw[members, start : start + step]
        values = values.toarray() if points.is_sparse else np.asarray(values)
        order = np.argsort(values, axis=0, kind="stable")
        below_half = np.cumsum(weights[order], axis=0) < 0.5 - _SLACK
        middle = np.take_along_axis(order, below_half.sum(axis=0)[None], axis=0)
        found[start : start + step] = np.take_along_axis(values, middle, axis=0)[0]
    return found


def _geometric_median(points: Points, members: Ints, weights: Floats) -> Floats:
    # The answer itself where all are on a line; and from here places are told, so that the search
    # is as exact far from the origin as it is near.
    start = _median(points, members, weights)

    def look(shift: Floats) -> _Place:
        return _look(points, members, weights, start, shift)

    here = look(np.zeros_like(start))
    refused = set()
    way, length = np.zeros_like(start), 1.0  # direction and length of the last plain step
    for _ in range(_MAX_STEPS):
        if here.excess <= _STILL:
            break
        # A median on a point is approached ever more slowly: ask the nearest point directly.
        if here.nearest not in refused:
            place: Floats = points.block(members[[here.nearest]])[0].astype(np.float64)
            if look(place - start).excess <= _STILL:
                return place
            refused.add(here.nearest)
        last_way, way = way, here.pull / np.linalg.norm(here.pull)
        last_length, length = length, here.excess / here.stiffness
        there = look(here.shift + length * way)
        rate = float(length / last_length * (way @ last_way))
        if rate > 0.5:
            # Steps that shrink at a steady rate add up to step / (1 - rate): try that place.
            jump = look(here.shift + length / max(1 - rate, 1 / _FARTHEST) * way)
            if jump.cost <= there.cost:
                there, way = jump, np.zeros_like(way)
        here = there
    return start + here.shift


class _Place(NamedTuple):
    """What a group of points does to a center, given as the shift from where the search began."""

    shift: Floats
    cost: float
    pull: Floats  # weighted sum of unit vectors towards the points elsewhere
    excess: float  # of the pull over the weight of the points right here; not above 0 at a median
    stiffness: float  # sum of weight over distance
    nearest: int


def _look(points: Points, members: Ints, weights: Floats, start: Floats, shift: Floats) -> _Place:
    pull = np.zeros(len(start))
    cost = held = stiffness = 0.0
    nearest, shortest = 0, np.inf
    step = max(1, _BLOCK_VALUES // len(start))
    for first in range(0, len(members), step):
        part = slice(first, first + step)
        away = np.subtract(points.block(members[part]), start, dtype=np.float64) - shift
        distance = np.sqrt(np.einsum("ij,ij->i", away, away))
        apart = distance > 0
        rates = np.divide(weights[part], distance, out=np.zeros_like(distance), where=apart)
        pull += rates @ away
        stiffness += float(rates.sum())
        cost += float(weights[part] @ distance)
        held += float(weights[part][~apart].sum())
        closest = int(distance.argmin())
        if distance[closest] < shortest:
            nearest, shortest = first + closest, float(distance[closest])
    excess = float(np.linalg.norm(pull)) - held
    return _Place(shift, cost, pull, excess, stiffness, nearest)
