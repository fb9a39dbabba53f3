"""Methods of CSR matrices beside products and sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy.typing as npt

from sparcl import _enums, _indexing, _make, _reduce, ops
from sparcl._parts import SORTED, UNIQUE, as_dtype

if TYPE_CHECKING:
    import scipy.sparse

    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse


class CSRMethods(_reduce.Reductions):
    """Methods of CSR matrices: a part of the class CSR."""

    _core: Any

    @property
    def _self(self) -> CSR:
        return cast("CSR", self)

    # --- element by element

    def __neg__(self) -> CSR:
        return ops.csr_unary(self._self, "negative")

    def __abs__(self) -> CSR:
        return ops.csr_unary(self._distinct(), "abs")

    def astype(self, dtype: npt.DTypeLike) -> CSR:
        """The values converted to a type, with the same arrays of indices."""
        return _make.with_values(self._self, self._self.values.astype(as_dtype(dtype)))

    def softmax(self) -> CSR:
        """The softmax of the stored entries of each row; those of one column are added before."""
        return ops.csr_softmax(self._distinct())

    # --- structure

    def __getitem__(self, key: Any) -> CSR:
        return _indexing.csr_item(self._self, key)

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
        return self._self if self.has_canonical_format else self.sum_duplicates()

    def _distinct(self) -> CSR:
        """This matrix where no entry is known to stand twice, else a copy."""
        return self._self if self._core.flags & UNIQUE else self.sum_duplicates()

    def sort_indices(self) -> CSR:
        """The entries of each row in the order of their columns; duplicates stay."""
        return ops.csr_sort_indices(self._self).result

    def sum_duplicates(self) -> CSR:
        """Sorted rows, in which entries of one column are added."""
        return ops.csr_sum_duplicates(self._self).result

    def eliminate_zeros(self) -> CSR:
        """Without the entries that are 0."""
        return ops.csr_eliminate_zeros(self._self).result

    def prune(self, threshold: float) -> CSR:
        """Without the entries whose absolute value is at most a threshold."""
        return ops.csr_prune(self._self, threshold).result

    def tril(self, k: int = 0) -> CSR:
        """The entries on and below a diagonal."""
        return ops.csr_triangle(self._self, "lower", k).result

    def triu(self, k: int = 0) -> CSR:
        """The entries on and above a diagonal."""
        return ops.csr_triangle(self._self, "upper", k).result

    def transpose(self) -> CSR:
        """The transpose in CSR format, with sorted rows; ``T`` moves nothing."""
        return ops.csr_transpose(self._self).result

    def reshape(self, rows: int, columns: int) -> CSR:
        """Another shape of the same number of elements, in row-major order."""
        return ops.csr_reshape(self._self, (rows, columns)).result

    # --- reductions

    def _reduced(self, kind: _enums.Reduction, axis: int | None) -> Dense:
        a = self._self if kind in {"sum", "mean"} else self._distinct()
        return ops.csr_reduce(a, kind, axis).result

    # --- formats

    def csr(self) -> CSR:
        """This matrix."""
        return self._self

    def csc(self) -> CSC:
        """The same matrix in CSC format."""
        return ops.csr_to_csc(self._self)

    def coo(self) -> COO:
        """The same matrix in COO format."""
        return ops.csr_to_coo(self._self)

    def bsr(self, block: tuple[int, int]) -> BSR:
        """The blocks that have entries, in BSR format."""
        return ops.csr_to_bsr(self._self, block)

    def rows(self) -> RowSparse:
        """The rows that have entries."""
        return ops.csr_to_rows(self._self)

    def dense(self) -> Dense:
        """All elements."""
        return ops.csr_to_dense(self._self)

    def scipy(self) -> scipy.sparse.csr_array:
        """The matrix in SciPy, with the arrays of the device where it shares memory."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        return scipy.sparse.csr_array(self._self._arrays(), shape=self._self.shape)
