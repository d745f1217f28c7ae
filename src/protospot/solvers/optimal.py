"""The best possible set of k prototypes, for small problems, by mixed-integer programming.

This is the p-median problem. Greedy, swaps and the bound come first: what the bound proves to be in
no better set is left out, which is most of it, and the solver (HiGHS, through SciPy) gets the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from protospot import checks
from protospot.bound import lower_bound
from protospot.costs.tiled import TiledCost
from protospot.cover import Cover
from protospot.errors import InputError, MissingExtraError
from protospot.improve import improve
from protospot.solvers.solver import Run
from protospot.swaps import Budget
from protospot.types import Bools, Floats, Ints

_MOST = 4_000_000  # pairs of a problem that is small enough
_SCALE = 1e4  # that costs are brought to: the solver's tolerances are absolute
_STEPS = 500  # of the bound
_ROUNDING = 1e-9  # of the cost, by which a comparison of bounds may be off


def optimal(run: Run) -> str:
    """Add the k sources that cost least together; `time_limit` seconds, 60 by default."""
    limit = checks.read_amount(run.take_options(time_limit=60.0)["time_limit"], "time_limit")
    n_source, n_target = run.cost.shape
    if n_source * n_target > _MOST:
        raise InputError(
            f"method='optimal' is for problems of at most {_MOST} pairs, got {n_source} x "
            f"{n_target}: use method='greedy' with refine=True and certify=True."
        )
    if run.cover.picked:
        raise InputError("method='optimal' must choose all prototypes itself: leave out start.")
    assert isinstance(run.cost, TiledCost)
    cost, weights = run.cost, run.cover.weights
    picks = _start(cost, weights, run.k)
    matrix = cost.rows(np.arange(n_source))
    best = matrix[picks].min(axis=0)
    total = float(weights @ best)
    done = lower_bound(cost, weights, picks, best, total, max_steps=_STEPS)
    bound, level = done.bound, done.level
    stopped = "proven optimal"
    if len(picks) < n_source and not total <= bound:
        rest = _Rest(matrix, weights, len(picks), level, bound, total)
        found, floor, is_proven = rest.solve(limit)
        bound = max(bound, min(floor, total))
        if found is not None and float(weights @ matrix[found].min(axis=0)) < total:
            picks = found
        if not is_proven:
            stopped = f"time_limit={limit:g} s reached"
    run.facts["lower_bound"] = bound
    if not run.add(_in_order(matrix, weights, picks).tolist()):
        return "on_pick raised Stop"
    return stopped


def _start(cost: TiledCost, weights: Floats, k: int) -> Ints:
    """Return a good set to compare with: greedy, refined by swaps."""
    cover = Cover(cost, weights)
    while len(cover.picked) < k:
        leader = cover.leaders(1)[0]
        if cover.picked and leader.gain <= cover.tie:
            break
        cover.add(leader.source)
    return improve(cost, weights, np.array(cover.picked), Budget())[0]


def _in_order(matrix: Floats, weights: Floats, picks: Ints) -> Ints:
    """Return prototypes in the order in which greedy would pick them."""
    left, order = list(picks), []
    best = np.full(matrix.shape[1], np.inf)
    while left:
        totals = np.minimum(matrix[left], best) @ weights
        order.append(left.pop(int(totals.argmin())))
        best = np.minimum(best, matrix[order[-1]])
    return np.array(order, np.int64)


class _Rest:
    """What a set that is cheaper than `total` can be made of, as a mixed-integer program."""

    def __init__(
        self,
        matrix: Floats,
        weights: Floats,
        k: int,
        level: Floats | None,
        bound: float,
        total: float,
    ) -> None:
        room = total - bound + _ROUNDING * abs(total)
        sources = np.arange(len(matrix))
        may_serve: Bools = np.ones(matrix.shape, bool)
        if level is not None and np.isfinite(room):
            gains = np.maximum(level - matrix, 0) @ weights
            least = np.sort(gains)[len(gains) - k]
            sources = np.flatnonzero(least - gains <= room)
            # To serve a target from so far away alone costs more than is left.
            may_serve = weights * (matrix - level) <= room
        self.sources, self.weights, self.k = sources, weights, k
        self._costs = matrix[sources]
        may_serve = may_serve[sources]
        # Of the n cheapest sources one is chosen as soon as fewer than n are left out.
        n_near = len(sources) - k + 1
        if 0 < n_near < len(sources):
            farthest = np.partition(self._costs, n_near - 1, axis=0)[n_near - 1]
            may_serve &= self._costs <= farthest
        self._pairs = np.nonzero(may_serve & (weights > 0))
        size = float(weights @ np.abs(matrix).max(axis=0))
        self._factor = _SCALE / (max(abs(total), 1e-12 * size) or 1.0)
        self._base = self._costs.min(axis=0)

    def solve(self, limit: float) -> tuple[Ints | None, float, bool]:
        """Return the best set found, a bound on every set, and whether that is proven best."""
        try:
            from scipy import sparse
            from scipy.optimize import Bounds, LinearConstraint, milp
        except ImportError:
            raise MissingExtraError("method='optimal'", "all") from None
        n, (row, column) = len(self.sources), self._pairs
        n_pairs = len(row)
        targets, at = np.unique(column, return_inverse=True)
        one, each = np.ones(n_pairs), np.arange(n_pairs)
        serves = sparse.csr_array((one, (at, n + each)), (len(targets), n + n_pairs))
        opens = sparse.csr_array(
            (
                np.concatenate((one, -one)),
                (np.concatenate((each, each)), np.concatenate((n + each, row))),
            ),
            (n_pairs, n + n_pairs),
        )
        count = sparse.csr_array(np.concatenate((np.ones(n), np.zeros(n_pairs)))[None])
        prices = self.weights[column] * (self._costs[row, column] - self._base[column])
        answer: Any = milp(
            np.concatenate((np.zeros(n), self._factor * prices)),
            integrality=np.concatenate((np.ones(n), np.zeros(n_pairs))),
            bounds=Bounds(0, 1),
            constraints=[
                LinearConstraint(serves, 1, 1),
                LinearConstraint(opens, -np.inf, 0),
                LinearConstraint(count, self.k, self.k),
            ],
            options={"time_limit": limit, "mip_rel_gap": 0.0},
        )
        base = float(self.weights @ self._base)
        if answer.status == 2:  # nothing cheaper is left
            return None, np.inf, True
        floor = -np.inf if answer.mip_dual_bound is None else answer.mip_dual_bound
        bound = base + (floor - 1e-5) / self._factor
        found = None if answer.x is None else self.sources[np.flatnonzero(answer.x[:n] > 0.5)]
        return found, bound, bool(answer.status == 0)
