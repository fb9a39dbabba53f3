"""Products of sparse and dense matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparcl import _arrays, _core

if TYPE_CHECKING:
    from sparcl._arrays import CSR, Dense, RowSparse


def spmm(a: CSR, b: Dense) -> Dense:
    """A @ B, of a sparse and a dense matrix or vector."""
    shape = (a.shape[0], *b.shape[1:])
    c = _arrays.Dense(a.context, _arrays.empty_part(a.context, shape, b.dtype))
    _core.spmm(a.context._core, c._core, 1.0, a._core, b._core, 0.0)
    return c


def spmm_t_rows(a: CSR, b: Dense) -> RowSparse:
    """A.T @ B: a row for each column of A that has entries."""
    capacity = min(a.shape[1], a.nnz)
    context = a.context
    r = _arrays.RowSparse(
        context,
        (a.shape[1], *b.shape[1:]),
        _arrays.empty_part(context, (capacity,), a._indices.dtype),
        _arrays.empty_part(context, (capacity, *b.shape[1:]), b.dtype),
        _arrays.empty_part(context, (1,), np.int64),
    )
    _core.spmm_t_rows(context._core, r._core, 1.0, a._core, b._core, a._transpose_pattern())
    return r
