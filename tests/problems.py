"""Problems made together with their known answer, and strategies that draw all kinds of them."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import protospot as ps
from tests import oracles

KINDS = ("normal", "clusters", "copies", "grid", "line")
WEIGHTS = ("none", "random", "whole", "zeros", "skewed")
METRICS = ("sqeuclidean", "euclidean", "cityblock", "cosine", "dot")


@dataclass(frozen=True, eq=False)
class Problem:
    """Arguments of `select`, and what brute force needs to know of them."""

    source: Any
    target: Any  # None: the source itself
    k: int
    weights: Any = None
    metric: str = "sqeuclidean"

    @property
    def cost(self):
        return oracles.cost_matrix(self.source, self.target, self.metric)

    def solve(self, **options):
        """What `select` makes of it."""
        known = {"k": self.k, "metric": self.metric, "target_weights": self.weights}
        return ps.select(self.source, self.target, **known | options)

    def moved(self, change):
        """The same problem with its points changed."""
        target = None if self.target is None else change(self.target)
        return replace(self, source=change(self.source), target=target)

    def stored(self, factor=1.0):
        """The same problem as a matrix of costs."""
        return replace(self, source=factor * self.cost, target=None, metric="precomputed")

    def __repr__(self):
        shape = None if self.target is None else self.target.shape
        return (
            f"Problem({self.source.shape} {self.source.dtype}, {shape}, k={self.k}, {self.metric}, "
            f"weights={self.weights})\n{self.source!r}\n{self.target!r}"
        )


def points(rng, kind, n, width):
    """Rows of one kind; "grid" and "copies" are full of ties."""
    if kind == "normal":
        return rng.normal(size=(n, width))
    if kind == "clusters":
        centres = 20 * rng.normal(size=(rng.integers(1, 5), width))
        return centres[rng.integers(0, len(centres), n)] + rng.normal(size=(n, width))
    if kind == "copies":
        distinct = rng.normal(size=(rng.integers(1, n // 2 + 2), width))
        return distinct[rng.integers(0, len(distinct), n)]
    if kind == "grid":
        return rng.integers(-2, 3, (n, width)).astype(float)
    return np.arange(n)[:, None] * np.ones(width)


def masses(rng, kind, n):
    """Target weights of one kind, at least one of them positive."""
    weights = {
        "none": lambda: None,
        "random": lambda: rng.random(n) + 0.01,
        "whole": lambda: rng.integers(1, 4, n).astype(float),
        "zeros": lambda: rng.integers(0, 2, n) * rng.random(n),
        "skewed": lambda: 10.0 ** rng.integers(-12, 3, n),
    }[kind]()
    if weights is not None and not weights.any():
        weights[rng.integers(0, n)] = 1.0
    return weights


@st.composite
def problems(
    draw,
    *,
    kinds=KINDS,
    metrics=METRICS,
    dtypes=("f8", "f4"),
    weights=WEIGHTS,
    most=20,
    square=None,
):
    """Any problem: source = target or not, few or many targets, weighted or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_source, n_target = draw(st.integers(1, most)), draw(st.integers(1, 2 * most))
    metric, dtype = draw(st.sampled_from(metrics)), draw(st.sampled_from(dtypes))
    # Rows that differ in length only have a cosine cost of rounding noise, which no rule can order.
    usable = [kind for kind in kinds if metric != "cosine" or kind not in ("grid", "line")]
    width, kind = draw(st.integers(1 + (metric == "cosine"), 5)), draw(st.sampled_from(usable))
    is_square = draw(st.booleans()) if square is None else square
    both = points(rng, kind, n_source + (0 if is_square else n_target), width)
    both = both.astype(dtype)
    source, target = (both, None) if is_square else (both[:n_source], both[n_source:])
    n = n_source if is_square else n_target
    mass = masses(rng, draw(st.sampled_from(weights)), n)
    return Problem(source, target, draw(st.integers(1, len(source))), mass, metric)


def separated_clusters(rng, n_clusters, *, n_source=60, n_target=90, width=3):
    """Clusters far apart; k = n_clusters picks one of each. Also returns each source's cluster."""
    corners = np.eye(n_clusters, width) + np.arange(n_clusters)[:, None]  # 1 apart or more
    labels = rng.permutation(np.arange(n_source) % n_clusters)
    targets = rng.permutation(np.arange(n_target) % n_clusters)
    source = 100 * corners[labels] + rng.normal(size=(n_source, width))
    target = 100 * corners[targets] + rng.normal(size=(n_target, width))
    return Problem(source, target, n_clusters), labels


def copied_points(rng, n_distinct, n, width=2):
    """Every point several times; the first row of each value is picked, and then the cost is 0."""
    distinct = rng.permutation(np.arange(n_distinct))[:, None] * np.ones(width)
    which = rng.permutation(np.arange(n) % n_distinct)
    firsts = np.unique(which, return_index=True)[1]
    return Problem(distinct[which], None, n), set(firsts.tolist())


def weighted_line(rng, n, metric="cityblock"):
    """Points on a line: the best single prototype is the weighted median."""
    places = rng.permutation(np.arange(n)).astype(float)
    weights = rng.integers(1, 9, n).astype(float)
    weights[0] += 1 - weights.sum() % 2  # an odd sum: one point alone holds the middle
    order = np.argsort(places)
    passed = np.cumsum(weights[order])
    median = int(order[np.searchsorted(passed, weights.sum() / 2)])
    return Problem(places[:, None], None, 1, weights, metric), median


def one_heavy_target(rng, n_source, n_target, width=3):
    """All weight on one target: its nearest source is the whole answer."""
    source, target = rng.normal(size=(n_source, width)), rng.normal(size=(n_target, width))
    weights = np.zeros(n_target)
    heavy = int(rng.integers(0, n_target))
    weights[heavy] = 3.0
    nearest = int(((source - target[heavy]) ** 2).sum(axis=1).argmin())
    return Problem(source, target, n_source, weights), nearest


def twins(rng, n, width, *, apart=1e-6, dtype="f8"):
    """Every source twice, all but equal: low precision cannot tell which of the two is better."""
    source = rng.normal(size=(n, width))
    source = np.repeat(source, 2, axis=0) + apart * rng.normal(size=(2 * n, width))
    target = rng.normal(size=(3 * n, width))
    return Problem(source.astype(dtype), target.astype(dtype), n)


def smallest_memory(problem):
    """Bytes of the smallest budget, as the error names them."""
    with pytest.raises(ps.MemoryBudgetError) as caught:
        problem.solve(memory=1)
    found = re.search(r"pass memory=(\d+) or more", str(caught.value))
    assert found, caught.value
    return int(found[1])
