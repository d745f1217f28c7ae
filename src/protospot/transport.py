"""Prototypes carried to the target: the barycentric map of a selection's transport plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from protospot import centers, checks
from protospot.costs.metrics import ALIASES
from protospot.errors import InputError
from protospot.types import Floats

if TYPE_CHECKING:
    import scipy.sparse

    from protospot.selection import Selection

_CENTERS = {
    "mean": centers.means,
    "median": centers.medians,
    "geometric-median": centers.geometric_medians,
    "direction": centers.directions,
}
_LEAST_COST = {
    "sqeuclidean": "mean",
    "cityblock": "median",
    "euclidean": "geometric-median",
    "cosine": "direction",
}


def transport(
    selection: Selection, target: Any, *, metric: str | None = None, center: str | None = None
) -> Floats:
    """Carry each prototype to the place in the target that stands for the points it serves.

    That place is the one from which they are served at the least cost, and depends on the metric:

    - "sqeuclidean": their weighted mean;
    - "cityblock": their weighted median in each coordinate, the lower one where half the weight
      falls between two values;
    - "euclidean": their geometric median, to 2e-10 of the least cost;
    - "cosine": the unit vector along the weighted sum of their unit vectors.

    Other metrics have no such centre that can be named, so `center` must be given for them.

    Parameters
    ----------
    selection
        The prototypes. Only the plan is read: who serves which target point.
    target
        (n_target, d) the points that were selected for, dense or sparse, in the same order.
    metric
        Taken from the selection where left out.
    center
        "mean", "median", "geometric-median" or "direction": use this one, whatever the metric.

    Returns
    -------
    (k, d) array. The row of a prototype that carries no weight is NaN, and so is a "direction"
    where the unit vectors cancel.

    Examples
    --------
    >>> import protospot as ps
    >>> target = [[0.0, 0.0], [2.0, 0.0], [10.0, 1.0]]
    >>> chosen = ps.select([[1.0, 1.0], [9.0, 9.0]], target, k=2)
    >>> ps.transport(chosen, target).tolist()
    [[1.0, 0.0], [10.0, 1.0]]
    """
    find = _CENTERS[_center_name(center, metric or selection.made_by.get("metric"))]
    shares = _shares(selection.plan())
    points = checks.read_points(target, "target")
    if len(points) != shares.shape[1]:
        raise InputError(
            f"target must be the {shares.shape[1]} points that the selection serves, got "
            f"{len(points)} rows: pass the target it was selected for."
        )
    moved = find(shares, points)
    moved[np.diff(shares.indptr) == 0] = np.nan
    return moved


def _center_name(center: str | None, metric: Any) -> str:
    if center is not None:
        return checks.one_of(center, _CENTERS, "center")
    name = ALIASES.get(metric, metric)
    if name in _LEAST_COST:
        return _LEAST_COST[name]
    raise InputError(
        f"transport() knows the centre of least cost for the metrics {', '.join(_LEAST_COST)}, "
        f"got {metric!r}: name the centre to use, center='mean' or another of "
        f"{', '.join(name for name in _CENTERS if name != 'mean')}."
    )


def _shares(plan: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Scale each row of the plan to sum to 1, without entries that carry nothing."""
    shares = plan.copy()
    shares.eliminate_zeros()
    shares.data /= np.repeat(shares.sum(axis=1), np.diff(shares.indptr))
    return shares
