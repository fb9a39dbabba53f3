"""Rows of dense and of row-sparse arrays by their indices.

What is wrong raises ShapeError, DTypeError, DataError or UncheckedError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from sparcl import _core, _make, errors
from sparcl._enums import Duplicates, code
from sparcl.ops._call import coalesced, into, kept, moved
from sparcl.ops._results import Coalesced, Moved

if TYPE_CHECKING:
    from sparcl._dense import Dense
    from sparcl._list import List
    from sparcl._row_sparse import RowSparse

__all__ = [
    "gather_rows",
    "rows_coalesce",
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
    return into(to, _core.gather_rows, x, chosen)


def rows_coalesce(
    a: RowSparse,
    how: Duplicates = "sum",
    *,
    inverse: bool = False,
    counts: bool = False,
    source: bool = False,
) -> Coalesced[RowSparse]:
    """Sorted, with the rows of one index combined element by element: their "sum" in their order,
    "mean", "max", "min", "first" or "last". `source` is not for "max" and "min".

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1, 1]), [[1.0, 5.0], [2.0, 4.0]], (2, 2))
    >>> sparcl.ops.rows_coalesce(a, "max").result.values.tolist()
    [[2.0, 5.0]]
    """
    wanted = (inverse, counts, source)
    room = a.nnr if any(wanted) else a._capacity
    to = _make.rows(a.context, a.shape, room, a.dtype, a._indices.dtype)
    return coalesced(to, wanted, _core.rows_coalesce, a, code("duplicates", how))


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
    to = _make.rows(a.context, a.shape, len(chosen), a.dtype, chosen.dtype, counted=False)
    return moved(to, source, _core.rows_retain_all, a, chosen)


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
    to = _make.rows(a.context, a.shape, len(chosen), a.dtype, chosen.dtype)
    return kept(to, source, _core.rows_retain_stored, a, chosen)


def rows_retain_gradient(g: RowSparse, at: RowSparse) -> Dense:
    """The gradient of the stored rows of `at` where it was an operand of rows_retain_all,
    rows_retain_stored or rows_add_n, but for a factor: for each stored row of `at` the
    row of g, sorted and unique, with its index; zeros where there is none.

    >>> import numpy, sparcl
    >>> at = sparcl.rows(numpy.array([1, 2]), [[0.0], [0.0]], (3, 1))
    >>> g = sparcl.rows(numpy.array([2]), [[7.0]], (3, 1))
    >>> sparcl.ops.rows_retain_gradient(g, at).numpy().tolist()
    [[0.0], [7.0]]
    """
    return into(_make.stored_rows(at, g.dtype), _core.rows_retain_gradient, g, at)


def rows_mask(x: Dense, at: RowSparse) -> Dense:
    """The rows of x with the indices of the stored rows of `at`: the gradient of rows_to_dense.

    >>> import numpy, sparcl
    >>> at = sparcl.rows(numpy.array([1]), [[0.0]], (2, 1))
    >>> sparcl.ops.rows_mask(sparcl.dense([[1.0], [2.0]]), at).numpy().tolist()
    [[2.0]]
    """
    return into(_make.stored_rows(at, x.dtype), _core.rows_mask, x, at)


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
    return kept(to, source, _core.rows_slice, a, start)


def rows_concat(a: RowSparse, b: RowSparse) -> RowSparse:
    """The stored rows of a, then those of b: as an array, a + b.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1]), [[1.0]], (2, 1))
    >>> sparcl.ops.rows_concat(a, a).values.tolist()
    [[1.0], [1.0]]
    """
    to = _make.rows(a.context, a.shape, a._capacity + b._capacity, a.dtype, a._indices.dtype)
    return into(to, _core.rows_concat, a, b)
