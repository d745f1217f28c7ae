"""`couple`: the exact transport plan between a selection's own weights and the target."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from protospot.costs.make import Metric
from protospot.errors import InputError, MissingExtraError
from protospot.evaluate import cost_again
from protospot.selection import Selection

_MOST = 10_000_000  # iterations of the network simplex


def couple(
    selection: Selection,
    source: Any,
    target: Any = None,
    *,
    metric: Metric | None = None,
    memory: int | str | None = None,
) -> Selection:
    """Return the selection with the cheapest transport plan from its own weights to the target.

    Methods such as "mmd-critic" and "protodash" give prototypes weights that are not the mass which
    each would serve, so that to give every target to its cheapest prototype is no plan for them.
    This finds the plan with both marginals, by POT's network simplex; `Selection.plan` and
    `protospot.transport` then use it. Its cost is ``made_by["coupled_cost"]``.

    Parameters
    ----------
    selection
        Any selection. For SPOT's own the plan costs no more and no less than before.
    source, target
        What it was selected from and for.
    metric
        Only where the selection's own is a function, which is not recorded.
    memory
        As for `protospot.select`; the (k, n_target) plan comes on top.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [1.0], [2.0], [9.0]]
    >>> chosen = ps.select(points, k=2, method="mmd-critic", sigma=1.0)
    >>> coupled = ps.couple(chosen, points)
    >>> coupled.plan().sum(axis=1).round(3).tolist()
    [0.5, 0.5]
    """
    try:
        import ot
    except ImportError:
        raise MissingExtraError("couple()", "ot") from None
    from scipy.sparse import csr_array

    began = time.perf_counter()
    _, cost = cost_again(selection, source, target, metric, memory)
    rows, columns = selection.weights > 0, selection.target_weights > 0
    prices = cost.rows(selection.indices)
    masses = selection.weights[rows], selection.target_weights[columns]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told below, with what to do
        part, log = ot.emd(*masses, prices[np.ix_(rows, columns)], numItermax=_MOST, log=True)
    if log["warning"] is not None:
        raise InputError(
            f"couple needs a plan that the network simplex can find within {_MOST} steps, but "
            f"{log['warning'].strip()}: choose fewer prototypes, or a part of the target."
        )
    plan = np.zeros(prices.shape)
    plan[np.ix_(rows, columns)] = part
    made_by = dict(selection.made_by) | {
        "coupled_cost": float((plan * prices).sum()),
        "coupled": {"seconds": time.perf_counter() - began},
    }
    return replace(selection, coupling=csr_array(plan), made_by=made_by)
