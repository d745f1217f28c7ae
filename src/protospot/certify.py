"""`certify`: how far a selection can be from the best possible one."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from protospot import checks, threads
from protospot.bound import lower_bound
from protospot.costs.make import Metric
from protospot.costs.metrics import DEFINITIONS
from protospot.costs.near import Near
from protospot.costs.tiled import TiledCost
from protospot.evaluate import cost_again
from protospot.selection import Selection
from protospot.types import OnBound

STEPS = 300  # of the bound, at most


def certify(
    selection: Selection,
    source: Any,
    target: Any = None,
    *,
    gap: float | None = None,
    max_passes: int | None = None,
    on_bound: OnBound | None = None,
    metric: Metric | None = None,
    memory: int | str | None = None,
) -> Selection:
    """Return the selection with a cost that no set of as many prototypes can be below.

    The bound holds whatever is lost by rounding. `selection.gap` then tells how much the cost can
    be above the best possible.

    Parameters
    ----------
    selection
        Any selection; the better it is, the more sources the search for the bound can leave out.
    source, target
        What it was selected from and for.
    gap
        Stop as soon as the gap is this small, for instance 0.01.
    max_passes
        Walks over the near pairs, 300 when left out. Where those of all sources do not fit in
        memory, every 60 walks take a pass over all costs.
    on_bound
        Called with a `Bound` (steps, value, cost) each time that all sources were looked at. It may
        raise `protospot.Stop` to end the search there.
    metric
        Only where the selection's own is a function, which is not recorded.
    memory
        As for `protospot.select`.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]]
    >>> proven = ps.certify(ps.select(points, k=2), points)
    >>> proven.lower_bound <= proven.cost
    True
    """
    wanted = 0.0 if gap is None else checks.read_amount(gap, "gap")
    steps = STEPS if max_passes is None else checks.read_count(max_passes, "max_passes")
    known, cost = cost_again(selection, source, target, metric, memory)
    with threads.making_way():
        limits: dict[str, Any] = {"gap": wanted, "max_steps": steps, "on_bound": on_bound}
        return certified(selection, cost, known, **limits)


def certified(
    selection: Selection,
    cost: TiledCost,
    metric: Metric,
    near: Near | None = None,
    *,
    gap: float = 0.0,
    max_steps: int = STEPS,
    on_bound: OnBound | None = None,
) -> Selection:
    """Return the selection with its bound, from near pairs if they are at hand."""
    began = time.perf_counter()
    weights = selection.target_weights
    known = selection.indices, selection.best, selection.cost
    done = lower_bound(cost, weights, *known, near, gap=gap, max_steps=max_steps, on_bound=on_bound)
    bound = done.bound
    if metric in DEFINITIONS and metric != "dot":
        bound = max(bound, 0.0)  # no distance is negative
    facts = {
        "steps": done.steps,
        "ended": done.ended,
        "curve": done.curve,
        "seconds": time.perf_counter() - began,
    }
    return replace(
        selection,
        lower_bound=min(bound, selection.cost),
        made_by=dict(selection.made_by) | {"certified": facts},
    )
