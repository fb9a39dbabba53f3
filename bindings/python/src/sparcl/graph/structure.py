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
    "columns",
    "concat_columns",
    "concat_rows",
    "coo_coalesce",
    "coo_concat",
    "coo_expand_dims",
    "coo_fill_empty_rows",
    "coo_permute",
    "coo_project",
    "coo_reshape",
    "coo_slice",
    "coo_sort",
    "coo_squeeze",
    "csr_reshape",
    "dense_concat",
    "dense_slice",
    "fill_empty_rows",
    "gather",
    "retain_rows",
    "rows_retain_all",
    "rows_retain_stored",
    "rows_slice",
    "slice_columns",
    "slice_rows",
    "sort_indices",
    "sum_duplicates",
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
    core = x.graph._core
    return _adding.add(core.csr_transpose if x.kind == "csr" else core.transpose, x)


def csr_reshape(a: Node, rows: Size, columns: Size) -> Node:
    """A CSR matrix in another shape with as many elements, in row-major order."""
    return _adding.add(a.graph._core.csr_reshape, a, rows, columns)


def sort_indices(a: Node) -> Node:
    """A CSR matrix with the entries of each row in the order of their columns."""
    return _adding.add(a.graph._core.sort_indices, a)


def triangle(a: Node, part: _enums.Triangle, diagonal: int = 0) -> Node:
    """The entries of a CSR matrix with column - row <= diagonal ("lower"), >= ("upper") or =
    ("diagonal")."""
    return _adding.add(a.graph._core.triangle, a, _enums.code("part", part), diagonal)


def slice_rows(a: Node, start: int, rows: Size) -> Node:
    """Rows start, start + 1, ... of a CSR matrix."""
    return _adding.add(a.graph._core.slice_rows, a, start, rows)


def slice_columns(a: Node, start: int, columns: Size) -> Node:
    """Columns start, start + 1, ... of a CSR matrix."""
    return _adding.add(a.graph._core.slice_columns, a, start, columns)


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


def concat_rows(a: list[Node]) -> Node:
    """The rows of several CSR matrices, one after the other."""
    return _adding.add(_adding.graph_of(a)._core.concat_rows, a)


def concat_columns(a: list[Node]) -> Node:
    """The columns of several CSR matrices, one after the other."""
    return _adding.add(_adding.graph_of(a)._core.concat_columns, a)


def block_diagonal(a: list[Node]) -> Node:
    """A CSR matrix with several on its diagonal."""
    return _adding.add(_adding.graph_of(a)._core.block_diagonal, a)


def sum_duplicates(a: Node) -> Node:
    """A CSR matrix with sorted rows, in which entries of one column are added."""
    return _adding.add(a.graph._core.sum_duplicates, a)


def fill_empty_rows(a: Node, value: Node | float) -> Node:
    """A CSR matrix with sorted rows, and an entry in column 0 of each row that has none: a number,
    or a node [1], which has a gradient."""
    if isinstance(value, _adding.BaseNode):
        return _adding.add(a.graph._core.fill_empty_rows_with, a, value)
    return _adding.add(a.graph._core.fill_empty_rows, a, float(value))


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


def rows_slice(x: Node, start: int, rows: Size) -> Node:
    """Rows start, start + 1, ... of a row-sparse array."""
    return _adding.add(x.graph._core.rows_slice, x, start, rows)


def dense_concat(x: list[Node], axis: int = 0) -> Node:
    """Up to 8 matrices one below the other (axis 0) or side by side (axis 1); axis 0 also of
    vectors."""
    return _adding.add(_adding.graph_of(x)._core.dense_concat, x, axis)


def dense_slice(x: Node, start: int, size: Size, axis: int = 0) -> Node:
    """``size`` rows (axis 0) of a dense array, or columns (axis 1) of a matrix, from ``start``."""
    return _adding.add(x.graph._core.dense_slice, x, axis, start, size)


def coo_sort(a: Node) -> Node:
    """The entries in the order of their indices (stable)."""
    return _adding.add(a.graph._core.coo_sort, a)


def coo_coalesce(a: Node, how: _enums.Duplicates = "sum") -> Node:
    """The entries sorted, those with one index combined."""
    return _adding.add(a.graph._core.coo_coalesce, a, _enums.code("duplicates", how))


def coo_permute(a: Node, axes: Sequence[int]) -> Node:
    """The transpose whose dimension d is dimension axes[d] of A, sorted."""
    return _adding.add(a.graph._core.coo_permute, a, list(axes))


def coo_reshape(a: Node, shape: Sequence[Size]) -> Node:
    """A in another shape with as many elements, in row-major order."""
    return _adding.add(a.graph._core.coo_reshape, a, list(shape))


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


def coo_concat(a: list[Node], axis: int = 0) -> Node:
    """Up to 8 COO arrays along one axis."""
    return _adding.add(_adding.graph_of(a)._core.coo_concat, a, axis)


def coo_fill_empty_rows(a: Node, value: float) -> Node:
    """The entries sorted, and one of a value in each row (index of dimension 0) that has none."""
    return _adding.add(a.graph._core.coo_fill_empty_rows, a, float(value))
