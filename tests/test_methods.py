"""SPOTsimple, the random methods, and what a callback is told."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import protospot as ps
from tests import oracles
from tests.problems import Problem, problems

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


def cloud(seed=0, k=12):
    rng = np.random.default_rng(seed)
    return Problem(rng.normal(size=(80, 3)), rng.normal(size=(120, 3)), k)


@given(problems(weights=("none", "random", "whole", "zeros")))
def test_simple_keeps_the_sources_that_most_mass_goes_to(problem):
    chosen = problem.solve(method="simple")
    assert chosen.indices.tolist() == oracles.simple(problem.cost, problem.k, problem.weights)


@given(problems(kinds=("grid", "copies", "line"), metrics=("sqeuclidean", "cityblock", "dot")))
def test_simple_gives_a_target_to_the_lowest_of_equally_cheap_sources(problem):
    whole = Problem(np.round(problem.source), problem.target, problem.k, None, problem.metric)
    chosen = whole.solve(method="simple")
    assert chosen.indices.tolist() == oracles.simple(whole.cost, whole.k)


def test_simple_takes_no_source_without_mass():
    with pytest.warns(ps.FewerPrototypesWarning, match="no other source receives mass"):
        chosen = ps.select([[0.0], [5.0], [90.0]], [[1.0], [6.0]], k=3, method="simple")
    assert chosen.indices.tolist() == [0, 1]


def test_simple_keeps_the_rows_it_starts_with():
    chosen = ps.select([[0.0], [5.0], [90.0]], [[1.0], [6.0]], k=2, method="simple", start=[2])
    assert chosen.indices.tolist() == [2, 0]


@pytest.mark.parametrize("method", ["stochastic", "random"])
def test_a_seed_fixes_what_chance_decides(method):
    runs = [cloud().solve(method=method, seed=seed).indices.tolist() for seed in range(8)]
    assert runs[3] == cloud().solve(method=method, seed=3).indices.tolist()
    assert len({tuple(run) for run in runs}) > 1


@given(problems(), st.integers(0, 99))
def test_stochastic_with_a_tiny_epsilon_looks_at_every_source(problem, seed):
    chosen = problem.solve(method="stochastic", epsilon=1e-300, seed=seed)
    assert chosen.indices.tolist() == problem.solve().indices.tolist()


@given(problems(), st.integers(0, 99), st.sampled_from((0.1, 0.5, 0.999)))
def test_stochastic_stops_only_where_no_source_gains(problem, seed, epsilon):
    chosen = problem.solve(method="stochastic", epsilon=epsilon, seed=seed)
    picks = chosen.indices.tolist()
    if len(picks) < problem.k:
        left = oracles.gains(problem.cost, picks, problem.weights)
        assert left.max() <= oracles.tie_of(problem.cost, picks[0], problem.weights) * 1.001


def test_stochastic_looks_at_a_sample_of_the_size_that_epsilon_asks_for():
    # One good source among 1,000: a sample of 1,000 / 5 ln(1 / 0.1) = 461 finds it at 46 %.
    cost = np.full((1000, 4), 1.0)
    cost[777] = 0.0

    def stop(_):
        raise ps.Stop

    def finds_it(seed):
        options = {"metric": "precomputed", "method": "stochastic", "seed": seed}
        return ps.select(cost, k=5, on_pick=stop, **options).indices.tolist() == [777]

    found = sum(finds_it(seed) for seed in range(200))
    assert 65 <= found <= 120  # 92 on average, and 4 standard deviations of 7


def test_stochastic_comes_close_to_greedy_and_beats_chance():
    best = cloud().solve().cost
    sampled = [cloud().solve(method="stochastic", seed=seed).cost for seed in range(10)]
    drawn = [cloud().solve(method="random", seed=seed).cost for seed in range(10)]
    assert max(sampled) < 1.3 * best < np.mean(drawn)


def test_random_draws_every_row_about_equally_often():
    drawn = [
        cloud().solve(k=20, method="random", seed=seed, start=[5]).indices for seed in range(200)
    ]
    assert all(run[0] == 5 and len(set(run.tolist())) == 20 for run in drawn)
    counts = np.bincount(np.concatenate([run[1:] for run in drawn]), minlength=80)
    assert counts[5] == 0
    assert counts[np.arange(80) != 5].min() > 20  # 48 on average


@given(problems(), st.sampled_from(("greedy", "simple", "stochastic", "random")))
def test_the_callback_is_told_what_the_selection_records(problem, method):
    told: list[ps.Pick] = []
    chosen = problem.solve(method=method, seed=0, on_pick=told.append)
    assert [pick.rank for pick in told] == list(range(len(chosen)))
    assert [pick.index for pick in told] == chosen.indices.tolist()
    noise = 1e-12 * np.abs(problem.cost).max()
    np.testing.assert_allclose([pick.cost for pick in told], chosen.costs, rtol=1e-12, atol=noise)
    assert np.isnan(told[0].gain)
    gains = [pick.gain for pick in told[1:]]
    np.testing.assert_allclose(gains, -np.diff(chosen.costs), rtol=1e-9, atol=noise)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("method", ["greedy", "simple", "stochastic", "random"])
@pytest.mark.parametrize("last", [0, 4, 11])
def test_stop_returns_what_was_picked_so_far(method, last, batch):
    def stop_at_last(pick):
        if pick.rank == last:
            raise ps.Stop

    full = cloud().solve(method=method, seed=0, batch=batch)
    with warnings.catch_warnings(action="error"):  # the caller knows that fewer come back
        chosen = cloud().solve(method=method, seed=0, batch=batch, on_pick=stop_at_last)
    assert chosen.indices.tolist() == full.indices.tolist()[: last + 1]
    np.testing.assert_allclose(chosen.costs, full.costs[: last + 1], rtol=1e-12)
    assert chosen.made_by["stopped"] == "on_pick raised Stop"
    np.testing.assert_allclose(chosen.weights.sum(), 1)


def test_other_errors_of_a_callback_reach_the_caller():
    def fail(_):
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="the disk is full"):
        cloud().solve(on_pick=fail)
