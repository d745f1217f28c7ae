"""Sparse rows and memory maps give what arrays give, and are never copied whole into memory."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import protospot as ps
from tests.problems import METRICS, Problem, smallest_memory

# Small whole numbers with many zeros; no row of zeros, which would have no direction.
RNG = np.random.default_rng(7)
SOURCE, TARGET = (RNG.integers(0, 9, (n, 6)) * (RNG.random((n, 6)) < 0.4) for n in (40, 60))
SOURCE[:, 5] += 1
TARGET[:, 5] += 1
TYPES = ["f8", "f4", "f2", "g", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">f8", ">f4", ">i2"]


def messy(array):
    """Every entry in two parts, and no order."""
    tidy = sp.coo_array(array)
    order = np.random.default_rng(0).permutation(2 * tidy.nnz)
    values = np.concatenate((tidy.data * 0.25, tidy.data * 0.75))[order]
    rows, columns = (np.tile(axis, 2)[order] for axis in tidy.coords)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(array)))))
    by_row = np.argsort(rows, kind="stable")
    return sp.csr_array((values[by_row], columns[by_row], starts), shape=array.shape)


CLASSES = [sp.csr_array, sp.csc_array, sp.coo_array, sp.dia_array, sp.lil_array]
CLASSES += [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.dia_matrix]
SPARSE = {form.__name__: form for form in CLASSES} | {
    "entries in parts and without order": messy,
    "narrow": lambda a: sp.csr_array(a.astype("i1")),
}


def parts(matrix):
    """The arrays of a sparse matrix, in the order it stores them."""
    return {name: np.copy(part) for name, part in vars(matrix).items() if np.ndim(part)}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("form", SPARSE.values(), ids=SPARSE)
def test_sparse_rows_give_what_dense_ones_give(form, metric):
    dense = ps.select(SOURCE, TARGET, 6, metric=metric)
    source, target = form(SOURCE), form(TARGET)
    before = parts(source), parts(target)
    for one, other in ((source, target), (source, TARGET), (SOURCE, target)):
        chosen = ps.select(one, other, 6, metric=metric)
        assert chosen.indices.tolist() == dense.indices.tolist()
        np.testing.assert_allclose(chosen.best, dense.best, rtol=1e-12, atol=1e-12)
        owner, cost = ps.assign(chosen, one, other)
        np.testing.assert_array_equal(owner, chosen.owner)
        np.testing.assert_array_equal(cost, chosen.best)
    np.testing.assert_equal((parts(source), parts(target)), before)


@pytest.mark.parametrize("dtype", TYPES)
def test_beside_sparse_rows_dense_ones_may_be_of_any_type(dtype):
    whole = ps.select(SOURCE, TARGET, 6).indices.tolist()
    beside = ps.select(sp.csr_array(SOURCE), TARGET.astype(dtype), 6)
    assert beside.indices.tolist() == whole
    beside = ps.select(SOURCE.astype(dtype), sp.csr_array(TARGET), 6)
    assert beside.indices.tolist() == whole


@pytest.mark.parametrize("metric", METRICS)
def test_copies_of_sparse_rows_cost_exactly_nothing(metric):
    if metric == "dot":
        pytest.skip("the inner product of a row with itself is not zero")
    tenths = messy(SOURCE * 0.1)
    for copies in (sp.csc_array(tenths), tenths.toarray()):
        chosen = ps.evaluate(range(40), tenths, copies, metric=metric)
        assert not chosen.best.any()


def peak_of(call):
    """Bytes that Python and NumPy held at most during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("metric", METRICS)
def test_sparse_rows_are_never_made_dense_as_a_whole(metric):
    source = sp.random_array((300, 30_000), density=1e-3, rng=1, format="lil")
    source[:, 0] = 1  # no row without a direction
    source = source.tocsr()
    target = source[::-1][:200]
    least = smallest_memory(Problem(source, target, 2, metric=metric))

    def select():
        ps.select(source, target, 2, metric=metric, memory=least)

    select()  # what is compiled is no part of it
    assert peak_of(select) < 8 * 200 * 30_000 // 2


@pytest.mark.parametrize("metric", ["sqeuclidean", "cityblock"])
@pytest.mark.parametrize("dtype", ["f4", "u1"])
def test_a_memory_map_is_read_part_by_part(tmp_path, metric, dtype):
    rows = np.random.default_rng(0).integers(0, 9, (100_000, 160), dtype="u1").astype(dtype)
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    few = rows[:20]
    chosen = ps.select(few, rows, 5, metric=metric)
    got, least = [], smallest_memory(Problem(few, mapped, 5, metric=metric))
    peak = peak_of(lambda: got.append(ps.select(few, mapped, 5, metric=metric, memory=least)))
    assert got[0].indices.tolist() == chosen.indices.tolist()
    np.testing.assert_array_equal(got[0].best, chosen.best)
    assert peak < 4 * rows.size // 2
