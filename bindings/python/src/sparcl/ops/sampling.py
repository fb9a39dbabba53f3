"""Indices that are drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from sparcl import _core, _list, _make
from sparcl._array import context_of
from sparcl._parts import Part

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._list import List


def negative_samples(
    a: CSR, rows: List | npt.ArrayLike, seed: int, offset: int = 0, first: int = 0
) -> List:
    """For each row index of a list a column from `first` on that this row of a does not store, by
    random numbers that follow from seed, offset and the position in the list. a is sorted and
    unique, else UncheckedError.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 1.0, 0.0]])
    >>> sparcl.ops.negative_samples(a, [0, 0], seed=7).numpy().tolist()
    [2, 2]
    """
    chosen = _make.indices(a.context, rows, a.shape[0])
    context = context_of(a, chosen)
    index = _make.wider(chosen.dtype, a.shape[1])
    to = _list.List(context, a.shape[1], Part.empty(context, (len(chosen),), index))
    _core.negative_samples(context._core, to._core, a._core, chosen._core, first, seed, offset)
    return to
