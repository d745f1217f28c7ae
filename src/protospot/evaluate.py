"""Selections by hand: of given rows, of a shorter prefix, and what serves new points."""

from __future__ import annotations

import time
from typing import Any

from protospot import checks, costs, threads
from protospot.costs.layout import is_matrix
from protospot.costs.make import FITTED, Metric
from protospot.costs.tiled import TiledCost
from protospot.cover import Cover
from protospot.errors import InputError
from protospot.record import as_selection
from protospot.selection import Selection
from protospot.types import Floats, Ints


def evaluate(
    indices: Any,
    source: Any,
    target: Any = None,
    *,
    metric: Metric = "sqeuclidean",
    target_weights: Any = None,
    memory: int | str | None = None,
) -> Selection:
    """Return the Selection of rows that were chosen by hand or by another tool.

    Parameters
    ----------
    indices
        Distinct rows of the source, in the order that `costs` is to follow.
    source, target, metric, target_weights, memory
        As for `protospot.select`.

    Examples
    --------
    >>> import protospot as ps
    >>> ps.evaluate([0, 2], [[0.0], [1.0], [4.0]]).costs.tolist()
    [5.666666666666667, 0.3333333333333333]
    """
    began = time.perf_counter()
    cost = costs.make(source, target, metric=metric, memory=memory)
    cover = Cover(cost, checks.read_weights(target_weights, cost.shape[1]))
    rows = checks.read_rows(indices, cost.shape[0], "indices")
    if len(rows) == 0:
        raise InputError("indices must name at least one row of the source, got none.")
    with threads.making_way():
        cover.add_all(rows)
    facts = {"stopped": "all given rows added"}
    return as_selection(cost, cover, metric, "evaluate", facts, time.perf_counter() - began)


def head(
    selection: Selection,
    k: int,
    source: Any,
    target: Any = None,
    *,
    metric: Metric | None = None,
    memory: int | str | None = None,
) -> Selection:
    """Return the selection's first k prototypes, each target given to the cheapest of them.

    A greedy selection's head is the greedy selection of that size.

    Parameters
    ----------
    selection
        Any selection.
    k
        How many of its prototypes to keep.
    source, target
        What it was selected from and for.
    metric
        Only where the selection's own is a function, which is not recorded.
    memory
        As for `protospot.select`.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [1.0], [4.0], [5.0]]
    >>> ps.head(ps.select(points, k=3), 2, points).k
    2
    """
    keep = checks.read_count(k, "k", selection.k, "prototypes of the selection")
    shorter = evaluate(
        selection.indices[:keep],
        source,
        target,
        metric=recorded_metric(selection, metric),
        target_weights=selection.target_weights,
        memory=memory,
    )
    shorter.made_by.update(method=selection.made_by.get("method"), stopped=f"head of {selection.k}")
    return shorter


def assign(
    selection: Selection,
    source: Any,
    points: Any,
    *,
    metric: Metric | None = None,
    memory: int | str | None = None,
) -> tuple[Ints, Floats]:
    """Return the cheapest prototype of each new point, and its cost.

    Parameters
    ----------
    selection
        Any selection.
    source
        The points it was selected from.
    points
        New points, with the same features.
    metric
        Only where the selection's own is a function, which is not recorded.
    memory
        As for `protospot.select`.

    Returns
    -------
    owner
        (n_points,) position in ``selection.indices``.
    cost
        (n_points,) cost to that prototype.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [1.0], [8.0]]
    >>> owner, cost = ps.assign(ps.select(points, k=2), points, [[7.0], [0.5]])
    >>> owner.tolist(), cost.tolist()
    ([1, 0], [1.0, 0.25])
    """
    chosen = recorded_metric(selection, metric)
    if is_matrix(chosen):
        raise InputError(
            f"assign needs points and a metric, but the selection was made from a {chosen} matrix: "
            "take the argmin of the new points' costs to selection.indices."
        )
    if chosen in FITTED:
        raise InputError(
            f"assign cannot tell metric {chosen!r} from source alone, as it also depends on the "
            "target: pass metric= a function, for instance "
            "protospot.costs.fixed_metric(name, source, target)."
        )
    table = checks.read_points(source, "source")
    checks.read_rows(selection.indices, len(table), "selection.indices")
    new = checks.read_points(points, "points")
    checks.same_width(table, new, ("source", "points"))
    prototypes = checks.read_points(table.raw[selection.indices], "source")
    cost = costs.make(prototypes, new, metric=chosen, memory=memory)
    best, owner = cost.nearest()
    return owner, best


def recorded_metric(selection: Selection, metric: Metric | None) -> Metric:
    """Return the metric given, else the one the selection was made with."""
    if metric is not None:
        return metric
    name = selection.made_by.get("metric")
    if not isinstance(name, str) or name.startswith("callable:"):
        raise InputError(
            f"the selection was made with metric {name!r}, which is not recorded: pass metric=."
        )
    return name


def cost_again(
    selection: Selection, source: Any, target: Any, metric: Metric | None, memory: int | str | None
) -> tuple[Metric, TiledCost]:
    """Return the metric and the cost a selection was made with; refuse data it cannot be of."""
    known = recorded_metric(selection, metric)
    cost = costs.make(source, target, metric=known, memory=memory)
    checks.read_rows(selection.indices, cost.shape[0], "selection.indices")
    checks.read_weights(selection.target_weights, cost.shape[1])
    return known, cost
