"""Inputs of graphs: what they expect, and arrays of the host for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sparcl import _compressed, _coordinates, _dense, _given, _list, _row_sparse, errors

if TYPE_CHECKING:
    from sparcl._context import Context
    from sparcl.graph._adding import Size
    from sparcl.graph._graph import Graph
    from sparcl.graph._node import Node


@dataclass(frozen=True)
class Input:
    """An input of a graph, with its sizes: numbers and dimensions, in the order of C."""

    node: Node
    kind: str
    dtype: str
    sizes: tuple[Size, ...]


def _dense_of(context: Context, like: Input, x: Any) -> _dense.Dense:
    return x if isinstance(x, _dense.Dense) else _given.dense(x, dtype=like.dtype, context=context)


def _csr_of(context: Context, like: Input, x: Any) -> _compressed.CSR:
    if isinstance(x, _compressed.CSR):
        return x
    if getattr(x, "format", None) == "csr" and x.data.dtype != np.dtype(like.dtype):
        x = x.astype(like.dtype)
    return _compressed.csr(x, context=context)


def _rows_of(_context: Context, _like: Input, x: Any) -> _row_sparse.RowSparse:
    if not isinstance(x, _row_sparse.RowSparse):
        raise TypeError(
            f"expected a row-sparse array, made by sparcl.rows, found {type(x).__name__}"
        )
    return x


def _coo_of(context: Context, like: Input, x: Any) -> _coordinates.COO:
    return x if isinstance(x, _coordinates.COO) else _coordinates.coo(x, context=context)


def _list_of(context: Context, limit: int, x: Any) -> _list.List:
    return x if isinstance(x, _list.List) else _list.indices(x, limit, context=context)


_MAKERS: dict[str, Callable[[Any, Input, Any], Any]] = {
    "dense": _dense_of,
    "csr": _csr_of,
    "rows": _rows_of,
    "coo": _coo_of,
}


def _sizes_of(kind: str, array: Any) -> tuple[int, ...]:
    if kind == "list":
        return len(array), array.limit
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


def _array_of(graph: Graph, like: Input, x: Any) -> Any:
    """An array for an input; what cannot be one is refused with the name of the input."""
    name = like.node.name
    try:
        if like.kind == "list":
            limit = like.sizes[1]
            size = limit if isinstance(limit, int) else graph.size_of(limit)
            return _list_of(graph.context, size, x)
        return _MAKERS[like.kind](graph.context, like, x)
    except errors.SparclError as error:
        raise type(error)(f"{name}: {error}") from None
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from None


def bind(graph: Graph, like: Input, x: Any) -> Any:
    """Bind an array to an input; the array must then stay. Dimensions grow to its sizes."""
    array = _array_of(graph, like, x)
    sizes = _sizes_of(like.kind, array)
    _check(like, array, graph.context)
    if len(sizes) == len(like.sizes):
        for expected, found in zip(like.sizes, sizes, strict=True):
            if not isinstance(expected, int):
                graph.set_size(expected, found)
    getattr(graph._core, f"bind_{like.kind}")(like.node.number, array._core)
    return array
