"""Functions of each element and operations on two arrays, against NumPy and finite differences."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from ops_data import REAL, close, near, numbers, same, slope, sparse, with_data

import sparcl
from sparcl import _enums, errors, ops

NUMPY: dict[str, Any] = {
    "abs": np.abs,
    "sign": np.sign,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "rint": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "sqrt": np.sqrt,
    "square": np.square,
    "negative": np.negative,
    "relu": lambda x: np.maximum(x, 0),
    "radians": np.radians,
    "degrees": np.degrees,
    "cbrt": np.cbrt,
    "sin": np.sin,
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arctan": np.arctan,
    "sinh": np.sinh,
    "tanh": np.tanh,
    "arcsinh": np.arcsinh,
    "arctanh": np.arctanh,
    "expm1": np.expm1,
    "log1p": np.log1p,
    "exp": np.exp,
    "log": np.log,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "reciprocal": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
POSITIVE = {"sqrt", "log", "rsqrt", "reciprocal"}


def points(name: str) -> np.ndarray[Any, Any]:
    found = np.array([0.1, 0.3, 0.45, 0.7, 0.9, 0.6], REAL)
    return found if name in POSITIVE else found * np.array([1, -1, 1, -1, 1, 1], REAL)


@pytest.mark.parametrize("name", get_args(_enums.Unary))
def test_functions_and_their_gradients_are_those_of_numpy(name: Any) -> None:
    x, gy = points(name), numbers(6, seed=3)
    device = sparcl.dense(x)
    y = ops.unary(device, name)
    close(y, NUMPY[name](x))
    value = y if ops.unary_needs_y(name) else device
    gradient = ops.unary_gradient(value, sparcl.dense(gy), name)
    near(gradient, slope(lambda v: (NUMPY[name](v) * gy).sum(), x))


@pytest.mark.parametrize("name", get_args(_enums.Unary))
def test_sparse_arrays_have_the_functions_that_keep_zero(name: Any) -> None:
    a = sparse(6, 5)
    a.data[:] = np.resize(points(name), a.nnz)
    device = sparcl.csr(a)
    rows = sparcl.rows(np.array([2, 0]), points(name).reshape(2, 3), (4, 3))
    with np.errstate(divide="ignore"):
        assert ops.unary_keeps_zero(name) == (NUMPY[name](np.zeros(1))[0] == 0)
    if not ops.unary_keeps_zero(name):
        with pytest.raises(errors.ArgumentError):
            ops.csr_unary(device, name)
        with pytest.raises(errors.ArgumentError):
            ops.rows_unary(rows, name)
        return
    close(ops.csr_unary(device, name).scipy().data, NUMPY[name](a.data))
    close(ops.rows_unary(rows, name).values, NUMPY[name](points(name).reshape(2, 3)))


def test_clip_and_its_gradient() -> None:
    x, gy = numbers(20), numbers(20, seed=1)
    close(ops.clip(sparcl.dense(x), -0.5, 0.7), np.clip(x, -0.5, 0.7))
    found = ops.clip_gradient(sparcl.dense(x), sparcl.dense(gy), -0.5, 0.7)
    near(found, slope(lambda v: (np.clip(v, -0.5, 0.7) * gy).sum(), x))
    a = sparse(6, 5)
    close(ops.csr_clip(sparcl.csr(a), -0.5, 0.7).scipy().data, np.clip(a.data, -0.5, 0.7))
    r = sparcl.rows(np.array([2, 0]), x[:6].reshape(2, 3), (4, 3))
    close(ops.rows_clip(r, -0.5, 0.7).values, np.clip(x[:6].reshape(2, 3), -0.5, 0.7))
    with pytest.raises(errors.ArgumentError):
        ops.csr_clip(sparcl.csr(a), 0.5, 0.7)
    with pytest.raises(errors.ArgumentError):
        ops.clip(sparcl.dense(x), 1, 0)


BINARY: dict[str, Any] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize("shape", [(5, 4), (4,), (1, 4), (5, 1), (1,)])
@pytest.mark.parametrize("op", get_args(_enums.Binary))
def test_operations_on_two_arrays_broadcast_the_second(op: Any, shape: tuple[int, ...]) -> None:
    x, y, g = numbers(5, 4), numbers(*shape, seed=1) + 3, numbers(5, 4, seed=2)
    device = [sparcl.dense(each) for each in (x, y, g)]
    close(ops.binary(device[0], op, device[1]), BINARY[op](x, y))
    gx, gy = ops.binary_gradient(device[0], op, device[1], device[2])
    near(gx, slope(lambda v: (BINARY[op](v, y) * g).sum(), x))
    near(gy, slope(lambda v: (BINARY[op](x, v) * g).sum(), y))


@pytest.mark.parametrize("op", get_args(_enums.Binary))
def test_operations_with_a_number(op: Any) -> None:
    x = numbers(5, 4)
    close(ops.binary_scalar(sparcl.dense(x), op, 0.25), BINARY[op](x, 0.25))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op", ["multiply", "divide"])
def test_rows_and_columns_are_scaled(op: Any, axis: int) -> None:
    a = sparse(6, 5)
    v = numbers([5, 6][axis], seed=4) + 3
    g = numbers(a.nnz, seed=5)
    at = np.repeat(np.arange(6), np.diff(a.indptr)) if axis else a.indices
    device = sparcl.csr(a)
    found = ops.csr_broadcast(device, op, sparcl.dense(v), axis)
    close(found.scipy().data, BINARY[op](a.data, v[at]))
    gv = ops.csr_broadcast_gradient(device, op, sparcl.dense(v), sparcl.dense(g), axis)
    near(gv, slope(lambda w: (BINARY[op](a.data, w[at]) * g).sum(), v))
    close(ops.csr_binary_scalar(device, op, 3.0).scipy().data, BINARY[op](a.data, 3.0))
    with pytest.raises(errors.ArgumentError):
        ops.csr_broadcast(device, "add", sparcl.dense(v), axis)
    with pytest.raises(errors.ArgumentError):
        ops.csr_binary_scalar(device, "add", 1.0)


def test_row_sparse_products() -> None:
    a = sparcl.rows(np.array([0, 2, 5]), numbers(3, 4), (7, 4))
    b = sparcl.rows(np.array([2, 3, 5]), numbers(3, 4, seed=1), (7, 4))
    product = ops.rows_multiply(a, b)
    same(product.indices, [2, 5])
    close(product.dense(), a.dense().numpy() * b.dense().numpy())
    x = numbers(7, 4, seed=2)
    close(ops.rows_multiply_dense(a, sparcl.dense(x)).dense(), a.dense().numpy() * x)
    twice = sparcl.rows(np.array([1, 1]), numbers(2, 4), (7, 4))
    with pytest.raises(errors.UncheckedError):
        ops.rows_multiply(twice, b)


def test_refusals() -> None:
    x = sparcl.dense(numbers(4, 3))
    with pytest.raises(sparcl.ShapeError):
        ops.binary(x, "add", sparcl.dense(numbers(2)))
    with pytest.raises(sparcl.DTypeError):
        ops.binary(x, "add", sparcl.dense(np.ones(3, np.float16)))
    with pytest.raises(sparcl.DTypeError):
        ops.unary(sparcl.dense(np.ones(3, np.int32)), "abs")
    with pytest.raises(errors.ArgumentError, match="expected one of abs"):
        ops.unary(x, "no such function")  # type: ignore[arg-type]
    other = sparcl.Context()
    with pytest.raises(errors.ArgumentError, match="one context"):
        ops.binary(x, "add", sparcl.dense(numbers(4, 3), context=other))


def test_old_names_say_what_to_use() -> None:
    x, y = numbers(3, 4), numbers(4, seed=1)
    graph = sparcl.graph.Graph()
    node = graph.dense("x", (3, 4))
    with pytest.warns(DeprecationWarning, match="sparcl.ops.add_bias: use binary"):
        same(ops.add_bias(sparcl.dense(x), sparcl.dense(y)), x + y)
    with pytest.warns(DeprecationWarning, match="sparcl.ops.activate: use unary"):
        same(ops.activate(sparcl.dense(x), "relu"), np.maximum(x, 0))
    with pytest.warns(DeprecationWarning, match="sparcl.graph.activate: use unary"):
        assert sparcl.graph.activate("tanh", node).shape == (3, 4)
    with pytest.raises(AttributeError, match="no attribute 'none'"):
        assert ops.none


def test_sums_and_copies_of_dense_arrays() -> None:
    x = numbers(3, 4)
    same(ops.sum_rows(sparcl.dense(np.ones((3, 4), REAL)), 2.0), np.full(4, 6, REAL))
    for kind in ("float32", "float16", "int32", "int64", "bool"):
        found = ops.copy(sparcl.dense(x), kind)
        same(found, x.astype(kind))
        assert found.dtype == np.dtype(kind)
    same(ops.copy(sparcl.dense(x).T), x.T)


def test_sums_of_several_arrays() -> None:
    x = numbers(7, 4)
    a = sparcl.rows(np.array([5, 2, 5]), numbers(3, 4, seed=1), (7, 4))
    b = sparcl.rows(np.array([1, 2], np.int32), numbers(2, 4, seed=2), (7, 4))
    expected = 2 * x - a.dense().numpy() + 3 * b.dense().numpy()
    close(ops.add_n([sparcl.dense(x), a, b], factors=[2, -1, 3]), expected)
    total = ops.rows_add_n([a, b, b], factors=[1, 2, 3])
    same(total.indices, [1, 2, 5])
    close(total.dense(), a.dense().numpy() + 5 * b.dense().numpy())
    difference = ops.rows_add_n([a, b], [2, -1])
    close(difference.dense(), 2 * a.dense().numpy() - b.dense().numpy())
    assert difference.nnr == 3
    with pytest.raises(errors.ArgumentError, match="factors"):
        ops.add_n([a, b], factors=[1])
    with pytest.raises(errors.ArgumentError, match="at least one"):
        ops.add_n([])
    with pytest.raises(sparcl.ShapeError):
        ops.add_n([sparcl.dense(x), sparcl.dense(x[:3])])


def test_values_may_be_shared_among_matrices() -> None:
    a = sparse(6, 5)
    device = with_data(a, a.data)
    squared = ops.csr_unary(device, "square")
    close(squared.scipy().data, a.data**2)
    assert squared._indices is device._indices
    close((squared.T @ np.eye(6, dtype=REAL)).dense(), a.toarray().T ** 2)
    close((device.T @ np.eye(6, dtype=REAL)).dense(), a.toarray().T)
