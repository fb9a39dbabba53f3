"""Reductions of rows, columns, axes and segments; softmax; sums and means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparcl import _enums
from sparcl.graph import _adding

if TYPE_CHECKING:
    from sparcl.graph._node import Node

__all__ = [
    "coo_reduce",
    "csr_softmax",
    "csr_softmax_heads",
    "dot_rows",
    "mean",
    "reduce",
    "segment_reduce",
    "sum",
]


def dot_rows(x: Node, y: Node) -> Node:
    """The dot product of each row of x with the same row of y: [m]."""
    return _adding.add(x.graph._core.dot_rows, x, y)


def sum(x: Node) -> Node:  # noqa: A001 (the name of the operation)
    """The sum of the rows of a dense array [m, k], as [k]; of a vector as [1]."""
    return _adding.add(x.graph._core.sum, x)


def mean(x: Node) -> Node:
    """The mean of a vector, as [1]."""
    return _adding.add(x.graph._core.mean, x)


def reduce(kind: _enums.Reduction, x: Node, axis: int = -1, over: _enums.Over = "all") -> Node:
    """A reduction of each row (axis 1), each column (0), or of all elements (-1): of a CSR matrix
    over all elements, or the stored ones; of a dense array or the stored rows of a row-sparse
    array "sum", "mean", "square_sum", "norm" or "norm1". COO arrays: :func:`coo_reduce`."""
    codes = _enums.code("reduction", kind), _enums.code("reduce_over", over)
    return _adding.add(x.graph._core.reduce, *codes, x, axis)


def coo_reduce(a: Node, axes: Sequence[int] | None = None, how: _enums.Duplicates = "sum") -> Node:
    """The "sum", "mean", "max" or "min" of the stored entries over axes, or over all: dense."""
    code = _enums.code("duplicates", how)
    return _adding.add(a.graph._core.coo_reduce, code, a, None if axes is None else list(axes))


def segment_reduce(kind: _enums.Reduction, x: Node, segments: Node) -> Node:
    """A reduction of the rows of x [n, ...] in each segment: a list of n indices, or the rows of a
    CSR matrix with n entries."""
    return _adding.add(x.graph._core.segment_reduce, _enums.code("reduction", kind), x, segments)


def csr_softmax(a: Node, kind: _enums.Softmax = "softmax") -> Node:
    """The softmax of the stored entries of each row of a CSR matrix, as a vector of values: see
    :func:`with_values`."""
    return _adding.add(a.graph._core.csr_softmax, _enums.code("softmax", kind), a)


def csr_softmax_heads(a: Node, x: Node, kind: _enums.Softmax = "softmax") -> Node:
    """The same of each column of x [entries, heads], whose rows belong to the entries of a CSR
    matrix."""
    return _adding.add(a.graph._core.csr_softmax_heads, _enums.code("softmax", kind), a, x)
