"""Every competitor: how to call it, what it can take, and what its time includes.

Each is called as its own documentation says, in the fastest way found that minimises the same
cost. Those that need a matrix get the one of the case, or compute it from the points; then that
time is theirs. Traps are written where they are avoided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

import numpy as np

from benchmarks.data import Arrays


@dataclass(frozen=True, slots=True)
class Task:
    """What a competitor has to do."""

    given: Arrays
    k: int
    threads: int = 1
    options: dict[str, Any] = field(default_factory=dict)  # protospot's alone


@dataclass(frozen=True, slots=True)
class Competitor:
    """A package and the call of it that is measured."""

    package: str
    choose: Callable[[Task], Any]  # returns rows of the source
    note: str = ""
    is_greedy: bool = False  # adds the best source k times: picks can be compared one by one
    needs_square: bool = False
    needs_points: bool = False

    def version(self) -> str | None:
        """Return the version that is installed, if any."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None

    def refuses(self, given: Arrays) -> str | None:
        """Return why this competitor cannot take part in a case, if so."""
        if self.needs_square and not given.is_square:
            return "as source is not target"
        if self.needs_points and given.matrix is not None:
            return "as it needs points"
        return None


def _protospot(task: Task) -> Any:
    import protospot as ps

    if task.given.matrix is not None:
        options = {"metric": "precomputed"} | task.options
        return ps.select(task.given.matrix, k=task.k, **options).indices
    return ps.select(task.given.source, task.given.target, task.k, **task.options).indices


def _refined(task: Task) -> Any:
    import protospot as ps

    options = {"refine": True, "certify": True} | task.options
    if task.given.matrix is not None:
        return ps.select(task.given.matrix, k=task.k, metric="precomputed", **options)
    return ps.select(task.given.source, task.given.target, task.k, **options)


def _interpret(task: Task) -> Any:
    from interpret.utils import SPOT_GreedySubsetSelection

    matrix = task.given.costs()
    n_target = matrix.shape[1]
    return SPOT_GreedySubsetSelection(matrix, np.full(n_target, 1 / n_target), task.k)[0]


def _submodlib(task: Task) -> Any:
    from submodlib import FacilityLocationFunction

    matrix = task.given.costs()
    n_source, n_target = matrix.shape
    # Its matrix is target by source, and float32 inside.
    similarity = np.ascontiguousarray((matrix.max() - matrix).T, np.float32)
    function = FacilityLocationFunction(
        n=n_source,
        n_rep=n_target,
        mode="dense",
        sijs=similarity,
        separate_rep=True,
        pybind_mode="array",
    )
    picks = function.maximize(budget=task.k, optimizer="LazyGreedy", show_progress=False)
    return [source for source, _ in picks]


def _apricot(task: Task) -> Any:
    from apricot import FacilityLocationSelection

    matrix = task.given.costs()
    chooser = FacilityLocationSelection(task.k, metric="precomputed", optimizer="lazy")
    return chooser.fit(matrix.max() - matrix).ranking


def _pam_build(task: Task) -> Any:
    import kmedoids

    return kmedoids.pam_build(task.given.costs(), task.k).medoids


def _fasterpam(task: Task) -> Any:
    return _fasterpam_from(task, "build")  # by default it would start from random medoids


def _fasterpam_random(task: Task) -> Any:
    return _fasterpam_from(task, "random")


def _fasterpam_from(task: Task, init: str) -> Any:
    import kmedoids

    options = {"init": init, "n_cpu": task.threads, "random_state": 0}
    return kmedoids.fasterpam(task.given.costs(), task.k, **options).medoids


def _bandit_build(task: Task) -> Any:
    return _banditpam(task, swaps=0)


def _bandit_swaps(task: Task) -> Any:
    return _banditpam(task, swaps=100)  # its own default


def _banditpam(task: Task, swaps: int) -> Any:
    from banditpam import KMedoids

    # Its own distances are not squared; a matrix of costs also spares it time.
    matrix = np.asarray(task.given.costs(), np.float32)
    model = KMedoids(n_medoids=task.k, algorithm="BanditPAM", max_iter=swaps)
    model.seed = 0
    model.fit(np.zeros((len(matrix), 1), np.float32), "L2", dist_mat=matrix)
    return model.medoids


def _onebatch(task: Task) -> Any:
    from onebatch import OneBatchPAM

    given = task.given
    if given.matrix is None and given.is_square:
        model = OneBatchPAM(task.k, distance="sqeuclidean", n_jobs=task.threads, random_state=0)
        return model.fit(given.source).medoid_indices_
    # What it calls a batch is then the whole target, as it is.
    model = OneBatchPAM(task.k, distance="precomputed", weighting=False, random_state=0)
    return model.fit(given.costs()).medoid_indices_


def _kmeans(task: Task) -> Any:
    from sklearn.cluster import KMeans
    from sklearn.metrics import pairwise_distances_argmin

    centres = KMeans(task.k, n_init=1, random_state=0).fit(task.given.targets).cluster_centers_
    return np.unique(pairwise_distances_argmin(centres, task.given.sources))


REFINED = "protospot refined"

COMPETITORS = {
    "protospot": Competitor("protospot", _protospot, is_greedy=True),
    REFINED: Competitor("protospot", _refined, "greedy + swaps + bound"),
    "interpret SPOT": Competitor("interpret-core", _interpret, is_greedy=True),
    "submodlib LazyGreedy": Competitor("submodlib-py", _submodlib, is_greedy=True),
    "apricot lazy": Competitor(
        "apricot-select",
        _apricot,
        "compiles in every call, about a second",
        is_greedy=True,
        needs_square=True,
    ),
    "kmedoids pam_build": Competitor("kmedoids", _pam_build, is_greedy=True, needs_square=True),
    "banditpam BUILD": Competitor(
        "banditpam", _bandit_build, "on random samples", is_greedy=True, needs_square=True
    ),
    "kmedoids fasterpam": Competitor("kmedoids", _fasterpam, "greedy + swaps", needs_square=True),
    "kmedoids fasterpam random": Competitor(
        "kmedoids", _fasterpam_random, "random start + swaps", needs_square=True
    ),
    "banditpam": Competitor("banditpam", _bandit_swaps, "greedy + swaps", needs_square=True),
    "onebatch": Competitor("onebatch", _onebatch, "random start + swaps"),
    "KMeans + nearest row": Competitor(
        "scikit-learn", _kmeans, "two centres may share a row", needs_points=True
    ),
}

PEERS = tuple(name for name in COMPETITORS if not name.startswith("protospot"))
GREEDY = tuple(name for name in PEERS if COMPETITORS[name].is_greedy)
