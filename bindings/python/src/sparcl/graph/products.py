"""Products: sparse times dense, sparse times sparse, sampled, dense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparcl import _enums
from sparcl._checked import checked
from sparcl.graph import _adding

if TYPE_CHECKING:
    from sparcl.graph._adding import Size
    from sparcl.graph._node import Node

__all__ = [
    "bag",
    "gemm",
    "matmul",
    "sddmm",
    "spgemm",
    "spmm",
    "spmm_reduce",
    "spmm_rows",
    "spmm_t",
    "spmm_t_rows",
]


def bag(a: Node, e: Node) -> Node:
    """For each row of a CSR matrix the sum of A's value times e[j] over its entries j."""
    return _adding.add(a.graph._core.bag, a, e)


def spmm(a: Node, b: Node) -> Node:
    """A @ B: a CSR matrix [m, k], a dense array [k, n] or [k]; dense [m, n] or [m]."""
    return _adding.add(a.graph._core.spmm, a, b)


def spmm_t(a: Node, b: Node) -> Node:
    """A.T @ B: a CSR matrix [k, m], a dense array [k, n] or [k]; dense [m, n] or [m]."""
    return _adding.add(a.graph._core.spmm_t, a, b)


def spmm_rows(a: Node, b: Node) -> Node:
    """A @ B: a CSR matrix [m, k], a row-sparse array [k, n] or [k]; dense [m, n] or [m]."""
    return _adding.add(a.graph._core.spmm_rows, a, b)


def spmm_t_rows(a: Node, b: Node) -> Node:
    """A.T @ B as :func:`spmm_t`, but row-sparse: a row for each column of A with entries."""
    return _adding.add(a.graph._core.spmm_t_rows, a, b)


@checked
def matmul(a: Node, b: Node, *, transpose_a: bool = False, transpose_b: bool = False) -> Node:
    """A @ B of two dense matrices, of a CSR matrix and a dense one in either order, or of a CSR
    matrix and a row-sparse array; each may be transposed. Two CSR matrices: :func:`spgemm`."""
    return _adding.add(a.graph._core.matmul, int(transpose_a), a, int(transpose_b), b)


def gemm(a: Node, b: Node, *, transpose_a: bool = False, transpose_b: bool = False) -> Node:
    """A @ B of dense matrices, each of which may be transposed."""
    return _adding.add(a.graph._core.gemm, int(transpose_a), a, int(transpose_b), b)


def sddmm(a: Node, x: Node, y: Node) -> Node:
    """For each entry (i, j) of a CSR matrix A [m, k] the dot product of row i of x [m, d] and row j
    of y [k, d]: a vector [entries]. The values of A are not read."""
    return _adding.add(a.graph._core.sddmm, a, x, y)


def spmm_reduce(kind: _enums.Reduction, a: Node, b: Node) -> Node:
    """The "sum", "mean", "max" or "min" of the terms of each element of A @ B."""
    return _adding.add(a.graph._core.spmm_reduce, _enums.code("reduction", kind), a, b)


def spgemm(a: Node, b: Node, entries: Size) -> Node:
    """A @ B of CSR matrices, as one with room for that many entries; more are dropped. B must be
    sorted, without duplicates."""
    return _adding.add(a.graph._core.spgemm, a, b, entries)
