"""Gains kept up to date from lists of live pairs, without another look at the matrix."""

from __future__ import annotations

from collections.abc import Callable

from protospot.costs import Cost, LivePairs
from protospot.costs.pairs import INDEX_BYTES
from protospot.costs.plan import PAIR_BYTES
from protospot.gains.stage import EPS, screening_slack
from protospot.types import Floats, Ints, Numbers

_FEW = 0.02  # share of all pairs that is cheap to compute exactly
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
        self.slack: Floats | float = 0.0
        self._n_pairs = cost.shape[0] * cost.shape[1]
        note(f"{pairs.count} live pairs")
        self._set(values, is_exact=False)  # they come from screened tiles, exact lists or not
        self._pack(best)

    @property
    def is_exact(self) -> bool:
        """Whether the listed costs are exact."""
        return self._pairs.is_exact

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

    def _set(self, values: Floats, *, is_exact: bool) -> None:
        self.values = values
        self._largest = max(0.0, float(values.max()))
        if is_exact:
            self.slack = 64 * EPS * self._largest
        else:
            self.slack = screening_slack(self._cost, self._weights, self._largest)

    def _pack(self, best: Floats) -> None:
        """List pairs by source too once they are few, and again whenever half of them died."""
        pairs = self._pairs
        few = pairs.counted // 2 if pairs.has_index else max(_FEW * self._n_pairs, _ALWAYS_FEW)
        room = self._cost.plan.pair_bytes - PAIR_BYTES * pairs.counted
        if pairs.count > few or (PAIR_BYTES + INDEX_BYTES) * pairs.count > room:
            return
        if not pairs.has_index:
            self._note(f"{pairs.count} pairs by source")
        sharp = None if pairs.is_exact else self._cost.sharpened(pairs, best)
        self._pairs = sharp or pairs.packed(best)
        spent = self.values == -float("inf")
        self._set(self._pairs.gains(best, self._weights), is_exact=self._pairs.is_exact)
        self.values[spent] = -float("inf")
