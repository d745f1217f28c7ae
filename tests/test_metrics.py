"""Every metric costs what SciPy or scikit-learn says, and selects what those costs select."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

import protospot as ps
from protospot import costs
from tests import oracles
from tests.problems import METRICS, Problem, smallest_memory

RNG = np.random.default_rng(3)
SOURCE, TARGET = RNG.normal(size=(30, 4)), RNG.normal(size=(45, 4))
# What SciPy and scikit-learn know, with points that suit each.
REAL = ["braycurtis", "canberra", "chebyshev", "correlation", "minkowski", "seuclidean"]
TRUTH = ["dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]
NAMES = [*REAL, *TRUTH, "mahalanobis", "jensenshannon", "haversine"]


def suited(name):
    """Source and target that the metric is made for."""
    if name in TRUTH:
        tables = SOURCE > 0, TARGET > 0
        for table in tables:
            table[:, 0] = True  # rows of nothing but False are equal to none
        return tables
    if name == "haversine":
        return SOURCE[:, :2], TARGET[:, :2]
    return (np.abs(SOURCE), np.abs(TARGET)) if name == "jensenshannon" else (SOURCE, TARGET)


def by_library(name, source, target):
    """All costs from one call for the whole of both tables."""
    if name == "dot":
        return -source @ target.T
    return (pairwise_distances if name == "haversine" else cdist)(source, target, metric=name)


def rows(source, target, metric, **options):
    return costs.make(source, target, metric=metric, **options).rows(np.arange(len(source)))


@given(
    seed=st.integers(0, 2**32 - 1),
    metric=st.sampled_from(METRICS),
    dtype=st.sampled_from(["f8", "f4"]),
    shape=st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 40)),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_a_fast_metric_costs_what_scipy_says(seed, metric, dtype, shape, scale):
    rng = np.random.default_rng(seed)
    n_source, n_target, width = shape
    source, target = (scale * rng.normal(size=(n, width)) for n in (n_source, n_target))
    source, target = source.astype(dtype), target.astype(dtype)
    expected = by_library(metric, source.astype("f8"), target.astype("f8"))
    # Inner products and 1 - cosine are differences of numbers of this size.
    size = {"cosine": 1.0, "dot": np.abs(source).max() * np.abs(target).max() * width}
    atol = 1e-13 * float(size.get(metric, 0.0))
    got = rows(source, target, metric)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=atol)
    some = np.arange(n_source)[::-2]
    few = costs.make(source, target, metric=metric).rows(some, np.array([n_target - 1]))
    np.testing.assert_allclose(few[:, 0], expected[some, -1], rtol=1e-12, atol=atol)


@pytest.mark.parametrize("name", [*METRICS, *NAMES])
def test_blocks_of_a_metric_are_those_of_one_call_for_all(name):
    source, target = suited(name)
    expected = by_library(name, *(table.astype("f8") for table in (source, target)))
    least = smallest_memory(Problem(source, target, 1, metric=name))
    for memory in (None, least):
        got = rows(source, target, name, memory=memory)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)
    picks = oracles.greedy(expected, 4)
    with warnings.catch_warnings():
        # Truth values are few: all costs may be 0 before the fourth pick.
        warnings.simplefilter("ignore", ps.FewerPrototypesWarning)
        chosen = ps.select(source, target, 4, metric=name)
        tight = ps.select(source, target, 4, metric=name, memory=least)
    assert chosen.indices.tolist() == tight.indices.tolist() == picks
    assert chosen.made_by["metric"] == name
    np.testing.assert_allclose(chosen.costs, oracles.path(expected, picks), rtol=1e-12)
    np.testing.assert_array_equal(chosen.best, tight.best)


@pytest.mark.parametrize("name", ["chebyshev", "mahalanobis", "jensenshannon", "minkowski"])
def test_a_metric_does_not_depend_on_the_budget(name):
    rng = np.random.default_rng(9)
    source, target = np.abs(rng.normal(size=(700, 5))), np.abs(rng.normal(size=(900, 5)))
    whole = ps.select(source, target, 20, metric=name)
    least = smallest_memory(Problem(source, target, 1, metric=name))
    for memory in (least, 2 * least, 8 * least):
        chosen = ps.select(source, target, 20, metric=name, memory=memory)
        assert chosen.indices.tolist() == whole.indices.tolist()
        np.testing.assert_array_equal(chosen.best, whole.best)
        np.testing.assert_allclose(chosen.costs, whole.costs, rtol=1e-12)


@pytest.mark.parametrize("metric", [*METRICS, *REAL, "mahalanobis", "hamming", "yule", "dice"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_a_copy_costs_exactly_nothing(metric, dtype):
    source, target = (table.astype(dtype) for table in suited(metric))
    if metric not in TRUTH:
        source = source * np.asarray(0.3, dtype) + np.asarray(1, dtype)  # nothing whole
    target = np.vstack([target, source])
    costs_of_copies = np.diag(rows(source, target, metric)[:, len(TARGET) :])
    if metric == "dot":  # a row's cost to itself is minus its squared length
        assert (costs_of_copies < 0).all()
    elif metric == "correlation":  # SciPy's own is off by a rounding
        assert np.abs(costs_of_copies).max() < 1e-15
    else:
        assert not costs_of_copies.any()
        by_hand = ps.evaluate(range(len(source)), source, target, metric=metric)
        assert not by_hand.best[len(TARGET) :].any()


@pytest.mark.parametrize("factor", [1e-200, 1e-160, 1e154, 1e200])
def test_the_cosine_of_tiny_and_huge_rows_is_that_of_their_directions(factor):
    even = ps.select(SOURCE, TARGET, 5, metric="cosine")
    scaled = ps.select(SOURCE * factor, TARGET, 5, metric="cosine")
    assert scaled.indices.tolist() == even.indices.tolist()
    np.testing.assert_allclose(scaled.costs, even.costs, rtol=1e-9)


FUNCTIONS = {
    "chebyshev": lambda x, y: float(np.abs(x - y).max()),
    "euclidean": lambda x, y: np.sqrt(((x - y) ** 2).sum()),
    "cityblock": lambda x, y: sum(abs(a - b) for a, b in zip(x, y, strict=True)),
    "dot": lambda x, y: -np.dot(x, y),
    "dot by @": lambda x, y: -(x @ y),
    "dot of blocks": lambda x, y: -(x @ y.T),
    "chebyshev of blocks": lambda x, y: np.abs(x[:, None] - y[None]).max(axis=2),
    "euclidean of blocks": cdist,
}


@pytest.mark.parametrize("n_target", [3, 20])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_may_be_of_two_rows_or_of_two_blocks(name, width, n_target):
    rng = np.random.default_rng(width)
    source, target = rng.normal(size=(3, width)), rng.normal(size=(n_target, width))
    expected = by_library(name.split()[0], source, target)
    np.testing.assert_allclose(rows(source, target, FUNCTIONS[name]), expected, rtol=1e-12)


def test_a_function_that_fits_in_memory_is_asked_once_for_each_pair():
    asked = []

    def far(x, y):
        asked.append(1)
        return np.abs(x - y).max()

    chosen = ps.select(SOURCE, TARGET, 5, metric=far)
    probes = len(asked) - len(SOURCE) * len(TARGET)
    assert 0 <= probes <= 30
    assert chosen.made_by["metric"] == "callable:far"
    assert (
        chosen.indices.tolist() == ps.select(SOURCE, TARGET, 5, metric="chebyshev").indices.tolist()
    )


def test_errors_of_a_function_reach_the_caller():
    def broken(x, y):
        raise ZeroDivisionError(f"{x} and {y}")

    with pytest.raises(ZeroDivisionError, match="and"):
        ps.select(SOURCE, TARGET, 5, metric=broken)


@pytest.mark.parametrize(
    ("alias", "name"), [("l1", "cityblock"), ("manhattan", "cityblock"), ("l2", "euclidean")]
)
def test_other_names_of_a_metric_mean_the_same(alias, name):
    chosen = ps.select(SOURCE, TARGET, 5, metric=alias)
    np.testing.assert_array_equal(chosen.best, ps.select(SOURCE, TARGET, 5, metric=name).best)
    assert chosen.made_by["metric"] == name


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i2", "u1", ">f8"])
def test_a_matrix_of_costs_or_similarities_is_taken_as_it_is(dtype):
    matrix = np.random.default_rng(1).integers(0, 100, (30, 45)).astype(dtype)
    as_costs = matrix.astype(float)
    chosen = ps.select(matrix, k=8, metric="precomputed")
    assert chosen.indices.tolist() == oracles.greedy(as_costs, 8)
    np.testing.assert_array_equal(chosen.best, as_costs[chosen.indices].min(axis=0))
    alike = ps.select(matrix, k=8, metric="similarity")
    lacking = as_costs.max() - as_costs
    assert alike.indices.tolist() == oracles.greedy(lacking, 8)
    np.testing.assert_array_equal(alike.best, lacking[alike.indices].min(axis=0))


def test_only_differences_of_precomputed_costs_matter_so_they_may_be_negative():
    matrix = np.random.default_rng(2).random((30, 45))
    chosen, lower = (ps.select(m, k=8, metric="precomputed") for m in (matrix, matrix - 100))
    assert lower.indices.tolist() == chosen.indices.tolist()
    np.testing.assert_allclose(lower.costs, chosen.costs - 100, rtol=1e-12)


def test_a_function_object_need_not_be_hashable():
    class Far:
        def __eq__(self, other):
            return self is other  # and so it has no hash

        def __call__(self, x, y):
            return np.abs(x - y).max()

    expected = ps.select(SOURCE, TARGET, 3, metric="chebyshev")
    assert ps.select(SOURCE, TARGET, 3, metric=Far()).indices.tolist() == expected.indices.tolist()
    assert ps.assign(expected, SOURCE, TARGET, metric=Far())[0].tolist() == expected.owner.tolist()
    assert len(ps.criticisms(expected, SOURCE, TARGET, 2, metric=Far())) == 2
