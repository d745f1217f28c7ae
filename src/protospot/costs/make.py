"""From data and the name of a metric to a Cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from protospot import checks
from protospot.costs.blocks import BlockCost, called_function, known_names, named_function
from protospot.costs.dense import DenseCost
from protospot.costs.features import EXTRA
from protospot.costs.metrics import ALIASES, DEFINITIONS, Definition
from protospot.costs.plan import Plan, make_plan
from protospot.costs.points import PointCost
from protospot.costs.product import ProductCost
from protospot.costs.tiled import TiledCost
from protospot.errors import InputError
from protospot.points import Points

Metric = str | Callable[..., Any]
MATRICES = ("precomputed", "similarity")
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
    if isinstance(metric, str) and metric in MATRICES:
        return _from_matrix(source, target, metric, memory)
    source, target = read_pair(source, target)
    name, function = _resolve(metric, source, target)
    if isinstance(function, Definition):
        return _from_definition(source, target, function, memory)
    if source.is_sparse:
        raise InputError(
            f"metric {name!r} needs dense points, got a sparse matrix: pass matrix.toarray(), or "
            f"one of {', '.join(DEFINITIONS)}."
        )
    source, target = source.cast(np.dtype(np.float64)), target.cast(np.dtype(np.float64))
    return _from_function(source, target, name, function, memory)


def read_pair(source: Any, target: Any) -> tuple[Points, Points]:
    """Return source and target as Points of one working dtype, both dense or both sparse."""
    read = checks.read_points(source, "source")
    other = read if target is None else checks.read_points(target, "target")
    checks.same_width(read, other)
    if read.is_sparse != other.is_sparse:
        read, other = _sparse(read), _sparse(other)
    dtype = np.promote_types(read.dtype, other.dtype)
    return read.cast(dtype), other.cast(dtype)


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
        return named_function(str(metric), *read_pair(source, target)) or metric
    return metric


def _resolve(metric: Any, source: Points, target: Points) -> tuple[str, Any]:
    name = metric_name(metric)
    if callable(metric):
        return name, called_function(metric, source.shape[1])
    if isinstance(metric, str):
        function = DEFINITIONS.get(name) or named_function(name, source, target)
        if function is not None:
            return name, function
    allowed = {*DEFINITIONS, *MATRICES, *ALIASES, *known_names()}
    checks.one_of(metric, allowed, "metric")
    raise AssertionError(metric)


def _from_matrix(matrix: Any, target: Any, metric: str, memory: Any) -> DenseCost:
    if target is not None:
        raise InputError(
            f"with metric {metric!r} source is the whole (n_source, n_target) matrix and target "
            "must be left out, got both."
        )
    what = "cost" if metric == "precomputed" else "similarity"
    points = checks.read_matrix(matrix, f"the {what} matrix")
    plan = make_plan(points.shape, 1, {}, memory)
    top = float(points.raw.max()) if metric == "similarity" else None
    return DenseCost(points, plan, top)


def _from_definition(source: Points, target: Points, metric: Definition, memory: Any) -> PointCost:
    both = source.raw is target.raw
    ready = source.is_sparse or source.is_ready, target.is_sparse or target.is_ready
    width = source.shape[1]
    if source.is_sparse:
        width = min(width, 2 * max(points.raw.nnz // len(points) for points in (source, target)))
    makes_products = metric.name != "cityblock"
    plan = point_plan(
        (len(source), len(target)),
        width + 1,
        source.dtype,
        memory,
        makes_products=makes_products and not source.is_sparse,
        is_ready=ready,
    )
    if "source rows" in plan.copies:
        source = source.upcast()
    if "target rows" in plan.copies:
        target = source if both and "source rows" in plan.copies else target.upcast()
    return (ProductCost if makes_products else PointCost)(source, target, metric, plan)


def point_plan(
    shape: tuple[int, int],
    width: int,
    dtype: Any,
    memory: Any,
    *,
    makes_products: bool = True,
    is_ready: tuple[bool, bool] = (True, True),
) -> Plan:
    """Plan for points: which copies of both tables are wished for, and what fits."""
    sizes = {
        name: np.dtype(dtype).itemsize * n
        for name, n in zip(("source", "target"), shape, strict=True)
    }
    unready = [name for name, ready in zip(sizes, is_ready, strict=True) if not ready]
    copies = {f"{name} rows": sizes[name] * width for name in unready}
    if makes_products:
        copies |= {name: size * (width + EXTRA) for name, size in sizes.items()}
    return make_plan(shape, width, copies, memory)


def _from_function(
    source: Points, target: Points, name: str, function: Any, memory: Any
) -> BlockCost | DenseCost:
    shape = len(source), len(target)
    size = 8 * shape[0] * shape[1]
    plan = make_plan(shape, source.shape[1], {"matrix": size}, memory)
    cost = BlockCost(source, target, name, function, plan)
    if "matrix" not in plan.copies:
        return cost
    # Such a function is slow: where the matrix fits, ask it once.
    matrix = np.empty(shape)
    for part, tiles in cost._tiles(0, 1):
        for sources, tile in tiles:
            matrix[sources, part] = tile.T
    return DenseCost(Points(matrix), plan)


def _sparse(points: Points) -> Points:
    from scipy.sparse import csr_array

    return points if points.is_sparse else Points(csr_array(points.raw), points.dtype)
