"""`refine`: a selection made better by swaps."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from protospot import checks, threads
from protospot.costs.make import Metric
from protospot.costs.near import Near
from protospot.costs.tiled import TiledCost
from protospot.cover import Cover
from protospot.evaluate import cost_again
from protospot.improve import improve
from protospot.record import as_selection
from protospot.selection import Selection
from protospot.swaps import Budget
from protospot.types import OnPick

_OUTDATED = ("coupled", "coupled_cost", "fit")  # facts about the set that was swapped away


def refine(
    selection: Selection,
    source: Any,
    target: Any = None,
    *,
    max_swaps: int | None = None,
    max_passes: int | None = None,
    keep: int = 0,
    on_swap: OnPick | None = None,
    metric: Metric | None = None,
    memory: int | str | None = None,
) -> Selection:
    """Return a selection whose cost no single swap of a prototype lowers; never a worse one.

    Parameters
    ----------
    selection
        Any selection, also one that `protospot.evaluate` made of rows chosen by hand.
    source, target
        What it was selected from and for.
    max_swaps, max_passes
        Stop after so many swaps, or after looking at every source so many times.
    keep
        So many prototypes at the front of the selection are never replaced.
    on_swap
        Called after each swap with a `Pick`: the position, the new row, by how much the cost fell,
        and the cost. It may raise `protospot.Stop` to end the search there.
    metric
        Only where the selection's own is a function, which is not recorded.
    memory
        As for `protospot.select`. Where the pairs that matter do not fit, they are collected for
        some sources at a time: that takes longer, and may end at another such set.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]]
    >>> by_hand = ps.evaluate([0, 1], points)
    >>> better = ps.refine(by_hand, points)
    >>> better.indices.tolist(), better.cost < by_hand.cost
    ([1, 4], True)
    """
    budget = Budget(on_swap=on_swap)
    if max_swaps is not None:
        budget.max_swaps = checks.read_count(max_swaps, "max_swaps")
    if max_passes is not None:
        budget.max_passes = checks.read_count(max_passes, "max_passes")
    keep = checks.read_share(keep, "keep", selection.k)
    known, cost = cost_again(selection, source, target, metric, memory)
    with threads.making_way():
        return refined(selection, cost, known, budget, keep)[0]


def refined(
    selection: Selection, cost: TiledCost, metric: Metric, budget: Budget, keep: int = 0
) -> tuple[Selection, Near | None]:
    """Return what swaps make of a selection, and the near pairs if they are at hand."""
    began = time.perf_counter()
    weights = selection.target_weights
    near: Near | None = None
    if len(selection) == 1 and keep == 0:
        picks = np.array([leader.source for leader in Cover(cost, weights).leaders(1)])
    else:
        picks, near = improve(cost, weights, selection.indices, budget, keep)
    facts: dict[str, Any] = {
        "swaps": budget.swaps,
        "looked": budget.looked,
        "cost_before": selection.cost,
        "ended": budget.ended,
    }
    better = selection
    if picks.tolist() != selection.indices.tolist():
        cover = Cover(cost, weights)
        cover.add_all(picks)
        method = str(selection.made_by.get("method"))
        found = as_selection(cost, cover, metric, method, {}, 0.0)
        if found.cost < selection.cost:
            kept = {name: x for name, x in selection.made_by.items() if name not in _OUTDATED}
            better = replace(found, made_by=found.made_by | kept | {"weights": "served"})
    facts["seconds"] = time.perf_counter() - began
    made_by = dict(better.made_by) | {"refined": facts}
    made_by.pop("certified", None)
    return replace(better, lower_bound=None, made_by=made_by), near
