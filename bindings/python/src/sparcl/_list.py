"""Lists of indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sparcl import _core, errors
from sparcl._array import Array
from sparcl._context import Context, default_context
from sparcl._parts import Copy, Part, itype_code


class List(Array):
    """Indices of rows or columns on a device, each at least 0 and below a limit.

    >>> import sparcl
    >>> batch = sparcl.indices([4, 0, 4], 10)
    >>> batch.numpy().tolist(), batch.limit
    ([4, 0, 4], 10)
    """

    _has_elements = True

    def __init__(self, context: Context, limit: int, part: Part) -> None:
        self.context = context
        self.limit = limit
        self._part = part
        self._core = _core.List(part.shape[0], limit, itype_code(part.dtype), part.buffer)

    @property
    def shape(self) -> tuple[int]:
        """How many indices there are."""
        return (self._part.shape[0],)

    @property
    def dtype(self) -> np.dtype[Any]:
        """int32 or int64."""
        return self._part.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of the indices."""
        return self._part.nbytes

    def __len__(self) -> int:
        return self._part.shape[0]

    def _stored(self) -> tuple[tuple[str, int], ...]:
        return (("limit", self.limit),)

    def numpy(self) -> npt.NDArray[Any]:
        """The indices; the array of the device itself where it shares memory."""
        return self._part.numpy()


def integers(x: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """A vector of int32 or int64, of integers of any type.

    Raises
    ------
    ArgumentError
        It is not a vector of integers, or has one above those of int64.
    """
    try:
        array = np.asarray(x)
    except ValueError as error:  # lists of different lengths
        raise errors.ArgumentError(f"{what}: expected a vector of integers: {error}") from None
    if array.size == 0 and not isinstance(x, np.ndarray):
        array = array.astype(np.int64)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise errors.ArgumentError(
            f"{what}: expected a vector of integers, found {array.dtype} of the shape {array.shape}"
        )
    if array.dtype.name in {"int32", "int64"} and array.dtype.isnative:
        return array
    most = np.iinfo(np.int64).max
    if array.dtype.kind == "u" and array.size and array.max() > most:
        raise errors.ArgumentError(f"{what}: expected at most {most}, found {array.max()}")
    return array.astype(np.int64)


def indices(
    x: npt.ArrayLike, limit: int, *, context: Context | None = None, copy: Copy = "auto"
) -> List:
    """A list of indices of integers from 0 to the limit, without it, which is checked on the
    device. int32 and int64 are used where they are, if memory is shared.

    Raises
    ------
    DataError
        An index is outside; the message has the first.

    >>> import sparcl
    >>> sparcl.indices([3], 3)
    Traceback (most recent call last):
        ...
    sparcl.errors.DataError: validate: A.indices[0] is 3, expected 0 to 2
    """
    chosen = context or default_context()
    made = List(chosen, limit, Part.of(chosen, integers(x, "indices"), copy))
    made._core.validate(chosen._core)
    return made


def trusted(x: npt.ArrayLike, limit: int, context: Context) -> List:
    """A list that may have bad indices, for operations that say what happens with these."""
    return List(context, limit, Part.of(context, integers(x, "indices")))
