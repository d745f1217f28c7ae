"""`explain`: what `select` would do, and why, without doing it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from protospot import checks
from protospot.baselines import METHODS
from protospot.costs import layout
from protospot.costs.layout import is_matrix
from protospot.costs.make import Metric, check_metric, metric_name, read_matrix, read_pair
from protospot.costs.plan import Plan
from protospot.errors import InputError

# Share of live pairs after so many picks, as measured on MNIST pixels and AG News embeddings.
_LIVE = ((1, 0.27), (4, 0.08), (16, 0.02), (64, 0.006), (200, 0.002), (1000, 0.0003))


@dataclass(frozen=True, slots=True)
class Explanation:
    """What would run, how much memory it takes, and how often it looks at all pairs."""

    n_source: int
    n_target: int
    width: int  # numbers per point
    dtype: str  # that costs are screened in
    memory: int  # the budget in bytes
    smallest_memory: int  # the smallest budget that works, with the same answer
    matrix_bytes: int  # what the whole cost matrix would take
    threads: int
    tile: tuple[int, int]
    copies: tuple[str, ...]
    collects_after: int | None  # picks until live pairs are likely to fit; None: never
    steps: tuple[str, ...]

    def __repr__(self) -> str:
        size = f"{self.n_source} sources x {self.n_target} targets, {self.width} features"
        least, matrix = _human(self.smallest_memory), _human(self.matrix_bytes)
        lines = [
            f"{size}, {self.dtype}",
            f"  memory    {_human(self.memory)}; {least} would do, the matrix would take {matrix}",
            f"  threads   {self.threads}, tiles of {self.tile[0]} targets x {self.tile[1]} sources",
            f"  copies    {', '.join(self.copies) or 'none'}",
        ]
        return "\n".join(lines + [f"  step {n}    {step}" for n, step in enumerate(self.steps, 1)])


def explain(
    source: Any,
    target: Any = None,
    k: int | None = 50,
    *,
    metric: Metric = "sqeuclidean",
    method: str = "greedy",
    refine: bool = False,
    certify: bool = False,
    memory: int | str | None = None,
) -> Explanation:
    """Tell what `select` would do for such data.

    Parameters
    ----------
    source, target
        The data, or just its shape: ``(n_source, d)`` and ``(n_target, d)``.
    k, metric, method, refine, certify, memory
        As for `protospot.select`.

    Examples
    --------
    >>> import protospot as ps
    >>> plan = ps.explain((5000, 784), (54210, 784), k=200, memory="384MiB")
    >>> plan.collects_after  # picks until the pairs that still matter are expected to fit
    3
    >>> print(plan.steps[0])
    first pick in closed form, without looking at a pair
    """
    checks.one_of(method, METHODS, "method")
    check_metric(metric)
    name = metric_name(metric)
    plain = _layout(source, target, metric)
    shape = plain.shape
    most = shape[0] if k is None else checks.read_count(k, "k", shape[0], "source points")
    plan = plain.plan(memory)
    steps, collects_after = _steps(method, name, plain, most, plan)
    if refine:
        steps.append(
            "the pairs below each target's second cheapest prototype, about one in a hundred, "
            "are collected a few times; swaps walk these lists"
        )
    if certify:
        steps.append("the same pairs once more, if need be; the bound takes up to 300 walks")
    return Explanation(
        *shape,
        plain.width,
        str(plain.dtype),
        plan.budget,
        plain.smallest_memory,
        plain.dtype.itemsize * shape[0] * shape[1],
        plan.threads,
        plan.tile,
        tuple(sorted(plan.copies)),
        collects_after,
        tuple(steps),
    )


@dataclass(frozen=True, slots=True)
class _Announced:
    """A table of which only the shape is known: dense, contiguous, float32."""

    shape: tuple[int, int]
    dtype: np.dtype[Any] = np.dtype(np.float32)  # noqa: RUF009 - immutable
    is_sparse: bool = False
    is_ready: bool = True

    @property
    def stored(self) -> int:
        return self.shape[1]


def _layout(source: Any, target: Any, metric: Metric) -> layout.Layout:
    if is_matrix(metric):
        matrix = _announced(source) or read_matrix(source, target, metric)
        return layout.of_matrix(matrix, str(metric))
    first = _announced(source)
    if first is None:
        return layout.of_points(*read_pair(source, target, metric), metric_name(metric))
    other = first if target is None else _announced(target)
    if other is None:
        raise InputError("source and target must both be data, or both shapes; got one of each.")
    checks.same_width(first, other)
    return layout.of_points(first, other, metric_name(metric))


def _announced(data: Any) -> _Announced | None:
    if not (isinstance(data, tuple) and len(data) == 2 and all(isinstance(n, int) for n in data)):
        return None
    if min(data) < 1:
        raise InputError(f"a shape must have at least one row and one column, got {data}.")
    return _Announced(data)


_KERNEL = "one pass over all pairs: each source's mean kernel with the target"
_OTHERS = {  # than greedy
    "random": ["rows at random"],
    "optimal": ["greedy, swaps and a bound; then an integer program of what they leave open"],
    "simple": ["one pass over all pairs: every target to its cheapest source"],
    "mmd-critic": [_KERNEL, "for each pick one row of the kernel among sources"],
    "protodash": [
        _KERNEL,
        "for each pick one row of the kernel among sources, and all weights fitted anew",
    ],
}


def _steps(
    method: str, metric: str, plain: layout.Layout, k: int, plan: Plan
) -> tuple[list[str], int | None]:
    if method in _OTHERS:
        return [*_OTHERS[method], "the costs of these rows"], None
    steps = []
    if "matrix" in plan.copies:
        steps.append("one pass that computes and stores the matrix: a function is asked only once")
    if metric in ("sqeuclidean", "cosine", "dot"):
        steps.append("first pick in closed form, without looking at a pair")
    elif plain.streams:
        steps.append("first pick by one pass over all pairs, which also guesses it for the next")
    else:
        steps.append("first pick by one pass over all pairs")
    n_pairs = plain.shape[0] * plain.shape[1]
    most = plain.most_pairs(plan)
    after = _picks_until(most / (1.2 * n_pairs))
    if after != 1:
        what = "leading sources" if plain.is_lazy else "the targets that a pick changes"
        steps.append(f"one pass for all gains, then only {what}")
    if after is None:
        steps.append("live pairs are never collected: they would not fit in the memory budget")
    elif after <= k:
        steps.append(
            f"one pass that collects live pairs, about after pick {after}, when they fit in "
            f"{_human(plan.pair_bytes)} and are worth it; the other picks walk these lists only"
        )
    return steps, after


def _picks_until(share: float) -> int | None:
    """Return after how many picks about so small a share of the pairs is live."""
    if share < _LIVE[-1][1]:
        return None
    picks, shares = (np.log(column) for column in zip(*_LIVE, strict=True))
    return math.ceil(float(np.exp(np.interp(-np.log(share), -shares, picks))) - 1e-9)


def _human(size: int) -> str:
    value, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.3g} {unit}"
