"""The order and the shape of CSR matrices: slices, selections, concatenation, transposes, sorting,
triangles, duplicates, empty rows; the distinct indices of a list.

Values are moved and keep their bits; all element types. With ``source=True``, also where each value
comes from. What is wrong raises ShapeError, DTypeError, DataError or UncheckedError.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sparcl import _core, _host, _list, _make, errors
from sparcl._array import context_of
from sparcl._enums import Triangle, code
from sparcl._parts import Part
from sparcl.ops._call import counted, filled, into, moved, run, taken
from sparcl.ops._results import Coalesced, Filled, Moved, Unique

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense
    from sparcl._list import List

__all__ = [
    "csr_block_diagonal",
    "csr_concat_columns",
    "csr_concat_rows",
    "csr_fill_empty_rows",
    "csr_fill_empty_rows_gradient",
    "csr_reshape",
    "csr_retain_rows",
    "csr_slice_columns",
    "csr_slice_rows",
    "csr_sort_indices",
    "csr_sum_duplicates",
    "csr_take_columns",
    "csr_take_rows",
    "csr_transpose",
    "csr_triangle",
    "dense_concat",
    "dense_split",
    "unique",
]


def _check_range(start: int, stop: int, size: int) -> None:
    if not 0 <= start <= stop <= size:
        raise errors.ShapeError(f"expected 0 <= start <= stop <= {size}, found {start} and {stop}")


def csr_slice_rows(a: CSR, start: int, stop: int, *, source: bool = False) -> Moved[CSR]:
    """Rows from `start` to `stop`, without that.

    >>> import sparcl
    >>> part, _ = sparcl.ops.csr_slice_rows(sparcl.csr([[1.0], [2.0], [3.0]]), 1, 3)
    >>> part.values.numpy().tolist()
    [2.0, 3.0]
    """
    _check_range(start, stop, a.shape[0])
    to = _make.csr_like(a, (stop - start, a.shape[1]))
    return counted(to, source, _core.csr_slice_rows, a, start)


def csr_slice_columns(a: CSR, start: int, stop: int, *, source: bool = False) -> Moved[CSR]:
    """Columns from `start` to `stop`, without that.

    >>> import sparcl
    >>> part, source = sparcl.ops.csr_slice_columns(sparcl.csr([[1.0, 2.0]]), 1, 2, source=True)
    >>> part.shape, source.numpy().tolist()
    ((1, 1), [1])
    """
    _check_range(start, stop, a.shape[1])
    to = _make.csr_like(a, (a.shape[0], stop - start))
    return counted(to, source, _core.csr_slice_columns, a, start)


def csr_take_rows(a: CSR, rows: List | npt.ArrayLike, *, source: bool = False) -> Moved[CSR]:
    """The rows whose indices are in a list, in its order; an index may occur several times.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0], [2.0]])
    >>> sparcl.ops.csr_take_rows(a, [1, 0], source=True).source.numpy().tolist()
    [1, 0]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    room = partial(_make.csr_like, a, (len(chosen), a.shape[1]))
    return taken(room, source, _core.csr_take_rows, a, chosen)


def csr_take_columns(a: CSR, columns: List | npt.ArrayLike, *, source: bool = False) -> Moved[CSR]:
    """The columns whose indices are in a list, in its order; an index may occur several times.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0, 3.0]])
    >>> sparcl.ops.csr_take_columns(a, [2, 0]).result.dense().numpy().tolist()
    [[3.0, 1.0]]
    """
    chosen = _make.indices(a.context, columns, a.shape[1])
    room = partial(_make.csr_like, a, (a.shape[0], len(chosen)))
    return taken(room, source, _core.csr_take_columns, a, chosen)


def csr_retain_rows(a: CSR, rows: List | npt.ArrayLike, *, source: bool = False) -> Moved[CSR]:
    """The entries of the rows in a list only; all other rows are empty.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0], [2.0]])
    >>> sparcl.ops.csr_retain_rows(a, [1]).result.dense().numpy().tolist()
    [[0.0], [2.0]]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    return counted(_make.csr_like(a), source, _core.csr_retain_rows, a, chosen)


def _joined(matrices: Sequence[CSR], shape: tuple[int, int]) -> CSR:
    first = matrices[0]
    index = np.result_type(*(a._indices.dtype for a in matrices))
    nnz = sum(a.nnz for a in matrices)
    return _make.csr(context_of(*matrices), shape, nnz, first.dtype, index)


def csr_concat_rows(matrices: Sequence[CSR], *, source: bool = False) -> Moved[CSR]:
    """The rows of all matrices, one below the other: as scipy.sparse.vstack.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 0.0]])
    >>> sparcl.ops.csr_concat_rows([a, a]).result.shape
    (2, 2)
    """
    to = _joined(matrices, (sum(a.shape[0] for a in matrices), matrices[0].shape[1]))
    return moved(to, source, _core.csr_concat_rows, [a._core for a in matrices])


def csr_concat_columns(matrices: Sequence[CSR], *, source: bool = False) -> Moved[CSR]:
    """The columns of all matrices, side by side: as scipy.sparse.hstack.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 0.0]])
    >>> sparcl.ops.csr_concat_columns([a, a]).result.dense().numpy().tolist()
    [[1.0, 0.0, 1.0, 0.0]]
    """
    to = _joined(matrices, (matrices[0].shape[0], sum(a.shape[1] for a in matrices)))
    return moved(to, source, _core.csr_concat_columns, [a._core for a in matrices])


def csr_block_diagonal(matrices: Sequence[CSR], *, source: bool = False) -> Moved[CSR]:
    """A matrix with the others as blocks on its diagonal: as scipy.sparse.block_diag.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0]])
    >>> sparcl.ops.csr_block_diagonal([a, a]).result.dense().numpy().tolist()
    [[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 2.0]]
    """
    shape = (sum(a.shape[0] for a in matrices), sum(a.shape[1] for a in matrices))
    to = _joined(matrices, shape)
    return moved(to, source, _core.csr_block_diagonal, [a._core for a in matrices])


def dense_concat(parts: Sequence[Dense], axis: int = 0) -> Dense:
    """Matrices one below the other (axis 0), also vectors, or side by side (axis 1).

    >>> import sparcl
    >>> x = sparcl.dense([[1.0, 2.0]])
    >>> sparcl.ops.dense_concat([x, x], axis=1).numpy().tolist()
    [[1.0, 2.0, 1.0, 2.0]]
    """
    context, first = context_of(*parts), parts[0]
    if axis not in {0, 1} or axis >= first.ndim:
        raise errors.ArgumentError(f"axis: expected 0, or 1 for matrices, found {axis}")
    size = sum(part.shape[axis] if axis < part.ndim else 0 for part in parts)
    shape = (*first.shape[:axis], size, *first.shape[axis + 1 :])
    to = _make.dense(context, shape, first.dtype)
    return into(to, _core.dense_concat, [part._core for part in parts], axis)


def dense_split(x: Dense, sizes: Sequence[int], axis: int = 0) -> list[Dense]:
    """Parts of these sizes of the rows (axis 0) or columns (axis 1), as copies; slices are views.

    >>> import sparcl
    >>> a, b = sparcl.ops.dense_split(sparcl.dense([[1.0, 2.0, 3.0]]), [1, 2], axis=1)
    >>> b.numpy().tolist()
    [[2.0, 3.0]]
    """
    if axis not in {0, 1} or axis >= x.ndim:
        raise errors.ArgumentError(f"axis: expected 0, or 1 for matrices, found {axis}")
    if any(size < 0 for size in sizes):
        raise errors.ShapeError(f"sizes: expected at least 0, found {list(sizes)}")
    parts = [
        _make.dense(x.context, (*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
        for size in sizes
    ]
    run(_core.dense_split, [part._core for part in parts], x, axis)
    return parts


def csr_transpose(a: CSR, *, source: bool = False) -> Moved[CSR]:
    """The transpose in CSR format, with sorted rows.

    >>> import sparcl
    >>> sparcl.ops.csr_transpose(sparcl.csr([[1.0, 2.0]])).result.shape
    (2, 1)
    """
    return moved(_make.csr_like(a, (a.shape[1], a.shape[0])), source, _core.csr_transpose, a)


def csr_triangle(a: CSR, part: Triangle, k: int = 0, *, source: bool = False) -> Moved[CSR]:
    """The entries whose column - row is at most k ("lower"), at least k ("upper") or k
    ("diagonal").

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0], [3.0, 4.0]])
    >>> sparcl.ops.csr_triangle(a, "upper", 1).result.values.numpy().tolist()
    [2.0]
    """
    return counted(_make.csr_like(a), source, _core.csr_triangle, a, code("part", part), k)


def csr_sort_indices(a: CSR, *, source: bool = False) -> Moved[CSR]:
    """The entries of each row in the order of their columns; duplicates stay.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0]])[:, [1, 0]]
    >>> sparcl.ops.csr_sort_indices(a).result.has_sorted_indices
    True
    """
    return moved(_make.csr_like(a), source, _core.csr_sort_indices, a)


def csr_reshape(a: CSR, shape: tuple[int, int], *, source: bool = False) -> Moved[CSR]:
    """Another shape of the same number of elements, in row-major order.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0], [0.0, 4.0]])
    >>> sparcl.ops.csr_reshape(a, (1, 4)).result.dense().numpy().tolist()
    [[1.0, 2.0, 0.0, 4.0]]
    """
    return moved(_make.csr_like(a, shape), source, _core.csr_reshape, a)


def csr_fill_empty_rows(a: CSR, value: float) -> Filled[CSR]:
    """Sorted, with an entry in column 0 of each row that has none: as sparse_fill_empty_rows of
    TensorFlow.

    >>> import sparcl
    >>> filled = sparcl.ops.csr_fill_empty_rows(sparcl.csr([[0.0, 2.0], [0.0, 0.0]]), 9.0)
    >>> filled.result.dense().numpy().tolist(), filled.is_empty.numpy().tolist()
    ([[0.0, 2.0], [9.0, 0.0]], [False, True])
    """
    to = _make.csr_like(a, nnz=a.nnz + a.shape[0])
    _, is_empty, inverse, source = filled(to, a, value, _core.csr_fill_empty_rows)
    count = int(to._offsets.numpy()[-1])
    return Filled(_make.cut(to, count), is_empty, inverse, source[:count])


def csr_fill_empty_rows_gradient(gy: Dense, to: CSR, a: CSR) -> Dense:
    """The gradient of :func:`csr_fill_empty_rows` by the value of new entries [1], for its result
    `to` and the gradient gy [nnz of `to`] by its values.

    >>> import sparcl
    >>> a = sparcl.csr([[0.0, 2.0], [0.0, 0.0]])
    >>> to = sparcl.ops.csr_fill_empty_rows(a, 9.0).result
    >>> sparcl.ops.csr_fill_empty_rows_gradient(sparcl.dense([3.0, 5.0]), to, a).numpy().tolist()
    [5.0]
    """
    gv = _make.dense(a.context, (1,), gy.dtype)
    return into(gv, _core.csr_fill_empty_rows_gradient, gy, to, a)


def csr_sum_duplicates(a: CSR, *, inverse: bool = False) -> Coalesced[CSR]:
    """Sorted rows, in which entries of one column are added; with `inverse` the entry of the result
    that each entry is in.

    >>> import numpy, scipy.sparse, sparcl
    >>> a = scipy.sparse.csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 2))
    >>> sparcl.ops.csr_sum_duplicates(sparcl.csr(a)).result.values.numpy().tolist()
    [3.0]
    """
    to = _make.csr_like(a)
    where = _make.integers(a.context, a.nnz, inverse)
    run(_core.csr_sum_duplicates, to, a, _make.buffer(where), 0)
    exact = _make.cut(to, int(to._offsets.numpy()[-1]))
    return Coalesced(exact, where, None, None)


def unique(x: List | npt.ArrayLike, limit: int | None = None) -> Unique:
    """The distinct indices of a list, ascending, with where and how often they occur.

    >>> import sparcl
    >>> found = sparcl.ops.unique([5, 2, 5], limit=10)
    >>> found.indices.numpy().tolist(), found.counts.numpy().tolist()
    ([2, 5], [1, 2])
    >>> found.inverse.numpy().tolist(), found.first.numpy().tolist()
    ([1, 0, 1], [1, 0])
    """
    if not isinstance(x, _list.List):
        if limit is None:
            raise errors.ArgumentError("limit: expected a number above all indices, found None")
        x = _list.indices(x, limit)
    context, count = x.context, len(x)
    found = _make.dense(context, (1,), np.int64)
    indices = Part.empty(context, (count,), x.dtype)
    inverse, counts, first = (_make.dense(context, (count,), np.int64) for _ in range(3))
    to = _core.Unique(
        found._part.buffer,
        indices.buffer,
        inverse._part.buffer,
        counts._part.buffer,
        first._part.buffer,
    )
    run(_core.unique, to, x)
    number = _host.count(found)
    made = _list.List(context, x.limit, indices.first(context, number))
    made._core.validate(context._core)
    return Unique(made, inverse, counts[:number], first[:number])
