"""The order of the entries of CSR matrices: transposes, triangles, sorting, duplicates, empty rows.

Values are moved and keep their bits; all element types. With ``source=True``, also where each value
comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sparcl import _core, _host, _list, _make, errors
from sparcl._array import context_of
from sparcl._enums import Triangle, code
from sparcl._parts import Part
from sparcl.ops import _moved
from sparcl.ops._results import Coalesced, Filled, Moved, Unique

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense
    from sparcl._list import List


def csr_transpose(a: CSR, *, source: bool = False) -> Moved[CSR]:
    """The transpose in CSR format, with sorted rows.

    >>> import sparcl
    >>> sparcl.ops.csr_transpose(sparcl.csr([[1.0, 2.0]])).result.shape
    (2, 1)
    """
    to = _make.csr_like(a, (a.shape[1], a.shape[0]))
    context = a.context._core
    return _moved.full(to, source, lambda m: _core.csr_transpose(context, to._core, a._core, m))


def csr_eliminate_zeros(a: CSR, *, source: bool = False) -> Moved[CSR]:
    """Without the entries that are 0; NaN stays.

    >>> import sparcl
    >>> a = 0 * sparcl.csr([[1.0, 2.0]])
    >>> a.nnz, sparcl.ops.csr_eliminate_zeros(a).result.nnz
    (2, 0)
    """
    to = _make.csr_like(a)
    context = a.context._core
    return _moved.counted(
        to, source, lambda m: _core.csr_eliminate_zeros(context, to._core, a._core, m)
    )


def csr_triangle(a: CSR, part: Triangle, k: int = 0, *, source: bool = False) -> Moved[CSR]:
    """The entries whose column - row is at most k ("lower"), at least k ("upper") or k
    ("diagonal").

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0], [3.0, 4.0]])
    >>> sparcl.ops.csr_triangle(a, "upper", 1).result.values.numpy().tolist()
    [2.0]
    """
    to = _make.csr_like(a)
    context, which = a.context._core, code("part", part)
    return _moved.counted(
        to, source, lambda m: _core.csr_triangle(context, to._core, a._core, which, k, m)
    )


def csr_sort_indices(a: CSR, *, source: bool = False) -> Moved[CSR]:
    """The entries of each row in the order of their columns; duplicates stay.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0]])[:, [1, 0]]
    >>> sparcl.ops.csr_sort_indices(a).result.has_sorted_indices
    True
    """
    to = _make.csr_like(a)
    context = a.context._core
    return _moved.full(to, source, lambda m: _core.csr_sort_indices(context, to._core, a._core, m))


def csr_reshape(a: CSR, shape: tuple[int, int], *, source: bool = False) -> Moved[CSR]:
    """Another shape of the same number of elements, in row-major order.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0], [0.0, 4.0]])
    >>> sparcl.ops.csr_reshape(a, (1, 4)).result.dense().numpy().tolist()
    [[1.0, 2.0, 0.0, 4.0]]
    """
    to = _make.csr_like(a, shape)
    context = a.context._core
    return _moved.full(to, source, lambda m: _core.csr_reshape(context, to._core, a._core, m))


def csr_fill_empty_rows(a: CSR, value: float) -> Filled[CSR]:
    """Sorted, with an entry in column 0 of each row that has none: as sparse_fill_empty_rows of
    TensorFlow.

    >>> import sparcl
    >>> filled = sparcl.ops.csr_fill_empty_rows(sparcl.csr([[0.0, 2.0], [0.0, 0.0]]), 9.0)
    >>> filled.result.dense().numpy().tolist(), filled.is_empty.numpy().tolist()
    ([[0.0, 2.0], [9.0, 0.0]], [False, True])
    """
    context, rows = a.context, a.shape[0]
    room = a.nnz + rows
    to = _make.csr_like(a, nnz=room)
    is_empty = _make.dense(context, (rows,), np.bool_)
    inverse, source = (_make.dense(context, (n,), np.int64) for n in (a.nnz, room))
    more = _core.Filled(is_empty._part.buffer, inverse._part.buffer, source._part.buffer, None)
    _core.csr_fill_empty_rows(context._core, to._core, a._core, value, more)
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
    context = context_of(gy, to, a)
    _core.csr_fill_empty_rows_gradient(context._core, gv._core, gy._core, to._core, a._core)
    return gv


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
    _core.csr_sum_duplicates(a.context._core, to._core, a._core, _make.buffer(where), 0)
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
    _core.unique(context._core, to, x._core)
    number = _host.count(found)
    made = _list.List(context, x.limit, indices.first(context, number))
    made._core.validate(context._core)
    return Unique(made, inverse, counts[:number], first[:number])
