"""The order and the shape of COO arrays of any rank.

What is wrong raises ShapeError, DTypeError, DataError or UncheckedError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparcl import _classes, _core, _make, errors
from sparcl._array import context_of
from sparcl._enums import Duplicates, code
from sparcl._parts import Part
from sparcl.ops import _shapes
from sparcl.ops._call import coalesced, filled, into, kept, moved, run
from sparcl.ops._results import Coalesced, Filled, Moved

if TYPE_CHECKING:
    from sparcl._coordinates import COO
    from sparcl._dense import Dense

__all__ = [
    "coo_coalesce",
    "coo_coalesce_gradient",
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
    run(_core.coo_sort, to, a, _make.buffer(where), 0)
    return Moved(to, where)


def coo_coalesce(
    a: COO,
    how: Duplicates = "sum",
    *,
    inverse: bool = False,
    counts: bool = False,
    source: bool = False,
) -> Coalesced[COO]:
    """Sorted, with the entries of one position combined: their "sum" in their order, "mean", "max",
    "min", "first" or "last".

    >>> import numpy, scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0], ([1, 1], [0, 0]))))
    >>> sparcl.ops.coo_coalesce(a, "mean", counts=True).counts.numpy().tolist()
    [2]
    """
    wanted = (inverse, counts, source)
    to = _shapes.like(a, nnz=a.nnz if any(wanted) else None)
    return coalesced(to, wanted, _core.coo_coalesce, a, code("duplicates", how))


def coo_coalesce_gradient(
    g: Dense,
    a: COO,
    how: Duplicates,
    *,
    inverse: Dense | None = None,
    counts: Dense | None = None,
    source: Dense | None = None,
) -> Dense:
    """The gradient of the values that :func:`coo_coalesce` has combined [nnz of a], for the
    gradient g of the values of its result. It needs the inverse; of a mean the counts; of "max",
    "min", "first" and "last" the source.

    >>> import numpy, scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0], ([1, 1], [0, 0]))))
    >>> to = sparcl.ops.coo_coalesce(a, "max", inverse=True, source=True)
    >>> g = sparcl.dense([5.0])
    >>> sparcl.ops.coo_coalesce_gradient(
    ...     g, a, "max", inverse=to.inverse, source=to.source).numpy().tolist()
    [0.0, 5.0]
    """
    context_of(a, inverse, counts, source)
    to = _make.entries(a, g.dtype)
    groups = g.shape[0]
    more = _core.Coalesced(
        _make.operand_buffer(inverse, "inverse", (a.nnz,), within=(0, groups)),
        _make.operand_buffer(counts, "counts", (groups,)),
        _make.operand_buffer(source, "source", (groups,)),
    )
    return into(to, _core.coo_coalesce_gradient, code("duplicates", how), g, a, more)


def _whole_order(a: COO, axes: Sequence[int]) -> list[int]:
    order = _shapes.axes_of(axes, a.ndim)
    if len(order) != a.ndim:
        raise errors.ArgumentError(f"axes: expected {a.ndim}, found {len(order)}")
    return order


def _with_axes(a: COO, axes: Sequence[int]) -> COO:
    """Some dimensions of an array: the same memory."""
    a._settle()
    shape = tuple(a.shape[axis] for axis in axes)
    return _classes.COO(a.context, shape, [a._indices[axis] for axis in axes], a._values)


def coo_permute_view(a: COO, axes: Sequence[int]) -> COO:
    """The array whose dimension d is dimension axes[d] of a: the same memory.

    >>> import sparcl
    >>> sparcl.ops.coo_permute_view(sparcl.coo([[1.0, 2.0]]), (1, 0)).shape
    (2, 1)
    """
    order = _whole_order(a, axes)
    return into(_with_axes(a, order), _core.coo_permute_view, a, order)


def coo_permute(a: COO, axes: Sequence[int], *, source: bool = False) -> Moved[COO]:
    """That transpose, sorted.

    >>> import sparcl
    >>> a = sparcl.coo([[1.0, 2.0], [3.0, 4.0]])
    >>> sparcl.ops.coo_permute(a, (1, 0)).result.values.numpy().tolist()
    [1.0, 3.0, 2.0, 4.0]
    """
    order = _whole_order(a, axes)
    to = _shapes.like(a, tuple(a.shape[axis] for axis in order), a.nnz, counted=False)
    return moved(to, source, _core.coo_permute, a, order)


def coo_reshape(a: COO, shape: Sequence[int]) -> COO:
    """Another shape of the same number of elements, in row-major order.

    >>> import sparcl
    >>> a = sparcl.coo([[1.0, 2.0], [0.0, 4.0]])
    >>> sparcl.ops.coo_reshape(a, (4,)).dense().numpy().tolist()
    [1.0, 2.0, 0.0, 4.0]
    """
    return into(_shapes.like(a, tuple(shape), a.nnz, counted=False), _core.coo_reshape, a)


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
    return into(_classes.COO(a.context, shape, indices, a._values), _core.coo_expand_dims, a, axis)


def coo_squeeze(a: COO, axis: int | None = None) -> COO:
    """Without dimension `axis`, whose size is 1, or without all of these, but one dimension is
    left: the same memory.

    >>> import sparcl
    >>> sparcl.ops.coo_squeeze(sparcl.coo([[1.0, 2.0]])).shape
    (2,)
    """
    left = [d for d in range(a.ndim) if (a.shape[d] != 1 if axis is None else d != axis)] or [0]
    return into(_with_axes(a, left), _core.coo_squeeze, a, -1 if axis is None else axis)


def coo_project(a: COO, axes: Sequence[int]) -> COO:
    """The array of some dimensions, in which several entries may have one position: the same
    memory.

    >>> import sparcl
    >>> sparcl.ops.coo_project(sparcl.coo([[1.0], [2.0]]), [1]).dense().numpy().tolist()
    [3.0]
    """
    order = _shapes.axes_of(axes, a.ndim)
    return into(_with_axes(a, order), _core.coo_project, a, len(order), order)


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
    run(_core.coo_reset_shape, made, [] if shape is None else list(shape))
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
    return kept(to, source, _core.coo_slice, a, list(start))


def coo_concat(arrays: Sequence[COO], axis: int = 0, *, source: bool = False) -> Moved[COO]:
    """All arrays one after the other along an axis; their other dimensions are equal.

    >>> import sparcl
    >>> a = sparcl.coo([[1.0, 2.0]])
    >>> sparcl.ops.coo_concat([a, a], axis=1).result.shape
    (1, 4)
    """
    context_of(*arrays)
    first, (along,) = arrays[0], _shapes.axes_of([axis], arrays[0].ndim)
    sizes = [a.shape[along] if along < a.ndim else 0 for a in arrays]
    shape = (*first.shape[:along], sum(sizes), *first.shape[along + 1 :])
    to = _shapes.like(first, shape, sum(a.nnz for a in arrays))
    return moved(to, source, _core.coo_concat, [a._core for a in arrays], along)


def coo_fill_empty_rows(a: COO, value: float) -> Filled[COO]:
    """Sorted, with an entry in each row (index of dimension 0) that has none, whose other indices
    are 0.

    >>> import sparcl
    >>> filled = sparcl.ops.coo_fill_empty_rows(sparcl.coo([[0.0, 2.0], [0.0, 0.0]]), 9.0)
    >>> filled.result.dense().numpy().tolist(), filled.source.numpy().tolist()
    ([[0.0, 2.0], [9.0, 0.0]], [0, -1])
    """
    to = _shapes.like(a, nnz=a.nnz + a.shape[0])
    _, is_empty, inverse, source = filled(to, a, value, _core.coo_fill_empty_rows)
    return Filled(to, is_empty, inverse, source[: to.nnz])
