"""Dropout, layer and batch normalisation, concatenation of dense arrays.

What is wrong raises ShapeError, DTypeError or ArgumentError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sparcl import _core, _make, errors
from sparcl._array import context_of
from sparcl.ops import _shapes
from sparcl.ops._results import Norm, NormGradient

if TYPE_CHECKING:
    from sparcl._dense import Dense


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


def dense_concat(parts: Sequence[Dense], axis: int = 0) -> Dense:
    """Matrices one below the other (axis 0), also vectors, or side by side (axis 1).

    >>> import sparcl
    >>> x = sparcl.dense([[1.0, 2.0]])
    >>> sparcl.ops.dense_concat([x, x], axis=1).numpy().tolist()
    [[1.0, 2.0, 1.0, 2.0]]
    """
    context, first = context_of(*parts), parts[0]
    if axis not in {0, 1} or axis >= first.ndim:
        raise errors.ArgumentError(f"axis: expected 0, or 1 for matrices, found {axis}")
    size = sum(part.shape[axis] if axis < part.ndim else 0 for part in parts)
    shape = (*first.shape[:axis], size, *first.shape[axis + 1 :])
    to = _make.dense(context, shape, first.dtype)
    _core.dense_concat(context._core, to._core, [part._core for part in parts], axis)
    return to


def dense_split(x: Dense, sizes: Sequence[int], axis: int = 0) -> list[Dense]:
    """Parts of these sizes of the rows (axis 0) or columns (axis 1), as copies; slices are views.

    >>> import sparcl
    >>> a, b = sparcl.ops.dense_split(sparcl.dense([[1.0, 2.0, 3.0]]), [1, 2], axis=1)
    >>> b.numpy().tolist()
    [[2.0, 3.0]]
    """
    if axis not in {0, 1} or axis >= x.ndim:
        raise errors.ArgumentError(f"axis: expected 0, or 1 for matrices, found {axis}")
    if any(size < 0 for size in sizes):
        raise errors.ShapeError(f"sizes: expected at least 0, found {list(sizes)}")
    parts = [
        _make.dense(x.context, (*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
        for size in sizes
    ]
    _core.dense_split(x.context._core, [part._core for part in parts], x._core, axis)
    return parts
