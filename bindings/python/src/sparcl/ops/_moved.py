"""Operations that move entries of CSR matrices, with the positions where they come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sparcl import _core, _host, _make
from sparcl.ops._results import Moved

if TYPE_CHECKING:
    from sparcl._compressed import CSR


def counted(to: CSR, source: bool, call: Callable[[_core.Moved], None]) -> Moved[CSR]:
    """An operation whose number of entries depends on the data."""
    where = _make.integers(to.context, to.nnz, source)
    needed = _make.dense(to.context, (1,), np.int64)
    call(_core.Moved(_make.buffer(where), needed._part.buffer))
    count = min(_host.count(needed), to.nnz)
    return Moved(_make.cut(to, count), None if where is None else where[:count])


def full(to: CSR, source: bool, call: Callable[[_core.Moved], None]) -> Moved[CSR]:
    """An operation that keeps all entries."""
    where = _make.integers(to.context, to.nnz, source)
    call(_core.Moved(_make.buffer(where), None))
    return Moved(to, where)
