"""MMD-Critic: equal weights, greedy on the maximum mean discrepancy to the target.

Kim, Khanna and Koyejo, "Examples are not enough, learn to criticize!" (NIPS 2016), with source and
target distinct as Gurumoorthy et al. (2019, 2021) use it.
"""

from __future__ import annotations

import numpy as np

from protospot.baselines.similarity import Similarity, first_of_largest
from protospot.solvers import Run


def mmd_critic(run: Run) -> str:
    """Add the source that brings the mean of the set closest to the target's, again and again.

    With m prototypes the squared discrepancy is, but for a constant, the mean of their kernel
    matrix less twice their mean similarity to the target. Option `sigma`, the width of the kernel.
    """
    alike = Similarity(run, run.take_options(sigma=None)["sigma"])
    run.facts["sigma"] = alike.sigma
    to_chosen = np.zeros(run.cover.n_source)  # each source's similarities to them, summed
    for source in run.cover.picked:
        to_chosen += alike.row(source)
    stopped = "k prototypes picked"
    while run.room:
        size = len(run.cover.picked) + 1
        scores = 2 * alike.to_target - (2 * to_chosen + 1) / size
        scores[run.cover.picked] = -np.inf
        best = first_of_largest(scores)
        if not run.add([best]):
            stopped = "on_pick raised Stop"
            break
        to_chosen += alike.row(best)
    run.weights = np.full(len(run.cover.picked), 1 / len(run.cover.picked))
    return stopped
