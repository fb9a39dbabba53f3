"""Activations, sums and copies of dense arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from sparcl import _core, _make
from sparcl._array import context_of
from sparcl._enums import Activation, code
from sparcl._parts import as_dtype

if TYPE_CHECKING:
    from sparcl._dense import Dense


def activate(x: Dense, kind: Activation) -> Dense:
    """f(x) of each element: "relu", "sigmoid" or "tanh".

    >>> import sparcl
    >>> sparcl.ops.activate(sparcl.dense([-1.0, 2.0]), "relu").numpy().tolist()
    [0.0, 2.0]
    """
    y = _make.like(x)
    _core.activate(x.context._core, code("activation", kind), y._core, x._core)
    return y


def activate_gradient(y: Dense, gy: Dense, kind: Activation) -> Dense:
    """The gradient of :func:`activate` by x, from y = f(x) and the gradient gy of y.

    >>> import sparcl
    >>> y, gy = sparcl.dense([0.5, 0.5]), sparcl.dense([1.0, 4.0])
    >>> sparcl.ops.activate_gradient(y, gy, "sigmoid").numpy().tolist()
    [0.25, 1.0]
    """
    gx = _make.like(gy)
    context = context_of(y, gy)
    _core.activate_gradient(context._core, code("activation", kind), gx._core, y._core, gy._core)
    return gx


def add(x: Dense, y: Dense) -> Dense:
    """x + y of one shape and type.

    >>> import sparcl
    >>> sparcl.ops.add(sparcl.dense([1.0]), sparcl.dense([2.0])).numpy().tolist()
    [3.0]
    """
    z = _make.like(x)
    _core.add(context_of(x, y)._core, z._core, x._core, y._core)
    return z


def add_bias(x: Dense, bias: Dense) -> Dense:
    """x [m, n] + bias [n], the same for each row. The gradient by the bias is :func:`sum_rows`.

    >>> import sparcl
    >>> sparcl.ops.add_bias(sparcl.dense([[1.0, 2.0]]), sparcl.dense([10.0, 20.0])).numpy().tolist()
    [[11.0, 22.0]]
    """
    y = _make.like(x)
    _core.add_bias(context_of(x, bias)._core, y._core, x._core, bias._core)
    return y


def copy(x: Dense, dtype: npt.DTypeLike | None = None) -> Dense:
    """The elements row by row without gaps in memory of their own, converted to a type. Numbers are
    rounded to nearest; to integers toward 0; to bool 0 is False.

    >>> import sparcl
    >>> sparcl.ops.copy(sparcl.dense([1.5, -2.5]), "int32").numpy().tolist()
    [1, -2]
    """
    to = _make.dense(x.context, x.shape, x.dtype if dtype is None else as_dtype(dtype))
    _core.copy(x.context._core, to._core, x._core)
    return to
