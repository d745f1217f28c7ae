"""From data and the name of a metric to a Cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from protospot import checks
from protospot.costs import layout
from protospot.costs.blocks import (
    BlockCost,
    called_function,
    known_names,
    missing_libraries,
    named_function,
)
from protospot.costs.dense import DenseCost
from protospot.costs.layout import MATRICES, is_matrix
from protospot.costs.look import Look, first_look
from protospot.costs.metrics import ALIASES, DEFINITIONS, Definition
from protospot.costs.points import PointCost
from protospot.costs.product import ProductCost
from protospot.costs.tiled import TiledCost
from protospot.errors import InputError
from protospot.points import Points

Metric = str | Callable[..., Any]
FITTED = ("seuclidean", "mahalanobis")  # their costs depend on the spread of the data


def make(
    source: Any, target: Any = None, *, metric: Metric = "sqeuclidean", memory: Any = None
) -> TiledCost:
    """Return the cost between two tables of points, or the one that a matrix holds.

    Examples
    --------
    >>> from protospot import costs
    >>> cost = costs.make([[0.0], [1.0]], [[3.0]], metric="euclidean")
    >>> cost.rows(np.array([0, 1])).tolist()
    [[3.0], [2.0]]
    """
    check_metric(metric)
    if is_matrix(metric):
        return _from_matrix(source, target, metric, memory)
    source, target = read_pair(source, target, metric)
    name, function = _resolve(metric, source, target)
    if isinstance(function, Definition):
        return _from_definition(source, target, function, memory)
    source, target = source.cast(np.dtype(np.float64)), target.cast(np.dtype(np.float64))
    return _from_function(source, target, name, function, memory)


def read_pair(source: Any, target: Any, metric: Metric) -> tuple[Points, Points]:
    """Return source and target as Points of one working dtype, both dense or both sparse."""
    read = checks.read_points(source, "source")
    other = read if target is None else checks.read_points(target, "target")
    checks.same_width(read, other)
    if metric_name(metric) not in DEFINITIONS and (read.is_sparse or other.is_sparse):
        raise InputError(
            f"metric {metric_name(metric)!r} needs dense points, got a sparse matrix: pass "
            f"matrix.toarray(), or one of {', '.join(DEFINITIONS)}."
        )
    if read.is_sparse != other.is_sparse:
        read, other = _sparse(read), _sparse(other)
    dtype = np.promote_types(read.dtype, other.dtype)
    return read.cast(dtype), other.cast(dtype)


def read_matrix(matrix: Any, target: Any, metric: Metric) -> Points:
    """Return a matrix of costs or similarities, which needs no target."""
    if target is not None:
        raise InputError(
            f"with metric {metric!r} source is the whole (n_source, n_target) matrix and target "
            "must be left out, got both."
        )
    return checks.read_matrix(matrix, MATRICES[str(metric)])


def metric_name(metric: Metric) -> str:
    """Return the name under which a selection records its metric."""
    if isinstance(metric, str):
        return ALIASES.get(metric, metric)
    return f"callable:{getattr(metric, '__name__', type(metric).__name__)}"


def fixed_metric(metric: Metric, source: Any, target: Any = None) -> Metric:
    """Return the metric as it is for these data, so that other data do not change it.

    "seuclidean" and "mahalanobis" depend on the spread of the points; others come back as given.
    """
    if metric in FITTED:
        return named_function(str(metric), *read_pair(source, target, metric)) or metric
    return metric


def check_metric(metric: Any) -> None:
    """Refuse what is no metric, naming those there are."""
    fast = {*DEFINITIONS, *MATRICES, *ALIASES}
    if callable(metric) or (isinstance(metric, str) and metric in fast):
        return
    checks.one_of(metric, fast | known_names(), "metric", missing_libraries())


def _resolve(metric: Any, source: Points, target: Points) -> tuple[str, Any]:
    name = metric_name(metric)
    if callable(metric):
        return name, called_function(metric, source.shape[1])
    if isinstance(metric, str):
        function = DEFINITIONS.get(name) or named_function(name, source, target)
        if function is not None:
            return name, function
    raise AssertionError(f"{metric!r} passed check_metric")


def _from_matrix(matrix: Any, target: Any, metric: Metric, memory: Any) -> DenseCost:
    points = read_matrix(matrix, target, metric)
    plan = layout.of_matrix(points, str(metric)).plan(memory)
    is_cost = metric == "precomputed"  # gains beside a guess are of use to costs only
    look = first_look(points, plan) if is_cost else Look(points.row_sums)
    checks.refuse_infinite(points, MATRICES[str(metric)], look.sums)
    if is_cost:
        return DenseCost(points, plan, look)
    return DenseCost(points, plan, top=float(points.raw.max()))


def _from_definition(source: Points, target: Points, metric: Definition, memory: Any) -> PointCost:
    plan = layout.of_points(source, target, metric.name).plan(memory)
    both = source.raw is target.raw
    if "source rows" in plan.copies:
        source = source.upcast()
    if "target rows" in plan.copies:
        target = source if both and source.is_ready else target.upcast()
    return (ProductCost if metric.is_product else PointCost)(source, target, metric, plan)


def _from_function(
    source: Points, target: Points, name: str, function: Any, memory: Any
) -> BlockCost | DenseCost:
    plan = layout.of_points(source, target, name).plan(memory)
    cost = BlockCost(source, target, name, function, plan)
    if "matrix" not in plan.copies:
        return cost
    # Such a function is slow: where the matrix fits, ask it once.
    matrix = np.empty(cost.shape)
    for part, tiles in cost._tiles(0, 1):
        for sources, tile, _ in tiles:
            matrix[sources, part] = tile
    return DenseCost(Points(matrix), plan)


def _sparse(points: Points) -> Points:
    from scipy.sparse import csr_array

    if points.is_sparse:
        return points
    return Points(csr_array(points.raw.astype(points.dtype, copy=False)), points.dtype)
