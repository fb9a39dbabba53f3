"""Data sets of matrices and tables in memory."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sparcl import _core, _labels, _numbers, _table_data, _tables, errors
from sparcl._data import Data
from sparcl._parts import index_dtype, itype_code
from sparcl._tables import Table


class Rows:
    """The rows of a matrix as the arrays of the C library: sorted, without duplicates, float32.
    Arrays that fit are used where they are."""

    def __init__(self, x: Any) -> None:
        if isinstance(getattr(x, "format", None), str):  # of SciPy
            self._of_sparse(x)
        elif _tables.is_table(x):
            self._of_dense(Table.of(x).matrix())
        else:
            self._of_dense(_numbers.plain(x, "x"))
        self._check_finite()

    def _check_finite(self) -> None:
        wrong = np.flatnonzero(~np.isfinite(self.values))
        if len(wrong) == 0 or wrong[0] >= len(self.indices):
            return
        row = int(np.searchsorted(self.offsets, wrong[0], "right")) - 1
        raise errors.FormatError(
            f"x: expected finite numbers, found {self.values[wrong[0]]} at row {row}, column "
            f"{self.indices[wrong[0]]}, and {len(wrong)} in all; fill or remove them, or use a "
            "table (as of pandas), whose missing values are no entries"
        )

    def _of_sparse(self, x: Any) -> None:
        _numbers.check_sparse(x, indices=x.format != "csr")  # the C library checks those of CSR
        csr = x.tocsr()
        if not csr.has_canonical_format:
            csr = csr.copy() if csr is x else csr
            csr.sum_duplicates()
        self.shape = (int(csr.shape[0]), int(csr.shape[1]))
        self.offsets = np.ascontiguousarray(csr.indptr)
        entries = int(csr.indptr[-1])  # SciPy may have room for more
        self.indices = np.ascontiguousarray(csr.indices[:entries])
        self.values = _numbers.real(csr.data[:entries], np.float32, "x: entries")

    def _of_dense(self, x: npt.NDArray[Any]) -> None:
        if x.ndim != 2:
            raise ValueError(f"x: expected a matrix, found an array of the shape {x.shape}")
        rows, columns = np.nonzero(x)
        self.shape = (int(x.shape[0]), int(x.shape[1]))
        counts = np.bincount(rows, minlength=x.shape[0])
        self.offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.indices = columns.astype(index_dtype(x.shape[1]))
        self.values = _numbers.real(x[rows, columns], np.float32, "x: entries")


def data(
    x: Any,
    labels: npt.ArrayLike | None = None,
    *,
    weights: npt.ArrayLike | None = None,
    fields: npt.ArrayLike | None = None,
    index_base: Literal[0, 1] = 0,
    format: Literal["ratings"] | None = None,  # noqa: A002 (as of read_data)
) -> Data:
    """A data set from a matrix: a SciPy matrix or array of any format, what NumPy understands,
    whose zeros are no entries, or a table. It is copied, values as float32.

    Parameters
    ----------
    x
        [rows, columns]. A table is a DataFrame of pandas or polars, a Table of Arrow, or what else
        has ``__arrow_c_stream__``. It is read as a CSV file is: by :func:`read_data`, with
        ``standardize``; a model that is trained with it takes tables with columns of these names,
        in any order. As a matrix, without names, a table of numbers is ``table.to_numpy()``.
    labels, weights
        [rows]: numbers or words, and factors of losses, at least 0. Of a table, labels may be the
        name of a column. Words get numbers in their order, see :attr:`Data.label_names`. None, NaN
        and empty text are refused: no row is left out unsaid.
    fields
        [entries], of a CSR matrix: the field of each entry, for the model ffm.
    index_base
        From what files of such data count columns: 1 where the tool is to apply a model that is
        trained with them to LIBSVM text. The columns of ``x`` count from 0 in any case; those of a
        table have names.
    format
        "ratings": a table whose columns are users, items and, where there are, ratings and times,
        by names such as "userId", "movieId" and "rating", or else in this order, or with the name
        of that of the ratings as ``labels``. Users and items are words, or all are ids: whole
        numbers. :meth:`Data.pairs` is what users have.

    >>> import sparcl
    >>> sparcl.data([[0.0, 2.0], [1.0, 0.0]], [1, 0])
    <sparcl.Data (2, 2), 2 entries, with labels>
    >>> d = sparcl.data([[0.0, 2.0], [1.0, 0.0]], ["spam", "ham"])
    >>> d.labels.tolist(), d.label_names
    ([1.0, 0.0], ['ham', 'spam'])
    """
    labels = _labels.flat(_tables.label_in(x, labels))
    if _tables.is_table(x):
        if fields is not None or index_base != 0:
            what = "index_base: expected 0" if fields is None else "fields: expected None"
            raise TypeError(f"{what} with a table, whose columns have names")
        make = _table_data.of_table if format is None else _table_data.ratings_of
        return make(Table.of(x), labels, weights)
    if format is not None:
        raise TypeError(
            f"format: expected None with a matrix, found {format!r}, which is for tables (pandas, "
            "polars, Arrow) with a row for each rating"
        )
    if isinstance(labels, str | int | np.integer):
        raise TypeError(
            f"labels: expected one for each row, found the name {labels!r}, which is for tables"
        )
    rows, names = Rows(x), None
    words = None if labels is None else _labels.words(labels)
    if words is not None:
        labels, names = _labels.numbered(words)
    core = _core.Data.create(
        rows.shape[0],
        rows.shape[1],
        itype_code(rows.indices.dtype),
        np.ascontiguousarray(rows.offsets, np.int64),
        rows.indices,
        rows.values,
        _numbers.of_rows(_numbers.finite, labels, rows.shape[0], np.float64, "labels"),
        _numbers.of_rows(_numbers.finite, weights, rows.shape[0], np.float32, "weights"),
        _numbers.of_rows(_numbers.integers, fields, len(rows.indices), np.int32, "fields"),
        index_base,
    )
    return Data(core, names)
