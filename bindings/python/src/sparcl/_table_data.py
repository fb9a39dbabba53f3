"""Data sets of tables with named columns, which are read as CSV files are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _data, _labels, _numbers, _tables
from sparcl._tables import Table

if TYPE_CHECKING:
    from sparcl._data import Data
    from sparcl._model import Model


def column_of(labels: npt.ArrayLike, rows: int) -> npt.NDArray[Any]:
    """Labels as a column of a table: words or numbers."""
    words = _labels.words(labels)
    if words is None:
        return cast(
            "npt.NDArray[Any]",
            _numbers.of_rows(_numbers.finite, labels, rows, np.float64, "labels"),
        )
    if words.shape != (rows,):
        raise ValueError(f"labels: expected one for each of {rows} rows, found {words.shape}")
    return words


def of_table(
    table: Table,
    labels: npt.ArrayLike | None,
    weights: npt.ArrayLike | None,
    name: str | None,
) -> Data:
    """As :func:`read_data` reads these columns in a CSV file, and labels of this name."""
    if labels is not None and name is None:
        name = _tables.label_name(table.names)
    more = {} if name is None else {name: column_of(cast("Any", labels), table.rows)}
    given = _numbers.of_rows(_numbers.finite, weights, table.rows, np.float32, "weights")
    with table.csv(more) as path:
        folder = os.path.dirname(path)
        file = None if given is None else os.path.join(folder, "weights.npy")
        if file is not None and given is not None:
            np.save(file, given)
        columns = os.path.join(folder, "columns.csv")
        with open(columns, "w", encoding="utf-8", newline="") as to:
            to.write(table.described(more))
        return _data.read_data(
            path,
            format="csv",
            label=name,
            weights=file,
            csv_columns=columns,
            standardize=True,
            heading=True,
        )


def table_like(
    table: Table, like: Model | Data, more: dict[str, npt.NDArray[Any]] | None = None
) -> Data:
    """A table, and a column of labels, with the columns of a training."""
    with table.csv(more or {}) as path:
        return _data.read_data(path, format="csv", heading=True, like=like)
