"""Methods side by side, on the same data and the same scales."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protospot import checks
from protospot.baselines import METHODS
from protospot.certify import certify
from protospot.errors import MissingExtraError
from protospot.scores import Discrepancy
from protospot.select import select
from protospot.selection import Selection

USUAL = ("greedy", "greedy + refine", "simple", "mmd-critic", "protodash", "random")
_REFINED = " + refine"


@dataclass(frozen=True, slots=True)
class Compared:
    """What a method chose, and what that is worth."""

    method: str
    selection: Selection
    seconds: float
    discrepancy: float


def compare(
    source: Any,
    target: Any = None,
    k: int = 50,
    *,
    methods: Iterable[str] = USUAL,
    metric: str = "sqeuclidean",
    target_weights: Any = None,
    sigma: float | None = None,
    seed: int | None = 0,
    memory: int | str | None = None,
    on_method: Callable[[str], None] | None = None,
) -> list[Compared]:
    """Select by several methods; return what each chose, the lowest transport cost first.

    The cheapest selection is certified: no method can have a cost below its `lower_bound`.

    Parameters
    ----------
    source, target, k, metric, target_weights, seed, memory
        As for `protospot.select`.
    methods
        Names of methods; "greedy + refine" and the like for one with swaps after it.
    sigma
        Width of the kernel that discrepancies are measured with, and that "mmd-critic" and
        "protodash" use; the median distance between target points where left out.
    on_method
        Called with each method's name before it runs.

    Examples
    --------
    >>> from protospot.compare import compare
    >>> points = [[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]]
    >>> found = compare(points, k=2, methods=["greedy", "random"])
    >>> [one.method for one in found]
    ['greedy', 'random']
    """
    known = {*METHODS, *(name + _REFINED for name in METHODS)}
    names = [checks.one_of(name, known, "methods") for name in methods]
    apart = Discrepancy(source, target, sigma=sigma)
    found = []
    for name in names:
        if on_method is not None:
            on_method(name)
        method = name.removesuffix(_REFINED)
        options: dict[str, Any] = {"sigma": sigma} if method in _KERNEL else {}
        began = time.perf_counter()
        chosen = select(
            source,
            target,
            k,
            metric=metric,
            method=method,
            refine=name.endswith(_REFINED),
            target_weights=target_weights,
            seed=seed,
            memory=memory,
            **options,
        )
        seconds = time.perf_counter() - began
        found.append(Compared(name, chosen, seconds, apart(chosen)))
    found.sort(key=lambda one: one.selection.cost)
    best = found[0]
    proven = certify(best.selection, source, target, memory=memory)
    found[0] = Compared(best.method, proven, best.seconds, best.discrepancy)
    return found


_KERNEL = ("mmd-critic", "protodash")


def draw(found: list[Compared], path: Path) -> None:
    """Draw the cost of each method's prototypes as their number grows."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("drawing a comparison", "report") from None
    mpl.use("agg")
    import matplotlib.pyplot as plt

    with mpl.rc_context({"svg.hashsalt": "protospot", "svg.fonttype": "none"}):
        figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
        for one in found:
            axis.plot(range(1, len(one.selection) + 1), one.selection.costs, label=one.method)
        bound = found[0].selection.lower_bound
        if bound is not None:
            axis.axhline(bound, color="0.6", linewidth=1)
            axis.annotate("no set can cost less", (1, bound), va="bottom", color="0.4")
        axis.set(xlabel="prototypes", ylabel="transport cost", ylim=(0, None))
        axis.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
