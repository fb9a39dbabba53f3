"""Inputs of graphs: what they expect, and arrays of the host for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sparcl import _compressed, _coordinates, _core, _dense, _row_sparse
from sparcl._parts import Part, itype_code

if TYPE_CHECKING:
    from sparcl._context import Context
    from sparcl.graph._graph import Graph
    from sparcl.graph._node import Node, Size


@dataclass(frozen=True)
class Input:
    """An input of a graph, with its sizes: numbers and dimensions, in the order of C."""

    node: Node
    kind: str
    dtype: str
    sizes: tuple[Size, ...]


def _dense_of(context: Context, like: Input, x: Any) -> _dense.Dense:
    return x if isinstance(x, _dense.Dense) else _dense.dense(x, dtype=like.dtype, context=context)


def _csr_of(context: Context, like: Input, x: Any) -> _compressed.CSR:
    if isinstance(x, _compressed.CSR):
        return x
    if getattr(x, "format", None) == "csr" and x.data.dtype != np.dtype(like.dtype):
        x = x.astype(like.dtype)
    return _compressed.csr(x, context=context)


def _rows_of(_context: Context, like: Input, x: Any) -> _row_sparse.RowSparse:
    if not isinstance(x, _row_sparse.RowSparse):
        raise TypeError(
            f"{like.node.name}: expected a row-sparse array, made by sparcl.rows, found "
            f"{type(x).__name__}"
        )
    return x


def _coo_of(context: Context, like: Input, x: Any) -> _coordinates.COO:
    return x if isinstance(x, _coordinates.COO) else _coordinates.coo(x, context=context)


class _Indices:
    """A list of indices, validated on the device."""

    def __init__(self, context: Context, like: Input, x: Any, limit: int) -> None:
        host = np.ascontiguousarray(x)
        if host.ndim != 1 or host.dtype.kind not in "iu":
            raise TypeError(
                f"{like.node.name}: expected a vector of integers, found an array of {host.dtype} "
                f"with {host.ndim} dimensions"
            )
        if host.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
            host = host.astype(np.int64)
        self.context = context
        self.shape = (int(host.shape[0]), limit)
        self._part = Part.of(context, host)
        self._core = _core.List(host.shape[0], limit, itype_code(host.dtype), self._part.buffer)
        self._core.validate(context._core)


_MAKERS: dict[str, Callable[[Any, Input, Any], Any]] = {
    "dense": _dense_of,
    "csr": _csr_of,
    "rows": _rows_of,
    "coo": _coo_of,
}


def _sizes_of(kind: str, array: Any) -> tuple[int, ...]:
    shape = tuple(array.shape)
    if kind == "dense":
        return shape
    if kind == "csr":
        return (*shape, array.nnz)
    return (*shape, int(array._indices.shape[0] if kind == "rows" else array._values.shape[0]))


def _check(like: Input, array: Any, context: Context) -> None:
    if array.context is not context:
        raise ValueError(
            f"{like.node.name}: expected an array of the graph's context, found one of another; "
            "make it with context=graph.context"
        )


def bind(graph: Graph, like: Input, x: Any) -> Any:
    """Bind an array to an input; the array must then stay. Dimensions grow to its sizes."""
    if like.kind == "list":
        limit = like.sizes[1]
        size = limit if isinstance(limit, int) else graph.size_of(limit)
        array: Any = _Indices(graph.context, like, x, size)
        sizes = array.shape
    else:
        array = _MAKERS[like.kind](graph.context, like, x)
        sizes = _sizes_of(like.kind, array)
    _check(like, array, graph.context)
    if len(sizes) == len(like.sizes):
        for expected, found in zip(like.sizes, sizes, strict=True):
            if not isinstance(expected, int):
                graph.set_size(expected, found)
    getattr(graph._core, f"bind_{like.kind}")(like.node.number, array._core)
    return array
