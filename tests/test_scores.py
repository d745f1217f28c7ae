"""Scores are what their definitions say, for every method's selection."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

import protospot as ps
from protospot import scores
from tests.problems import problems

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


RNG = np.random.default_rng(3)


@given(problems(metrics=("sqeuclidean", "cityblock")), st.integers(0, 1000))
def test_accuracies_are_those_of_the_cheapest_prototype(problem, seed):
    rng, cost = np.random.default_rng(seed), problem.cost
    labels, others = rng.integers(0, 3, cost.shape[0]), rng.integers(0, 3, cost.shape[1])
    if problem.target is None:
        others = labels
    found = problem.solve()
    names = {"labels": labels, "target_labels": others}
    got = scores.accuracies(found, problem.source, problem.target, **names)
    for at in range(len(found)):
        owner = ps.head(found, at + 1, problem.source, problem.target).owner
        assert got[at] == pytest.approx((labels[found.indices[owner]] == others).mean())


def data():
    rng = np.random.default_rng(0)
    source, target = rng.normal(size=(60, 3)), rng.normal(size=(80, 3)) + 0.3
    return source, target, rng.integers(0, 4, 60), rng.integers(0, 4, 80)


def test_points_with_several_labels_need_one_in_common():
    source, target, *_ = data()
    rng = np.random.default_rng(1)
    mine, theirs = (rng.random((n, 9)) < 0.25 for n in (60, 80))
    found = ps.select(source, target, 7)
    owner = found.indices[found.owner]
    expected = (mine[owner] & theirs).any(axis=1).mean()
    for form in (np.asarray, sparse.csr_array):
        got = scores.accuracies(
            found, source, target, labels=form(mine), target_labels=form(theirs)
        )
        assert got[-1] == pytest.approx(expected)


def test_moved_prototypes_classify_from_where_they_are():
    source, target, labels, others = data()
    found = ps.select(source, target, 9)
    moved = ps.transport(found, target)
    nearest = found.indices[cdist(target, moved).argmin(axis=1)]
    got = scores.moved_accuracy(found, target, labels=labels, target_labels=others)
    assert got == pytest.approx((labels[nearest] == others).mean())


@pytest.mark.parametrize("method", ["greedy", "mmd-critic", "protodash"])
def test_the_discrepancy_is_that_of_the_weighted_rows(method):
    source, target, *_ = data()
    found = ps.select(source, target, 6, method=method)
    places = np.vstack([source[found.indices], target])
    signed = np.r_[found.weights, -found.target_weights]
    kernel = np.exp(-cdist(places, places, "sqeuclidean") / (2 * 1.3**2))
    expected = np.sqrt(signed @ kernel @ signed)
    assert scores.discrepancy(found, source, target, sigma=1.3) == pytest.approx(expected)


def test_the_best_width_classifies_held_out_points_best():
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 3
    source = rng.normal(size=(90, 2)) * 0.3 + 4 * np.eye(3, 2)[labels]
    target = rng.normal(size=(90, 2)) * 0.3 + 4 * np.eye(3, 2)[labels]
    # So wide a kernel sees no clusters, so narrow a one no neighbours.
    found = scores.best_sigma(
        source, target, 3, labels=labels, target_labels=labels, sigmas=(1e-3, 1.0, 1e4), seed=0
    )
    assert found == 1.0


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [(np.zeros(3), "labels must name 60 points"), (np.zeros((60, 2, 2)), "got shape")],
)
def test_labels_that_do_not_fit_are_refused(labels, sentence):
    source, target, _, others = data()
    found = ps.select(source, target, 3)
    with pytest.raises(ps.InputError, match=sentence):
        scores.accuracies(found, source, target, labels=labels, target_labels=others)


def test_labels_of_two_kinds_are_refused():
    source, target, labels, others = data()
    found = ps.select(source, target, 3)
    tables = RNG.random((60, 4)) < 0.5, RNG.random((80, 4)) < 0.5
    for mine, theirs in [(labels, tables[1]), (tables[0], others), (labels, others.astype(str))]:
        with pytest.raises(ps.InputError, match="must be alike"):
            scores.accuracies(found, source, target, labels=mine, target_labels=theirs)
    with pytest.raises(ps.InputError, match="yes and no"):
        scores.accuracies(found, source, target, labels=labels[:, None], target_labels=others)
    with pytest.raises(ps.InputError, match="target_weights"):
        scores.discrepancy(found, source, target[:5])
    with pytest.raises(ps.InputError, match="at least one width"):
        scores.best_sigma(source, target, 3, labels=labels, target_labels=others, sigmas=[])
