"""Swaps never raise the cost, and end where brute force finds no better swap."""

import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protospot as ps
from tests import oracles, paths
from tests.problems import METRICS, Problem, problems

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


def swaps_of(cost, picks):
    """Every set that one swap leads to."""
    for position in range(len(picks)):
        for source in set(range(len(cost))) - set(picks):
            yield [*picks[:position], source, *picks[position + 1 :]]


def rounding(cost, picks, weights):
    return 4e-12 * oracles.cost_of(np.abs(cost), picks, weights) + 1e-300


@given(problems(metrics=METRICS, most=14))
def test_no_single_swap_is_better_and_the_cost_never_rises(problem):
    cost, greedy = problem.cost, problem.solve()
    found = problem.solve(refine=True)
    picks = found.indices.tolist()
    assert len(set(picks)) == len(picks) == len(greedy)
    assert found.cost <= greedy.cost
    mine = oracles.cost_of(cost, picks, problem.weights)
    others = [oracles.cost_of(cost, other, problem.weights) for other in swaps_of(cost, picks)]
    slack = 1e-9 * oracles.tie_of(cost, picks[0], problem.weights) * 1e12
    assert mine <= min(others, default=np.inf) + max(slack, 1e-300)
    expected = oracles.path(cost, picks, problem.weights)
    np.testing.assert_allclose(found.costs, expected, rtol=1e-9, atol=1e-12 * abs(cost).max())


def cloud(n_source=300, n_target=500, k=20, dtype="f4", metric="sqeuclidean"):
    both = np.random.default_rng(0).normal(size=(n_source + n_target, 6)).astype(dtype)
    return Problem(both[:n_source], both[n_source:], k, None, metric)


@pytest.mark.parametrize("kernels", ["cpu", "generic"])
@pytest.mark.parametrize("metric", ["sqeuclidean", "cityblock", "cosine", "chebyshev", "dot"])
def test_a_refined_cloud_cannot_be_improved_by_a_swap(metric, kernels, monkeypatch):
    paths.use_kernels(monkeypatch, kernels)
    problem = cloud(120, 200, 8, metric=metric)
    found = problem.solve(refine=True)
    matrix = problem.solve(method="random", k=120, seed=0)  # every row, for its costs
    cost = np.stack(
        [ps.evaluate([i], problem.source, problem.target, metric=metric).best for i in range(120)]
    )
    assert len(matrix) == 120
    picks = found.indices.tolist()
    best = min(oracles.cost_of(cost, other) for other in swaps_of(cost, picks))
    assert found.cost <= best + 1e-9 * abs(best)
    assert found.made_by["refined"]["ended"] == "no single swap lowers the cost"
    assert found.cost < problem.solve(method="random", seed=1).cost


@pytest.mark.parametrize("memory", ["16MiB", None])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_answer_depends_on_neither_memory_nor_threads(memory, n_threads, monkeypatch):
    problem = cloud()
    expected = problem.solve(refine=True)
    monkeypatch.setenv("PROTOSPOT_NUM_THREADS", str(n_threads))
    paths.share_all_work(monkeypatch)
    found = problem.solve(refine=True, memory=memory)
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_array_equal(found.costs, expected.costs)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "chebyshev", "dot"])
@pytest.mark.parametrize("room", [0, 300, 1500, 4000])
def test_swaps_end_at_a_local_optimum_however_few_pairs_fit(room, metric, monkeypatch):
    problem = cloud(90, 150, 6, metric=metric)
    data = problem.source, problem.target
    by_hand = ps.evaluate(np.arange(6), *data, metric=metric)
    paths.give_pairs_room(monkeypatch, room)
    told: list[ps.Pick] = []
    found = ps.refine(by_hand, *data, on_swap=told.append)
    rows = [ps.evaluate([i], *data, metric=metric) for i in range(90)]
    cost = np.stack([row.best for row in rows])
    best = min(oracles.cost_of(cost, other) for other in swaps_of(cost, found.indices.tolist()))
    assert found.cost <= best + 1e-9 * abs(best)
    assert found.made_by["refined"]["ended"] == "no single swap lowers the cost"
    assert found.cost < by_hand.cost
    falls = [pick.gain for pick in told]
    assert by_hand.cost - found.cost == pytest.approx(sum(falls), rel=1e-4)


@given(problems(metrics=METRICS, most=14), st.integers(0, 60))
def test_little_room_for_pairs_never_makes_it_worse(problem, room):
    with pytest.MonkeyPatch.context() as patch:
        paths.give_pairs_room(patch, room)
        found = problem.solve(refine=True)
    cost, picks = problem.cost, found.indices.tolist()
    mine = oracles.cost_of(cost, picks, problem.weights)
    others = [oracles.cost_of(cost, other, problem.weights) for other in swaps_of(cost, picks)]
    slack = 1e-9 * oracles.tie_of(cost, picks[0], problem.weights) * 1e12
    assert mine <= min(others, default=np.inf) + max(slack, 1e-300)


def test_weights_and_copies_of_targets_are_the_same():
    problem = cloud(60, 90, 5, dtype="f8")
    times = np.random.default_rng(1).integers(1, 4, 90)
    weighted = Problem(problem.source, problem.target, 5, times.astype(float))
    copied = Problem(problem.source, np.repeat(problem.target, times, axis=0), 5)
    one, other = (p.solve(refine=True) for p in (weighted, copied))
    assert one.indices.tolist() == other.indices.tolist()
    assert one.cost == pytest.approx(other.cost)


def test_any_selection_can_be_refined_and_keeps_what_it_should():
    problem = cloud()
    by_hand = ps.evaluate(np.arange(20), problem.source, problem.target)
    told: list[ps.Pick] = []
    better = ps.refine(by_hand, problem.source, problem.target, on_swap=told.append)
    assert better.cost < 0.9 * by_hand.cost
    assert len(told) == better.made_by["refined"]["swaps"]
    assert told[-1].cost == pytest.approx(better.cost)
    assert all(later.cost < earlier.cost for earlier, later in pairwise(told))
    again = ps.refine(better, problem.source, problem.target)
    assert again.indices.tolist() == better.indices.tolist()
    assert again.made_by["refined"]["swaps"] == 0
    kept = ps.refine(by_hand, problem.source, problem.target, keep=7)
    assert kept.indices[:7].tolist() == list(range(7))
    assert better.cost < kept.cost < by_hand.cost
    started = problem.solve(start=[5, 3], refine=True)
    assert started.indices[:2].tolist() == [5, 3]


def test_a_search_ends_where_it_is_told_to():
    problem = cloud()
    greedy = ps.evaluate(np.arange(20), problem.source, problem.target)
    one = ps.refine(greedy, problem.source, problem.target, max_swaps=1)
    assert (one.indices != greedy.indices).sum() == 1
    assert one.made_by["refined"]["ended"] == "max_swaps=1 reached"
    few = ps.refine(greedy, problem.source, problem.target, max_passes=1)
    assert few.made_by["refined"]["looked"] >= 300
    assert one.cost > few.cost

    def stop(_):
        raise ps.Stop

    stopped = ps.refine(greedy, problem.source, problem.target, on_swap=stop)
    assert stopped.indices.tolist() == one.indices.tolist()
    for name in ("max_swaps", "max_passes"):
        options: dict[str, Any] = {name: 0}
        with pytest.raises(ps.InputError, match=name):
            ps.refine(greedy, problem.source, problem.target, **options)


def test_a_single_prototype_becomes_the_best_one():
    problem = cloud()
    worst = ps.evaluate([17], problem.source, problem.target)
    best = ps.refine(worst, problem.source, problem.target)
    assert best.indices.tolist() == problem.solve(k=1).indices.tolist()
    assert ps.refine(best, problem.source, problem.target).cost == best.cost


def test_targets_served_from_beyond_the_cutoff_are_looked_up():
    """Far prototypes by hand: almost every target's second cheapest changes on the way."""
    problem = cloud(200, 400, 2)
    by_hand = ps.evaluate([0, 1], problem.source, problem.target)
    found = ps.refine(by_hand, problem.source, problem.target)
    cost = problem.cost
    best = min(oracles.cost_of(cost, other) for other in swaps_of(cost, found.indices.tolist()))
    assert found.cost <= best * (1 + 1e-9)


@settings(max_examples=20)
@given(problems(metrics=("sqeuclidean",), most=14, dtypes=("f8",)))
def test_a_stored_matrix_gives_what_points_give(problem):
    picks = problem.solve(refine=True).cost
    stored = problem.stored().solve(refine=True).cost
    assert stored == pytest.approx(picks, rel=1e-9, abs=1e-12)


def test_digits_reach_what_k_medoids_is_known_to_reach():
    from sklearn.datasets import load_digits

    digits = load_digits().data
    greedy = ps.select(digits, k=10, metric="euclidean")
    assert greedy.cost == pytest.approx(28.873, abs=1e-3)
    assert ps.select(digits, k=10, metric="euclidean", refine=True).cost <= 28.489


@pytest.mark.parametrize("memory", ["12MiB", "24MiB", "64MiB"])
def test_swaps_and_the_bound_stay_within_the_memory(memory):
    problem = cloud(1200, 1500, 30)

    def select():
        return problem.solve(memory=memory, refine=True, certify=True)

    select()  # what is compiled is no part of it
    tracemalloc.start()
    found = select()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= found.made_by["memory"]
    assert found.cost < problem.solve().cost


def test_a_prototype_whose_cost_is_the_cutoff_is_missed_when_it_goes():
    # Many costs of nothing: then a second cheapest prototype is as dear as its target's cutoff.
    for seed in (82, *range(40)):
        rng = np.random.default_rng(seed)
        cost = rng.random((20, 60)) * (rng.random((20, 60)) < 0.6)
        found = ps.refine(ps.evaluate(range(5), cost, metric="precomputed"), cost)
        picks = found.indices.tolist()
        best = min(oracles.cost_of(cost, other) for other in swaps_of(cost, picks))
        assert found.cost <= best + 1e-12


def test_what_was_true_of_the_set_before_is_not_said_of_the_refined_one():
    problem = cloud(60, 90, 5)
    data = problem.source, problem.target
    coupled = ps.couple(ps.select(*data, k=5, method="protodash"), *data)
    refined = ps.refine(coupled, *data)
    assert refined.coupling is None
    assert not {"coupled_cost", "coupled", "fit"} & set(refined.made_by)
    assert refined.made_by["method"] == "protodash"


@pytest.mark.parametrize("keep", [-1, 6, 1.5])
def test_what_is_kept_is_a_part_of_the_prototypes(keep):
    problem = cloud(60, 90, 5)
    found = problem.solve()
    with pytest.raises(ps.InputError, match="keep"):
        ps.refine(found, problem.source, problem.target, keep=keep)
