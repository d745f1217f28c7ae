"""Greedy picks, to the last index, what brute force picks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

import protospot as ps
from tests import oracles
from tests.problems import (
    Problem,
    copied_points,
    one_heavy_target,
    problems,
    separated_clusters,
    weighted_line,
)

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


@given(problems(), st.sampled_from((1, 1, 2, 3, 7)))
def test_every_pick_is_that_of_brute_force(problem, batch):
    expected = oracles.greedy(problem.cost, problem.k, problem.weights, batch=batch)
    assert problem.solve(batch=batch).indices.tolist() == expected


@given(problems())
def test_costs_weights_and_owners_are_those_of_the_picks(problem):
    chosen, cost = problem.solve(), problem.cost
    noise = 1e-14 * np.abs(cost).max()
    expected = oracles.path(cost, chosen.indices, problem.weights)
    np.testing.assert_allclose(chosen.costs, expected, rtol=1e-12, atol=noise)
    mine = cost[chosen.indices]
    np.testing.assert_allclose(chosen.best, mine.min(axis=0), rtol=1e-12, atol=noise)
    owned = mine[chosen.owner, np.arange(cost.shape[1])]
    np.testing.assert_allclose(owned, mine.min(axis=0), rtol=1e-12, atol=noise)
    served = np.bincount(chosen.owner, oracles.mass(cost, problem.weights), len(chosen))
    np.testing.assert_allclose(chosen.weights, served, atol=1e-15)


@given(
    problems(kinds=("grid", "line"), metrics=("sqeuclidean", "cityblock", "dot"), dtypes=("f8",))
)
def test_of_equally_cheap_prototypes_the_one_picked_first_owns_a_target(problem):
    chosen = problem.solve()
    assert chosen.owner.tolist() == oracles.owners(problem.cost, chosen.indices).tolist()


@given(problems())
def test_a_stored_matrix_gives_what_the_points_give(problem):
    assert problem.stored().solve().indices.tolist() == problem.solve().indices.tolist()


@given(problems(metrics=("cityblock",), kinds=("grid",)))
def test_a_similarity_costs_what_it_lacks_to_the_largest(problem):
    cost = problem.cost  # whole numbers: the difference is exact
    similar = Problem(7.0 - cost, None, problem.k, problem.weights, "similarity")
    expected = oracles.greedy(cost - cost.min(), problem.k, problem.weights)
    assert similar.solve().indices.tolist() == expected


def _cubed_chebyshev(x, y):
    return float(np.abs(x - y).max() ** 3)


@given(problems(metrics=("sqeuclidean",), kinds=("normal", "copies"), dtypes=("f8",)))
@pytest.mark.parametrize("name", ["chebyshev", "canberra", "callable"])
def test_metrics_of_scipy_and_callables_are_asked_for_each_pair(name, problem):
    source, target = problem.source, problem.source if problem.target is None else problem.target
    if name == "callable":
        metric, cost = _cubed_chebyshev, cdist(source, target, "chebyshev") ** 3
    else:
        metric, cost = name, cdist(source, target, name)
    expected = oracles.greedy(cost, problem.k, problem.weights)
    assert problem.solve(metric=metric).indices.tolist() == expected


@given(problems(metrics=("sqeuclidean", "euclidean", "cosine", "cityblock", "dot")))
def test_sparse_rows_give_what_dense_rows_give(problem):
    def thin(rows):
        # Zeros that are not stored, and a column that no row has.
        rows = np.column_stack([np.where(np.abs(rows) < 0.3, 0, rows), 0 * rows[:, :1]])
        rows[:, 0] += problem.metric == "cosine"  # which has no rows of zeros
        return rows

    dense = problem.moved(thin)
    expected = oracles.greedy(dense.cost, dense.k, dense.weights)
    assert dense.moved(sparse.csr_array).solve().indices.tolist() == expected


@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "i8", "f2", ">f4", "?"])
def test_narrow_and_wide_numbers_are_taken_for_what_they_are(dtype):
    rng = np.random.default_rng(1)
    source, target = (rng.integers(0, 100, (n, 6)).astype(dtype) for n in (40, 70))
    expected = oracles.greedy(oracles.cost_matrix(source, target), 12)
    assert ps.select(source, target, 12).indices.tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_separated_clusters_get_one_prototype_each(seed):
    problem, labels = separated_clusters(np.random.default_rng(seed), 6)
    chosen = problem.solve()
    assert sorted(labels[chosen.indices]) == list(range(6))
    np.testing.assert_allclose(chosen.weights, 1 / 6)


@pytest.mark.parametrize("n_distinct", [1, 2, 9, 30])
def test_copies_cost_nothing_once_each_value_is_picked(n_distinct):
    problem, firsts = copied_points(np.random.default_rng(n_distinct), n_distinct, 100)
    chosen = problem.solve()
    assert set(chosen.indices.tolist()) == firsts
    assert chosen.cost == 0.0
    assert (chosen.best == 0.0).all()
    assert n_distinct == 1 or chosen.costs[-2] > 0


@pytest.mark.parametrize("metric", ["cityblock", "euclidean"])
@pytest.mark.parametrize("seed", range(5))
def test_the_first_prototype_on_a_line_is_the_weighted_median(metric, seed):
    problem, median = weighted_line(np.random.default_rng(seed), 41, metric)
    assert problem.solve().indices.tolist() == [median]


def test_a_target_that_has_all_the_weight_gets_its_nearest_source_and_no_other():
    problem, nearest = one_heavy_target(np.random.default_rng(0), 30, 50)
    chosen = problem.solve()
    assert chosen.indices.tolist() == [nearest]
    assert chosen.made_by["stopped"] == "no source lowers the cost any further"


@pytest.mark.parametrize(("by", "second"), [(1e-11, 2), (1e-13, 1), (0.0, 1), (-1e-13, 1)])
def test_gains_that_differ_by_less_than_the_tie_are_equal(by, second):
    # The first pick costs 1, so gains closer than 1e-12 are equal. Source 2 gains `by` more than 1.
    cost = np.array([[1.0, 1.0], [0.5, 9.0], [9.0, 0.5 - 2 * by]])
    chosen = ps.select(cost, k=2, metric="precomputed")
    assert chosen.indices.tolist() == [0, second]


@pytest.mark.parametrize(("by", "first"), [(1e-11, 1), (1e-13, 0), (0.0, 0)])
def test_first_picks_that_differ_by_less_than_the_tie_are_equal(by, first):
    cost = np.array([[1.0, 3.0], [3.0, 1.0 - 4 * by]])
    assert ps.select(cost, k=1, metric="precomputed").indices.tolist() == [first]


@pytest.mark.parametrize(("gain", "count"), [(1e-11, 2), (1e-13, 1)])
def test_a_gain_within_the_tie_counts_as_zero(gain, count):
    cost = np.array([[1.0, 1.0], [9.0, 1.0 - 2 * gain]])
    assert len(ps.select(cost, k=2, metric="precomputed")) == count


def test_rows_of_another_length_are_copies_under_cosine():
    rows = np.array([[1.0, 2.0], [2.0, 4.0], [4.0, 2.0], [-8.0, 2.0], [8.0, 4.0]])
    chosen = ps.select(rows, k=5, metric="cosine")
    assert set(chosen.indices.tolist()) == {0, 2, 3}
    assert chosen.cost == 0.0


def test_fewer_prototypes_come_with_a_warning_that_says_why():
    with pytest.warns(ps.FewerPrototypesWarning, match="2 prototypes came back, 3 were asked for"):
        chosen = ps.select([[0.0], [0.0], [4.0]], k=3)
    assert chosen.indices.tolist() == [0, 2]
