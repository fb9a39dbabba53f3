"""The order and the shape of arrays: slices, selections, concatenation, transposes, duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparcl import _enums
from sparcl.graph import _adding

if TYPE_CHECKING:
    from sparcl.graph._adding import Size
    from sparcl.graph._node import Node

__all__ = [
    "as_rows",
    "block_diagonal",
    "coalesce",
    "columns",
    "concat",
    "coo_expand_dims",
    "coo_permute",
    "coo_project",
    "coo_slice",
    "coo_squeeze",
    "fill_empty_rows",
    "gather",
    "reshape",
    "retain_rows",
    "rows_retain_all",
    "rows_retain_stored",
    "slice",
    "sort",
    "take_columns",
    "take_rows",
    "transpose",
    "triangle",
]


def gather(x: Node, indices: Node) -> Node:
    """The rows of x [n, ...] whose indices are in a list with the limit n: [count, ...]."""
    return _adding.add(x.graph._core.gather, x, indices)


def columns(a: Node) -> Node:
    """The column of each entry of a CSR matrix, as a list."""
    return _adding.add(a.graph._core.columns, a)


def transpose(x: Node) -> Node:
    """The transpose of a dense matrix, or of a CSR matrix, which then has sorted rows."""
    return _adding.add(x.graph._core.transpose, x)


def triangle(a: Node, part: _enums.Triangle, diagonal: int = 0) -> Node:
    """The entries of a CSR matrix with column - row <= diagonal ("lower"), >= ("upper") or =
    ("diagonal")."""
    return _adding.add(a.graph._core.triangle, a, _enums.code("part", part), diagonal)


def slice(x: Node, start: int, size: Size, axis: int = 0) -> Node:  # noqa: A001 (its name)
    """``size`` rows (axis 0) of a dense or row-sparse array or a CSR matrix, or columns (axis 1) of
    a dense or CSR matrix, from ``start``. COO arrays: :func:`coo_slice`."""
    return _adding.add(x.graph._core.slice, x, axis, start, size)


def take_rows(a: Node, indices: Node, entries: Size) -> Node:
    """The rows of a CSR matrix whose indices are in a list, in its order, with room for that many
    entries; what does not fit is dropped."""
    return _adding.add(a.graph._core.take_rows, a, indices, entries)


def take_columns(a: Node, indices: Node, entries: Size) -> Node:
    """The same of columns."""
    return _adding.add(a.graph._core.take_columns, a, indices, entries)


def retain_rows(a: Node, indices: Node) -> Node:
    """A CSR matrix in which the rows that are not in a list are empty."""
    return _adding.add(a.graph._core.retain_rows, a, indices)


def concat(x: list[Node], axis: int = 0) -> Node:
    """Arrays of one format one after the other: rows (axis 0) or columns (axis 1) of any number of
    CSR matrices; up to 8 dense matrices, with axis 0 also vectors; up to 8 COO arrays."""
    return _adding.add(_adding.graph_of(x)._core.concat, x, axis)


def block_diagonal(a: list[Node]) -> Node:
    """A CSR matrix with several on its diagonal."""
    return _adding.add(_adding.graph_of(a)._core.block_diagonal, a)


def fill_empty_rows(a: Node, value: Node | float) -> Node:
    """A CSR matrix with sorted rows, and an entry in column 0 of each row that has none, or a COO
    array with one in each index of dimension 0: a number, or of a CSR matrix a node [1], which has
    a gradient."""
    if isinstance(value, _adding.BaseNode):
        return _adding.add(a.graph._core.fill_empty_rows, a, 0.0, value)
    return _adding.add(a.graph._core.fill_empty_rows, a, float(value), -1)


def as_rows(x: Node, indices: Node) -> Node:
    """A row-sparse array [limit, ...] with the rows of x [n, ...] at the indices of a list."""
    return _adding.add(x.graph._core.as_rows, x, indices)


def rows_retain_all(x: Node, indices: Node) -> Node:
    """The rows of a list, of a row-sparse array that is sorted and unique; zeros where it stores
    none."""
    return _adding.add(x.graph._core.rows_retain_all, x, indices)


def rows_retain_stored(x: Node, indices: Node) -> Node:
    """The same, without the rows that it does not store."""
    return _adding.add(x.graph._core.rows_retain_stored, x, indices)


def sort(a: Node) -> Node:
    """The entries of each row of a CSR matrix in the order of their columns, or those of a COO
    array in the order of their indices (stable)."""
    return _adding.add(a.graph._core.sort, a)


def coalesce(a: Node, how: _enums.Duplicates = "sum") -> Node:
    """The entries of a COO array sorted, those with one index combined; of a CSR matrix, with
    "sum": entries of one column are added."""
    return _adding.add(a.graph._core.coalesce, a, _enums.code("duplicates", how))


def coo_permute(a: Node, axes: Sequence[int]) -> Node:
    """The transpose whose dimension d is dimension axes[d] of A, sorted."""
    return _adding.add(a.graph._core.coo_permute, a, list(axes))


def reshape(a: Node, shape: Sequence[Size]) -> Node:
    """A CSR matrix or COO array in another shape with as many elements, in row-major order."""
    return _adding.add(a.graph._core.reshape, a, list(shape))


def coo_expand_dims(a: Node, axis: int) -> Node:
    """A with a dimension of size 1 before dimension ``axis``."""
    return _adding.add(a.graph._core.coo_expand_dims, a, axis)


def coo_squeeze(a: Node, axis: int = -1) -> Node:
    """A without dimension ``axis``, whose size is 1, or with -1 without all such."""
    return _adding.add(a.graph._core.coo_squeeze, a, axis)


def coo_project(a: Node, axes: Sequence[int]) -> Node:
    """The entries with some dimensions of their indices; several may then have one index."""
    return _adding.add(a.graph._core.coo_project, a, list(axes))


def coo_slice(a: Node, start: Sequence[int], shape: Sequence[Size]) -> Node:
    """The part of A from index start[d] on, with shape[d] indices in each dimension d."""
    return _adding.add(a.graph._core.coo_slice, a, list(start), list(shape))
