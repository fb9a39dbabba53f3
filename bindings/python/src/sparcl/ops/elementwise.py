"""Functions of each element and operations on two arrays, with their gradients.

Values are float32, float64, float16 or bfloat16. What is wrong raises ShapeError, DTypeError or
ArgumentError with the message of the C library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparcl import _core, _make
from sparcl._array import context_of
from sparcl._enums import Binary, Unary, axis_code, code
from sparcl.ops._results import BinaryGradient

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


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
    _core.unary(x.context._core, code("unary_op", op), y._core, x._core)
    return y


def csr_unary(x: CSR, op: Unary) -> CSR:
    """f of the stored values: a matrix with the indices of x. ArgumentError for a function that is
    not 0 for 0.

    >>> import sparcl
    >>> sparcl.ops.csr_unary(sparcl.csr([[0.0, 4.0]]), "sqrt").dense().numpy().tolist()
    [[0.0, 2.0]]
    """
    y = _make.entries(x)
    _core.csr_unary(x.context._core, code("unary_op", op), y._core, x._core)
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
    _core.rows_unary(x.context._core, code("unary_op", op), y._core, x._core)
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
    context = context_of(value, gy)
    _core.unary_gradient(context._core, code("unary_op", op), gx._core, value._core, gy._core)
    return gx


def clip(x: Dense, low: float, high: float) -> Dense:
    """`low` where x < low, `high` where x > high, else x; NaN stays.

    >>> import sparcl
    >>> sparcl.ops.clip(sparcl.dense([-4.0, 0.5, 9.0]), -1, 1).numpy().tolist()
    [-1.0, 0.5, 1.0]
    """
    y = _make.like(x)
    _core.clip(x.context._core, y._core, x._core, low, high)
    return y


def csr_clip(x: CSR, low: float, high: float) -> CSR:
    """:func:`clip` of the stored values. ArgumentError unless low <= 0 <= high.

    >>> import sparcl
    >>> sparcl.ops.csr_clip(sparcl.csr([[0.0, 4.0]]), -1, 1).dense().numpy().tolist()
    [[0.0, 1.0]]
    """
    y = _make.entries(x)
    _core.csr_clip(x.context._core, y._core, x._core, low, high)
    return _make.with_values(x, y)


def rows_clip(x: RowSparse, low: float, high: float) -> RowSparse:
    """:func:`clip` of the stored rows. ArgumentError unless low <= 0 <= high.

    >>> import numpy, sparcl
    >>> x = sparcl.rows(numpy.array([1]), [[4.0, -9.0]], (2, 2))
    >>> sparcl.ops.rows_clip(x, -1, 1).values.tolist()
    [[1.0, -1.0]]
    """
    y = _make.stored_rows(x)
    _core.rows_clip(x.context._core, y._core, x._core, low, high)
    return _make.rows_with_values(x, y)


def clip_gradient(x: Dense, gy: Dense, low: float, high: float) -> Dense:
    """The gradient of :func:`clip`: gy where low <= x <= high, else 0.

    >>> import sparcl
    >>> x, gy = sparcl.dense([0.5, 7.0]), sparcl.dense([3.0, 4.0])
    >>> sparcl.ops.clip_gradient(x, gy, 0, 1).numpy().tolist()
    [3.0, 0.0]
    """
    gx = _make.like(x)
    _core.clip_gradient(context_of(x, gy)._core, gx._core, x._core, gy._core, low, high)
    return gx


def binary(x: Dense, op: Binary, y: Dense) -> Dense:
    """x op y of each element of x [m, ...]. y has the shape of x, or is broadcast: a row (the shape
    of x without m, or with 1 in its place), a number for each row [m, 1, ...], or one number [1].

    >>> import sparcl
    >>> x = sparcl.dense([[1.0, 2.0], [3.0, 4.0]])
    >>> sparcl.ops.binary(x, "divide", sparcl.dense([2.0, 4.0])).numpy().tolist()
    [[0.5, 0.5], [1.5, 1.0]]
    """
    z = _make.like(x)
    _core.binary(context_of(x, y)._core, code("binary_op", op), z._core, x._core, y._core)
    return z


def binary_scalar(x: Dense, op: Binary, y: float) -> Dense:
    """x op y of each element of x, with a number, which is rounded to the type.

    >>> import sparcl
    >>> sparcl.ops.binary_scalar(sparcl.dense([1.0, 2.0]), "maximum", 1.5).numpy().tolist()
    [1.5, 2.0]
    """
    z = _make.like(x)
    _core.binary_scalar(x.context._core, code("binary_op", op), z._core, x._core, y)
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
    _core.binary_gradient(
        context_of(x, y, gz)._core,
        code("binary_op", op),
        gx._core,
        gy._core,
        x._core,
        y._core,
        gz._core,
    )
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
    _core.csr_broadcast(
        context_of(a, v)._core, code("binary_op", op), z._core, a._core, v._core, axis_code(axis)
    )
    return _make.with_values(a, z)


def csr_binary_scalar(a: CSR, op: Binary, y: float) -> CSR:
    """Each stored value op a number. ArgumentError where an element that is not stored would get a
    value: "add" and "subtract" of another number than 0, "maximum" and "minimum".

    >>> import sparcl
    >>> sparcl.ops.csr_binary_scalar(sparcl.csr([[0.0, 4.0]]), "divide", 8).values.numpy().tolist()
    [0.5]
    """
    z = _make.entries(a)
    _core.csr_binary_scalar(a.context._core, code("binary_op", op), z._core, a._core, y)
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
    _core.csr_broadcast_gradient(
        context_of(a, v, gz)._core,
        code("binary_op", op),
        gv._core,
        a._core,
        v._core,
        gz._core,
        column,
        None if column else a._transpose_pattern(),
    )
    return gv


def rows_multiply(a: RowSparse, b: RowSparse) -> RowSparse:
    """a times b element by element: a row for each index that both store. Both sorted and unique,
    as :meth:`RowSparse.canonical` gives them, else UncheckedError.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([0, 2]), [[1.0], [2.0]], (3, 1))
    >>> b = sparcl.rows(numpy.array([1, 2]), [[5.0], [7.0]], (3, 1))
    >>> c = sparcl.ops.rows_multiply(a, b)
    >>> c.indices.tolist(), c.values.tolist()
    ([2], [[14.0]])
    """
    context = context_of(a, b)
    to = _make.rows(context, a.shape, min(a._capacity, b._capacity), a.dtype, a._indices.dtype)
    _core.rows_multiply(context._core, to._core, a._core, b._core, None, 0)
    return to


def rows_multiply_dense(a: RowSparse, x: Dense) -> RowSparse:
    """The stored rows of a, each times the row of x with its index; x of the shape of a.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1]), [[1.0, 2.0]], (2, 2))
    >>> sparcl.ops.rows_multiply_dense(a, sparcl.dense([[0.0, 0], [3, 4]])).values.tolist()
    [[3.0, 8.0]]
    """
    v = _make.stored_rows(a)
    _core.rows_multiply_dense(context_of(a, x)._core, v._core, a._core, x._core)
    return _make.rows_with_values(a, v)
