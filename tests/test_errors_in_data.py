"""Data that cannot be used is refused in a sentence: what must hold, what was got, what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import coo_array, csr_array

import protospot as ps
from tests.refusals import said

POINTS = np.random.default_rng(0).normal(size=(20, 3))


def holding(value):
    points = POINTS.copy()
    points[7, 1] = value
    return points


class OnTheGpu:
    """What protospot looks at in a torch tensor."""

    __module__ = "torch"
    device = type("device", (), {"type": "cuda", "__str__": lambda _: "cuda:0"})()


TABLES = {
    "nan": (holding(np.nan), "{} must be finite, but {}[7, 1] is nan: drop or fill"),
    "infinity": (holding(-np.inf), "{} must be finite, but {}[7, 1] is -inf: drop or fill"),
    "nan in float32": (holding(np.nan).astype("f4"), "{} must be finite, but {}[7, 1] is nan"),
    "sparse nan": (csr_array(holding(np.nan)), "{} must be finite, but {}[7, 1] is nan"),
    "empty list": ([], "{} must be 2-d, one row per point, got 1-d with shape (0,)"),
    "no rows": (np.empty((0, 3)), "{} must have at least one row and one column, got shape (0, 3)"),
    "no columns": (np.empty((3, 0)), "at least one row and one column, got shape (3, 0)"),
    "no sparse rows": (csr_array((0, 3)), "at least one row and one column, got shape (0, 3)"),
    "one number": (3.0, "{} must be 2-d, one row per point, got 0-d"),
    "1-d": (
        POINTS[:, 0],
        "{} must be 2-d, one row per point, got 1-d with shape (20,). For one feature",
    ),
    "1-d sparse": (coo_array(POINTS[0]), "{} must be a 2-d table of numbers, got a 1-d sparse one"),
    "3-d": (POINTS[None], "{} must be 2-d, one row per point, got 3-d with shape (1, 20, 3)"),
    "objects": (
        POINTS.astype(object),
        "{} must hold real numbers, got Python objects (dtype object)",
    ),
    "text": (POINTS.astype(str), "{} must hold real numbers, got text (dtype <U32)"),
    "bytes": (POINTS.astype("S"), "{} must hold real numbers, got text (dtype |S32)"),
    "complex": (POINTS + 0j, "{} must hold real numbers, got complex numbers (dtype complex128)"),
    "complex sparse": (csr_array(POINTS + 0j), "{} must hold real numbers, got complex numbers"),
    "dates": (np.zeros((3, 2), "M8[s]"), "{} must hold real numbers, got datetime64[s]"),
    "none among numbers": ([[1, None]], "{} must hold real numbers, got Python objects"),
    "ragged": ([[1, 2], [3]], "{} must be a table of numbers, but setting an array element"),
    "masked": (np.ma.masked_greater(POINTS, 1), "{} must have no masked entries: fill or drop"),
    "a dict": ({"x": [1.0]}, "{} must hold real numbers, got Python objects"),
    "gpu": (OnTheGpu(), "{} must lie in main memory, got a tensor on 'cuda:0': pass tensor.cpu()"),
    "pandas text": (
        pd.DataFrame({"a": [1.0], "b": ["x"]}),
        "{} must have numeric columns only, but 'b' is",
    ),
    "polars text": (pl.DataFrame({"a": [1.0], "b": ["x"]}), "but 'b' is String (1 such column(s))"),
    "pandas missing": (pd.DataFrame({"a": [1, None]}, dtype="Int64"), "but {}[1, 0] is nan"),
    "polars missing": (pl.DataFrame({"a": [1.0, None]}), "but {}[1, 0] is nan: drop or fill"),
    "series": (pd.Series([1.0, 2.0]), "{} must be 2-d, one row per point, got 1-d with shape (2,)"),
    "columns of one name": (pd.DataFrame(POINTS, columns=list("aab")), "'a'"),
}


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize(("table", "sentence"), TABLES.values(), ids=TABLES)
def test_a_table_that_cannot_be_used_is_refused_by_name(table, sentence, side):
    data = (table,) if side == "source" else (POINTS, table)
    assert sentence.format(side, side) in said(ps.select, *data, k=2)


def test_no_source_and_tables_that_differ_in_width_are_refused():
    assert "source must be a 2-d table of numbers, got None" in said(ps.select, None, k=1)
    sentence = "must have the same number of features, got 3 and 2"
    assert sentence in said(ps.select, POINTS, POINTS[:, :2], k=1)
    assert sentence in said(ps.select, csr_array(POINTS), POINTS[:, :2], k=1)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.ones(3), "must have one entry per target point: expected shape (20,), got (3,)"),
        (
            np.ones((20, 1)),
            "must have one entry per target point: expected shape (20,), got (20, 1)",
        ),
        (1.0, "must have one entry per target point: expected shape (20,), got ()"),
        (np.r_[np.ones(19), -1e-9], "target_weights must be non-negative, but entry 19 is -1e-09"),
        (np.r_[np.ones(19), np.nan], "target_weights must be finite, but entry 19 is nan"),
        (np.r_[np.inf, np.ones(19)], "target_weights must be finite, but entry 0 is inf"),
        (np.zeros(20), "target_weights must have a positive sum, but all of them are 0"),
        (["heavy"] * 20, "target_weights must hold real numbers, got text"),
        (np.ones(20, object), "target_weights must hold real numbers, got Python objects"),
        (np.ones(20) + 0j, "target_weights must hold real numbers, got complex numbers"),
        (np.ma.masked_less(np.arange(20.0), 1), "target_weights must have no masked entries"),
    ],
)
def test_target_weights_that_cannot_be_used_are_refused(weights, sentence):
    assert sentence in said(ps.select, POINTS, k=3, target_weights=weights)
    assert sentence in said(ps.evaluate, [1], POINTS, target_weights=weights)


@pytest.mark.parametrize(
    ("matrix", "target", "sentence"),
    [
        (POINTS[0], None, "the {} matrix must be 2-d"),
        (POINTS[None], None, "the {} matrix must be 2-d"),
        (holding(np.nan), None, "the {} matrix must be finite, but the {} matrix[7, 1] is nan"),
        (holding(np.inf), None, "the {} matrix must be finite, but the {} matrix[7, 1] is inf"),
        (
            csr_array(POINTS),
            None,
            "the {} matrix must be a dense (n_source, n_target) matrix, got a sparse",
        ),
        (
            POINTS,
            POINTS,
            "source is the whole (n_source, n_target) matrix and target must be left out",
        ),
        (None, None, "the {} matrix must be a 2-d table of numbers, got None"),
    ],
)
@pytest.mark.parametrize(
    ("metric", "word"), [("precomputed", "cost"), ("similarity", "similarity")]
)
def test_a_matrix_that_cannot_be_used_is_refused(metric, word, matrix, target, sentence):
    text = said(ps.select, matrix, target, k=2, metric=metric)
    assert sentence.format(word, word) in text


def test_cosine_refuses_rows_without_a_direction():
    zero = np.vstack([POINTS, np.zeros(3)])
    sentence = (
        "metric 'cosine' needs rows of non-zero length, but {}[20] is all zeros: drop such rows"
    )
    assert sentence.format("source") in said(ps.select, zero, POINTS, k=2, metric="cosine")
    assert sentence.format("target") in said(
        ps.select, POINTS, csr_array(zero), k=2, metric="cosine"
    )


def test_metrics_that_the_points_cannot_have_say_why():
    flat = POINTS.copy()
    flat[:, 2] = 4.0
    text = said(ps.select, flat, k=2, metric="mahalanobis")
    assert "but only 2 of 3 directions vary: drop constant or repeated features" in text
    assert "'seuclidean'" in said(ps.select, flat, k=2, metric="seuclidean")
    sparse = said(ps.select, csr_array(POINTS), k=2, metric="chebyshev")
    assert (
        "metric 'chebyshev' needs dense points, got a sparse matrix: pass matrix.toarray()"
        in sparse
    )


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cityblock", "dot", "precomputed"])
def test_costs_beyond_float64_are_refused_and_not_silently_infinite(metric):
    huge = np.array([[1.7e308, -1.7e308], [-1.7e308, 1.7e308]])
    said(ps.select, huge, k=2, metric=metric)
