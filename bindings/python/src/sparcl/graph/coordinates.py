"""Operations on COO arrays of 1 to 8 dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparcl import _enums
from sparcl.graph import _node

if TYPE_CHECKING:
    from sparcl.graph._node import Node, Size


def coo_sort(a: Node) -> Node:
    """The entries in the order of their indices (stable)."""
    return _node.add(a.graph._core.coo_sort, a)


def coo_coalesce(a: Node, how: _enums.Duplicates = "sum") -> Node:
    """The entries sorted, those with one index combined."""
    return _node.add(a.graph._core.coo_coalesce, a, _enums.code("duplicates", how))


def coo_permute(a: Node, axes: Sequence[int]) -> Node:
    """The transpose whose dimension d is dimension axes[d] of A, sorted."""
    return _node.add(a.graph._core.coo_permute, a, list(axes))


def coo_reshape(a: Node, shape: Sequence[Size]) -> Node:
    """A in another shape with as many elements, in row-major order."""
    return _node.add(a.graph._core.coo_reshape, a, list(shape))


def coo_expand_dims(a: Node, axis: int) -> Node:
    """A with a dimension of size 1 before dimension ``axis``."""
    return _node.add(a.graph._core.coo_expand_dims, a, axis)


def coo_squeeze(a: Node, axis: int = -1) -> Node:
    """A without dimension ``axis``, whose size is 1, or with -1 without all such."""
    return _node.add(a.graph._core.coo_squeeze, a, axis)


def coo_project(a: Node, axes: Sequence[int]) -> Node:
    """The entries with some dimensions of their indices; several may then have one index."""
    return _node.add(a.graph._core.coo_project, a, list(axes))


def coo_slice(a: Node, start: Sequence[int], shape: Sequence[Size]) -> Node:
    """The part of A from index start[d] on, with shape[d] indices in each dimension d."""
    return _node.add(a.graph._core.coo_slice, a, list(start), list(shape))


def coo_concat(a: list[Node], axis: int = 0) -> Node:
    """Up to 8 COO arrays along one axis."""
    return _node.add(_node.graph_of(a)._core.coo_concat, a, axis)


def coo_fill_empty_rows(a: Node, value: float) -> Node:
    """The entries sorted, and one of a value in each row (index of dimension 0) that has none."""
    return _node.add(a.graph._core.coo_fill_empty_rows, a, float(value))


def coo_add(a: Node, b: Node, alpha: float = 1.0, beta: float = 1.0) -> Node:
    """alpha A + beta B, of sorted arrays without duplicates."""
    return _node.add(a.graph._core.coo_add, float(alpha), a, float(beta), b)


def coo_multiply(a: Node, b: Node) -> Node:
    """The product of two such arrays element by element."""
    return _node.add(a.graph._core.coo_multiply, a, b)


def coo_reduce(a: Node, axes: Sequence[int] | None = None, how: _enums.Duplicates = "sum") -> Node:
    """The "sum", "mean", "max" or "min" of the stored entries over axes, or over all: dense."""
    code = _enums.code("duplicates", how)
    return _node.add(a.graph._core.coo_reduce, code, a, None if axes is None else list(axes))
