"""Criticisms are what the prototypes explain worst, and differ from one another."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, pdist

import protospot as ps
from protospot.checks import read_points
from protospot.gaussian import GaussianKernel, median_distance
from protospot.witness import spread_out

METRICS = ["sqeuclidean", "euclidean", "cityblock", "cosine", "dot"]


@st.composite
def problems(draw):
    """Source, target without two equal rows, weights of which some are 0, a few prototypes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, width = draw(st.integers(2, 12)), draw(st.integers(2, 4))
    source, target = rng.normal(size=(6, width)), rng.normal(size=(n, width))
    weights = rng.random(n) * (rng.random(n) < 0.8)
    assume(weights.any())
    indices = rng.choice(6, draw(st.integers(1, 3)), replace=False)
    return source, target, weights, indices


def chosen(problem, metric="sqeuclidean"):
    source, target, weights, indices = problem
    return ps.evaluate(indices, source, target, metric=metric, target_weights=weights)


def pair_costs(points, metric):
    return -points @ points.T if metric == "dot" else cdist(points, points, metric)


def listed_by_definition(selection, between, n):
    """The rule of the documentation, with all pairs at hand."""
    least = np.diag(between)
    between, best = between - least, selection.best - least
    rows: list[int] = []
    while len(rows) < n:
        score = selection.target_weights * best
        score[rows] = 0
        if score.max() <= 1e-12:
            break
        rows.append(int(score.argmax()))
        best = np.minimum(best, between[rows[-1]])
    return rows


@pytest.mark.parametrize("metric", METRICS)
@given(problem=problems(), n=st.integers(1, 12))
def test_criticisms_by_cost_follow_their_definition(metric, problem, n):
    source, target, *_ = problem
    selection = chosen(problem, metric)
    expected = listed_by_definition(selection, pair_costs(target, metric), n)
    rows = ps.criticisms(selection, source, target, n)
    assert rows.dtype == np.int64
    assert rows.tolist() == expected


@pytest.mark.parametrize("witness", ["cost", "mmd"])
@given(problem=problems())
def test_fewer_criticisms_are_a_prefix_of_more(witness, problem):
    source, target, weights, _ = problem
    selection = chosen(problem)
    many = ps.criticisms(selection, source, target, 99, witness=witness).tolist()
    few = ps.criticisms(selection, source, target, 2, witness=witness).tolist()
    assert few == many[:2]
    assert len(set(many)) == len(many)
    assert (weights[many] > 0).all()


@pytest.mark.parametrize("witness", ["cost", "mmd"])
@given(problem=problems(), seed=st.integers(0, 99))
def test_permuting_the_target_permutes_its_criticisms(witness, problem, seed):
    source, target, weights, indices = problem
    order = np.random.default_rng(seed).permutation(len(target))
    permuted = chosen((source, target[order], weights[order], indices))
    rows = ps.criticisms(chosen(problem), source, target, 4, witness=witness)
    again = ps.criticisms(permuted, source, target[order], 4, witness=witness)
    assert order[again].tolist() == rows.tolist()


@pytest.mark.parametrize("witness", ["cost", "mmd"])
@given(problem=problems())
def test_sparse_points_have_the_same_criticisms(witness, problem):
    source, target, *_ = problem
    selection = chosen(problem)
    rows = ps.criticisms(selection, source, target, 4, witness=witness)
    again = ps.criticisms(selection, csr_array(source), csr_array(target), 4, witness=witness)
    assert again.tolist() == rows.tolist()


@given(problem=problems(), n=st.integers(1, 12), sigma=st.floats(0.3, 3.0))
def test_criticisms_by_mmd_maximise_witness_and_log_determinant(problem, n, sigma):
    source, target, *_ = problem
    selection = chosen(problem)
    kernel = np.exp(-cdist(target, target, "sqeuclidean") / (2 * sigma**2))
    cross = np.exp(-cdist(target, source[selection.indices], "sqeuclidean") / (2 * sigma**2))
    witness = np.abs(kernel @ selection.target_weights - cross @ selection.weights)
    rows = ps.criticisms(selection, source, target, n, witness="mmd", sigma=sigma).tolist()
    for rank, row in enumerate(rows):

        def gain(j, before=tuple(rows[:rank])):
            sign, log_det = np.linalg.slogdet(kernel[np.ix_([*before, j], [*before, j])])
            return witness[j] + log_det if sign > 0 else -np.inf

        others = np.flatnonzero(selection.target_weights > 0)
        best = max(gain(j) for j in others if j not in rows[:rank])
        assert gain(row) >= best - 1e-5 * max(1, abs(best))


@given(problem=problems())
def test_a_distance_matrix_of_the_points_has_the_same_criticisms(problem):
    points, indices = problem[1], problem[3] % len(problem[1])
    matrix = cdist(points, points)
    indices = list(dict.fromkeys(indices.tolist()))
    rows = ps.criticisms(ps.evaluate(indices, points, metric="euclidean"), points, n=5).tolist()
    # Of distances between all points the largest difference is the distance itself.
    for metric, table in (
        ("precomputed", matrix),
        ("precomputed", matrix - 7.0),
        ("similarity", 3.0 - matrix),
    ):
        selection = ps.evaluate(indices, table, metric=metric)
        assert ps.criticisms(selection, table, n=5).tolist() == rows


@pytest.mark.parametrize("metric", METRICS)
def test_copies_of_a_criticism_are_not_listed_again(metric):
    rng = np.random.default_rng(1)
    places = rng.normal(size=(5, 3))
    target = np.repeat(places, 4, axis=0)
    source = places[:1]
    selection = ps.evaluate([0], source, target, metric=metric)
    by_cost = ps.criticisms(selection, source, target, 20)
    assert len(set(by_cost // 4)) == len(by_cost) <= 4
    assert (by_cost % 4 == 0).all()  # of equals the first
    by_mmd = ps.criticisms(selection, source, target, 20, witness="mmd")
    assert sorted(by_mmd.tolist()) == [0, 4, 8, 12, 16]


def test_near_copies_give_way_to_what_is_new():
    target = np.array([[0.0], [0.1], [10.0], [10.1], [10.2], [-3.0]])
    selection = ps.evaluate([0], target)
    assert ps.criticisms(selection, target, n=2).tolist() == [4, 5]


def test_weights_count():
    target = np.array([[0.0], [1.0], [2.0], [-3.0]])
    selection = ps.evaluate([0], target, target_weights=[1, 9, 1, 0])
    assert ps.criticisms(selection, target, n=9).tolist() == [1, 2]


def test_nothing_is_listed_where_everything_is_explained():
    target = np.array([[0.0, 1.0], [5.0, 2.0], [0.0, 1.0]])
    selection = ps.evaluate([0, 1], target)
    rows = ps.criticisms(selection, target)
    assert rows.tolist() == []
    assert rows.dtype == np.int64


def test_a_long_prototype_explains_short_points_by_inner_product():
    source = np.array([[10.0, 0.0]])
    target = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 0.0], [0.0, 2.0]])
    selection = ps.evaluate([0], source, target, metric="dot")
    # Excess over the cost of a point to itself: -9, 4, 11, 4.
    assert ps.criticisms(selection, source, target).tolist() == [2, 1]


def test_a_callable_metric_must_be_given_again():
    def off(x, y):
        return float(np.abs(x - y).max())

    target = np.array([[0.0], [1.0], [5.0]])
    selection = ps.evaluate([0], target, metric=off)
    with pytest.raises(ps.InputError, match=r"'callable:off', which is not recorded: pass metric="):
        ps.criticisms(selection, target)
    assert ps.criticisms(selection, target, metric=off).tolist() == [2, 1]


def test_mmd_finds_a_cluster_with_too_few_and_one_with_too_many_prototypes():
    rng = np.random.default_rng(0)
    target = np.concatenate([rng.normal(0, 0.1, (30, 2)), rng.normal(9, 0.1, (30, 2))])
    selection = ps.evaluate([0, 1, 2], target)
    first_only = np.array([0.3, 0.3, 0.4])  # all mass on the first cluster
    selection = replace(selection, weights=first_only)
    rows = ps.criticisms(selection, target, n=2, witness="mmd", sigma=1.0)
    assert sorted(rows // 30) == [0, 1]


@pytest.mark.parametrize("budget", [200, 2_000, 1 << 20])
def test_kernel_densities_do_not_depend_on_the_budget(budget):
    rng = np.random.default_rng(0)
    places, points, masses = rng.normal(size=(30, 4)), rng.normal(size=(20, 4)), rng.random(20)
    kernel = GaussianKernel(1.5, np.zeros(4), budget)
    found = kernel.densities(read_points(places, "target"), read_points(points, "source"), masses)
    expected = np.exp(-cdist(places, points, "sqeuclidean") / (2 * 1.5**2)) @ masses
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    same = read_points(places, "target")
    expected = kernel.densities(same, read_points(places.copy(), "target"), np.arange(30.0))
    np.testing.assert_allclose(kernel.densities(same, same, np.arange(30.0)), expected, rtol=1e-12)


def test_a_kernel_row_is_exactly_one_to_a_copy_far_from_the_origin():
    points = np.array([[1e8, 1.0], [1e8, 1.0], [0.0, 0.1]])
    kernel = GaussianKernel(0.3, np.zeros(2), 1 << 20)
    assert kernel.row(read_points(points, "target"), 0).tolist() == [1.0, 1.0, 0.0]


def test_kernel_budgets_below_the_least_name_it():
    target = np.random.default_rng(0).normal(size=(5, 3))
    selection = ps.evaluate([0], target)
    with pytest.raises(ps.MemoryBudgetError, match=r"at least 104 bytes .* got 103"):
        ps.criticisms(selection, target, witness="mmd", memory=103)
    least = ps.criticisms(selection, target, witness="mmd", memory=104)
    assert least.tolist() == ps.criticisms(selection, target, witness="mmd").tolist()


def test_the_width_is_the_median_of_the_positive_distances():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 3))
    assert median_distance(read_points(points, "target")) == np.median(pdist(points))
    mostly_copies = np.array([[0.0]] * 9 + [[2.0]])
    assert median_distance(read_points(mostly_copies, "target")) == 2.0
    many = read_points(rng.normal(size=(3000, 1)), "target")
    assert median_distance(many) == median_distance(many) == pytest.approx(0.95, rel=0.1)


def test_points_that_are_all_equal_need_a_width():
    target = np.ones((4, 2))
    selection = ps.evaluate([0], target)
    with pytest.raises(ps.InputError, match="sigma cannot be chosen"):
        ps.criticisms(selection, target, witness="mmd")
    assert ps.criticisms(selection, target, witness="mmd", sigma=1.0).tolist() == [0]


def test_what_is_spanned_is_never_chosen():
    features = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]])
    kernel = features @ features.T
    rows = spread_out(np.zeros(4), lambda row: kernel[row].copy(), 4, np.ones(4, bool))
    assert rows == [0, 2]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"witness": "costs"}, r"witness must be one of cost, mmd; got 'costs'.*'cost'"),
        ({"n": 0}, "n must be at least 1, got n=0"),
        ({"n": 1.5}, "n must be a whole number"),
        ({"sigma": 1.0}, r"sigma is the kernel width of witness='mmd'"),
        ({"witness": "mmd", "sigma": 0}, "sigma must be above 0"),
        ({"witness": "mmd", "sigma": float("nan")}, "sigma must be a finite number"),
        ({"witness": "mmd", "memory": "lots"}, "memory must be a positive number of bytes"),
        ({"witness": "mmd", "metric": "precomputed"}, "witness='mmd' needs points"),
    ],
)
def test_unusable_options_are_refused(options, sentence):
    target = np.array([[0.0], [1.0], [5.0]])
    with pytest.raises(ps.InputError, match=sentence):
        ps.criticisms(ps.evaluate([0], target), target, **options)


@pytest.mark.parametrize("witness", ["cost", "mmd"])
def test_another_target_is_refused(witness):
    target = np.array([[0.0], [1.0], [5.0]])
    selection = ps.evaluate([0], target)
    with pytest.raises(ps.InputError, match=r"target must be the 3 points .* got 2"):
        ps.criticisms(selection, target, target[:2], witness=witness)


def test_another_source_is_refused_by_mmd():
    target = np.array([[0.0], [1.0], [5.0]])
    selection = ps.evaluate([2], target)
    with pytest.raises(ps.InputError, match=r"row numbers of the source, 0 to 1, but entry 0 is 2"):
        ps.criticisms(selection, target[:2], target, witness="mmd")
    with pytest.raises(ps.InputError, match="same number of features"):
        ps.criticisms(selection, np.ones((3, 2)), target, witness="mmd")
