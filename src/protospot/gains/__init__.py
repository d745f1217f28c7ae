"""Gains: how much each source would lower the cost, known exactly enough to pick the next.

The first gains take a pass over all pairs. Then they are `maintained`, or `contested` where sources
are many or rows are stored; and as soon as the pairs that are still live fit in memory, and are few
enough to be worth it, they are collected, gains are computed from their lists (`listed`), and the
matrix is never looked at again.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from protospot.costs import Cost
from protospot.costs.layout import MANY
from protospot.costs.plan import worth_listing
from protospot.gains.contested import Contested, of_matrix
from protospot.gains.listed import Listed
from protospot.gains.maintained import Maintained
from protospot.gains.stage import Stage, largest, weighted
from protospot.types import Floats, Ints, Numbers

__all__ = ["Gains", "largest", "weighted"]

_PATIENCE = 0.5  # passes that contested gains may cost beyond maintained ones


class Gains:
    """The gains of all sources, by whatever stage is cheapest now."""

    def __init__(self, cost: Cost, weights: Floats) -> None:
        self._cost, self._weights = cost, weights
        self._n_pairs = cost.shape[0] * cost.shape[1]
        self._stage: Stage | None = None
        self._spent: list[int] = []  # sources that are picked
        self._changed = 0.0  # share of targets that picks have changed since the first gains
        self._next_try = 0  # picks before which collecting live pairs is not tried
        self.stages: list[str] = []  # what was done when, for the record
        # Of the lists alone: a method would tie the stage to this object, and memory and threads
        # would stay until the next round of garbage collection.
        self._note = partial(_note, self.stages, self._spent)

    def at(self, best: Floats, count: int, among: Ints | None) -> Stage:
        """Return gains and how far off they may be; a spent source has minus infinity.

        Only the values of those that can be among the `count` largest need hold.
        """
        if isinstance(self._stage, Listed):
            self._stage.sharpen_if_due(best)
        else:
            self._collect(best)
        if self._stage is None:
            many = self._cost.splits_sources or self._cost.shape[0] >= MANY
            self._pass(best, is_contested=many)
        elif self._has_no_patience():
            self._pass(best, is_contested=False)
        assert self._stage is not None
        self._stage.freshen(best, count, among)
        return self._stage

    def exact(self, sources: Ints, best: Floats) -> Floats:
        """Return the gains of some sources by definition, in float64."""
        values = np.empty(len(sources))
        if isinstance(self._stage, Listed):
            for at, source in enumerate(sources.tolist()):
                targets = self._stage.targets_of(source)
                costs = self._cost.rows(np.array([source]), targets)[0]
                values[at] = weighted(np.maximum(best[targets] - costs, 0), self._weights[targets])
                self._stage.checked += len(targets)
            return values
        step = self._cost.plan.rows_at_once
        for begin in range(0, len(sources), step):
            costs = self._cost.rows(sources[begin : begin + step])
            values[begin : begin + step] = weighted(np.maximum(best - costs, 0), self._weights)
        return values

    def targets_of(self, source: int) -> Numbers | None:
        """Return the targets that this source may serve more cheaply; None for any."""
        return None if self._stage is None else self._stage.targets_of(source)

    def spend(self, source: int) -> None:
        """Take a source out of the field: it is picked."""
        self._spent.append(source)
        if self._stage is not None:
            self._stage.values[source] = -np.inf

    def descend(
        self, most: int, tie: float, best: Floats, owner: Ints
    ) -> tuple[list[int], list[float]]:
        """Make as many picks as can be made in one go; return them, and what each gained.

        Brings `best` and `owner` up to date.
        """
        if not isinstance(self._stage, Listed):
            return [], []
        picks, drops = self._stage.descend(most, len(self._spent), tie, best, owner)
        self._spent += picks
        return picks, drops

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick that lowered the best of some targets."""
        if self._stage is not None:
            self._changed += len(changed) / self._cost.shape[1]
            self._stage.lower(changed, before, after, best)

    def stop_screening(self, best: Floats) -> bool:
        """Start over with exact costs; False where there is nothing to win by it.

        Clusters far apart need this: float32 cannot hold both the distances between them and those
        within, and one exact pass is cheaper than exact checks of many candidates at every pick.
        """
        if isinstance(self._stage, Listed):
            if self._stage.is_exact:
                return False
            if self._stage.sharpen(best):
                return True
        if not (self._cost.margins[0].any() or self._cost.margins[1].any()):
            return False
        self._cost = self._cost.exact()
        self._stage = None
        self._note("exact costs")
        return True

    def _has_no_patience(self) -> bool:
        """Whether following every change would have cost less than looking at leading sources."""
        stage = self._stage
        if not isinstance(stage, Contested) or isinstance(stage, Listed):
            return False
        return not self._cost.splits_sources and stage.work > self._changed + _PATIENCE

    def _pass(self, best: Floats, *, is_contested: bool) -> None:
        """Compute all gains, and from then on those of leading sources, or all."""
        cost, weights = self._cost, self._weights
        if is_contested:
            self._note("all gains, then of leading sources only")
            self._enter(of_matrix(cost, weights, best))
        else:
            self._note("all gains")
            self._enter(Maintained(cost, weights, cost.gains(best, weights)))

    def _enter(self, stage: Stage) -> None:
        stage.values[self._spent] = -np.inf
        self._stage = stage

    def _collect(self, best: Floats) -> None:
        """Collect the live pairs if they are likely to fit, and few enough to be worth a list."""
        if len(self._spent) < self._next_try:
            return
        cost = self._cost
        limit = min(cost.plan.pair_limit(cost.shape, cost.pair_size), self._n_pairs)
        share = min(1.0, 1.2 * cost.live_share(best))  # with room for a poor sample
        spent = 0.0 if self._stage is None else self._stage.work
        worth = worth_listing(self._n_pairs, cost.listing_price, spent)
        if share * self._n_pairs > min(limit, worth):
            return
        found = cost.live(best, self._weights, limit)
        if found is None:
            self._next_try = 2 * len(self._spent)  # the sample was wrong
        else:
            self._enter(Listed(cost, self._weights, *found, best, self._note))


def _note(stages: list[str], spent: list[int], what: str) -> None:
    stages.append(f"{what} after pick {len(spent)}")
