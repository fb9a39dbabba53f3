"""Sums, maxima, norms and others of rows, columns and segments; softmax of the rows of a matrix.

Values are float32, float64, float16 or bfloat16. What is wrong raises ShapeError, DTypeError,
UncheckedError or ArgumentError with the message of the C library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy.typing as npt

from sparcl import _classes, _core, _list, _make, errors
from sparcl._array import context_of
from sparcl._enums import Duplicates, Over, Reduction, Softmax, axis_code, code
from sparcl.ops import _shapes
from sparcl.ops._call import into, run
from sparcl.ops._results import Reduced

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._list import List
    from sparcl._row_sparse import RowSparse

__all__ = [
    "coo_reduce",
    "csr_reduce",
    "csr_reduce_gradient",
    "csr_softmax",
    "csr_softmax_gradient",
    "csr_softmax_heads",
    "dense_reduce",
    "dense_reduce_gradient",
    "dot_rows",
    "dot_rows_gradient",
    "rows_reduce",
    "rows_reduce_gradient",
    "segment_reduce",
    "segment_reduce_gradient",
    "sum_rows",
]


def csr_reduce(
    a: CSR,
    kind: Reduction,
    axis: int | None = None,
    over: Over = "all",
    positions: bool = False,
) -> Reduced:
    """A reduction of each row (axis 1) to [m], of each column (axis 0) to [n], or of all to [1].

    Elements that are not stored are zeros, or with over="stored" none. With `positions`, for "max"
    and "min", also the position of the entry that each result is; -1 for none.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0], [0.0, 3.0]])
    >>> sparcl.ops.csr_reduce(a, "sum", axis=0).result.numpy().tolist()
    [1.0, 5.0]
    >>> sparcl.ops.csr_reduce(a, "max", axis=1, positions=True).positions.numpy().tolist()
    [1, 2]
    """
    column = axis_code(axis)
    count = {-1: 1, 0: a.shape[1], 1: a.shape[0]}[column]
    to = _make.dense(a.context, (count,), a.dtype)
    where = _make.integers(a.context, count, positions)
    run(
        _core.csr_reduce,
        code("reduction", kind),
        code("reduce_over", over),
        to,
        a,
        column,
        _make.buffer(where),
        0,
        a._transpose_pattern() if column == 0 else None,
    )
    return Reduced(to, where)


def csr_reduce_gradient(
    a: CSR,
    kind: Reduction,
    gy: Dense,
    axis: int | None = None,
    *,
    over: Over = "all",
    y: Dense | None = None,
    positions: Dense | None = None,
) -> Dense:
    """The gradient of :func:`csr_reduce` by the values of a [nnz], for the gradient gy of its
    result. `y`, the result, is needed for "norm"; `positions` are used for "max" and "min".

    >>> import sparcl
    >>> a, gy = sparcl.csr([[1.0, 2.0], [0.0, 3.0]]), sparcl.dense([1.0, 10.0])
    >>> sparcl.ops.csr_reduce_gradient(a, "max", gy, axis=1).numpy().tolist()
    [0.0, 1.0, 10.0]
    """
    context_of(a, positions)
    gv = _make.entries(a)
    column = axis_code(axis)
    run(
        _core.csr_reduce_gradient,
        code("reduction", kind),
        code("reduce_over", over),
        gv,
        gy,
        a,
        column,
        y,
        _make.operand_buffer(positions, "positions", gy.shape),
        0,
        a._transpose_pattern() if column == 0 else None,
    )
    return gv


def dense_reduce(x: Dense, kind: Reduction, axis: int | None = None) -> Dense:
    """ "sum", "mean", "square_sum", "norm" or "norm1" of each row (axis 1) to [m], of each column
    (axis 0) to [n], or of all to [1]. An array of another rank is a matrix of m rows.

    >>> import sparcl
    >>> x = sparcl.dense([[3.0, 4.0], [0.0, 1.0]])
    >>> sparcl.ops.dense_reduce(x, "norm", axis=1).numpy().tolist()
    [5.0, 1.0]
    """
    column = axis_code(axis)
    width = x.size // x.shape[0] if x.shape[0] else math.prod(x.shape[1:])
    to = _make.dense(x.context, ({-1: 1, 0: width, 1: x.shape[0]}[column],), x.dtype)
    run(_core.dense_reduce, code("reduction", kind), to, x, column)
    return to


def dense_reduce_gradient(
    x: Dense, kind: Reduction, gy: Dense, axis: int | None = None, y: Dense | None = None
) -> Dense:
    """The gradient of :func:`dense_reduce` by x, for the gradient gy of its result. `y`, the
    result, is needed for "norm".

    >>> import sparcl
    >>> x, gy = sparcl.dense([[3.0, 4.0]]), sparcl.dense([10.0])
    >>> sparcl.ops.dense_reduce_gradient(x, "mean", gy, axis=1).numpy().tolist()
    [[5.0, 5.0]]
    """
    gx = _make.like(x)
    run(_core.dense_reduce_gradient, code("reduction", kind), gx, gy, x, axis_code(axis), y)
    return gx


def rows_reduce(x: RowSparse, kind: Reduction, axis: int | None = None) -> Dense:
    """A reduction of the stored rows, of the kinds of :func:`dense_reduce`: of each stored row
    (axis 1) to [nnr], of each column (axis 0) to [n], or of all to [1]. A mean divides by the
    number of all elements of the array in that direction.

    >>> import numpy, sparcl
    >>> x = sparcl.rows(numpy.array([1, 3]), [[3.0, 4.0], [0.0, 1.0]], (4, 2))
    >>> sparcl.ops.rows_reduce(x, "mean", axis=0).numpy().tolist()
    [0.75, 1.25]
    """
    column = axis_code(axis)
    count = {-1: 1, 0: math.prod(x.shape[1:]), 1: x.nnr if column == 1 else 0}[column]
    to = _make.dense(x.context, (count,), x.dtype)
    run(_core.rows_reduce, code("reduction", kind), to, x, column)
    return to


def rows_reduce_gradient(
    x: RowSparse, kind: Reduction, gy: Dense, axis: int | None = None, y: Dense | None = None
) -> Dense:
    """The gradient of :func:`rows_reduce` by the stored rows of x [nnr, ...], for the gradient gy
    of its result. `y`, the result, is needed for "norm".

    >>> import numpy, sparcl
    >>> x = sparcl.rows(numpy.array([1]), [[3.0, 4.0]], (4, 2))
    >>> sparcl.ops.rows_reduce_gradient(x, "sum", sparcl.dense([2.0])).numpy().tolist()
    [[2.0, 2.0]]
    """
    gx = _make.stored_rows(x)
    run(_core.rows_reduce_gradient, code("reduction", kind), gx, gy, x, axis_code(axis), y)
    return gx


def coo_reduce(a: COO, how: Duplicates, axes: int | Sequence[int] | None = None) -> Dense:
    """ "sum", "mean", "max" or "min" of the stored entries over some axes, or over all to [1]; 0
    where there is none. Elements that are not stored do not count.

    >>> import sparcl
    >>> sparcl.ops.coo_reduce(sparcl.coo([[1.0, 0.0], [3.0, 4.0]]), "mean", 1).numpy().tolist()
    [1.0, 3.5]
    """
    chosen = range(a.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    order = _shapes.axes_of(list(chosen), a.ndim)
    kept = tuple(a.shape[d] for d in range(a.ndim) if d not in order) or (1,)
    to = _make.dense(a.context, kept, a.dtype)
    count = 0 if axes is None else len(order)
    given = [] if axes is None else order
    return into(to, _core.coo_reduce, code("duplicates", how), a, count, given)


def sum_rows(x: Dense, alpha: float = 1.0, *, beta: float = 0.0, out: Dense | None = None) -> Dense:
    """alpha times the sum of the rows of x [m, k]: [k]; of a vector [1]. `out` and beta as in
    :func:`spmm`.

    >>> import sparcl
    >>> sparcl.ops.sum_rows(sparcl.dense([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist()
    [4.0, 6.0]
    """
    r = _make.target(x.context, x.shape[1:] or (1,), x.dtype, out, beta)
    return into(r, _core.sum_rows, alpha, x, beta)


def dot_rows(x: Dense, y: Dense) -> Dense:
    """The dot product of row i of x and row i of y, both [m, ...]: [m].

    >>> import sparcl
    >>> x, y = sparcl.dense([[1.0, 2.0]]), sparcl.dense([[3.0, 4.0]])
    >>> sparcl.ops.dot_rows(x, y).numpy().tolist()
    [11.0]
    """
    return into(_make.dense(x.context, x.shape[:1], x.dtype), _core.dot_rows, x, y)


def dot_rows_gradient(gy: Dense, y: Dense) -> Dense:
    """Row i of y times gy[i]: the gradient of :func:`dot_rows` by x, for the gradient gy [m].

    >>> import sparcl
    >>> gy, y = sparcl.dense([2.0]), sparcl.dense([[3.0, 4.0]])
    >>> sparcl.ops.dot_rows_gradient(gy, y).numpy().tolist()
    [[6.0, 8.0]]
    """
    return into(_make.like(y), _core.dot_rows_gradient, gy, y)


def _segments(
    x: Dense, segments: CSR | List | npt.ArrayLike, count: int | None
) -> tuple[_core.Segments, int]:
    """The rows of a CSR matrix, or the segment of each item; and how many there are."""
    if isinstance(segments, (_classes.CSR, _list.List)):
        context_of(x, segments)
    if isinstance(segments, _classes.CSR):
        return _core.Segments(None, segments._core), segments.shape[0]
    if isinstance(segments, _list.List):
        return _core.Segments(segments._core, None), segments.limit
    if count is None:
        raise errors.ArgumentError("segments: expected the number of segments, found None")
    ids = _list.indices(segments, count, context=x.context)
    return _core.Segments(ids._core, None), count


def segment_reduce(
    x: Dense,
    ids: CSR | List | npt.ArrayLike,
    kind: Reduction,
    *,
    segments: int | None = None,
    positions: bool = False,
) -> Reduced:
    """A reduction of the rows of x [n, ...] that are in one segment, column by column, to [number
    of segments, ...]. `ids` [n] has the segment of each item, in any order, as integers with the
    number of `segments`, or as a :class:`List`; or it is a CSR matrix with n entries whose rows are
    the segments. A segment without items gives 0, its product 1.

    >>> import sparcl
    >>> x = sparcl.dense([[1.0], [2.0], [3.0]])
    >>> sparcl.ops.segment_reduce(x, [1, 0, 1], "sum", segments=3).result.numpy().tolist()
    [[2.0], [4.0], [0.0]]
    """
    chosen, count = _segments(x, ids, segments)
    to = _make.dense(x.context, (count, *x.shape[1:]), x.dtype)
    where = _make.dense(x.context, to.shape, _make.INT64) if positions else None
    run(_core.segment_reduce, code("reduction", kind), to, x, chosen, _make.buffer(where), 0)
    return Reduced(to, where)


def segment_reduce_gradient(
    gy: Dense,
    ids: CSR | List | npt.ArrayLike,
    kind: Reduction,
    *,
    x: Dense,
    segments: int | None = None,
    y: Dense | None = None,
    positions: Dense | None = None,
) -> Dense:
    """The gradient of :func:`segment_reduce` by x, for the gradient gy of its result. `y`, the
    result, is needed for "norm"; `positions` are used for "max" and "min".

    >>> import sparcl
    >>> x, gy = sparcl.dense([[1.0], [2.0], [3.0]]), sparcl.dense([[5.0], [7.0]])
    >>> sparcl.ops.segment_reduce_gradient(gy, [1, 0, 1], "max", x=x, segments=2).numpy().tolist()
    [[0.0], [5.0], [7.0]]
    """
    context_of(x, positions)
    chosen, _ = _segments(x, ids, segments)
    gx = _make.like(x)
    run(
        _core.segment_reduce_gradient,
        code("reduction", kind),
        gx,
        gy,
        x,
        chosen,
        y,
        _make.operand_buffer(positions, "positions", gy.shape),
        0,
    )
    return gx


def csr_softmax(a: CSR, kind: Softmax = "softmax") -> CSR:
    """The softmax of the stored entries of each row, or its logarithm; elements that are not stored
    count as minus infinity.

    >>> import sparcl
    >>> sparcl.ops.csr_softmax(sparcl.csr([[2.0, 0.0, 2.0]])).values.numpy().tolist()
    [0.5, 0.5]
    """
    v = _make.entries(a)
    run(_core.csr_softmax, code("softmax", kind), v, a)
    return _make.with_values(a, v)


def csr_softmax_heads(x: Dense, a: CSR, kind: Softmax = "softmax") -> Dense:
    """The softmax of each column of x [nnz, heads], whose row k belongs to entry k of a, over the
    entries of each row of a; only its offsets are read.

    >>> import sparcl
    >>> a, x = sparcl.csr([[1.0, 1.0]]), sparcl.dense([[2.0, 5.0], [2.0, 5.0]])
    >>> sparcl.ops.csr_softmax_heads(x, a).numpy().tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    v = _make.like(x)
    run(_core.csr_softmax_heads, code("softmax", kind), v, x, a)
    return v


def csr_softmax_gradient(gy: Dense, y: Dense, a: CSR, kind: Softmax = "softmax") -> Dense:
    """The gradient of :func:`csr_softmax` by the values, or of :func:`csr_softmax_heads` by x, for
    the result y and the gradient gy by it, both [nnz] or [nnz, heads].

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 1.0]])
    >>> y, gy = sparcl.dense([0.5, 0.5]), sparcl.dense([1.0, 0.0])
    >>> sparcl.ops.csr_softmax_gradient(gy, y, a).numpy().tolist()
    [0.25, -0.25]
    """
    gx = _make.like(gy)
    run(_core.csr_softmax_gradient, code("softmax", kind), gx, gy, y, a)
    return gx
