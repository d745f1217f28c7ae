"""How well a selection represents its target, on scales that all methods share.

The accuracy of the nearest-prototype classifier is the paper's; the discrepancy is what methods
"mmd-critic" and "protodash" minimise. The transport cost, SPOT's objective, is `Selection.cost`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from protospot import checks, costs
from protospot.costs.make import Metric
from protospot.costs.plan import parse_bytes
from protospot.errors import InputError
from protospot.evaluate import cost_again, evaluate, recorded_metric
from protospot.gaussian import GaussianKernel, kernel_width
from protospot.points import Points
from protospot.select import select
from protospot.selection import Selection
from protospot.transport import transport
from protospot.types import Bools, Floats, Numbers

SIGMAS = (0.1, 0.5, 1.0, 5.0, 10.0)  # widths that the paper cross-validates over
_MEMORY = "256MiB"


def accuracies(
    selection: Selection,
    source: Any,
    target: Any = None,
    *,
    labels: Any,
    target_labels: Any = None,
    metric: Metric | None = None,
    memory: int | str | None = None,
) -> Floats:
    """Return the accuracy of the nearest-prototype classifier after each pick.

    Each target point is given the label of its cheapest prototype. Where points have several
    labels, it is right if they have one in common.

    Parameters
    ----------
    selection
        Any selection.
    source, target
        What it was selected from and for.
    labels
        (n_source,) label of each source point, or an (n_source, n_labels) table of yes and no.
    target_labels
        The same for target points; `labels` where the source is the target.
    metric, memory
        As for `protospot.evaluate`; the metric is the selection's own where left out.

    Examples
    --------
    >>> import protospot as ps
    >>> from protospot import scores
    >>> points, labels = [[0.0], [1.0], [9.0], [10.0]], ["low", "low", "high", "high"]
    >>> scores.accuracies(ps.select(points, k=2), points, labels=labels).tolist()
    [0.5, 1.0]
    """
    _, cost = cost_again(selection, source, target, metric, memory)
    names, others = _labels(labels, target_labels, cost.shape)
    best, is_right = np.full(cost.shape[1], np.inf), np.zeros(cost.shape[1], bool)
    found = np.empty(len(selection))
    step = cost.plan.rows_at_once
    for begin in range(0, len(selection), step):
        some = selection.indices[begin : begin + step]
        for at, (index, row) in enumerate(zip(some, cost.rows(some), strict=True), start=begin):
            closer = row < best
            best[closer] = row[closer]
            is_right[closer] = _share_a_label(names[[index]], others[closer])
            found[at] = is_right.mean()
    return found


def moved_accuracy(
    selection: Selection,
    target: Any,
    *,
    labels: Any,
    target_labels: Any,
    metric: Metric | None = None,
) -> float:
    """Return the accuracy of the nearest prototype once all are carried to the target.

    Parameters
    ----------
    selection
        A selection with a transport plan: SPOT's own, or one that `protospot.couple` made.
    target
        What it was selected for.
    labels, target_labels
        As for `accuracies`.
    metric
        The selection's own where left out.
    """
    known = recorded_metric(selection, metric)
    moved = transport(selection, target, metric=known if isinstance(known, str) else None)
    has_place = np.isfinite(moved).all(axis=1)
    cost = costs.make(moved[has_place], target, metric=known)
    names = _table(labels, "labels")
    checks.read_rows(selection.indices, len(names), "selection.indices")
    others = _table(target_labels, "target_labels")
    _must_be(others, cost.shape[1], "target_labels")
    _must_be_alike(names, others)
    owner = cost.nearest()[1]
    mine = names[selection.indices[has_place]][owner]
    return float(_share_a_label(mine, others).mean())


def best_sigma(
    source: Any,
    target: Any,
    k: int,
    *,
    labels: Any,
    target_labels: Any,
    method: str = "protodash",
    sigmas: Any = SIGMAS,
    folds: int = 5,
    seed: int | None = None,
) -> float:
    """Return the kernel width whose prototypes classify held-out target points best.

    Prototypes are selected for all folds of the target but one, which they then classify.

    Parameters
    ----------
    source, target, k
        As for `protospot.select`.
    labels, target_labels
        As for `accuracies`.
    method
        "protodash" or "mmd-critic".
    sigmas
        The widths to compare, by default those of the paper: 0.1, 0.5, 1, 5, 10. Of equals the
        first is taken.
    folds
        How many parts the target is divided into, at random.
    seed
        Of that division.
    """
    points = checks.read_points(target, "target")
    names = _table(target_labels, "target_labels")
    _must_be(names, len(points), "target_labels")
    if len(sigmas) == 0:
        raise InputError("sigmas must hold at least one width, got none.")
    folds = checks.read_count(folds, "folds", len(points), "target points")
    part = np.random.default_rng(seed).permutation(len(points)) % max(2, folds)
    right = np.zeros(len(sigmas))
    for at, sigma in enumerate(sigmas):
        for held in range(part.max() + 1):
            seen, unseen = (points.raw[part != held], points.raw[part == held])
            chosen = select(source, seen, k, method=method, sigma=sigma)
            there = evaluate(chosen.indices, source, unseen)
            known = {"labels": labels, "target_labels": names[part == held]}
            right[at] += accuracies(there, source, unseen, **known)[-1]
    return float(sigmas[int(right.argmax())])


def discrepancy(
    selection: Selection,
    source: Any,
    target: Any = None,
    *,
    sigma: float | None = None,
    memory: int | str | None = None,
) -> float:
    """Return the maximum mean discrepancy between the weighted prototypes and the target.

    Parameters
    ----------
    selection
        Any selection; its weights count, whatever they are.
    source, target
        What it was selected from and for.
    sigma
        Width of the Gaussian kernel; the median distance between target points where left out.
    memory
        For blocks of the kernel: 256 MiB where left out.
    """
    return Discrepancy(source, target, sigma=sigma, memory=memory)(selection)


class Discrepancy:
    """The discrepancy of several selections for the same data: see `discrepancy`."""

    def __init__(
        self,
        source: Any,
        target: Any = None,
        *,
        sigma: float | None = None,
        memory: int | str | None = None,
    ) -> None:
        self._target = checks.read_points(source if target is None else target, "target")
        self._source = self._target if target is None else checks.read_points(source, "source")
        checks.same_width(self._source, self._target)
        budget = parse_bytes(_MEMORY if memory is None else memory)
        width = kernel_width(sigma, self._target)
        self._kernel = GaussianKernel(width, self._target.mean(), budget)
        self._within: tuple[Floats, float] | None = None  # for which target weights

    def __call__(self, selection: Selection) -> float:
        """Return the discrepancy between a selection's weighted prototypes and the target."""
        points, kernel = self._target, self._kernel
        mine, theirs = selection.weights, selection.target_weights
        checks.read_rows(selection.indices, len(self._source), "selection.indices")
        checks.read_weights(theirs, len(points))
        if self._within is None or (self._within[0] != theirs).any():
            self._within = theirs, float(theirs @ kernel.densities(points, points, theirs))
        prototypes = Points(self._source.block(selection.indices))
        among = mine @ kernel.densities(prototypes, prototypes, mine)
        across = mine @ kernel.densities(prototypes, points, theirs)
        return math.sqrt(max(0.0, float(among - 2 * across + self._within[1])))


def _labels(labels: Any, others: Any, shape: tuple[int, int]) -> tuple[Numbers, Numbers]:
    mine = _table(labels, "labels")
    theirs = mine if others is None else _table(others, "target_labels")
    _must_be(mine, shape[0], "labels")
    _must_be(theirs, shape[1], "labels" if others is None else "target_labels")
    _must_be_alike(mine, theirs)
    return mine, theirs


def _must_be_alike(mine: Numbers, theirs: Numbers) -> None:
    is_text = [table.dtype.kind in "USO" for table in (mine, theirs)]
    if mine.shape[1:] != theirs.shape[1:] or is_text[0] != is_text[1]:
        raise InputError(
            "labels and target_labels must be alike, one label per point or tables of the same "
            f"columns, got shapes {mine.shape} and {theirs.shape} of {mine.dtype} and "
            f"{theirs.dtype}."
        )


def _table(labels: Any, name: str) -> Numbers:
    table = np.asarray(labels.toarray() if hasattr(labels, "toarray") else labels)
    is_table = table.ndim == 2 and table.dtype.kind in "biuf"
    if table.ndim != 1 and not (is_table and np.isin(table, (0, 1)).all()):
        raise InputError(
            f"{name} must be one label per point, or a table of yes and no with one row per point, "
            f"got shape {table.shape} of {table.dtype}."
        )
    return table.astype(bool) if table.ndim == 2 else table


def _must_be(table: Numbers, n: int, name: str) -> None:
    if len(table) != n:
        raise InputError(f"{name} must name {n} points, got {len(table)}.")


def _share_a_label(one: Numbers, other: Numbers) -> Bools:
    same: Bools = np.asarray((one & other).any(axis=1) if other.ndim == 2 else one == other)
    return same
