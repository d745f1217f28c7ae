"""Criticisms: target points that the prototypes do not explain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from protospot import checks, costs
from protospot.costs.layout import is_matrix
from protospot.costs.metrics import squared_norms
from protospot.costs.plan import parse_bytes
from protospot.errors import InputError
from protospot.evaluate import recorded_metric
from protospot.gaussian import GaussianKernel, kernel_width
from protospot.points import Points
from protospot.types import Floats, Ints
from protospot.witness import by_density

if TYPE_CHECKING:
    from protospot.costs import Cost
    from protospot.selection import Selection

_NOTHING = 1e-12  # a score below this share of the highest is rounding, a smaller lead is a tie
_MMD_MEMORY = "256MiB"


def criticisms(
    selection: Selection,
    source: Any,
    target: Any = None,
    n: int = 10,
    *,
    witness: str = "cost",
    metric: Any = None,
    sigma: float | None = None,
    memory: int | str | None = None,
) -> Ints:
    """List the target points that the prototypes explain worst.

    Two measures of that can be asked for:

    - "cost": target point l scores ``target_weights[l] * best[l]``, its part of the cost. Once
      criticism j is listed, it explains its neighbourhood: ``best[l]`` is at most the cost from j
      to l from then on, so that near-copies are not listed twice. For metric "dot" costs are
      counted from ``-|y_l|^2``, the cost of a point to itself. With a precomputed matrix the cost
      between two target points is not known; their largest difference over the source rows is
      taken, which no distance can be below.
    - "mmd": the witness function of Kim, Khanna and Koyejo (2016) with a Gaussian kernel, plus
      their log-determinant regulariser. Also finds regions with too many prototypes. Compares
      all pairs of target points.

    Equal scores are listed by row. A target point without weight is never listed.

    Parameters
    ----------
    selection
        The prototypes.
    source, target
        As given to `protospot.select`. "cost" reads the source only where it is the target too,
        or a matrix.
    n
        How many to list. Fewer come back when nothing more is left to explain.
    witness
        "cost" or "mmd".
    metric
        Taken from the selection where left out; needed again if it was a callable. Not used by
        "mmd".
    sigma
        Width of the kernel of "mmd"; the median distance between target points where left out.
    memory
        Bytes, or text such as "512MiB", for work on pairs. Where left out: half of the free
        memory for "cost", 256 MiB for "mmd". A few vectors per criticism come on top.

    Returns
    -------
    Rows of the target, worst first.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]]
    >>> chosen = ps.select(points, k=1)
    >>> ps.criticisms(chosen, points, n=2).tolist()
    [0, 5]
    """
    checks.one_of(witness, ("cost", "mmd"), "witness")
    n = checks.read_count(n, "n")
    if witness == "mmd":
        return _by_mmd(selection, source, target, n, metric, sigma, memory)
    if sigma is not None:
        raise InputError(
            f"sigma is the kernel width of witness='mmd', got sigma={sigma!r} with witness='cost': "
            "leave it out."
        )
    return _by_cost(selection, source, target, n, metric, memory)


def _by_cost(
    selection: Selection, source: Any, target: Any, n: int, metric: Any, memory: Any
) -> Ints:
    metric = recorded_metric(selection, metric)
    if is_matrix(metric):
        explained, least = _between_columns(selection, source, target, metric, memory)
    else:
        explained, least = _between_points(selection, source, target, metric, memory)
    unexplained = selection.best - least
    scores = selection.target_weights * unexplained
    slack = _NOTHING * scores.max()
    listed: list[int] = []
    while len(listed) < n and scores.max() > slack:
        worst = int(np.flatnonzero(scores >= scores.max() - slack)[0])
        listed.append(worst)
        np.minimum(unexplained, explained(worst), out=unexplained)
        unexplained[worst] = 0.0
        scores = selection.target_weights * unexplained
    return np.array(listed, dtype=np.int64)


def _between_points(
    selection: Selection, source: Any, target: Any, metric: Any, memory: Any
) -> tuple[Callable[[int], Floats], Floats | float]:
    """Return the extra cost from one target point to all, and the least cost it is counted from."""
    points = _target_points(selection, source, target)
    metric = costs.fixed_metric(metric, source, target)
    cost = costs.make(points, points, metric=metric, memory=memory)
    least = -squared_norms(points) if metric == "dot" else 0.0
    return lambda row: cost.rows(np.array([row]))[0] - least, least


def _between_columns(
    selection: Selection, source: Any, target: Any, metric: str, memory: Any
) -> tuple[Callable[[int], Floats], Floats | float]:
    """Do the same for columns of a matrix, whose distances are judged from the source."""
    cost = costs.make(source, target, metric=metric, memory=memory)
    n_target = cost.shape[1]
    _must_fit(selection, n_target)

    def apart(row: int) -> Floats:
        largest = np.zeros(n_target)
        for block in _row_blocks(cost):
            block -= block[:, row, None].copy()
            np.maximum(largest, np.abs(block, out=block).max(axis=0), out=largest)
        return largest

    # Of costs that can be negative only differences mean something: count from the lowest of all.
    return apart, min(0.0, *(float(block.min()) for block in _row_blocks(cost)))


def _row_blocks(cost: Cost) -> Iterator[Floats]:
    n_source, step = cost.shape[0], cost.plan.rows_at_once
    for start in range(0, n_source, step):
        yield cost.rows(np.arange(start, min(start + step, n_source)))


def _by_mmd(
    selection: Selection, source: Any, target: Any, n: int, metric: Any, sigma: Any, memory: Any
) -> Ints:
    chosen = metric or selection.made_by.get("metric")
    if is_matrix(chosen):
        raise InputError(
            f"witness='mmd' needs points, which a {chosen} matrix does not have: use "
            "witness='cost', or pass the points with metric='sqeuclidean'."
        )
    points = _target_points(selection, source, target)
    origin = points if target is None else checks.read_points(source, "source")
    checks.same_width(origin, points)
    checks.read_rows(selection.indices, len(origin), "selection.indices")
    budget = parse_bytes(_MMD_MEMORY if memory is None else memory)
    kernel = GaussianKernel(kernel_width(sigma, points), points.mean(), budget)
    return by_density(selection, origin, points, n, kernel)


def _target_points(selection: Selection, source: Any, target: Any) -> Points:
    name = "source" if target is None else "target"
    points = checks.read_points(source if target is None else target, name)
    _must_fit(selection, len(points))
    return points


def _must_fit(selection: Selection, n_target: int) -> None:
    if n_target != len(selection.owner):
        raise InputError(
            f"target must be the {len(selection.owner)} points that the selection serves, got "
            f"{n_target}: pass the source and target that were selected with."
        )
