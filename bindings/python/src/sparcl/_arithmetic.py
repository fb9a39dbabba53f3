"""What operators do, by the formats of their operands."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _classes, _enums, _given, _host_products, _make, _numbers, errors, ops
from sparcl._array import Array
from sparcl._parts import Part, bfloat16

if TYPE_CHECKING:
    from sparcl._compressed import CSC, CSR
    from sparcl._context import Context
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


def is_number(x: object) -> bool:
    """A number of Python or NumPy."""
    return isinstance(x, (numbers.Real, np.generic)) or (isinstance(x, np.ndarray) and x.ndim == 0)


def unknown(op: str, x: object, y: object) -> TypeError:
    """The operands that an operator does not take."""
    return TypeError(f"{op}: found {type(x).__name__} and {type(y).__name__}; convert one of them")


# --- products of matrices


def matmul(x: Any, y: Any) -> Array:
    """x @ y in any formats."""
    check_factors(x, y)
    x, y = _as_real(x, y, axis=0), _as_real(y, x, axis=1)
    found = _on_host(x, y)
    return _matmul(x, y) if found is None else found


def check_factors(x: Any, y: Any) -> None:
    """Refuse a number as an operand of @."""
    name = "x" if is_number(x) else "y" if is_number(y) else ""
    if name:
        product = f"{x} * y" if name == "x" else f"x * {y}"
        raise errors.ShapeError(
            f"x @ y: {name}: expected a vector or matrix, found a number; use {product}"
        )


def _matmul(x: Any, y: Any) -> Array:
    array = x if isinstance(x, Array) else y
    x, y = (
        side if isinstance(side, Array) else _given.operand(array.context, array.dtype, side)
        for side in (x, y)
    )
    if isinstance(x, _classes.Dense):
        return dense_matmul(x, y)
    if isinstance(x, _classes.RowSparse):
        return rows_matmul(x, y)
    if isinstance(y, (_classes.Dense, _classes.RowSparse)):
        if isinstance(x, _classes.CSC):
            return _csc_matmul(x, y)
        if isinstance(x, _classes.CSR) and isinstance(y, _classes.Dense):
            return ops.spmm(x, y)
        return ops.matmul(x, y)
    return sparse_matmul(x, y)


def _on_host(x: Any, y: Any) -> Array | None:
    """The product of a sparse matrix and an array of the host, where it is small."""
    if isinstance(y, _classes.Dense) and y._part.is_deferred:
        y = y.numpy()
    array = None if isinstance(y, Array) else _host_products.operand(x, y)
    if array is None:
        return None
    if isinstance(x, _classes.CSR):
        found = _host_products.spmm(x, array)
        return None if found is None else _classes.Dense(x.context, Part.deferred(x.context, found))
    rows = _host_products.spmm_t_rows(x.T, array)
    if rows is None:
        return None
    parts = (Part.deferred(x.context, part) for part in rows)
    return _classes.RowSparse(x.context, (x.shape[0], *array.shape[1:]), *parts)


def _as_real(x: Any, other: Any, axis: int) -> Any:
    """A sparse matrix of whole numbers, such as counts, as floats that are equal, and in which the
    product with whole numbers is equal. The axis is that of the result."""
    if not isinstance(x, (_classes.CSR, _classes.CSC)) or x.dtype.kind not in "iub":
        return x
    if x.dtype == bfloat16 or (isinstance(other, Array) and other.dtype.kind in "iub"):
        return x
    values = x.values.numpy()
    beside = np.asarray(other) if isinstance(other, (list, tuple, np.ndarray)) else None
    if beside is not None and beside.dtype.kind in "iub":
        return x.astype(_numbers.product_type(_most_terms(x, axis), values, beside))
    is_double = getattr(other, "dtype", None) == np.float64
    kind = np.dtype(np.float64 if is_double else np.float32)
    _numbers.check_whole(values, kind, "sparcl.csr(x.astype('float64'))")
    return x.astype(kind)


def _most_terms(x: CSR | CSC, axis: int) -> int:
    """The entries of the longest row, or column, of a matrix."""
    _, indices, offsets = x._arrays()
    is_major = isinstance(x, _classes.CSR) == (axis == 0)
    counts = np.diff(offsets) if is_major else np.bincount(indices)
    return int(counts.max(initial=0))


def _csc_matmul(x: CSC, y: Dense | RowSparse) -> RowSparse:
    if isinstance(y, _classes.Dense):
        return ops.spmm_t_rows(x.T, y)
    return cast("RowSparse", ops.matmul(x.T, y, op_a="T", row_sparse=True))


def sparse_matmul(x: Array, y: Array) -> CSR:
    """The product of two sparse matrices by spgemm."""
    return ops.spgemm(*_make.of_one_type(as_csr(x), as_csr(y).canonical()))


def as_csr(x: Any) -> CSR:
    """A matrix in CSR format."""
    if not isinstance(x, Array) or not hasattr(x, "csr"):
        raise TypeError(f"expected a matrix, found {type(x).__name__}")
    found: CSR = x.csr()
    return found


def as_coo(x: Any) -> COO:
    """An array in COO format."""
    if not isinstance(x, Array) or not hasattr(x, "coo"):
        raise TypeError(f"expected an array, found {type(x).__name__}")
    found: COO = x.coo()
    return found


def dense_matmul(x: Dense, y: Any) -> Dense:
    """x @ y of a dense matrix or vector and a matrix or vector in any format."""
    check_factors(x, y)
    if not isinstance(y, Array):
        y = _given.operand(x.context, x.dtype, y)
    y = y.dense() if isinstance(y, _classes.RowSparse) else y
    left = x.reshape(1, -1) if x.ndim == 1 else x
    if isinstance(y, _classes.Dense):
        right = y.reshape(-1, 1) if y.ndim == 1 else y
        found = ops.gemm(left, right)
    else:
        right_columns = y.shape[1]
        found = cast("Dense", ops.matmul(left, cast("Any", y)))
        assert found.shape[1] == right_columns
    shape = (*x.shape[:-1], *y.shape[1:])
    return found if shape == found.shape else found.reshape(shape or (1,))


# --- dense arrays element by element


def filled(context: Context, shape: tuple[int, ...], dtype: np.dtype[Any], number: float) -> Dense:
    """An array of one number."""
    zeros = _classes.Dense(context, Part.of(context, np.zeros(shape, dtype)))
    return zeros if number == 0 else ops.binary_scalar(zeros, "add", number)


def _spreads(y: tuple[int, ...], x: tuple[int, ...]) -> bool:
    """The C library broadcasts y to x."""
    one_each = (x[0], *(1 for _ in x[1:]))
    ones = all(size == 1 for size in y) and len(y) in {1, len(x)}
    return y in {x, x[1:], (1, *x[1:]), one_each} or ones


def _spread(x: Dense, shape: tuple[int, ...]) -> Dense:
    """An array repeated to a shape, with its bits."""
    return ops.binary(filled(x.context, shape, x.dtype, 1.0), "multiply", x)


def dense_binary(op: _enums.Binary, x: Any, y: Any) -> Dense:
    """x op y, of which one is a dense array, and the other is broadcast to it."""
    array: Dense = x if isinstance(x, _classes.Dense) else y
    if is_number(y):
        return ops.binary_scalar(x.contiguous(), op, float(y))
    if is_number(x):
        x = filled(array.context, array.shape, array.dtype, float(x))
    a, b = (_given.operand(array.context, array.dtype, side).contiguous() for side in (x, y))
    if _spreads(b.shape, a.shape):
        return ops.binary(a, op, b)
    if _spreads(a.shape, b.shape):
        return ops.binary(_spread(a, b.shape), op, b)
    return ops.binary(a, op, b)  # which says what is wrong


def dense_add(x: Dense, y: Any) -> Dense:
    """x + y."""
    if isinstance(y, _classes.RowSparse):
        return ops.add_n([x.contiguous(), y])
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        return dense_binary("add", x, cast("Any", y).dense())
    return dense_binary("add", x, y)


def dense_subtract(x: Dense, y: Any) -> Dense:
    """x - y."""
    if isinstance(y, _classes.RowSparse):
        return ops.add_n([x.contiguous(), y], factors=[1, -1])
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        return dense_binary("subtract", x, cast("Any", y).dense())
    return dense_binary("subtract", x, y)


def dense_multiply(x: Dense, y: Any) -> Any:
    """x * y."""
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        return cast("Any", y) * x
    return dense_binary("multiply", x, y)


def dense_extreme(x: Dense, kind: _enums.Reduction, axis: int | None) -> Dense:
    """The maximum or minimum of all elements, or along an axis of a matrix."""
    column = _enums.axis_code(axis, x.ndim if x.ndim > 1 else 1)
    if axis is not None and x.ndim > 2:
        raise errors.ShapeError(f"expected a matrix, found an array of the shape {x.shape}")
    side = x.reshape(-1, 1) if axis is None or x.ndim == 1 else ops.copy(x.T) if column else x
    segments = _list_of_zeros(side)
    found = ops.segment_reduce(side.contiguous(), segments, kind, segments=1).result
    return found.reshape(-1)


def _list_of_zeros(x: Dense) -> npt.NDArray[Any]:
    return np.zeros(x.shape[0], np.int32)


# --- sparse matrices element by element


def csr_add(x: CSR, y: Any, sign: float) -> Any:
    """x + sign y: sparse where both are."""
    if is_number(y):
        return ops.csr_binary_scalar(x, "add", sign * float(y))
    if isinstance(y, _classes.Dense) or not isinstance(y, Array):
        other = _given.operand(x.context, x.dtype, y)
        return dense_binary("add" if sign > 0 else "subtract", x.dense(), other)
    a, b = _make.of_one_type(x.canonical(), as_csr(y).canonical())
    return ops.csr_add(a, b, beta=sign).result


def csr_scale(x: CSR, y: Any, op: _enums.Binary) -> CSR:
    """x * y or x / y by a number, a vector or a dense array."""
    if is_number(y):
        return ops.csr_binary_scalar(x, op, float(y))
    b = _given.operand(x.context, x.dtype, y).contiguous()
    rows, columns = x.shape
    if b.shape == (rows, columns):
        if op == "multiply":
            return ops.csr_multiply_dense(x, b)
        return _make.with_values(x, ops.binary(x.values, op, ops.sparse_mask(b, x)))
    if b.shape == (rows, 1):
        return ops.csr_broadcast(x, op, b.reshape(-1), axis=1)
    if b.shape in {(columns,), (1, columns)}:
        return ops.csr_broadcast(x, op, b.reshape(-1), axis=0)
    raise errors.ShapeError(
        f"expected the shape {x.shape}, {(rows, 1)} or {(columns,)}, found {b.shape}"
    )


def csr_multiply(x: CSR, y: Any) -> CSR:
    """x * y element by element, with the entries that both have."""
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        a, b = _make.of_one_type(x.canonical(), as_csr(y).canonical())
        return ops.csr_multiply(a, b).result
    return csr_scale(x, y, "multiply")


def coo_add(x: COO, y: Any, sign: float) -> Any:
    """x + sign y: sparse where both are."""
    if isinstance(y, _classes.COO):
        a, b = _make.coo_of_one_type(x.canonical(), y.canonical())
        return ops.coo_add(a, b, beta=sign).result
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        return csr_add(x.csr(), y, sign)
    other = _given.operand(x.context, x.dtype, y)
    return dense_binary("add" if sign > 0 else "subtract", x.dense(), other)


def coo_multiply(x: COO, y: Any) -> COO:
    """x * y element by element."""
    if is_number(y):
        return _make.coo_with_values(x, ops.binary_scalar(x.values, "multiply", float(y)))
    if isinstance(y, _classes.COO):
        a, b = _make.coo_of_one_type(x.canonical(), y.canonical())
        return ops.coo_multiply(a, b).result
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        return csr_multiply(x.csr(), y).coo()
    other = _given.operand(x.context, x.dtype, y).contiguous()
    at = ops.coo_mask(other, x)
    return _make.coo_with_values(x, ops.binary(x.values, "multiply", at))


def rows_add(x: RowSparse, y: Any, sign: float) -> Any:
    """x + sign y: row-sparse where both are."""
    if is_number(y):
        return dense_binary("add", x.dense(), sign * float(y))
    if isinstance(y, _classes.RowSparse):
        return ops.rows_add_n([x, y], [1, sign])
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        raise unknown("+", x, y)
    b = _given.operand(x.context, x.dtype, y).contiguous()
    return ops.add_n([x, b], factors=[1, sign])


def rows_matmul(x: RowSparse, y: Any) -> RowSparse:
    """x @ y of a row-sparse and a dense matrix: the rows that x has."""
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        raise unknown("@", x, y)
    check_factors(x, y)
    b = _given.operand(x.context, x.dtype, y)
    if x.ndim != 2 or b.ndim != 2:
        raise errors.ShapeError(f"expected two matrices, found shapes {x.shape} and {b.shape}")
    values = ops.gemm(x._stored_values(), b)
    made = _classes.RowSparse(x.context, (x.shape[0], b.shape[1]), x._indices, values._part)
    made._core.trust(x._core)
    return made


def _multiply_on_host(x: RowSparse, y: float) -> RowSparse:
    """The same bits as on the device: the number is rounded to the type, and then the product."""
    with np.errstate(all="ignore"):
        values = x.values * x.dtype.type(y)
    parts = (Part.deferred(x.context, array) for array in (x.indices, values))
    return _classes.RowSparse(x.context, x.shape, *parts)


def rows_multiply(x: RowSparse, y: Any) -> RowSparse:
    """x * y element by element."""
    if is_number(y) and x._values.is_deferred:
        return _multiply_on_host(x, float(y))
    if is_number(y):
        values = ops.binary_scalar(x._stored_values(), "multiply", float(y))
        return _make.rows_with_values(x, values)
    if isinstance(y, _classes.RowSparse):
        return ops.rows_multiply(x.canonical(), y.canonical())
    if isinstance(y, Array) and not isinstance(y, _classes.Dense):
        raise unknown("*", x, y)
    return ops.rows_multiply_dense(x, _given.operand(x.context, x.dtype, y).contiguous())
