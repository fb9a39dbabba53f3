"""Dense arrays."""

from __future__ import annotations

import functools
import html
import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import (
    _arithmetic,
    _classes,
    _core,
    _enums,
    _host,
    _indexing,
    _reduce,
    errors,
    ops,
)
from sparcl._array import Array
from sparcl._context import Context
from sparcl._elements import Elements
from sparcl._overload import overload
from sparcl._parts import Part, as_dtype, bfloat16, dtype_code

if TYPE_CHECKING:
    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._row_sparse import RowSparse


_SHOWN_SIZE, _SHOWN_ROWS = 1000, 3


@_classes.put
class Dense(_reduce.Reductions, Elements):
    """A dense array of 1 to 8 dimensions on a device.

    Operators work as in NumPy where the C library has the operation: ``+ - * /`` with numbers and
    with arrays that are broadcast along rows or columns, ``@``, slices and lists of rows. Slices
    are views of the same memory. PyTorch and others read it by ``__dlpack__``.

    >>> import numpy, sparcl
    >>> x = sparcl.dense(numpy.eye(3, dtype="float32"))
    >>> x.shape, x.csr().nnz, (2 * x + 1)[1:].numpy().tolist()
    ((3, 3), 3, [[1.0, 3.0, 1.0], [1.0, 1.0, 3.0]])
    """

    def __init__(
        self,
        context: Context,
        part: Part,
        shape: tuple[int, ...] | None = None,
        ld: int = 0,
        column_major: bool = False,
    ) -> None:
        self.context = context
        self._part = part
        self._shape = part.shape if shape is None else shape
        self._ld, self._column_major = ld, column_major
        if not part.is_deferred:
            self._core = self._view()

    def _view(self) -> _core.Dense:
        part, order = self._part, int(self._column_major)
        code = dtype_code(part.dtype)
        return _core.Dense(self._shape, code, part.buffer, part.at, self._ld, order)

    @functools.cached_property
    def _core(self) -> _core.Dense:
        return self._view()

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements in each dimension."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._part.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.size * self.dtype.itemsize

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self._shape)

    def __len__(self) -> int:
        return self._shape[0]

    @property
    def _packed(self) -> bool:
        return not self._ld and not self._column_major

    def _whole(self) -> Part:
        """The elements from the beginning of a buffer on: this memory, or a copy."""
        return self._part if self._packed and not self._part.at else ops.copy(self)._part

    # --- the elements on the host

    def _first(self) -> str:
        """The elements as NumPy shows them, of a large array those of the first rows."""
        is_small = self.size <= _SHOWN_SIZE
        try:
            rows = self if is_small or not self._shape else self[:_SHOWN_ROWS]
            values = rows.numpy()
        except errors.SparclError:  # what cannot be read any more still has a name
            return ""
        if self.dtype == bfloat16:
            values = (values.astype(np.uint32) << 16).view(np.float32)
        text = np.array2string(values, threshold=_SHOWN_SIZE, edgeitems=3)
        return text if is_small else f"{text[:-1].rstrip()}\n ...]"

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self._first()}".rstrip()

    def _repr_html_(self) -> str:
        return f"{super()._repr_html_()}<pre>{html.escape(self._first())}</pre>"

    def numpy(self) -> npt.NDArray[Any]:
        """The elements; the array of the device itself where it shares memory. Those of bfloat16
        are uint16, the upper 16 bits of a float32."""
        if self._packed:
            return self._part.numpy()
        if not self._part.buffer.uses_host:
            return self.contiguous().numpy()
        flat = self._part.numpy()
        step = flat.itemsize
        strides = [step] * len(self._shape)
        for d in range(len(self._shape) - 2, -1, -1):
            strides[d] = strides[d + 1] * self._shape[d + 1]
        if self._column_major:
            strides = [step, (self._ld or self._shape[0]) * step]
        elif self._ld:
            strides[0] = self._ld * step
        return np.lib.stride_tricks.as_strided(flat, self._shape, strides)

    def item(self) -> float:
        """The number of an array that has one; waits for the device."""
        return _host.number(self)

    def __dlpack__(self, **options: Any) -> Any:
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # memory of the host

    # --- other forms of the same elements

    @property
    def T(self) -> Dense:
        """The transpose of a matrix: a view of the same memory."""
        return _indexing.transposed(self)

    def transpose(self) -> Dense:
        """The transpose of a matrix: a view of the same memory."""
        return _indexing.transposed(self)

    def contiguous(self) -> Dense:
        """The same elements row by row without gaps: this array, or a copy."""
        return self if self._packed else ops.copy(self)

    def copy(self) -> Dense:
        """The same elements in memory of their own."""
        return ops.copy(self)

    def astype(self, dtype: npt.DTypeLike) -> Dense:
        """The elements converted to a type, which may be "bfloat16"."""
        return ops.copy(self, as_dtype(dtype))

    def reshape(self, *shape: int | tuple[int, ...]) -> Dense:
        """Another shape; -1 for what follows from the others. A view, unless there are gaps."""
        return _indexing.reshaped(self, shape)

    def __getitem__(self, key: Any) -> Dense:
        return _indexing.dense_item(self, key)

    def csr(self, threshold: float = 0.0) -> CSR:
        """The elements whose absolute value is above a threshold, as a matrix in CSR format."""
        return ops.dense_to_csr(self.contiguous(), threshold)

    def csc(self, threshold: float = 0.0) -> CSC:
        """The same in CSC format."""
        return self.csr(threshold).csc()

    def coo(self, threshold: float = 0.0) -> COO:
        """The same in COO format."""
        return ops.dense_to_coo(self.contiguous(), threshold)

    def bsr(self, block: tuple[int, int]) -> BSR:
        """The blocks that are not all 0, in BSR format."""
        return self.csr().bsr(block)

    def rows(self, threshold: float = 0.0) -> RowSparse:
        """The rows that have an element whose absolute value is above a threshold."""
        return ops.dense_to_rows(self.contiguous(), threshold)

    def dense(self) -> Dense:
        """This array."""
        return self

    # --- operators

    def __matmul__(self, other: Array | npt.ArrayLike) -> Dense:
        return _arithmetic.dense_matmul(self, other)

    def __rmatmul__(self, other: npt.ArrayLike) -> Dense:
        return cast("Dense", _arithmetic.matmul(other, self))

    def __add__(self, other: Any) -> Dense:
        return _arithmetic.dense_add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dense:
        return _arithmetic.dense_subtract(self, other)

    def __rsub__(self, other: Any) -> Dense:
        return _arithmetic.dense_binary("subtract", other, self)

    @overload
    def __mul__(self, other: CSR) -> CSR: ...
    @overload
    def __mul__(self, other: RowSparse) -> RowSparse: ...
    @overload
    def __mul__(self, other: Dense | npt.ArrayLike) -> Dense: ...
    def __mul__(self, other: Any) -> Any:
        return _arithmetic.dense_multiply(self, other)

    def __rmul__(self, other: npt.ArrayLike) -> Dense:
        return _arithmetic.dense_binary("multiply", self, other)

    def __truediv__(self, other: Dense | npt.ArrayLike) -> Dense:
        return _arithmetic.dense_binary("divide", self, other)

    def __rtruediv__(self, other: npt.ArrayLike) -> Dense:
        return _arithmetic.dense_binary("divide", other, self)

    def __neg__(self) -> Dense:
        return self._unary("negative")

    def __abs__(self) -> Dense:
        return self._unary("abs")

    def _unary(self, op: _enums.Unary) -> Dense:
        return ops.unary(self.contiguous(), op)

    # --- reductions

    def _reduced(self, kind: _enums.Reduction, axis: int | None) -> Dense:
        if kind in {"max", "min"}:
            return _arithmetic.dense_extreme(self, kind, axis)
        return ops.dense_reduce(self.contiguous(), kind, axis)
