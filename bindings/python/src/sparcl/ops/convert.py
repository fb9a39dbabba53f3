"""Conversions between formats, entries by threshold and by rank.

Values keep their bits. Where the size of a result depends on the data, it is read from the device,
and the result has exactly its entries; COO and row-sparse results do this on request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparcl import _core, _host, _make
from sparcl._array import context_of
from sparcl._enums import TopK, code
from sparcl._parts import index_dtype
from sparcl.ops import _shapes

if TYPE_CHECKING:
    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


# --- to a dense array


def csr_to_dense(a: CSR) -> Dense:
    """All elements; those of one place are added.

    >>> import sparcl
    >>> sparcl.ops.csr_to_dense(sparcl.csr([[0.0, 2.0]])).numpy().tolist()
    [[0.0, 2.0]]
    """
    to = _make.dense(a.context, a.shape, a.dtype)
    _core.csr_to_dense(a.context._core, to._core, a._core)
    return to


def csc_to_dense(a: CSC) -> Dense:
    """All elements; those of one place are added.

    >>> import sparcl
    >>> sparcl.ops.csc_to_dense(sparcl.csc([[0.0, 2.0]])).numpy().tolist()
    [[0.0, 2.0]]
    """
    to = _make.dense(a.context, a.shape, a.dtype)
    _core.csc_to_dense(a.context._core, to._core, a._core)
    return to


def coo_to_dense(a: COO) -> Dense:
    """All elements of an array of any rank; those of one place are added.

    >>> import sparcl
    >>> sparcl.ops.coo_to_dense(sparcl.coo([[0.0, 2.0]])).numpy().tolist()
    [[0.0, 2.0]]
    """
    to = _make.dense(a.context, a.shape, a.dtype)
    _core.coo_to_dense(a.context._core, to._core, a._core)
    return to


def bsr_to_dense(a: BSR) -> Dense:
    """All elements.

    >>> import sparcl
    >>> sparcl.ops.bsr_to_dense(sparcl.csr([[0.0, 2.0]]).bsr((1, 2))).numpy().tolist()
    [[0.0, 2.0]]
    """
    to = _make.dense(a.context, a.shape, a.dtype)
    _core.bsr_to_dense(a.context._core, to._core, a._core)
    return to


def rows_to_dense(a: RowSparse) -> Dense:
    """All rows; stored rows of one index are added.

    >>> import numpy, sparcl
    >>> sparcl.ops.rows_to_dense(sparcl.rows(numpy.array([1]), [[5.0]], (2, 1))).numpy().tolist()
    [[0.0], [5.0]]
    """
    to = _make.dense(a.context, a.shape, a.dtype)
    _core.rows_to_dense(a.context._core, to._core, a._core)
    return to


# --- from a dense array


def dense_to_csr(x: Dense, threshold: float = 0.0) -> CSR:
    """The elements with |x| > threshold, or that are NaN; all with a negative threshold.

    >>> import sparcl
    >>> sparcl.ops.dense_to_csr(sparcl.dense([[0.5, -2.0]]), 1.0).values.numpy().tolist()
    [-2.0]
    """
    context, shape = x.context, _shapes.matrix(x)
    needed = _make.dense(context, (1,), np.int64)
    nnz = 0
    for _ in range(2):
        to = _make.csr(context, shape, nnz, x.dtype, index_dtype(x.size))
        _core.dense_to_csr(context._core, to._core, x._core, threshold, needed._part.buffer, 0)
        nnz = _host.count(needed)
    return to


def dense_to_coo(x: Dense, threshold: float = 0.0) -> COO:
    """The same as a COO array of the rank of x.

    >>> import sparcl
    >>> sparcl.ops.dense_to_coo(sparcl.dense([0.0, 3.0])).nnz
    1
    """
    context = x.context
    needed = _make.dense(context, (1,), np.int64)
    nnz = 0
    for _ in range(2):
        to = _make.coo(context, x.shape, nnz, x.dtype, index_dtype(x.size))
        _core.dense_to_coo(context._core, to._core, x._core, threshold, needed._part.buffer, 0)
        nnz = _host.count(needed)
    return to


def dense_to_rows(x: Dense, threshold: float = 0.0) -> RowSparse:
    """The rows that have an element with |x| > threshold.

    >>> import sparcl
    >>> sparcl.ops.dense_to_rows(sparcl.dense([[0.0, 0.0], [0.0, 3.0]])).indices.tolist()
    [1]
    """
    context = x.context
    needed = _make.dense(context, (1,), np.int64)
    nnr = 0
    for _ in range(2):
        to = _make.rows(context, x.shape, nnr, x.dtype, index_dtype(x.size))
        _core.dense_to_rows(context._core, to._core, x._core, threshold, needed._part.buffer, 0)
        nnr = _host.count(needed)
    return to


def topk_rows(x: Dense, k: int, by: TopK = "value") -> CSR:
    """The k largest elements of each row of a matrix, by "value" or by "magnitude", in the order of
    their columns; of equal ones the first.

    >>> import sparcl
    >>> sparcl.ops.topk_rows(sparcl.dense([[3.0, -9.0, 5.0]]), 2).values.numpy().tolist()
    [3.0, 5.0]
    """
    shape = _shapes.matrix(x)
    room = shape[0] * min(max(k, 0), shape[1])
    to = _make.csr(x.context, shape, room, x.dtype, index_dtype(x.size))
    _core.topk_rows(x.context._core, to._core, x._core, k, code("topk", by))
    return to


def sparse_mask(x: Dense, a: CSR) -> Dense:
    """The elements of x where a has entries: [nnz]. Both of one shape; the values of a are not
    read.

    >>> import sparcl
    >>> a = sparcl.csr([[0.0, 1.0], [1.0, 0.0]])
    >>> sparcl.ops.sparse_mask(sparcl.dense([[1.0, 2.0], [3.0, 4.0]]), a).numpy().tolist()
    [2.0, 3.0]
    """
    to = _make.entries(a, x.dtype)
    _core.sparse_mask(context_of(x, a)._core, to._core, x._core, a._core)
    return to
