"""Sparse arrays in COO format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sparcl import _convert, _core
from sparcl._context import Context, default_context
from sparcl._parts import Copy, Part, dtype_code, itype_code

if TYPE_CHECKING:
    import scipy.sparse

    from sparcl._compressed import CSR
    from sparcl._dense import Dense


class COO:
    """A sparse array of 1 to 8 dimensions in COO format on a device.

    >>> import scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0, 4.0], ([1, 0, 1], [0, 1, 0]))))
    >>> a.coalesce().scipy().data.tolist()
    [2.0, 5.0]
    """

    def __init__(
        self,
        context: Context,
        shape: tuple[int, ...],
        indices: list[Part],
        values: Part,
        count: Part | None = None,
    ) -> None:
        self.context = context
        self.shape = shape
        self._indices, self._values, self._count = indices, values, count
        self._core = _core.Coo(
            shape,
            values.shape[0],
            dtype_code(values.dtype),
            itype_code(indices[0].dtype),
            [part.buffer for part in indices],
            values.buffer,
            None if count is None else count.buffer,
        )

    @property
    def nnz(self) -> int:
        """Stored entries; waits for the device where an operation decides it."""
        return int(self._values.shape[0] if self._count is None else self._count.numpy()[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._values.dtype

    def coalesce(self) -> COO:
        """Sorted, with the entries of one position added in their order."""
        return _convert.coo_coalesce(self)

    def csr(self) -> CSR:
        """The same matrix in CSR format; entries of one position stay apart."""
        return _convert.coo_to_csr(self)

    def dense(self) -> Dense:
        """All elements."""
        return _convert.coo_to_dense(self)

    def scipy(self) -> scipy.sparse.coo_array:
        """The array in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        nnz = self.nnz
        coordinates = tuple(part.numpy()[:nnz] for part in self._indices)
        arrays = cast("Any", (self._values.numpy()[:nnz], coordinates))
        return scipy.sparse.coo_array(arrays, shape=self.shape)

    def __repr__(self) -> str:
        return (
            f"<sparcl.COO {self.shape} {self.dtype}, {self.nnz} entries on {self.context.device}>"
        )


def coo(x: Any, *, context: Context | None = None, copy: Copy = "auto") -> COO:
    """A COO array of a SciPy matrix or array in that format, whose arrays are used where they
    are, if memory is shared. It is validated on the device."""
    if getattr(x, "format", None) != "coo":
        raise TypeError(f"expected a SciPy array in the format coo, found {type(x).__name__}")
    chosen = context or default_context()
    coordinates = x.coords if hasattr(x, "coords") else (x.row, x.col)
    indices = [Part.of(chosen, array, copy) for array in coordinates]
    shape = tuple(int(size) for size in x.shape)
    made = COO(chosen, shape, indices, Part.of(chosen, x.data, copy))
    made._core.validate(chosen._core)
    return made
