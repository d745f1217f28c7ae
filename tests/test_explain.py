"""What `explain` tells is what `select` does."""

import gc
import re
import threading
import time
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import protospot as ps
from protospot import costs, threads
from protospot.baselines import METHODS
from tests.problems import Problem, smallest_memory
from tests.refusals import said

RNG = np.random.default_rng(2)
FEW = RNG.normal(size=(40, 3)), RNG.normal(size=(60, 3))
MANY = RNG.normal(size=(900, 12)), RNG.normal(size=(1300, 12))
DATA = {
    "few": FEW,
    "wide": (RNG.normal(size=(600, 300)), RNG.normal(size=(800, 300))),
    "many": MANY,
    "float32": tuple(table.astype("f4") for table in MANY),
    "bytes": tuple((20 * table + 100).astype("u1") for table in MANY),
    "mixed": (MANY[0].astype("f4"), MANY[1]),
    "Fortran": tuple(map(np.asfortranarray, MANY)),
    "square": (MANY[1], None),
    "sparse": tuple(sp.csr_array(table * (table > 1)) for table in MANY),
}
METRICS = ["sqeuclidean", "euclidean", "cityblock", "dot", "chebyshev", "precomputed", "similarity"]


def arguments(name, metric):
    """Arguments of `select` and `explain`: data by name, as a matrix where the metric needs one."""
    source, target = DATA[name]
    if name == "sparse" and metric not in ("sqeuclidean", "euclidean", "cityblock", "dot"):
        pytest.skip("only the fast metrics take sparse rows")
    if metric not in ("precomputed", "similarity"):
        return {"source": source, "target": target, "k": 5, "metric": metric}
    matrix = costs.make(source, target).rows(np.arange(len(source)))
    matrix *= 255 / matrix.max()
    matrix = matrix.astype(source.dtype, order="F" if name == "Fortran" else "C")
    return {"source": matrix, "target": None, "k": 5, "metric": metric}


def least(given):
    """The smallest budget, as `select` names it."""
    return smallest_memory(Problem(given["source"], given["target"], 1, metric=given["metric"]))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", DATA)
def test_sizes_types_threads_tiles_and_copies_are_those_of_the_run(name, metric):
    given = arguments(name, metric)
    for factor in (1, 1.1, 2, 8):
        budget = int(factor * least(given))
        told = ps.explain(**given, memory=budget)
        cost = costs.make(given["source"], given["target"], metric=metric, memory=budget)
        assert (told.n_source, told.n_target) == cost.shape
        assert told.matrix_bytes == cost.dtype.itemsize * cost.shape[0] * cost.shape[1]
        assert (told.tile, frozenset(told.copies)) == (cost.plan.tile, cost.plan.copies)
        made_by = ps.select(**given, memory=budget).made_by
        run = made_by["dtype"], made_by["threads"], made_by["memory"]
        assert (told.dtype, told.threads, told.memory) == run


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", DATA)
def test_the_smallest_memory_works_and_nothing_less_does(name, metric):
    given = arguments(name, metric)
    smallest = ps.explain(**given).smallest_memory
    tight = ps.select(**given, memory=smallest)
    assert tight.indices.tolist() == ps.select(**given).indices.tolist()
    for call in (ps.select, ps.explain):
        text = said(call, **given, memory=smallest - 1, error=ps.MemoryBudgetError)
        assert f"pass memory={smallest} or more" in text


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("method", ["greedy", "simple"])
@pytest.mark.parametrize("factor", [1, 1.3, 2, 8])
def test_the_working_memory_stays_within_the_budget(metric, method, factor):
    given = arguments("wide", metric) | {"k": 20, "method": method}
    given["memory"] = budget = int(factor * least(given))

    def select():
        ps.select(**given)

    select()  # what is compiled is no part of it
    tracemalloc.start()
    try:
        select()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= budget


@pytest.mark.parametrize("metric", METRICS)
def test_nothing_stays_in_memory_or_at_work_after_a_selection(metric):
    given = arguments("wide", metric) | {"k": 20}
    ps.select(**given)
    gc.collect()
    gc.disable()  # what only the collector of cycles finds can stay for long
    tracemalloc.start()
    at_work = threading.active_count()
    try:
        for _ in range(3):
            ps.select(**given)
        held = tracemalloc.get_traced_memory()[0]
        until = time.monotonic() + 3  # threads that were told to end may take a moment
        while threading.active_count() > at_work and time.monotonic() < until:
            time.sleep(0.01)
        still_at_work = threading.active_count()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert held < 1 << 18
    assert still_at_work <= at_work


@pytest.mark.parametrize(("name", "metric"), [("few", "sqeuclidean"), ("many", "euclidean")])
def test_shapes_alone_tell_the_same_as_data_in_float32(name, metric):
    source, target = (table.astype("f4") for table in DATA[name])
    options = {"k": 7, "metric": metric, "memory": "16MiB"}
    told = ps.explain(source.shape, target.shape, **options)
    assert told == ps.explain(source, target, **options)
    one = ps.explain(source.shape, **options)
    assert one == ps.explain(source.shape, source.shape, **options)


@pytest.mark.parametrize("factor", [1, 8])
def test_a_function_is_asked_once_for_each_pair_exactly_when_told_so(factor):
    pairs = 0

    def far(source, target):
        nonlocal pairs
        pairs += len(source) * len(target)
        return np.abs(source[:, None] - target[None]).max(axis=2)

    source, target = MANY[0][:, :3], MANY[1][:, :3]
    budget = factor * least({"source": source, "target": target, "metric": "chebyshev"})
    ps.select(source, target, 5, metric=far, memory=budget)
    told = ps.explain(source, target, k=5, metric=far, memory=budget)
    is_asked_once = any("asked only once" in step for step in told.steps)
    assert is_asked_once == (factor == 8)
    assert is_asked_once == (pairs <= len(source) * len(target) + 30)


@pytest.mark.parametrize("factor", [1, 1.5, 2, 8])
def test_live_pairs_are_collected_when_and_only_when_told_so(factor):
    given = arguments("many", "sqeuclidean") | {"k": 100}
    given["memory"] = int(factor * least(given))
    told = ps.explain(**given)
    stages = ps.select(**given).made_by["stages"]
    collected = [re.search(r"live pairs after pick (\d+)", stage) for stage in stages]
    after = [int(found[1]) for found in collected if found]
    if told.collects_after is None:
        assert not after
    else:  # the share of live pairs is a guess from other data: right to a factor of four
        assert told.collects_after / 4 <= after[0] <= told.collects_after * 4


def test_steps_and_representation_name_what_a_user_decides_on():
    told = ps.explain((5000, 784), (54210, 784), k=200, memory="2GiB")
    text = repr(told)
    assert "5000 sources x 54210 targets, 784 features, float32" in text
    assert "2 GiB" in text
    assert "matrix would take 1.01 GiB" in text
    assert f"threads   {threads.available()}" in text
    assert "closed form" in told.steps[0]
    assert all(step in text for step in told.steps)
    assert "one pass" in ps.explain((9, 2), k=2, metric="cityblock").steps[0]
    assert "random" in ps.explain((9, 2), k=2, method="random").steps[0]
    assert "cheapest source" in ps.explain((9, 2), k=2, method="simple").steps[0]


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0},
        {"k": 41},
        {"k": 2.5},
        {"method": "gredy"},
        {"metric": "sqeuclidian"},
        {"memory": "much"},
        {"memory": 1},
        {"target": np.ones((5, 2))},
        {"target": np.full((5, 3), np.nan)},
        {"source": None},
        {"metric": "precomputed", "target": FEW[1]},
        {"metric": "chebyshev", "source": sp.csr_array(FEW[0])},
    ],
)
def test_what_select_refuses_is_refused_in_the_same_words(options):
    given = {"source": FEW[0], "k": 3} | options
    assert said(ps.explain, **given) == said(ps.select, **given)


@pytest.mark.parametrize("shapes", [((0, 3),), ((5, 0),), ((5, -3),), ((5, 3), (4, 2)), ((5,),)])
def test_shapes_that_no_data_have_are_refused(shapes):
    said(ps.explain, *shapes, k=1)


def test_every_method_and_what_follows_it_are_explained():
    for method in METHODS:
        found = ps.explain((300, 4), (500, 4), k=5, method=method)
        assert found.steps, method
    both = ps.explain((300, 4), (500, 4), k=5, refine=True, certify=True).steps
    plain = ps.explain((300, 4), (500, 4), k=5).steps
    assert both[: len(plain)] == plain
    assert "swaps" in both[-2]
    assert "bound" in both[-1]
