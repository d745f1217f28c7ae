"""The same picks, to the last index, as the other implementations of the same method.

A peer has no rule for ties, so it is compared where the best gain leads by more than its rounding.
"""

from dataclasses import replace

import kmedoids
import numpy as np
import pytest
from hypothesis import assume, given
from interpret.utils import SPOT_GreedySubsetSelection
from sklearn.datasets import load_digits

import protospot as ps
from tests import oracles
from tests.problems import Problem, points, problems, separated_clusters

CEILING = 1e6  # what interpret takes for the cost of no prototype at all
distances = ("sqeuclidean", "euclidean", "cityblock", "cosine")
heavy = ("none", "random", "whole", "zeros")


def without_ties(problem, lead):
    """The problem cut to the picks that brute force makes with such a lead."""
    cost = problem.cost
    picks = oracles.greedy(cost, problem.k, problem.weights)
    lead = max(lead, oracles.tie_of(cost, picks[0], problem.weights))
    leads = oracles.margins(cost, picks, problem.weights) > lead
    k = len(picks) if leads.all() else int(leads.argmin())
    return replace(problem, k=k)


def assert_same_as_interpret(problem):
    cost = problem.cost
    assert cost.max() < CEILING
    q = oracles.mass(cost, problem.weights)
    indices, weights = SPOT_GreedySubsetSelection(cost, q, problem.k)
    mine = problem.solve()
    assert mine.indices.tolist() == indices.tolist()
    np.testing.assert_allclose(mine.weights, np.ravel(weights), atol=1e-12)


def assert_same_as_pam_build(problem):
    cost = problem.cost
    theirs = kmedoids.pam_build(cost, problem.k)
    mine = problem.solve()
    assert mine.indices.tolist() == theirs.medoids.tolist()
    assert mine.owner.tolist() == theirs.labels.tolist()
    assert mine.cost * len(cost) == pytest.approx(theirs.loss, rel=1e-9, abs=1e-9 * cost.max())


@given(problems(metrics=distances, weights=heavy, most=40))
def test_picks_and_weights_are_those_of_interpret(problem):
    problem = without_ties(problem, lead=1e-8)  # 1e6 rounds at 1e-10
    assume(problem.k)
    assert_same_as_interpret(problem)


@given(problems(metrics=distances, weights=("none",), square=True, most=40))
def test_picks_are_those_of_pam_build_where_source_is_target(problem):
    problem = without_ties(problem, lead=1e-13 * problem.cost.max())
    assume(problem.k)
    assert_same_as_pam_build(problem)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(300, 900), (900, 300), (500, 500)])
@pytest.mark.parametrize("kind", ["normal", "clusters"])
def test_larger_problems_are_those_of_interpret(kind, shape, weighted, dtype):
    rng = np.random.default_rng(sum(shape))
    both = points(rng, kind, sum(shape), 12).astype(dtype)
    weights = rng.random(shape[1]) if weighted else None
    problem = Problem(both[: shape[0]], both[shape[0] :], 60, weights)
    assert without_ties(problem, lead=1e-8).k == 60
    assert_same_as_interpret(problem)


def test_copies_are_those_of_interpret_as_long_as_there_are_gains():
    # Brute force says which picks are tied: all but the first of every copy.
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 3))
    which = rng.permutation(np.arange(100) % 20)
    firsts = np.unique(which, return_index=True)[1]
    copied = Problem(values[which], None, 20, rng.random(100))
    unique = Problem(values, copied.source, 20, copied.weights)
    # Which of several copies is a tie for the peer: it sees each value once.
    assert copied.solve().indices.tolist() == firsts[unique.solve().indices].tolist()
    assert without_ties(unique, lead=1e-8).k == 20
    assert_same_as_interpret(unique)


def test_separated_clusters_are_those_of_interpret():
    problem, _ = separated_clusters(np.random.default_rng(0), 6, n_source=200, n_target=500)
    assert without_ties(problem, lead=1e-8).k == 6
    assert_same_as_interpret(problem)


@pytest.mark.parametrize("metric", distances)
def test_digits_are_those_of_interpret_and_of_pam_build(metric):
    digits = load_digits().data
    cross = without_ties(Problem(digits[1::2], digits[::2], 20, None, metric), lead=1e-8)
    square = without_ties(Problem(digits[:800], None, 20, None, metric), lead=1e-8)
    assert min(cross.k, square.k) >= 5
    assert_same_as_interpret(cross)
    assert_same_as_interpret(square)
    assert_same_as_pam_build(square)


def test_where_costs_exceed_its_ceiling_interpret_is_wrong_and_protospot_is_not():
    cost = np.array([[3e6, 3e6, 3e6, 0.0], [2e6, 2e6, 2e6, 2e6], [9e6, 0.0, 0.0, 9e6]])
    assert ps.select(cost, k=2, metric="precomputed").indices.tolist() == oracles.greedy(cost, 2)
    assert (
        oracles.greedy(cost, 2) != SPOT_GreedySubsetSelection(cost, np.full(4, 0.25), 2)[0].tolist()
    )
