"""The order and the shape of CSR matrices: slices, selections, concatenation, transposes.

Values are moved and keep their bits; all element types. With ``source=True``, also where each value
comes from. What is wrong raises ShapeError, DTypeError, DataError or UncheckedError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sparcl import _core, _host, _make, errors
from sparcl._array import context_of
from sparcl.ops import _moved
from sparcl.ops._results import Moved

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._list import List


def _check_range(start: int, stop: int, size: int) -> None:
    if not 0 <= start <= stop <= size:
        raise errors.ShapeError(f"expected 0 <= start <= stop <= {size}, found {start} and {stop}")


def csr_slice_rows(a: CSR, start: int, stop: int, *, source: bool = False) -> Moved[CSR]:
    """Rows from `start` to `stop`, without that.

    >>> import sparcl
    >>> part, _ = sparcl.ops.csr_slice_rows(sparcl.csr([[1.0], [2.0], [3.0]]), 1, 3)
    >>> part.values.numpy().tolist()
    [2.0, 3.0]
    """
    _check_range(start, stop, a.shape[0])
    to = _make.csr_like(a, (stop - start, a.shape[1]))
    context = a.context._core
    return _moved.counted(
        to, source, lambda moved: _core.csr_slice_rows(context, to._core, a._core, start, moved)
    )


def csr_slice_columns(a: CSR, start: int, stop: int, *, source: bool = False) -> Moved[CSR]:
    """Columns from `start` to `stop`, without that.

    >>> import sparcl
    >>> part, source = sparcl.ops.csr_slice_columns(sparcl.csr([[1.0, 2.0]]), 1, 2, source=True)
    >>> part.shape, source.numpy().tolist()
    ((1, 1), [1])
    """
    _check_range(start, stop, a.shape[1])
    to = _make.csr_like(a, (a.shape[0], stop - start))
    context = a.context._core
    return _moved.counted(
        to, source, lambda moved: _core.csr_slice_columns(context, to._core, a._core, start, moved)
    )


def csr_select_rows(a: CSR, rows: List | npt.ArrayLike) -> CSR:
    """The rows whose indices are in a list, in its order; an index may occur several times.

    >>> import sparcl
    >>> sparcl.ops.csr_select_rows(sparcl.csr([[1.0], [2.0]]), [1, 1]).values.numpy().tolist()
    [2.0, 2.0]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    context = context_of(a, chosen)
    needed = _make.dense(context, (1,), np.int64)
    nnz = 0
    for _ in range(2):
        to = _make.csr_like(a, (len(chosen), a.shape[1]), nnz)
        _core.csr_select_rows(
            context._core, to._core, a._core, chosen._core, needed._part.buffer, 0
        )
        nnz = _host.count(needed)
    return to


def _entries_of(a: CSR, rows: List) -> int:
    """The number of entries of some rows; waits for the device."""
    needed = _make.dense(a.context, (1,), np.int64)
    to = _make.csr_like(a, (len(rows), a.shape[1]), 0)
    context = context_of(a, rows)
    _core.csr_select_rows(context._core, to._core, a._core, rows._core, needed._part.buffer, 0)
    return _host.count(needed)


def csr_take_rows(a: CSR, rows: List | npt.ArrayLike, *, source: bool = False) -> Moved[CSR]:
    """:func:`csr_select_rows`, with a source.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0], [2.0]])
    >>> sparcl.ops.csr_take_rows(a, [1, 0], source=True).source.numpy().tolist()
    [1, 0]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    to = _make.csr_like(a, (len(chosen), a.shape[1]), _entries_of(a, chosen))
    context = a.context._core
    return _moved.full(
        to,
        source,
        lambda moved: _core.csr_take_rows(context, to._core, a._core, chosen._core, moved),
    )


def csr_take_columns(a: CSR, columns: List | npt.ArrayLike, *, source: bool = False) -> Moved[CSR]:
    """The columns whose indices are in a list, in its order; an index may occur several times.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0, 3.0]])
    >>> sparcl.ops.csr_take_columns(a, [2, 0]).result.dense().numpy().tolist()
    [[3.0, 1.0]]
    """
    chosen = _make.indices(a.context, columns, a.shape[1])
    context = context_of(a, chosen)
    shape = (a.shape[0], len(chosen))
    needed = _make.dense(context, (1,), np.int64)
    first = _make.csr_like(a, shape, 0)
    moved = _core.Moved(None, needed._part.buffer)
    _core.csr_take_columns(context._core, first._core, a._core, chosen._core, moved)
    to = _make.csr_like(a, shape, _host.count(needed))
    return _moved.full(
        to,
        source,
        lambda moved: _core.csr_take_columns(context._core, to._core, a._core, chosen._core, moved),
    )


def csr_retain_rows(a: CSR, rows: List | npt.ArrayLike, *, source: bool = False) -> Moved[CSR]:
    """The entries of the rows in a list only; all other rows are empty.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0], [2.0]])
    >>> sparcl.ops.csr_retain_rows(a, [1]).result.dense().numpy().tolist()
    [[0.0], [2.0]]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    context = context_of(a, chosen)._core
    to = _make.csr_like(a)
    return _moved.counted(
        to,
        source,
        lambda moved: _core.csr_retain_rows(context, to._core, a._core, chosen._core, moved),
    )


def _joined(matrices: Sequence[CSR], shape: tuple[int, int]) -> CSR:
    first = matrices[0]
    index = np.result_type(*(a._indices.dtype for a in matrices))
    nnz = sum(a.nnz for a in matrices)
    return _make.csr(context_of(*matrices), shape, nnz, first.dtype, index)


def csr_concat_rows(matrices: Sequence[CSR], *, source: bool = False) -> Moved[CSR]:
    """The rows of all matrices, one below the other: as scipy.sparse.vstack.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 0.0]])
    >>> sparcl.ops.csr_concat_rows([a, a]).result.shape
    (2, 2)
    """
    context_of(*matrices)
    to = _joined(matrices, (sum(a.shape[0] for a in matrices), matrices[0].shape[1]))
    views = [a._core for a in matrices]
    context = to.context._core
    return _moved.full(to, source, lambda m: _core.csr_concat_rows(context, to._core, views, m))


def csr_concat_columns(matrices: Sequence[CSR], *, source: bool = False) -> Moved[CSR]:
    """The columns of all matrices, side by side: as scipy.sparse.hstack.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 0.0]])
    >>> sparcl.ops.csr_concat_columns([a, a]).result.dense().numpy().tolist()
    [[1.0, 0.0, 1.0, 0.0]]
    """
    context_of(*matrices)
    to = _joined(matrices, (matrices[0].shape[0], sum(a.shape[1] for a in matrices)))
    views = [a._core for a in matrices]
    context = to.context._core
    return _moved.full(to, source, lambda m: _core.csr_concat_columns(context, to._core, views, m))


def csr_block_diagonal(matrices: Sequence[CSR], *, source: bool = False) -> Moved[CSR]:
    """A matrix with the others as blocks on its diagonal: as scipy.sparse.block_diag.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0]])
    >>> sparcl.ops.csr_block_diagonal([a, a]).result.dense().numpy().tolist()
    [[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 2.0]]
    """
    context_of(*matrices)
    shape = (sum(a.shape[0] for a in matrices), sum(a.shape[1] for a in matrices))
    to = _joined(matrices, shape)
    views = [a._core for a in matrices]
    context = to.context._core
    return _moved.full(to, source, lambda m: _core.csr_block_diagonal(context, to._core, views, m))
