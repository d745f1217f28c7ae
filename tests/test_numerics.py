"""The same picks as float64 brute force where numbers are huge, tiny, far away or nearly equal."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import protospot as ps
from tests import oracles, paths
from tests.problems import Problem, points, problems, twins

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


@pytest.fixture(autouse=True, params=["exact pairs", "screened pairs"])
def engine(request, monkeypatch):
    """Small problems list their live pairs exactly at once; without that, screening decides."""
    if request.param == "screened pairs":
        paths.keep_screening(monkeypatch)


plain = ("sqeuclidean", "euclidean", "cityblock")


def assert_exact(problem, batch=1):
    """Same picks, and costs that are good to the last digits."""
    cost, found = problem.cost, problem.solve(batch=batch)
    expected = oracles.greedy(cost, problem.k, problem.weights, batch=batch)
    assert found.indices.tolist() == expected
    q = oracles.mass(cost, problem.weights)
    exact = math.fsum(q * cost[expected].min(axis=0))
    assert found.cost == pytest.approx(exact, rel=1e-12, abs=1e-16 * cost.max())


def cloud(rng, kind, dtype, change=lambda both: both, k=40, metric="sqeuclidean"):
    both = change(points(rng, kind, 700, 6)).astype(dtype)
    return Problem(both[:250], both[250:], k, None, metric)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(problems(metrics=plain), st.integers(-40, 40))
def test_scaling_the_points_by_a_power_of_two_changes_no_pick(problem, power):
    scaled = problem.moved(lambda x: np.ldexp(x, power))
    assert scaled.solve().indices.tolist() == problem.solve().indices.tolist()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(problems(metrics=plain), st.sampled_from((-1e5, 1e5)))
def test_points_far_from_the_origin_give_the_picks_of_brute_force(problem, shift):
    assert_exact(problem.moved(lambda x: x + x.dtype.type(shift)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", ["normal", "clusters", "grid"])
@pytest.mark.parametrize("metric", plain)
def test_a_shift_by_1e5_keeps_the_answer(metric, kind, dtype):
    assert_exact(cloud(np.random.default_rng(1), kind, dtype, lambda x: x + 1e5, metric=metric))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("factor", [1e-4, 1e4])  # costs scale by the square: 1e-8 and 1e8
@pytest.mark.parametrize("kind", ["normal", "clusters", "grid", "copies"])
def test_costs_of_any_size_keep_the_answer(kind, factor, dtype):
    assert_exact(cloud(np.random.default_rng(2), kind, dtype, lambda x: factor * x))


@pytest.mark.parametrize("factor", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_stored_costs_of_any_size_keep_the_answer(dtype, factor):
    matrix = (factor * cloud(np.random.default_rng(3), "clusters", "f8").cost).astype(dtype)
    found = ps.select(matrix, k=40, metric="precomputed")
    assert found.indices.tolist() == oracles.greedy(matrix.astype(np.float64), 40)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("factor", [1e-25, 1e-12, 1e12, 1e18])
def test_tiny_and_huge_points_keep_the_answer(factor, dtype):
    assert_exact(cloud(np.random.default_rng(4), "normal", dtype, lambda x: factor * x))


@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_double_precision_goes_further(factor):
    assert_exact(cloud(np.random.default_rng(5), "normal", "f8", lambda x: factor * x))


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "dot"])
@pytest.mark.parametrize("factor", [1e-20, 3e-21])
@pytest.mark.parametrize("width", [2, 6])
def test_tiny_points_beside_one_that_is_not_keep_the_answer(width, factor, metric):
    # Squares of 1e-20 lose their digits in float32, though the largest square is 1.
    problem = cloud(
        np.random.default_rng(6), "normal", "f4", lambda x: factor * x[:, :width], 30, metric
    )
    problem.source[0] = 1.0
    assert_exact(problem)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("apart", [1e4, 1e5, 1e6, 1e8])
@pytest.mark.parametrize("batch", [1, 3])
def test_clusters_far_apart_are_told_apart_within(apart, dtype, batch):
    def spread(both):
        rng = np.random.default_rng(7)
        return both + apart * rng.normal(size=(4, both.shape[1]))[rng.integers(0, 4, len(both))]

    assert_exact(cloud(np.random.default_rng(8), "normal", dtype, spread), batch)


@pytest.mark.parametrize("spread", [1.0, 6.0])
def test_points_of_very_different_lengths_keep_the_answer(spread):
    rng = np.random.default_rng(9)
    lengths = 10 ** rng.uniform(-spread, spread, (700, 1))
    for metric in (*plain, "dot"):
        assert_exact(cloud(rng, "normal", "f4", lambda x: lengths * x, metric=metric))


@pytest.mark.parametrize("apart", [1e-4, 1e-6, 1e-7])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("metric", [*plain, "cosine", "dot"])
def test_of_near_copies_the_better_one_is_picked(metric, dtype, apart):
    problem = twins(np.random.default_rng(10), 120, 5, apart=apart, dtype=dtype)
    assert_exact(replace(problem, metric=metric))


@pytest.mark.parametrize("apart", [1e-5, 1e-7])
def test_of_nearly_equal_stored_costs_the_lower_is_picked(apart):
    problem = twins(np.random.default_rng(11), 120, 5, apart=apart)
    matrix = problem.cost.astype("f4")
    found = ps.select(matrix, k=100, metric="precomputed")
    assert found.indices.tolist() == oracles.greedy(matrix.astype(np.float64), 100)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("metric", [*plain, "cosine"])
def test_a_copy_of_a_prototype_costs_exactly_nothing(metric, dtype):
    rng = np.random.default_rng(12)
    source = (1e3 + rng.normal(size=(60, 7))).astype(dtype)
    found = ps.select(source, source[rng.integers(0, 60, 90)], k=60, metric=metric)
    assert (found.best == 0.0).all()
    assert found.cost == 0.0


@pytest.mark.parametrize("ratio", [1e-6, 1e-12, 1e-30, 1e-60])
def test_light_targets_decide_once_the_heavy_one_is_served(ratio):
    rng = np.random.default_rng(13)
    source, target = rng.normal(size=(80, 4)), rng.normal(size=(120, 4))
    target[0] = source[11]
    weights = np.full(120, ratio)
    weights[0] = 1.0
    for dtype in ("f4", "f8"):
        assert_exact(Problem(source.astype(dtype), target.astype(dtype), 20, weights))
