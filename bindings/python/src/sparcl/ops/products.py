"""Products of sparse and dense matrices.

What is wrong raises ShapeError, DTypeError or UncheckedError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from sparcl import _compressed, _core, _make, _row_sparse, errors
from sparcl._array import context_of
from sparcl._enums import Math, code
from sparcl.ops import _shapes

if TYPE_CHECKING:
    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._context import Context
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse

Op = Literal["N", "T"]
_OPS = {"N": 0, "T": 1}


def _op(op: str, what: str) -> int:
    if op not in _OPS:
        raise errors.ArgumentError(f"{what}: expected 'N' or 'T', found {op!r}")
    return _OPS[op]


def target(
    context: Context, shape: tuple[int, ...], dtype: np.dtype[Any], out: Dense | None, beta: float
) -> Dense:
    """A new array, or the one that a product is added to."""
    if out is None:
        if beta:
            raise errors.ArgumentError(f"out: expected an array for beta={beta}, found None")
        return _make.dense(context, shape, dtype)
    _make.written(out, "out")
    return out


def spmm(
    a: CSR, b: Dense, alpha: float = 1.0, *, beta: float = 0.0, out: Dense | None = None
) -> Dense:
    """alpha a @ b, of a sparse and a dense matrix or vector; in the memory of `out`, where it is
    given, plus beta times what is there.

    >>> import sparcl
    >>> sparcl.ops.spmm(sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0], [4.0]])).numpy().tolist()
    [[11.0]]
    """
    context = context_of(a, b, out)
    c = target(context, (a.shape[0], *b.shape[1:]), b.dtype, out, beta)
    _core.spmm(context._core, c._core, alpha, a._core, b._core, beta)
    return c


def spmm_t(
    a: CSR, b: Dense, alpha: float = 1.0, *, beta: float = 0.0, out: Dense | None = None
) -> Dense:
    """alpha a.T @ b: dense; `out` and beta as in :func:`spmm`.

    >>> import sparcl
    >>> sparcl.ops.spmm_t(sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0]])).numpy().tolist()
    [[3.0], [6.0]]
    """
    context = context_of(a, b, out)
    c = target(context, (a.shape[1], *b.shape[1:]), b.dtype, out, beta)
    pattern = a._transpose_pattern()
    _core.spmm_t(context._core, c._core, alpha, a._core, b._core, beta, pattern)
    return c


def spmm_t_rows(a: CSR, b: Dense, alpha: float = 1.0) -> RowSparse:
    """alpha a.T @ b: a row for each column of a that has entries.

    >>> import sparcl
    >>> sparcl.ops.spmm_t_rows(sparcl.csr([[0.0, 2.0]]), sparcl.dense([[3.0]])).indices.tolist()
    [1]
    """
    context, capacity = context_of(a, b), min(a.shape[1], a.nnz)
    shape = (a.shape[1], *b.shape[1:])
    r = _make.rows(context, shape, capacity, b.dtype, a._indices.dtype)
    pattern = a._transpose_pattern()
    _core.spmm_t_rows(context._core, r._core, alpha, a._core, b._core, pattern)
    if a._column_count is None:
        r._counted_for = a
    else:
        r._keep_first(a._column_count)
    return r


def pattern_build(a: CSR) -> CSR:
    """Build the sorted transpose of a, which it keeps for its products with the transpose; these
    build it at first use. Returns a.

    >>> import sparcl
    >>> a = sparcl.csr([[0.0, 2.0]])
    >>> sparcl.ops.pattern_build(a) is a
    True
    """
    a._transpose_pattern()
    return a


def gemm(
    a: Dense,
    b: Dense,
    *,
    op_a: Op = "N",
    op_b: Op = "N",
    alpha: float = 1.0,
    beta: float = 0.0,
    out: Dense | None = None,
    math: Math = "exact",
) -> Dense:
    """alpha op(a) @ op(b), dense; op is "N" for the matrix and "T" for its transpose. math="fast"
    uses CLBlast, where this build has it, whose bits differ among devices. `out` and beta as in
    :func:`spmm`.

    >>> import sparcl
    >>> a = sparcl.dense([[1.0, 2.0]])
    >>> sparcl.ops.gemm(a, a, op_b="T").numpy().tolist()
    [[5.0]]
    """
    op = (_op(op_a, "op_a"), _op(op_b, "op_b"))
    for x, what in ((a, "a"), (b, "b")):
        _shapes.matrix(x, what)
    context = context_of(a, b, out)
    c = target(context, (a.shape[op[0]], b.shape[1 - op[1]]), a.dtype, out, beta)
    _core.gemm(
        context._core, c._core, alpha, op[0], a._core, op[1], b._core, beta, code("math", math)
    )
    return c


def _pattern(x: Any) -> _core.Pattern | None:
    """The pattern of a CSR operand, or of the CSR view of a CSC operand."""
    if isinstance(x, _compressed.CSR):
        return x._transpose_pattern()
    return x.T._transpose_pattern() if isinstance(x, _compressed.CSC) else None


def matmul(
    a: Dense | CSR | CSC | COO | BSR | RowSparse,
    b: Dense | CSR | CSC | COO | BSR | RowSparse,
    *,
    op_a: Op = "N",
    op_b: Op = "N",
    alpha: float = 1.0,
    beta: float = 0.0,
    out: Dense | None = None,
    row_sparse: bool = False,
) -> Dense | RowSparse:
    """alpha op(a) @ op(b) of two matrices of which at least one is dense or row-sparse. With
    row_sparse=True, and op_a="T" or a CSC matrix, the result has only the rows with entries of a.
    `out` and beta as in :func:`spmm`.

    Two sparse matrices are multiplied by :func:`spgemm`; here they are UnsupportedError.

    >>> import sparcl
    >>> a, b = sparcl.dense([[1.0, 2.0]]), sparcl.coo([[0.0], [3.0]])
    >>> sparcl.ops.matmul(a, b).numpy().tolist()
    [[6.0]]
    """
    context, op = context_of(a, b, out), (_op(op_a, "op_a"), _op(op_b, "op_b"))
    shape = (a.shape[op[0]], *([b.shape[1 - op[1]]] if b.ndim > 1 else []))
    transposed = op[0] == 1 or isinstance(a, _compressed.CSC)
    sparse_b = isinstance(b, (_compressed.CSR, _compressed.CSC))
    pattern = _pattern(a) if transposed else _pattern(b) if sparse_b else None
    to: Dense | RowSparse
    if row_sparse:
        stored = cast("Any", a).nnz
        to = _make.rows(context, shape, min(shape[0], stored), a.dtype, _make.INT64)
    else:
        to = target(context, shape, a.dtype, out, beta)
    result = _core.Matrix(to._core)
    _core.matmul(
        context._core,
        result,
        alpha,
        op[0],
        _core.Matrix(a._core),
        op[1],
        _core.Matrix(b._core),
        beta,
        pattern,
    )
    if isinstance(to, _row_sparse.RowSparse):
        result.store(to._core)
    return to
