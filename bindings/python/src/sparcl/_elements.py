"""Comparisons and numbers of arrays whose elements NumPy may read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sparcl import errors
from sparcl._array import Array


class Elements(Array):
    """What dense and row-sparse arrays have of arrays of NumPy: comparisons give arrays of bool on
    the host; an array of one element is a number.

    >>> import sparcl
    >>> y = sparcl.dense([1.0, -2.0])
    >>> (y > 0).tolist(), float(y[:1]), y.tolist()
    ([True, False], 1.0, [1.0, -2.0])
    """

    _has_elements = True
    __hash__ = object.__hash__  # of this array, whatever its elements

    def __eq__(self, other: object) -> Any:
        return np.asarray(self._elements() == _compared(other))

    def __ne__(self, other: object) -> Any:
        return np.asarray(self._elements() != _compared(other))

    def __lt__(self, other: Any) -> npt.NDArray[np.bool_]:
        return np.asarray(self._elements() < _compared(other))

    def __le__(self, other: Any) -> npt.NDArray[np.bool_]:
        return np.asarray(self._elements() <= _compared(other))

    def __gt__(self, other: Any) -> npt.NDArray[np.bool_]:
        return np.asarray(self._elements() > _compared(other))

    def __ge__(self, other: Any) -> npt.NDArray[np.bool_]:
        return np.asarray(self._elements() >= _compared(other))

    def _one(self) -> Any:
        """The number of an array that has one."""
        found = self._elements()
        if found.size != 1:
            raise errors.ShapeError(
                f"expected one element, found an array of the shape {self.shape}; use y.numpy(), "
                "as in y.numpy().any()"
            )
        return found.item()

    def __bool__(self) -> bool:
        return bool(self._one())

    def __float__(self) -> float:
        return float(self._one())

    def __int__(self) -> int:
        return int(self._one())

    def tolist(self) -> Any:
        """The elements as numbers of Python in lists, as NumPy has it."""
        return self._elements().tolist()


def _compared(x: Any) -> Any:
    return x._elements() if isinstance(x, Array) else x
