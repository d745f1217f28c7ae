"""A selection is frozen, can be looked at, and agrees with what is computed from it."""

import copy
import dataclasses
import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import protospot as ps
from protospot.costs import fixed_metric
from tests.problems import METRICS, problems

RNG = np.random.default_rng(1)
SOURCE, TARGET = RNG.normal(size=(25, 3)), RNG.normal(size=(40, 3))
WEIGHTS = RNG.random(40)
FIELDS = [field.name for field in dataclasses.fields(ps.Selection)]
ARRAYS = ["indices", "costs", "weights", "owner", "best", "target_weights"]


def chosen(k=5, **options):
    return ps.select(SOURCE, TARGET, k, **({"target_weights": WEIGHTS} | options))


def evaluated(problem, indices):
    options = {"metric": problem.metric, "target_weights": problem.weights}
    return ps.evaluate(indices, problem.source, problem.target, **options)


def assert_equal(one, other, names=FIELDS):
    for name in names:
        np.testing.assert_equal(getattr(one, name), getattr(other, name), err_msg=name)


@given(problems())
def test_rows_of_the_plan_sum_to_the_weights_and_columns_to_the_target(problem):
    selection = evaluated(problem, range(problem.k))
    plan = selection.plan()
    assert plan.format == "csr"
    assert plan.shape == (problem.k, len(selection.owner))
    np.testing.assert_allclose(plan.sum(axis=1), selection.weights, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(plan.sum(axis=0), selection.target_weights)
    carried = plan.tocoo()
    np.testing.assert_array_equal(selection.owner[carried.coords[1]], carried.coords[0])
    total = carried.data @ problem.cost[selection.indices[carried.coords[0]], carried.coords[1]]
    np.testing.assert_allclose(total, selection.cost, rtol=1e-9, atol=1e-12)


def test_types_and_shapes_are_as_documented():
    selection = chosen()
    for name in ARRAYS:
        array = getattr(selection, name)
        assert array.dtype == (np.int64 if name in ("indices", "owner") else np.float64)
        k_or_n = 5 if name in ("indices", "costs", "weights") else 40
        assert array.shape == (k_or_n,)
    assert len(selection) == selection.k == 5
    assert type(selection.cost) is float
    assert selection.cost == selection.costs[-1]
    assert selection.weights.sum() == pytest.approx(1, abs=1e-12)
    assert selection.lower_bound is None


def test_nothing_in_it_can_be_changed():
    mine = np.array([1, 2])
    half = np.array([0.5, 0.5])
    selection = ps.Selection(mine, half[::-1], half, mine - 1, half, half)
    mine[0] = 7
    assert selection.indices.tolist() == [1, 2]
    for name in FIELDS:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(selection, name, None)
    for again in (selection, copy.deepcopy(selection), pickle.loads(pickle.dumps(selection))):
        assert_equal(again, selection)
        for name in ARRAYS:
            with pytest.raises(ValueError, match="read-only"):
                getattr(again, name)[0] = 1


def test_its_representation_says_what_a_reader_asks_first():
    text = repr(chosen(12, metric="euclidean"))
    assert text.splitlines()[0].startswith("Selection of 12 prototypes, cost 0.")
    assert "for 40 target points, out of 25 source points" in text
    assert "method greedy, metric euclidean" in text
    assert ", ...]" in text
    bounded = dataclasses.replace(chosen(), lower_bound=chosen().cost / 1.5)
    assert "at most 50 % above the best possible" in repr(bounded)
    assert "method unknown" in repr(dataclasses.replace(chosen(), made_by={}))


def test_the_notebook_table_is_short_and_what_users_wrote_is_escaped():
    page = chosen(12)._repr_html_()
    assert page.count("<tr>") == 1 + 10
    assert "... and 2 more" in page
    assert f"<td>0</td><td>{chosen(12).indices[0]}</td>" in page
    made_by = dict.fromkeys(("method", "metric", "n_source"), "<script>alert('&')</script>")
    hostile = dataclasses.replace(chosen(), made_by=made_by)._repr_html_()
    assert "<script" not in hostile
    assert hostile.count("&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;") == 3


def test_the_frame_has_a_row_for_each_prototype(monkeypatch):
    selection = chosen()
    frame = selection.to_frame()
    assert list(frame.columns) == ["index", "weight", "served", "cost"]
    assert frame["index"].tolist() == selection.indices.tolist()
    assert frame["weight"].tolist() == selection.weights.tolist()
    assert frame["cost"].tolist() == selection.costs.tolist()
    assert frame["served"].tolist() == [int((selection.owner == p).sum()) for p in range(5)]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ps.MissingExtraError, match=r"needs the 'io' extra: pip install 'protosp"):
        selection.to_frame()


@pytest.mark.parametrize(
    ("cost", "bound", "gap"),
    [
        (1.0, None, None),
        (3.0, 2.0, 0.5),
        (2.0, 2.0, 0.0),
        (0.0, 0.0, 0.0),
        (1.0, 0.0, np.inf),
        (1.0, -1.0, np.inf),
        (-1.0, -2.0, None),
    ],
)
def test_the_gap_is_a_share_of_the_bound_where_that_has_a_meaning(cost, bound, gap):
    first, one = np.array([0]), np.array([1.0])
    selection = ps.Selection(first, cost * one, one, first, cost * one, one, {}, bound)
    assert selection.gap == gap


@given(problems(), st.data())
def test_the_head_of_a_greedy_selection_is_the_greedy_selection_of_that_size(problem, data):
    whole = problem.solve(k=None, min_gain=0.0)
    k = data.draw(st.integers(1, whole.k))
    head = ps.head(whole, k, problem.source, problem.target)
    greedy = problem.solve(k=k)
    assert_equal(head, greedy, ["indices", "owner", "best"])
    for name in ("costs", "weights", "target_weights"):  # weights are scaled a second time
        np.testing.assert_allclose(getattr(head, name), getattr(greedy, name), rtol=1e-12)
    assert head.made_by["method"] == "greedy"


@given(problems())
def test_evaluating_the_indices_gives_the_selection_back(problem):
    selection = problem.solve(k=None, min_gain=0.0)
    assert_equal(evaluated(problem, selection.indices), selection, ARRAYS)


@pytest.mark.parametrize("form", [np.copy, np.float32, sp.csr_array])
@pytest.mark.parametrize("metric", [*METRICS, "chebyshev", "mahalanobis", "seuclidean"])
def test_assigning_the_target_gives_its_owners_and_costs(metric, form):
    if form is sp.csr_array and metric not in METRICS:
        pytest.skip("of metrics by name only the fast ones take sparse rows")
    source, target = form(SOURCE), form(TARGET)
    selection = ps.select(source, target, 8, metric=metric)
    fixed = fixed_metric(metric, source, target)
    owner, cost = ps.assign(selection, source, target, metric=fixed)
    np.testing.assert_array_equal(owner, selection.owner)
    np.testing.assert_allclose(cost, selection.best, rtol=1e-12, atol=1e-14)
    some, few = ps.assign(selection, source, target[:3], metric=fixed)
    np.testing.assert_array_equal(some, owner[:3])
    np.testing.assert_allclose(few, cost[:3], rtol=1e-12, atol=1e-14)


def test_assign_gives_a_point_between_two_to_the_one_picked_first():
    points = [[0.0], [2.0], [4.0]]
    selection = ps.evaluate([2, 0], points)
    owner, cost = ps.assign(selection, points, [[2.0], [2.1], [1.9]])
    assert owner.tolist() == [0, 0, 1]
    np.testing.assert_allclose(cost, [4.0, 1.9**2, 1.9**2])
