"""What models take: matrices, tables and data sets, alone or with labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sparcl import _labels, _make_data, _pairs, _table_data, _tables, errors
from sparcl._data import Data
from sparcl._tables import Table

if TYPE_CHECKING:
    from sparcl._model import Model


def _check_matrix(x: Any, like: Model | Data) -> None:
    if like._core.csv_description is not None:
        raise TypeError(
            f"x: expected a table with the columns of the training, found {type(x).__name__}; "
            "sparcl.data(x) takes a matrix whose numbers are scaled, and texts hashed, as there"
        )
    shape: tuple[int, ...] = getattr(x, "shape", ())
    columns = like.info["columns"]
    if len(shape) == 2 and shape[1] != columns:
        raise errors.ShapeError(
            f"x: expected {columns} columns, those of the training, found {shape[1]}; where others "
            "have no entries, sparcl.data(x) may have less"
        )


def rows_of(x: Any, model: Model) -> Any:
    """A table as the data of a model that was trained with one, or as a matrix; others as they
    are."""
    if isinstance(x, Data):
        return x
    if not _tables.is_table(x):
        _check_matrix(x, model)
        return x
    if getattr(x, "shape", (None,))[0] == 0:
        return np.empty((0, model.info["columns"]), np.float32)
    description = model._core.csv_description
    if description is not None:
        return _table_data.table_like(Table.of(x, _tables.described_names(description)), model)
    if model.user_ids is not None:
        return _table_data.ratings_like(x, None, model, are_rated=False)
    matrix = Table.of(x).matrix()
    _check_matrix(matrix, model)
    return matrix


def pairs_of(x: Any, model: Model) -> Data:
    """What users have: data, or a table of ratings."""
    if isinstance(x, Data):
        _pairs.check_same(x, model, "known")
        return x
    if _tables.is_table(x) and _pairs.are_ranked(model):
        return _table_data.pairs_like(x, None, model)
    raise TypeError(
        f"known: expected data of sparcl, [users, items], or a table of ratings, found "
        f"{type(x).__name__}"
    )


def _other_words(labels: npt.NDArray[Any], names: list[str] | None) -> list[str]:
    """Those that a training did not have, where it had words, too, or neither had."""
    are_words = labels.dtype.kind == "U"
    if names is not None and not are_words:
        _labels.check_no_numbers(labels, names, "data")
    if names is None and are_words and labels.size:
        raise _labels.not_numbers(str(labels[0]), "data")
    return [] if names is None else [x for x in np.unique(labels).tolist() if x not in names]


def _labelled_table(x: Any, labels: Any, like: Model | Data, description: bytes) -> Data:
    name, used = _tables.described_label(description), _tables.described_names(description)
    named = {str(name), labels if isinstance(labels, str) else str(name)}
    table = Table.of(x, None if used is None else used | named)
    if labels is None and name in table.names:
        labels = name
    if isinstance(labels, str):
        table, labels = table.without(labels)
    elif name in table.names:
        table, _ = table.without(str(name))
    if labels is not None and name is None:
        raise TypeError("labels: expected none, as in the training, found some")
    more = {} if labels is None else {str(name): _table_data.column_of(labels, table.rows)}
    others = [x for column in more.values() for x in _other_words(column, like.label_names)]
    found = _table_data.table_like(table, like, more)
    found._other_names = others
    return found


def _labelled_matrix(x: Any, labels: Any, like: Model | Data) -> Data:
    if _tables.is_table(x):
        table = Table.of(x)
        if isinstance(labels, str):
            table, labels = table.without(labels)
        x = table.matrix()
    _check_matrix(x, like)
    return _make_data.data(x, labels, index_base=like.info["index_base"])


def _has_labels(like: Model | Data) -> bool:
    if isinstance(like, Data):
        return like.labels is not None
    return like.info["kind"] not in _labels.UNLABELLED


def with_labels(x: Any, labels: Any, like: Model | Data) -> Data:
    """Rows with labels, or a pair of them, as data with the columns of a training."""
    if isinstance(x, tuple) and len(x) == 2 and labels is None:
        x, labels = x
    labels = _labels.flat(_tables.label_in(x, labels))
    if isinstance(x, Data):
        if labels is not None:
            raise TypeError(
                f"labels: expected none beside data of sparcl, which have theirs, found "
                f"{type(labels).__name__}"
            )
        if _pairs.are_ranked(like):
            _pairs.check_same(x, like, "data")
        return x
    if _tables.is_table(x) and _pairs.are_ranked(like):
        return _table_data.pairs_like(x, labels, like)
    if _tables.is_table(x) and like.user_ids is not None:
        return _table_data.ratings_like(x, labels, like, are_rated=_has_labels(like))
    description = like._core.csv_description
    if description is not None and _tables.is_table(x):
        found = _labelled_table(x, labels, like, description)
    else:
        found = _labelled_matrix(x, labels, like)
    if found.labels is None and _has_labels(like):
        raise TypeError(
            "labels: expected one for each row, found none; give them after the rows, or the name "
            "of the column of a table that has them"
        )
    return found
