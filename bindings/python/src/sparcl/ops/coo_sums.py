"""COO arrays: sorted, coalesced, added and multiplied by element, reduced over axes; gradients.

What is wrong raises ShapeError, DTypeError, DataError or UncheckedError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sparcl import _core, _make, errors
from sparcl._array import context_of
from sparcl._enums import Duplicates, code
from sparcl.ops import _shapes
from sparcl.ops._results import Coalesced, Gradients, Moved, Sum

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense


def coo_sort(a: COO, *, permutation: bool = False) -> Moved[COO]:
    """The entries in lexicographic order of their indices; equal ones keep their order. `source`
    is the permutation.

    >>> import numpy, scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0], ([1, 0], [0, 0]))))
    >>> sparcl.ops.coo_sort(a).result.values.numpy().tolist()
    [2.0, 1.0]
    """
    to = _shapes.like(a, nnz=a.nnz, counted=False)
    where = _make.integers(a.context, a.nnz, permutation)
    _core.coo_sort(a.context._core, to._core, a._core, _make.buffer(where), 0)
    return Moved(to, where)


def coo_coalesce(a: COO) -> COO:
    """Sorted, with the entries of one position added in their order.

    >>> import numpy, scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0], ([1, 1], [0, 0]))))
    >>> sparcl.ops.coo_coalesce(a).values.numpy().tolist()
    [3.0]
    """
    to = _shapes.like(a)
    _core.coo_coalesce(a.context._core, to._core, a._core)
    return to


def coo_coalesce_with(
    a: COO,
    how: Duplicates,
    *,
    inverse: bool = False,
    counts: bool = False,
    source: bool = False,
) -> Coalesced[COO]:
    """Sorted, with the entries of one position combined: "sum", "mean", "max", "min", "first" or
    "last".

    >>> import numpy, scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0], ([1, 1], [0, 0]))))
    >>> sparcl.ops.coo_coalesce_with(a, "mean", counts=True).counts.numpy().tolist()
    [2]
    """
    to = _shapes.like(a, nnz=a.nnz)
    more = [_make.integers(a.context, a.nnz, wanted) for wanted in (inverse, counts, source)]
    wanted = _core.Coalesced(*(_make.buffer(each) for each in more))
    _core.coo_coalesce_with(a.context._core, to._core, a._core, code("duplicates", how), wanted)
    cut = [None if each is None else each[: to.nnz] for each in more[1:]]
    return Coalesced(to, more[0], *cut)


def coo_coalesce_gradient(
    g: Dense,
    a: COO,
    how: Duplicates,
    *,
    inverse: Dense | None = None,
    counts: Dense | None = None,
    source: Dense | None = None,
) -> Dense:
    """The gradient of the values that :func:`coo_coalesce_with` has combined [nnz of a], for the
    gradient g of the values of its result. It needs the inverse; of a mean the counts; of "max",
    "min", "first" and "last" the source.

    >>> import numpy, scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0], ([1, 1], [0, 0]))))
    >>> to = sparcl.ops.coo_coalesce_with(a, "max", inverse=True, source=True)
    >>> g = sparcl.dense([5.0])
    >>> sparcl.ops.coo_coalesce_gradient(
    ...     g, a, "max", inverse=to.inverse, source=to.source).numpy().tolist()
    [0.0, 5.0]
    """
    to = _make.entries(a, g.dtype)
    groups = g.shape[0]
    more = _core.Coalesced(
        _make.operand_buffer(inverse, "inverse", (a.nnz,), within=(0, groups)),
        _make.operand_buffer(counts, "counts", (groups,)),
        _make.operand_buffer(source, "source", (groups,)),
    )
    context = context_of(g, a, inverse, counts, source)
    how_code = code("duplicates", how)
    _core.coo_coalesce_gradient(context._core, to._core, how_code, g._core, a._core, more)
    return to


def _sources(context: Any, room: int, wanted: bool) -> tuple[Dense | None, Dense | None, Any]:
    a, b = _make.integers(context, room, wanted), _make.integers(context, room, wanted)
    return a, b, _core.Sources(_make.buffer(a), _make.buffer(b)) if wanted else None


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
    context = context_of(a, b)
    to = _shapes.like(a, nnz=a._capacity + b._capacity)
    where_a, where_b, where = _sources(context, to._capacity, sources)
    _core.coo_add(context._core, to._core, alpha, a._core, beta, b._core, None, 0, where)
    return _cut_sum(to, where_a, where_b)


def _cut_sum(to: COO, a: Dense | None, b: Dense | None) -> Sum[COO]:
    if a is None or b is None:
        return Sum(to, None, None)
    return Sum(to, a[: to.nnz], b[: to.nnz])


def coo_multiply(a: COO, b: COO, *, sources: bool = False) -> Sum[COO]:
    """a times b element by element: an entry wherever both have one. Both sorted and unique.

    >>> import sparcl
    >>> a, b = sparcl.coo([[3.0, 0.0]]), sparcl.coo([[5.0, 2.0]])
    >>> sparcl.ops.coo_multiply(a, b).result.values.numpy().tolist()
    [15.0]
    """
    context = context_of(a, b)
    to = _shapes.like(a, nnz=min(a._capacity, b._capacity))
    where_a, where_b, where = _sources(context, to._capacity, sources)
    _core.coo_multiply(context._core, to._core, a._core, b._core, None, 0, where)
    return _cut_sum(to, where_a, where_b)


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
    context = context_of(g, a, b, c.result)
    c.result._settle()
    ga, gb = _make.entries(a, g.dtype), _make.entries(b, g.dtype)
    where = given_sources(c, a, b)
    _core.coo_add_gradient(
        context._core, ga._core, gb._core, alpha, beta, g._core, c.result._core, where
    )
    return Gradients(ga, gb)


def given_sources(c: Sum[Any], a: CSR | COO, b: CSR | COO) -> _core.Sources:
    """The sources that a gradient needs."""
    if c.a is None or c.b is None:
        raise errors.ArgumentError("c: expected a result with sources=True, found one without")
    shape = (c.result.nnz,)
    return _core.Sources(
        _make.operand_buffer(c.a, "c.a", shape, within=(-1, a.nnz)),
        _make.operand_buffer(c.b, "c.b", shape, within=(-1, b.nnz)),
    )


def coo_multiply_gradient(g: Dense, a: COO, b: COO, c: Sum[COO]) -> Gradients:
    """The same for :func:`coo_multiply`: b times g for a, a times g for b.

    >>> import sparcl
    >>> a, b = sparcl.coo([[3.0, 0.0]]), sparcl.coo([[5.0, 2.0]])
    >>> c = sparcl.ops.coo_multiply(a, b, sources=True)
    >>> ga, gb = sparcl.ops.coo_multiply_gradient(sparcl.dense([1.0]), a, b, c)
    >>> ga.numpy().tolist(), gb.numpy().tolist()
    ([5.0], [3.0, 0.0])
    """
    context = context_of(g, a, b, c.result)
    c.result._settle()
    ga, gb = _make.entries(a), _make.entries(b)
    where = given_sources(c, a, b)
    _core.coo_multiply_gradient(
        context._core, ga._core, gb._core, g._core, c.result._core, a._core, b._core, where
    )
    return Gradients(ga, gb)


def coo_reduce(a: COO, how: Duplicates, axes: int | Sequence[int] | None = None) -> Dense:
    """ "sum", "mean", "max" or "min" of the stored entries over some axes, or over all to [1]; 0
    where there is none. Elements that are not stored do not count.

    >>> import sparcl
    >>> sparcl.ops.coo_reduce(sparcl.coo([[1.0, 0.0], [3.0, 4.0]]), "mean", 1).numpy().tolist()
    [1.0, 3.5]
    """
    chosen = range(a.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    order = _shapes.axes_of(list(chosen), a.ndim)
    kept = tuple(a.shape[d] for d in range(a.ndim) if d not in order) or (1,)
    to = _make.dense(a.context, kept, a.dtype)
    count = 0 if axes is None else len(order)
    given = [] if axes is None else order
    _core.coo_reduce(a.context._core, to._core, code("duplicates", how), a._core, count, given)
    return to


def coo_mask(x: Dense, a: COO) -> Dense:
    """The elements of x where a has entries [nnz], for any rank: the gradient of coo_to_dense.

    >>> import sparcl
    >>> sparcl.ops.coo_mask(sparcl.dense([[5.0, 6.0]]), sparcl.coo([[0.0, 1.0]])).numpy().tolist()
    [6.0]
    """
    to = _make.entries(a, x.dtype)
    _core.coo_mask(context_of(x, a)._core, to._core, x._core, a._core)
    return to
