"""Sparse matrices of dense blocks: BSR format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _arithmetic, _classes, _core, errors, ops
from sparcl._array import Array
from sparcl._context import Context, default_context
from sparcl._parts import Copy, Part, dtype_code, itype_code

if TYPE_CHECKING:
    import scipy.sparse

    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


@_classes.put
class BSR(Array):
    """A sparse matrix in BSR format on a device: compressed rows of dense blocks.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0]]).bsr((2, 2))
    >>> a.nnzb, a.blocksize, (a @ [1.0, 1.0, 1.0, 1.0]).numpy().tolist()
    (1, (2, 2), [3.0, 3.0])
    """

    def __init__(
        self, context: Context, shape: tuple[int, int], offsets: Part, indices: Part, values: Part
    ) -> None:
        self.context = context
        self._shape = shape
        self._offsets, self._indices, self._values = offsets, indices, values
        self._core = _core.Bsr(
            shape[0],
            shape[1],
            values.shape[1],
            values.shape[2],
            indices.shape[0],
            dtype_code(values.dtype),
            itype_code(offsets.dtype),
            itype_code(indices.dtype),
            offsets.buffer,
            indices.buffer,
            values.buffer,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._values.dtype

    @property
    def nnzb(self) -> int:
        """Stored blocks."""
        return self._indices.shape[0]

    @property
    def nnz(self) -> int:
        """Stored elements, of all blocks."""
        return self._values.size

    @property
    def blocksize(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        return (self._values.shape[1], self._values.shape[2])

    @property
    def nbytes(self) -> int:
        """Bytes of offsets, indices and values."""
        return sum(part.nbytes for part in (self._offsets, self._indices, self._values))

    def _stored(self) -> tuple[tuple[str, int], ...]:
        return (("blocks", self.nnzb), ("nnz", self.nnz))

    def __matmul__(self, other: Dense | npt.ArrayLike) -> Dense:
        return cast("Dense", _arithmetic.matmul(self, other))

    def __rmatmul__(self, other: npt.ArrayLike) -> Dense:
        return cast("Dense", _arithmetic.matmul(other, self))

    def _with_values(self, values: Dense) -> BSR:
        made = BSR(self.context, self.shape, self._offsets, self._indices, values._whole())
        made._core.trust(self._core)
        return made

    def __mul__(self, other: float) -> BSR:
        values = _classes.Dense(self.context, self._values)
        return self._with_values(ops.binary_scalar(values, "multiply", float(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> BSR:
        values = _classes.Dense(self.context, self._values)
        return self._with_values(ops.binary_scalar(values, "divide", float(other)))

    def __neg__(self) -> BSR:
        return self._with_values(ops.unary(_classes.Dense(self.context, self._values), "negative"))

    def csr(self) -> CSR:
        """The same matrix in CSR format, with an entry for every element of a block."""
        return ops.bsr_to_csr(self)

    def csc(self) -> CSC:
        """The same matrix in CSC format."""
        return self.csr().csc()

    def coo(self) -> COO:
        """The same matrix in COO format."""
        return self.csr().coo()

    def bsr(self, block: tuple[int, int] | None = None) -> BSR:
        """This matrix, or one of other blocks."""
        return self if block in {None, self.blocksize} else ops.csr_to_bsr(self.csr(), block)

    def rows(self) -> RowSparse:
        """The rows that have blocks."""
        return self.csr().rows()

    def dense(self) -> Dense:
        """All elements."""
        return ops.bsr_to_dense(self)

    def scipy(self) -> scipy.sparse.bsr_array:
        """The matrix in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        arrays = (self._values.numpy(), self._indices.numpy(), self._offsets.numpy())
        return scipy.sparse.bsr_array(arrays, shape=self.shape)


def bsr(x: Any, *, context: Context | None = None, copy: Copy = "auto") -> BSR:
    """A BSR matrix of a SciPy matrix or array in that format, whose arrays are used where they
    are, if memory is shared. It is validated on the device.

    >>> import numpy, scipy.sparse, sparcl
    >>> a = sparcl.bsr(scipy.sparse.bsr_array(numpy.eye(4, dtype="float32"), blocksize=(2, 2)))
    >>> a.nnzb, a.csr().nnz
    (2, 8)
    """
    if getattr(x, "format", None) != "bsr":
        raise TypeError(f"x: expected a SciPy matrix in the format bsr, found {type(x).__name__}")
    chosen = context or default_context()
    rows, columns = (int(size) for size in x.shape)
    if rows % x.blocksize[0] or columns % x.blocksize[1]:
        raise errors.ShapeError(
            f"expected a shape of whole blocks {x.blocksize}, found {(rows, columns)}"
        )
    parts = [Part.of(chosen, array, copy) for array in (x.indptr, x.indices, x.data)]
    made = BSR(chosen, (rows, columns), *parts)
    made._core.validate(chosen._core)
    return made
