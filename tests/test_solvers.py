"""What every method promises, whatever the data."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import protospot as ps
from tests import oracles
from tests.problems import Problem, problems, smallest_memory

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")

METHODS = ("greedy", "simple", "stochastic", "random")
plain_kinds = ("normal", "clusters")  # no ties


@given(problems(), st.integers(1, 4))
def test_greedy_for_k_is_a_prefix_of_greedy_for_one_more(problem, batch):
    longest = problem.solve(batch=batch).indices.tolist()
    for k in {1, len(longest) // 2, len(longest) - 1} - {0}:
        assert problem.solve(k=k, batch=batch).indices.tolist() == longest[:k]


@given(problems(), st.sampled_from(METHODS), st.integers(0, 99))
def test_costs_never_rise_and_rows_never_repeat(problem, method, seed):
    chosen = problem.solve(method=method, seed=seed)
    assert (np.diff(chosen.costs) <= 0).all()
    assert len(set(chosen.indices.tolist())) == len(chosen) <= problem.k
    assert chosen.weights.sum() == pytest.approx(1, abs=1e-12)
    about = {"metric": problem.metric, "target_weights": problem.weights}
    by_hand = ps.evaluate(chosen.indices, problem.source, problem.target, **about)
    np.testing.assert_allclose(chosen.costs, by_hand.costs, rtol=1e-12, atol=1e-12)


@given(problems(kinds=plain_kinds, weights=("none", "random", "whole")), st.integers(0, 99))
def test_permuting_the_rows_permutes_the_indices(problem, seed):
    rng = np.random.default_rng(seed)
    chosen = problem.solve().indices
    assume(not oracles.has_tie(problem.cost, chosen.tolist(), problem.weights))
    order = rng.permutation(len(problem.source))
    target = problem.source if problem.target is None else problem.target
    moved = Problem(problem.source[order], target, problem.k, problem.weights, problem.metric)
    assert order[moved.solve().indices].tolist() == chosen.tolist()
    other = rng.permutation(len(target))
    weights = None if problem.weights is None else problem.weights[other]
    moved = Problem(problem.source, target[other], problem.k, weights, problem.metric)
    assert moved.solve().indices.tolist() == chosen.tolist()


@given(problems(weights=("random", "whole", "zeros")), st.sampled_from((1e-290, 3.0, 1e290)))
def test_scaling_the_weights_changes_nothing(problem, factor):
    scaled = problem.solve(target_weights=problem.weights * factor)
    assert scaled.indices.tolist() == problem.solve().indices.tolist()
    np.testing.assert_allclose(scaled.costs, problem.solve().costs, rtol=1e-12, atol=1e-12)


@given(problems(), st.sampled_from((1e-8, 0.1, 1e8)))
def test_scaling_the_costs_scales_the_costs(problem, factor):
    stored, scaled = problem.stored().solve(), problem.stored(factor).solve()
    assert scaled.indices.tolist() == stored.indices.tolist()
    noise = 1e-13 * factor * np.abs(problem.cost).max()
    np.testing.assert_allclose(scaled.costs, factor * stored.costs, atol=noise)


@given(problems(square=False, weights=("zeros",)))
def test_targets_of_weight_zero_sway_no_pick_and_are_still_owned(problem):
    counts = problem.weights > 0
    fewer = Problem(
        problem.source, problem.target[counts], problem.k, problem.weights[counts], problem.metric
    )
    chosen = problem.solve()
    assert chosen.indices.tolist() == fewer.solve().indices.tolist()
    assert chosen.owner.tolist() == oracles.owners(problem.cost, chosen.indices).tolist()


@given(problems(square=False, weights=("whole",)))
def test_a_target_of_weight_two_is_two_targets(problem):
    times = problem.weights.astype(int)
    spelt_out = Problem(
        problem.source, np.repeat(problem.target, times, axis=0), problem.k, None, problem.metric
    )
    assert spelt_out.solve().indices.tolist() == problem.solve().indices.tolist()


@given(problems(), st.data())
def test_min_gain_is_the_least_that_a_pick_brings(problem, data):
    cost, batch = problem.cost, data.draw(st.integers(1, 3))
    drops = -np.diff(oracles.path(cost, oracles.greedy(cost, problem.k, problem.weights)))
    assume(len(drops))
    least = data.draw(st.sampled_from(drops.tolist())) * data.draw(st.sampled_from((0.9, 1.1, 0)))
    assume(least >= 0)
    expected = oracles.greedy(cost, problem.k, problem.weights, batch=batch, min_gain=least)
    assert problem.solve(batch=batch, min_gain=least).indices.tolist() == expected


def stairs():
    """Source 0 is picked first; then source i lowers the cost by 4, 2, 1, 1/2, 1/4, exactly."""
    cost = np.full((6, 8), 100.0)
    cost[0] = [32, 16, 8, 4, 2, 0, 0, 0]
    cost[range(1, 6), range(5)] = 0.0
    return cost


@pytest.mark.parametrize("memory", [None, "smallest"])
@pytest.mark.parametrize(
    ("least", "count"),
    [(0.0, 6), (0.25, 6), (1.0, 4), (np.nextafter(1.0, 2), 3), (2.0, 3), (99.0, 1)],
)
def test_a_gain_equal_to_min_gain_is_taken(least, count, memory):
    problem = Problem(stairs(), None, 6, None, "precomputed")
    memory = smallest_memory(problem) if memory else None
    chosen = problem.solve(k=None, min_gain=least, memory=memory)
    assert chosen.indices.tolist() == list(range(count))
    assert ("below min_gain" in chosen.made_by["stopped"]) == (count < 6)


def test_a_step_leaves_out_the_sources_below_min_gain():
    problem = Problem(stairs(), None, 6, None, "precomputed")
    chosen = problem.solve(batch=4, min_gain=1.0)  # the first step takes 4 in any case
    assert chosen.indices.tolist() == oracles.greedy(stairs(), 6, batch=4, min_gain=1.0)
    assert len(chosen) == 4
    longer = problem.solve(start=[0], batch=4, min_gain=1.0)
    assert longer.indices.tolist() == [0, 1, 2, 3]


def test_a_step_takes_the_best_gains_even_where_they_are_the_same_gain():
    # Sources 1 and 2 are copies: together they bring what one brings, and yet the step takes both.
    rows = np.array([[0.0], [10.0], [10.0], [-4.0]])
    chosen = ps.select(rows, [[0.0], [0.0], [10.0], [-4.0]], k=4, start=[0], batch=2)
    assert chosen.indices.tolist() == [0, 1, 2, 3]
    assert chosen.made_by["step_gains"] == [25.0, 4.0]
    assert chosen.weights.tolist() == [0.5, 0.25, 0.0, 0.25]


@given(problems(), st.data())
def test_rows_to_start_with_come_first_and_count(problem, data):
    n = len(problem.source)
    start = data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=problem.k))
    expected = oracles.greedy(problem.cost, problem.k, problem.weights, start=start)
    assert problem.solve(start=start).indices.tolist() == expected
    assert expected[: len(start)] == start


@given(problems())
def test_starting_from_a_prefix_goes_on_where_it_ended(problem):
    chosen = problem.solve().indices.tolist()
    assert problem.solve(start=chosen[: len(chosen) // 2]).indices.tolist() == chosen


def test_a_pick_may_lower_the_cost_of_no_target():
    # The second of two copies in a step, long before pairs are listed.
    chosen = ps.select([[9.0], [0.0], [0.0]], [[0.0], [1.0]], k=3, start=[0], batch=2)
    assert chosen.indices.tolist() == [0, 1, 2]
    assert chosen.made_by["step_gains"] == [72.0]


@pytest.mark.parametrize("source", [[[0.0], [0.0]], [[0.0], [3.0]]])
def test_the_dot_product_takes_rows_of_length_zero(source):
    chosen = ps.select(source, [[5.0], [7.0]], k=1, metric="dot")
    cost = oracles.cost_matrix(source, [[5.0], [7.0]], "dot")
    assert chosen.indices.tolist() == oracles.greedy(cost, 1)


def test_where_first_costs_cancel_the_budget_decides_nothing():
    rng = np.random.default_rng(0)
    half = rng.integers(-3, 4, (500, 8)).astype(float)
    problem = Problem(rng.normal(size=(800, 8)), np.vstack([half, -half]), 3, None, "dot")
    budgets = (smallest_memory(problem), 10_000_000, None)
    assert len({tuple(problem.solve(memory=budget).indices) for budget in budgets}) == 1
