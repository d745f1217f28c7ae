"""A coupled selection has a plan with both marginals, at the least cost."""

import numpy as np
import ot
import pytest
from hypothesis import given

import protospot as ps
from tests.problems import problems

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


@given(problems(metrics=("sqeuclidean", "cityblock"), dtypes=("f8",)))
def test_the_plan_has_both_marginals_and_the_least_cost(problem):
    found = problem.solve(method="mmd-critic", sigma=1.0)
    coupled = ps.couple(found, problem.source, problem.target)
    plan = coupled.plan()
    np.testing.assert_allclose(plan.sum(axis=1), found.weights, atol=1e-12)
    np.testing.assert_allclose(plan.sum(axis=0), found.target_weights, atol=1e-12)
    prices = problem.cost[found.indices]
    expected = ot.emd2(found.weights, found.target_weights, prices)
    scale = 1e-9 * abs(prices).max()
    assert coupled.made_by["coupled_cost"] == pytest.approx(expected, abs=scale)
    assert coupled.made_by["coupled_cost"] >= found.cost - scale
    assert coupled.cost == found.cost


def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, 3)), rng.normal(size=(70, 3)) + 1


def test_a_selection_of_our_own_costs_no_less_coupled():
    source, target = data()
    found = ps.select(source, target, 6)
    coupled = ps.couple(found, source, target)
    assert coupled.made_by["coupled_cost"] == pytest.approx(found.cost)
    np.testing.assert_allclose(coupled.plan().toarray(), found.plan().toarray(), atol=1e-12)


def test_coupled_prototypes_can_be_carried_to_the_target():
    source, target = data()
    found = ps.select(source, target, 5, method="protodash", sigma=2.0)
    with pytest.raises(ps.InputError, match="couple"):
        ps.transport(found, target)
    coupled = ps.couple(found, source, target)
    plan = coupled.plan().toarray()
    expected = plan @ target / plan.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ps.transport(coupled, target), expected)


def test_a_coupled_selection_comes_back_from_its_file(tmp_path):
    source, target = data()
    found = ps.couple(ps.select(source, target, 4, method="mmd-critic"), source, target)
    found.save(tmp_path / "coupled.npz")
    back = ps.load(tmp_path / "coupled.npz")
    np.testing.assert_array_equal(back.plan().toarray(), found.plan().toarray())
    assert back.made_by["coupled_cost"] == found.made_by["coupled_cost"]


def test_prototypes_and_targets_without_weight_are_left_out():
    source, target = data()
    weights = np.r_[np.zeros(10), np.ones(60)]
    found = ps.select(source, target, 4, method="mmd-critic", target_weights=weights)
    plan = ps.couple(found, source, target).plan().toarray()
    assert (plan[:, :10] == 0).all()
