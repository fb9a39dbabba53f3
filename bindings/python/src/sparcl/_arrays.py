"""Arrays of a context: dense, CSR, CSC and row-sparse, from and to NumPy and SciPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt

from sparcl import _core, _products
from sparcl._context import Context, default_context

if TYPE_CHECKING:
    import scipy.sparse

Copy = Literal["auto", "never"]

_DTYPES: dict[str, int] = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "int32": 4,
    "int64": 5,
    "bool": 6,
}
_ITYPES: dict[str, int] = {"int32": 0, "int64": 1}


def _code(dtype: np.dtype[Any], codes: dict[str, int], what: str) -> int:
    code = codes.get(dtype.name)
    if code is None or not dtype.isnative:
        raise TypeError(f"{what}: expected one of {', '.join(codes)}, found {dtype}")
    return code


class Part:
    """An array of a view: a buffer, and the array of the host that it uses, if there is one."""

    def __init__(self, context: Context, host: npt.NDArray[Any], copy: Copy = "auto") -> None:
        if not host.flags.c_contiguous:
            if copy == "never":
                raise ValueError(
                    "copy='never': expected an array without gaps in the order of C, found one "
                    f"with strides {host.strides}; pass numpy.ascontiguousarray of it"
                )
            context._core.count_copied(host.nbytes)
            host = np.ascontiguousarray(host)
        if copy == "never" and not context.shares_memory:
            raise ValueError(
                "copy='never': expected a device that shares memory with the host, found "
                f"{context.device}; use copy='auto'"
            )
        self.buffer = _core.Buffer(context._core, host)
        self.dtype = host.dtype
        self.shape = host.shape
        self._host = host if self.buffer.uses_host else None

    def numpy(self) -> npt.NDArray[Any]:
        """The elements, when all work on them is complete; no copy where memory is shared."""
        into = np.empty(self.shape, self.dtype) if self._host is None else self._host
        self.buffer.read(into)
        return into


def empty_part(context: Context, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Part:
    """Elements that an operation writes."""
    return Part(context, np.zeros(shape, dtype))


class Dense:
    """A dense array of 1 to 8 dimensions on a device.

    >>> import numpy, sparcl
    >>> sparcl.dense(numpy.ones((2, 3), numpy.float32)).shape
    (2, 3)
    """

    def __init__(self, context: Context, part: Part) -> None:
        self.context = context
        self._part = part
        self._core = _core.Dense(part.shape, _code(part.dtype, _DTYPES, "dtype"), part.buffer)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._part.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._part.dtype

    @property
    def nbytes(self) -> int:
        return self._part.buffer.bytes

    def numpy(self) -> npt.NDArray[Any]:
        """The elements; the array of the device itself where it shares memory."""
        return self._part.numpy()

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.array(self.numpy(), dtype=dtype) if copy else np.asarray(self.numpy(), dtype)

    def __repr__(self) -> str:
        return (
            f"<sparcl.Dense {self.shape} {self.dtype}, {self.nbytes} bytes "
            f"on {self.context.device}>"
        )


class _Compressed:
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
            _code(values.dtype, _DTYPES, "dtype"),
            _code(offsets.dtype, _ITYPES, "dtype of indptr"),
            _code(indices.dtype, _ITYPES, "dtype of indices"),
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
        return self._values.dtype

    @property
    def nbytes(self) -> int:
        parts = (self._offsets, self._indices, self._values)
        return sum(part.buffer.bytes for part in parts)

    def __repr__(self) -> str:
        return (
            f"<sparcl.{type(self).__name__} {self.shape} {self.dtype}, {self.nnz} entries, "
            f"{self.nbytes} bytes on {self.context.device}>"
        )


class CSR(_Compressed):
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
        made = CSC(
            self.context,
            (self.shape[1], self.shape[0]),
            self._offsets,
            self._indices,
            self._values,
        )
        made._transposed = self
        return made

    def __matmul__(self, other: Dense | npt.ArrayLike) -> Dense:
        return _products.spmm(self, _operand(self, other))

    def scipy(self) -> scipy.sparse.csr_array:
        """The matrix in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        arrays = (self._values.numpy(), self._indices.numpy(), self._offsets.numpy())
        return scipy.sparse.csr_array(arrays, shape=self.shape)


class CSC(_Compressed):
    """A sparse matrix in CSC format on a device."""

    _type = _core.Csc
    _transposed: CSR | None = None

    @property
    def T(self) -> CSR:
        """The transpose, with the same arrays."""
        if self._transposed is None:
            shape = (self.shape[1], self.shape[0])
            self._transposed = CSR(self.context, shape, self._offsets, self._indices, self._values)
            self._transposed._core.validate(self.context._core)
        return self._transposed

    def __matmul__(self, other: Dense | npt.ArrayLike) -> RowSparse:
        return _products.spmm_t_rows(self.T, _operand(self, other))

    def scipy(self) -> scipy.sparse.csc_array:
        """The matrix in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        arrays = (self._values.numpy(), self._indices.numpy(), self._offsets.numpy())
        return scipy.sparse.csc_array(arrays, shape=self.shape)


class RowSparse:
    """Some rows of a dense array; all others are zero."""

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
            _code(values.dtype, _DTYPES, "dtype"),
            _code(indices.dtype, _ITYPES, "dtype of indices"),
            indices.buffer,
            values.buffer,
            None if count is None else count.buffer,
        )

    @property
    def dtype(self) -> np.dtype[Any]:
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

    def dense(self) -> Dense:
        """All rows."""
        to = Dense(self.context, empty_part(self.context, self.shape, self.dtype))
        _core.rows_to_dense(self.context._core, to._core, self._core)
        return to

    def __repr__(self) -> str:
        return (
            f"<sparcl.RowSparse {self.shape} {self.dtype}, {self.nnr} rows "
            f"on {self.context.device}>"
        )


# ---- from arrays ------------------------------------------------------------------------------


def dense(
    x: npt.ArrayLike,
    *,
    dtype: npt.DTypeLike | None = None,
    context: Context | None = None,
    copy: Copy = "auto",
) -> Dense:
    """A dense array of what NumPy understands, or has ``__dlpack__``: used where it is, if memory
    is shared. It must not be written until the result is deleted."""
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__"):
        array = np.asarray(x, dtype=dtype)
    else:
        array = np.asarray(np.from_dlpack(cast("Any", x)), dtype=dtype)
    chosen = context or default_context()
    return Dense(chosen, Part(chosen, array, copy))


def csr(
    x: Any,
    *,
    context: Context | None = None,
    copy: Copy = "auto",
) -> CSR:
    """A CSR matrix of a SciPy matrix or array in that format, whose arrays are used where they
    are, if memory is shared. It is validated on the device.

    Raises
    ------
    DataError
        An offset or index is wrong; the message has the first.
    """
    if getattr(x, "format", None) != "csr":
        raise TypeError(
            f"expected a SciPy matrix in CSR format, found {type(x).__name__}"
            + (f" in the format {x.format}; use its tocsr()" if hasattr(x, "format") else "")
        )
    chosen = context or default_context()
    parts = [Part(chosen, array, copy) for array in (x.indptr, x.indices, x.data)]
    made = CSR(chosen, (int(x.shape[0]), int(x.shape[1])), *parts)
    made._core.validate(chosen._core)
    return made


def _operand(a: CSR | CSC, other: Dense | npt.ArrayLike) -> Dense:
    if isinstance(other, Dense):
        return other
    return dense(other, dtype=a.dtype, context=a.context)
