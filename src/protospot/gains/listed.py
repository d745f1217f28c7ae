"""Gains kept up to date from lists of live pairs, without another look at the matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from protospot.costs import Cost, LivePairs
from protospot.costs.pairs import INDEX_BYTES
from protospot.costs.plan import PAIR_BYTES
from protospot.gains.stage import EPS, screening_slack
from protospot.types import Floats, Ints, Numbers

_FEW = 0.01  # share of all pairs that is cheap to list twice
_ALWAYS_FEW = 1 << 16  # pairs


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
        self._largest = max(0.0, float(values.max()))
        self.slack: Floats | float = screening_slack(cost, weights, self._largest)
        self._pack(best)

    @property
    def has_index(self) -> bool:
        """Whether the pairs are few enough to be listed by source too."""
        return self._pairs.has_index

    def targets_of(self, source: int) -> Numbers | None:
        """Return the targets that this source may serve more cheaply."""
        return self._pairs.targets_of(source)

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick that lowered the best of some targets."""
        # Each change of a target rounds a gain once.
        self.slack = self.slack + len(changed) * EPS * self._largest
        self._pairs.lower(self.values, changed, before, after, self._weights)
        self._pack(best)

    def freshen(self, best: Floats, count: int, among: Ints | None) -> None:
        """Do nothing: all values hold."""

    def sharpen(self, best: Floats) -> bool:
        """Compute the listed costs exactly; False where they are, or are too many."""
        pairs = self._pairs
        if pairs.is_exact or not pairs.has_index:
            return False
        sharp = self._cost.sharpened(pairs, best)
        if sharp is None:
            return False
        self._note(f"{pairs.count} pairs exact")
        self._take(sharp, best)
        return True

    def _pack(self, best: Floats) -> None:
        """List pairs by source too once they are few, and again whenever half of them died."""
        pairs = self._pairs
        few = pairs.counted // 2 if pairs.has_index else max(_FEW * self._n_pairs, _ALWAYS_FEW)
        room = self._cost.plan.pair_bytes - PAIR_BYTES * pairs.counted
        if pairs.count > few or (PAIR_BYTES + INDEX_BYTES) * pairs.count > room:
            return
        if not pairs.has_index:
            self._note(f"{pairs.count} pairs by source")
        self._take(pairs.packed(best), best)

    def _take(self, pairs: LivePairs, best: Floats) -> None:
        """Go on with other lists; the doubt about a gain is now that about its listed costs."""
        spent = self.values == -np.inf
        self._pairs = pairs
        self.values, doubt = pairs.gains(best, self._weights)
        self.values[spent] = -np.inf
        self._largest = max(0.0, float(self.values.max()))
        self.slack = doubt + (64 + len(best)) * EPS * self._largest
