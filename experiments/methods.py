"""The methods that the paper compares, by the names that it gives them."""

from __future__ import annotations

import warnings
from typing import Any

from numpy.typing import NDArray

import protospot as ps
from experiments.sets import Labelled, some
from protospot import scores

METHODS = {
    "SPOTgreedy": "greedy",
    "SPOTsimple": "simple",
    "ProtoDash": "protodash",
    "MMD-Critic": "mmd-critic",
}
_LOOKED_AT = 2_000  # target points to choose a width from


def select(method: str, source: Any, target: Any, k: int, sigma: float | None) -> ps.Selection:
    """Select by a method of the paper; the baselines need a kernel width."""
    options: dict[str, Any] = {} if method.startswith("SPOT") else {"sigma": sigma}
    with warnings.catch_warnings():
        # ProtoDash stops where the fit is as good as numbers can tell; the rows then say so.
        warnings.simplefilter("ignore", ps.FewerPrototypesWarning)
        return ps.select(source, target, min(k, len(source)), method=METHODS[method], **options)


def accuracies(chosen: ps.Selection, source: Labelled, target: Labelled) -> NDArray[Any]:
    """Return the accuracy of the nearest prototypes after each pick."""
    labels, others = source.labels, target.labels
    points = source.points, target.points
    return scores.accuracies(chosen, *points, labels=labels, target_labels=others)


def best_sigma(method: str, source: Labelled, target: Labelled, k: int, seed: int) -> float | None:
    """Return the width whose prototypes classify held-out targets best, in five folds.

    The paper cross-validates over the same widths and does not say by what; this is our choice.
    """
    if method.startswith("SPOT"):
        return None
    target = target.take(some(len(target), _LOOKED_AT))
    points = source.points, target.points, min(k, len(source))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ps.FewerPrototypesWarning)
        return scores.best_sigma(
            *points,
            labels=source.labels,
            target_labels=target.labels,
            method=METHODS[method],
            seed=seed,
        )
