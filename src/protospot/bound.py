"""A certificate: a cost that no set of k prototypes can be below.

For any multipliers u_j, with rho_i = sum_j q_j (u_j - c_ij)+, every set of k sources costs at least
L(u) = sum_j q_j u_j - (the k largest rho_i). L is concave; deflected subgradient steps (Camerini,
Fratta and Maffioli 1975) of Polyak's length climb it. Only pairs below u matter, so u stays below
the cutoffs up to which pairs are listed: then a step costs a walk over these lists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from protospot.costs.near import Near, near_pairs, three_lowest, wider
from protospot.costs.tiled import TiledCost
from protospot.kernels.choose import kernels
from protospot.threads import Team, shares
from protospot.types import Floats, Ints

_EPS = float(np.finfo(np.float64).eps)
_PATIENCE = 15  # steps without a better bound, after which steps are made smaller
_SMALLEST = 1e-3  # step, as a part of Polyak's, at which to give up
_FIX_EVERY = 10  # steps after which sources that cannot be chosen are left out
_WORTH_A_THREAD = 1 << 18  # pairs


@dataclass(slots=True)
class Climb:
    """How far the bound has come, and at what price."""

    bound: float
    steps: int
    ended: str
    curve: list[float]
    level: Floats  # the multipliers


class Dual:
    """The bound as a function of the multipliers."""

    def __init__(self, near: Near, weights: Floats, k: int, team: Team) -> None:
        self.near, self.weights, self.k = near, weights, k
        self.sources: Ints = np.arange(len(near.begin))
        self._team = team
        self._counts = np.empty(len(weights), np.int64)

    def at(self, level: Floats) -> tuple[float, Ints, Floats]:
        """Return the bound, the sources that gain most, and what each source gains."""
        gains = self._gains(self.sources, level)
        k = min(self.k, len(gains))
        order = np.argpartition(-gains, k - 1) if k < len(gains) else np.arange(len(gains))
        best = order[:k]
        bound = float(self.weights @ level) - float(gains[best].sum())
        return bound, best, gains

    def slope(self, best: Ints, level: Floats) -> Floats:
        """Return 1 minus how many of these sources serve each target below its level."""
        kernels().near_counts(self.sources[best], *self.near.lists, level, self._counts)
        return 1 - self._counts.astype(np.float64)

    def surely(self, level: Floats) -> float:
        """Return a bound that is below the best possible cost whatever is lost by rounding."""
        self.sources = np.arange(len(self.near.begin))
        # Costs may be lower than they are listed by their margin.
        gains = self._gains(self.sources, level + self.near.margin)
        k = min(self.k, len(gains))
        largest = np.sort(gains)[len(gains) - k :]
        bound = float(self.weights @ level) - float(largest.sum())
        size = float(self.weights @ (np.abs(level) + self._largest_cost(level)))
        return bound - 4 * len(level) * _EPS * size

    def fix(self, gains: Floats, bound: float, cost: float) -> None:
        """Leave out the sources that no set cheaper than `cost` can hold."""
        if len(gains) <= self.k:
            return
        least = np.partition(gains, len(gains) - self.k)[len(gains) - self.k]
        slack = 1e-9 * abs(cost)
        self.sources = self.sources[bound + (least - gains) <= cost + slack]

    def _gains(self, sources: Ints, level: Floats) -> Floats:
        gains = np.empty(len(sources))
        workers = self._team.size if self.near.count > _WORTH_A_THREAD else 1
        mine = shares(len(sources), workers)

        def work(worker: int) -> None:
            rows = sources[mine[worker]]
            given = *self.near.lists, level, self.weights, gains[mine[worker]]
            kernels().near_gains(rows, *given)

        self._team.run(work, workers)
        return gains

    def _largest_cost(self, level: Floats) -> float:
        """Return no less than the size of any cost that a gain was computed from."""
        lowest = float(self.near.cost.min()) if self.near.count else 0.0
        return max(float(np.abs(level).max()), abs(lowest))


def climb(dual: Dual, level: Floats, cost: float, *, gap: float, max_steps: int) -> Climb:
    """Raise the bound from these multipliers."""
    best_level, best_bound, curve = level, -np.inf, []
    direction, step, waited, ended = np.zeros(len(level)), 1.0, 0, f"{max_steps} steps made"
    for made in range(max_steps):
        bound, leaders, gains = dual.at(level)
        curve.append(bound)
        waited += 1
        if bound > best_bound:
            waited = 0 if bound > best_bound + 1e-4 * abs(cost - best_bound) else waited
            best_level, best_bound = level, bound
        if cost - best_bound <= gap * best_bound:
            ended = "gap reached"
            break
        if waited >= _PATIENCE:
            step, waited, level = step / 2, 0, best_level
            direction[:] = 0
            if step < _SMALLEST:
                ended = "no step raises the bound any further"
                break
            continue
        slope = dual.slope(leaders, level)
        size = float(dual.weights @ direction**2)
        against = float(dual.weights @ (slope * direction))
        turn = max(0.0, -1.5 * against / size) if size > 0 else 0.0
        direction = slope + turn * direction
        size = float(dual.weights @ direction**2)
        if size == 0:
            ended = "the bound is as high as it gets"
            break
        if made % _FIX_EVERY == 0:
            dual.fix(gains, bound, cost)
        level = np.minimum(level + step * (cost - bound) / size * direction, dual.near.cutoff)
    return Climb(best_bound, len(curve), ended, curve, best_level)


def lower_bound(
    cost: TiledCost,
    weights: Floats,
    picks: Ints,
    best: Floats,
    total: float,
    near: Near | None = None,
    *,
    gap: float = 0.0,
    max_steps: int = 300,
) -> Climb | None:
    """Return a bound on the cost of any set of as many prototypes; None without room for pairs."""
    if near is None:
        low, second, _ = three_lowest(cost, picks)
        second = np.where(np.isfinite(second), second, 2 * np.abs(low) + 1)
        slack = cost.margins[0].max() + cost.margins[1]
        cutoffs = (c + slack for c in (wider(second, 0.05), second, (best + second) / 2, best))
        near = near_pairs(cost, weights, cutoffs)
    if near is None:
        return None
    dual = Dual(near, weights, len(picks), Team(cost.plan.threads))
    level = np.minimum((best + near.cutoff) / 2, near.cutoff)
    done = climb(dual, level, total, gap=gap, max_steps=max_steps)
    done.bound = dual.surely(done.level)
    return done
