"""Threads, memory and where the data lie decide how long a selection takes, and nothing else."""

import threading
import tracemalloc
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import protospot as ps
from protospot import costs
from protospot.kernels import cpu
from tests import paths
from tests.problems import Problem, smallest_memory

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")

BUDGETS = (1.0, 1.01, 1.05, 1.1, 1.2, 1.5, 2.0, 4.0, 16.0, None)  # of the smallest

KINDS: dict[str, dict[str, Any]] = {
    "float32": {},
    "float64": {"dtype": "f8"},
    "weights and steps": {"weights": "zeros", "batch": 3},
    "far clusters": {"is_far": True},
    "cityblock": {"metric": "cityblock"},
    "euclidean": {"metric": "euclidean"},
    "a function": {"metric": "chebyshev"},
    "stored": {"metric": "precomputed"},
    "similarity": {"metric": "similarity"},
    "sparse": {"is_sparse": True},
    "small integers": {"dtype": "u1"},
}


@cache
def made(kind):
    """A problem of this kind, the other options, its smallest memory and an answer."""
    known = {"metric": "sqeuclidean", "dtype": "f4", "batch": 1, **KINDS[kind]}
    rng = np.random.default_rng(3)
    both = rng.normal(size=(800, 8)) * (20 if known["dtype"] == "u1" else 1) + 60
    if known.get("is_far"):
        both += (1e5 * rng.normal(size=(5, 8)))[rng.integers(0, 5, 800)]
    both = both.astype(known["dtype"])
    problem = Problem(both[:300], both[300:], 70, None, known["metric"])
    if known.get("weights"):
        problem = replace(problem, weights=rng.integers(0, 2, 500) * rng.random(500))
    if known.get("is_sparse"):
        problem = problem.moved(lambda x: sparse.csr_array(np.where(x < 60, 0, x - 60)))
    if problem.metric in ("precomputed", "similarity"):
        problem = replace(problem, source=replace(problem, metric="cityblock").cost, target=None)
    options = {"batch": known["batch"]}
    return problem, options, smallest_memory(problem), problem.solve(**options)


def assert_same(chosen, expected):
    assert chosen.indices.tolist() == expected.indices.tolist()
    assert chosen.owner.tolist() == expected.owner.tolist()
    for name in ("costs", "weights", "best"):
        np.testing.assert_array_equal(getattr(chosen, name), getattr(expected, name))


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_does_not_depend_on_the_memory(kind):
    problem, options, least, expected = made(kind)
    taken = set()
    for part in BUDGETS:
        # The fixed share is 8 MiB; what is above it grows or shrinks with the data.
        memory = None if part is None else int((least - (8 << 20)) * part) + (8 << 20)
        chosen = problem.solve(memory=memory, **options)
        assert_same(chosen, expected)
        taken.add(tuple(paths.stages(chosen)))
    assert len(taken) > 1, taken


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_does_not_depend_on_the_threads(kind, n_threads, monkeypatch):
    problem, options, least, expected = made(kind)
    monkeypatch.setenv("PROTOSPOT_NUM_THREADS", str(n_threads))
    paths.share_all_work(monkeypatch)
    idents = seen_threads(
        monkeypatch, "gains", "lower", "collect", "direct", "contest", "contest_listed"
    )
    for memory in (least, 20 << 20, 64 << 20, None):
        idents.clear()
        chosen = problem.solve(memory=memory, **options)
        assert_same(chosen, expected)
        assert len(idents) <= chosen.made_by["threads"] <= n_threads
    assert chosen.made_by["threads"] == n_threads
    assert len(idents) > 1 or n_threads == 1


def seen_threads(monkeypatch, *names):
    """Threads in which these kernels run from now on."""
    idents: set[int] = set()

    def watched(kernel):
        def call(*args):
            idents.add(threading.get_ident())
            return kernel(*args)

        return call

    for name in names:
        monkeypatch.setattr(cpu, name, watched(getattr(cpu, name)))
    return idents


def test_several_threads_share_each_stage(monkeypatch):
    problem, _, _, expected = made("float32")
    monkeypatch.setenv("PROTOSPOT_NUM_THREADS", "3")
    paths.share_all_work(monkeypatch)
    monkeypatch.setattr("protospot.costs.pairs._BLOCK", 64)
    for kernel in ("collect", "contest_listed", "pack", "direct_pairs"):
        with monkeypatch.context() as patch:
            idents = seen_threads(patch, kernel)
            assert_same(problem.solve(), expected)
            assert len(idents) > 1, kernel


def test_budgets_reach_every_tile_and_every_copy(monkeypatch):
    monkeypatch.setenv("PROTOSPOT_NUM_THREADS", "2")
    problem, _, least, _ = made("small integers")
    plans = [
        costs.make(problem.source, problem.target, memory=memory).plan
        for memory in [
            *range(least, least + (1 << 20), 1 << 15),
            *range(9 << 20, 80 << 20, 1 << 20),
        ]
    ]
    assert {plan.tile for plan in plans} == {(16, 64), (64, 256), (256, 512), (512, 1024)}
    assert {len(plan.copies) for plan in plans} > {0, 3}
    assert {plan.threads for plan in plans} == {1, 2}
    assert plans[0].pair_limit((300, 500), 12) < 1000


@pytest.mark.parametrize("kind", ["float32", "stored", "a function"])
def test_one_byte_less_than_the_smallest_memory_is_refused(kind):
    problem, options, least, _ = made(kind)
    with pytest.raises(ps.MemoryBudgetError, match=f"pass memory={least} or more"):
        problem.solve(memory=least - 1, **options)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cityblock", "chebyshev"])
def test_a_selection_stays_within_its_memory(metric):
    # Prepared copies would take 10 to 20 MB, the pairs 30 MB and more.
    both = np.random.default_rng(4).integers(0, 200, (3500, 400)).astype("u1")
    problem = Problem(both[:1000], both[1000:], 6, None, metric)
    problem.moved(lambda x: x[:99]).solve()  # what compiling takes is not counted
    for memory in (smallest_memory(problem), 16 << 20, 40 << 20):
        tracemalloc.start()
        problem.solve(memory=memory)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < memory
