"""Rows of dense and of row-sparse arrays by their indices.

What is wrong raises ShapeError, DTypeError, DataError or UncheckedError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from sparcl import _core, _make, errors
from sparcl._array import context_of
from sparcl._enums import Duplicates, code
from sparcl.ops._results import Coalesced, Moved

if TYPE_CHECKING:
    from sparcl._dense import Dense
    from sparcl._list import List
    from sparcl._row_sparse import RowSparse

__all__ = [
    "gather_rows",
    "rows_coalesce",
    "rows_coalesce_with",
    "rows_concat",
    "rows_mask",
    "rows_retain_all",
    "rows_retain_gradient",
    "rows_retain_stored",
    "rows_slice",
]


def gather_rows(x: Dense, rows: List | npt.ArrayLike) -> Dense:
    """The rows of x whose indices are in a list, in its order.

    >>> import sparcl
    >>> sparcl.ops.gather_rows(sparcl.dense([[1.0], [2.0]]), [1, 1, 0]).numpy().tolist()
    [[2.0], [2.0], [1.0]]
    """
    chosen = _make.indices(x.context, rows, x.shape[0])
    to = _make.dense(x.context, (len(chosen), *x.shape[1:]), x.dtype)
    _core.gather_rows(context_of(x, chosen)._core, to._core, x._core, chosen._core)
    return to


def rows_coalesce(a: RowSparse) -> RowSparse:
    """Sorted, with the rows of one index added in their order.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1, 1]), [[1.0], [2.0]], (2, 1))
    >>> sparcl.ops.rows_coalesce(a).values.tolist()
    [[3.0]]
    """
    to = _make.rows(a.context, a.shape, a._capacity, a.dtype, a._indices.dtype)
    _core.rows_coalesce(a.context._core, to._core, a._core)
    return to


def rows_coalesce_with(
    a: RowSparse,
    how: Duplicates,
    *,
    inverse: bool = False,
    counts: bool = False,
    source: bool = False,
) -> Coalesced[RowSparse]:
    """Sorted, with the rows of one index combined element by element. `source` is not for "max" and
    "min".

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1, 1]), [[1.0, 5.0], [2.0, 4.0]], (2, 2))
    >>> sparcl.ops.rows_coalesce_with(a, "max").result.values.tolist()
    [[2.0, 5.0]]
    """
    room = a.nnr
    to = _make.rows(a.context, a.shape, room, a.dtype, a._indices.dtype)
    more = [_make.integers(a.context, room, wanted) for wanted in (inverse, counts, source)]
    wanted = _core.Coalesced(*(_make.buffer(each) for each in more))
    _core.rows_coalesce_with(a.context._core, to._core, a._core, code("duplicates", how), wanted)
    cut = [None if each is None else each[: to.nnr] for each in more[1:]]
    return Coalesced(to, more[0], *cut)


def rows_retain_all(
    a: RowSparse, rows: List | npt.ArrayLike, *, source: bool = False
) -> Moved[RowSparse]:
    """Row list[i] of a as stored row i, zeros where a does not store it (source -1). a is sorted
    and unique.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1]), [[5.0]], (3, 1))
    >>> sparcl.ops.rows_retain_all(a, [2, 1]).result.values.tolist()
    [[0.0], [5.0]]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    context = context_of(a, chosen)
    to = _make.rows(context, a.shape, len(chosen), a.dtype, chosen.dtype, counted=False)
    where = _make.integers(context, len(chosen), source)
    moved = _core.Moved(_make.buffer(where), None)
    _core.rows_retain_all(context._core, to._core, a._core, chosen._core, moved)
    return Moved(to, where)


def rows_retain_stored(
    a: RowSparse, rows: List | npt.ArrayLike, *, source: bool = False
) -> Moved[RowSparse]:
    """The rows of a that are in the list, in its order; rows that a does not store are left out. a
    is sorted and unique.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1]), [[5.0]], (3, 1))
    >>> sparcl.ops.rows_retain_stored(a, [2, 1]).result.indices.tolist()
    [1]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    context = context_of(a, chosen)
    to = _make.rows(context, a.shape, len(chosen), a.dtype, chosen.dtype)
    where = _make.integers(context, len(chosen), source)
    moved = _core.Moved(_make.buffer(where), None)
    _core.rows_retain_stored(context._core, to._core, a._core, chosen._core, moved)
    return Moved(to, None if where is None else where[: to.nnr])


def rows_retain_gradient(g: RowSparse, at: RowSparse) -> Dense:
    """The gradient of the stored rows of `at` where it was an operand of rows_retain_all,
    rows_retain_stored, rows_add or rows_add_n, but for a factor: for each stored row of `at` the
    row of g, sorted and unique, with its index; zeros where there is none.

    >>> import numpy, sparcl
    >>> at = sparcl.rows(numpy.array([1, 2]), [[0.0], [0.0]], (3, 1))
    >>> g = sparcl.rows(numpy.array([2]), [[7.0]], (3, 1))
    >>> sparcl.ops.rows_retain_gradient(g, at).numpy().tolist()
    [[0.0], [7.0]]
    """
    to = _make.stored_rows(at, g.dtype)
    _core.rows_retain_gradient(context_of(g, at)._core, to._core, g._core, at._core)
    return to


def rows_mask(x: Dense, at: RowSparse) -> Dense:
    """The rows of x with the indices of the stored rows of `at`: the gradient of rows_to_dense.

    >>> import numpy, sparcl
    >>> at = sparcl.rows(numpy.array([1]), [[0.0]], (2, 1))
    >>> sparcl.ops.rows_mask(sparcl.dense([[1.0], [2.0]]), at).numpy().tolist()
    [[2.0]]
    """
    to = _make.stored_rows(at, x.dtype)
    _core.rows_mask(context_of(x, at)._core, to._core, x._core, at._core)
    return to


def rows_slice(a: RowSparse, start: int, stop: int, *, source: bool = False) -> Moved[RowSparse]:
    """Rows from `start` to `stop`, without that, of the array.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([0, 2]), [[1.0], [2.0]], (3, 1))
    >>> sparcl.ops.rows_slice(a, 1, 3).result.indices.tolist()
    [1]
    """
    if not 0 <= start <= stop <= a.shape[0]:
        raise errors.ShapeError(
            f"expected 0 <= start <= stop <= {a.shape[0]}, found {start} and {stop}"
        )
    shape = (stop - start, *a.shape[1:])
    to = _make.rows(a.context, shape, a._capacity, a.dtype, a._indices.dtype)
    where = _make.integers(a.context, a._capacity, source)
    moved = _core.Moved(_make.buffer(where), None)
    _core.rows_slice(a.context._core, to._core, a._core, start, moved)
    return Moved(to, None if where is None else where[: to.nnr])


def rows_concat(a: RowSparse, b: RowSparse) -> RowSparse:
    """The stored rows of a, then those of b: as an array, a + b.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1]), [[1.0]], (2, 1))
    >>> sparcl.ops.rows_concat(a, a).values.tolist()
    [[1.0], [1.0]]
    """
    context = context_of(a, b)
    to = _make.rows(context, a.shape, a._capacity + b._capacity, a.dtype, a._indices.dtype)
    _core.rows_concat(context._core, to._core, a._core, b._core)
    return to
