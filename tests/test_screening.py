"""When pairs are collected, when screening is given up, and how often a function is asked."""

import numpy as np
import pytest

from protospot import costs
from protospot.costs.plan import Plan
from protospot.costs.tiled import TiledCost
from protospot.gains.stage import screening_slack
from tests import oracles, paths
from tests.problems import Problem, smallest_memory


def cloud():
    both = np.random.default_rng(3).normal(size=(800, 8)).astype("f4")
    return Problem(both[:300], both[300:], 70)


@pytest.fixture
def tries(monkeypatch):
    """Whether each attempt to collect live pairs found room, the sample promising that it would."""
    found = []
    live = TiledCost.live

    def watched(cost, best, weights, limit):
        pairs = live(cost, best, weights, limit)
        found.append(pairs is not None)
        return pairs

    monkeypatch.setattr(TiledCost, "live", watched)
    monkeypatch.setattr(TiledCost, "live_share", lambda *_: 0.0)
    return found


@pytest.mark.parametrize("n_threads", [1, 3])
def test_where_more_pairs_live_than_the_sample_said_the_answer_is_the_same(
    tries, n_threads, monkeypatch
):
    problem = cloud()
    expected = oracles.greedy(problem.cost, problem.k)
    paths.share_all_work(monkeypatch)
    monkeypatch.setenv("PROTOSPOT_NUM_THREADS", str(n_threads))
    live = [(problem.cost < problem.cost[expected[:k]].min(axis=0)).sum() for k in (2, 4)]
    monkeypatch.setattr(Plan, "pair_limit", lambda *_: int(sum(live)) // 2)
    chosen = problem.solve()
    assert chosen.made_by["threads"] == n_threads
    assert tries[0] is False
    assert chosen.indices.tolist() == expected
    assert paths.stages(chosen)[0] == "all gains after pick N"
    assert tries == [False, False, True]  # after 1, 2 and 4 picks
    assert chosen.made_by["stages"][1].endswith("after pick 4")


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("memory", ["smallest", None])
def test_data_far_from_the_origin_are_screened_as_well_as_near_it(dtype, memory, monkeypatch):
    paths.sharpen_when_lost(monkeypatch)
    problem = cloud()
    shifted = problem.moved(lambda x: (x + x.dtype.type(1e5)).astype(dtype))
    chosen = shifted.solve(memory=memory and smallest_memory(shifted))
    assert chosen.indices.tolist() == oracles.greedy(shifted.cost, shifted.k)
    assert not any("exact" in stage for stage in chosen.made_by["stages"])


def test_a_function_is_asked_once_for_each_pair_where_the_matrix_fits():
    asked = []

    def squared(x, y):
        asked.append(1)
        return float(((x - y) ** 2).sum())

    rng = np.random.default_rng(5)
    both = rng.normal(size=(90, 3))
    problem = Problem(both[:40], both[40:], 12)
    expected = oracles.greedy(problem.cost, 12)
    assert problem.solve(metric=squared).indices.tolist() == expected
    once = len(asked)
    assert 40 * 50 <= once < 1.1 * 40 * 50
    least = smallest_memory(problem)
    assert problem.solve(metric=squared, memory=least).indices.tolist() == expected
    assert len(asked) - once > 2 * once


def sphere(rng, n):
    """Pairs of opposite points, so that the mean stays at the origin."""
    rows = rng.normal(size=(n // 2, 6))
    rows *= 1e3 / np.linalg.norm(rows, axis=1)[:, None]
    return np.vstack([rows, -rows])


# Which side makes large numbers whose differences float32 loses.
SIDES = {
    "neither": lambda rng: (rng.normal(size=(200, 6)), rng.normal(size=(300, 6))),
    "the sources": lambda rng: (sphere(rng, 200), 0.1 * rng.normal(size=(300, 6))),
    "the targets": lambda rng: (1e-3 * rng.normal(size=(200, 6)), sphere(rng, 12)),
}


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cosine", "dot"])
@pytest.mark.parametrize("side", SIDES)
def test_screened_gains_are_no_further_off_than_they_say(side, metric):
    rng = np.random.default_rng(6)
    source, target = (rows.astype("f4") for rows in SIDES[side](rng))
    cost = costs.make(source, target, metric=metric)
    exact = oracles.cost_matrix(source, target, metric)
    weights = oracles.mass(exact, rng.random(len(target)))
    for first in range(0, 200, 10):
        best = exact[first]
        gains, expected = cost.gains(best, weights), np.maximum(best - exact, 0) @ weights
        doubts, slack = screening_slack(cost, weights, gains.max())
        assert (np.abs(gains - expected) <= doubts + slack).all()
    assert cost.dtype == ("f8" if metric == "euclidean" else "f4")
