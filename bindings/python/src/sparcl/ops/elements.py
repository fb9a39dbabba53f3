"""Functions of each element and operations on two arrays, with their gradients.

Values are float32, float64, float16 or bfloat16. What is wrong raises ShapeError, DTypeError or
ArgumentError with the message of the C library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from sparcl import _core, _make
from sparcl._enums import Binary, Unary, axis_code, code
from sparcl._parts import as_dtype
from sparcl.ops._call import into, run
from sparcl.ops._results import BinaryGradient

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse

__all__ = [
    "assign_rows",
    "binary",
    "binary_gradient",
    "binary_scalar",
    "clip",
    "clip_gradient",
    "copy",
    "csr_binary_scalar",
    "csr_broadcast",
    "csr_broadcast_gradient",
    "csr_clip",
    "csr_unary",
    "rows_clip",
    "rows_unary",
    "scatter_add",
    "unary",
    "unary_gradient",
    "unary_keeps_zero",
    "unary_name",
    "unary_needs_y",
]


def unary_name(op: int) -> str:
    """The name of a function of one number by its number in the C library.

    >>> import sparcl
    >>> sparcl.ops.unary_name(24)
    'exp'
    """
    found: str | None = _core.unary_name(op)
    if found is None:
        raise ValueError(f"op: expected the number of a function, found {op}")
    return found


def unary_keeps_zero(op: Unary) -> bool:
    """Is the function 0 for 0, so that it takes sparse arrays?

    >>> import sparcl
    >>> sparcl.ops.unary_keeps_zero("sin"), sparcl.ops.unary_keeps_zero("exp")
    (True, False)
    """
    return _core.unary_keeps_zero(code("unary_op", op))


def unary_needs_y(op: Unary) -> bool:
    """Does :func:`unary_gradient` need y = f(x), not x?

    >>> import sparcl
    >>> sparcl.ops.unary_needs_y("exp"), sparcl.ops.unary_needs_y("sin")
    (True, False)
    """
    return _core.unary_needs_y(code("unary_op", op))


def unary(x: Dense, op: Unary) -> Dense:
    """f(x) of each element: an array of the shape and type of x.

    >>> import sparcl
    >>> sparcl.ops.unary(sparcl.dense([-4.0, 9.0]), "abs").numpy().tolist()
    [4.0, 9.0]
    """
    y = _make.like(x)
    run(_core.unary, code("unary_op", op), y, x)
    return y


def csr_unary(x: CSR, op: Unary) -> CSR:
    """f of the stored values: a matrix with the indices of x. ArgumentError for a function that is
    not 0 for 0.

    >>> import sparcl
    >>> sparcl.ops.csr_unary(sparcl.csr([[0.0, 4.0]]), "sqrt").dense().numpy().tolist()
    [[0.0, 2.0]]
    """
    y = _make.entries(x)
    run(_core.csr_unary, code("unary_op", op), y, x)
    return _make.with_values(x, y)


def rows_unary(x: RowSparse, op: Unary) -> RowSparse:
    """f of the stored rows: an array with the indices of x. ArgumentError for a function that is
    not 0 for 0.

    >>> import numpy, sparcl
    >>> x = sparcl.rows(numpy.array([1]), [[4.0, 9.0]], (2, 2))
    >>> sparcl.ops.rows_unary(x, "sqrt").values.tolist()
    [[2.0, 3.0]]
    """
    y = _make.stored_rows(x)
    run(_core.rows_unary, code("unary_op", op), y, x)
    return _make.rows_with_values(x, y)


def unary_gradient(value: Dense, gy: Dense, op: Unary) -> Dense:
    """The gradient of :func:`unary` by x, for the gradient gy of y. `value` is y where
    :func:`unary_needs_y`, else x. All of one shape and type.

    >>> import sparcl
    >>> x, gy = sparcl.dense([3.0, -1.0]), sparcl.dense([1.0, 10.0])
    >>> sparcl.ops.unary_gradient(x, gy, "square").numpy().tolist()
    [6.0, -20.0]
    """
    gx = _make.like(gy)
    run(_core.unary_gradient, code("unary_op", op), gx, value, gy)
    return gx


def clip(x: Dense, low: float, high: float) -> Dense:
    """`low` where x < low, `high` where x > high, else x; NaN stays.

    >>> import sparcl
    >>> sparcl.ops.clip(sparcl.dense([-4.0, 0.5, 9.0]), -1, 1).numpy().tolist()
    [-1.0, 0.5, 1.0]
    """
    return into(_make.like(x), _core.clip, x, low, high)


def csr_clip(x: CSR, low: float, high: float) -> CSR:
    """:func:`clip` of the stored values. ArgumentError unless low <= 0 <= high.

    >>> import sparcl
    >>> sparcl.ops.csr_clip(sparcl.csr([[0.0, 4.0]]), -1, 1).dense().numpy().tolist()
    [[0.0, 1.0]]
    """
    return _make.with_values(x, into(_make.entries(x), _core.csr_clip, x, low, high))


def rows_clip(x: RowSparse, low: float, high: float) -> RowSparse:
    """:func:`clip` of the stored rows. ArgumentError unless low <= 0 <= high.

    >>> import numpy, sparcl
    >>> x = sparcl.rows(numpy.array([1]), [[4.0, -9.0]], (2, 2))
    >>> sparcl.ops.rows_clip(x, -1, 1).values.tolist()
    [[1.0, -1.0]]
    """
    return _make.rows_with_values(x, into(_make.stored_rows(x), _core.rows_clip, x, low, high))


def clip_gradient(x: Dense, gy: Dense, low: float, high: float) -> Dense:
    """The gradient of :func:`clip`: gy where low <= x <= high, else 0.

    >>> import sparcl
    >>> x, gy = sparcl.dense([0.5, 7.0]), sparcl.dense([3.0, 4.0])
    >>> sparcl.ops.clip_gradient(x, gy, 0, 1).numpy().tolist()
    [3.0, 0.0]
    """
    return into(_make.like(x), _core.clip_gradient, x, gy, low, high)


def binary(x: Dense, op: Binary, y: Dense) -> Dense:
    """x op y of each element of x [m, ...]. y has the shape of x, or is broadcast: a row (the shape
    of x without m, or with 1 in its place), a number for each row [m, 1, ...], or one number [1].

    >>> import sparcl
    >>> x = sparcl.dense([[1.0, 2.0], [3.0, 4.0]])
    >>> sparcl.ops.binary(x, "divide", sparcl.dense([2.0, 4.0])).numpy().tolist()
    [[0.5, 0.5], [1.5, 1.0]]
    """
    z = _make.like(x)
    run(_core.binary, code("binary_op", op), z, x, y)
    return z


def binary_scalar(x: Dense, op: Binary, y: float) -> Dense:
    """x op y of each element of x, with a number, which is rounded to the type.

    >>> import sparcl
    >>> sparcl.ops.binary_scalar(sparcl.dense([1.0, 2.0]), "maximum", 1.5).numpy().tolist()
    [1.5, 2.0]
    """
    z = _make.like(x)
    run(_core.binary_scalar, code("binary_op", op), z, x, y)
    return z


def binary_gradient(x: Dense, op: Binary, y: Dense, gz: Dense) -> BinaryGradient:
    """The gradients of :func:`binary` by x and by y, for the gradient gz of the result. Where y is
    broadcast, its gradient is the sum over all elements that a number of y was used for.

    >>> import sparcl
    >>> x, y = sparcl.dense([[1.0, 2.0], [3.0, 4.0]]), sparcl.dense([5.0, 6.0])
    >>> gx, gy = sparcl.ops.binary_gradient(x, "multiply", y, sparcl.dense([[1.0, 1], [1, 1]]))
    >>> gx.numpy().tolist(), gy.numpy().tolist()
    ([[5.0, 6.0], [5.0, 6.0]], [4.0, 6.0])
    """
    gx, gy = _make.like(x), _make.like(y)
    run(_core.binary_gradient, code("binary_op", op), gx, gy, x, y, gz)
    return BinaryGradient(gx, gy)


def csr_broadcast(a: CSR, op: Binary, v: Dense, axis: int) -> CSR:
    """Each stored value op v[its row] (axis 1, v [m]) or v[its column] (axis 0, v [n]). Only
    "multiply" and "divide"; others are ArgumentError.

    >>> import sparcl
    >>> a, v = sparcl.csr([[1.0, 2.0], [0.0, 3.0]]), sparcl.dense([10.0, 100.0])
    >>> sparcl.ops.csr_broadcast(a, "multiply", v, 1).values.numpy().tolist()
    [10.0, 20.0, 300.0]
    """
    z = _make.entries(a)
    run(_core.csr_broadcast, code("binary_op", op), z, a, v, axis_code(axis))
    return _make.with_values(a, z)


def csr_binary_scalar(a: CSR, op: Binary, y: float) -> CSR:
    """Each stored value op a number. ArgumentError where an element that is not stored would get a
    value: "add" and "subtract" of another number than 0, "maximum" and "minimum".

    >>> import sparcl
    >>> sparcl.ops.csr_binary_scalar(sparcl.csr([[0.0, 4.0]]), "divide", 8).values.numpy().tolist()
    [0.5]
    """
    z = _make.entries(a)
    run(_core.csr_binary_scalar, code("binary_op", op), z, a, y)
    return _make.with_values(a, z)


def csr_broadcast_gradient(a: CSR, op: Binary, v: Dense, gz: Dense, axis: int) -> Dense:
    """The gradient of :func:`csr_broadcast` by v, for the gradient gz [nnz] of the values. (That by
    the values of a is csr_broadcast of a matrix with the values gz.)

    >>> import sparcl
    >>> a, v = sparcl.csr([[1.0, 2.0], [0.0, 3.0]]), sparcl.dense([10.0, 100.0])
    >>> gz = sparcl.dense([1.0, 1.0, 1.0])
    >>> sparcl.ops.csr_broadcast_gradient(a, "multiply", v, gz, 0).numpy().tolist()
    [1.0, 5.0]
    """
    gv = _make.like(v)
    column = axis_code(axis)
    run(
        _core.csr_broadcast_gradient,
        code("binary_op", op),
        gv,
        a,
        v,
        gz,
        column,
        None if column else a._transpose_pattern(),
    )
    return gv


def copy(x: Dense, dtype: npt.DTypeLike | None = None) -> Dense:
    """The elements row by row without gaps in memory of their own, converted to a type. Numbers are
    rounded to nearest; to integers toward 0; to bool 0 is False.

    >>> import sparcl
    >>> sparcl.ops.copy(sparcl.dense([1.5, -2.5]), "int32").numpy().tolist()
    [1, -2]
    """
    to = _make.dense(x.context, x.shape, x.dtype if dtype is None else as_dtype(dtype))
    return into(to, _core.copy, x)


def scatter_add(table: Dense, r: RowSparse, alpha: float = 1.0) -> None:
    """table[r.indices] += alpha * r, in the memory of the table; rows of one index are added first.

    >>> import numpy, sparcl
    >>> table = sparcl.dense([[1.0], [2.0]])
    >>> sparcl.ops.scatter_add(table, sparcl.rows(numpy.array([1]), [[5.0]], (2, 1)), 2)
    >>> table.numpy().tolist()
    [[1.0], [12.0]]
    """
    to = _make.written(table, "table")
    run(_core.scatter_add, to, alpha, r)


def assign_rows(table: Dense, r: RowSparse) -> None:
    """table[r.indices] = r, in the memory of the table; of rows of one index the last one stays.

    >>> import numpy, sparcl
    >>> table = sparcl.dense([[1.0], [2.0]])
    >>> sparcl.ops.assign_rows(table, sparcl.rows(numpy.array([1]), [[5.0]], (2, 1)))
    >>> table.numpy().tolist()
    [[1.0], [5.0]]
    """
    to = _make.written(table, "table")
    run(_core.assign_rows, to, r)
