"""Dropout, layer and batch normalisation, interactions of features, negative samples.

What is wrong raises ShapeError, DTypeError or ArgumentError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sparcl import _core, _list, _make
from sparcl._array import context_of
from sparcl._parts import Part
from sparcl.ops import _shapes
from sparcl.ops._results import Norm, NormGradient

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense
    from sparcl._list import List
    from sparcl._row_sparse import RowSparse

__all__ = [
    "batch_norm",
    "batch_norm_gradient",
    "batch_norm_inference",
    "dropout",
    "field_interactions",
    "field_interactions_gradient",
    "interactions",
    "interactions_rows",
    "layer_norm",
    "layer_norm_gradient",
    "negative_samples",
]


def dropout(x: Dense, p: float, seed: int, offset: int = 0) -> Dense:
    """x / (1 - p) where an element is kept, with the probability 1 - p, else 0. The mask follows
    from seed, offset and the position; the gradient is the same call on that of the result.

    >>> import sparcl
    >>> sparcl.ops.dropout(sparcl.dense([1.0, 2.0]), 0.0, seed=1).numpy().tolist()
    [1.0, 2.0]
    """
    y = _make.like(x)
    _core.dropout(x.context._core, y._core, x._core, p, seed, offset)
    return y


def _statistics(x: Dense, count: int) -> Dense:
    kind = np.float64 if x.dtype == np.float64 else np.float32
    return _make.dense(x.context, (count,), kind)


def _view(x: Dense | None) -> _core.Dense | None:
    return None if x is None else x._core


def layer_norm(
    x: Dense, gamma: Dense | None = None, beta: Dense | None = None, epsilon: float = 1e-5
) -> Norm:
    """Each row of x [m, n] by its own mean and variance, times gamma [n] plus beta [n].

    >>> import sparcl
    >>> sparcl.ops.layer_norm(sparcl.dense([[1.0, 3.0]]), epsilon=0.0).result.numpy().tolist()
    [[-1.0, 1.0]]
    """
    rows, _ = _shapes.matrix(x)
    y, mean, rstd = _make.like(x), _statistics(x, rows), _statistics(x, rows)
    _core.layer_norm(
        context_of(x, gamma, beta)._core,
        y._core,
        x._core,
        _view(gamma),
        _view(beta),
        epsilon,
        mean._core,
        rstd._core,
    )
    return Norm(y, mean, rstd)


def layer_norm_gradient(
    gy: Dense, x: Dense, mean: Dense, rstd: Dense, gamma: Dense | None = None
) -> NormGradient:
    """The gradients of :func:`layer_norm`, for the gradient gy of its result and its statistics.

    >>> import sparcl
    >>> x, gy = sparcl.dense([[1.0, 3.0]]), sparcl.dense([[1.0, 1.0]])
    >>> _, mean, rstd = sparcl.ops.layer_norm(x, epsilon=0.0)
    >>> sparcl.ops.layer_norm_gradient(gy, x, mean, rstd).gamma.numpy().tolist()
    [-1.0, 1.0]
    """
    _, columns = _shapes.matrix(x)
    gx = _make.like(x)
    ggamma, gbeta = (_make.dense(x.context, (columns,), x.dtype) for _ in range(2))
    _core.layer_norm_gradient(
        context_of(gy, x, mean, rstd, gamma)._core,
        gx._core,
        ggamma._core,
        gbeta._core,
        gy._core,
        x._core,
        _view(gamma),
        mean._core,
        rstd._core,
    )
    return NormGradient(gx, ggamma, gbeta)


def batch_norm(
    x: Dense,
    gamma: Dense | None = None,
    beta: Dense | None = None,
    epsilon: float = 1e-5,
    *,
    momentum: float = 0.1,
    running_mean: Dense | None = None,
    running_variance: Dense | None = None,
) -> Norm:
    """In training: each column of x [m, n] by its own statistics. Running statistics, both or none,
    are changed where they are: (1 - momentum) running + momentum new.

    >>> import sparcl
    >>> x = sparcl.dense([[1.0], [3.0]])
    >>> sparcl.ops.batch_norm(x, epsilon=0.0).result.numpy().tolist()
    [[-1.0], [1.0]]
    """
    _, columns = _shapes.matrix(x)
    y, mean, rstd = _make.like(x), _statistics(x, columns), _statistics(x, columns)
    _core.batch_norm(
        context_of(x, gamma, beta, running_mean, running_variance)._core,
        y._core,
        x._core,
        _view(gamma),
        _view(beta),
        epsilon,
        mean._core,
        rstd._core,
        momentum,
        None if running_mean is None else _make.written(running_mean, "running_mean"),
        None if running_variance is None else _make.written(running_variance, "running_variance"),
    )
    return Norm(y, mean, rstd)


def batch_norm_inference(
    x: Dense,
    mean: Dense,
    variance: Dense,
    *,
    gamma: Dense | None = None,
    beta: Dense | None = None,
    epsilon: float = 1e-5,
) -> Dense:
    """Each column of x [m, n] by a given mean [n] and variance [n].

    >>> import sparcl
    >>> x, mean, variance = sparcl.dense([[5.0]]), sparcl.dense([1.0]), sparcl.dense([4.0])
    >>> sparcl.ops.batch_norm_inference(x, mean, variance, epsilon=0.0).numpy().tolist()
    [[2.0]]
    """
    y = _make.like(x)
    _core.batch_norm_inference(
        context_of(x, gamma, beta, mean, variance)._core,
        y._core,
        x._core,
        _view(gamma),
        _view(beta),
        epsilon,
        mean._core,
        variance._core,
    )
    return y


def batch_norm_gradient(
    gy: Dense, x: Dense, mean: Dense, rstd: Dense, gamma: Dense | None = None
) -> NormGradient:
    """The gradients of :func:`batch_norm`, for the gradient gy of its result and its statistics.

    >>> import sparcl
    >>> x, gy = sparcl.dense([[1.0], [3.0]]), sparcl.dense([[1.0], [2.0]])
    >>> _, mean, rstd = sparcl.ops.batch_norm(x, epsilon=0.0)
    >>> sparcl.ops.batch_norm_gradient(gy, x, mean, rstd).beta.numpy().tolist()
    [3.0]
    """
    _, columns = _shapes.matrix(x)
    gx = _make.like(x)
    ggamma, gbeta = (_make.dense(x.context, (columns,), x.dtype) for _ in range(2))
    _core.batch_norm_gradient(
        context_of(gy, x, mean, rstd, gamma)._core,
        gx._core,
        ggamma._core,
        gbeta._core,
        gy._core,
        x._core,
        _view(gamma),
        mean._core,
        rstd._core,
    )
    return NormGradient(gx, ggamma, gbeta)


def interactions(a: CSR, b: Dense, sums: Dense) -> Dense:
    """For each row of a [m, n] the sum over all pairs of its entries of their product times the dot
    product of the rows of b [n, k] of their columns; sums [m, k] is a @ b. float32 or float64.

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0], [5.0]])
    >>> sparcl.ops.interactions(a, b, a @ b).numpy().tolist()
    [30.0]
    """
    z = _make.dense(a.context, (a.shape[0],), b.dtype)
    _core.interactions(context_of(a, b, sums)._core, z._core, a._core, b._core, sums._core)
    return z


def interactions_rows(a: CSR, b: Dense, sums: Dense, gz: Dense) -> RowSparse:
    """The gradient of :func:`interactions` by b, for the gradient gz [m]: a row for each column of
    a that has entries.

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0], [5.0]])
    >>> sparcl.ops.interactions_rows(a, b, a @ b, sparcl.dense([1.0])).values.tolist()
    [[10.0], [6.0]]
    """
    context = context_of(a, b, sums, gz)
    r = _make.rows(context, b.shape, min(a.shape[1], a.nnz), b.dtype, a._indices.dtype)
    pattern = a._transpose_pattern()
    _core.interactions_rows(context._core, r._core, a._core, b._core, sums._core, gz._core, pattern)
    return r


def field_interactions(a: CSR, fields: List | npt.ArrayLike, e: Dense, count: int = 0) -> Dense:
    """Those of a field-aware factorization machine, for each entry p of a the sum over the entries
    q after it in its row of their product times <e[p, block of the field of q], e[q, block of the
    field of p]>: [nnz]. fields [nnz] below `count`, or a :class:`List`; e [nnz, count k].

    >>> import sparcl
    >>> a, e = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0, 5.0], [7.0, 11.0]])
    >>> sparcl.ops.field_interactions(a, [0, 1], e, 2).numpy().tolist()
    [70.0, 0.0]
    """
    chosen = _make.indices(a.context, fields, count)
    t = _make.entries(a, e.dtype)
    context = context_of(a, chosen, e)
    _core.field_interactions(context._core, t._core, a._core, chosen._core, e._core)
    return t


def field_interactions_gradient(
    a: CSR, fields: List | npt.ArrayLike, e: Dense, gt: Dense, count: int = 0
) -> Dense:
    """The gradient of :func:`field_interactions` by e, for the gradient gt [nnz].

    >>> import sparcl
    >>> a, e = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0, 5.0], [7.0, 11.0]])
    >>> gt = sparcl.dense([1.0, 0.0])
    >>> sparcl.ops.field_interactions_gradient(a, [0, 1], e, gt, 2).numpy().tolist()
    [[0.0, 14.0], [10.0, 0.0]]
    """
    chosen = _make.indices(a.context, fields, count)
    ge = _make.like(e)
    context = context_of(a, chosen, e, gt)
    _core.field_interactions_gradient(
        context._core, ge._core, a._core, chosen._core, e._core, gt._core
    )
    return ge


def negative_samples(
    a: CSR, rows: List | npt.ArrayLike, seed: int, offset: int = 0, first: int = 0
) -> List:
    """For each row index of a list a column from `first` on that this row of a does not store, by
    random numbers that follow from seed, offset and the position in the list. a is sorted and
    unique, else UncheckedError.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 1.0, 0.0]])
    >>> sparcl.ops.negative_samples(a, [0, 0], seed=7).numpy().tolist()
    [2, 2]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    context = context_of(a, chosen)
    index = _make.wider(chosen.dtype, a.shape[1])
    to = _list.List(context, a.shape[1], Part.empty(context, (len(chosen),), index))
    _core.negative_samples(context._core, to._core, a._core, chosen._core, first, seed, offset)
    return to
