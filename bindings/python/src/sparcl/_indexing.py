"""Slices and selections: what stands between brackets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sparcl import _classes, _list, _make, errors, ops

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._list import List
    from sparcl._row_sparse import RowSparse

Range = tuple[int, int]


def _position(index: int, size: int, axis: int) -> int:
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index % size


def _range(key: Any, size: int, axis: int) -> Range | None:
    """The start and the stop of a slice with the step 1, or of one index."""
    if isinstance(key, (int, np.integer)):
        at = _position(int(key), size, axis)
        return (at, at + 1)
    if isinstance(key, slice):
        start, stop, step = key.indices(size)
        return (start, max(start, stop)) if step == 1 else None
    return None


def _selection(key: Any, size: int) -> npt.NDArray[Any] | List:
    """The indices of a slice with another step, of a mask, or as they are."""
    if isinstance(key, _list.List):
        return key
    if isinstance(key, slice):
        return np.arange(size)[key]
    chosen = np.asarray(key)
    if chosen.dtype == np.bool_:
        if chosen.shape != (size,):
            raise IndexError(f"expected a mask of {size} elements, found the shape {chosen.shape}")
        return np.flatnonzero(chosen)
    if chosen.ndim == 1 and np.issubdtype(chosen.dtype, np.signedinteger) and (chosen < 0).any():
        return np.where(chosen < 0, chosen + size, chosen)
    return chosen.astype(np.int64) if chosen.size == 0 else chosen


def _keys(key: Any, dimensions: int) -> tuple[Any, ...]:
    keys = key if isinstance(key, tuple) else (key,)
    if Ellipsis in [k for k in keys if k is Ellipsis]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        fill = (slice(None),) * (dimensions - len(keys) + 1)
        keys = keys[:at] + fill + keys[at + 1 :]
    if len(keys) > dimensions:
        raise IndexError(f"expected at most {dimensions} indices, found {len(keys)}")
    return keys + (slice(None),) * (dimensions - len(keys))


# --- dense arrays


def _row_range(x: Dense, start: int, stop: int) -> Dense:
    width = x._ld or math.prod(x.shape[1:])
    shape = (stop - start, *x.shape[1:])
    if not x._ld:
        return _classes.Dense(x.context, x._part.view(shape, start * width))
    span = max(0, (stop - start - 1) * width + math.prod(x.shape[1:])) if math.prod(shape) else 0
    return _classes.Dense(x.context, x._part.view((span,), start * width), shape, x._ld)


def _column_range(x: Dense, start: int, stop: int) -> Dense:
    rows, columns = x.shape
    if (start, stop) == (0, columns):
        return x
    ld, shape = x._ld or columns, (rows, stop - start)
    span = (rows - 1) * ld + stop - start if math.prod(shape) else 0
    if not span:
        return _classes.Dense(x.context, x._part.view(shape, 0))
    return _classes.Dense(x.context, x._part.view((span,), start), shape, ld)


def dense_item(x: Dense, key: Any) -> Dense:
    """Rows, and columns of a matrix: slices are views, selections are copies. One index of rows
    drops that dimension."""
    keys = _keys(key, len(x.shape))
    if any(not (isinstance(k, slice) and k == slice(None)) for k in keys[2:]) or (
        len(x.shape) > 2 and keys[1] != slice(None)
    ):
        raise errors.UnsupportedError(
            "expected indices of rows, and of columns of a matrix, found indices of other "
            "dimensions; use reshape or numpy()"
        )
    if x._column_major:
        flipped = dense_item(x.T, keys[::-1] if len(keys) == 2 else key)
        return flipped.T if len(flipped.shape) == 2 else flipped
    found = _dense_rows(x, keys[0])
    if len(x.shape) == 2:
        found = _dense_columns(found, keys[1])
    dropped = [isinstance(k, (int, np.integer)) for k in keys[:2]]
    if not any(dropped):
        return found
    shape = tuple(size for d, size in enumerate(found.shape) if d > 1 or not dropped[d])
    return found.reshape(shape or (1,))


def _dense_rows(x: Dense, key: Any) -> Dense:
    span = _range(key, x.shape[0], 0)
    if span is not None:
        return x if span == (0, x.shape[0]) else _row_range(x, *span)
    return ops.gather_rows(x, _selection(key, x.shape[0]))


def _dense_columns(x: Dense, key: Any) -> Dense:
    span = _range(key, x.shape[1], 1)
    if span is not None:
        return _column_range(x, *span)
    return ops.gather_rows(ops.copy(x.T), _selection(key, x.shape[1])).T


def transposed(x: Dense) -> Dense:
    """The transpose of a matrix, in the same memory."""
    if len(x.shape) == 1:
        return x
    if len(x.shape) != 2:
        raise errors.ShapeError(f"x: expected a matrix, found an array of the shape {x.shape}")
    rows, columns = x.shape
    ld = x._ld or (rows if x._column_major else columns)
    packed = x._column_major and ld == rows
    part = x._part.view((x._part.size,))
    if packed:
        return _classes.Dense(x.context, part.view((columns, rows)))
    return _classes.Dense(x.context, part, (columns, rows), ld, not x._column_major)


def reshaped(x: Dense, shape: tuple[Any, ...]) -> Dense:
    """Another shape of the same number of elements."""
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else tuple(shape)
    known = math.prod(size for size in sizes if size != -1)
    if sizes.count(-1) == 1 and known:
        sizes = tuple(x.size // known if size == -1 else size for size in sizes)
    if math.prod(sizes) != x.size or -1 in sizes:
        raise errors.ShapeError(f"expected a shape of {x.size} elements, found {sizes}")
    packed = x.contiguous()
    return _classes.Dense(x.context, packed._part.view(sizes))


# --- sparse arrays


def csr_item(a: CSR, key: Any) -> CSR:
    """Rows and columns; one index gives a matrix of one row or column."""
    rows, columns = _keys(key, 2)
    span = _range(rows, a.shape[0], 0)
    if span is None:
        a = ops.csr_take_rows(a, _selection(rows, a.shape[0])).result
    elif span != (0, a.shape[0]):
        a = ops.csr_slice_rows(a, *span).result
    span = _range(columns, a.shape[1], 1)
    if span is None:
        return ops.csr_take_columns(a, _selection(columns, a.shape[1])).result
    return a if span == (0, a.shape[1]) else ops.csr_slice_columns(a, *span).result


def coo_item(a: COO, key: Any) -> COO:
    """A part of an array; one index gives one element in that dimension."""
    spans = [_range(k, a.shape[d], d) for d, k in enumerate(_keys(key, len(a.shape)))]
    if any(span is None for span in spans):
        raise errors.UnsupportedError(
            "expected slices with the step 1, found others; convert to CSR to select rows"
        )
    found = [span for span in spans if span is not None]
    return ops.coo_slice(a, [start for start, _ in found], [stop for _, stop in found]).result


def rows_item(a: RowSparse, key: Any) -> RowSparse | Dense:
    """A slice of rows is row-sparse, those of a list are dense."""
    span = _range(key, a.shape[0], 0)
    if span is not None:
        return ops.rows_slice(a, *span).result
    chosen = _make.indices(a.context, _selection(key, a.shape[0]), a.shape[0])
    kept = ops.rows_retain_all(a.canonical(), chosen).result
    return _classes.Dense(a.context, kept._values)
