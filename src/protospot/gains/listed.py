"""Gains kept up to date from lists of live pairs, without another look at the matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from protospot.costs import Cost, LivePairs
from protospot.costs.pairs import INDEX_BYTES, Descent
from protospot.gains.stage import EPS, screening_slack
from protospot.types import Floats, Ints, Numbers

_FEW = 0.05  # share of all pairs that is cheap to list twice
_ALWAYS_FEW = 1 << 16  # pairs
_EXACT_BYTES = 12  # at most, of a pair with its exact cost


class Listed:
    """Gains that follow every change of a target along its list of live pairs."""

    def __init__(
        self,
        cost: Cost,
        weights: Floats,
        pairs: LivePairs,
        values: Floats,
        best: Floats,
        note: Callable[[str], None],
    ) -> None:
        self._cost, self._weights, self._pairs = cost, weights, pairs
        self._note = note
        self._n_pairs = cost.shape[0] * cost.shape[1]
        note(f"{pairs.count} live pairs")
        self.values = values
        self.work = 0.0
        self.checked = 0  # pairs whose costs were computed exactly because gains were in doubt
        self._largest = max(0.0, float(values.max()))
        self.doubts, self.slack = screening_slack(cost, weights, self._largest)
        # Lists may hold costs rounded further than those that these gains were summed from.
        listed = float(weights @ (pairs.margins - cost.margins[1])) - float(cost.margins[0].max())
        self.slack += max(0.0, listed) + EPS * self._largest
        if pairs.has_index:
            note(f"{pairs.count} pairs by source")
        self._pack(best)

    @property
    def has_index(self) -> bool:
        """Whether the pairs are few enough to be listed by source too."""
        return self._pairs.has_index

    def listed(self, source: int) -> Numbers:
        """Return the targets that this source may serve more cheaply."""
        return self._pairs.targets_of(source)

    targets_of = listed

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick that lowered the best of some targets."""
        # Each change of a target rounds a gain once.
        self.slack += len(changed) * EPS * self._largest
        self._pairs.lower(self.values, changed, before, after, self._weights)
        self._pack(best)

    def descend(
        self, most: int, rank: int, tie: float, best: Floats, owner: Ints
    ) -> tuple[list[int], list[float]]:
        """Make picks in one go while gains are exact and it is clear which source is next."""
        pairs = self._pairs
        if not (pairs.is_exact and pairs.has_index):
            return [], []
        rounding = EPS * self._largest
        state = self._weights, self.values, best, owner
        run = Descent(rank, tie, self.slack, rounding, *state)
        found = pairs.descend(most, run)
        self.slack = run.slack
        self._pack(best)
        return found

    def freshen(self, best: Floats, count: int, among: Ints | None) -> None:
        """Do nothing: all values hold."""

    def sharpen_if_due(self, best: Floats) -> None:
        """Compute all listed costs exactly once as many have been, one doubt after the other."""
        if self.checked > self._pairs.count:
            self.checked = 0
            self.sharpen(best)

    def sharpen(self, best: Floats) -> bool:
        """Compute the listed costs exactly; False where they are, or are too many."""
        pairs = self._pairs
        if pairs.is_exact or not pairs.has_index or not self._has_room(pairs.count, _EXACT_BYTES):
            return False
        sharp = self._cost.sharpened(pairs, best)
        if sharp is None:
            return False
        self._note(f"{pairs.count} pairs exact")
        self._take(sharp, best)
        return True

    def _pack(self, best: Floats) -> None:
        """List pairs by source too once they are few, and anew whenever half of them died."""
        pairs = self._pairs
        if not pairs.has_index:
            few = max(_FEW * self._n_pairs, _ALWAYS_FEW)
            if pairs.count <= few and self._has_room(pairs.count, 0):
                self._note(f"{pairs.count} pairs by source")
                self._pairs = pairs.indexed()
        elif pairs.count <= pairs.counted // 2 and self._has_room(pairs.count, pairs.pair_bytes):
            self._take(pairs.packed(best).indexed(), best)

    def _has_room(self, count: int, pair_bytes: int) -> bool:
        """Whether so many pairs can be listed anew, beside the lists that there are."""
        new = (pair_bytes + INDEX_BYTES) * count
        return self._pairs.nbytes + new <= self._cost.plan.pair_bytes

    def _take(self, pairs: LivePairs, best: Floats) -> None:
        """Go on with other lists; the doubt about a gain is now that about its listed costs."""
        spent = self.values == -np.inf
        self._pairs = pairs
        self.values, self.doubts = pairs.gains(best, self._weights)
        self.values[spent] = -np.inf
        self._largest = max(0.0, float(self.values.max()))
        self.slack = (64 + len(best)) * EPS * self._largest
