"""Gains that are kept up to date as a selection grows, and how far off they may be.

Gains are maintained, not recomputed: when a pick lowers a target's best from a to b, the gain of
source i falls by w_j clip(a - c_ij, 0, a - b), and only targets that changed contribute. The first
gains cost a pass over all pairs. Once the pairs that are still live fit in memory they are
collected, and the rest of the matrix is never looked at again; once they are few, each is computed
exactly and listed by source too, so that a pick finds the targets it changes.

Until then gains may be screened in low precision, and `slack` bounds their error.
"""

from __future__ import annotations

import numpy as np

from protospot.costs import Cost, LivePairs
from protospot.costs.pairs import INDEX_BYTES
from protospot.costs.plan import PAIR_BYTES
from protospot.types import Floats, Ints, Numbers

_EPS = float(np.finfo(np.float64).eps)
_FEW = 0.02  # share of all pairs that is cheap to compute exactly
_ALWAYS_FEW = 1 << 16  # pairs


class Gains:
    """How much each source would lower the cost, as of now."""

    def __init__(self, cost: Cost, weights: Floats) -> None:
        self._cost = cost
        self._weights = weights
        self._n_pairs = cost.shape[0] * cost.shape[1]
        self._values: Floats | None = None
        self._pairs: LivePairs | None = None
        self._spent: list[int] = []  # sources that are picked
        self._refused_share = np.inf  # of live pairs, which turned out not to fit
        self._largest = 0.0  # gain when the values were last made
        self.slack: Floats | float = 0.0
        self.stages: list[str] = []  # what was done when, for the record

    def values(self, best: Floats) -> Floats:
        """Return the gain of every source, off by at most `slack`; of a spent one, -inf."""
        if self._pairs is None:
            self._collect(best)
        if self._values is None:
            self.stages.append(f"all gains after pick {len(self._spent)}")
            self._set(self._cost.gains(best, self._weights), is_exact=False)
        assert self._values is not None
        return self._values

    def exact(self, sources: Ints, best: Floats) -> Floats:
        """Return the gains of some sources by definition, in float64."""
        values = np.empty(len(sources))
        if self._pairs is not None:
            for at, source in enumerate(sources.tolist()):
                targets = self._pairs.targets_of(source)
                costs = self._cost.rows(np.array([source]), targets)[0]
                values[at] = self._weights[targets] @ np.maximum(best[targets] - costs, 0)
            return values
        step = self._cost.plan.rows_at_once
        for begin in range(0, len(sources), step):
            costs = self._cost.rows(sources[begin : begin + step])
            values[begin : begin + step] = np.maximum(best - costs, 0) @ self._weights
        return values

    def targets_of(self, source: int) -> Numbers | None:
        """Return the targets that this source may serve more cheaply; None for any."""
        return None if self._pairs is None else self._pairs.targets_of(source)

    def spend(self, source: int) -> None:
        """Take a source out of the field: it is picked."""
        self._spent.append(source)
        if self._values is not None:
            self._values[source] = -np.inf

    def lower(self, changed: Ints, before: Floats, after: Floats, best: Floats) -> None:
        """Follow a pick that lowered the best of some targets."""
        if self._values is None:
            return
        # Each change of a target rounds a gain once.
        self.slack = self.slack + len(changed) * _EPS * self._largest
        if self._pairs is not None:
            self._pairs.lower(self._values, changed, before, after, self._weights)
            self._pack(best)
            return
        self._cost.lower(self._values, changed, before, after, self._weights)
        # A screened cost may come out a little different each time it is made.
        margins, mass = self._cost.margins, self._weights[changed]
        moved = margins[0] * float(mass.sum()) + float(mass @ margins[1][changed])
        self.slack = self.slack + 2 * moved

    def stop_screening(self) -> bool:
        """Start over with exact costs; False where there is nothing to win by it.

        Clusters far apart need this: float32 cannot hold both the distances between them and those
        within, and one exact pass is cheaper than exact checks of many candidates at every pick.
        """
        margins = self._cost.margins
        is_exact = not (margins[0].any() or margins[1].any())
        if is_exact or (self._pairs is not None and self._pairs.is_exact):
            return False
        self._cost = self._cost.exact()
        self._pairs = self._values = None
        self.stages.append(f"exact costs after pick {len(self._spent)}")
        return True

    def _set(self, values: Floats, *, is_exact: bool) -> None:
        values[self._spent] = -np.inf
        self._values = values
        self._largest = max(0.0, float(values.max()))
        if is_exact:
            self.slack = 64 * _EPS * self._largest
        else:
            margins = self._cost.margins
            rounding = 2 * self._cost.rounding * self._largest
            self.slack = margins[0] + float(self._weights @ margins[1]) + rounding

    def _collect(self, best: Floats) -> None:
        """Collect the live pairs if they are likely to fit."""
        limit = min(self._cost.plan.pair_limit, self._n_pairs)
        share = self._cost.live_share(best)
        if 1.2 * share * self._n_pairs > limit or 2 * share > self._refused_share:
            return
        found = self._cost.live(best, self._weights, limit)
        if found is None:
            self._refused_share = share  # the sample was wrong: wait until the share has halved
            return
        self._pairs, values = found
        self.stages.append(f"{self._pairs.count} live pairs after pick {len(self._spent)}")
        self._set(values, is_exact=False)
        self._pack(best)

    def _pack(self, best: Floats) -> None:
        """List pairs by source too once they are few, and again whenever half of them died."""
        pairs = self._pairs
        assert pairs is not None
        count = pairs.count
        few = pairs.counted // 2 if pairs.has_index else max(_FEW * self._n_pairs, _ALWAYS_FEW)
        room = self._cost.plan.pair_bytes - PAIR_BYTES * pairs.counted
        if count > few or (PAIR_BYTES + INDEX_BYTES) * count > room:
            return
        if not pairs.has_index:
            self.stages.append(f"{count} pairs by source after pick {len(self._spent)}")
        sharp = None if pairs.is_exact else self._cost.sharpened(pairs, best)
        self._pairs = sharp or pairs.packed(best)
        self._set(self._pairs.gains(best, self._weights), is_exact=self._pairs.is_exact)
