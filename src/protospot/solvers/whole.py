"""Methods that choose the whole set at once: SPOTsimple, and a random baseline."""

from __future__ import annotations

import numpy as np

from protospot.solvers.solver import Run

_DIGITS = 12  # to which masses are compared


def simple(run: Run) -> str:
    """Give every target to its cheapest source; keep the k sources that receive most mass.

    SPOTsimple of Gurumoorthy, Jawanpuria and Mishra (2021), section 3.3. A source that receives no
    mass is not a prototype.
    """
    run.take_options()
    _, owner = run.cost.nearest()
    mass = np.bincount(owner, run.cover.weights, minlength=run.cover.n_source)
    mass[run.cover.picked] = 0.0
    # Rounded, so that sums of the same weights in another order are equal; then lowest row first.
    digits, power = np.frexp(mass)
    rounded = np.ldexp(np.round(digits, _DIGITS), power)
    heaviest = np.lexsort((np.arange(len(mass)), -rounded))[: run.room]
    chosen = heaviest[mass[heaviest] > 0]
    if not run.add(chosen.tolist()):
        return "on_pick raised Stop"
    return "no other source receives mass" if run.room else "k prototypes picked"


def random(run: Run) -> str:
    """Take k sources at random, without replacement."""
    run.take_options()
    chosen = run.random.choice(run.cover.free, run.room, replace=False)
    return "k prototypes picked" if run.add(chosen.tolist()) else "on_pick raised Stop"
