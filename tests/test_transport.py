"""Prototypes are carried to the place that serves their points at the least cost."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

import protospot as ps
from protospot import centers

METRICS = ["sqeuclidean", "euclidean", "cityblock", "cosine"]
CENTERS = ["mean", "median", "geometric-median", "direction"]


@st.composite
def problems(draw):
    """A target with copies and weights of 0, and prototypes of which some may serve nothing."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, width, k = draw(st.integers(1, 12)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    grid = draw(st.booleans())
    target = rng.integers(1, 4, (n, width)) if grid else rng.normal(size=(n, width))
    weights = rng.integers(0, 4, n).astype(float)
    assume(weights.any())
    source = target[rng.integers(0, n, k)] + rng.normal(size=(k, width)) * rng.integers(0, 2)
    return source.astype(float), target.astype(float), weights


def chosen(problem, metric="sqeuclidean"):
    source, target, weights = problem
    return ps.evaluate(range(len(source)), source, target, metric=metric, target_weights=weights)


def service_cost(place, group, weights, metric):
    return weights @ cdist(group, place[None], metric)[:, 0]


@pytest.mark.parametrize("metric", METRICS)
@given(problem=problems(), seed=st.integers(0, 99))
def test_no_other_place_serves_the_same_points_at_less_cost(metric, problem, seed):
    _, target, _ = problem
    selection = chosen(problem, metric)
    rng = np.random.default_rng(seed)
    for rank, place in enumerate(ps.transport(selection, target)):
        mine = (selection.owner == rank) & (selection.target_weights > 0)
        if np.isnan(place).any():
            continue
        group, weights = target[mine], selection.target_weights[mine]
        cost = service_cost(place, group, weights, metric)
        steps = rng.normal(size=(8, len(place))) * np.logspace(-6, 0, 8)[:, None]
        for other in [*group, group.mean(axis=0), *(place + steps)]:
            assert cost <= service_cost(other, group, weights, metric) * (1 + 1e-9) + 1e-12


@given(problems())
def test_the_mean_is_the_plan_times_the_target_over_the_weights(problem):
    _, target, _ = problem
    selection = chosen(problem)
    moved = ps.transport(selection, target)
    served = selection.weights > 0
    expected = (selection.plan() @ target)[served] / selection.weights[served, None]
    np.testing.assert_allclose(moved[served], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("center", CENTERS)
@given(problem=problems())
def test_a_row_is_nan_where_the_prototype_carries_nothing(center, problem):
    selection = chosen(problem)
    moved = ps.transport(selection, problem[1], center=center)
    assert moved.shape == (len(selection), problem[1].shape[1])
    assert np.isnan(moved[selection.weights == 0]).all()
    if center != "direction":
        assert np.isfinite(moved[selection.weights > 0]).all()


@pytest.mark.parametrize("center", CENTERS)
@given(problem=problems())
def test_sparse_targets_and_small_blocks_change_nothing(center, problem):
    selection = chosen(problem)
    expected = ps.transport(selection, problem[1], center=center)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(centers, "_BLOCK_VALUES", 3)
        for target in (problem[1], csr_array(problem[1])):
            moved = ps.transport(selection, target, center=center)
            np.testing.assert_allclose(moved, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("center", ["mean", "median", "geometric-median"])
@given(problem=problems())
def test_the_map_moves_with_the_target(center, problem):
    selection = chosen(problem)
    moved = ps.transport(selection, problem[1], center=center)
    shifted = ps.transport(selection, 2 * problem[1] + 1024, center=center)
    np.testing.assert_allclose(shifted, 2 * moved + 1024, rtol=1e-7)


@given(problem=problems())
def test_rows_of_target_may_come_in_any_order(problem):
    source, target, weights = problem
    order = np.random.default_rng(0).permutation(len(target))
    for metric in METRICS:
        moved = ps.transport(chosen(problem, metric), target)
        permuted = chosen((source, target[order], weights[order]), metric)
        # Where many places are equally good, which one is found may depend on the order.
        if metric != "euclidean":
            again = ps.transport(permuted, target[order])
            np.testing.assert_allclose(again, moved, rtol=1e-7, atol=1e-9)


def one_prototype(target, weights=None, metric="euclidean"):
    problem = (np.ones((1, np.shape(target)[1])), np.asarray(target, float), weights)
    return ps.transport(chosen(problem, metric), target)[0]


def test_the_geometric_median_agrees_with_a_general_minimiser():
    rng = np.random.default_rng(3)
    target, weights = rng.normal(size=(30, 3)), rng.random(30)
    place = one_prototype(target, weights)
    args = (target, weights / weights.sum(), "euclidean")
    found = minimize(service_cost, target.mean(axis=0), args, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(place, found.x, atol=1e-6)
    assert service_cost(place, *args) <= found.fun * (1 + 1e-12)


def test_the_geometric_median_of_a_triangle_sees_its_sides_at_equal_angles():
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [1.0, 3.0]])
    rays = corners - one_prototype(corners)
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    np.testing.assert_allclose(rays.sum(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8, 1e150])
def test_a_geometric_median_on_a_point_is_that_point_exactly(scale):
    flat = np.array([[0.0, 0.0], [10.0, 1.0], [-9.0, 2.0], [1.0, -8.0]]) * scale
    assert one_prototype(flat).tolist() == [0.0, 0.0]
    heavy = one_prototype(flat, weights=[1.0, 5.0, 1.0, 1.0])
    assert heavy.tolist() == flat[1].tolist()


def test_a_geometric_median_just_beside_a_point_is_found():
    # At the first corner the pull of the others beats its weight by a hair.
    corners = np.array([[0.0, 0.0], [1.0, 1.731], [1.0, -1.731]])
    place = one_prototype(corners)
    exact = 1 - 1.731 / np.sqrt(3)  # both rays at 120 degrees to each other
    np.testing.assert_allclose(place, [exact, 0.0], atol=1e-9)


def test_geometric_medians_of_points_on_a_line_or_in_one_place():
    line = np.outer(np.array([0.0, 1.0, 5.0, 6.0, 90.0]), [3.0, -4.0]) + 7
    assert one_prototype(line).tolist() == [22.0, -13.0]
    assert one_prototype([[2.0, 3.0]] * 4).tolist() == [2.0, 3.0]


def test_the_lower_median_is_taken_where_half_the_weight_falls_between_two_values():
    target = np.array([[4.0], [1.0], [2.0], [3.0]])
    assert one_prototype(target, metric="cityblock").tolist() == [2.0]
    assert one_prototype(target, [1, 1, 1, 1.001], metric="cityblock").tolist() == [3.0]
    tenths = np.arange(10.0)[:, None]  # ten weights of 0.1 do not add up to 1 in binary
    assert one_prototype(tenths, [0.1] * 10, metric="cityblock").tolist() == [4.0]


def test_the_median_is_taken_in_each_coordinate():
    target = np.array([[0.0, 9.0], [1.0, 7.0], [5.0, 8.0]])
    assert one_prototype(target, metric="cityblock").tolist() == [1.0, 8.0]
    assert one_prototype(target, [0, 0, 1], metric="cityblock").tolist() == [5.0, 8.0]


def test_a_direction_has_length_one_whatever_the_lengths_of_the_points():
    target = np.array([[100.0, 0.0], [0.0, 0.01]])
    np.testing.assert_allclose(one_prototype(target, metric="cosine"), [0.5**0.5] * 2, rtol=1e-15)


def test_a_direction_is_nan_where_the_unit_vectors_cancel():
    angles = np.arange(3) * 2 * np.pi / 3
    star = np.column_stack([np.cos(angles), np.sin(angles)])
    assert np.isnan(one_prototype(star, metric="cosine")).all()


def test_a_target_point_at_the_origin_has_no_direction_and_does_not_count():
    target = np.array([[0.0, 0.0], [3.0, 4.0]])
    selection = chosen((np.ones((1, 2)), target, None))
    moved = ps.transport(selection, target, center="direction")
    np.testing.assert_allclose(moved, [[0.6, 0.8]], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64, bool])
def test_targets_of_every_number_type_are_carried_to_float64(dtype):
    target = np.array([[0, 1], [1, 1], [1, 0]], dtype=dtype)
    for center in CENTERS:
        problem = (np.ones((1, 2)), target, None)
        moved = ps.transport(chosen(problem), target, center=center)
        sparse = ps.transport(chosen(problem), csr_array(target), center=center)
        assert moved.dtype == sparse.dtype == np.float64
        np.testing.assert_allclose(sparse, moved, rtol=1e-9)


@pytest.mark.parametrize("metric", ["dot", "chebyshev", "precomputed", "similarity"])
def test_metrics_without_a_known_centre_need_one_named(metric):
    rng = np.random.default_rng(0)
    source, target = rng.normal(size=(3, 4)), rng.normal(size=(4, 4))
    selection = (
        ps.evaluate([0, 1], source, metric=metric)
        if metric
        in (
            "precomputed",
            "similarity",
        )
        else ps.evaluate([0, 1], source, target, metric=metric)
    )
    with pytest.raises(ps.InputError, match=rf"got '{metric}'.*center='mean'"):
        ps.transport(selection, target)
    moved = ps.transport(selection, target, center="mean")
    served = selection.weights > 0
    expected = (selection.plan() @ target)[served] / selection.weights[served, None]
    np.testing.assert_allclose(moved[served], expected, rtol=1e-12)


def test_the_metric_may_be_given_and_has_other_names():
    target = np.array([[0.0], [1.0], [5.0]])
    selection = chosen((np.zeros((1, 1)), target, None))
    assert ps.transport(selection, target).item() == pytest.approx(2.0)
    assert ps.transport(selection, target, metric="manhattan").tolist() == [[1.0]]
    assert ps.transport(
        selection, target, metric="cityblock", center="mean"
    ).item() == pytest.approx(2.0)


def test_an_unknown_centre_names_the_known_ones():
    target = np.array([[0.0], [1.0]])
    selection = chosen((np.zeros((1, 1)), target, None))
    with pytest.raises(
        ps.InputError, match=r"center must be one of direction.*Did you mean 'mean'"
    ):
        ps.transport(selection, target, center="means")


def test_another_target_is_refused():
    selection = chosen((np.zeros((1, 1)), np.array([[0.0], [1.0]]), None))
    with pytest.raises(ps.InputError, match=r"target must be the 2 points .* got 3 rows"):
        ps.transport(selection, [[0.0], [1.0], [2.0]])


def test_weights_that_are_not_served_mass_are_refused():
    target = [[0.0], [1.0]]
    selection = ps.evaluate([0], target)
    own = {"method": "protodash", "weights": "own"}
    selection = replace(selection, made_by={**selection.made_by, **own})
    with pytest.raises(ps.InputError, match=r"'protodash' sets its own weights.*couple"):
        ps.transport(selection, target)
