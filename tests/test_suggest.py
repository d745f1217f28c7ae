"""How many prototypes are enough, by each rule."""

import numpy as np
import pytest
from scipy import sparse

import protospot as ps
from tests.problems import separated_clusters


def path_of(costs):
    n = len(costs)
    one = np.ones(1)
    return ps.Selection(np.arange(n), np.array(costs), np.ones(n) / n, np.arange(1), one, one)


def test_the_knee_is_the_number_of_clusters():
    problem, _ = separated_clusters(np.random.default_rng(0), 6)
    found = ps.suggest_k(problem.solve(k=20))
    assert found.k == 6
    assert "bends most at 6" in found.reason
    assert len(found.costs) == 20


def test_a_target_cost_is_reached_by_the_fewest():
    found = ps.suggest_k(path_of([8.0, 4.0, 2.0, 1.0]), cost=2.0)
    assert found.k == 3
    assert ps.suggest_k(path_of([8.0, 4.0]), cost=9.0).k == 1
    with pytest.raises(ps.InputError, match="select more prototypes"):
        ps.suggest_k(path_of([8.0, 4.0]), cost=1.0)


def test_a_share_that_no_later_prototype_gains():
    assert ps.suggest_k(path_of([8.0, 4.0, 3.9, 2.0, 1.99, 1.98]), gain=0.1).k == 4
    assert ps.suggest_k(path_of([8.0, 7.9]), gain=0.1).k == 1
    assert "select more" in ps.suggest_k(path_of([8.0, 4.0]), gain=0.1).reason
    assert ps.suggest_k(path_of([3.0])).k == 1


def test_rules_do_not_mix_and_numbers_are_checked():
    with pytest.raises(ps.InputError, match="cost or gain"):
        ps.suggest_k(path_of([1.0]), cost=1.0, gain=0.1)
    for name in ("cost", "gain"):
        with pytest.raises(ps.InputError, match=name):
            ps.suggest_k(path_of([1.0]), **{name: -1})


def test_a_source_is_selected_from_first():
    problem, _ = separated_clusters(np.random.default_rng(0), 6)
    assert ps.suggest_k(problem.source, problem.target, most=20).k == 6
    assert ps.suggest_k(sparse.csr_array(problem.source), problem.target, metric="euclidean").k == 6
    assert len(ps.suggest_k(np.ones((9, 2)), most=4).costs) == 1
