"""Sparse arrays in COO format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import (
    _arithmetic,
    _classes,
    _core,
    _enums,
    _given,
    _host,
    _indexing,
    _make,
    _reduce,
    _tables,
    errors,
    ops,
)
from sparcl._array import Array
from sparcl._context import Context, default_context
from sparcl._overload import overload
from sparcl._parts import Copy, MatrixLike, Part, as_dtype, dtype_code, itype_code

if TYPE_CHECKING:
    import scipy.sparse

    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


@_classes.put
class COO(_reduce.Reductions, Array):
    """A sparse array of 1 to 8 dimensions in COO format on a device.

    >>> import scipy.sparse, sparcl
    >>> a = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0, 4.0], ([1, 0, 1], [0, 1, 0]))))
    >>> a.coalesce().scipy().data.tolist()
    [2.0, 5.0]
    >>> (2 * a + a.T)[:1].dense().numpy().tolist()
    [[0.0, 9.0]]
    """

    def __init__(
        self,
        context: Context,
        shape: tuple[int, ...],
        indices: list[Part],
        values: Part,
        count: Part | None = None,
    ) -> None:
        if not shape:
            raise errors.ShapeError("shape: expected 1 to 8 dimensions, found 0")
        self.context = context
        self._shape = shape
        self._indices, self._values, self._count = indices, values, count
        self._core = self._view(indices, values, count)

    def _view(self, indices: list[Part], values: Part, count: Part | None) -> _core.Coo:
        return _core.Coo(
            self._shape,
            values.shape[0],
            dtype_code(values.dtype),
            itype_code(indices[0].dtype),
            [part.buffer for part in indices],
            values.buffer,
            None if count is None else count.buffer,
        )

    def _settle(self) -> None:
        """Wait for the count of the device, and keep exactly the entries that there are."""
        found = self._count
        if found is None:
            return
        count = int(found.numpy()[0])
        indices = [part.first(self.context, count) for part in self._indices]
        values = self._values.first(self.context, count)
        exact = self._view(indices, values, None)
        exact.trust(self._core)
        self._indices, self._values, self._core = indices, values, exact
        self._count = None  # at last, for other threads

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements in each dimension."""
        return self._shape

    @property
    def _capacity(self) -> int:
        """At least as many as the stored entries; does not wait."""
        return self._values.shape[0]

    @property
    def nnz(self) -> int:
        """Stored entries; waits for the device where an operation decides it."""
        self._settle()
        return self._values.shape[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._values.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of indices and values."""
        self._settle()
        return sum(part.nbytes for part in (*self._indices, self._values))

    @property
    def values(self) -> Dense:
        """The stored values: the same memory."""
        self._settle()
        return _classes.Dense(self.context, self._values)

    def _stored(self) -> tuple[tuple[str, int], ...]:
        return (("nnz", self.nnz),)

    # --- operators

    @overload
    def __matmul__(self, other: CSR | CSC | COO | BSR) -> CSR: ...
    @overload
    def __matmul__(self, other: Dense | RowSparse | npt.ArrayLike) -> Dense: ...
    def __matmul__(self, other: Any) -> Any:
        return _arithmetic.matmul(self, other)

    def __rmatmul__(self, other: npt.ArrayLike) -> Dense:
        return cast("Dense", _arithmetic.matmul(other, self))

    @overload
    def __add__(self, other: COO) -> COO: ...
    @overload
    def __add__(self, other: CSR | CSC) -> CSR: ...
    @overload
    def __add__(self, other: Dense | npt.ArrayLike) -> Dense: ...
    def __add__(self, other: Any) -> Any:
        return _arithmetic.coo_add(self, other, 1.0)

    __radd__ = __add__

    @overload
    def __sub__(self, other: COO) -> COO: ...
    @overload
    def __sub__(self, other: CSR | CSC) -> CSR: ...
    @overload
    def __sub__(self, other: Dense | npt.ArrayLike) -> Dense: ...
    def __sub__(self, other: Any) -> Any:
        return _arithmetic.coo_add(self, other, -1.0)

    def __rsub__(self, other: npt.ArrayLike) -> Any:
        return _arithmetic.coo_add(-self, other, 1.0)

    def __mul__(self, other: Any) -> COO:
        return _arithmetic.coo_multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> COO:
        return _make.coo_with_values(self, ops.binary_scalar(self.values, "divide", float(other)))

    def __neg__(self) -> COO:
        return _make.coo_with_values(self, ops.unary(self.values, "negative"))

    def __abs__(self) -> COO:
        sums = self.canonical()
        return _make.coo_with_values(sums, ops.unary(sums.values, "abs"))

    def __getitem__(self, key: Any) -> COO:
        return _indexing.coo_item(self, key)

    # --- other forms

    @property
    def T(self) -> COO:
        """The array with its dimensions in the reverse order: the same memory."""
        return self.transpose()

    def transpose(self, axes: Sequence[int] | None = None) -> COO:
        """Dimension d of the result is dimension axes[d]: the same memory."""
        order = range(self.ndim - 1, -1, -1) if axes is None else axes
        return ops.coo_permute_view(self, tuple(order))

    def reshape(self, *shape: int) -> COO:
        """Another shape of the same number of elements, in row-major order."""
        return ops.coo_reshape(self, shape)

    def astype(self, dtype: npt.DTypeLike) -> COO:
        """The values converted to a type."""
        return _make.coo_with_values(self, self.values.astype(as_dtype(dtype)))

    def coalesce(self, how: _enums.Duplicates = "sum") -> COO:
        """Sorted, with the entries of one position combined: added in their order, or as said."""
        return ops.coo_coalesce(self, how).result

    def canonical(self) -> COO:
        """This array where it is known to be sorted without duplicates, else the coalesced one."""
        self._settle()
        return self if self._core.flags & 6 == 6 else self.coalesce()

    def _reduced(self, kind: _enums.Reduction, axis: int | None) -> Dense:
        return self.canonical().csr()._reduced(kind, axis)

    @overload
    def sum(self, axis: None = None, **numpy: None) -> float: ...
    @overload
    def sum(self, axis: int | Sequence[int], **numpy: None) -> Dense: ...
    def sum(self, axis: int | Sequence[int] | None = None, **numpy: None) -> Dense | float:
        """The sum of all elements, or over some axes of an array of any rank."""
        _reduce.only_axis("sum", numpy)
        found = ops.coo_reduce(self, "sum", axis)
        return _host.number(found) if axis is None else found

    def csr(self) -> CSR:
        """The same matrix in CSR format; entries of one position stay apart."""
        return ops.coo_to_csr(self)

    def csc(self) -> CSC:
        """The same matrix in CSC format; entries of one position stay apart."""
        return ops.coo_to_csc(self)

    def coo(self) -> COO:
        """This array."""
        return self

    def bsr(self, block: tuple[int, int]) -> BSR:
        """The blocks that have entries, in BSR format."""
        return self.csr().bsr(block)

    def rows(self) -> RowSparse:
        """The rows of a matrix that have entries."""
        return self.csr().rows()

    def dense(self) -> Dense:
        """All elements."""
        return ops.coo_to_dense(self)

    def scipy(self) -> scipy.sparse.coo_array:
        """The array in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        self._settle()
        coordinates = tuple(part.numpy() for part in self._indices)
        arrays = cast("Any", (self._values.numpy(), coordinates))
        return scipy.sparse.coo_array(arrays, shape=self.shape)


def coo(x: MatrixLike, *, context: Context | None = None, copy: Copy = "auto") -> COO:
    """A COO array of a SciPy matrix or array; those of one in that format are used where they
    are, if memory is shared. It is validated on the device. Of a dense array, or a table of
    numbers, the elements that are not 0.

    >>> import numpy, sparcl
    >>> sparcl.coo(numpy.eye(3)).nnz
    3
    """
    if isinstance(x, Array):
        return x if isinstance(x, COO) else _arithmetic.as_coo(x)
    chosen = context or default_context()
    x = x if copy == "never" else _tables.in_format(x, "coo")
    if isinstance(x, (list, tuple, np.ndarray)):
        return _given.dense(x, context=chosen, copy=copy).coo()
    if getattr(x, "format", None) != "coo":
        raise TypeError(
            f"x: expected a SciPy array, with copy='never' in the format coo, or a table of "
            f"numbers, found {type(x).__name__}"
        )
    coordinates = x.coords if hasattr(x, "coords") else (x.row, x.col)
    indices = [Part.of(chosen, array, copy) for array in coordinates]
    shape = tuple(int(size) for size in x.shape)
    made = COO(chosen, shape, indices, Part.of(chosen, x.data, copy))
    made._core.validate(chosen._core)
    return made
