"""Arrays for results, and results cut to what was stored in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sparcl import _classes, _core, _list, errors
from sparcl._parts import Part, as_dtype, dtype_name, index_dtype

if TYPE_CHECKING:
    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._context import Context
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._list import List
    from sparcl._row_sparse import RowSparse

INT64 = np.dtype(np.int64)


def wider(index: np.dtype[Any], most: int) -> np.dtype[Any]:
    """A type of indices, or one that has this number."""
    return index if most <= np.iinfo(index).max else index_dtype(most)


def dense(context: Context, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Dense:
    """A dense array that an operation writes."""
    return _classes.Dense(context, Part.empty(context, shape, dtype))


def like(x: Dense) -> Dense:
    """A packed array of the shape and the type of another."""
    return dense(x.context, x.shape, x.dtype)


def entries(a: CSR | COO, dtype: np.dtype[Any] | None = None) -> Dense:
    """A number for each entry of a sparse array."""
    return dense(a.context, (a.nnz,), a.dtype if dtype is None else dtype)


def stored_rows(a: RowSparse, dtype: np.dtype[Any] | None = None) -> Dense:
    """The stored rows of a row-sparse array."""
    return dense(a.context, (a.nnr, *a.shape[1:]), a.dtype if dtype is None else dtype)


def integers(context: Context, count: int, wanted: bool = True) -> Dense | None:
    """Integers that an operation writes, where they are wanted."""
    return dense(context, (count,), INT64) if wanted else None


def buffer(x: Dense | None) -> _core.Buffer | None:
    """The buffer of an array that is made for an operation to write it."""
    return None if x is None else x._part.buffer


def operand_buffer(
    x: Dense | None,
    what: str,
    shape: tuple[int, ...],
    dtype: npt.DTypeLike = INT64,
    within: tuple[int, int] | None = None,
) -> _core.Buffer | None:
    """The buffer of an operand whose type, shape and numbers the C library does not see.

    Raises
    ------
    DTypeError, ShapeError
        It has others than an operation expects.
    DataError
        A number is not `within` a range, the first one and the one after the last.
    """
    if x is None:
        return None
    if x.dtype != dtype:
        raise errors.DTypeError(
            f"{what}: expected {dtype_name(as_dtype(dtype))}, found {dtype_name(x.dtype)}"
        )
    if x.shape != shape:
        raise errors.ShapeError(f"{what}: expected the shape {shape}, found {x.shape}")
    if within is not None and x.size:
        numbers = x.numpy()
        low, high = int(numbers.min()), int(numbers.max())
        if low < within[0] or high >= within[1]:
            raise errors.DataError(
                f"{what}: expected {within[0]} to {within[1] - 1}, found {low} to {high}"
            )
    return x._whole().buffer


def written(x: Dense, what: str) -> Dense:
    """An operand that an operation writes where it is.

    Raises
    ------
    ArgumentError
        It is on memory of the host that may only be read.
    """
    if x._part.buffer.is_const:
        raise errors.ArgumentError(
            f"{what}: expected memory that may be written, found an array that is read-only, or a "
            "tensor that requires a gradient; give a copy, as by copy() of this array, or "
            "detach() the tensor"
        )
    return x


def target(
    context: Context, shape: tuple[int, ...], dtype: np.dtype[Any], out: Dense | None, beta: float
) -> Dense:
    """A new array, or the one that a product is added to."""
    if out is None:
        if beta:
            raise errors.ArgumentError(f"out: expected an array for beta={beta}, found None")
        return dense(context, shape, dtype)
    return written(out, "out")


def csr(
    context: Context,
    shape: tuple[int, int],
    nnz: int,
    dtype: np.dtype[Any],
    index: np.dtype[Any] = INT64,
    *,
    offset: np.dtype[Any] | None = None,
) -> CSR:
    """A CSR matrix with room for some entries."""
    return _classes.CSR(
        context,
        shape,
        Part.empty(context, (shape[0] + 1,), wider(index if offset is None else offset, nnz)),
        Part.empty(context, (nnz,), wider(index, shape[1])),
        Part.empty(context, (nnz,), dtype),
    )


def csr_like(a: CSR, shape: tuple[int, int] | None = None, nnz: int | None = None) -> CSR:
    """A CSR matrix of the types of another."""
    return csr(
        a.context,
        a.shape if shape is None else shape,
        a.nnz if nnz is None else nnz,
        a.dtype,
        a._indices.dtype,
        offset=a._offsets.dtype,
    )


def csc(
    context: Context, shape: tuple[int, int], nnz: int, dtype: np.dtype[Any], index: np.dtype[Any]
) -> CSC:
    """A CSC matrix with room for some entries."""
    return _classes.CSC(
        context,
        shape,
        Part.empty(context, (shape[1] + 1,), wider(index, nnz)),
        Part.empty(context, (nnz,), wider(index, shape[0])),
        Part.empty(context, (nnz,), dtype),
    )


def bsr(a: CSR, block: tuple[int, int], nnzb: int) -> BSR:
    """A BSR matrix of the types of a CSR matrix, with room for some blocks."""
    return _classes.BSR(
        a.context,
        a.shape,
        Part.empty(a.context, (a.shape[0] // block[0] + 1,), a._offsets.dtype),
        Part.empty(a.context, (nnzb,), a._indices.dtype),
        Part.empty(a.context, (nnzb, *block), a.dtype),
    )


def coo(
    context: Context,
    shape: tuple[int, ...],
    nnz: int,
    dtype: np.dtype[Any],
    index: np.dtype[Any] = INT64,
    *,
    counted: bool = True,
) -> COO:
    """A COO array with room for some entries, and a count of them."""
    return _classes.COO(
        context,
        shape,
        [Part.empty(context, (nnz,), wider(index, max(shape, default=0))) for _ in shape],
        Part.empty(context, (nnz,), dtype),
        Part.empty(context, (1,), np.int64) if counted else None,
    )


def rows(
    context: Context,
    shape: tuple[int, ...],
    nnr: int,
    dtype: np.dtype[Any],
    index: np.dtype[Any] = INT64,
    *,
    counted: bool = True,
) -> RowSparse:
    """A row-sparse array with room for some rows, and a count of them."""
    return _classes.RowSparse(
        context,
        shape,
        Part.empty(context, (nnr,), wider(index, shape[0])),
        Part.empty(context, (nnr, *shape[1:]), dtype),
        Part.empty(context, (1,), np.int64) if counted else None,
    )


def indices(context: Context, x: List | npt.ArrayLike, limit: int) -> List:
    """A validated list of indices below a limit; one of integers is made here."""
    if isinstance(x, _list.List):
        return x
    return _list.indices(x, limit, context=context)


def with_indices(a: CSR, index: np.dtype[Any], offset: np.dtype[Any]) -> CSR:
    """The same matrix with other types of indices and of offsets."""
    if (a._indices.dtype, a._offsets.dtype) == (index, offset):
        return a
    to = csr(a.context, a.shape, a.nnz, a.dtype, index, offset=offset)
    _core.csr_slice_rows(a.context._core, to._core, a._core, 0, None)
    return to


def of_one_type(a: CSR, b: CSR) -> tuple[CSR, CSR]:
    """Two matrices with the wider types of indices and of offsets, for operations that need it."""
    index = np.promote_types(a._indices.dtype, b._indices.dtype)
    offset = np.promote_types(a._offsets.dtype, b._offsets.dtype)
    return with_indices(a, index, offset), with_indices(b, index, offset)


def coo_of_one_type(a: COO, b: COO) -> tuple[COO, COO]:
    """The same for COO arrays."""
    index = np.promote_types(a._indices[0].dtype, b._indices[0].dtype)
    found = []
    for x in (a, b):
        if x._indices[0].dtype == index:
            found.append(x)
            continue
        to = coo(x.context, x.shape, x.nnz, x.dtype, index)
        _core.coo_slice(x.context._core, to._core, x._core, [0] * x.ndim, None)
        found.append(to)
    return found[0], found[1]


def cut(made: CSR, count: int) -> CSR:
    """A result with exactly its entries."""
    if count >= made.nnz:
        return made
    exact = _classes.CSR(
        made.context,
        made.shape,
        made._offsets,
        made._indices.first(made.context, count),
        made._values.first(made.context, count),
    )
    exact._core.trust(made._core)
    return exact


def with_values(a: CSR, values: Dense) -> CSR:
    """A matrix with the indices of another; the arrays of the indices are the same."""
    made = _classes.CSR(a.context, a.shape, a._offsets, a._indices, values._whole())
    made._core.trust(a._core)
    made._pattern = a._pattern if values.dtype == a.dtype else None
    return made


def coo_with_values(a: COO, values: Dense) -> COO:
    """A COO array with the indices of another."""
    made = _classes.COO(a.context, a.shape, a._indices, values._whole())
    made._core.trust(a._core)
    return made


def rows_with_values(a: RowSparse, values: Dense) -> RowSparse:
    """A row-sparse array with the indices of another."""
    made = _classes.RowSparse(a.context, a.shape, a._indices, values._whole())
    made._core.trust(a._core)
    return made
