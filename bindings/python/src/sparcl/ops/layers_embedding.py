"""Rows of a table by their indices: lookups, and bags with their gradients.

What is wrong raises ShapeError, DTypeError, DataError or ArgumentError.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sparcl import _classes, _core, _given, _list, _make, errors
from sparcl._array import context_of
from sparcl._context import default_context
from sparcl._enums import Bounds, Mode, code
from sparcl._parts import Part, itype_code
from sparcl.ops import _results
from sparcl.ops._call import into, run

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._context import Context
    from sparcl._dense import Dense
    from sparcl._list import List
    from sparcl._row_sparse import RowSparse

__all__ = [
    "Bags",
    "embedding",
    "embedding_bag",
    "embedding_bag_gradient",
    "embedding_bag_matrix",
    "embedding_bag_weights_gradient",
    "embedding_renorm",
]


@dataclass(frozen=True)
class Bags:
    """Bags of indices: bag i has the entries offsets[i] to offsets[i + 1] - 1 of `indices`.

    Parameters
    ----------
    indices
        A :class:`List`, or a vector of integers; a CSR matrix has a bag for each row, whose columns
        are the indices and whose values are the weights.
    offsets
        Of each bag; with `include_last` also the end of the last one. None: each index is a bag.
    weights
        Of each index; None: 1.
    mode
        "sum", "mean", "sqrtn" or "max" of the rows of a bag.
    bounds
        What happens with an index outside of the table: "error" (it is found when the list is
        validated), "clamp" or "skip".
    padding_index
        An index that is left out.
    scale_by_frequency
        The gradient of a row of the table is divided by the number of its entries in the bags.

    >>> import sparcl
    >>> bags = sparcl.ops.Bags([0, 2, 2], offsets=[0, 1], mode="mean")
    >>> sparcl.ops.embedding_bag(sparcl.dense([[1.0], [2.0], [3.0]]), bags).result.numpy().tolist()
    [[1.0], [3.0]]
    """

    indices: List | CSR | npt.ArrayLike
    offsets: npt.ArrayLike | None = None
    weights: Dense | npt.ArrayLike | None = None
    mode: Mode = "sum"
    bounds: Bounds = "error"
    include_last: bool = False
    padding_index: int | None = None
    scale_by_frequency: bool = False

    def on(self, context: Context, limit: int, dtype: np.dtype[Any]) -> PlacedBags:
        """The bags on a device, for a table of `limit` rows of a type."""
        return PlacedBags(self, context, limit, dtype)


def _offsets(context: Context, x: npt.ArrayLike, count: int) -> Part:
    """Where bags begin among some indices: from 0 on, ascending."""
    array = _list.integers(x, "offsets")
    begin = int(array[0]) if array.size else 0
    if begin != 0:
        raise errors.DataError(f"offsets: expected 0 as the first one, found {begin}")
    falls = np.flatnonzero(array[1:] < array[:-1])
    if falls.size:
        at = int(falls[0]) + 1
        raise errors.DataError(
            f"offsets: expected ascending ones, found {array[at]} at position {at} after "
            f"{array[at - 1]}"
        )
    if array.size and array[-1] > count:
        raise errors.DataError(
            f"offsets: expected at most {count}, the number of indices, found {array[-1]}"
        )
    return Part.of(context, array)


def _numbers(context: Context, x: npt.ArrayLike, dtype: np.dtype[Any]) -> Dense:
    """Weights of what NumPy understands, converted to the type of the table."""
    try:
        return _given.dense(x, dtype=dtype, context=context)
    except (TypeError, ValueError) as error:
        raise errors.DTypeError(f"weights: expected numbers: {error}") from None


class PlacedBags:
    """Bags on a device."""

    def __init__(self, bags: Bags, context: Context, limit: int, dtype: np.dtype[Any]) -> None:
        self.mode, self.context, self.limit = bags.mode, context, limit
        self.indices, offsets, self.weights, last = self._arrays(bags, dtype)
        self.count = len(self.indices) if offsets is None else offsets.shape[0] - (1 if last else 0)
        self.has_bounds = bags.bounds != "error"
        if offsets is not None and self.count < 0:
            raise errors.ShapeError("offsets: expected at least one with include_last, found none")
        context_of(self.indices, self.weights)
        self.core = _core.Bags(
            self.count,
            self.indices._core,
            0 if offsets is None else itype_code(offsets.dtype),
            last,
            None if offsets is None else offsets.buffer,
            _make.operand_buffer(self.weights, "weights", self.indices.shape, dtype),
            code("bag_mode", bags.mode),
            code("bounds", bags.bounds),
            bags.padding_index is not None,
            bags.padding_index or 0,
            bags.scale_by_frequency,
        )

    def _arrays(
        self, bags: Bags, dtype: np.dtype[Any]
    ) -> tuple[List, Part | None, Dense | None, bool]:
        given = bags.indices
        if isinstance(given, _classes.CSR):
            if given.shape[1] != self.limit:
                raise errors.ShapeError(
                    f"bags: expected a matrix of {self.limit} columns, found {given.shape[1]}"
                )
            columns = _list.List(given.context, self.limit, given._indices)
            columns._core.validate(given.context._core)
            weights = None if bags.mode == "max" else given.values
            return columns, given._offsets, weights, True
        if isinstance(given, _list.List):
            listed = given
        elif bags.bounds == "error":
            listed = _list.indices(given, self.limit, context=self.context)
        else:
            listed = _list.trusted(given, self.limit, self.context)
        placed = None
        if bags.offsets is not None:
            placed = _offsets(self.context, bags.offsets, len(listed))
        chosen = bags.weights
        if chosen is not None and not isinstance(chosen, _classes.Dense):
            chosen = _numbers(self.context, chosen, dtype)
        return listed, placed, chosen, bags.include_last


def _bags(x: Bags | List | CSR | npt.ArrayLike) -> Bags:
    return x if isinstance(x, Bags) else Bags(x)


def _placed(
    x: Dense, bags: Bags | List | CSR | npt.ArrayLike, limit: int | None = None
) -> PlacedBags:
    """Bags beside a table, or beside the gradient of what they give of one with that many rows."""
    placed = _bags(bags).on(x.context, x.shape[0] if limit is None else limit, x.dtype)
    context_of(x, placed.indices)
    return placed


def embedding(table: Dense, indices: Bags | List | npt.ArrayLike) -> _results.Bags:
    """The rows of a table whose indices are in a list; rows of 0 for the padding index and, with
    the bounds "skip", for bad indices.

    >>> import sparcl
    >>> table = sparcl.dense([[1.0], [2.0]])
    >>> sparcl.ops.embedding(table, [1, 1, 0]).result.numpy().tolist()
    [[2.0], [2.0], [1.0]]
    """
    placed = _placed(table, indices)
    to = _make.dense(table.context, (placed.count, *table.shape[1:]), table.dtype)
    bad = _make.integers(table.context, 1, placed.has_bounds)
    run(_core.embedding, to, table, placed.core, _make.buffer(bad), 0)
    return _results.Bags(to, None, bad)


def embedding_bag(
    table: Dense, bags: Bags | CSR | List | npt.ArrayLike, *, positions: bool = False
) -> _results.Bags:
    """Row i of the result is the sum, mean, ... of the rows of the table [limit, d] in bag i. With
    `positions`, of the mode "max", also the entry of each maximum.

    >>> import sparcl
    >>> table = sparcl.dense([[1.0], [2.0]])
    >>> bags = sparcl.ops.Bags([0, 1, 1], offsets=[0, 1, 3], include_last=True)
    >>> sparcl.ops.embedding_bag(table, bags).result.numpy().tolist()
    [[1.0], [4.0]]
    """
    placed = _placed(table, bags)
    shape = (placed.count, *table.shape[1:])
    to = _make.dense(table.context, shape, table.dtype)
    bad = _make.integers(table.context, 1, placed.has_bounds)
    where = _make.dense(table.context, shape, np.int64) if positions else None
    run(_core.embedding_bag, to, table, placed.core, where, _make.buffer(bad), 0)
    return _results.Bags(to, where, bad)


def embedding_bag_matrix(
    bags: Bags | CSR, limit: int, dtype: npt.DTypeLike = "float32", *, like: Dense | None = None
) -> _results.BagMatrix:
    """The bags as a CSR matrix [bags, limit] without the entries that are left out, whose product
    with the table is their result. `like` is an array whose context and type are used.

    >>> import sparcl
    >>> bags = sparcl.ops.Bags([0, 1, 1], offsets=[0, 1], mode="mean")
    >>> sparcl.ops.embedding_bag_matrix(bags, 2).matrix.values.numpy().tolist()
    [1.0, 0.5, 0.5]
    """
    context = default_context() if like is None else like.context
    kind = np.dtype(dtype) if like is None else like.dtype
    placed = _bags(bags).on(context, limit, kind)
    room = len(placed.indices)
    to = _make.csr(context, (placed.count, limit), room, kind, placed.indices.dtype)
    source = _make.dense(context, (room,), np.int64)
    run(_core.embedding_bag_matrix, to, placed.core, source._part.buffer, 0)
    count = int(to._offsets.numpy()[-1])
    return _results.BagMatrix(_make.cut(to, count), source[:count])


def embedding_bag_gradient(
    g: Dense,
    bags: Bags | CSR | List | npt.ArrayLike,
    limit: int,
    *,
    positions: Dense | None = None,
) -> RowSparse:
    """The gradient of the table of `limit` rows, for the gradient g [bags, d] of the result: a row
    for each index in a bag. The mode "max" needs the positions of the result.

    >>> import sparcl
    >>> r = sparcl.ops.embedding_bag_gradient(sparcl.dense([[1.0], [10.0]]), [2, 2], 4)
    >>> r.indices.tolist(), r.values.tolist()
    ([2], [[11.0]])
    """
    placed = _placed(g, bags, limit)
    count = len(placed.indices)
    room = count if placed.mode == "max" else min(limit, count)
    r = _make.rows(g.context, (limit, *g.shape[1:]), room, g.dtype, placed.indices.dtype)
    return into(r, _core.embedding_bag_gradient, g, placed.core, positions)


def embedding_bag_weights_gradient(
    g: Dense, table: Dense, bags: Bags | CSR, *, y: Dense | None = None
) -> Dense:
    """The gradient of the weights [count of the list], for the gradient g [bags, d] of the result
    y, which the modes "mean" and "sqrtn" need.

    >>> import sparcl
    >>> table = sparcl.dense([[1.0], [2.0]])
    >>> bags = sparcl.ops.Bags([0, 1], offsets=[0], weights=[1.0, 1.0])
    >>> sparcl.ops.embedding_bag_weights_gradient(
    ...     sparcl.dense([[5.0]]), table, bags).numpy().tolist()
    [5.0, 10.0]
    """
    placed = _placed(table, bags)
    gw = _make.dense(table.context, (len(placed.indices),), table.dtype)
    return into(gw, _core.embedding_bag_weights_gradient, g, table, y, placed.core)


def embedding_renorm(
    table: Dense,
    bags: Bags | CSR | List | npt.ArrayLike,
    max_norm: float,
    norm_type: float = 2.0,
) -> None:
    """Scale each row of the table that is in the bags, and whose norm is above max_norm, to that
    norm, in the memory of the table. norm_type is 1, 2 or infinity.

    >>> import sparcl
    >>> table = sparcl.dense([[3.0, 4.0], [30.0, 40.0]])
    >>> sparcl.ops.embedding_renorm(table, [0], 1.0)
    >>> table.numpy().round(3).tolist()
    [[0.6, 0.8], [30.0, 40.0]]
    """
    placed = _placed(table, bags)
    to = _make.written(table, "table")
    run(_core.embedding_renorm, to, placed.core, max_norm, norm_type)
