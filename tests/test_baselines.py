"""MMD-Critic and ProtoDash do what their papers define, step by step."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.spatial.distance import cdist

import protospot as ps
from protospot.baselines.fit import Fit
from tests.problems import points, problems
from tests.reference import make_protodash

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")

BOTH = ("mmd-critic", "protodash")
TIE = 1e-12


def kernel(x, y, sigma):
    return np.exp(-cdist(x, y, "sqeuclidean") / (2 * sigma**2))


def mean_kernel(problem, sigma):
    target = problem.source if problem.target is None else problem.target
    mass = np.ones(len(target)) if problem.weights is None else problem.weights
    return kernel(problem.source, target, sigma) @ (mass / mass.sum())


SMALL = problems(metrics=("sqeuclidean",), dtypes=("f8",), most=12)
WIDTHS = st.sampled_from([0.3, 1.0, 4.0])


@given(SMALL, WIDTHS)
def test_mmd_critic_lowers_the_discrepancy_most_at_each_step(problem, sigma):
    found = problem.solve(method="mmd-critic", sigma=sigma)
    similar, to_target = kernel(problem.source, problem.source, sigma), mean_kernel(problem, sigma)

    def fit(picks):
        m = len(picks)
        return 2 * to_target[picks].sum() / m - similar[np.ix_(picks, picks)].sum() / m**2

    picks = found.indices.tolist()
    for step in range(len(picks)):
        others = [i for i in range(len(to_target)) if i not in picks[:step]]
        best = max(fit([*picks[:step], i]) for i in others)
        assert fit(picks[: step + 1]) >= best - 1e-9
    np.testing.assert_array_equal(found.weights, 1 / len(picks))
    assert len(picks) == problem.k


@given(SMALL, WIDTHS)
def test_protodash_follows_the_steepest_slope_and_fits_all_weights(problem, sigma):
    found = problem.solve(method="protodash", sigma=sigma)
    similar, to_target = kernel(problem.source, problem.source, sigma), mean_kernel(problem, sigma)
    picks, weights = found.indices.tolist(), np.zeros(0)
    for step in range(len(picks)):
        slope = to_target - similar[:, picks[:step]] @ weights
        slope[picks[:step]] = -np.inf
        assert slope[picks[step]] >= slope.max() - 1e-6
        assert step == 0 or slope[picks[step]] > 0
        mine = picks[: step + 1]
        weights = best_weights(similar[np.ix_(mine, mine)], to_target[mine])
    value = to_target[picks] @ weights - weights @ similar[np.ix_(picks, picks)] @ weights / 2
    assert found.made_by["fit"] == pytest.approx(value, abs=1e-8)
    assert found.weights.sum() == pytest.approx(1)
    assert (found.weights >= 0).all()


def best_weights(matrix, goal):
    """The same by another way: least squares with a root of the matrix, nudged to have one."""
    root = np.linalg.cholesky(matrix + 1e-13 * np.eye(len(goal)))
    return nnls(root.T, np.linalg.solve(root, goal))[0]


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_a_fit_meets_the_conditions_of_an_optimum_at_every_size(n, seed):
    rng = np.random.default_rng(seed)
    places = points(rng, "normal", n, 3)
    matrix, goal = kernel(places, places, 1.5), rng.normal(size=n)
    fit = Fit(n)
    for i in range(n):
        fit.add(matrix[i, : i + 1], goal[i])
        w, k, g = fit.weights, matrix[: i + 1, : i + 1], goal[: i + 1]
        slope = g - k @ w
        assert (w >= 0).all()
        np.testing.assert_allclose(slope[w > 0], 0, atol=1e-6)
        assert slope.max() <= 1e-6
        assert fit.value == pytest.approx(g @ w - w @ k @ w / 2)


def test_the_first_row_can_be_chosen_at_any_step():
    # A known port never chooses the first of the rows that are left.
    source = np.array([[0.0], [3.0], [9.0]])
    assert ps.select(source, [[0.1]], k=1, method="protodash", sigma=1.0).indices.tolist() == [0]
    both = ps.select(source, [[3.0], [3.0], [0.0]], k=2, method="protodash", sigma=1.0)
    assert both.indices.tolist() == [1, 0]


@pytest.mark.parametrize("method", BOTH)
def test_costs_are_those_of_the_same_rows_and_weights_their_own(method):
    rng = np.random.default_rng(0)
    source, target = rng.normal(size=(80, 4)), rng.normal(size=(120, 4))
    found = ps.select(source, target, 9, method=method, metric="cityblock")
    same = ps.evaluate(found.indices, source, target, metric="cityblock")
    np.testing.assert_array_equal(found.costs, same.costs)
    assert found.made_by["weights"] == "own"
    assert found.made_by["sigma"] == pytest.approx(np.median(cdist(target, target)), rel=0.02)
    with pytest.raises(ps.InputError, match="couple"):
        found.plan()
    refined = ps.refine(found, source, target)
    assert refined.cost < found.cost
    np.testing.assert_allclose(refined.plan().sum(axis=1), refined.weights)


@pytest.mark.parametrize("method", BOTH)
def test_memory_start_and_callbacks_work_as_for_every_method(method):
    rng = np.random.default_rng(1)
    source, target = rng.normal(size=(60, 3)), rng.normal(size=(90, 3))
    told: list[ps.Pick] = []
    found = ps.select(source, target, 12, method=method, on_pick=told.append)
    assert [pick.index for pick in told] == found.indices.tolist()
    least = ps.explain(source, target, k=12).smallest_memory
    small = ps.select(source, target, 12, method=method, memory=least)
    assert small.indices.tolist() == found.indices.tolist()
    np.testing.assert_allclose(small.weights, found.weights, rtol=1e-9)
    started = ps.select(source, target, 12, method=method, start=found.indices[:5])
    assert started.indices.tolist() == found.indices.tolist()

    def stop(pick):
        if pick.rank == 2:
            raise ps.Stop

    assert len(ps.select(source, target, 12, method=method, on_pick=stop)) == 3


def test_protodash_takes_no_copy_and_stops_when_nothing_is_left_to_fit():
    source = np.repeat(np.array([[0.0], [5.0], [9.0]]), 3, axis=0)
    with pytest.warns(ps.FewerPrototypesWarning, match="raises the fit"):
        found = ps.select(source, source, 6, method="protodash", sigma=1.0)
    assert sorted(found.indices.tolist()) == [0, 3, 6]


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sigma": 0.0}, "sigma must be above 0"),
        ({"sigma": -1.0}, "sigma"),
        ({"sigmaa": 1.0}, "sigma"),
        ({"metric": "precomputed"}, "need points"),
    ],
)
def test_what_a_baseline_cannot_do_it_refuses(method, options, sentence):
    with pytest.raises(ps.InputError, match=sentence):
        ps.select(np.eye(4), k=2, method=method, **options)


REFERENCE = Path(__file__).parent / "reference" / "protodash.json"
CASES = json.loads(REFERENCE.read_text())


def as_aix360_draws(case):
    n_target, n_source, width, k, sigma, seed = case["case"]
    target, source = make_protodash.drawn(n_target, n_source, width, seed)
    return ps.select(source, target, k, method="protodash", sigma=sigma)


def test_the_data_of_the_notebook_give_what_aix360_gives():
    found = as_aix360_draws(CASES[0])
    assert found.indices.tolist() == CASES[0]["rows"]
    theirs = np.array(CASES[0]["weights"])
    np.testing.assert_allclose(found.weights, theirs / theirs.sum(), rtol=1e-3)
    assert found.made_by["fit"] == pytest.approx(CASES[0]["fit"][-1], rel=1e-5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"seed {case['case'][-1]}")
def test_the_fit_is_never_worse_than_that_of_aix360(case):
    assert as_aix360_draws(case).made_by["fit"] >= case["fit"][-1] - 1e-6
