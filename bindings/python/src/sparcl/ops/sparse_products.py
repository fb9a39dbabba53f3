"""Products of dense matrices at the entries of a sparse one, products of sparse matrices, and sums
and products of sparse matrices element by element.

What is wrong raises ShapeError, DTypeError or UncheckedError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from sparcl import _core, _host, _make
from sparcl._array import context_of
from sparcl._enums import code
from sparcl.ops import coo_sums, products
from sparcl.ops._results import Gradients, ProductGradient, SpmmReduced, Sum

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense

SpmmKind = Literal["sum", "mean", "max", "min"]


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
    context = context_of(a, x, y, out)
    v = products.target(context, (a.nnz,), x.dtype, out, beta)
    _core.sddmm(context._core, v._core, alpha, a._core, x._core, y._core, beta)
    return v


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
    _core.spmm_reduce(
        context_of(a, b)._core,
        code("reduction", op),
        c._core,
        a._core,
        b._core,
        None if where is None else where._core,
    )
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
    _core.spmm_reduce_gradient(
        context_of(g, a, b, chosen)._core,
        code("reduction", op),
        gb._core,
        gv._core,
        g._core,
        a._core,
        b._core,
        None if chosen is None else chosen._core,
        a._transpose_pattern(),
    )
    return ProductGradient(gb, gv)


# --- sums and products element by element


def _sum(to: CSR, needed: Dense, where_a: Dense | None, where_b: Dense | None) -> Sum[CSR]:
    count = _host.count(needed)
    exact = _make.cut(to, count)
    if where_a is None or where_b is None:
        return Sum(exact, None, None)
    return Sum(exact, where_a[:count], where_b[:count])


def csr_add(
    a: CSR, b: CSR, alpha: float = 1.0, beta: float = 1.0, *, sources: bool = False
) -> Sum[CSR]:
    """alpha a + beta b: an entry wherever one of them has one. Both sorted and unique, as
    :meth:`CSR.canonical` gives them, else UncheckedError; of one type of offsets and of indices.

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 0.0]]), sparcl.csr([[1.0, 2.0]])
    >>> sparcl.ops.csr_add(a, b, beta=-1).result.dense().numpy().tolist()
    [[0.0, -2.0]]
    """
    context = context_of(a, b)
    to = _make.csr_like(a, nnz=a.nnz + b.nnz)
    needed = _make.dense(context, (1,), np.int64)
    where_a, where_b = (_make.integers(context, to.nnz, sources) for _ in range(2))
    where = _core.Sources(_make.buffer(where_a), _make.buffer(where_b)) if sources else None
    _core.csr_add(
        context._core,
        to._core,
        alpha,
        a._core,
        beta,
        b._core,
        needed._part.buffer,
        0,
        where,
    )
    return _sum(to, needed, where_a, where_b)


def csr_multiply(a: CSR, b: CSR, *, sources: bool = False) -> Sum[CSR]:
    """a times b element by element: an entry wherever both have one. Both sorted and unique.

    >>> import sparcl
    >>> a, b = sparcl.csr([[3.0, 0.0]]), sparcl.csr([[5.0, 2.0]])
    >>> sparcl.ops.csr_multiply(a, b).result.values.numpy().tolist()
    [15.0]
    """
    context = context_of(a, b)
    to = _make.csr_like(a, nnz=min(a.nnz, b.nnz))
    needed = _make.dense(context, (1,), np.int64)
    where_a, where_b = (_make.integers(context, to.nnz, sources) for _ in range(2))
    where = _core.Sources(_make.buffer(where_a), _make.buffer(where_b)) if sources else None
    _core.csr_multiply(context._core, to._core, a._core, b._core, needed._part.buffer, 0, where)
    return _sum(to, needed, where_a, where_b)


def csr_add_gradient(
    g: Dense, a: CSR, b: CSR, c: Sum[CSR], *, alpha: float = 1.0, beta: float = 1.0
) -> Gradients:
    """The gradients of :func:`csr_add` by the values of a and of b, for its result c, with sources,
    and the gradient g [nnz of c].

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 0.0]]), sparcl.csr([[1.0, 2.0]])
    >>> c = sparcl.ops.csr_add(a, b, sources=True)
    >>> ga, gb = sparcl.ops.csr_add_gradient(sparcl.dense([5.0, 7.0]), a, b, c)
    >>> ga.numpy().tolist(), gb.numpy().tolist()
    ([5.0], [5.0, 7.0])
    """
    ga, gb = _make.entries(a, g.dtype), _make.entries(b, g.dtype)
    where = coo_sums.given_sources(c, a, b)
    _core.csr_add_gradient(
        context_of(g, a, b, c.result)._core,
        ga._core,
        gb._core,
        alpha,
        beta,
        g._core,
        c.result._core,
        where,
    )
    return Gradients(ga, gb)


def csr_multiply_gradient(g: Dense, a: CSR, b: CSR, c: Sum[CSR]) -> Gradients:
    """The same for :func:`csr_multiply`: b times g for a, a times g for b.

    >>> import sparcl
    >>> a, b = sparcl.csr([[3.0, 0.0]]), sparcl.csr([[5.0, 2.0]])
    >>> c = sparcl.ops.csr_multiply(a, b, sources=True)
    >>> ga, gb = sparcl.ops.csr_multiply_gradient(sparcl.dense([1.0]), a, b, c)
    >>> ga.numpy().tolist(), gb.numpy().tolist()
    ([5.0], [3.0, 0.0])
    """
    ga, gb = _make.entries(a), _make.entries(b)
    where = coo_sums.given_sources(c, a, b)
    _core.csr_multiply_gradient(
        context_of(g, a, b, c.result)._core,
        ga._core,
        gb._core,
        g._core,
        c.result._core,
        a._core,
        b._core,
        where,
    )
    return Gradients(ga, gb)


def csr_multiply_dense(a: CSR, x: Dense) -> CSR:
    """a times x element by element, both of one shape: a matrix with the indices of a.

    >>> import sparcl
    >>> a, x = sparcl.csr([[3.0, 0.0]]), sparcl.dense([[5.0, 2.0]])
    >>> sparcl.ops.csr_multiply_dense(a, x).values.numpy().tolist()
    [15.0]
    """
    v = _make.entries(a)
    _core.csr_multiply_dense(context_of(a, x)._core, v._core, a._core, x._core)
    return _make.with_values(a, v)


def csr_multiply_dense_gradient(g: Dense, a: CSR, x: Dense) -> Gradients:
    """The gradients of :func:`csr_multiply_dense` by the values of a [nnz] and by x, for the
    gradient g [nnz].

    >>> import sparcl
    >>> a, x = sparcl.csr([[3.0, 0.0]]), sparcl.dense([[5.0, 2.0]])
    >>> ga, gx = sparcl.ops.csr_multiply_dense_gradient(sparcl.dense([1.0]), a, x)
    >>> ga.numpy().tolist(), gx.numpy().tolist()
    ([5.0], [[3.0, 0.0]])
    """
    gv, gx = _make.entries(a), _make.like(x)
    _core.csr_multiply_dense_gradient(
        context_of(g, a, x)._core, gv._core, gx._core, g._core, a._core, x._core
    )
    return Gradients(gv, gx)


# --- products of sparse matrices


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
        _core.spgemm_symbolic(context._core, self._core, a._core, b._core)
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
    context = context_of(a, b)
    c = _make.csr_like(a, (a.shape[0], b.shape[1]), plan.entries)
    if c._indices.dtype != b._indices.dtype:
        c = _make.csr(context, c.shape, c.nnz, a.dtype, b._indices.dtype, offset=a._offsets.dtype)
    _core.spgemm_numeric(context._core, plan._core, c._core, a._core, b._core, None, 0)
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
    _core.spgemm_gradient(
        context_of(g, c, a, b)._core,
        ga._core,
        gb._core,
        g._core,
        c._core,
        a._core,
        b._core,
        a._transpose_pattern(),
    )
    return Gradients(ga, gb)
