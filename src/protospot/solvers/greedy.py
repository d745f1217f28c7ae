"""Greedy selection: each step adds the sources that lower the transport cost most.

SPOTgreedy is algorithm 1 of Gurumoorthy, Jawanpuria and Mishra (2021). One pick a step comes within
1 - 1/e of the best possible gain, `batch` picks a step within 1 - e^(-1/batch). `stochastic` looks
at a random sample of the sources at each step (Mirzasoleiman et al. 2015, "Lazier than lazy
greedy"), and comes within 1 - 1/e - epsilon on average.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from protospot.cover import Leader
from protospot.errors import InputError
from protospot.solvers.solver import Run

NO_GAIN = "no source lowers the cost any further"


def greedy(run: Run) -> str:
    """Add the `batch` best sources a step, until k, min_gain or a zero gain."""
    run.take_options()
    is_plain = run.batch == 1 and run.min_gain is None and run.on_pick is None

    def leaders(count: int) -> list[Leader]:
        while is_plain and run.room > 1 and run.cover.descend(run.room - 1):
            pass
        return run.cover.leaders(count, exact=run.min_gain is not None)

    return _steps(run, leaders)


def stochastic(run: Run) -> str:
    """Add the best of a random sample a step; the sample shrinks with epsilon."""
    epsilon = run.take_options(epsilon=0.1)["epsilon"]
    if not isinstance(epsilon, int | float) or not 0 < epsilon < 1:
        raise InputError(f"epsilon must be a number between 0 and 1, got epsilon={epsilon!r}.")
    random, n_source = run.random, run.cover.n_source
    size = min(n_source, math.ceil(n_source / run.k * math.log(1 / epsilon)))

    def leaders(count: int) -> list[Leader]:
        sample = random.choice(run.cover.free, min(size, len(run.cover.free)), replace=False)
        sample.sort()
        exact = run.min_gain is not None
        found = run.cover.leaders(count, sample, exact=exact)
        # A sample of spent sources says nothing of the others.
        is_spent = bool(run.cover.picked) and all(x.gain <= run.cover.tie for x in found)
        return run.cover.leaders(count, exact=exact) if is_spent else found

    return _steps(run, leaders)


def _steps(run: Run, leaders: Callable[[int], list[Leader]]) -> str:
    cover = run.cover
    while run.room:
        step = leaders(min(run.batch, run.room))
        if cover.picked:  # the first step is always taken: there is nothing yet to gain on
            best_gain = step[0].gain if step else 0.0
            step = [leader for leader in step if leader.gain > cover.tie]
            if step and run.min_gain is not None:
                step = [leader for leader in step if leader.gain >= run.min_gain]
                if not step:
                    return f"the best gain, {best_gain:.6g}, is below min_gain={run.min_gain:.6g}"
        if not step:
            return NO_GAIN
        if not run.add(leader.source for leader in step):
            return "on_pick raised Stop"
        if run.batch > 1:
            gained = cover.gained(len(step))
            first = len(cover.picked) == len(step)  # which has nothing to gain on
            run.facts.setdefault("step_gains", []).append(None if first else gained)
    return "k prototypes picked"
