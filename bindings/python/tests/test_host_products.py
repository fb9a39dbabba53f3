"""Small products of host arrays have the bits of the device's, and stand back for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse

import sparcl
from sparcl import _arithmetic, _host_products, ops

Array = npt.NDArray[Any]
WIDTHS = (None, 1, 2, 3, 16)


@pytest.fixture(autouse=True)
def _shared() -> None:
    if not sparcl.default_context().shares_memory:
        pytest.skip("small products are of memory that is shared")


def _matrix(kind: str, index: str, seed: int) -> scipy.sparse.csr_array:
    """Rows of 0 to 40 entries and one of 900, with columns that have one entry, many, and none; a
    few values are zeros of both signs, infinity and NaN."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 40, 60)
    lengths[17] = 900
    count = int(lengths.sum())
    columns = np.minimum(rng.geometric(0.01, count), 699)
    values = rng.standard_normal(count).astype(kind)
    values[:7] = [0.0, -0.0, np.inf, np.nan, -0.0, -np.inf, 2.0]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    return scipy.sparse.csr_array((values, columns.astype(index), offsets), shape=(60, 700))


def _dense(height: int, width: int | None, kind: str) -> Array:
    shape = (height,) if width is None else (height, width)
    return np.random.default_rng(height).standard_normal(shape).astype(kind)


def _bits(x: Array) -> bytes:
    """A NaN may be any."""
    return np.where(np.isnan(x), np.array(np.nan, x.dtype), x).tobytes()


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("width", WIDTHS)
def test_bits_are_those_of_the_device(kind: str, index: str, width: int | None) -> None:
    a = sparcl.csr(_matrix(kind, index, 5))
    b, r = (_dense(height, width, kind) for height in (700, 60))
    y, rows = _host_products.spmm(a, b), _host_products.spmm_t_rows(a, r)
    assert y is not None
    assert rows is not None
    expected = ops.spmm_t_rows(a, sparcl.dense(r))
    assert _bits(y) == _bits(ops.spmm(a, sparcl.dense(b)).numpy())
    assert rows[0].tolist() == expected.indices.tolist()
    assert _bits(rows[1]) == _bits(expected.values)


def test_results_are_used_by_the_device() -> None:
    x = _matrix("float32", "int32", 6)
    x.data[~np.isfinite(x.data)] = 1
    a, b, r = sparcl.csr(x), _dense(700, None, "float32"), _dense(60, 3, "float32")
    y, rows = a @ b, a.T @ r
    assert y._part.is_deferred
    assert rows._values.is_deferred
    np.testing.assert_allclose((2 * y + y).numpy(), 3 * (x @ b), rtol=1e-4, atol=1e-4)
    assert rows.canonical() is rows
    np.testing.assert_allclose((rows + rows).dense().numpy(), 2 * (x.T @ r), rtol=1e-4, atol=1e-4)
    assert (-(a.T @ r)).indices.tolist() == rows.indices.tolist()
    assert not y._part.is_deferred
    assert y.shape == (60,)


def test_results_are_independent_of_each_other() -> None:
    a, r = sparcl.csr(_matrix("float32", "int32", 7)), _dense(60, None, "float32")
    first = a.T @ r
    first.indices[:] = 0
    assert (a.T @ r).indices.tolist() == ops.spmm_t_rows(a, sparcl.dense(r)).indices.tolist()


def test_other_types_gaps_and_lists_are_converted_as_for_the_device() -> None:
    a, b = sparcl.csr(_matrix("float32", "int32", 11)), _dense(700, 2, "float64")
    whole = np.arange(700)
    for operand in (b, b[:, 0], np.asfortranarray(b), b.astype(">f4"), whole, whole.tolist()):
        found, array = a @ operand, np.ascontiguousarray(operand, "float32")
        assert found._part.is_deferred
        assert _bits(found.numpy()) == _bits(ops.spmm(a, sparcl.dense(array)).numpy())
    with pytest.raises(sparcl.errors.DTypeError, match="found 16777217"):
        _arithmetic.matmul(a, np.full(700, 2**24 + 1))


def test_rows_become_dense_on_the_host() -> None:
    a, r = sparcl.csr(_matrix("float32", "int32", 12)), _dense(60, 2, "float32")
    found = (a.T @ r).toarray()
    assert _bits(found) == _bits(ops.spmm_t(a, sparcl.dense(r)).numpy())


def test_a_product_is_an_operand_of_the_next() -> None:
    a, b = sparcl.csr(_matrix("float32", "int32", 13)), _dense(700, None, "float32")
    y = a @ b
    found = a.T @ y
    assert y._part.is_deferred
    assert found._values.is_deferred
    assert _bits(found.values) == _bits(ops.spmm_t_rows(a, ops.spmm(a, sparcl.dense(b))).values)


@pytest.mark.parametrize("factor", [0.1, -3, 1e39, float("nan")])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_product_times_a_number_stays_on_the_host(kind: str, factor: float) -> None:
    a, r = sparcl.csr(_matrix(kind, "int32", 14)), _dense(60, None, kind)
    found = factor * (a.T @ r)
    assert found._values.is_deferred
    expected = ops.spmm_t_rows(a, sparcl.dense(r)) * factor
    assert _bits(found.values) == _bits(expected.values)
    assert found.indices.tolist() == expected.indices.tolist()


def _others(a: sparcl.CSR) -> Iterator[tuple[str, sparcl.CSR, Array]]:
    b = _dense(700, None, "float32")
    yield "type", a, b.astype(np.float64)
    yield "gaps", a, _dense(700, 2, "float32")[:, 0]
    yield "height", a, b[1:]
    yield "many columns", a, _dense(700, 600, "float32")
    yield "types of indices", sparcl.csr(_mixed(a)), b
    own = sparcl.csr(a.scipy(), context=sparcl.Context(share=False))
    yield "memory of its own", own, b


def _mixed(a: sparcl.CSR) -> Any:
    x = a.scipy()
    x.indptr = x.indptr.astype(np.int64)
    return x


def test_others_are_left_to_the_device() -> None:
    a = sparcl.csr(_matrix("float32", "int32", 8))
    for what, x, b in _others(a):
        assert _host_products.spmm(x, b) is None, what


def test_arrays_that_the_device_writes_are_left_to_it() -> None:
    x = _matrix("float32", "int32", 9)
    a, b = sparcl.csr(x), _dense(700, None, "float32")
    placed = sparcl.dense(b)
    assert _host_products.spmm(a, b) is not None
    unit = sparcl.csr(scipy.sparse.eye_array(700, dtype="float32", format="csr"))
    ops.spmm(unit, sparcl.dense(b.copy()), out=placed)
    assert _host_products.spmm(a, b) is None
    del placed
    assert _host_products.spmm(a, b) is not None


def test_wrong_operands_are_refused() -> None:
    a = sparcl.csr(_matrix("float32", "int32", 10))
    with pytest.raises(sparcl.errors.ShapeError):
        _arithmetic.matmul(a, np.ones(3, "float32"))
    with pytest.raises(sparcl.errors.ShapeError):
        _arithmetic.matmul(a.T, np.ones((3, 2), "float32"))
