"""ProtoDash: non-negative weights, greedy on the gradient of the kernel mean's fit.

Gurumoorthy, Dhurandhar, Cecchi and Aggarwal, "Efficient data representation by selecting prototypes
with importance weights" (ICDM 2019).
"""

from __future__ import annotations

import numpy as np

from protospot.baselines.fit import Fit
from protospot.baselines.similarity import Similarity, first_of_largest
from protospot.solvers import Run
from protospot.types import Floats

_NOTHING = 1e-12  # a slope up to this is rounding


def protodash(run: Run) -> str:
    """Add the source along which the fit rises fastest, then fit all weights anew.

    The fit is m.w - w.K.w / 2, with m each source's mean similarity to the target and K the
    similarities among sources; of weights w that are not negative. Stops early where no source
    raises it. Option `sigma`, the width of the kernel.
    """
    alike = Similarity(run, run.take_options(sigma=None)["sigma"])
    chosen, fit = run.cover.picked, Fit(run.k)
    slope = _Slope(alike, run)
    for at in range(len(chosen)):
        fit.add(slope.include(at)[chosen[: at + 1]], alike.to_target[chosen[at]])
    stopped = "k prototypes picked"
    while run.room:
        slopes = slope.at(fit.weights)
        slopes[chosen] = -np.inf
        best = first_of_largest(slopes)
        if slopes[best] <= _NOTHING and chosen:  # the first step is always taken
            stopped = "no other source raises the fit"
            break
        goes_on = run.add([best])
        fit.add(slope.include(len(chosen) - 1)[chosen], alike.to_target[best])
        if not goes_on:
            stopped = "on_pick raised Stop"
            break
    run.facts |= {"sigma": alike.sigma, "fit": fit.value}
    total = fit.weights.sum()  # zero where the kernel is so narrow that no source is like a target
    run.weights = fit.weights / total if total > 0 else np.full(len(chosen), 1 / len(chosen))
    return stopped


class _Slope:
    """How fast the fit rises along each source; rows of the kernel are kept where they fit."""

    def __init__(self, alike: Similarity, run: Run) -> None:
        n_source = len(alike.to_target)
        self._alike, self._chosen = alike, run.cover.picked
        fits = 8 * run.k * n_source <= run.cost.plan.pair_bytes
        self._rows = np.empty((run.k, n_source)) if fits else None

    def include(self, at: int) -> Floats:
        """Take in the prototype at a position; return how alike it is to all sources."""
        row = self._alike.row(self._chosen[at])
        if self._rows is not None:
            self._rows[at] = row
        return row

    def at(self, weights: Floats) -> Floats:
        """Return the slopes where the prototypes have these weights."""
        if len(weights) == 0:
            return self._alike.to_target.copy()
        if self._rows is not None:
            return self._alike.to_target - weights @ self._rows[: len(weights)]
        return self._alike.to_target - self._alike.mixed(np.array(self._chosen), weights)
