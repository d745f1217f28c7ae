"""Arguments that cannot be used are refused in a sentence: what must hold, what was got."""

import gc
import io
import os
import pickle
import re

import numpy as np
import pytest

import protospot as ps
from tests.problems import METRICS, Problem, smallest_memory
from tests.refusals import said

METHODS = "greedy, mmd-critic, optimal, protodash, random, simple, stochastic"
POINTS = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"k": 0}, "k must be between 1 and the 20 source points, got k=0"),
        ({"k": -1}, "k must be between 1 and the 20 source points, got k=-1"),
        ({"k": 21}, "k must be between 1 and the 20 source points, got k=21"),
        ({"k": True}, "k must be a whole number, got k=True"),
        ({"k": np.True_}, "k must be a whole number, got k=np.True_"),
        ({"k": 2.0}, "k must be a whole number, got k=2.0"),
        ({"k": "3"}, "k must be a whole number, got k='3'"),
        ({"k": [3]}, "k must be a whole number, got k=[3]"),
        ({"k": None}, "k may be None only when min_gain is given; got neither"),
        ({"batch": 0}, "batch must be at least 1, got batch=0"),
        ({"batch": 1.0}, "batch must be a whole number, got batch=1.0"),
        ({"batch": None}, "batch must be a whole number, got batch=None"),
        (
            {"min_gain": -1e-9},
            "min_gain must be a finite number of at least 0, got min_gain=-1e-09",
        ),
        ({"min_gain": np.nan}, "min_gain must be a finite number of at least 0, got min_gain=nan"),
        ({"min_gain": np.inf}, "min_gain must be a finite number of at least 0, got min_gain=inf"),
        ({"min_gain": "low"}, "min_gain must be a number, got min_gain='low'"),
        ({"start": [20]}, "start must be row numbers of the source, 0 to 19, but entry 0 is 20"),
        ({"start": [3, -1]}, "start must be row numbers of the source, 0 to 19, but entry 1 is -1"),
        ({"start": [4, 5, 4]}, "start must not repeat a row, but row 4 is there twice"),
        ({"start": [0, 1, 2, 3]}, "start must hold at most k=3 rows, got 4"),
        (
            {"start": [1.0]},
            "start must be a 1-d list of whole row numbers of the source",
        ),
        ({"start": 1}, "start must be a 1-d list of whole row numbers of the source, got shape ()"),
        (
            {"start": np.zeros(20, bool)},
            "start must be a 1-d list of whole row numbers of the source",
        ),
        ({"start": "1"}, "start must hold real numbers, got text"),
        (
            {"method": "gredy"},
            f"must be one of {METHODS}; got 'gredy'",
        ),
        ({"method": "gredy"}, "Did you mean 'greedy'?"),
        (
            {"method": None},
            f"method must be one of {METHODS}; got None",
        ),
        ({"metric": "sqeuclidian"}, "got 'sqeuclidian'. Did you mean 'sqeuclidean'?"),
        ({"metric": "Manhattan"}, "got 'Manhattan'. Did you mean 'manhattan'?"),
        ({"metric": 3}, "metric must be one of braycurtis, canberra, chebyshev"),
        ({"metric": "haversine"}, "haversine"),  # is of two features
        ({"sigma": 1.0}, "unknown option 'sigma'"),
        ({"metirc": "dot"}, "Did you mean 'metric'?"),
        ({"method": "stochastic", "epsilom": 0.2}, "Did you mean 'epsilon'?"),
        (
            {"method": "stochastic", "epsilon": 0},
            "epsilon must be a number between 0 and 1, got epsilon=0",
        ),
        (
            {"method": "stochastic", "epsilon": "a"},
            "epsilon must be a number between 0 and 1, got epsilon='a'",
        ),
        ({"method": "stochastic", "seed": -1}, "seed must"),
        ({"method": "stochastic", "seed": "one"}, "seed must"),
        ({"method": "random", "seed": 1.5}, "seed must"),
        ({"device": "cuda"}, "device must be 'auto' or 'cpu' in this version, got 'cuda'"),
        ({"engine": "ray"}, "engine must be 'local' in this version, got 'ray'"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused_by_name(options, sentence):
    assert sentence in said(ps.select, POINTS, **({"k": 3} | options))


def test_an_unknown_metric_lists_every_known_one():
    text = said(ps.select, POINTS, k=3, metric="nearness")
    listed = re.split(", |; ", text.removeprefix("metric must be one of "))[:-1]
    assert {*METRICS, "precomputed", "similarity", "l1", "l2", "manhattan"} < set(listed)
    for name in listed:
        points = np.abs(POINTS[:, :2] if name == "haversine" else POINTS)
        assert ps.select(points, k=1, metric=name).k == 1


@pytest.mark.parametrize(
    "metric", ["sqeuclidean", "cityblock", "cosine", "chebyshev", "precomputed"]
)
def test_a_budget_too_small_names_the_smallest_that_works(metric):
    points = np.abs(POINTS) if metric == "precomputed" else POINTS
    problem = Problem(points, None, 3, metric=metric)
    least = smallest_memory(problem)
    text = said(ps.select, points, k=3, metric=metric, memory=least - 1, error=ps.MemoryBudgetError)
    assert f"memory must be at least {least} bytes" in text
    assert f"got {least - 1}" in text
    assert "3 features" in text or metric == "precomputed"
    within = ps.select(points, k=3, metric=metric, memory=least)
    assert within.indices.tolist() == ps.select(points, k=3, metric=metric).indices.tolist()


@pytest.mark.parametrize(
    "memory", [0, -1, True, 1.5, "", "much", "12QB", "-1MB", "1e9", b"1GB", [1]]
)
def test_a_budget_that_is_no_amount_shows_how_to_write_one(memory):
    text = said(ps.select, POINTS, k=3, memory=memory)
    assert "must be a positive number of bytes or a text such as '512MiB' or '2GB'" in text
    assert f"got {memory!r}" in text


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda x, y: x - y, "must return one cost per pair"),
        (lambda x, y: np.zeros((len(y), len(x) + 1)), "must return one cost per pair"),
        (lambda x, _: [1.0] * (1 + (x[0] > 0)), "must return one cost per pair"),
        (lambda *_: "far", "metric 'callable:<lambda>' must"),
        (lambda *_: np.nan, "must give finite costs"),
        (lambda *_: -np.inf, "must give finite costs"),
    ],
    ids=["vector", "block", "ragged", "text", "nan", "infinity"],
)
def test_a_function_that_gives_no_cost_is_refused_by_name(function, sentence):
    text = said(ps.select, POINTS, k=2, metric=function)
    assert "metric 'callable:<lambda>'" in text
    assert sentence in text


@pytest.mark.parametrize(
    ("indices", "sentence"),
    [
        ([], "indices must name at least one row of the source, got none"),
        ([1, 2, 1], "indices must not repeat a row, but row 1 is there twice"),
        ([20], "indices must be row numbers of the source, 0 to 19, but entry 0 is 20"),
        ([0, -2], "indices must be row numbers of the source, 0 to 19, but entry 1 is -2"),
        (
            [[0, 1]],
            "indices must be a 1-d list of whole row numbers of the source, got shape (1, 2)",
        ),
        (
            [0.0],
            "indices must be a 1-d list of whole row numbers of the source, got shape (1,)",
        ),
        (None, "indices must"),
    ],
)
def test_evaluate_refuses_what_are_not_rows(indices, sentence):
    assert sentence in said(ps.evaluate, indices, POINTS)


def test_head_and_assign_refuse_what_does_not_fit_the_selection():
    chosen = ps.select(POINTS, k=3)
    for k in (0, 4):
        assert f"between 1 and the 3 prototypes of the selection, got k={k}" in said(
            ps.head, chosen, k, POINTS
        )
    assert "one entry per target point" in said(ps.head, chosen, 2, POINTS, POINTS[:5])
    assert "source and points must have the same number of" in said(
        ps.assign, chosen, POINTS, POINTS[:, :2]
    )
    assert "points must be finite" in said(ps.assign, chosen, POINTS, POINTS * np.nan)
    assert "selection.indices must be row numbers of" in said(ps.assign, chosen, POINTS[:2], POINTS)
    by_matrix = ps.select(np.abs(POINTS), k=2, metric="precomputed")
    assert "made from a precomputed matrix: take the argmin" in said(
        ps.assign, by_matrix, POINTS, POINTS
    )
    by_function = ps.select(POINTS, k=2, metric=lambda x, y: np.abs(x - y).max())
    for again in (
        lambda: ps.assign(by_function, POINTS, POINTS),
        lambda: ps.head(by_function, 1, POINTS),
    ):
        assert "is not recorded: pass metric=" in said(again)


class Trap:
    """Unpickling it leaves a mark."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def test_load_refuses_other_files_and_never_unpickles(tmp_path):
    trap = np.array([Trap(tmp_path / "sprung")], object)
    as_npz, as_npy, plain = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(as_npz, facts=trap)
    np.save(as_npy, trap, allow_pickle=True)
    np.save(plain, POINTS)
    files = [file.getvalue() for file in (as_npz, as_npy, plain)]
    for content in (*files, pickle.dumps(trap), b"", b"PK\x03\x04", b"prototypes"):
        (tmp_path / "file").write_bytes(content)
        assert "must be a file written by Selection.save" in said(ps.load, tmp_path / "file")
    gc.collect()  # a file left open would be told now
    assert not (tmp_path / "sprung").exists()
    with pytest.raises(FileNotFoundError):
        ps.load(tmp_path / "none")


def test_save_refuses_to_replace_a_file_unless_forced(tmp_path):
    path = tmp_path / "chosen.npz"
    path.write_text("precious")
    said(ps.select(POINTS, k=2).save, path, error=FileExistsError)
    assert path.read_text() == "precious"
    ps.select(POINTS, k=2).save(path, force=True)
    assert ps.load(path).k == 2
