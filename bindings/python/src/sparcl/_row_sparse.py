"""Row-sparse arrays: some rows of a dense array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sparcl import _convert, _core
from sparcl._context import Context, default_context
from sparcl._parts import Copy, Part, dtype_code, itype_code

if TYPE_CHECKING:
    from sparcl._dense import Dense


class RowSparse:
    """Some rows of a dense array on a device; all others are zero.

    >>> import numpy, sparcl
    >>> g = sparcl.rows(numpy.array([3, 0, 3]), numpy.ones((3, 2), "float32"), (5, 2))
    >>> g.coalesce().indices.tolist(), g.coalesce().values.tolist()
    ([0, 3], [[1.0, 1.0], [2.0, 2.0]])
    """

    def __init__(
        self,
        context: Context,
        shape: tuple[int, ...],
        indices: Part,
        values: Part,
        count: Part | None = None,
    ) -> None:
        self.context = context
        self.shape = shape
        self._indices, self._values, self._count = indices, values, count
        self._core = _core.Rows(
            shape,
            indices.shape[0],
            dtype_code(values.dtype),
            itype_code(indices.dtype),
            indices.buffer,
            values.buffer,
            None if count is None else count.buffer,
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._values.dtype

    @property
    def nnr(self) -> int:
        """Stored rows; waits for the device where an operation decides it."""
        return int(self._indices.shape[0] if self._count is None else self._count.numpy()[0])

    @property
    def indices(self) -> npt.NDArray[Any]:
        """The numbers of the stored rows."""
        return self._indices.numpy()[: self.nnr]

    @property
    def values(self) -> npt.NDArray[Any]:
        """The stored rows."""
        return self._values.numpy()[: self.nnr]

    def coalesce(self) -> RowSparse:
        """Sorted, with the rows of one number added in their order."""
        return _convert.rows_coalesce(self)

    def dense(self) -> Dense:
        """All rows."""
        return _convert.rows_to_dense(self)

    def __repr__(self) -> str:
        return (
            f"<sparcl.RowSparse {self.shape} {self.dtype}, {self.nnr} rows "
            f"on {self.context.device}>"
        )


def rows(
    indices: npt.NDArray[Any],
    values: npt.NDArray[Any],
    shape: tuple[int, ...],
    *,
    context: Context | None = None,
    copy: Copy = "auto",
) -> RowSparse:
    """The rows of a dense array of this shape that have these numbers: values[k] is the row
    indices[k]. It is validated on the device."""
    chosen = context or default_context()
    if values.shape != (len(indices), *shape[1:]):
        raise ValueError(
            f"values: expected the shape {(len(indices), *shape[1:])}, found {values.shape}"
        )
    parts = [Part.of(chosen, array, copy) for array in (indices, values)]
    made = RowSparse(chosen, shape, *parts)
    made._core.validate(chosen._core)
    return made
