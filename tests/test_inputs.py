"""The same numbers give the same selection, whatever they come in, and are left as they were."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import protospot as ps
from protospot import costs
from tests.problems import Problem, smallest_memory

# Small whole numbers, which every type here holds exactly.
RNG = np.random.default_rng(5)
SOURCE, TARGET = (RNG.integers(0, 9, (n, 3)).astype(float) for n in (40, 60))
WEIGHTS = RNG.integers(0, 9, 60)
TYPES = ["f8", "f4", "f2", "g", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">f8", ">f4", ">i2"]


def same(one, other):
    """Whether two selections are equal to the last bit."""
    names = ("indices", "costs", "weights", "owner", "best")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def selected(form, metric="sqeuclidean", **options):
    """Select from data of this form, and see that they were not modified."""
    source, target = form(SOURCE), form(TARGET)
    before = snapshot(source), snapshot(target)
    chosen = ps.select(source, target, 6, metric=metric, **options)
    assert (snapshot(source), snapshot(target)) == before
    return chosen


def snapshot(data):
    """All that the data holds."""
    if isinstance(data, Wrapped):
        data = data.array
    if isinstance(data, np.ndarray):
        return data.tobytes()
    return repr(data.to_dict() if hasattr(data, "to_dict") else data)


class Wrapped:
    """An object that only `__array__` makes an array."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


def view(array):
    wide = np.zeros((2 * len(array), 8))
    wide[::2, 1:7:2] = array
    return wide[::2, 1:7:2]


def unaligned(array):
    shifted = np.frombuffer(bytearray(array.nbytes + 1), offset=1, dtype="f8")
    shifted = shifted.reshape(array.shape)
    shifted[:] = array
    assert not shifted.flags.aligned
    return shifted


def read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


def frame(array):
    return pd.DataFrame(array, columns=["a", "b", "c"], index=np.arange(len(array))[::-1])


DENSE = {
    "rows in a list": np.ndarray.tolist,
    "rows in tuples": lambda array: tuple(map(tuple, array.tolist())),
    "arrays in a list": list,
    "Fortran order": np.asfortranarray,
    "backwards": lambda array: array[::-1].copy()[::-1],
    "non-contiguous": view,
    "unaligned": unaligned,
    "read-only": read_only,
    "not masked": np.ma.asarray,
    "__array__": Wrapped,
    "pandas": frame,
    "pandas, numbered columns": lambda array: pd.DataFrame(array),
    "pandas, several types": lambda array: frame(array).astype({"a": "int8", "b": "float32"}),
    "pandas, nullable": lambda array: frame(array).astype("Int64"),
    "pandas, Arrow-backed": lambda array: frame(array).astype("double[pyarrow]"),
    "polars": lambda array: pl.DataFrame(array, schema=["a", "b", "c"]),
    "polars, several types": lambda array: pl.DataFrame(array, schema=["a", "b", "c"]).with_columns(
        pl.col("a").cast(pl.Int8), pl.col("b").cast(pl.Float32)
    ),
    "Arrow table": lambda array: pa.table(dict(zip("abc", array.T, strict=True))),
    "Arrow batch": lambda array: pa.record_batch(dict(zip("abc", array.T, strict=True))),
}


@pytest.mark.parametrize("form", DENSE.values(), ids=DENSE)
def test_every_form_of_a_table_gives_the_same_selection(form):
    assert same(selected(form), selected(np.copy))


@pytest.mark.parametrize("metric", ["sqeuclidean", "cityblock", "chebyshev"])
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_of_number_gives_the_same_selection(dtype, metric):
    def form(array):
        return array.astype(dtype)

    whole = selected(np.copy, metric)
    assert same(selected(form, metric), whole)
    least = smallest_memory(Problem(form(SOURCE), form(TARGET), 6, metric=metric))
    assert same(selected(form, metric, memory=least), whole)
    assert same(ps.select(form(SOURCE), TARGET, 6, metric=metric), whole)
    matrix = costs.make(SOURCE, TARGET, metric=metric).rows(np.arange(40)).astype(dtype)
    exact = ps.select(matrix.astype("f8"), k=6, metric="precomputed")
    assert same(ps.select(matrix, k=6, metric="precomputed"), exact)


@pytest.mark.parametrize(
    "form",
    [
        np.copy,
        np.ndarray.tolist,
        lambda array: pd.DataFrame(array.astype(float)).astype({0: bool, 1: bool}),
        lambda array: pl.DataFrame(array).with_columns(pl.col("column_0").cast(pl.Float32)),
        lambda array: pa.table({"a": array[:, 0] * 1.0, "b": array[:, 1], "c": array[:, 2]}),
        sp.csr_array,
    ],
    ids=["array", "list", "pandas", "polars", "arrow", "sparse"],
)
def test_truth_values_count_as_zero_and_one_even_beside_numbers(form):
    source, target = SOURCE > 4, TARGET > 4
    whole = ps.select(source.astype(float), target.astype(float), 3)
    assert same(ps.select(form(source), form(target), 3), whole)


@pytest.mark.parametrize(
    "form",
    [list, tuple, pd.Series, pl.Series, read_only, Wrapped, lambda weights: weights[::-1][::-1]],
)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", ">f8"])
def test_weights_come_in_any_form_and_need_not_sum_to_1(form, dtype):
    given = form(WEIGHTS.astype(dtype))
    before = snapshot(given)
    chosen = ps.select(SOURCE, TARGET, 6, target_weights=given)
    assert snapshot(given) == before
    assert same(chosen, ps.select(SOURCE, TARGET, 6, target_weights=WEIGHTS))
    np.testing.assert_allclose(chosen.target_weights, WEIGHTS / WEIGHTS.sum(), rtol=1e-15)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300])
def test_weights_may_be_tiny_or_huge(scale):
    even = ps.select(SOURCE, TARGET, 6)
    assert same(ps.select(SOURCE, TARGET, 6, target_weights=np.full(60, scale)), even)


@pytest.mark.parametrize("k", [np.int64(6), np.uint8(6), np.array(6)])
def test_whole_numbers_may_be_numpys(k):
    whole = selected(np.copy)
    assert same(ps.select(SOURCE, TARGET, k), whole)
    assert same(ps.select(SOURCE, TARGET, 6, start=whole.indices[:2].astype("u8")), whole)
    assert same(ps.evaluate(tuple(whole.indices), SOURCE, TARGET), whole)


@pytest.mark.parametrize("memory", [1 << 29, np.int64(1 << 29), "512MiB", "0.5 GiB", "512 mib"])
def test_a_budget_is_bytes_or_a_text(memory):
    assert ps.select(SOURCE, k=2, memory=memory).made_by["memory"] == 1 << 29
