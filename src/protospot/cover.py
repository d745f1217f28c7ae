"""The growing selection: what each target has, and which source comes next.

Gains may be screened, with a known error. Candidates that the error leaves in doubt are computed
again in float64 before a pick is final, and gains closer than `tie` are equal: of equals the lowest
source is picked. That is why picks do not depend on how the gains came about.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from protospot.costs import Cost
from protospot.errors import InputError
from protospot.gains import Gains, largest, weighted
from protospot.kernels.choose import kernels
from protospot.types import Bools, Floats, Ints

TIE = 1e-12  # of the cost after the first pick
_MANY = 64  # candidates to check exactly before asking whether screening is worth it


@dataclass(frozen=True, slots=True)
class Leader:
    """A source at the head of the field, and how much it would lower the cost."""

    source: int
    gain: float


class Cover:
    """A set of prototypes that grows one pick at a time."""

    def __init__(self, cost: Cost, weights: Floats) -> None:
        n_source, n_target = cost.shape
        self.weights = weights
        self.best = np.full(n_target, np.inf)
        self.owner = np.zeros(n_target, np.int64)
        self.picked: list[int] = []
        self.tie = 0.0  # gains up to this are zero, and closer than this equal
        self.gains = Gains(cost, weights)
        self._cost = cost
        self._kernels = kernels()
        self._room = np.empty(n_source, np.int64)  # for the sources that may lead
        self._drops: list[float] = []
        self._free: Bools = np.ones(n_source, bool)
        self._kept_row: tuple[int, Floats] | None = None
        self._alone: tuple[Floats, Floats | float] | None = None  # minus the costs alone
        self._first_scale = 0.0  # of costs that rivals for the first pick are summed from

    @property
    def n_source(self) -> int:
        """How many sources there are to pick from."""
        return len(self._free)

    @property
    def free(self) -> Ints:
        """The sources that are not picked yet."""
        return np.flatnonzero(self._free)

    @property
    def cost(self) -> float:
        """Transport cost of the selection so far."""
        return float(weighted(self.best, self.weights))

    def add_all(self, sources: Ints) -> None:
        """Pick these sources, one after the other: quicker than by `add`."""
        for source, targets in zip(sources, self._cost.may_serve(sources), strict=True):
            self.add(int(source), targets if self.picked else None)

    def add(self, source: int, among: Ints | None = None) -> float:
        """Pick a source; return by how much the cost fell (nan for the first).

        Where it is known, `among` names the targets that it may serve more cheaply.
        """
        targets = self.gains.targets_of(source) if among is None else among
        if targets is None:
            costs = self._row(source)
            targets = np.flatnonzero(costs < self.best)
            costs = costs[targets]
        else:
            costs = self._cost.rows(np.array([source]), targets)[0]
        changed = np.empty(len(targets), np.int64)
        before, after = np.empty(len(targets)), np.empty(len(targets))
        state = self.weights, self.best, changed, before, after
        n, drop = self._kernels.settle(targets, costs, *state)
        changed, before, after = changed[:n], before[:n], after[:n]
        self.owner[changed] = len(self.picked)
        self._free[source] = False
        self.picked.append(source)
        self.gains.spend(source)
        if len(self.picked) == 1:
            # The cost where costs are not negative, and a scale of it where they are.
            self.tie = TIE * float(self.weights @ np.abs(self.best))
            _refuse_overflow(self.tie)
            drop = float("nan")
        else:
            self.gains.lower(changed, before, after, self.best)
        self._drops.append(float(drop))
        return self._drops[-1]

    def descend(self, most: int) -> bool:
        """Pick up to so many sources, each the best, as far as that takes no second look.

        False when it takes one now: then `leaders` has to tell.
        """
        picks, drops = self.gains.descend(most, self.tie, self.best, self.owner)
        self.picked += picks
        self._drops += drops
        self._free[picks] = False
        return bool(picks)

    def leaders(
        self, count: int, among: Ints | None = None, *, exact: bool = False
    ) -> list[Leader]:
        """Return the sources with the largest gains, in the order they are to be picked.

        Before the first pick, those that serve the target best alone, their gain being minus that
        cost. With `exact` gains are exact even where nothing is in doubt.
        """
        if count == 1 and among is None and self.picked and not exact:
            with np.errstate(over="ignore", invalid="ignore"):  # then there is no such leader
                leader = self._sole_leader()
            if leader is not None:
                return [leader]
        among = among if among is None else among[self._free[among]]
        count = min(count, self.n_source - len(self.picked) if among is None else len(among))
        if count == 0:
            return []
        with np.errstate(over="ignore", invalid="ignore"):  # refused in the next lines
            values, slack = self._scores(count, among)
            if among is not None:
                values, slack = values[among], slack if isinstance(slack, float) else slack[among]
            bar = largest(values - slack, count)
        _refuse_overflow(bar)
        tie = self.tie if self.picked else self._first_tie(values, among)
        reach = np.flatnonzero(values >= bar - tie - slack)
        if self._is_lost(len(reach)) and self.gains.stop_screening(self.best):
            return self.leaders(count, among, exact=exact)
        candidates = reach if among is None else among[reach]
        gains = values[reach]
        if exact or len(candidates) > 1 or bar <= tie:
            gains = self._exact(candidates)
            tie = tie if self.picked else max(tie, self._first_scale * TIE)
        return _in_order(candidates, gains, count, tie)

    def _sole_leader(self) -> Leader | None:
        """Return the source with the largest gain where no other comes near, and it is not zero."""
        stage = self.gains.at(self.best, 1, None)
        if (
            self._kernels.contenders(stage.values, stage.doubts, stage.slack, self.tie, self._room)
            != 1
        ):
            return None
        source = int(self._room[0])
        gain = float(stage.values[source])
        is_sure = gain - stage.doubts[source] - stage.slack > self.tie
        return Leader(source, gain) if is_sure else None

    def gained(self, count: int) -> float:
        """Return by how much the last picks lowered the cost together (nan with the first)."""
        return float(np.sum(self._drops[-count:]))

    def finish(self) -> tuple[Ints, Floats, Floats]:
        """Return the picks, the cost after each, and the mass each serves."""
        drops = np.array(self._drops[1:])
        # Summed from the end: every cost is then as exact as the last.
        rises = np.concatenate((np.cumsum(drops[::-1])[::-1], [0.0]))
        served = np.zeros(len(self.picked))
        np.add.at(served, self.owner, self.weights)
        return np.array(self.picked, np.int64), self.cost + rises, served

    def _scores(self, count: int, among: Ints | None) -> tuple[Floats, Floats | float]:
        """Return the gain of each source, minus infinity where it is picked, and their slack."""
        if not self.picked:
            if self._alone is None:
                sums, slack = self._cost.weighted_sums(self.weights)
                self._alone = -sums, slack
            return self._alone
        stage = self.gains.at(self.best, count, among)
        return stage.values, stage.doubts + stage.slack

    def _exact(self, sources: Ints) -> Floats:
        if self.picked:
            return self.gains.exact(sources, self.best)
        step = self._cost.plan.rows_at_once
        totals = np.empty(len(sources))
        for begin in range(0, len(sources), step):
            rows = self._cost.rows(sources[begin : begin + step])
            totals[begin : begin + step] = weighted(rows, self.weights)
            # Costs may cancel, and a total of nothing says nothing of their rounding.
            scale = float(weighted(np.abs(rows), self.weights).max())
            self._first_scale = max(self._first_scale, scale)
        return -totals

    def _first_tie(self, values: Floats, among: Ints | None) -> float:
        # The tie after the first pick, but for which of the candidates that turns out to be.
        leader = int(values.argmax())
        row = self._row(leader if among is None else int(among[leader]))
        return TIE * float(self.weights @ np.abs(row))

    def _row(self, source: int) -> Floats:
        """Return the exact costs of a source; kept, because a leader is likely to be picked."""
        if self._kept_row is None or self._kept_row[0] != source:
            self._kept_row = source, self._cost.rows(np.array([source]))[0]
        return self._kept_row[1]

    def _is_lost(self, n_candidates: int) -> bool:
        return bool(self.picked) and n_candidates > max(_MANY, self.n_source // 8)


def _refuse_overflow(total: float) -> None:
    if not math.isfinite(total):
        raise InputError(
            "costs must be finite in float64, also their weighted sum, but some overflow: divide "
            "the features, or the matrix, by a constant first."
        )


def _in_order(candidates: Ints, gains: Floats, count: int, tie: float) -> list[Leader]:
    left = gains.copy()
    leaders = []
    for _ in range(count):
        at = int(np.flatnonzero(left >= left.max() - tie)[0])
        leaders.append(Leader(int(candidates[at]), float(gains[at])))
        left[at] = -np.inf
    return leaders
