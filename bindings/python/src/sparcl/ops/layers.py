"""Dropout, layer and batch normalisation, interactions of features, negative samples.

What is wrong raises ShapeError, DTypeError or ArgumentError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sparcl import _core, _list, _make
from sparcl._parts import Part
from sparcl.ops import _shapes
from sparcl.ops._call import Function, into, run
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
    return into(_make.like(x), _core.dropout, x, p, seed, offset)


def _statistics(x: Dense, count: int) -> Dense:
    kind = np.float64 if x.dtype == np.float64 else np.float32
    return _make.dense(x.context, (count,), kind)


def _view(x: Dense | None) -> _core.Dense | None:
    return None if x is None else x._core


def _norm_gradient(
    function: Function, gy: Dense, x: Dense, gamma: Dense | None, *statistics: Dense
) -> NormGradient:
    _, columns = _shapes.matrix(x)
    gx = _make.like(x)
    ggamma, gbeta = (_make.dense(x.context, (columns,), x.dtype) for _ in range(2))
    run(function, gx, ggamma, gbeta, gy, x, gamma, *statistics)
    return NormGradient(gx, ggamma, gbeta)


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
    run(_core.layer_norm, y, x, gamma, beta, epsilon, mean, rstd)
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
    return _norm_gradient(_core.layer_norm_gradient, gy, x, gamma, mean, rstd)


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
    named = {"running_mean": running_mean, "running_variance": running_variance}
    running = [None if each is None else _make.written(each, what) for what, each in named.items()]
    run(_core.batch_norm, y, x, gamma, beta, epsilon, mean, rstd, momentum, *running)
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
    return into(_make.like(x), _core.batch_norm_inference, x, gamma, beta, epsilon, mean, variance)


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
    return _norm_gradient(_core.batch_norm_gradient, gy, x, gamma, mean, rstd)


def interactions(a: CSR, b: Dense, sums: Dense) -> Dense:
    """For each row of a [m, n] the sum over all pairs of its entries of their product times the dot
    product of the rows of b [n, k] of their columns; sums [m, k] is a @ b. float32 or float64.

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0], [5.0]])
    >>> sparcl.ops.interactions(a, b, a @ b).numpy().tolist()
    [30.0]
    """
    return into(_make.dense(a.context, (a.shape[0],), b.dtype), _core.interactions, a, b, sums)


def interactions_rows(a: CSR, b: Dense, sums: Dense, gz: Dense) -> RowSparse:
    """The gradient of :func:`interactions` by b, for the gradient gz [m]: a row for each column of
    a that has entries.

    >>> import sparcl
    >>> a, b = sparcl.csr([[1.0, 2.0]]), sparcl.dense([[3.0], [5.0]])
    >>> sparcl.ops.interactions_rows(a, b, a @ b, sparcl.dense([1.0])).values.tolist()
    [[10.0], [6.0]]
    """
    r = _make.rows(a.context, b.shape, min(a.shape[1], a.nnz), b.dtype, a._indices.dtype)
    pattern = a._transpose_pattern()
    return into(r, _core.interactions_rows, a, b, sums, gz, pattern)


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
    return into(_make.entries(a, e.dtype), _core.field_interactions, a, chosen, e)


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
    return into(_make.like(e), _core.field_interactions_gradient, a, chosen, e, gt)


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
    index = _make.wider(chosen.dtype, a.shape[1])
    to = _list.List(a.context, a.shape[1], Part.empty(a.context, (len(chosen),), index))
    return into(to, _core.negative_samples, a, chosen, first, seed, offset)
