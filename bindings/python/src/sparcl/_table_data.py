"""Data sets of tables with named columns, which are read as CSV files are."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _core, _data, _labels, _numbers, _tables, _warnings, errors
from sparcl._tables import Table

if TYPE_CHECKING:
    from sparcl._data import Data
    from sparcl._model import Model

_LOG = logging.getLogger("sparcl")


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


def _warn_of_rounding(table: Table) -> None:
    for name, x in zip(table.names, table.columns, strict=True):
        found = _numbers.rounding(x) if x.dtype.kind in "iuf" else None
        if found is not None:
            _warnings.warn(f"x: the column {name!r}: {found}")


def of_table(table: Table, labels: npt.ArrayLike | None, weights: npt.ArrayLike | None) -> Data:
    """As :func:`read_data` reads these columns, of which one may be named for labels, in a CSV
    file."""
    name = labels if isinstance(labels, str) else None
    if name is not None:
        table, labels = table.without(name)
    elif labels is not None:
        name = _tables.label_name(table.names)
    _warn_of_rounding(table)
    more = {} if name is None else {name: column_of(cast("Any", labels), table.rows)}
    given = _numbers.of_rows(_numbers.finite, weights, table.rows, np.float32, "weights")
    return _read(
        table,
        more,
        given,
        table.described(more),
        format="csv",
        label=name,
        standardize=True,
        heading=True,
    )


def _read(
    table: Table,
    more: dict[str, npt.NDArray[Any]],
    weights: npt.NDArray[Any] | None,
    description: str | None,
    **options: Any,
) -> Data:
    """A file with these columns; its description and weights are files beside it."""
    table.check_rows()
    with table.csv(more) as path:
        folder = os.path.dirname(path)
        if weights is not None:
            options["weights"] = os.path.join(folder, "weights.npy")
            np.save(options["weights"], weights)
        if description is not None:
            options["csv_columns"] = os.path.join(folder, "columns.csv")
            with open(options["csv_columns"], "w", encoding="utf-8", newline="") as to:
                to.write(description)
        return _data.read_data(path, **options)


def table_like(
    table: Table, like: Model | Data, more: dict[str, npt.NDArray[Any]] | None = None
) -> Data:
    """A table, and a column of labels, with the columns of a training."""
    table.check_rows()
    with table.csv(more or {}) as path:
        return _data.read_data(path, format="csv", heading=True, like=like)


# ---- ratings -------------------------------------------------------------------------------------


def _keys(name: str, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Users or items: ids, which are whole numbers, or words."""
    missing = np.array([_labels.is_missing(each) for each in x], np.bool_)
    if missing.any():
        raise errors.ArgumentError(
            f"x: expected a user and an item in each row, found none in {missing.sum()} of "
            f"{len(x)} rows in the column {name!r}, the first is row {missing.argmax()}; leave "
            f"these rows out: of pandas, x.dropna(subset=[{name!r}])"
        )
    if x.dtype.kind != "f":
        return x
    wrong = np.flatnonzero((x != np.floor(x)) | (np.abs(x) > 1 << 53))
    if wrong.size:
        raise TypeError(
            f"x: expected ids, which are whole numbers, or words in the column {name!r}, found "
            f"{x[wrong[0]]} in row {wrong[0]}"
        )
    return x.astype(np.int64)


def _rating(name: str | None, labels: npt.ArrayLike, rows: int) -> npt.NDArray[Any]:
    found = column_of(labels, rows)
    if found.dtype.kind == "U":
        where = "labels" if name is None else f"x: the column {name!r}"
        raise TypeError(
            f"{where}: expected ratings, which are numbers, found {str(found[0])!r}; without "
            "ratings give the columns of users and items alone, as x[[USER, ITEM]]"
        )
    return found


def _chosen(table: Table, which: list[int]) -> Table:
    return Table([table.names[i] for i in which], [table.columns[i] for i in which], table.rows)


def _log_columns(chosen: list[str | None], given: list[str]) -> None:
    """Unless they are the first ones."""
    named = [name for name in chosen if name is not None]
    if named != given[: len(named)]:
        _LOG.warning(
            "sparcl: the table: users are the column %r, items %r, ratings %r, by their names",
            *(*named, None)[:3],
        )


def _divided(
    table: Table, labels: npt.ArrayLike | None
) -> tuple[Table, npt.NDArray[Any] | None, str | None]:
    """The columns of users and items, and ratings with their name."""
    name = labels if isinstance(labels, str) else None
    given = table.names
    if name is not None:
        table, labels = table.without(name)
    found = _core.rating_columns(table.names)
    if found is not None:
        table = _chosen(table, [i for i in found if i >= 0 and (labels is None or i != found[2])])
    if labels is None and len(table.names) > 2:
        name = table.names[2]
        table, labels = table.without(name)
    if found is not None:
        _log_columns([*table.names, name], given)
    if len(table.names) not in {2, 3}:
        raise errors.ArgumentError(
            f"x: expected the columns user, item[, rating[, time]], in this order, found "
            f"{', '.join(given[:20])}; choose them, as x[[USER, ITEM, RATING]]; a "
            "table [users, items] is a matrix: x.to_numpy()"
        )
    pairs = zip(table.names[:2], table.columns[:2], strict=True)
    kept = Table(table.names[:2], [_keys(*each) for each in pairs], table.rows)
    return kept, None if labels is None else _rating(name, labels, table.rows), name


def _are_ids(table: Table) -> bool:
    return all(x.dtype.kind in "iu" for x in table.columns)


def ratings_of(table: Table, labels: npt.ArrayLike | None, weights: npt.ArrayLike | None) -> Data:
    """Ratings of a table: users, items, and ratings, which may be named, or not be there."""
    table, stars, name = _divided(table, labels)
    given = _numbers.of_rows(_numbers.finite, weights, table.rows, np.float32, "weights")
    if _are_ids(table):
        named = Table(["user", "item"], table.columns, table.rows)
        return _read(
            named, {} if stars is None else {"rating": stars}, given, None, format="ratings"
        )
    more = {} if stars is None else {name or _tables.label_name(table.names): stars}
    return _read(
        table,
        more,
        given,
        table.described(more, kind="dictionary"),
        format="ratings",
        heading=True,
    )


def _pairs_by_name(x: Any, like: Model | Data, description: bytes) -> Data:
    table = Table.of(x, _tables.described_names(description, "dictionary"))
    columns = [_keys(*each) for each in zip(table.names, table.columns, strict=True)]
    return table_like(Table(table.names, columns, table.rows), like)


def ratings_like(x: Any, labels: Any, like: Model | Data, *, are_rated: bool) -> Data:
    """Ratings of a table with the ids of a training, by the order of its columns."""
    table, stars, _ = _divided(Table.of(x), labels)
    if not _are_ids(table):
        raise TypeError("x: expected ids of users and items, as in the training, found words")
    if are_rated and stars is None:
        raise TypeError(
            "labels: expected a rating for each row, found none; give them as the third column, or "
            "its name"
        )
    table = Table(["user", "item"], table.columns, table.rows)
    more = {} if stars is None else {"rating": stars}
    return _read(table, more, None, None, format="ratings", like=like)


def pairs_like(x: Any, labels: Any, like: Model | Data) -> Data:
    """What users have, with the numbers of a training, of a table of ratings: columns have the
    names of the training where users and items are words, else their order."""
    description = like._core.csv_description
    if description is not None:
        found = _pairs_by_name(x, like, description)
    elif like.user_ids is not None:
        found = ratings_like(x, labels, like, are_rated=False)
    else:
        raise TypeError(
            "x: expected data of sparcl, [users, items], as in the training, found a table; make "
            "it of a matrix: sparcl.data(matrix)"
        )
    count = found.info["unknown_ids"] + found.info["unknown_words"]
    if count:
        _LOG.warning(
            "sparcl: the table: rows with users or items that the training did not have are left "
            "out, %d such entries",
            count,
        )
    return found.pairs()
