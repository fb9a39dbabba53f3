"""Products of sparse and dense matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparcl import _core, _dense, _row_sparse
from sparcl._parts import Part

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


def spmm(a: CSR, b: Dense) -> Dense:
    """A @ B, of a sparse and a dense matrix or vector."""
    context = a.context
    c = _dense.Dense(context, Part.empty(context, (a.shape[0], *b.shape[1:]), b.dtype))
    _core.spmm(context._core, c._core, 1.0, a._core, b._core, 0.0)
    return c


def spmm_t_rows(a: CSR, b: Dense) -> RowSparse:
    """A.T @ B: a row for each column of A that has entries."""
    context, capacity = a.context, min(a.shape[1], a.nnz)
    r = _row_sparse.RowSparse(
        context,
        (a.shape[1], *b.shape[1:]),
        Part.empty(context, (capacity,), a._indices.dtype),
        Part.empty(context, (capacity, *b.shape[1:]), b.dtype),
        Part.empty(context, (1,), np.int64),
    )
    pattern = a._transpose_pattern()
    _core.spmm_t_rows(context._core, r._core, 1.0, a._core, b._core, pattern)
    return r
