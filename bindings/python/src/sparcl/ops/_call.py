"""How operations call the C library, and results whose size or order it decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from sparcl import _core, _host, _make
from sparcl._array import Array, context_of
from sparcl.ops._results import Coalesced, Filled, Moved

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._context import Context
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse

T = TypeVar("T")
Stored = TypeVar("Stored", bound="COO | RowSparse")
Placed = TypeVar("Placed", bound="CSR | COO | RowSparse")
Function = Callable[..., None]


def run(function: Function, *arguments: Any) -> None:
    """Call a function of the core, with the context that all arrays of the arguments have, and with
    their views in place of them."""
    context = context_of(*[x for x in arguments if isinstance(x, Array)])
    function(context._core, *[x._core if isinstance(x, Array) else x for x in arguments])


def into(to: T, function: Function, *arguments: Any) -> T:
    """A result, which the function takes first."""
    run(function, to, *arguments)
    return to


def sized(context: Context, room: Callable[[int], T], function: Function, *arguments: Any) -> T:
    """A result with room for exactly what is stored in it: a first call, with room for nothing,
    counts. The function takes the result first, and last where the count is written."""
    needed = _make.dense(context, (1,), np.int64)
    count = 0
    for _ in range(2):
        to = room(count)
        run(function, to, *arguments, _core.Moved(None, needed._part.buffer))
        count = _host.count(needed)
    return to


def counted(to: CSR, source: bool, function: Function, *arguments: Any) -> Moved[CSR]:
    """An operation whose number of entries depends on the data. The function takes the result
    first, and last where the source and the count are written."""
    where = _make.integers(to.context, to.nnz, source)
    needed = _make.dense(to.context, (1,), np.int64)
    run(function, to, *arguments, _core.Moved(_make.buffer(where), needed._part.buffer))
    count = min(_host.count(needed), to.nnz)
    return Moved(_make.cut(to, count), None if where is None else where[:count])


def taken(
    room: Callable[[int], CSR], source: bool, function: Function, *arguments: Any
) -> Moved[CSR]:
    """An operation of which entries may be in the result several times: a first call, with room for
    none, counts."""
    none = room(0)
    needed = _make.dense(none.context, (1,), np.int64)
    run(function, none, *arguments, _core.Moved(None, needed._part.buffer))
    return moved(room(_host.count(needed)), source, function, *arguments)


def _first(x: Dense | None, to: CSR | COO | RowSparse) -> Dense | None:
    """The numbers of what is stored, of one for each place."""
    return None if x is None else x[: to._values.shape[0]]


def moved(to: Placed, source: bool, function: Function, *arguments: Any) -> Moved[Placed]:
    """An operation that fills the room of its result."""
    where = _make.integers(to.context, to._values.shape[0], source)
    run(function, to, *arguments, _core.Moved(_make.buffer(where), None))
    return Moved(to, where)


def kept(to: COO | RowSparse, source: bool, function: Function, *arguments: Any) -> Moved[Any]:
    """An operation that counts on the device what it stores in its result."""
    where = moved(to, source, function, *arguments).source
    if where is not None:
        to._settle()
    return Moved(to, _first(where, to))


def coalesced(
    to: Stored, wanted: tuple[bool, bool, bool], function: Function, *arguments: Any
) -> Coalesced[Stored]:
    """An operation that combines duplicates; wanted may be the inverse, counts and the source."""
    more = [_make.integers(to.context, to._values.shape[0], each) for each in wanted]
    found = _core.Coalesced(*map(_make.buffer, more)) if any(wanted) else None
    run(function, to, *arguments, found)
    if wanted[1] or wanted[2]:
        to._settle()
    inverse, counts, source = more
    return Coalesced(to, inverse, _first(counts, to), _first(source, to))


def filled(to: CSR | COO, a: CSR | COO, value: float, function: Function) -> Filled[Any]:
    """An operation that adds an entry to each row without one; not yet cut to what is stored."""
    is_empty = _make.dense(to.context, (a.shape[0],), np.bool_)
    room = to._values.shape[0]
    inverse, source = (_make.dense(to.context, (n,), np.int64) for n in (a.nnz, room))
    more = _core.Filled(is_empty._part.buffer, inverse._part.buffer, source._part.buffer, None)
    run(function, to, a, value, more)
    return Filled(to, is_empty, inverse, source)
