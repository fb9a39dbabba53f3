"""Sparse matrices in CSR and CSC format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sparcl import _convert, _core, _dense, _products
from sparcl._context import Context, default_context
from sparcl._parts import Copy, Part, dtype_code, itype_code

if TYPE_CHECKING:
    import scipy.sparse

    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


class Compressed:
    """What CSR and CSC have."""

    _type: type[_core.Csr] | type[_core.Csc]

    def __init__(
        self,
        context: Context,
        shape: tuple[int, int],
        offsets: Part,
        indices: Part,
        values: Part,
    ) -> None:
        self.context = context
        self.shape = shape
        self._offsets, self._indices, self._values = offsets, indices, values
        self._core: Any = self._type(
            shape[0],
            shape[1],
            indices.shape[0],
            dtype_code(values.dtype),
            itype_code(offsets.dtype),
            itype_code(indices.dtype),
            offsets.buffer,
            indices.buffer,
            values.buffer,
        )

    @property
    def nnz(self) -> int:
        """Stored entries."""
        return int(self._indices.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._values.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of offsets, indices and values."""
        parts = (self._offsets, self._indices, self._values)
        return sum(part.buffer.bytes for part in parts)

    def _arrays(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """In the order of SciPy's constructors."""
        return self._values.numpy(), self._indices.numpy(), self._offsets.numpy()

    def __repr__(self) -> str:
        return (
            f"<sparcl.{type(self).__name__} {self.shape} {self.dtype}, {self.nnz} entries, "
            f"{self.nbytes} bytes on {self.context.device}>"
        )


class CSR(Compressed):
    """A sparse matrix in CSR format on a device.

    >>> import scipy.sparse, sparcl
    >>> a = sparcl.csr(scipy.sparse.eye(3, dtype="float32", format="csr"))
    >>> (a @ [[1.0], [2.0], [3.0]]).numpy().ravel().tolist()
    [1.0, 2.0, 3.0]
    """

    _type = _core.Csr
    _pattern: _core.Pattern | None = None

    def _transpose_pattern(self) -> _core.Pattern:
        """The sorted transpose, which is made for the first product with it."""
        if self._pattern is None:
            pattern = _core.Pattern(self.context._core)
            _core.pattern_build(self.context._core, pattern, self._core)
            self._pattern = pattern
        return self._pattern

    @property
    def T(self) -> CSC:
        """The transpose, with the same arrays."""
        shape = (self.shape[1], self.shape[0])
        made = CSC(self.context, shape, self._offsets, self._indices, self._values)
        made._transposed = self
        return made

    def __matmul__(self, other: Dense | npt.ArrayLike) -> Dense:
        return _products.spmm(self, _dense.operand(self.context, self.dtype, other))

    def csc(self) -> CSC:
        """The same matrix in CSC format."""
        return _convert.csr_to_csc(self)

    def coo(self) -> COO:
        """The same matrix in COO format."""
        return _convert.csr_to_coo(self)

    def dense(self) -> Dense:
        """All elements."""
        return _convert.csr_to_dense(self)

    def scipy(self) -> scipy.sparse.csr_array:
        """The matrix in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        return scipy.sparse.csr_array(self._arrays(), shape=self.shape)


class CSC(Compressed):
    """A sparse matrix in CSC format on a device.

    >>> import scipy.sparse, sparcl
    >>> a = sparcl.csc(scipy.sparse.eye(3, dtype="float32", format="csc"))
    >>> a.csr().shape
    (3, 3)
    """

    _type = _core.Csc
    _transposed: CSR | None = None

    @property
    def T(self) -> CSR:
        """The transpose, with the same arrays."""
        if self._transposed is None:
            shape = (self.shape[1], self.shape[0])
            made = CSR(self.context, shape, self._offsets, self._indices, self._values)
            made._core.validate(self.context._core)
            self._transposed = made
        return self._transposed

    def __matmul__(self, other: Dense | npt.ArrayLike) -> RowSparse:
        return _products.spmm_t_rows(self.T, _dense.operand(self.context, self.dtype, other))

    def csr(self) -> CSR:
        """The same matrix in CSR format."""
        return _convert.csc_to_csr(self)

    def dense(self) -> Dense:
        """All elements."""
        return _convert.csc_to_dense(self)

    def scipy(self) -> scipy.sparse.csc_array:
        """The matrix in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        return scipy.sparse.csc_array(self._arrays(), shape=self.shape)


def _parts_of(x: Any, kind: str, context: Context, copy: Copy) -> list[Part]:
    found = getattr(x, "format", None)
    if found != kind:
        why = "" if found is None else f" in the format {found}; use its to{kind}()"
        raise TypeError(
            f"expected a SciPy matrix in the format {kind}, found {type(x).__name__}{why}"
        )
    return [Part.of(context, array, copy) for array in (x.indptr, x.indices, x.data)]


def csr(x: Any, *, context: Context | None = None, copy: Copy = "auto") -> CSR:
    """A CSR matrix of a SciPy matrix or array in that format, whose arrays are used where they
    are, if memory is shared. It is validated on the device.

    Raises
    ------
    DataError
        An offset or index is wrong; the message has the first.
    """
    chosen = context or default_context()
    parts = _parts_of(x, "csr", chosen, copy)
    made = CSR(chosen, (int(x.shape[0]), int(x.shape[1])), *parts)
    made._core.validate(chosen._core)
    return made


def csc(x: Any, *, context: Context | None = None, copy: Copy = "auto") -> CSC:
    """A CSC matrix of a SciPy matrix or array in that format, as :func:`csr`."""
    chosen = context or default_context()
    parts = _parts_of(x, "csc", chosen, copy)
    made = CSC(chosen, (int(x.shape[0]), int(x.shape[1])), *parts)
    made._core.validate(chosen._core)
    return made
