"""Products of sparse and dense matrices, of sparse matrices, and at the entries of one.

What is wrong raises ShapeError, DTypeError or UncheckedError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from sparcl import _classes, _core, _make, errors
from sparcl._array import context_of
from sparcl._enums import Math, code
from sparcl.ops import _shapes
from sparcl.ops._call import into, run
from sparcl.ops._results import Gradients, ProductGradient, SpmmReduced

if TYPE_CHECKING:
    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse

__all__ = [
    "SpGEMMPlan",
    "gemm",
    "matmul",
    "pattern_build",
    "sddmm",
    "spgemm",
    "spgemm_gradient",
    "spgemm_numeric",
    "spgemm_symbolic",
    "spmm",
    "spmm_reduce",
    "spmm_reduce_gradient",
    "spmm_t",
    "spmm_t_rows",
]


Op = Literal["N", "T"]


_OPS = {"N": 0, "T": 1}


SpmmKind = Literal["sum", "mean", "max", "min"]


def _op(op: str, what: str) -> int:
    if op not in _OPS:
        raise errors.ArgumentError(f"{what}: expected 'N' or 'T', found {op!r}")
    return _OPS[op]


def spmm(
    a: CSR, b: Dense, alpha: float = 1.0, *, beta: float = 0.0, out: Dense | None = None
) -> Dense:
    """alpha a @ b, of a sparse and a dense matrix or vector; in the memory of `out`, where it is
    given, plus beta times what is there.

    >>> import sparcl
    >>> sparcl.ops.spmm(sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0], [4.0]])).numpy().tolist()
    [[11.0]]
    """
    c = _make.target(a.context, (a.shape[0], *b.shape[1:]), b.dtype, out, beta)
    return into(c, _core.spmm, alpha, a, b, beta)


def spmm_t(
    a: CSR, b: Dense, alpha: float = 1.0, *, beta: float = 0.0, out: Dense | None = None
) -> Dense:
    """alpha a.T @ b: dense; `out` and beta as in :func:`spmm`.

    >>> import sparcl
    >>> sparcl.ops.spmm_t(sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0]])).numpy().tolist()
    [[3.0], [6.0]]
    """
    c = _make.target(a.context, (a.shape[1], *b.shape[1:]), b.dtype, out, beta)
    return into(c, _core.spmm_t, alpha, a, b, beta, a._transpose_pattern())


def spmm_t_rows(a: CSR, b: Dense, alpha: float = 1.0) -> RowSparse:
    """alpha a.T @ b: a row for each column of a that has entries.

    >>> import sparcl
    >>> sparcl.ops.spmm_t_rows(sparcl.csr([[0.0, 2.0]]), sparcl.dense([[3.0]])).indices.tolist()
    [1]
    """
    capacity = min(a.shape[1], a.nnz)
    shape = (a.shape[1], *b.shape[1:])
    r = _make.rows(a.context, shape, capacity, b.dtype, a._indices.dtype)
    run(_core.spmm_t_rows, r, alpha, a, b, a._transpose_pattern())
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
    c = _make.target(a.context, (a.shape[op[0]], b.shape[1 - op[1]]), a.dtype, out, beta)
    return into(c, _core.gemm, alpha, op[0], a, op[1], b, beta, code("math", math))


def _pattern(x: Any) -> _core.Pattern | None:
    """The pattern of a CSR operand, or of the CSR view of a CSC operand."""
    if isinstance(x, _classes.CSR):
        return x._transpose_pattern()
    return x.T._transpose_pattern() if isinstance(x, _classes.CSC) else None


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
    transposed = op[0] == 1 or isinstance(a, _classes.CSC)
    sparse_b = isinstance(b, (_classes.CSR, _classes.CSC))
    pattern = _pattern(a) if transposed else _pattern(b) if sparse_b else None
    to: Dense | RowSparse
    if row_sparse:
        stored = cast("Any", a).nnz
        to = _make.rows(context, shape, min(shape[0], stored), a.dtype, _make.INT64)
    else:
        to = _make.target(context, shape, a.dtype, out, beta)
    result = _core.Matrix(to._core)
    views = (op[0], _core.Matrix(a._core), op[1], _core.Matrix(b._core))
    _core.matmul(context._core, result, alpha, *views, beta, pattern)
    if isinstance(to, _classes.RowSparse):
        result.store(to._core)
    return to


def sddmm(
    a: CSR,
    x: Dense,
    y: Dense,
    alpha: float = 1.0,
    *,
    beta: float = 0.0,
    out: Dense | None = None,
) -> Dense:
    """alpha dot(x[i], y[j]) for each entry (i, j) of a [m, n]: [nnz]. x [m, d], y [n, d], or both
    vectors. The values of a are not read. `out` and beta as in :func:`spmm`.

    >>> import sparcl
    >>> a = sparcl.csr([[0.0, 1.0]])
    >>> x, y = sparcl.dense([[1.0, 2.0]]), sparcl.dense([[0.0, 0.0], [3.0, 4.0]])
    >>> sparcl.ops.sddmm(a, x, y).numpy().tolist()
    [11.0]
    """
    v = _make.target(a.context, (a.nnz,), x.dtype, out, beta)
    return into(v, _core.sddmm, alpha, a, x, y, beta)


def spmm_reduce(a: CSR, b: Dense, op: SpmmKind, *, chosen: bool = False) -> SpmmReduced:
    """The "sum", "mean", "max" or "min" of a[i, k] b[k, j] over the entries of row i; 0 where the
    row has none. With `chosen`, for "max" and "min", also the entry whose term was chosen.

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[1.0], [2.0]])
    >>> found = sparcl.ops.spmm_reduce(a, b, "max", chosen=True)
    >>> found.result.numpy().tolist(), found.chosen.numpy().tolist()
    ([[4.0]], [[1]])
    """
    shape = (a.shape[0], *b.shape[1:])
    c = _make.dense(a.context, shape, b.dtype)
    where = _make.dense(a.context, shape, np.int64) if chosen else None
    run(_core.spmm_reduce, code("reduction", op), c, a, b, where)
    return SpmmReduced(c, where)


def spmm_reduce_gradient(
    g: Dense, a: CSR, b: Dense, op: SpmmKind, *, chosen: Dense | None = None
) -> ProductGradient:
    """The gradients of :func:`spmm_reduce` by b and by the values of a [nnz], for the gradient g of
    its result. `chosen` is used for "max" and "min".

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[1.0], [2.0]])
    >>> gb, gv = sparcl.ops.spmm_reduce_gradient(sparcl.dense([[10.0]]), a, b, "max")
    >>> gb.numpy().tolist(), gv.numpy().tolist()
    ([[0.0], [20.0]], [0.0, 20.0])
    """
    gb, gv = _make.like(b), _make.entries(a)
    run(
        _core.spmm_reduce_gradient,
        code("reduction", op),
        gb,
        gv,
        g,
        a,
        b,
        chosen,
        a._transpose_pattern(),
    )
    return ProductGradient(gb, gv)


class SpGEMMPlan:
    """What the product of two CSR matrices needs that depends on their patterns alone: made by
    :func:`spgemm_symbolic`, used for any values.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0], [0.0, 3.0]])
    >>> plan = sparcl.ops.spgemm_symbolic(a, a)
    >>> plan.entries
    3
    """

    def __init__(self, a: CSR, b: CSR) -> None:
        context = context_of(a, b)
        self._core = _core.Spgemm(context._core)
        run(_core.spgemm_symbolic, self._core, a, b)
        self._entries: int | None = None

    @property
    def entries(self) -> int:
        """The number of entries of the product; waits for the device."""
        if self._entries is None:
            self._entries = self._core.entries()
        return self._entries


def spgemm_symbolic(a: CSR, b: CSR) -> SpGEMMPlan:
    """The first phase of a @ b: count the entries of each row. b is sorted and unique, else
    UncheckedError; both of one element type, and types of offsets and indices.

    >>> import sparcl
    >>> sparcl.ops.spgemm_symbolic(sparcl.csr([[1.0]]), sparcl.csr([[2.0]])).entries
    1
    """
    return SpGEMMPlan(a, b)


def spgemm_numeric(plan: SpGEMMPlan, a: CSR, b: CSR) -> CSR:
    """The second phase: a @ b, for a plan of matrices with these arrays of indices.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0], [0.0, 3.0]])
    >>> plan = sparcl.ops.spgemm_symbolic(a, a)
    >>> sparcl.ops.spgemm_numeric(plan, a, a).dense().numpy().tolist()
    [[1.0, 8.0], [0.0, 9.0]]
    """
    c = _make.csr_like(a, (a.shape[0], b.shape[1]), plan.entries)
    if c._indices.dtype != b._indices.dtype:
        c = _make.csr(a.context, c.shape, c.nnz, a.dtype, b._indices.dtype, offset=a._offsets.dtype)
    run(_core.spgemm_numeric, plan._core, c, a, b, None)
    return c


def spgemm(a: CSR, b: CSR) -> CSR:
    """a @ b in CSR format, by both phases; it waits for the number of entries.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0], [0.0, 3.0]])
    >>> sparcl.ops.spgemm(a, a).nnz
    3
    """
    return spgemm_numeric(spgemm_symbolic(a, b), a, b)


def spgemm_gradient(g: Dense, c: CSR, a: CSR, b: CSR) -> Gradients:
    """The gradients of c = a @ b by the values of a and of b, for the gradient g [nnz of c].

    >>> import sparcl
    >>> a, b = sparcl.csr([[3.0]]), sparcl.csr([[5.0]])
    >>> ga, gb = sparcl.ops.spgemm_gradient(sparcl.dense([1.0]), sparcl.ops.spgemm(a, b), a, b)
    >>> ga.numpy().tolist(), gb.numpy().tolist()
    ([5.0], [3.0])
    """
    ga, gb = _make.entries(a), _make.entries(b)
    run(_core.spgemm_gradient, ga, gb, g, c, a, b, a._transpose_pattern())
    return Gradients(ga, gb)
