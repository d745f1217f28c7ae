"""What Gurumoorthy et al. (2021) prove, held against brute force.

f(P) = beta - cost(P), with beta the largest cost and f of the empty set 0.
"""

from functools import cache
from itertools import combinations

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st

import protospot as ps
from tests import oracles
from tests.problems import METRICS, problems

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")

# Costs that are not negative, as the paper has them.
distances = tuple(metric for metric in METRICS if metric != "dot")
small = problems(metrics=distances, most=8)


class Objective:
    """The paper's f, by the library's own account of what a set costs."""

    def __init__(self, problem):
        self.problem = problem
        self.beta = float(problem.cost.max())
        self.noise = 1e-12 * (self.beta + 1e-300)
        self.f = cache(self._f)

    def __call__(self, chosen):
        return self.f(frozenset(int(i) for i in chosen))

    def _f(self, chosen):
        if not chosen:
            return 0.0
        p = self.problem
        about = {"metric": p.metric, "target_weights": p.weights}
        return self.beta - ps.evaluate(list(chosen), p.source, p.target, **about).cost

    def ratio(self, given, added):
        """Submodularity ratio alpha_{L,S}; 1 where S brings nothing."""
        alone = sum(self(given | {i}) - self(given) for i in added)
        joint = self(given | added) - self(given)
        return alone / joint if joint > 1e3 * self.noise else 1.0

    def largest_ratio(self, chosen, step):
        """alpha_{P,s}: the largest ratio over all L in P and S of at most s others."""
        everyone = set(range(len(self.problem.source)))
        return max(
            self.ratio(frozenset(given), frozenset(added))
            for size in range(len(chosen) + 1)
            for given in combinations(chosen, size)
            for most in range(1, step + 1)
            for added in combinations(everyone - set(given), most)
        )


@given(small, st.data())
def test_f_is_monotone_and_submodular(problem, data):
    f, n = Objective(problem), len(problem.source)
    larger = data.draw(st.sets(st.integers(0, n - 1)))
    smaller = data.draw(st.sets(st.sampled_from(sorted(larger)))) if larger else set()
    assert f(smaller) <= f(larger) + f.noise
    for i in set(range(n)) - larger:
        drop_late = f(larger | {i}) - f(larger)
        assert -f.noise <= drop_late <= f(smaller | {i}) - f(smaller) + f.noise


@given(small, st.integers(1, 4))
def test_greedy_comes_within_the_bound_of_the_best_set(problem, step):
    f = Objective(problem)
    chosen = problem.solve(batch=step)
    best = f.beta - oracles.optimum(problem.cost, problem.k, problem.weights)
    assert f.beta - chosen.cost >= (1 - np.exp(-1 / step)) * best - f.noise


@given(problems(metrics=distances, most=4), st.integers(1, 3))
def test_the_bound_holds_with_the_submodularity_ratio_of_what_was_picked(problem, step):
    f = Objective(problem)
    chosen = problem.solve(batch=step)
    alpha = f.largest_ratio(chosen.indices.tolist(), step)
    assert 1 <= alpha <= step + 1e-6
    best = f.beta - oracles.optimum(problem.cost, problem.k, problem.weights)
    assert f.beta - chosen.cost >= (1 - np.exp(-1 / alpha)) * best - f.noise


def test_the_bound_is_not_idle():
    # Greedy takes the middle first and is then one prototype short: the best set costs nothing.
    places = np.array([[0.0], [-1.0], [1.0]])
    chosen = ps.select(places, places[1:], k=2)
    assert chosen.indices.tolist() == [0, 1]
    assert oracles.optimum(oracles.cost_matrix(places, places[1:]), 2) == 0.0
    assert chosen.cost == 0.5


@given(problems(), st.sampled_from(("greedy", "simple", "stochastic", "random")))
def test_the_cost_is_the_exact_transport_from_the_weights_to_the_target(problem, method):
    chosen = problem.solve(method=method, seed=0)
    cost, q = problem.cost[chosen.indices], oracles.mass(problem.cost, problem.weights)
    scale = np.abs(cost).max() + 1e-300
    exact = ot.emd2(chosen.weights, q, cost / scale) * scale
    assert chosen.cost == pytest.approx(exact, rel=1e-9, abs=1e-9 * scale)


@given(problems(), st.integers(0, 99))
def test_no_other_weights_of_the_prototypes_are_closer_to_the_target(problem, seed):
    rng = np.random.default_rng(seed)
    chosen = problem.solve()
    cost, q = problem.cost[chosen.indices], oracles.mass(problem.cost, problem.weights)
    scale = np.abs(cost).max() + 1e-300
    for _ in range(3):
        weights = rng.dirichlet(np.full(len(chosen), rng.choice((0.1, 1.0, 10.0))))
        other = ot.emd2(weights / weights.sum(), q, cost / scale) * scale
        assert chosen.cost <= other + 1e-9 * scale


@given(problems())
def test_the_plan_has_the_weights_and_the_target_for_marginals(problem):
    chosen = problem.solve()
    plan, q = chosen.plan().toarray(), oracles.mass(problem.cost, problem.weights)
    np.testing.assert_allclose(plan.sum(axis=0), q, atol=1e-15)
    np.testing.assert_allclose(plan.sum(axis=1), chosen.weights, atol=1e-12)
    cost = problem.cost[chosen.indices]
    assert (plan * cost).sum() == pytest.approx(chosen.cost, abs=1e-12 * np.abs(cost).max())


def test_source_equal_to_target_is_the_k_medoids_case():
    points = np.random.default_rng(0).normal(size=(40, 2))
    alone, twice = ps.select(points, k=7), ps.select(points, points, k=7)
    assert alone.indices.tolist() == twice.indices.tolist()
    assert (alone.owner[alone.indices] == np.arange(7)).all()  # every prototype owns itself
