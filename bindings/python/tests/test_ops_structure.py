"""The order and the shape of CSR matrices and row-sparse arrays, against SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from ops_data import REAL, close, near, numbers, same, slope, sparse

import sparcl
from sparcl import errors, ops


def moved_is(found: ops.Moved[sparcl.CSR], expected: Any, data: npt.NDArray[Any]) -> None:
    """The result is a matrix, exactly as large as it is, and its values are from the operand."""
    result = found.result
    same(result.scipy().toarray(), expected)
    assert result.nnz == int(result._offsets.numpy()[-1])
    assert found.source is not None
    same(result.scipy().data, data[found.source.numpy()])


@pytest.fixture(params=[False, True], ids=["sorted", "unsorted"])
def a(request: pytest.FixtureRequest) -> scipy.sparse.csr_array:
    return sparse(8, 6, unsorted=request.param)


def test_slices_and_selections(a: scipy.sparse.csr_array) -> None:
    device, full = sparcl.csr(a), a.toarray()
    moved_is(ops.csr_slice_rows(device, 2, 6, source=True), full[2:6], a.data)
    moved_is(ops.csr_slice_rows(device, 3, 3, source=True), full[3:3], a.data)
    moved_is(ops.csr_slice_columns(device, 1, 4, source=True), full[:, 1:4], a.data)
    rows, columns = np.array([5, 0, 5, 1]), np.array([3, 3, 0], np.int32)
    moved_is(ops.csr_take_rows(device, rows, source=True), full[rows], a.data)
    moved_is(ops.csr_take_columns(device, columns, source=True), full[:, columns], a.data)
    kept = full.copy()
    kept[np.setdiff1d(np.arange(8), rows)] = 0
    moved_is(ops.csr_retain_rows(device, rows, source=True), kept, a.data)
    assert ops.csr_slice_rows(device, 2, 6).source is None
    with pytest.raises(sparcl.ShapeError):
        ops.csr_slice_rows(device, 2, 9)
    with pytest.raises(sparcl.ShapeError):
        ops.csr_slice_columns(device, -1, 2)
    with pytest.raises(sparcl.DataError):
        ops.csr_take_rows(device, [8])
    with pytest.raises(sparcl.ShapeError):
        ops.csr_take_rows(device, sparcl.indices([0], 7))
    with pytest.raises(errors.ArgumentError, match="integers"):
        ops.csr_take_rows(device, [0.5])


def test_joins(a: scipy.sparse.csr_array) -> None:
    b = sparse(3, 6, seed=1)
    c = sparse(8, 2, seed=2)
    of = [sparcl.csr(each) for each in (a, b, c)]
    data = np.concatenate([a.data, b.data])
    stacked = scipy.sparse.vstack([a, b]).toarray()
    moved_is(ops.csr_concat_rows(of[:2], source=True), stacked, data)
    diagonal = scipy.sparse.block_diag([a, b]).toarray()
    moved_is(ops.csr_block_diagonal(of[:2], source=True), diagonal, data)
    data = np.concatenate([a.data, c.data])
    beside = scipy.sparse.hstack([a, c]).toarray()
    moved_is(ops.csr_concat_columns([of[0], of[2]], source=True), beside, data)
    with pytest.raises(sparcl.ShapeError):
        ops.csr_concat_rows([of[0], of[2]])
    with pytest.raises(sparcl.DTypeError):
        ops.csr_concat_rows([of[0], of[0].astype("float16")])
    with pytest.raises(errors.ArgumentError, match="one context"):
        ops.csr_concat_rows([of[0], sparcl.csr(b, context=sparcl.Context())])


def test_transposes_and_shapes(a: scipy.sparse.csr_array) -> None:
    device, full = sparcl.csr(a), a.toarray()
    moved_is(ops.csr_transpose(device, source=True), full.T, a.data)
    moved_is(ops.csr_reshape(device, (4, 12), source=True), full.reshape(4, 12), a.data)
    ordered = ops.csr_sort_indices(device, source=True)
    moved_is(ordered, full, a.data)
    expected = a.copy()
    expected.sort_indices()
    same(ordered.result.scipy().indices, expected.indices)
    for part, numpy in (("lower", np.tril), ("upper", np.triu)):
        for k in (-2, 0, 1):
            found = ops.csr_triangle(device, part, k, source=True)
            moved_is(found, numpy(full, k), a.data)
    only = ops.csr_triangle(device, "diagonal", 1, source=True)
    moved_is(only, np.triu(np.tril(full, 1), 1), a.data)
    with pytest.raises(sparcl.ShapeError):
        ops.csr_reshape(device, (5, 5))


def test_zeros_small_values_and_duplicates() -> None:
    a = sparse(8, 6)
    a.data[::3] = 0
    device = sparcl.csr(a)
    moved_is(ops.csr_prune(device, source=True), a.toarray(), a.data)
    assert device.eliminate_zeros().nnz == np.count_nonzero(a.data)
    large = np.where(abs(a.toarray()) > 0.5, a.toarray(), 0)
    moved_is(ops.csr_prune(device, 0.5, source=True), large, a.data)
    twice = scipy.sparse.csr_array(
        (np.arange(1.0, 6.0).astype(REAL), [2, 0, 2, 1, 1], [0, 3, 3, 5]), shape=(3, 3)
    )
    found = ops.csr_sum_duplicates(sparcl.csr(twice), inverse=True)
    same(found.result.scipy().toarray(), twice.toarray())
    assert found.result.nnz == 3
    assert found.result.has_canonical_format
    assert found.inverse is not None
    same(found.inverse, [1, 0, 1, 2, 2])


def test_empty_rows_are_filled() -> None:
    a = sparse(8, 6, unsorted=True)
    device = sparcl.csr(a)
    found = ops.csr_fill_empty_rows(device, 7.5)
    expected = a.toarray()
    empty = np.diff(a.indptr) == 0
    expected[empty, 0] = 7.5
    same(found.result.scipy().toarray(), expected)
    same(found.is_empty, empty)
    source = found.source.numpy()
    values = np.where(source < 0, 7.5, a.data[source]).astype(REAL)
    same(found.result.values, values)
    same(found.result.values.numpy()[found.inverse.numpy()], a.data)
    gy = numbers(found.result.nnz, seed=1)
    gradient = ops.csr_fill_empty_rows_gradient(sparcl.dense(gy), found.result, device)
    close(gradient, [gy[source < 0].sum()])


def test_distinct_indices() -> None:
    drawn = np.random.default_rng(1).integers(0, 9, 40)
    found = ops.unique(drawn, 10)
    expected = np.unique(drawn, return_index=True, return_inverse=True, return_counts=True)
    for one, other in zip(found, (expected[i] for i in (0, 2, 3, 1)), strict=True):
        same(one, other)
    assert found.indices.limit == 10
    again = ops.unique(found.indices)
    same(again.counts, np.ones(len(expected[0])))
    with pytest.raises(errors.ArgumentError, match="limit"):
        ops.unique(drawn)


def test_rows_of_dense_arrays() -> None:
    x = numbers(7, 4)
    device = sparcl.dense(x)
    same(ops.gather_rows(device, [6, 0, 6]), x[[6, 0, 6]])
    r = sparcl.rows(np.array([1, 3, 1]), numbers(3, 4, seed=1), (7, 4))
    table = x.copy()
    ops.scatter_add(on := sparcl.dense(table), r, 2.0)
    expected = x.copy()
    np.add.at(expected, r.indices, 2 * r.values)
    close(on, expected)
    ops.assign_rows(on, r)
    expected[1], expected[3] = r.values[2], r.values[1]
    close(on, expected)
    with pytest.raises(sparcl.ShapeError):
        ops.scatter_add(sparcl.dense(x[:5]), r)
    with pytest.raises(sparcl.DataError):
        ops.gather_rows(device, [-1])


@pytest.mark.parametrize("how", ["sum", "mean", "max", "min", "first", "last"])
def test_rows_of_one_index_are_combined(how: Any) -> None:
    indices, values = np.array([4, 1, 4, 4, 0]), numbers(5, 3)
    a = sparcl.rows(indices, values, (6, 3))
    choosing = how in {"max", "min"}
    found = ops.rows_coalesce(a, how, inverse=True, counts=True, source=not choosing)
    same(found.result.indices, [0, 1, 4])
    reduce = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}
    take = {"first": lambda v, axis: v[0], "last": lambda v, axis: v[-1]}
    combine = {**reduce, **take}[how]
    close(found.result.values, [combine(values[indices == i], axis=0) for i in (0, 1, 4)])
    assert found.inverse is not None
    assert found.counts is not None
    same(found.inverse, [2, 1, 2, 2, 0])
    same(found.counts, [1, 1, 3])
    close(a.coalesce(how).values, found.result.values)


def test_row_sparse_arrays() -> None:
    a = sparcl.rows(np.array([0, 2, 5]), numbers(3, 4), (7, 4))
    b = sparcl.rows(np.array([5, 1], np.int32), numbers(2, 4, seed=1), (7, 4))
    same(ops.rows_concat(a, b).indices, [0, 2, 5, 5, 1])
    found = ops.rows_retain_all(a, [5, 3, 5], source=True)
    same(found.source, [2, -1, 2])
    same(found.result.values, a.dense().numpy()[[5, 3, 5]])
    stored = ops.rows_retain_stored(a, [5, 3, 0], source=True)
    same(stored.source, [2, 0])
    same(stored.result.indices, [5, 0])
    part = ops.rows_slice(a, 1, 6, source=True)
    same(part.source, [1, 2])
    same(part.result.dense(), a.dense().numpy()[1:6])
    x = numbers(7, 4, seed=2)
    same(ops.rows_mask(sparcl.dense(x), a), x[[0, 2, 5]])
    same(ops.rows_retain_gradient(b.coalesce(), a), b.dense().numpy()[[0, 2, 5]])
    with pytest.raises(sparcl.ShapeError):
        ops.rows_slice(a, 3, 8)
    with pytest.raises(errors.UncheckedError):
        ops.rows_retain_all(ops.rows_concat(a, b), [0])


def test_gradients_of_moved_values_are_added_at_their_sources() -> None:
    a, rows = sparse(8, 6), np.array([5, 0, 5])
    found = ops.csr_take_rows(sparcl.csr(a), rows, source=True)
    g = numbers(found.result.nnz, seed=1)
    assert found.source is not None
    gradient = np.zeros(a.nnz)
    np.add.at(gradient, found.source.numpy(), g)

    def total(data: npt.NDArray[Any]) -> float:
        changed = scipy.sparse.csr_array((data, a.indices, a.indptr), shape=a.shape)
        return float((changed[rows].data * g).sum())

    near(gradient, slope(total, a.data))
