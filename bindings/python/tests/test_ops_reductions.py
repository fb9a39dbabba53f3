"""Reductions of rows, columns and segments, and softmax, against NumPy and finite differences."""

from __future__ import annotations

import itertools
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from ops_data import CLOSE, REAL, close, near, numbers, same, slope, sparse, with_data

import sparcl
from sparcl import _enums, errors, ops

KINDS: dict[str, Any] = {
    "sum": np.sum,
    "mean": np.mean,
    "sqrtn": lambda v: v.sum() / np.sqrt(len(v)),
    "max": np.max,
    "min": np.min,
    "prod": np.prod,
    "square_sum": lambda v: (v * v).sum(),
    "norm": lambda v: np.sqrt((v * v).sum()),
    "norm1": lambda v: np.abs(v).sum(),
    "count": len,
}


def reduced(
    kind: str, data: npt.NDArray[Any], where: npt.NDArray[Any], count: int, of: int | None
) -> npt.NDArray[Any]:
    """Of each group the reduction of its stored values and, with `of`, zeros up to that number."""
    found = []
    for group in range(count):
        values = data[where == group]
        if of is not None and kind != "count":
            values = np.concatenate([values, np.zeros(of - len(values))])
        found.append(KINDS[kind](values) if len(values) else float(kind == "prod"))
    return np.array(found, np.float64)


def groups(a: scipy.sparse.csr_array, axis: int | None) -> tuple[npt.NDArray[Any], int, int]:
    """The group of each entry, how many groups there are, and how many elements one has."""
    rows, cols = a.shape
    if axis is None:
        return np.zeros(a.nnz, int), 1, rows * cols
    if axis == 0:
        return a.indices, cols, rows
    return np.repeat(np.arange(rows), np.diff(a.indptr)), rows, cols


@pytest.mark.parametrize("over", ["all", "stored"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("kind", get_args(_enums.Reduction))
def test_reductions_of_matrices(kind: Any, axis: int | None, over: Any) -> None:
    a = sparse(6, 5, density=0.5)
    where, count, of = groups(a, axis)
    of_elements = of if over == "all" else None
    device = sparcl.csr(a)
    found = ops.csr_reduce(device, kind, axis, over).result
    close(found, reduced(kind, a.data, where, count, of_elements))
    if kind == "count":
        return
    gy = numbers(count, seed=1)
    y = found if kind == "norm" else None
    gradient = ops.csr_reduce_gradient(device, kind, sparcl.dense(gy), axis, over=over, y=y)
    near(
        gradient,
        slope(lambda v: (reduced(kind, v, where, count, of_elements) * gy).sum(), a.data),
    )


def test_positions_of_maxima() -> None:
    a = sparse(6, 5, density=0.5)
    device = sparcl.csr(a)
    found = ops.csr_reduce(device, "max", 0, "stored", positions=True)
    assert found.positions is not None
    positions = found.positions.numpy()
    close(a.data[positions[positions >= 0]], found.result.numpy()[positions >= 0])
    gy = sparcl.dense(np.ones(5, REAL))
    given = ops.csr_reduce_gradient(device, "max", gy, 0, over="stored", positions=found.positions)
    same(given, ops.csr_reduce_gradient(device, "max", gy, 0, over="stored"))
    with pytest.raises(errors.ArgumentError):
        ops.csr_reduce(device, "sum", 0, positions=True)
    with pytest.raises(errors.ArgumentError, match="axis"):
        ops.csr_reduce(device, "sum", 2)
    with pytest.raises(errors.ArgumentError, match="expected one of sum"):
        ops.csr_reduce(device, "total")  # type: ignore[arg-type]


DENSE = ("sum", "mean", "square_sum", "norm", "norm1")


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("kind", DENSE)
def test_reductions_of_dense_arrays(kind: Any, axis: int | None) -> None:
    x = numbers(6, 5)

    def of(v: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if axis is None:
            return np.array([KINDS[kind](v.ravel())])
        return np.apply_along_axis(KINDS[kind], axis, v)

    device = sparcl.dense(x)
    found = ops.dense_reduce(device, kind, axis)
    close(found, of(x))
    gy = numbers(found.shape[0], seed=1)
    gradient = ops.dense_reduce_gradient(device, kind, sparcl.dense(gy), axis, y=found)
    near(gradient, slope(lambda v: (of(v) * gy).sum(), x))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("kind", DENSE)
def test_reductions_of_row_sparse_arrays(kind: Any, axis: int | None) -> None:
    values = numbers(3, 4)

    def of(v: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if axis == 1:
            return np.apply_along_axis(KINDS[kind], 1, v)
        full = np.zeros((7, 4), np.float64)
        full[[5, 2, 0]] = v
        if axis is None:
            return np.array([KINDS[kind](full.ravel())])
        return np.apply_along_axis(KINDS[kind], 0, full)

    x = sparcl.rows(np.array([5, 2, 0]), values, (7, 4))
    found = ops.rows_reduce(x, kind, axis)
    close(found, of(values))
    gy = numbers(found.shape[0], seed=1)
    gradient = ops.rows_reduce_gradient(x, kind, sparcl.dense(gy), axis, y=found)
    near(gradient, slope(lambda v: (of(v) * gy).sum(), values))


def test_dot_products_of_rows() -> None:
    x, y, g = numbers(6, 5), numbers(6, 5, seed=1), numbers(6, seed=2)
    close(ops.dot_rows(sparcl.dense(x), sparcl.dense(y)), (x * y).sum(1))
    found = ops.dot_rows_gradient(sparcl.dense(g), sparcl.dense(y))
    near(found, slope(lambda v: ((v * y).sum(1) * g).sum(), x))


@pytest.mark.parametrize("form", ["integers", "list", "matrix"])
@pytest.mark.parametrize("kind", get_args(_enums.Reduction))
def test_reductions_of_segments(kind: Any, form: str) -> None:
    ids = np.array([0, 0, 2, 2, 2, 4, 4])
    if form != "matrix":
        ids = np.random.default_rng(1).permutation(ids)
    x = numbers(7, 3)

    def of(v: npt.NDArray[Any]) -> npt.NDArray[Any]:
        columns = [reduced(kind, v[:, j], ids, 5, None) for j in range(3)]
        return np.stack(columns, 1)

    segments: Any = ids
    if form == "list":
        segments = sparcl.indices(ids, 5)
    elif form == "matrix":
        offsets = np.searchsorted(ids, np.arange(6))
        matrix = scipy.sparse.csr_array((np.ones(7), np.zeros(7, int), offsets), shape=(5, 1))
        segments = sparcl.csr(matrix)
    choosing = kind in {"max", "min"}
    device = sparcl.dense(x)
    found = ops.segment_reduce(device, segments, kind, segments=5, positions=choosing)
    close(found.result, of(x))
    if kind == "count":
        return
    gy = numbers(5, 3, seed=2)
    for positions in {None, found.positions}:
        gradient = ops.segment_reduce_gradient(
            sparcl.dense(gy),
            segments,
            kind,
            x=device,
            segments=5,
            y=found.result if kind == "norm" else None,
            positions=positions,
        )
        near(gradient, slope(lambda v: (of(v) * gy).sum(), x))


def test_segments_need_their_number() -> None:
    x = sparcl.dense(numbers(3, 1))
    with pytest.raises(errors.ArgumentError, match="number of segments"):
        ops.segment_reduce(x, [0, 1, 1], "sum")
    with pytest.raises(sparcl.DataError):
        ops.segment_reduce(x, [0, 1, 5], "sum", segments=2)
    with pytest.raises(sparcl.ShapeError):
        ops.segment_reduce(x, [0, 1], "sum", segments=2)


def softmax(data: npt.NDArray[Any], offsets: npt.NDArray[Any], logarithm: bool) -> npt.NDArray[Any]:
    found = np.zeros(data.shape, np.float64)
    for begin, end in itertools.pairwise(offsets):
        if begin == end:
            continue
        part = data[begin:end] - data[begin:end].max(0)
        total = np.exp(part).sum(0)
        found[begin:end] = part - np.log(total) if logarithm else np.exp(part) / total
    return found


@pytest.mark.parametrize("kind", get_args(_enums.Softmax))
def test_softmax_of_rows_and_heads(kind: Any) -> None:
    a = sparse(6, 5, density=0.6)
    logarithm = kind == "log_softmax"
    device = sparcl.csr(a)
    y = ops.csr_softmax(device, kind)
    close(y.values, softmax(a.data, a.indptr, logarithm))
    g = numbers(a.nnz, seed=1)
    gradient = ops.csr_softmax_gradient(sparcl.dense(g), y.values, device, kind)
    near(gradient, slope(lambda v: (softmax(v, a.indptr, logarithm) * g).sum(), a.data))
    x, gx = numbers(a.nnz, 3, seed=2), numbers(a.nnz, 3, seed=3)
    heads = ops.csr_softmax_heads(sparcl.dense(x), device, kind)
    close(heads, softmax(x, a.indptr, logarithm))
    gradient = ops.csr_softmax_gradient(sparcl.dense(gx), heads, device, kind)
    near(gradient, slope(lambda v: (softmax(v, a.indptr, logarithm) * gx).sum(), x))
    with pytest.raises(sparcl.ShapeError):
        ops.csr_softmax_heads(sparcl.dense(x[1:]), device)


def test_the_softmax_adds_entries_of_one_column_before() -> None:
    x = scipy.sparse.csr_array(
        (np.array([1, 2, 3, 4], REAL), [2, 0, 2, 1], [0, 3, 4]), shape=(2, 3)
    )
    sums = x.copy()
    sums.sum_duplicates()
    found = sparcl.csr(x).softmax()
    assert found.nnz == 3
    close(found.dense(), sparcl.csr(sums).softmax().dense().numpy())
    close(found.dense(), np.array([[1 / (1 + np.exp(2)), 0, 1 / (1 + np.exp(-2))], [0, 1, 0]]))


def test_methods_are_those_of_scipy() -> None:
    a = sparse(6, 5)
    device = sparcl.csr(a)
    for form in (device, device.csc(), device.coo()):
        for axis in (0, 1):
            close(form.sum(axis), np.asarray(a.sum(axis)).ravel())
        np.testing.assert_allclose(form.sum(), a.sum(), **CLOSE)
    for form in (device, device.csc(), device.coo(), device.rows()):
        for axis in (0, 1):
            close(form.sum(axis), np.asarray(a.sum(axis)).ravel())
            close(form.mean(axis), np.asarray(a.mean(axis)).ravel())
            close(form.max(axis), a.max(axis=axis).toarray().ravel())
            close(form.min(axis), a.min(axis=axis).toarray().ravel())
            close(form.norm(axis), np.linalg.norm(a.toarray(), axis=axis))
        assert form.max() == a.max()
        assert form.min() == a.min()
        np.testing.assert_allclose(form.mean(), a.mean(), **CLOSE)
        np.testing.assert_allclose(form.norm(), scipy.sparse.linalg.norm(a), **CLOSE)
    dense = sparcl.dense(a.toarray())
    for axis in (0, 1):
        close(dense.sum(axis), a.toarray().sum(axis))
        close(dense.mean(axis), a.toarray().mean(axis))
        close(dense.norm(axis), np.linalg.norm(a.toarray(), axis=axis))
        same(dense.max(axis), a.toarray().max(axis))
        same(dense.min(axis), a.toarray().min(axis))
        same(dense.T.max(axis), a.toarray().T.max(axis))
    assert dense.max() == a.max()
    assert sparcl.dense(np.array([3.0, 5.0], REAL)).min() == 3.0
    rows = device.rows()
    close(rows.sum(0), np.asarray(a.sum(0)).ravel())
    close(rows.sum(1), np.asarray(a.sum(1)).ravel())
    close(device.softmax().values, softmax(a.data, a.indptr, False))
    assert with_data(a, a.data).sum(0).numpy().dtype == REAL
