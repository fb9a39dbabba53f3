"""Products of few entries in the memory of the host: to launch a kernel would take longer.

The bits are those of the kernels. None stands for a product that the device computes: memory is not
shared, an array has another type or gaps, the device has written one, or there are many entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sparcl import _classes, _core, _numbers
from sparcl._parts import VALID

if TYPE_CHECKING:
    from sparcl._compressed import CSR

# Measured with two cores: where the device takes as long.
_MOST_ENTRIES = 1 << 15  # of one column, not of the transpose, four times as many
_MOST_PRODUCTS = 1 << 19
_MOST_COLUMNS = 1 << 20  # of a transpose, which counts the entries of each

Array = npt.NDArray[Any]


class Arrays(NamedTuple):
    """A matrix in CSR format in the memory of the host."""

    offsets: Array
    indices: Array
    values: Array


class Transpose(NamedTuple):
    """The columns of a matrix that have entries, and these in the order of columns and rows."""

    columns: Array
    offsets: Array
    rows: Array
    order: Array


def _is_array(b: object) -> bool:
    return isinstance(b, (np.ndarray, list, tuple))


def operand(a: Any, b: npt.ArrayLike) -> Array | None:
    """What a small matrix is multiplied by, in its type and without gaps. Whole numbers that are
    others in this type are refused."""
    small = isinstance(a, (_classes.CSR, _classes.CSC)) and a.nnz <= 4 * _MOST_ENTRIES
    array = np.asarray(b) if small and a.dtype.char in "fd" and _is_array(b) else None
    if array is None or array.dtype.kind not in "biuf" or array.ndim == 0:
        return None
    if array.dtype.kind in "iu":
        _numbers.check_whole(array, a.dtype, "float64 on both sides")
    return np.ascontiguousarray(array, a.dtype)


def _arrays(a: CSR) -> Arrays | None:
    parts = (a._offsets, a._indices, a._values)
    offsets, indices, values = (part._host_view() for part in parts)
    if offsets is None or indices is None or values is None or offsets.dtype != indices.dtype:
        return None
    return Arrays(offsets, indices, values)


def _fits(a: CSR, b: Array, height: int, most: int = _MOST_ENTRIES) -> bool:
    """The product is small, and its operands are right: the device's checks say what is wrong."""
    return (
        b.dtype == a.dtype
        and b.dtype.char in "fd"
        and b.flags.c_contiguous
        and b.ndim > 0
        and b.shape[0] == height
        and 0 < a.nnz <= most
        and 0 < a.nnz * b.size <= _MOST_PRODUCTS * height
        and a.context.shares_memory
        and bool(a._core.flags & VALID)
    )


def spmm(a: CSR, b: Array) -> Array | None:
    """a @ b."""
    most = _MOST_ENTRIES * (4 if b.size == a.shape[1] else 1)
    x = _arrays(a) if _fits(a, b, a.shape[1], most) else None
    if x is None:
        return None
    y = np.empty((a.shape[0], *b.shape[1:]), b.dtype)
    core = a.context._core
    done = _core.product_on_host(core, y, x.offsets, x.indices, None, x.values, b)
    return y if done else None


def _transposed(a: CSR, x: Arrays) -> Transpose:
    kind, most = x.indices.dtype, min(a.nnz, a.shape[1])
    made = Transpose(*(np.empty(size, kind) for size in (most, most + 1, a.nnz, a.nnz)))
    found = _core.transpose_on_host(x.offsets, x.indices, a.shape[1], *made)
    return made._replace(columns=made.columns[:found], offsets=made.offsets[: found + 1])


def spmm_t_rows(a: CSR, b: Array) -> tuple[Array, Array] | None:
    """The rows of a.T @ b that are columns of a with entries, and their numbers."""
    x = _arrays(a) if a.shape[1] <= _MOST_COLUMNS and _fits(a, b, a.shape[0]) else None
    if x is None:
        return None
    t = a._host_transpose
    if t is None:
        t = a._host_transpose = _transposed(a, x)
    y = np.empty((len(t.columns), *b.shape[1:]), b.dtype)
    core = a.context._core
    done = _core.product_on_host(core, y, t.offsets, t.rows, t.order, x.values, b)
    return (t.columns.copy(), y) if done else None
