"""`suggest_k`: how many prototypes are enough."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from protospot import checks
from protospot.errors import FewerPrototypesWarning, InputError
from protospot.select import select
from protospot.selection import Selection
from protospot.types import Floats

_NOTHING = 1e-12  # of the first cost


@dataclass(frozen=True, slots=True)
class SuggestedK:
    """A number of prototypes, why it is enough, and the cost after each."""

    k: int
    reason: str
    costs: Floats


def suggest_k(
    selection: Any,
    target: Any = None,
    *,
    cost: float | None = None,
    gain: float | None = None,
    most: int = 100,
    **options: Any,
) -> SuggestedK:
    """Return how many prototypes are enough, by one rule.

    Parameters
    ----------
    selection
        A selection with more prototypes than are likely to be needed: its whole path is looked at.
        `protospot.head` then keeps the first k. Or the source to select from.
    target, most, options
        With a source: what to select for, how many prototypes at most, and options of
        `protospot.select`.
    cost
        The fewest prototypes whose cost is at most this.
    gain
        The fewest after which a prototype lowers the cost by less than this share of it, for
        instance 0.01, and so does every later one.

    With neither, the knee: where the curve of the logarithms of costs is farthest below the line
    from its first point to its last, prototypes that leave no cost at all left out.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]
    >>> ps.suggest_k(ps.select(points, k=6)).k
    3
    """
    if cost is not None and gain is not None:
        raise InputError("suggest_k takes cost or gain, or neither for the knee; got both.")
    if not isinstance(selection, Selection):
        n_source = np.shape(selection)[0] if np.ndim(selection) else selection.shape[0]
        most = min(checks.read_count(most, "most"), n_source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewerPrototypesWarning)  # then fewer are enough
            selection = select(selection, target, most, **options)
    path = np.asarray(selection.costs)
    if cost is not None:
        return _by_cost(path, checks.read_amount(cost, "cost"))
    if gain is not None:
        return _by_gain(path, checks.read_amount(gain, "gain"))
    return _by_knee(path)


def _by_cost(path: Floats, most: float) -> SuggestedK:
    reached = np.flatnonzero(path <= most)
    if len(reached) == 0:
        raise InputError(
            f"cost must be reached by the selection, whose {len(path)} prototypes cost "
            f"{path[-1]:.6g}, got cost={most:g}: select more prototypes, or ask for less."
        )
    k = int(reached[0]) + 1
    return SuggestedK(k, f"{k} prototypes cost {path[k - 1]:.6g}, at most {most:g}", path)


def _by_gain(path: Floats, least: float) -> SuggestedK:
    falls = path[:-1] - path[1:]
    worth = np.flatnonzero(falls >= least * np.abs(path[:-1]))
    k = int(worth[-1]) + 2 if len(worth) else 1
    reason = f"no prototype after these {k} lowers the cost by {100 * least:g} %"
    if k == len(path):
        reason = f"the last of all {k} still lowers the cost by {100 * least:g} %: select more"
    return SuggestedK(k, reason, path)


def _by_knee(path: Floats) -> SuggestedK:
    curve = path[path > _NOTHING * path[0]] if path[0] > 0 else path
    if curve.min() > 0:
        curve = np.log(curve)  # what halves the cost counts the same early and late
    line = np.linspace(curve[0], curve[-1], len(curve))
    k = int((line - curve).argmax()) + 1
    return SuggestedK(k, f"the curve of costs bends most at {k} prototypes", path)
