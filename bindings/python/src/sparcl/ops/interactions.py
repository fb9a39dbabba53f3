"""Products of all pairs of features of a row, for factorization machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from sparcl import _core, _make
from sparcl._array import context_of

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense
    from sparcl._list import List
    from sparcl._row_sparse import RowSparse


def interactions(a: CSR, b: Dense, sums: Dense) -> Dense:
    """For each row of a [m, n] the sum over all pairs of its entries of their product times the dot
    product of the rows of b [n, k] of their columns; sums [m, k] is a @ b. float32 or float64.

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0], [5.0]])
    >>> sparcl.ops.interactions(a, b, a @ b).numpy().tolist()
    [30.0]
    """
    z = _make.dense(a.context, (a.shape[0],), b.dtype)
    _core.interactions(context_of(a, b, sums)._core, z._core, a._core, b._core, sums._core)
    return z


def interactions_rows(a: CSR, b: Dense, sums: Dense, gz: Dense) -> RowSparse:
    """The gradient of :func:`interactions` by b, for the gradient gz [m]: a row for each column of
    a that has entries.

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0], [5.0]])
    >>> sparcl.ops.interactions_rows(a, b, a @ b, sparcl.dense([1.0])).values.tolist()
    [[10.0], [6.0]]
    """
    context = context_of(a, b, sums, gz)
    r = _make.rows(context, b.shape, min(a.shape[1], a.nnz), b.dtype, a._indices.dtype)
    pattern = a._transpose_pattern()
    _core.interactions_rows(context._core, r._core, a._core, b._core, sums._core, gz._core, pattern)
    return r


def field_interactions(a: CSR, fields: List | npt.ArrayLike, e: Dense, count: int = 0) -> Dense:
    """Those of a field-aware factorization machine, for each entry p of a the sum over the entries
    q after it in its row of their product times <e[p, block of the field of q], e[q, block of the
    field of p]>: [nnz]. fields [nnz] below `count`, or a :class:`List`; e [nnz, count k].

    >>> import sparcl
    >>> a, e = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0, 5.0], [7.0, 11.0]])
    >>> sparcl.ops.field_interactions(a, [0, 1], e, 2).numpy().tolist()
    [70.0, 0.0]
    """
    chosen = _make.indices(a.context, fields, count)
    t = _make.entries(a, e.dtype)
    context = context_of(a, chosen, e)
    _core.field_interactions(context._core, t._core, a._core, chosen._core, e._core)
    return t


def field_interactions_gradient(
    a: CSR, fields: List | npt.ArrayLike, e: Dense, gt: Dense, count: int = 0
) -> Dense:
    """The gradient of :func:`field_interactions` by e, for the gradient gt [nnz].

    >>> import sparcl
    >>> a, e = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0, 5.0], [7.0, 11.0]])
    >>> gt = sparcl.dense([1.0, 0.0])
    >>> sparcl.ops.field_interactions_gradient(a, [0, 1], e, gt, 2).numpy().tolist()
    [[0.0, 14.0], [10.0, 0.0]]
    """
    chosen = _make.indices(a.context, fields, count)
    ge = _make.like(e)
    context = context_of(a, chosen, e, gt)
    _core.field_interactions_gradient(
        context._core, ge._core, a._core, chosen._core, e._core, gt._core
    )
    return ge
