"""A certificate: a cost that no set of k prototypes can be below.

For any multipliers u_j every set of k sources costs at least L(u), see `dual`. L is concave;
deflected subgradient steps (Camerini, Fratta and Maffioli 1975) of Polyak's length climb it. Only
pairs below u matter, so u stays below the cutoffs up to which pairs are listed: then a step costs a
walk over the lists of a few sources. All sources are surveyed every now and then; where not all
their pairs fit in memory that takes a pass over the costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from protospot.costs.near import Near, near_pairs, three_lowest, wider
from protospot.costs.tiled import TiledCost
from protospot.dual import Dual
from protospot.errors import Stop
from protospot.types import Bound, Floats, Ints, OnBound

_PATIENCE = 15  # steps without a better bound, after which steps are made smaller
_SMALLEST = 1e-3  # step, as a part of Polyak's, at which to give up
_STRIDE = 30  # steps between two surveys
_LONG_STRIDE = 60  # where a survey is a pass
_CLOSE = 1e-2  # of the gap that is left: to know it better is not worth another pass


@dataclass(slots=True)
class Climb:
    """How far the bound has come, and at what price."""

    level: Floats  # the multipliers
    bound: float = -np.inf
    steps: int = 0
    ended: str = ""
    curve: list[tuple[int, float]] = field(default_factory=list)  # steps, and the bound by then


class _Path:
    """Steps from multipliers to better ones, by what the field of a dual says."""

    def __init__(self, dual: Dual, level: Floats, cost: float) -> None:
        self.level, self.best_level, self.best = level, level, -np.inf
        self._dual, self._cost = dual, cost
        self._direction, self._step, self._waited = np.zeros(len(level)), 1.0, 0
        self.steps = 0  # of the last walk

    def restart(self, bound: float) -> None:
        """Begin anew at the best multipliers, which give this bound."""
        self._step = 1.0
        self._return(bound)

    def _return(self, bound: float) -> None:
        self.level, self.best, self._waited = self.best_level, bound, 0
        self._direction[:] = 0

    def walk(self, most: int) -> str:
        """Make so many steps; return why there is no other, or nothing."""
        why = ""
        self.steps = 0
        while self.steps < most and not why:
            why = self._go()
            self.steps += 1
        return why

    def _go(self) -> str:
        dual, weights = self._dual, self._dual.weights
        bound, leaders = dual.at(self.level)
        self._waited += 1
        if bound > self.best:
            is_more = bound > self.best + 1e-4 * abs(self._cost - self.best)
            self._waited = 0 if is_more else self._waited
            self.best_level, self.best = self.level, bound
        if self._waited >= _PATIENCE:
            self._step /= 2
            self._return(self.best)
            return "" if self._step >= _SMALLEST else "no step raises the bound any further"
        slope = dual.slope(leaders, self.level)
        size = float(weights @ self._direction**2)
        against = float(weights @ (slope * self._direction))
        turn = max(0.0, -1.5 * against / size) if size > 0 else 0.0
        self._direction = slope + turn * self._direction
        size = float(weights @ self._direction**2)
        if size == 0:
            return "the bound is as high as it gets"
        length = self._step * (self._cost - bound) / size
        self.level = np.minimum(self.level + length * self._direction, dual.cutoff)
        return ""


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
    on_bound: OnBound | None = None,
) -> Climb:
    """Return a bound on the cost of any set of as many prototypes."""
    low, second, _ = three_lowest(cost, picks)
    second = np.where(np.isfinite(second), second, 2 * np.abs(low) + 1)
    slack = cost.margins[0].max() + cost.margins[1]
    if near is None:
        near = near_pairs(cost, weights, [wider(second, 0.05) + slack, second + slack])
    dual = Dual(cost, near, weights, len(picks))
    path = _Path(dual, np.minimum((best + second) / 2, dual.cutoff), total)
    done, why = Climb(path.level), ""
    while True:
        level, hoped = path.best_level, path.best
        cutoffs = [wider(np.maximum(level, second), 0.05) + slack]
        cutoffs += [wider(level, share) + slack for share in (0.1, 0.02)]
        bound = dual.survey(level, cutoffs)
        risen = bound - done.bound
        if risen > 0:
            done.bound, done.level = bound, level
        done.curve.append((done.steps, done.bound))
        enough = _CLOSE * (total - done.bound)
        is_lost = hoped - bound > enough  # the field was too small to tell
        if not dual.lists_all and 0 < risen < enough:
            why = "a pass over all costs raised the bound hardly any further"
        done.ended = _limit(done, total, gap, max_steps, on_bound) or ("" if is_lost else why)
        if done.ended:
            done.bound = dual.surely(done.level)
            return done
        if is_lost:
            path.restart(bound)
        stride = _STRIDE if dual.lists_all else _LONG_STRIDE
        why = path.walk(min(stride, max_steps - done.steps))
        done.steps += path.steps


def _limit(done: Climb, total: float, gap: float, max_steps: int, on_bound: OnBound | None) -> str:
    """Tell the callback how far it is; return which limit is reached, if any."""
    if on_bound is not None:
        try:
            on_bound(Bound(done.steps, done.bound, total))
        except Stop:
            return "on_bound raised Stop"
    if total - done.bound <= gap * done.bound:
        return "gap reached"
    return f"{max_steps} steps made" if done.steps >= max_steps else ""
