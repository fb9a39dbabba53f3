"""Conversions between formats, entries by threshold and by rank.

Values keep their bits. Where the size of a result depends on the data, it is read from the device,
and the result has exactly its entries; COO and row-sparse results do this on request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from sparcl import _classes, _core, _host, _make, errors
from sparcl._enums import TopK, code
from sparcl._parts import index_dtype
from sparcl.ops import _shapes
from sparcl.ops._call import Function, counted, into, run, sized
from sparcl.ops._results import Moved

if TYPE_CHECKING:
    from sparcl._array import Array
    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse

__all__ = [
    "bsr_to_csr",
    "bsr_to_dense",
    "convert",
    "coo_mask",
    "coo_to_csc",
    "coo_to_csr",
    "coo_to_dense",
    "csc_to_coo",
    "csc_to_csr",
    "csc_to_dense",
    "csr_prune",
    "csr_to_bsr",
    "csr_to_coo",
    "csr_to_csc",
    "csr_to_dense",
    "csr_to_rows",
    "csr_to_rows_gradient",
    "dense_to_coo",
    "dense_to_csr",
    "dense_to_rows",
    "rows_to_csr",
    "rows_to_dense",
    "sparse_mask",
    "topk_rows",
]


def _dense_of(function: Function, a: CSR | CSC | COO | BSR | RowSparse) -> Dense:
    to = _make.dense(a.context, a.shape, a.dtype)
    run(function, to, a)
    return to


def csr_to_dense(a: CSR) -> Dense:
    """All elements; those of one place are added.

    >>> import sparcl
    >>> sparcl.ops.csr_to_dense(sparcl.csr([[0.0, 2.0]])).numpy().tolist()
    [[0.0, 2.0]]
    """
    return _dense_of(_core.csr_to_dense, a)


def csc_to_dense(a: CSC) -> Dense:
    """All elements; those of one place are added.

    >>> import sparcl
    >>> sparcl.ops.csc_to_dense(sparcl.csc([[0.0, 2.0]])).numpy().tolist()
    [[0.0, 2.0]]
    """
    return _dense_of(_core.csc_to_dense, a)


def coo_to_dense(a: COO) -> Dense:
    """All elements of an array of any rank; those of one place are added.

    >>> import sparcl
    >>> sparcl.ops.coo_to_dense(sparcl.coo([[0.0, 2.0]])).numpy().tolist()
    [[0.0, 2.0]]
    """
    return _dense_of(_core.coo_to_dense, a)


def bsr_to_dense(a: BSR) -> Dense:
    """All elements.

    >>> import sparcl
    >>> sparcl.ops.bsr_to_dense(sparcl.csr([[0.0, 2.0]]).bsr((1, 2))).numpy().tolist()
    [[0.0, 2.0]]
    """
    return _dense_of(_core.bsr_to_dense, a)


def rows_to_dense(a: RowSparse) -> Dense:
    """All rows; stored rows of one index are added.

    >>> import numpy, sparcl
    >>> sparcl.ops.rows_to_dense(sparcl.rows(numpy.array([1]), [[5.0]], (2, 1))).numpy().tolist()
    [[0.0], [5.0]]
    """
    return _dense_of(_core.rows_to_dense, a)


def dense_to_csr(x: Dense, threshold: float = 0.0) -> CSR:
    """The elements with |x| > threshold, or that are NaN; all with a negative threshold.

    >>> import sparcl
    >>> sparcl.ops.dense_to_csr(sparcl.dense([[0.5, -2.0]]), 1.0).values.numpy().tolist()
    [-2.0]
    """
    shape, index = _shapes.matrix(x), index_dtype(x.size)
    return sized(
        x.context,
        lambda nnz: _make.csr(x.context, shape, nnz, x.dtype, index),
        _core.dense_to_csr,
        x,
        threshold,
    )


def dense_to_coo(x: Dense, threshold: float = 0.0) -> COO:
    """The same as a COO array of the rank of x.

    >>> import sparcl
    >>> sparcl.ops.dense_to_coo(sparcl.dense([0.0, 3.0])).nnz
    1
    """
    index = index_dtype(x.size)
    return sized(
        x.context,
        lambda room: _make.coo(x.context, x.shape, room, x.dtype, index),
        _core.dense_to_coo,
        x,
        threshold,
    )


def dense_to_rows(x: Dense, threshold: float = 0.0) -> RowSparse:
    """The rows that have an element with |x| > threshold.

    >>> import sparcl
    >>> sparcl.ops.dense_to_rows(sparcl.dense([[0.0, 0.0], [0.0, 3.0]])).indices.tolist()
    [1]
    """
    index = index_dtype(x.size)
    return sized(
        x.context,
        lambda room: _make.rows(x.context, x.shape, room, x.dtype, index),
        _core.dense_to_rows,
        x,
        threshold,
    )


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
    return into(to, _core.topk_rows, x, k, code("topk", by))


def sparse_mask(x: Dense, a: CSR) -> Dense:
    """The elements of x where a has entries: [nnz]. Both of one shape; the values of a are not
    read.

    >>> import sparcl
    >>> a = sparcl.csr([[0.0, 1.0], [1.0, 0.0]])
    >>> sparcl.ops.sparse_mask(sparcl.dense([[1.0, 2.0], [3.0, 4.0]]), a).numpy().tolist()
    [2.0, 3.0]
    """
    return into(_make.entries(a, x.dtype), _core.sparse_mask, x, a)


def coo_mask(x: Dense, a: COO) -> Dense:
    """The elements of x where a has entries [nnz], for any rank: the gradient of coo_to_dense.

    >>> import sparcl
    >>> sparcl.ops.coo_mask(sparcl.dense([[5.0, 6.0]]), sparcl.coo([[0.0, 1.0]])).numpy().tolist()
    [6.0]
    """
    return into(_make.entries(a, x.dtype), _core.coo_mask, x, a)


def csr_prune(a: CSR, threshold: float = 0.0, *, source: bool = False) -> Moved[CSR]:
    """The entries with |x| > threshold, or that are NaN, in their order: by default those that are
    not 0.

    >>> import sparcl
    >>> sparcl.ops.csr_prune(sparcl.csr([[0.5, 2.0]]), 1.0).result.nnz
    1
    """
    return counted(_make.csr_like(a), source, _core.csr_prune, a, threshold)


def csr_to_csc(a: CSR) -> CSC:
    """The same matrix in CSC format, with sorted columns; duplicates stay.

    >>> import sparcl
    >>> sparcl.ops.csr_to_csc(sparcl.csr([[0.0, 2.0]])).shape
    (1, 2)
    """
    to = _make.csc(a.context, a.shape, a.nnz, a.dtype, a._indices.dtype)
    return into(to, _core.csr_to_csc, a)


def csc_to_csr(a: CSC) -> CSR:
    """The same matrix in CSR format, with sorted rows; duplicates stay.

    >>> import sparcl
    >>> sparcl.ops.csc_to_csr(sparcl.csc([[0.0, 2.0]])).nnz
    1
    """
    to = _make.csr(a.context, a.shape, a.nnz, a.dtype, a._indices.dtype)
    return into(to, _core.csc_to_csr, a)


def csr_to_coo(a: CSR) -> COO:
    """The same matrix in COO format, in the order stored.

    >>> import sparcl
    >>> sparcl.ops.csr_to_coo(sparcl.csr([[0.0, 2.0]])).nnz
    1
    """
    to = _make.coo(a.context, a.shape, a.nnz, a.dtype, a._indices.dtype, counted=False)
    return into(to, _core.csr_to_coo, a)


def csc_to_coo(a: CSC) -> COO:
    """The same matrix in COO format, in the order of columns.

    >>> import sparcl
    >>> sparcl.ops.csc_to_coo(sparcl.csc([[0.0, 2.0]])).nnz
    1
    """
    to = _make.coo(a.context, a.shape, a.nnz, a.dtype, a._indices.dtype, counted=False)
    return into(to, _core.csc_to_coo, a)


def coo_to_csr(a: COO) -> CSR:
    """The same matrix in CSR format, sorted; duplicates stay.

    >>> import sparcl
    >>> sparcl.ops.coo_to_csr(sparcl.coo([[0.0, 2.0]])).nnz
    1
    """
    to = _make.csr(a.context, _shapes.matrix(a, "a"), a.nnz, a.dtype, a._indices[0].dtype)
    return into(to, _core.coo_to_csr, a)


def coo_to_csc(a: COO) -> CSC:
    """The same matrix in CSC format, sorted; duplicates stay.

    >>> import sparcl
    >>> sparcl.ops.coo_to_csc(sparcl.coo([[0.0, 2.0]])).nnz
    1
    """
    to = _make.csc(a.context, _shapes.matrix(a, "a"), a.nnz, a.dtype, a._indices[0].dtype)
    return into(to, _core.coo_to_csc, a)


def csr_to_bsr(a: CSR, block: tuple[int, int]) -> BSR:
    """The blocks that have an entry; entries of one place are added. The shape is a multiple of
    that of a block, else ShapeError.

    >>> import sparcl
    >>> sparcl.ops.csr_to_bsr(sparcl.csr([[0.0, 2.0], [0.0, 0.0]]), (2, 1)).nnzb
    1
    """
    if min(block) < 1 or a.shape[0] % block[0] or a.shape[1] % block[1]:
        raise errors.ShapeError(f"expected a shape of whole blocks {block}, found {a.shape}")
    return sized(a.context, lambda nnzb: _make.bsr(a, block, nnzb), _core.csr_to_bsr, a)


def bsr_to_csr(a: BSR) -> CSR:
    """The same matrix in CSR format, with an entry for every element of a block.

    >>> import sparcl
    >>> sparcl.ops.bsr_to_csr(sparcl.csr([[0.0, 2.0]]).bsr((1, 2))).nnz
    2
    """
    to = _make.csr(a.context, a.shape, a.nnz, a.dtype, a._indices.dtype, offset=a._offsets.dtype)
    return into(to, _core.bsr_to_csr, a)


def csr_to_rows(a: CSR) -> RowSparse:
    """The rows that have entries.

    >>> import sparcl
    >>> sparcl.ops.csr_to_rows(sparcl.csr([[0.0, 0.0], [0.0, 2.0]])).indices.tolist()
    [1]
    """
    return sized(
        a.context,
        lambda nnr: _make.rows(a.context, a.shape, nnr, a.dtype, a._indices.dtype),
        _core.csr_to_rows,
        a,
    )


def csr_to_rows_gradient(g: RowSparse, a: CSR) -> Dense:
    """The gradient of :func:`csr_to_rows` by the values of a [nnz], for the gradient g of its
    result, sorted and unique.

    >>> import numpy, sparcl
    >>> a, g = sparcl.csr([[0.0, 2.0]]), sparcl.rows(numpy.array([0]), [[5.0, 7.0]], (1, 2))
    >>> sparcl.ops.csr_to_rows_gradient(g, a).numpy().tolist()
    [7.0]
    """
    return into(_make.entries(a, g.dtype), _core.csr_to_rows_gradient, g, a)


def rows_to_csr(a: RowSparse, threshold: float = 0.0) -> CSR:
    """The elements of a row-sparse matrix with |x| > threshold; rows of one index are added.

    >>> import numpy, sparcl
    >>> sparcl.ops.rows_to_csr(sparcl.rows(numpy.array([1]), [[5.0, 0.0]], (2, 2))).nnz
    1
    """
    shape, index = _shapes.matrix(a, "a"), a._indices.dtype
    return sized(
        a.context,
        lambda nnz: _make.csr(a.context, shape, nnz, a.dtype, index),
        _core.rows_to_csr,
        a,
        threshold,
    )


Format = Literal["dense", "csr", "csc", "coo", "rows", "bsr"]


def _room(x: Array, to: Format, size: int, block: tuple[int, int]) -> Any:
    """A matrix of a format, with room for some entries, rows or blocks."""
    context, shape = x.context, _shapes.matrix(x)
    if to == "dense":
        return _make.dense(context, shape, x.dtype)
    if to == "csr":
        return _make.csr(context, shape, size, x.dtype)
    if to == "csc":
        return _make.csc(context, shape, size, x.dtype, _make.INT64)
    if to == "coo":
        return _make.coo(context, shape, size, x.dtype)
    if to == "rows":
        return _make.rows(context, shape, size, x.dtype)
    return _make.bsr(_make.csr(context, shape, 0, x.dtype), block, size)


def _stored(x: Array, to: Format) -> int:
    """A capacity that may be enough; 0 where the device has to count."""
    if isinstance(x, _classes.RowSparse) and to == "rows":
        return x.nnr
    return getattr(x, "nnz", 0) if to in {"csr", "csc", "coo"} else 0


def convert(
    x: Dense | CSR | CSC | COO | BSR | RowSparse,
    to: Format,
    *,
    threshold: float = 0.0,
    block: tuple[int, int] = (1, 1),
) -> Dense | CSR | CSC | COO | BSR | RowSparse:
    """A matrix in any format, of one in any format. `threshold` is used from dense and row-sparse
    matrices, `block` to BSR.

    >>> import sparcl
    >>> sparcl.ops.convert(sparcl.csr([[0.0, 2.0]]), "coo").nnz
    1
    """
    formats = {"dense", "csr", "csc", "coo", "rows", "bsr"}
    if to not in formats:
        known = ", ".join(sorted(formats))
        raise errors.ArgumentError(f"to: expected one of {known}, found {to!r}")
    if to == "bsr" and (x.shape[0] % block[0] or x.shape[1] % block[1]):
        raise errors.ShapeError(f"expected a shape of whole blocks {block}, found {x.shape}")
    context = x.context._core
    needed = _make.dense(x.context, (1,), np.int64)
    found, size = _stored(x, to), -1
    while found > size:
        size = found
        made = _room(x, to, size, block)
        result = _core.Matrix(made._core)
        moved = _core.Moved(None, needed._part.buffer)
        _core.convert(context, result, _core.Matrix(x._core), threshold, moved)
        result.store(made._core)
        found = 0 if to == "dense" else _host.count(needed)
    if isinstance(made, _classes.CSR):
        return _make.cut(made, int(made._offsets.numpy()[-1]))
    if isinstance(made, _classes.CSC):
        return _make.cut(made.T, int(made._offsets.numpy()[-1])).T
    return cast("Dense", made)
