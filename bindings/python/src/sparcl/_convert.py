"""Conversions between formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparcl import _compressed, _coordinates, _core, _dense, _row_sparse
from sparcl._parts import Part

if TYPE_CHECKING:
    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


def _dense_like(x: CSR | CSC | COO | RowSparse) -> Dense:
    return _dense.Dense(x.context, Part.empty(x.context, x.shape, x.dtype))


def csr_to_dense(a: CSR) -> Dense:
    to = _dense_like(a)
    _core.csr_to_dense(a.context._core, to._core, a._core)
    return to


def csc_to_dense(a: CSC) -> Dense:
    to = _dense_like(a)
    _core.csc_to_dense(a.context._core, to._core, a._core)
    return to


def coo_to_dense(a: COO) -> Dense:
    to = _dense_like(a)
    _core.coo_to_dense(a.context._core, to._core, a._core)
    return to


def rows_to_dense(a: RowSparse) -> Dense:
    to = _dense_like(a)
    _core.rows_to_dense(a.context._core, to._core, a._core)
    return to


def _compressed_parts(a: CSR | CSC, offsets: int) -> tuple[Part, Part, Part]:
    return (
        Part.empty(a.context, (offsets + 1,), a._offsets.dtype),
        Part.empty(a.context, (a.nnz,), a._indices.dtype),
        Part.empty(a.context, (a.nnz,), a.dtype),
    )


def csr_to_csc(a: CSR) -> CSC:
    to = _compressed.CSC(a.context, a.shape, *_compressed_parts(a, a.shape[1]))
    _core.csr_to_csc(a.context._core, to._core, a._core)
    return to


def csc_to_csr(a: CSC) -> CSR:
    to = _compressed.CSR(a.context, a.shape, *_compressed_parts(a, a.shape[0]))
    _core.csc_to_csr(a.context._core, to._core, a._core)
    return to


def csr_to_coo(a: CSR) -> COO:
    indices = [Part.empty(a.context, (a.nnz,), a._indices.dtype) for _ in range(2)]
    to = _coordinates.COO(a.context, a.shape, indices, Part.empty(a.context, (a.nnz,), a.dtype))
    _core.csr_to_coo(a.context._core, to._core, a._core)
    return to


def coo_to_csr(a: COO) -> CSR:
    if len(a.shape) != 2:
        raise ValueError(f"expected a matrix, found an array of the shape {a.shape}")
    nnz, index = a._values.shape[0], a._indices[0].dtype
    to = _compressed.CSR(
        a.context,
        (a.shape[0], a.shape[1]),
        Part.empty(a.context, (a.shape[0] + 1,), index),
        Part.empty(a.context, (nnz,), index),
        Part.empty(a.context, (nnz,), a.dtype),
    )
    _core.coo_to_csr(a.context._core, to._core, a._core)
    return to


def coo_coalesce(a: COO) -> COO:
    context, nnz = a.context, a._values.shape[0]
    to = _coordinates.COO(
        context,
        a.shape,
        [Part.empty(context, (nnz,), part.dtype) for part in a._indices],
        Part.empty(context, (nnz,), a.dtype),
        Part.empty(context, (1,), np.int64),
    )
    _core.coo_coalesce(context._core, to._core, a._core)
    return to


def rows_coalesce(a: RowSparse) -> RowSparse:
    context = a.context
    to = _row_sparse.RowSparse(
        context,
        a.shape,
        Part.empty(context, a._indices.shape, a._indices.dtype),
        Part.empty(context, a._values.shape, a.dtype),
        Part.empty(context, (1,), np.int64),
    )
    _core.rows_coalesce(context._core, to._core, a._core)
    return to


def dense_to_csr(x: Dense, threshold: float) -> CSR:
    """The size is found first, then the entries."""
    if len(x.shape) != 2:
        raise ValueError(f"expected a matrix, found an array of the shape {x.shape}")
    context, shape = x.context, (x.shape[0], x.shape[1])
    needed = Part.empty(context, (1,), np.int64)
    nnz = 0
    for _ in range(2):
        to = _compressed.CSR(
            context,
            shape,
            Part.empty(context, (shape[0] + 1,), np.int64),
            Part.empty(context, (nnz,), np.int64),
            Part.empty(context, (nnz,), x.dtype),
        )
        _core.dense_to_csr(context._core, to._core, x._core, threshold, needed.buffer, 0)
        nnz = int(needed.numpy()[0])
    return to
