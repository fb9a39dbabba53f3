"""Copies of the values of nodes, which are in memory that the next run overwrites."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sparcl import _compressed, _coordinates, _core, _numbers, _row_sparse
from sparcl._context import Context
from sparcl._parts import Part

_DTYPES = ("float32", "float64", "float16", "uint16")
_ITYPES = ("int32", "int64")
_BFLOAT16 = 3


def _shaped(shape: list[int] | tuple[int, ...], dtype: int) -> npt.NDArray[Any]:
    return np.empty(shape, _DTYPES[dtype])


def _as_floats(array: npt.NDArray[Any], dtype: int) -> npt.NDArray[Any]:
    """NumPy has no bfloat16: its numbers become float32."""
    if dtype != _BFLOAT16:
        return array
    return (array.astype(np.uint32) << 16).view(np.float32)


def dense(context: Context, view: _core.Dense) -> npt.NDArray[Any]:
    """All elements; bfloat16 as float32."""
    array = _shaped(view.shape, view.dtype)
    _core.read_dense(view, context._core, array)
    return _as_floats(array, view.dtype)


def write_dense(context: Context, view: _core.Dense, array: npt.ArrayLike, what: str) -> None:
    """Set all elements."""
    kind = np.dtype(_DTYPES[view.dtype])
    if view.dtype == _BFLOAT16:
        raise TypeError(f"{what}: expected float32, float64 or float16 elements, found bfloat16")
    host = _numbers.real(array, kind, what)
    if list(host.shape) != list(view.shape):
        raise ValueError(f"{what}: expected the shape {tuple(view.shape)}, found {host.shape}")
    _core.write_dense(view, context._core, host)


def csr(context: Context, view: _core.Csr) -> _compressed.CSR:
    """A CSR matrix with exactly its entries."""
    rows, cols = view.shape
    offsets = np.empty(rows + 1, _ITYPES[view.offset_type])
    indices = np.empty(view.capacity, _ITYPES[view.index_type])
    values = _shaped((view.capacity,), view.dtype)
    nnz = _core.read_csr(view, context._core, offsets, indices, values)
    host = (offsets, indices[:nnz], _as_floats(values[:nnz], view.dtype))
    made = _compressed.CSR(context, (rows, cols), *[Part.of(context, array) for array in host])
    made._core.validate(context._core)
    return made


def rows(context: Context, view: _core.Rows) -> _row_sparse.RowSparse:
    """A row-sparse array with exactly its rows."""
    shape = tuple(view.shape)
    indices = np.empty(view.capacity, _ITYPES[view.index_type])
    values = _shaped((view.capacity, *shape[1:]), view.dtype)
    nnr = _core.read_rows(view, context._core, indices, values)
    host = (indices[:nnr], _as_floats(values[:nnr], view.dtype))
    made = _row_sparse.RowSparse(context, shape, *[Part.of(context, array) for array in host])
    made._core.validate(context._core)
    return made


def coo(context: Context, view: _core.Coo) -> _coordinates.COO:
    """A COO array with exactly its entries."""
    shape = tuple(view.shape)
    indices = [np.empty(view.capacity, _ITYPES[view.index_type]) for _ in shape]
    values = _shaped((view.capacity,), view.dtype)
    nnz = _core.read_coo(view, context._core, list(indices), values)
    parts = [Part.of(context, array[:nnz]) for array in indices]
    numbers = Part.of(context, _as_floats(values[:nnz], view.dtype))
    made = _coordinates.COO(context, shape, parts, numbers)
    made._core.validate(context._core)
    return made
