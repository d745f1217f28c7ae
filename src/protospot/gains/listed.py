"""Gains computed from lists of live pairs, without another look at the matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from protospot.costs import Cost, LivePairs
from protospot.costs.known import Known
from protospot.gains.contested import Contested
from protospot.gains.stage import EPS, screening_slack
from protospot.types import Floats, Ints, Numbers

_EXACT_BYTES = 12  # at most, of a pair with its exact cost
_PICK, _SOURCE = 1e5, 10  # pairs that could be looked at in the time of a pick, and per source
_PATIENCE = 1.2  # times the rent, when to ask again
_SHRUNK = 4  # times as many pairs looked at as are listed, after which lists are packed


class _Ring:
    """The lists, as the place where gains are computed again."""

    def __init__(self, pairs: LivePairs) -> None:
        self.pairs = pairs

    def contest(self, sources: Ints, best: Floats, bar: float, known: Known) -> int:
        """Bring gains up to date until they fall below the bar; return the pairs looked at."""
        return self.pairs.contest(sources, bar, known)


class Listed(Contested):
    """Gains of which some are fresh and the others upper bounds, each the sum along a list."""

    def __init__(
        self,
        cost: Cost,
        weights: Floats,
        pairs: LivePairs,
        parts: Floats,
        best: Floats,
        note: Callable[[str], None],
    ) -> None:
        self._cost, self._note = cost, note
        note(f"{pairs.count} live pairs")
        top = max(0.0, float(parts.sum(axis=1).max()))
        doubts, slack = screening_slack(cost, weights, top)
        # Coded costs are rounded once more, by an amount that does not shrink with the gains.
        scale = top if pairs.is_exact else float(weights @ np.abs(best))
        known = Known.fresh(parts, doubts + slack, _rounding(best, scale))
        super().__init__(_Ring(pairs), known, pairs.count)
        self.checked = 0  # pairs whose costs were computed exactly because gains were in doubt
        self._rent = 0.0  # what doubts have cost, in pairs looked at
        self._ask_at = 0.0  # the rent from which on to ask what exact costs would cost
        self._packed_at = 0.0

    @property
    def pairs(self) -> LivePairs:
        """The lists."""
        return self._ring.pairs  # type: ignore[attr-defined, no-any-return]

    @property
    def is_exact(self) -> bool:
        """Whether the listed costs are exact."""
        return self.pairs.is_exact

    def targets_of(self, source: int) -> Numbers:
        """Return the targets that this source may serve more cheaply."""
        return self.pairs.targets_of(source)

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick that lowered the best of some targets."""
        super().lower(changed, before, after, best)
        self.pairs.lower(changed, after)
        self._rent += _PICK + _SOURCE * len(self.values) + self.checked * self._cost.exact_price
        self.checked = 0
        self._pack()

    def descend(
        self, most: int, rank: int, tie: float, best: Floats, owner: Ints
    ) -> tuple[list[int], list[float]]:
        """Make picks in one go while costs are exact and it is clear which source is next."""
        if not self.is_exact:
            return [], []
        patience = self.pairs.count
        found = self.pairs.descend(most, patience, rank, tie, self._known, best, owner)
        self.work += found[2] / self._n_pairs
        self._knows_some = True
        self._pack()
        return found[:2]

    def sharpen_if_due(self, best: Floats) -> None:
        """Compute all listed costs exactly once that costs no more than doubts have cost so far."""
        if self.is_exact or self._rent < self._ask_at:
            return
        n_source, n_target = self._cost.shape
        price = self._cost.live_share(best) * n_source * n_target * self._cost.exact_price
        self._ask_at = _PATIENCE * self._rent
        if self._rent >= price:
            self.sharpen(best)

    def sharpen(self, best: Floats) -> bool:
        """Compute the listed costs exactly; False where they are, or are too many."""
        if self.is_exact or not self._makes_room(_EXACT_BYTES):
            return False
        groups, costs = self.pairs.groups(), self._cost.listed_costs
        if costs is None:
            return False
        sharp = self.pairs.packed(groups, costs)
        self._note(f"{sharp.count} pairs exact")
        self._take(sharp, groups)
        # Differences of exact costs are rounded in proportion, and so are sums of them.
        known = self._known
        known.doubts += known.slack
        known.slack = _rounding(best, max(0.0, float(known.values.max())))
        return True

    def _pack(self) -> None:
        """Copy the pairs that live once that costs less than to look past the others."""
        is_due = (self.work - self._packed_at) * self._n_pairs > _SHRUNK * self.pairs.count
        if is_due and self._has_room(self.pairs.pair_bytes):
            self._repack()

    def _repack(self) -> None:
        groups = self.pairs.groups()
        self._take(self.pairs.packed(groups), groups)

    def _makes_room(self, pair_bytes: int) -> bool:
        """Whether all pairs can be listed anew with so many bytes each, if need be packed first."""
        if not self._has_room(pair_bytes) and self._has_room(self.pairs.pair_bytes):
            self._repack()
        return self._has_room(pair_bytes)

    def _has_room(self, pair_bytes: int) -> bool:
        """Whether all pairs can be listed anew, beside the lists that there are."""
        return self.pairs.nbytes + pair_bytes * self.pairs.live <= self._cost.plan.pair_bytes

    def _take(self, pairs: LivePairs, groups: Ints) -> None:
        self._ring = _Ring(pairs)
        self._known.merged(groups)
        self._packed_at = self.work


def _rounding(best: Floats, scale: float) -> float:
    """Return how far off a sum over all targets can be whose terms are of this scale together."""
    return (64 + len(best)) * EPS * scale
