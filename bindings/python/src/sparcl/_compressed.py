"""Sparse matrices in CSR and CSC format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import (
    _arithmetic,
    _classes,
    _core,
    _enums,
    _given,
    _host_products,
    _indexing,
    _make,
    _reduce,
    _tables,
    ops,
)
from sparcl._array import Array
from sparcl._context import Context, default_context
from sparcl._overload import overload
from sparcl._parts import SORTED, UNIQUE, Copy, MatrixLike, Part, as_dtype, dtype_code, itype_code

if TYPE_CHECKING:
    import scipy.sparse

    from sparcl._bsr import BSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


class Compressed(Array):
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
        self._shape = shape
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
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._shape

    @property
    def nnz(self) -> int:
        """Stored entries."""
        return self._indices.shape[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._values.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of offsets, indices and values."""
        return sum(part.nbytes for part in (self._offsets, self._indices, self._values))

    @property
    def values(self) -> Dense:
        """The stored values: the same memory."""
        return _classes.Dense(self.context, self._values)

    def _stored(self) -> tuple[tuple[str, int], ...]:
        return (("nnz", self.nnz),)

    def _arrays(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """In the order of SciPy's constructors."""
        return self._values.numpy(), self._indices.numpy(), self._offsets.numpy()


@_classes.put
class CSR(_reduce.Reductions, Compressed):
    """A sparse matrix in CSR format on a device.

    Operators are those of SciPy's sparse arrays: ``@``, ``+``, ``-``, ``*`` and ``/`` element by
    element, slices and lists of rows and columns. Indices of results are sorted where it matters.

    >>> import scipy.sparse, sparcl
    >>> a = sparcl.csr(scipy.sparse.eye(3, dtype="float32", format="csr"))
    >>> (a @ [[1.0], [2.0], [3.0]]).numpy().ravel().tolist()
    [1.0, 2.0, 3.0]
    >>> (2 * a + a @ a)[1:, [2, 1]].dense().numpy().tolist()
    [[0.0, 3.0], [3.0, 0.0]]
    """

    _type = _core.Csr
    _pattern: _core.Pattern | None = None
    _host_transpose: _host_products.Transpose | None = None
    _column_count: int | None = None  # columns with entries, once a product has counted them

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
        made._core.trust(self._core)
        made._transposed = self
        return made

    @overload
    def __matmul__(self, other: CSR | CSC | COO | BSR) -> CSR: ...
    @overload
    def __matmul__(self, other: Dense | RowSparse | npt.ArrayLike) -> Dense: ...
    def __matmul__(self, other: Any) -> Any:
        return _arithmetic.matmul(self, other)

    def __rmatmul__(self, other: npt.ArrayLike) -> Dense:
        return cast("Dense", _arithmetic.matmul(other, self))

    @overload
    def __add__(self, other: CSR | CSC | COO | float) -> CSR: ...
    @overload
    def __add__(self, other: Dense | npt.ArrayLike) -> Dense: ...
    def __add__(self, other: Any) -> Any:
        return _arithmetic.csr_add(self, other, 1.0)

    __radd__ = __add__

    @overload
    def __sub__(self, other: CSR | CSC | COO | float) -> CSR: ...
    @overload
    def __sub__(self, other: Dense | npt.ArrayLike) -> Dense: ...
    def __sub__(self, other: Any) -> Any:
        return _arithmetic.csr_add(self, other, -1.0)

    def __rsub__(self, other: npt.ArrayLike) -> Any:
        return _arithmetic.csr_add(-self, other, 1.0)

    def __mul__(self, other: CSR | CSC | COO | Dense | npt.ArrayLike) -> CSR:
        return _arithmetic.csr_multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Dense | npt.ArrayLike) -> CSR:
        return _arithmetic.csr_scale(self, other, "divide")

    # --- element by element

    def __neg__(self) -> CSR:
        return ops.csr_unary(self, "negative")

    def __abs__(self) -> CSR:
        return ops.csr_unary(self._distinct(), "abs")

    def astype(self, dtype: npt.DTypeLike) -> CSR:
        """The values converted to a type, with the same arrays of indices."""
        return _make.with_values(self, self.values.astype(as_dtype(dtype)))

    def softmax(self) -> CSR:
        """The softmax of the stored entries of each row; those of one column are added before."""
        return ops.csr_softmax(self._distinct())

    # --- structure

    def __getitem__(self, key: Any) -> CSR:
        return _indexing.csr_item(self, key)

    @property
    def has_sorted_indices(self) -> bool:
        """The columns of each row are known to ascend."""
        return bool(self._core.flags & SORTED)

    @property
    def has_canonical_format(self) -> bool:
        """The columns of each row are known to ascend, each one once."""
        return self.has_sorted_indices and bool(self._core.flags & UNIQUE)

    def canonical(self) -> CSR:
        """This matrix where its format is canonical, else a copy with sorted rows whose entries of
        one column are added."""
        return self if self.has_canonical_format else self.sum_duplicates()

    def _distinct(self) -> CSR:
        """This matrix where no entry is known to stand twice, else a copy."""
        return self if self._core.flags & UNIQUE else self.sum_duplicates()

    def sort_indices(self) -> CSR:
        """The entries of each row in the order of their columns; duplicates stay."""
        return ops.csr_sort_indices(self).result

    def sum_duplicates(self) -> CSR:
        """Sorted rows, in which entries of one column are added."""
        return ops.csr_sum_duplicates(self).result

    def eliminate_zeros(self) -> CSR:
        """Without the entries that are 0."""
        return ops.csr_prune(self).result

    def prune(self, threshold: float) -> CSR:
        """Without the entries whose absolute value is at most a threshold."""
        return ops.csr_prune(self, threshold).result

    def tril(self, k: int = 0) -> CSR:
        """The entries on and below a diagonal."""
        return ops.csr_triangle(self, "lower", k).result

    def triu(self, k: int = 0) -> CSR:
        """The entries on and above a diagonal."""
        return ops.csr_triangle(self, "upper", k).result

    def transpose(self) -> CSR:
        """The transpose in CSR format, with sorted rows; ``T`` moves nothing."""
        return ops.csr_transpose(self).result

    def reshape(self, rows: int, columns: int) -> CSR:
        """Another shape of the same number of elements, in row-major order."""
        return ops.csr_reshape(self, (rows, columns)).result

    # --- reductions

    def _reduced(self, kind: _enums.Reduction, axis: int | None) -> Dense:
        a = self if kind in {"sum", "mean"} else self._distinct()
        return ops.csr_reduce(a, kind, axis).result

    # --- formats

    def csr(self) -> CSR:
        """This matrix."""
        return self

    def csc(self) -> CSC:
        """The same matrix in CSC format."""
        return ops.csr_to_csc(self)

    def coo(self) -> COO:
        """The same matrix in COO format."""
        return ops.csr_to_coo(self)

    def bsr(self, block: tuple[int, int]) -> BSR:
        """The blocks that have entries, in BSR format."""
        return ops.csr_to_bsr(self, block)

    def rows(self) -> RowSparse:
        """The rows that have entries."""
        return ops.csr_to_rows(self)

    def dense(self) -> Dense:
        """All elements."""
        return ops.csr_to_dense(self)

    def scipy(self) -> scipy.sparse.csr_array:
        """The matrix in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        return scipy.sparse.csr_array(self._arrays(), shape=self.shape)


@_classes.put
class CSC(_reduce.Reductions, Compressed):
    """A sparse matrix in CSC format on a device: the arrays of the CSR format of its transpose.

    >>> import scipy.sparse, sparcl
    >>> a = sparcl.csc(scipy.sparse.eye(3, dtype="float32", format="csc"))
    >>> a.csr().shape, type(a @ [[1.0], [2.0], [3.0]]).__name__
    ((3, 3), 'RowSparse')
    """

    _type = _core.Csc
    _transposed: CSR | None = None

    @property
    def T(self) -> CSR:
        """The transpose, with the same arrays."""
        if self._transposed is None:
            shape = (self.shape[1], self.shape[0])
            made = CSR(self.context, shape, self._offsets, self._indices, self._values)
            made._core.trust(self._core)
            self._transposed = made
        return self._transposed

    def transpose(self) -> CSR:
        """The transpose, with the same arrays."""
        return self.T

    @overload
    def __matmul__(self, other: CSR | CSC | COO | BSR) -> CSR: ...
    @overload
    def __matmul__(self, other: Dense | RowSparse | npt.ArrayLike) -> RowSparse: ...
    def __matmul__(self, other: Any) -> Any:
        return _arithmetic.matmul(self, other)

    def __rmatmul__(self, other: npt.ArrayLike) -> Dense:
        return cast("Dense", _arithmetic.matmul(other, self))

    def __add__(self, other: CSC) -> CSC:
        return (self.T + other.T).T

    def __sub__(self, other: CSC) -> CSC:
        return (self.T - other.T).T

    def __mul__(self, other: CSC | float) -> CSC:
        return (self.T * (other.T if isinstance(other, CSC) else other)).T

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> CSC:
        return (self.T / other).T

    def __neg__(self) -> CSC:
        return (-self.T).T

    def __abs__(self) -> CSC:
        return abs(self.T).T

    def __getitem__(self, key: Any) -> CSC:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        return self.T[columns, rows].T

    def _reduced(self, kind: _enums.Reduction, axis: int | None) -> Dense:
        return self.T._reduced(kind, axis if axis is None else 1 - axis % 2)

    def canonical(self) -> CSC:
        """This matrix where it is known to have sorted columns without duplicates, else one."""
        return self.T.canonical().T

    def sort_indices(self) -> CSC:
        """The entries of each column in the order of their rows; duplicates stay."""
        return self.T.sort_indices().T

    def sum_duplicates(self) -> CSC:
        """Sorted columns, in which entries of one row are added."""
        return self.T.sum_duplicates().T

    def eliminate_zeros(self) -> CSC:
        """Without the entries that are 0."""
        return self.T.eliminate_zeros().T

    def prune(self, threshold: float) -> CSC:
        """Without the entries whose absolute value is at most a threshold."""
        return self.T.prune(threshold).T

    def tril(self, k: int = 0) -> CSC:
        """The entries on and below a diagonal."""
        return self.T.triu(-k).T

    def triu(self, k: int = 0) -> CSC:
        """The entries on and above a diagonal."""
        return self.T.tril(-k).T

    def astype(self, dtype: npt.DTypeLike) -> CSC:
        """The values converted to a type."""
        return self.T.astype(as_dtype(dtype)).T

    def csr(self) -> CSR:
        """The same matrix in CSR format."""
        return ops.csc_to_csr(self)

    def csc(self) -> CSC:
        """This matrix."""
        return self

    def coo(self) -> COO:
        """The same matrix in COO format, in the order of columns."""
        return ops.csc_to_coo(self)

    def bsr(self, block: tuple[int, int]) -> BSR:
        """The blocks that have entries, in BSR format."""
        return self.csr().bsr(block)

    def rows(self) -> RowSparse:
        """The rows that have entries."""
        return self.csr().rows()

    def dense(self) -> Dense:
        """All elements."""
        return ops.csc_to_dense(self)

    def scipy(self) -> scipy.sparse.csc_array:
        """The matrix in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        return scipy.sparse.csc_array(self._arrays(), shape=self.shape)


def _in_format(x: Any, kind: str, copy: Copy) -> Any:
    """A table as an array, and a SciPy matrix of another format in this one."""
    return x if copy == "never" else _tables.in_format(x, kind)


def _parts_of(x: Any, kind: str, context: Context, copy: Copy) -> list[Part]:
    found = getattr(x, "format", None)
    if found != kind:
        why = "" if not isinstance(found, str) else f" in the format {found}; use its to{kind}()"
        raise TypeError(
            f"x: expected a SciPy matrix in the format {kind}, found {type(x).__name__}{why}"
        )
    nnz = int(x.indptr[-1]) if len(x.indptr) else 0  # SciPy may have room for more
    indices, values = (a[:nnz] if 0 <= nnz < len(a) else a for a in (x.indices, x.data))
    return [Part.of(context, array, copy) for array in (x.indptr, indices, values)]


def csr(x: MatrixLike, *, context: Context | None = None, copy: Copy = "auto") -> CSR:
    """A CSR matrix of a SciPy matrix or array, whose arrays are used where they are, if memory is
    shared and it is in that format; others are converted, but with ``copy="never"``. It is
    validated on the device. Of a dense array, or a table of numbers (pandas, polars, Arrow), the
    elements that are not 0; of an array of another format here, the same matrix.

    Arrays that are used where they are must not change as long as the matrix lives: it keeps what
    it has found of indices and offsets, and products with ``a.T`` a copy of the values, so that
    later results would be of neither. Make the matrix anew after a change. ``context=c`` chooses
    a context: inside of ``with sparcl.Context() as c:`` the default one is used without it.

    Raises
    ------
    DataError
        An offset or index is wrong; the message has the first.

    >>> import sparcl
    >>> sparcl.csr([[0.0, 2.0], [0.0, 0.0]]).nnz
    1
    """
    if isinstance(x, Array):
        return _arithmetic.as_csr(x)
    chosen, x = context or default_context(), _in_format(x, "csr", copy)
    if isinstance(x, (list, tuple, np.ndarray)):
        return _given.dense(x, context=chosen, copy=copy).csr()
    parts = _parts_of(x, "csr", chosen, copy)
    made = CSR(chosen, (int(x.shape[0]), int(x.shape[1])), *parts)
    made._core.validate(chosen._core)
    return made


def csc(x: MatrixLike, *, context: Context | None = None, copy: Copy = "auto") -> CSC:
    """A CSC matrix of a SciPy matrix or array, as :func:`csr`."""
    chosen, x = context or default_context(), _in_format(x, "csc", copy)
    if isinstance(x, (Array, list, tuple, np.ndarray)):
        return csr(x, context=chosen, copy=copy).csc()
    parts = _parts_of(x, "csc", chosen, copy)
    made = CSC(chosen, (int(x.shape[0]), int(x.shape[1])), *parts)
    made._core.validate(chosen._core)
    return made
