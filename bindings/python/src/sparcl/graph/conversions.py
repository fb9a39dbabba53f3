"""Conversions between formats, entries by threshold and by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparcl import _enums
from sparcl.graph import _adding

if TYPE_CHECKING:
    from sparcl.graph._adding import Size
    from sparcl.graph._node import Node

__all__ = [
    "prune",
    "sparse_mask",
    "to_coo",
    "to_csr",
    "to_dense",
    "to_rows",
    "topk_rows",
]


def to_dense(x: Node) -> Node:
    """A row-sparse array, a CSR matrix or a COO array as a dense one; duplicates are added."""
    return _adding.add(x.graph._core.to_dense, x)


def sparse_mask(a: Node, x: Node) -> Node:
    """The elements of a dense x where a CSR matrix or COO array of its shape has entries: a vector
    [entries]."""
    return _adding.add(a.graph._core.sparse_mask, a, x)


def to_csr(x: Node, entries: Size | None = None, threshold: float = 0.0) -> Node:
    """The elements of a dense or row-sparse matrix with |x| > threshold, or that are NaN, as a CSR
    matrix with room for that many entries; what does not fit is dropped. A COO matrix without
    ``entries``: all of them, with sorted rows, duplicates included."""
    return _adding.add(x.graph._core.to_csr, x, float(threshold), 0 if entries is None else entries)


def prune(a: Node, threshold: float = 0.0) -> Node:
    """The entries of a CSR matrix with |x| > threshold, or that are NaN."""
    return _adding.add(a.graph._core.prune, a, float(threshold))


def topk_rows(x: Node, k: int, by: _enums.TopK = "value") -> Node:
    """The k largest elements of each row of a dense matrix, as a CSR matrix."""
    return _adding.add(x.graph._core.topk_rows, x, k, _enums.code("topk", by))


def to_rows(x: Node, stored: Size, threshold: float = 0.0) -> Node:
    """The rows of a dense array with an element |x| > threshold, or those of a CSR matrix that have
    entries, as a row-sparse array with room for that many rows; what does not fit is dropped."""
    return _adding.add(x.graph._core.to_rows, x, float(threshold), stored)


def to_coo(x: Node, entries: Size | None = None, threshold: float = 0.0) -> Node:
    """The elements of a dense array with |x| > threshold, as a COO array with room for ``entries``.
    A CSR matrix without ``entries``: all of them, in the order stored."""
    return _adding.add(x.graph._core.to_coo, x, float(threshold), 0 if entries is None else entries)
