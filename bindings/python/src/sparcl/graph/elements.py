"""Functions of one number, operations on two, other values and element types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sparcl import _enums
from sparcl._checked import checked
from sparcl.graph import _adding

if TYPE_CHECKING:
    from sparcl.graph._node import Node

__all__ = [
    "add",
    "add_n",
    "binary",
    "cast",
    "clip",
    "csr_broadcast",
    "multiply",
    "unary",
    "values",
    "with_values",
]


def unary(op: _enums.Unary, x: Node) -> Node:
    """A function of each element of a dense array, or, for functions that are 0 at 0, of the
    stored values of a sparse one: "abs", "exp", "sqrt", ..."""
    return _adding.add(x.graph._core.unary, _enums.code("unary_op", op), x)


@checked
def binary(op: _enums.Binary, x: Node, y: Node | float) -> Node:
    """x op y: of dense arrays, where y is broadcast: a row for each row of x, one number for each
    row ([m, 1]), or one for all ([1]); or with a number, also of the values of a sparse array, if 0
    stays 0. Sums and products of two sparse arrays: :func:`add`, :func:`multiply`."""
    code = _enums.code("binary_op", op)
    if isinstance(y, _adding.BaseNode):
        return _adding.add(x.graph._core.binary, code, x, y)
    return _adding.add(x.graph._core.binary_scalar, code, x, float(y))


def add_n(x: list[Node]) -> Node:
    """The sum of up to 8 arrays of one shape: row-sparse where all are, else dense."""
    return _adding.add(_adding.graph_of(x)._core.add_n, x)


def clip(x: Node, low: float, high: float) -> Node:
    """Each element at least ``low`` and at most ``high``; of a sparse array with low <= 0 <=
    high."""
    return _adding.add(x.graph._core.clip, x, float(low), float(high))


def cast(x: Node, dtype: _enums.Float) -> Node:
    """The values in another floating-point type. Indices stay."""
    return _adding.add(x.graph._core.cast, x, _enums.code("dtype", dtype))


def csr_broadcast(op: Literal["multiply", "divide"], a: Node, v: Node, axis: int) -> Node:
    """A CSR matrix [m, k] with its entries times, or divided by, v [m] of their row (axis 1), or
    v [k] of their column (axis 0)."""
    return _adding.add(a.graph._core.csr_broadcast, _enums.code("binary_op", op), a, v, axis)


def add(a: Node, b: Node, alpha: float = 1.0, beta: float = 1.0) -> Node:
    """alpha A + beta B: of CSR matrices or COO arrays of one shape, sorted and without duplicates;
    or of dense arrays, where B is broadcast as in :func:`binary`."""
    return _adding.add(a.graph._core.add, float(alpha), a, float(beta), b)


def multiply(a: Node, b: Node) -> Node:
    """The product element by element: of two CSR matrices, COO arrays or row-sparse arrays of one
    shape, sorted and without duplicates; of a CSR matrix or row-sparse array and a dense one, with
    the indices of A; or of dense arrays, where B is broadcast as in :func:`binary`."""
    return _adding.add(a.graph._core.multiply, a, b)


def values(a: Node) -> Node:
    """The values of a CSR matrix or COO array as [entries], or the stored rows of a row-sparse
    array as [stored, ...]."""
    return _adding.add(a.graph._core.values, a)


def with_values(a: Node, v: Node) -> Node:
    """The sparse array with the indices of A and the values v, which may be a parameter."""
    return _adding.add(a.graph._core.with_values, a, v)
