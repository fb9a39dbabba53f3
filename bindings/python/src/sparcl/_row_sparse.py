"""Row-sparse arrays: some rows of a dense array."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _arithmetic, _classes, _core, _enums, _indexing, _list, _make, _reduce, ops
from sparcl._context import Context, default_context
from sparcl._elements import Elements
from sparcl._overload import overload
from sparcl._parts import SORTED, UNIQUE, Copy, Part, as_dtype, dtype_code, itype_code

if TYPE_CHECKING:
    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense


@_classes.put
class RowSparse(_reduce.Reductions, Elements):
    """Some rows of a dense array on a device; all others are zero.

    >>> import numpy, sparcl
    >>> g = sparcl.rows(numpy.array([3, 0, 3]), numpy.ones((3, 2), "float32"), (5, 2))
    >>> g.coalesce().indices.tolist(), g.coalesce().values.tolist()
    ([0, 3], [[1.0, 1.0], [2.0, 2.0]])
    >>> (0.5 * g + g)[3:].dense().numpy().tolist()
    [[3.0, 3.0], [0.0, 0.0]]
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
        self._shape = shape
        self._indices, self._values, self._count = indices, values, count
        self._counted_for: CSR | None = None  # what takes the count when it is known
        if not values.is_deferred:
            self._core = self._view(indices, values, count)

    def _view(self, indices: Part, values: Part, count: Part | None) -> _core.Rows:
        return _core.Rows(
            self._shape,
            indices.shape[0],
            dtype_code(values.dtype),
            itype_code(indices.dtype),
            indices.buffer,
            values.buffer,
            None if count is None else count.buffer,
        )

    @functools.cached_property
    def _core(self) -> _core.Rows:
        """Of sorted rows without duplicates whose arrays were deferred."""
        made = self._view(self._indices, self._values, self._count)
        made.validate(self.context._core, SORTED | UNIQUE)
        return made

    def _settle(self) -> None:
        """Wait for the count of the device, and keep exactly the rows that there are."""
        found = self._count
        if found is None:
            return
        self._keep_first(int(found.numpy()[0]))

    def _keep_first(self, count: int) -> None:
        """Keep that many rows: as many as the device counts."""
        indices = self._indices.first(self.context, count)
        values = self._values.first(self.context, count)
        exact = self._view(indices, values, None)
        exact.trust(self._core)
        self._indices, self._values, self._core = indices, values, exact
        if self._counted_for is not None:
            self._counted_for._column_count, self._counted_for = count, None
        self._count = None  # at last, for other threads

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the dense array."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._values.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of indices and values."""
        self._settle()
        return self._indices.nbytes + self._values.nbytes

    @property
    def _capacity(self) -> int:
        """At least as many as the stored rows; does not wait."""
        return self._indices.shape[0]

    @property
    def nnr(self) -> int:
        """Stored rows; waits for the device where an operation decides it."""
        self._settle()
        return self._indices.shape[0]

    @property
    def nnz(self) -> int:
        """Stored elements, of all rows."""
        self._settle()
        return self._values.size

    @property
    def indices(self) -> npt.NDArray[Any]:
        """The numbers of the stored rows."""
        self._settle()
        return self._indices.numpy()

    @property
    def values(self) -> npt.NDArray[Any]:
        """The stored rows."""
        self._settle()
        return self._values.numpy()

    def _stored_values(self) -> Dense:
        self._settle()
        return _classes.Dense(self.context, self._values)

    def _stored(self) -> tuple[tuple[str, int], ...]:
        return (("rows", self.nnr), ("nnz", self.nnz))

    # --- operators

    def __matmul__(self, other: Dense | npt.ArrayLike) -> RowSparse:
        """The stored rows times a matrix."""
        return _arithmetic.rows_matmul(self, other)

    def __rmatmul__(self, other: npt.ArrayLike) -> Dense:
        return cast("Dense", _arithmetic.matmul(other, self))

    @overload
    def __add__(self, other: RowSparse) -> RowSparse: ...
    @overload
    def __add__(self, other: Dense | npt.ArrayLike) -> Dense: ...
    def __add__(self, other: Any) -> Any:
        return _arithmetic.rows_add(self, other, 1.0)

    __radd__ = __add__

    @overload
    def __sub__(self, other: RowSparse) -> RowSparse: ...
    @overload
    def __sub__(self, other: Dense | npt.ArrayLike) -> Dense: ...
    def __sub__(self, other: Any) -> Any:
        return _arithmetic.rows_add(self, other, -1.0)

    def __rsub__(self, other: npt.ArrayLike) -> Any:
        return _arithmetic.rows_add(-self, other, 1.0)

    def __mul__(self, other: RowSparse | Dense | npt.ArrayLike) -> RowSparse:
        return _arithmetic.rows_multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> RowSparse:
        values = ops.binary_scalar(self._stored_values(), "divide", float(other))
        return _make.rows_with_values(self, values)

    def __neg__(self) -> RowSparse:
        return ops.rows_unary(self, "negative")

    def __abs__(self) -> RowSparse:
        return ops.rows_unary(self.canonical(), "abs")

    def __getitem__(self, key: Any) -> RowSparse | Dense:
        """A slice is row-sparse; the rows of a list are dense."""
        return _indexing.rows_item(self, key)

    # --- other forms

    def coalesce(self, how: _enums.Duplicates = "sum") -> RowSparse:
        """Sorted, with the rows of one number combined: added in their order, or as said."""
        return ops.rows_coalesce(self, how).result

    def canonical(self) -> RowSparse:
        """This array where it is known to be sorted without duplicates, else the coalesced one."""
        return self if self._core.flags & (SORTED | UNIQUE) == SORTED | UNIQUE else self.coalesce()

    def astype(self, dtype: npt.DTypeLike) -> RowSparse:
        """The values converted to a type."""
        return _make.rows_with_values(self, self._stored_values().astype(as_dtype(dtype)))

    def _reduced(self, kind: _enums.Reduction, axis: int | None) -> Dense:
        if kind in {"max", "min"} or (axis is not None and axis % self.ndim):
            return self.dense()._reduced(kind, axis)
        return ops.rows_reduce(self.canonical(), kind, axis)

    def rows(self) -> RowSparse:
        """This array."""
        return self

    def numpy(self) -> npt.NDArray[Any]:
        """All rows as an array of NumPy."""
        return self.toarray()

    def dense(self) -> Dense:
        """All rows."""
        if not self._values.is_deferred:
            return ops.rows_to_dense(self)
        made = np.zeros(self.shape, self.dtype)
        made[self.indices] = self.values
        return _classes.Dense(self.context, Part.deferred(self.context, made))

    def csr(self, threshold: float = 0.0) -> CSR:
        """The elements whose absolute value is above a threshold, in CSR format."""
        return ops.rows_to_csr(self, threshold)

    def csc(self, threshold: float = 0.0) -> CSC:
        """The same in CSC format."""
        return self.csr(threshold).csc()

    def coo(self, threshold: float = 0.0) -> COO:
        """The same in COO format."""
        return self.csr(threshold).coo()

    def bsr(self, block: tuple[int, int]) -> BSR:
        """The blocks that are not all 0, in BSR format."""
        return self.csr().bsr(block)


def rows(
    indices: npt.ArrayLike,
    values: npt.ArrayLike,
    shape: tuple[int, ...],
    *,
    context: Context | None = None,
    copy: Copy = "auto",
) -> RowSparse:
    """The rows of a dense array of this shape that have these numbers: values[k] is the row
    indices[k]. It is validated on the device.

    >>> import sparcl
    >>> sparcl.rows([2], [[1.0, 2.0]], (3, 2)).dense().numpy().tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]]
    """
    chosen = context or default_context()
    numbers, array = _list.integers(indices, "indices"), np.asarray(values)
    shape = tuple(int(size) for size in shape)
    if array.shape != (len(numbers), *shape[1:]):
        raise ValueError(
            f"values: expected the shape {(len(numbers), *shape[1:])}, found {array.shape}"
        )
    parts = [Part.of(chosen, each, copy) for each in (numbers, array)]
    made = RowSparse(chosen, shape, *parts)
    made._core.validate(chosen._core)
    return made
