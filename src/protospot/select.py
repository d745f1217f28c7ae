"""`select`: from data to a Selection in one call."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

from protospot import checks, costs, threads
from protospot.baselines import METHODS
from protospot.certify import certified
from protospot.costs.layout import is_matrix
from protospot.costs.make import Metric
from protospot.cover import Cover
from protospot.errors import FewerPrototypesWarning, InputError
from protospot.record import as_selection
from protospot.refine import refined
from protospot.selection import Selection
from protospot.solvers import Run
from protospot.swaps import Budget
from protospot.types import OnPick


def select(
    source: Any,
    target: Any = None,
    k: int | None = 50,
    *,
    metric: Metric = "sqeuclidean",
    method: str = "greedy",
    target_weights: Any = None,
    batch: int = 1,
    min_gain: float | None = None,
    start: Any = None,
    refine: bool = False,
    certify: bool = False,
    device: str = "auto",
    engine: str = "local",
    memory: int | str | None = None,
    seed: int | None = None,
    on_pick: OnPick | None = None,
    **options: Any,
) -> Selection:
    """Select k weighted prototypes from the source that stand for the target.

    Parameters
    ----------
    source
        (n_source, d) candidates: an array, a frame of numbers, a SciPy sparse matrix, a memory
        map, a torch CPU tensor. With metric "precomputed" or "similarity" the
        (n_source, n_target) matrix itself.
    target
        (n_target, d) points to stand for; the source itself when left out (k-medoids).
    k
        How many prototypes; None with `min_gain` for no limit.
    metric
        "sqeuclidean", "euclidean", "cosine", "cityblock", "dot" (cost -x.y), any name that SciPy
        or scikit-learn knows, a function of two rows or of two blocks of rows, "precomputed" (a
        matrix of costs) or "similarity" (a matrix S; the cost is max(S) - S).
    method
        "greedy" (SPOTgreedy), "simple" (SPOTsimple), "stochastic" (greedy on random samples;
        option `epsilon`, 0.1), "optimal" (the best possible set, for small problems; option
        `time_limit`, 60 seconds), "mmd-critic" or "protodash" (methods of others, which match a
        kernel mean and set their own weights; option `sigma`, the width of the kernel, chosen
        from the target's distances where left out), or "random" (a baseline).
    target_weights
        (n_target,) mass of each target point; equal when left out. Scaled to sum to 1.
    batch
        Sources that greedy adds per step, the paper's s. Larger is no faster here: gains are
        maintained, so it serves to follow the paper.
    min_gain
        Greedy stops before a step whose best gain is below this many units of cost.
    start
        Rows that are chosen already; they come first and count towards k.
    refine
        Then swap prototypes for other sources as long as that lowers the cost; see
        `protospot.refine`. Rows of `start` stay.
    certify
        Then compute `lower_bound`, which no set of as many prototypes can be below, and so `gap`;
        see `protospot.certify`.
    memory
        Working memory beyond the inputs, in bytes or as "512MiB"; half of the free memory when
        left out. The answer does not depend on it.
    seed
        For "stochastic" and "random".
    on_pick
        Called after each pick with a `Pick` (rank, index, gain, cost). It may raise
        `protospot.Stop` to end the selection there.

    Returns
    -------
    Selection
        Indices in the order picked, the cost after each, weights, and the owner of each target.

    Examples
    --------
    >>> import numpy as np
    >>> import protospot as ps
    >>> source = np.array([[0.0, 0.0], [9.0, 9.0], [1.0, 0.0], [5.0, 5.0]])
    >>> target = np.array([[0.0, 0.1], [0.1, 0.0], [9.0, 9.0]])
    >>> chosen = ps.select(source, target, k=2)
    >>> chosen.indices.tolist()
    [3, 0]
    >>> chosen.weights.round(2).tolist()
    [0.33, 0.67]
    """
    began = time.perf_counter()
    solver = METHODS[checks.one_of(method, METHODS, "method")]
    _refuse_unbuilt(device, engine)
    if on_pick is not None and not callable(on_pick):
        raise InputError(f"on_pick must be a function of one Pick, got {on_pick!r}.")
    cost = costs.make(source, target, metric=metric, memory=memory)
    n_source, n_target = cost.shape
    cover = Cover(cost, checks.read_weights(target_weights, n_target))
    run = Run(
        cost,
        cover,
        _read_k(k, min_gain, n_source),
        checks.read_count(batch, "batch"),
        None if min_gain is None else checks.read_amount(min_gain, "min_gain"),
        checks.read_seed(seed),
        on_pick,
        options,
        ("k", *(select.__kwdefaults__ or ())),
        data=None if is_matrix(metric) else (source, target),
    )
    first = checks.read_rows([] if start is None else start, n_source, "start")
    if len(first) > run.k:
        raise InputError(f"start must hold at most k={run.k} rows, got {len(first)}.")
    with threads.making_way():
        for row in first.tolist():
            cover.add(row)
        run.facts["stopped"] = solver(run)
        bound = run.facts.pop("lower_bound", None)
        chosen = as_selection(cost, cover, metric, method, run.facts, 0.0)
        if bound is not None:
            chosen = replace(chosen, lower_bound=min(bound, chosen.cost))
        if run.weights is not None:
            chosen = replace(chosen, weights=run.weights)
            chosen.made_by["weights"] = "own"
        near = None
        if refine:
            chosen, near = refined(chosen, cost, metric, Budget(), keep=len(first))
        if certify:
            chosen = certified(chosen, cost, metric, near)
    chosen.made_by["seconds"] = time.perf_counter() - began
    if k is not None and len(chosen) < k and run.facts["stopped"] != "on_pick raised Stop":
        warnings.warn(
            f"{len(chosen)} prototypes came back, {k} were asked for: {run.facts['stopped']}.",
            FewerPrototypesWarning,
            stacklevel=2,
        )
    return chosen


def _read_k(k: Any, min_gain: Any, n_source: int) -> int:
    if k is not None:
        return checks.read_count(k, "k", n_source, "source points")
    if min_gain is None:
        raise InputError("k may be None only when min_gain is given; got neither.")
    return n_source


def _refuse_unbuilt(device: str, engine: str) -> None:
    if device not in ("auto", "cpu"):
        raise InputError(f"device must be 'auto' or 'cpu' in this version, got {device!r}.")
    if engine != "local":
        raise InputError(f"engine must be 'local' in this version, got {engine!r}.")
