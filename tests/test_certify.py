"""The bound is below the best possible cost, always; and close to it, mostly."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protospot as ps
from tests import oracles, paths
from tests.problems import METRICS, Problem, problems

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


def exact_optimum(problem, k):
    """The cost of the best set of k, without rounding in the last sum."""
    from itertools import combinations

    cost = problem.cost
    q = oracles.mass(cost, problem.weights)
    return min(
        math.fsum(q * cost[list(chosen)].min(axis=0))
        for chosen in combinations(range(len(cost)), k)
    )


@settings(max_examples=500)
@given(problems(metrics=METRICS, most=14), st.integers(1, 4))
def test_bound_optimum_refined_and_greedy_come_in_this_order(problem, k):
    k = min(k, len(problem.source))
    greedy = problem.solve(k=k)
    found = problem.solve(k=k, refine=True, certify=True)
    best = exact_optimum(problem, len(found))
    largest = abs(problem.cost).max()
    tiny = 1e-14 * largest  # rounding of a cost itself, which the oracle computes in another way
    if problem.metric == "cosine":
        tiny += 1e-15 * largest**0.5  # and of the unit vectors
    assert found.lower_bound <= found.cost
    assert found.lower_bound <= best + tiny
    assert best <= found.cost + tiny
    assert found.cost <= greedy.cost


@settings(max_examples=500)
@given(problems(metrics=METRICS, most=14), st.integers(1, 4))
def test_the_optimal_method_equals_brute_force(problem, k):
    k = min(k, len(problem.source))
    found = problem.solve(k=k, method="optimal")
    best = exact_optimum(problem, len(found))
    assert found.cost == pytest.approx(best, rel=1e-9, abs=1e-12 * abs(problem.cost).max())
    assert found.lower_bound <= best + 1e-14 * abs(problem.cost).max()
    assert found.made_by["stopped"] == "proven optimal"


def changed(problem, kind):
    rng = np.random.default_rng(4)
    if kind == "far":
        return problem.moved(lambda x: (x + x.dtype.type(1e5)).astype("f4"))
    if kind == "huge":
        return problem.moved(lambda x: (1e15 * x).astype("f4"))
    if kind == "tiny":
        return problem.moved(lambda x: (1e-15 * x).astype("f4"))
    if kind == "twins":
        return problem.moved(lambda x: np.repeat(x, 2, axis=0).astype("f4"))
    weights = 10.0 ** rng.integers(-30, 1, len(problem.target))
    return Problem(problem.source, problem.target, problem.k, weights)


@pytest.mark.parametrize("kind", ["far", "huge", "tiny", "twins", "tiny weights"])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("room", [None, 0])
def test_float32_at_its_limits_never_lifts_the_bound_above_the_optimum(
    kind, seed, room, monkeypatch
):
    if room is not None:
        paths.give_pairs_room(monkeypatch, room)
    rng = np.random.default_rng(seed)
    both = rng.normal(size=(40, 3)).astype("f4")
    problem = changed(Problem(both[:9], both[9:], 3), kind)
    found = problem.solve(refine=True, certify=True)
    best = exact_optimum(problem, len(found))
    assert found.lower_bound <= best * (1 + 1e-15)
    assert found.gap < 0.2


def cloud(n=400, k=10, metric="sqeuclidean", dtype="f4"):
    both = np.random.default_rng(0).normal(size=(2 * n, 4)).astype(dtype)
    return Problem(both[:n], both[n:], k, None, metric)


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cityblock", "cosine", "chebyshev"])
def test_refined_clouds_are_proven_to_be_near_the_best(metric):
    found = cloud(metric=metric).solve(refine=True, certify=True)
    assert found.gap is not None
    assert 0 <= found.gap < 0.08
    assert f"at most {100 * found.gap:.2g} % above the best possible" in repr(found)


@pytest.mark.parametrize("kernels", ["cpu", "generic"])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_threads_and_kernels_change_the_bound_by_rounding_only(kernels, n_threads, monkeypatch):
    problem = cloud(100)
    expected = problem.solve(certify=True).lower_bound
    monkeypatch.setenv("PROTOSPOT_NUM_THREADS", str(n_threads))
    paths.share_all_work(monkeypatch)
    paths.use_kernels(monkeypatch, kernels)
    # Steps go another way after the first rounding.
    assert problem.solve(certify=True).lower_bound == pytest.approx(expected, rel=1e-2)


def test_a_certificate_can_be_had_later_and_costs_as_much_as_asked():
    problem = cloud()
    greedy = problem.solve()
    assert greedy.lower_bound is None
    assert greedy.gap is None
    quick = ps.certify(greedy, problem.source, problem.target, max_passes=5)
    long = ps.certify(greedy, problem.source, problem.target)
    assert quick.made_by["certified"]["steps"] == 5
    assert quick.lower_bound is not None
    assert long.lower_bound is not None
    assert quick.lower_bound < long.lower_bound <= long.cost
    enough = ps.certify(greedy, problem.source, problem.target, gap=0.2)
    assert enough.made_by["certified"]["ended"] == "gap reached"
    assert enough.made_by["certified"]["steps"] < long.made_by["certified"]["steps"]
    assert long.indices.tolist() == greedy.indices.tolist()


def test_copies_cost_nothing_and_are_proven_to():
    points = np.repeat(np.eye(4), 3, axis=0)
    found = ps.select(points, k=4, certify=True)
    assert (found.cost, found.lower_bound, found.gap) == (0.0, 0.0, 0.0)


def test_every_source_chosen_is_the_best_possible():
    problem = cloud(12, 12)
    found = problem.solve(certify=True)
    assert found.gap == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "cityblock", "dot"])
@pytest.mark.parametrize("room", [0, 200, 1000, 4000])
def test_the_bound_is_nearly_as_high_however_few_pairs_fit(room, metric, monkeypatch):
    problem = cloud(120, metric=metric)
    refined = problem.solve(refine=True)
    data = problem.source, problem.target
    expected = ps.certify(refined, *data).lower_bound
    assert expected is not None
    paths.give_pairs_room(monkeypatch, room)
    found = ps.certify(refined, *data).lower_bound
    assert found is not None
    assert found <= refined.cost
    assert found == pytest.approx(expected, rel=0.03)


@given(problems(metrics=METRICS, most=14), st.integers(1, 4), st.integers(0, 60))
def test_the_bound_holds_however_few_pairs_fit(problem, k, room):
    with pytest.MonkeyPatch.context() as patch:
        paths.give_pairs_room(patch, room)
        found = problem.solve(k=min(k, len(problem.source)), certify=True)
    largest = abs(problem.cost).max()
    tiny = 1e-14 * largest + 1e-15 * largest**0.5  # see above
    assert found.lower_bound <= exact_optimum(problem, len(found)) + tiny


def test_a_search_for_a_bound_tells_how_far_it_is_and_can_be_ended():
    problem = cloud(150)
    greedy = problem.solve()
    told: list[ps.Bound] = []
    done = ps.certify(greedy, problem.source, problem.target, on_bound=told.append)
    assert [(bound.steps, bound.value) for bound in told] == [
        tuple(point) for point in done.made_by["certified"]["curve"]
    ]
    assert all(bound.cost == greedy.cost for bound in told)
    assert all(one.value <= other.value for one, other in pairwise(told))
    assert done.lower_bound is not None

    def stop(_):
        raise ps.Stop

    ended = ps.certify(greedy, problem.source, problem.target, on_bound=stop)
    assert ended.made_by["certified"]["ended"] == "on_bound raised Stop"
    assert ended.made_by["certified"]["steps"] == 0
    assert ended.lower_bound is not None
    assert ended.lower_bound <= done.lower_bound


def test_a_problem_too_large_for_the_optimum_is_refused():
    with pytest.raises(ps.InputError, match="refine=True and certify=True"):
        ps.select(np.zeros((3000, 1)), k=2, method="optimal")


def test_an_optimum_is_given_up_when_time_is_over():
    found = cloud(150, 12).solve(method="optimal", time_limit=0)
    assert found.made_by["stopped"] == "time_limit=0 s reached"
    assert found.lower_bound <= found.cost


def test_digits_are_certified_as_closely_as_is_known_to_be_possible():
    from sklearn.datasets import load_digits

    digits = load_digits().data
    found = ps.select(digits[1::2], digits[0::2], k=50, refine=True, certify=True)
    assert found.gap is not None
    assert found.gap <= 0.0045


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shift", [0.0, -3.0])
def test_a_stored_matrix_is_certified_in_little_memory(dtype, shift):
    matrix = (np.random.default_rng(0).random((900, 2000)) + shift).astype(dtype)
    found = ps.select(matrix, k=5, metric="precomputed")
    expected = ps.certify(found, matrix).lower_bound
    for memory in ("12MiB", "24MiB"):
        bound = ps.certify(found, matrix, memory=memory).lower_bound
        assert bound is not None
        assert bound <= found.cost
        assert bound == pytest.approx(expected, rel=0.2)


def test_costs_near_the_largest_number_have_a_bound():
    matrix = (np.random.default_rng(0).random((30, 40)) * 3e38).astype("f4")
    least = ps.explain(matrix, k=1, metric="precomputed").smallest_memory
    found = ps.select(matrix, k=1, metric="precomputed", memory=least, refine=True, certify=True)
    assert found.lower_bound is not None
    assert found.lower_bound <= found.cost
