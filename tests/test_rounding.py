"""Gains that are equal stay equal however long their sums and however light their targets are."""

import numpy as np
import pytest

import protospot as ps
from protospot.kernels import choose
from tests import oracles, paths
from tests.problems import Problem, smallest_memory

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


@pytest.fixture(autouse=True, params=["cpu", "generic"])
def kernels(request, monkeypatch):
    paths.use_kernels(monkeypatch, request.param)
    yield
    choose.kernels.cache_clear()


@pytest.mark.parametrize("n_target", [36_000, 39_000])
@pytest.mark.parametrize("step", [1.1, 2.3])
def test_equal_first_costs_over_many_targets_are_equal(n_target, step):
    # A third of the targets lies at 3, the others at 0: 1 and -1/3 both cost 4/3.
    target = np.where(np.arange(n_target) < n_target // 3, 3 * step, 0.0)[:, None]
    chosen = ps.select([[step], [-step / 3]], target, k=1, metric="cityblock")
    assert chosen.indices.tolist() == [0]


@pytest.mark.parametrize("memory", ["smallest", None])
@pytest.mark.parametrize(("n", "one", "other"), [(132_000, 9, 7), (153_000, 5, 3)])
def test_equal_gains_over_many_targets_are_equal(n, one, other, memory):
    # Source 1 lowers some costs by `other`, source 2 the rest by `one`, to the same sum.
    n = n // (one + other) * (one + other)
    cost = np.full((3, n), 100.0)
    cost[0] = max(one, other)
    split = n * one // (one + other)
    cost[1, :split] = cost[0, 0] - other
    cost[2, split:] = cost[0, 0] - one
    problem = Problem(cost, None, 2, None, "precomputed")
    memory = memory and smallest_memory(problem)
    assert problem.solve(memory=memory).indices.tolist() == [0, 1]


@pytest.mark.parametrize("seed", [10, 26])
@pytest.mark.parametrize("memory", ["smallest", None])
def test_of_many_copies_the_first_is_picked(seed, memory):
    rng = np.random.default_rng(seed)
    distinct = rng.normal(size=(12, 4))
    problem = Problem(distinct[rng.integers(0, 12, 1000)], None, 20)
    memory = memory and smallest_memory(problem)
    assert problem.solve(memory=memory).indices.tolist() == oracles.greedy(problem.cost, 20)


@pytest.mark.parametrize("memory", ["smallest", None])
@pytest.mark.parametrize("scale", [1.0, 1e3, 1e30])
@pytest.mark.parametrize("light", [1e-38, 1e-44, 1e-45, 1e-50])
def test_stored_float32_costs_may_have_targets_of_hardly_any_weight(light, scale, memory):
    rng = np.random.default_rng(3)
    cost = (scale * rng.random((60, 90))).astype("f4")
    cost[:, 0] = scale
    cost[7, 0] = 0  # all that the heavy target asks for
    weights = light * (1 + rng.random(90))
    weights[0] = 1.0
    problem = Problem(cost, None, 12, weights, "precomputed")
    memory = memory and smallest_memory(problem)
    expected = oracles.greedy(cost.astype("f8"), 12, weights)
    assert problem.solve(memory=memory).indices.tolist() == expected
