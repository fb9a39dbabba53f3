"""The order and the shape of COO arrays of any rank.

What is wrong raises ShapeError, DTypeError, DataError or UncheckedError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sparcl import _classes, _core, _make, errors
from sparcl._array import context_of
from sparcl._enums import Duplicates, code
from sparcl._parts import Part
from sparcl.ops import _shapes
from sparcl.ops._results import Coalesced, Filled, Moved

if TYPE_CHECKING:
    from sparcl._coordinates import COO
    from sparcl._dense import Dense

__all__ = [
    "coo_coalesce",
    "coo_coalesce_gradient",
    "coo_coalesce_with",
    "coo_concat",
    "coo_expand_dims",
    "coo_fill_empty_rows",
    "coo_permute",
    "coo_permute_view",
    "coo_project",
    "coo_reset_shape",
    "coo_reshape",
    "coo_slice",
    "coo_sort",
    "coo_squeeze",
]


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


def coo_permute_view(a: COO, axes: Sequence[int]) -> COO:
    """The array whose dimension d is dimension axes[d] of a: the same memory.

    >>> import sparcl
    >>> sparcl.ops.coo_permute_view(sparcl.coo([[1.0, 2.0]]), (1, 0)).shape
    (2, 1)
    """
    order = _shapes.axes_of(axes, a.ndim)
    if len(order) != a.ndim:
        raise errors.ArgumentError(f"axes: expected {a.ndim}, found {len(order)}")
    a._settle()
    shape = tuple(a.shape[axis] for axis in order)
    to = _classes.COO(a.context, shape, [a._indices[axis] for axis in order], a._values)
    _core.coo_permute_view(a.context._core, to._core, a._core, order)
    return to


def coo_permute(a: COO, axes: Sequence[int], *, source: bool = False) -> Moved[COO]:
    """That transpose, sorted.

    >>> import sparcl
    >>> a = sparcl.coo([[1.0, 2.0], [3.0, 4.0]])
    >>> sparcl.ops.coo_permute(a, (1, 0)).result.values.numpy().tolist()
    [1.0, 3.0, 2.0, 4.0]
    """
    order = _shapes.axes_of(axes, a.ndim)
    if len(order) != a.ndim:
        raise errors.ArgumentError(f"axes: expected {a.ndim}, found {len(order)}")
    to = _shapes.like(a, tuple(a.shape[axis] for axis in order), a.nnz, counted=False)
    where = _make.integers(a.context, a.nnz, source)
    moved = _core.Moved(_make.buffer(where), None)
    _core.coo_permute(a.context._core, to._core, a._core, order, moved)
    return Moved(to, where)


def coo_reshape(a: COO, shape: Sequence[int]) -> COO:
    """Another shape of the same number of elements, in row-major order.

    >>> import sparcl
    >>> a = sparcl.coo([[1.0, 2.0], [0.0, 4.0]])
    >>> sparcl.ops.coo_reshape(a, (4,)).dense().numpy().tolist()
    [1.0, 2.0, 0.0, 4.0]
    """
    to = _shapes.like(a, tuple(shape), a.nnz, counted=False)
    _core.coo_reshape(a.context._core, to._core, a._core)
    return to


def coo_expand_dims(a: COO, axis: int) -> COO:
    """A dimension of size 1 before dimension `axis`; the other arrays are the same memory.

    >>> import sparcl
    >>> sparcl.ops.coo_expand_dims(sparcl.coo([[1.0, 2.0]]), 0).shape
    (1, 1, 2)
    """
    if not 0 <= axis <= a.ndim:
        raise errors.ArgumentError(f"axis: expected 0 to {a.ndim}, found {axis}")
    a._settle()
    zeros = Part.empty(a.context, (a.nnz,), a._indices[0].dtype)
    shape = (*a.shape[:axis], 1, *a.shape[axis:])
    indices = [*a._indices[:axis], zeros, *a._indices[axis:]]
    to = _classes.COO(a.context, shape, indices, a._values)
    _core.coo_expand_dims(a.context._core, to._core, a._core, axis)
    return to


def coo_squeeze(a: COO, axis: int | None = None) -> COO:
    """Without dimension `axis`, whose size is 1, or without all of these, but one dimension is
    left: the same memory.

    >>> import sparcl
    >>> sparcl.ops.coo_squeeze(sparcl.coo([[1.0, 2.0]])).shape
    (2,)
    """
    a._settle()
    kept = [d for d in range(a.ndim) if (a.shape[d] != 1 if axis is None else d != axis)] or [0]
    shape = tuple(a.shape[d] for d in kept)
    to = _classes.COO(a.context, shape, [a._indices[d] for d in kept], a._values)
    _core.coo_squeeze(a.context._core, to._core, a._core, -1 if axis is None else axis)
    return to


def coo_project(a: COO, axes: Sequence[int]) -> COO:
    """The array of some dimensions, in which several entries may have one position: the same
    memory.

    >>> import sparcl
    >>> sparcl.ops.coo_project(sparcl.coo([[1.0], [2.0]]), [1]).dense().numpy().tolist()
    [3.0]
    """
    order = _shapes.axes_of(axes, a.ndim)
    a._settle()
    shape = tuple(a.shape[d] for d in order)
    to = _classes.COO(a.context, shape, [a._indices[d] for d in order], a._values)
    _core.coo_project(a.context._core, to._core, a._core, len(order), order)
    return to


def coo_reset_shape(a: COO, shape: Sequence[int] | None = None) -> COO:
    """The same entries in another shape of the same rank, or in the smallest that has all: the same
    memory. DataError where an index is outside.

    >>> import scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0], ([2], [1])), shape=(9, 9)))
    >>> sparcl.ops.coo_reset_shape(a).shape
    (3, 2)
    """
    if shape is not None and len(shape) != a.ndim:
        raise errors.ShapeError(f"expected {a.ndim} dimensions, found {len(shape)}")
    a._settle()
    made = _classes.COO(a.context, a.shape, a._indices, a._values)
    made._core.trust(a._core)
    _core.coo_reset_shape(a.context._core, made._core, [] if shape is None else list(shape))
    to = _classes.COO(a.context, tuple(made._core.shape), a._indices, a._values)
    to._core.trust(made._core)
    return to


def coo_slice(
    a: COO, start: Sequence[int], stop: Sequence[int], *, source: bool = False
) -> Moved[COO]:
    """From start[d] to stop[d], without that, in each dimension d.

    >>> import sparcl
    >>> a = sparcl.coo([[1.0, 2.0], [3.0, 4.0]])
    >>> sparcl.ops.coo_slice(a, [1, 0], [2, 1]).result.values.numpy().tolist()
    [3.0]
    """
    bad = len(start) != a.ndim or len(stop) != a.ndim
    if bad or any(not 0 <= b <= e <= n for b, e, n in zip(start, stop, a.shape, strict=True)):
        raise errors.ShapeError(
            f"start and stop: expected a part of the shape {a.shape}, found {tuple(start)} to "
            f"{tuple(stop)}"
        )
    to = _shapes.like(a, tuple(e - b for b, e in zip(start, stop, strict=True)))
    where = _make.integers(a.context, a._capacity, source)
    moved = _core.Moved(_make.buffer(where), None)
    _core.coo_slice(a.context._core, to._core, a._core, list(start), moved)
    return Moved(to, None if where is None else where[: to.nnz])


def coo_concat(arrays: Sequence[COO], axis: int = 0, *, source: bool = False) -> Moved[COO]:
    """All arrays one after the other along an axis; their other dimensions are equal.

    >>> import sparcl
    >>> a = sparcl.coo([[1.0, 2.0]])
    >>> sparcl.ops.coo_concat([a, a], axis=1).result.shape
    (1, 4)
    """
    context = context_of(*arrays)
    first, (along,) = arrays[0], _shapes.axes_of([axis], arrays[0].ndim)
    sizes = [a.shape[along] if along < a.ndim else 0 for a in arrays]
    shape = (*first.shape[:along], sum(sizes), *first.shape[along + 1 :])
    to = _shapes.like(first, shape, sum(a.nnz for a in arrays))
    where = _make.integers(context, to._capacity, source)
    moved = _core.Moved(_make.buffer(where), None)
    _core.coo_concat(context._core, to._core, [a._core for a in arrays], along, moved)
    return Moved(to, where)


def coo_fill_empty_rows(a: COO, value: float) -> Filled[COO]:
    """Sorted, with an entry in each row (index of dimension 0) that has none, whose other indices
    are 0.

    >>> import sparcl
    >>> filled = sparcl.ops.coo_fill_empty_rows(sparcl.coo([[0.0, 2.0], [0.0, 0.0]]), 9.0)
    >>> filled.result.dense().numpy().tolist(), filled.source.numpy().tolist()
    ([[0.0, 2.0], [9.0, 0.0]], [0, -1])
    """
    context, rows = a.context, a.shape[0]
    room = a.nnz + rows
    to = _shapes.like(a, nnz=room)
    is_empty = _make.dense(context, (rows,), np.bool_)
    inverse, source = (_make.dense(context, (n,), np.int64) for n in (a.nnz, room))
    more = _core.Filled(is_empty._part.buffer, inverse._part.buffer, source._part.buffer, None)
    _core.coo_fill_empty_rows(context._core, to._core, a._core, value, more)
    return Filled(to, is_empty, inverse, source[: to.nnz])
