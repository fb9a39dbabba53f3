"""Sums of several arrays, dense and row-sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sparcl import _core, _make, _row_sparse, errors
from sparcl._array import context_of

if TYPE_CHECKING:
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


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
        if isinstance(x, _row_sparse.RowSparse):
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
    terms, count = _terms(arrays, factors)
    _core.rows_add_n(context._core, to._core, terms, count, None, 0)
    return to


def rows_add(a: RowSparse, b: RowSparse, alpha: float = 1.0, beta: float = 1.0) -> RowSparse:
    """alpha a + beta b of row-sparse arrays: a row for each index that one of them stores.

    >>> import numpy, sparcl
    >>> a = sparcl.rows(numpy.array([0]), [[1.0]], (3, 1))
    >>> b = sparcl.rows(numpy.array([2]), [[5.0]], (3, 1))
    >>> sparcl.ops.rows_add(a, b, beta=-1).values.tolist()
    [[1.0], [-5.0]]
    """
    context = context_of(a, b)
    index = np.result_type(a._indices.dtype, b._indices.dtype)
    to = _make.rows(context, a.shape, min(a._capacity + b._capacity, a.shape[0]), a.dtype, index)
    _core.rows_add(context._core, to._core, alpha, a._core, beta, b._core, None, 0)
    return to


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
    terms, count = _terms(arrays, factors)
    _core.add_n(context._core, to._core, terms, count)
    return to
