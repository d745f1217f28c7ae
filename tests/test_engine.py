"""The same picks on every path through the engine, and each path shown to be taken."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from tests import oracles, paths
from tests.problems import Problem, smallest_memory

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")

ALL = "all gains after pick N"
LEADING = "all gains, then of leading sources only after pick N"
LISTS = "N live pairs after pick N"
SHARP = "N pairs exact after pick N"
ESCAPE = "exact costs after pick N"


def be_patient(monkeypatch):
    paths.be_lazy(monkeypatch)
    monkeypatch.setattr("protospot.gains._PATIENCE", np.inf)


def lose_patience(monkeypatch):
    paths.be_lazy(monkeypatch)
    monkeypatch.setattr("protospot.gains._PATIENCE", 0.0)


def lists_after_all(monkeypatch):
    be_patient(monkeypatch)
    paths.list_late(monkeypatch)


def pack_screened(monkeypatch):
    paths.keep_screening(monkeypatch)
    paths.pack_always(monkeypatch)


def sharpen_at_last(monkeypatch):
    paths.sharpen_when_lost(monkeypatch)
    paths.escape_early(monkeypatch)


def escape_from_lists(monkeypatch):
    paths.keep_screening(monkeypatch)
    paths.escape_early(monkeypatch)


def let_be(_):
    """Force nothing."""


@dataclass(frozen=True)
class Path:
    """How to force it, and the stages that show that it was taken."""

    stages: list[str]
    force: Callable[[pytest.MonkeyPatch], None] = let_be
    has_room: bool = True  # else the smallest memory: no pair is ever kept
    is_far: bool = False  # on clusters that float32 cannot tell apart within


PATHS = {
    "maintained": Path([ALL], has_room=False),
    "leading": Path([LEADING], be_patient, has_room=False),
    "leading, then maintained": Path([LEADING, ALL], lose_patience, has_room=False),
    "leading, then lists": Path([LEADING, LISTS, SHARP], lists_after_all),
    "screened lists": Path([LISTS], paths.keep_screening),
    "screened lists packed": Path([LISTS], pack_screened),
    "exact lists": Path([LISTS, SHARP]),
    "exact lists packed": Path([LISTS, SHARP], paths.pack_always),
    "exact lists at last": Path([LISTS, SHARP], sharpen_at_last, is_far=True),
    "exact costs": Path([ALL, ESCAPE, ALL], has_room=False, is_far=True),
    "leading exact costs": Path(
        [LEADING, ESCAPE, LEADING], be_patient, has_room=False, is_far=True
    ),
    "exact costs of lists": Path([LISTS, ESCAPE, LISTS], escape_from_lists, is_far=True),
}


@pytest.fixture(params=PATHS)
def path(request, monkeypatch):
    PATHS[request.param].force(monkeypatch)
    return PATHS[request.param]


@cache
def cloud(*, is_far=False, dtype="f4", n_source=220, n_target=350, width=6, k=40):
    rng = np.random.default_rng(0)
    both = rng.normal(size=(n_source + n_target, width))
    if is_far:
        both += (1e5 * rng.normal(size=(4, width)))[rng.integers(0, 4, len(both))]
    both = both.astype(dtype)
    return Problem(both[:n_source], both[n_source:], k)


def zero_weights(problem):
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 2, len(problem.target)) * rng.random(len(problem.target))
    return replace(problem, weights=weights), {}


def copied_sources(problem):
    # Both copies enter a step, and the second lowers no target.
    return replace(problem, source=np.repeat(problem.source[:100], 2, axis=0)), {"batch": 4}


VARIANTS = {
    "plain": lambda problem: (problem, {}),
    "double precision": lambda problem: (problem.moved(lambda x: x.astype("f8")), {}),
    "zero weights": zero_weights,
    "three a step": lambda problem: (problem, {"batch": 3}),
    "every source": lambda problem: (replace(problem, k=len(problem.source)), {}),
    "picks that change nothing": copied_sources,
    "rows to start with": lambda problem: (problem, {"start": [7, 3, 200]}),
}


@cache
def drawn(variant, is_far):
    problem, options = VARIANTS[variant](cloud(is_far=is_far))
    picks = oracles.greedy(problem.cost, problem.k, problem.weights, **options)
    return problem, options, picks, smallest_memory(problem)


@pytest.mark.parametrize("kernels", ["cpu", "generic"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_path_picks_what_brute_force_picks(path, variant, kernels, monkeypatch):
    paths.use_kernels(monkeypatch, kernels)
    problem, options, picks, least = drawn(variant, path.is_far)
    chosen = problem.solve(memory=None if path.has_room else least, **options)
    assert chosen.indices.tolist() == picks
    assert chosen.made_by["kernels"] == kernels
    taken = paths.stages(chosen)
    assert taken[: len(path.stages)] == path.stages
    assert variant != "plain" or taken == path.stages
    expected = oracles.path(problem.cost, picks, problem.weights)
    np.testing.assert_allclose(chosen.costs, expected, rtol=1e-12, atol=1e-14 * expected[0])
    assert variant != "picks that change nothing" or (chosen.weights == 0).any()


COMMON = ("maintained", "leading", "leading, then lists", "screened lists", "exact lists")
METRICS = ("euclidean", "cosine", "dot", "cityblock", "chebyshev")


def thinned(problem):
    return problem.moved(lambda x: sparse.csr_array(np.where(np.abs(x) < 0.5, 0, x)))


def as_similarity(problem):
    cost = problem.cost
    return Problem(cost.max() - cost, None, problem.k, None, "similarity")


COSTS: dict[str, Callable[[Problem], Problem]] = {
    **{metric: partial(replace, metric=metric) for metric in METRICS},
    "sparse rows": thinned,
    "small integers": lambda problem: problem.moved(lambda x: (20 * x).round().astype("i1")),
    "a stored matrix": lambda problem: problem.stored(),
    "a stored float32 matrix": lambda problem: replace(
        problem.stored(), source=problem.cost.astype("f4")
    ),
    "a stored matrix by columns": lambda problem: replace(
        problem.stored(), source=np.asfortranarray(problem.cost)
    ),
    "a stored similarity": as_similarity,
}


SCREENED = ("euclidean", "cosine", "dot", "small integers")  # and can be made exact pair by pair


@cache
def costly(name):
    problem = COSTS[name](cloud())
    if problem.metric == "chebyshev":
        cost = cdist(problem.source.astype("f8"), problem.target.astype("f8"), problem.metric)
    elif problem.metric in ("precomputed", "similarity"):
        cost = problem.source.astype("f8")
        cost = cost.max() - cost if problem.metric == "similarity" else cost
    else:
        dense = problem.moved(lambda x: x.toarray() if sparse.issparse(x) else x)
        cost = dense.cost
    return problem, oracles.greedy(cost, problem.k)


@pytest.mark.parametrize("path", COMMON)
@pytest.mark.parametrize("name", COSTS)
def test_every_kind_of_cost_takes_every_path(name, path, monkeypatch):
    PATHS[path].force(monkeypatch)
    problem, picks = costly(name)
    chosen = problem.solve(memory=None if PATHS[path].has_room else smallest_memory(problem))
    assert chosen.indices.tolist() == picks
    streams = name in ("a stored matrix", "a stored float32 matrix")
    streams |= name == "chebyshev" and PATHS[path].has_room  # its matrix is kept
    instead = {ALL: LEADING} if streams else {}
    expected = [instead.get(stage, stage) for stage in PATHS[path].stages]
    if name not in SCREENED:
        expected = [stage for stage in expected if stage != SHARP]
    assert paths.stages(chosen) == expected
