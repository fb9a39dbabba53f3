"""Sums and products of sparse arrays element by element, with their gradients.

What is wrong raises ShapeError, DTypeError or UncheckedError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparcl import _classes, _core, _host, _make, errors
from sparcl._array import context_of
from sparcl.ops import _shapes
from sparcl.ops._call import Function, into, run
from sparcl.ops._results import Gradients, Sum

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse

__all__ = [
    "add_n",
    "coo_add",
    "coo_add_gradient",
    "coo_multiply",
    "coo_multiply_gradient",
    "csr_add",
    "csr_add_gradient",
    "csr_multiply",
    "csr_multiply_dense",
    "csr_multiply_dense_gradient",
    "csr_multiply_gradient",
    "rows_add_n",
    "rows_multiply",
    "rows_multiply_dense",
]


def _csr_sum(to: CSR, sources: bool, function: Function, *arguments: Any) -> Sum[CSR]:
    needed = _make.dense(to.context, (1,), np.int64)
    a, b = (_make.integers(to.context, to._values.shape[0], sources) for _ in range(2))
    more = _core.Sources(_make.buffer(a), _make.buffer(b), needed._part.buffer)
    run(function, to, *arguments, more)
    count = _host.count(needed)
    exact = _make.cut(to, count)
    return Sum(exact, *(None if each is None else each[:count] for each in (a, b)))


def _coo_sum(to: COO, sources: bool, function: Function, *arguments: Any) -> Sum[COO]:
    a, b = (_make.integers(to.context, to._values.shape[0], sources) for _ in range(2))
    run(function, to, *arguments, _core.Sources(_make.buffer(a), _make.buffer(b), None))
    return Sum(to, *(None if each is None else each[: to.nnz] for each in (a, b)))


def _given_sources(c: Sum[Any], a: CSR | COO, b: CSR | COO) -> _core.Sources:
    """The sources that a gradient needs."""
    if c.a is None or c.b is None:
        raise errors.ArgumentError("c: expected a result with sources=True, found one without")
    shape = (c.result.nnz,)
    return _core.Sources(
        _make.operand_buffer(c.a, "c.a", shape, within=(-1, a.nnz)),
        _make.operand_buffer(c.b, "c.b", shape, within=(-1, b.nnz)),
        None,
    )


def _add_gradient(
    function: Function, g: Dense, a: CSR | COO, b: CSR | COO, c: Sum[Any], *factors: float
) -> Gradients:
    where = _given_sources(c, a, b)
    ga, gb = _make.entries(a, g.dtype), _make.entries(b, g.dtype)
    run(function, ga, gb, *factors, g, c.result, where)
    return Gradients(ga, gb)


def _multiply_gradient(
    function: Function, g: Dense, a: CSR | COO, b: CSR | COO, c: Sum[Any]
) -> Gradients:
    where = _given_sources(c, a, b)
    ga, gb = _make.entries(a), _make.entries(b)
    run(function, ga, gb, g, c.result, a, b, where)
    return Gradients(ga, gb)


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
    to = _make.csr_like(a, nnz=a.nnz + b.nnz)
    return _csr_sum(to, sources, _core.csr_add, alpha, a, beta, b)


def csr_multiply(a: CSR, b: CSR, *, sources: bool = False) -> Sum[CSR]:
    """a times b element by element: an entry wherever both have one. Both sorted and unique.

    >>> import sparcl
    >>> a, b = sparcl.csr([[3.0, 0.0]]), sparcl.csr([[5.0, 2.0]])
    >>> sparcl.ops.csr_multiply(a, b).result.values.numpy().tolist()
    [15.0]
    """
    to = _make.csr_like(a, nnz=min(a.nnz, b.nnz))
    return _csr_sum(to, sources, _core.csr_multiply, a, b)


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
    return _add_gradient(_core.csr_add_gradient, g, a, b, c, alpha, beta)


def csr_multiply_gradient(g: Dense, a: CSR, b: CSR, c: Sum[CSR]) -> Gradients:
    """The same for :func:`csr_multiply`: b times g for a, a times g for b.

    >>> import sparcl
    >>> a, b = sparcl.csr([[3.0, 0.0]]), sparcl.csr([[5.0, 2.0]])
    >>> c = sparcl.ops.csr_multiply(a, b, sources=True)
    >>> ga, gb = sparcl.ops.csr_multiply_gradient(sparcl.dense([1.0]), a, b, c)
    >>> ga.numpy().tolist(), gb.numpy().tolist()
    ([5.0], [3.0, 0.0])
    """
    return _multiply_gradient(_core.csr_multiply_gradient, g, a, b, c)


def csr_multiply_dense(a: CSR, x: Dense) -> CSR:
    """a times x element by element, both of one shape: a matrix with the indices of a.

    >>> import sparcl
    >>> a, x = sparcl.csr([[3.0, 0.0]]), sparcl.dense([[5.0, 2.0]])
    >>> sparcl.ops.csr_multiply_dense(a, x).values.numpy().tolist()
    [15.0]
    """
    return _make.with_values(a, into(_make.entries(a), _core.csr_multiply_dense, a, x))


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
    run(_core.csr_multiply_dense_gradient, gv, gx, g, a, x)
    return Gradients(gv, gx)


def coo_add(
    a: COO, b: COO, alpha: float = 1.0, beta: float = 1.0, *, sources: bool = False
) -> Sum[COO]:
    """alpha a + beta b: an entry wherever one of them has one. Both sorted and unique, as
    :meth:`COO.canonical` gives them, else UncheckedError.

    >>> import sparcl
    >>> a, b = sparcl.coo([[1.0, 0.0]]), sparcl.coo([[1.0, 2.0]])
    >>> sparcl.ops.coo_add(a, b).result.dense().numpy().tolist()
    [[2.0, 2.0]]
    """
    to = _shapes.like(a, nnz=a._capacity + b._capacity)
    return _coo_sum(to, sources, _core.coo_add, alpha, a, beta, b)


def coo_multiply(a: COO, b: COO, *, sources: bool = False) -> Sum[COO]:
    """a times b element by element: an entry wherever both have one. Both sorted and unique.

    >>> import sparcl
    >>> a, b = sparcl.coo([[3.0, 0.0]]), sparcl.coo([[5.0, 2.0]])
    >>> sparcl.ops.coo_multiply(a, b).result.values.numpy().tolist()
    [15.0]
    """
    to = _shapes.like(a, nnz=min(a._capacity, b._capacity))
    return _coo_sum(to, sources, _core.coo_multiply, a, b)


def coo_add_gradient(
    g: Dense, a: COO, b: COO, c: Sum[COO], *, alpha: float = 1.0, beta: float = 1.0
) -> Gradients:
    """The gradients of :func:`coo_add` by the values of a and of b, for its result c, with sources,
    and the gradient g [nnz of c].

    >>> import sparcl
    >>> a, b = sparcl.coo([[1.0, 0.0]]), sparcl.coo([[1.0, 2.0]])
    >>> c = sparcl.ops.coo_add(a, b, sources=True)
    >>> ga, gb = sparcl.ops.coo_add_gradient(sparcl.dense([5.0, 7.0]), a, b, c)
    >>> ga.numpy().tolist(), gb.numpy().tolist()
    ([5.0], [5.0, 7.0])
    """
    return _add_gradient(_core.coo_add_gradient, g, a, b, c, alpha, beta)


def coo_multiply_gradient(g: Dense, a: COO, b: COO, c: Sum[COO]) -> Gradients:
    """The same for :func:`coo_multiply`: b times g for a, a times g for b.

    >>> import sparcl
    >>> a, b = sparcl.coo([[3.0, 0.0]]), sparcl.coo([[5.0, 2.0]])
    >>> c = sparcl.ops.coo_multiply(a, b, sources=True)
    >>> ga, gb = sparcl.ops.coo_multiply_gradient(sparcl.dense([1.0]), a, b, c)
    >>> ga.numpy().tolist(), gb.numpy().tolist()
    ([5.0], [3.0, 0.0])
    """
    return _multiply_gradient(_core.coo_multiply_gradient, g, a, b, c)


def _terms(
    arrays: Sequence[Dense | RowSparse], factors: Sequence[float] | None
) -> tuple[_core.Terms, int]:
    chosen = [1.0] * len(arrays) if factors is None else list(factors)
    if len(chosen) != len(arrays):
        raise errors.ArgumentError(
            f"factors: expected one for each of {len(arrays)} arrays, found {len(chosen)}"
        )
    terms = _core.Terms()
    for factor, x in zip(chosen, arrays, strict=True):
        if isinstance(x, _classes.RowSparse):
            terms.rows(factor, x._core)
        else:
            terms.dense(factor, x._core)
    return terms, len(arrays)


def rows_add_n(arrays: Sequence[RowSparse], factors: Sequence[float] | None = None) -> RowSparse:
    """The sum of row-sparse arrays of one shape and type, each times a factor: a row for each index
    that one of them stores.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([0, 2]), [[1.0], [2.0]], (3, 1))
    >>> c = sparcl.ops.rows_add_n([a, a, a], factors=[1, 2, 3])
    >>> c.indices.tolist(), c.values.tolist()
    ([0, 2], [[6.0], [12.0]])
    """
    context = context_of(*arrays)
    capacity = min(sum(a._capacity for a in arrays), arrays[0].shape[0])
    index = np.result_type(*(a._indices.dtype for a in arrays))
    to = _make.rows(context, arrays[0].shape, capacity, arrays[0].dtype, index)
    return into(to, _core.rows_add_n, *_terms(arrays, factors), None)


def add_n(arrays: Sequence[Dense | RowSparse], factors: Sequence[float] | None = None) -> Dense:
    """The sum of arrays of one shape and type, dense and row-sparse, each times a factor: a dense
    array.

    >>> import numpy, sparcl
    >>> x = sparcl.dense([[1.0], [2.0], [3.0]])
    >>> a = sparcl.rows(numpy.array([0]), [[1.0]], (3, 1))
    >>> sparcl.ops.add_n([x, a, a], factors=[2, 1, 1]).numpy().tolist()
    [[4.0], [4.0], [6.0]]
    """
    context = context_of(*arrays)
    to = _make.dense(context, arrays[0].shape, arrays[0].dtype)
    return into(to, _core.add_n, *_terms(arrays, factors))


def rows_multiply(a: RowSparse, b: RowSparse) -> RowSparse:
    """a times b element by element: a row for each index that both store. Both sorted and unique,
    as :meth:`RowSparse.canonical` gives them, else UncheckedError.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([0, 2]), [[1.0], [2.0]], (3, 1))
    >>> b = sparcl.rows(numpy.array([1, 2]), [[5.0], [7.0]], (3, 1))
    >>> c = sparcl.ops.rows_multiply(a, b)
    >>> c.indices.tolist(), c.values.tolist()
    ([2], [[14.0]])
    """
    to = _make.rows(a.context, a.shape, min(a._capacity, b._capacity), a.dtype, a._indices.dtype)
    return into(to, _core.rows_multiply, a, b, None)


def rows_multiply_dense(a: RowSparse, x: Dense) -> RowSparse:
    """The stored rows of a, each times the row of x with its index; x of the shape of a.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([1]), [[1.0, 2.0]], (2, 2))
    >>> sparcl.ops.rows_multiply_dense(a, sparcl.dense([[0.0, 0], [3, 4]])).values.tolist()
    [[3.0, 8.0]]
    """
    return _make.rows_with_values(a, into(_make.stored_rows(a), _core.rows_multiply_dense, a, x))
