"""Tables with named columns (pandas, polars, Arrow), which are read as in CSV."""

from __future__ import annotations

import csv
import io
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sparcl import _arrow, _core, _messages, _numbers, errors

Array = npt.NDArray[Any]
TEXT_WORDS = 4  # on average, in a column that is text
PART_CELLS = 1 << 18  # written at a time


def is_table(x: Any) -> bool:
    """Whether something has columns with names.

    Raises
    ------
    TypeError
        It is a table that has yet to be computed.
    """
    if type(x).__name__ == "LazyFrame":
        raise TypeError("x: expected a table, found a LazyFrame; use its collect() first")
    return _is_pandas(x) or hasattr(x, "__arrow_c_stream__")


def _is_pandas(x: Any) -> bool:
    return hasattr(x, "iloc") and hasattr(x, "columns") and hasattr(x, "dtypes")


def label_in(x: Any, labels: Any) -> Any:
    """The name, as a text, of a column of pandas whose name is a number or a tuple; others as they
    are."""
    if not _is_pandas(x) or not isinstance(labels, int | np.integer | tuple):
        return labels
    names = x.columns.tolist()
    if labels in names:
        return str(labels)
    if isinstance(labels, tuple):
        return labels
    shown = ", ".join(map(repr, names[:20]))
    raise errors.ArgumentError(
        f"labels: expected one for each row, or a column of the table, {shown}, found {labels}"
    )


def _pandas_column(name: str, x: Any) -> Array:
    kind = getattr(x.dtype, "kind", "O")
    if kind in "mM":
        part = f"x[{name!r}].dt." + ("hour" if kind == "M" else "total_seconds()")
        raise TypeError(
            f"x: the column {name!r} has {x.dtype}, expected numbers or text; make numbers of it, "
            f"such as {part}, or leave it out: x.drop(columns=[{name!r}])"
        )
    if kind in "biuf":
        if x.hasnans:
            return np.asarray(x.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(x.to_numpy(dtype=getattr(x.dtype, "numpy_dtype", None)))
    found = np.asarray(x.to_numpy(dtype=object, na_value=None), object)
    for each in found:
        if each is not None and not isinstance(each, (str, bool, int, float, np.number)):
            raise TypeError(
                f"x: the column {name!r} has {type(each).__name__}, expected numbers or text; "
                f"convert it, or leave it out: x.drop(columns=[{name!r}])"
            )
    return found


def _named(x: Any, is_used: Callable[[str], bool]) -> list[tuple[str, Array]]:
    if hasattr(x, "to_frame") and not hasattr(x, "columns"):
        raise TypeError(f"x: expected a table, found a {type(x).__name__}; use its to_frame()")
    if not _is_pandas(x):
        return _arrow.columns(x, is_used)
    names = [(i, str(name)) for i, name in enumerate(x.columns)]
    return [(name, _pandas_column(name, x.iloc[:, i])) for i, name in names if is_used(name)]


class Table(NamedTuple):
    """The columns of a table: numbers, or objects that are text, or None where one is missing."""

    names: list[str]
    columns: list[Array]
    rows: int

    @staticmethod
    def of(x: Any, used: set[str] | None = None) -> Table:
        """The columns of what :func:`is_table` takes; of these names, or all."""
        named = _named(x, lambda name: used is None or name.strip() in used)
        if used and not named:
            known = ", ".join(sorted(used)[:20])
            raise errors.FormatError(f"x: expected the columns {known}, found none of them")
        names = [name.strip() for name, _ in named]  # as the tool reads a heading
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise errors.ArgumentError(f"x: several columns have the name {twice[0]!r}; rename one")
        wrong = [name for name in names if name in {"", "*"}]
        if wrong:
            raise errors.ArgumentError(f"x: expected names of columns, found {wrong[0]!r}; rename")
        return Table(
            names, [values for _, values in named], len(x) if not named else len(named[0][1])
        )

    def without(self, label: str) -> tuple[Table, Array]:
        """The other columns, and the one of a label."""
        label = label.strip()
        if label not in self.names:
            raise errors.ArgumentError(
                f"labels: expected a column of the table, {', '.join(self.names[:20])}, found "
                f"{label!r}"
            )
        at = self.names.index(label)
        names, columns = self.names.copy(), self.columns.copy()
        del names[at]
        return Table(names, columns[:at] + columns[at + 1 :], self.rows), self.columns[at]

    def matrix(self) -> Array:
        """[rows, columns], where all are numbers, and none is missing."""
        wrong = [
            name
            for name, x in zip(self.names, self.columns, strict=True)
            if x.dtype == object or not np.isfinite(x).all()
        ]
        if wrong:
            raise TypeError(
                f"x: expected columns of numbers, found text or missing values in {wrong[0]!r}; "
                "sparcl.data(table, labels) and sparcl.train(table, labels) read such tables"
            )
        kinds = [x.dtype for x in self.columns]
        found = np.empty((self.rows, len(kinds)), np.result_type(*kinds) if kinds else np.float32)
        for i, x in enumerate(self.columns):
            found[:, i] = x
        return found

    def check_rows(self) -> None:
        """Refuse infinite numbers, and a table without rows."""
        if not self.rows:
            raise errors.FormatError("the table: expected rows, found none")
        for name, x in zip(self.names, self.columns, strict=True):
            wrong = np.flatnonzero(np.isinf(x) if x.dtype.kind == "f" else [])
            if wrong.size:
                raise errors.FormatError(
                    f"the table, row {wrong[0]}: expected a finite number in the column {name!r}, "
                    f"found {x[wrong[0]]}; correct it, or leave it empty: of pandas, "
                    "x.replace([np.inf, -np.inf], np.nan)"
                )

    def described(self, labels: dict[str, Array], kind: str | None = None) -> str:
        """What each column is, by its values or of one kind, and labels after them, as a file for
        ``csv_columns`` has it."""
        to = io.StringIO()
        lines: list[list[str]] = [
            [name, kind or _kind(x)] for name, x in zip(self.names, self.columns, strict=True)
        ]
        for name, x in labels.items():
            lines.append([name, "label", *(np.unique(x).tolist() if x.dtype.kind == "U" else [])])
        csv.writer(to, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(lines)
        return to.getvalue()

    def _place(self, found: re.Match[str]) -> str:
        """Where a file has something wrong, in words: the first line has the names."""
        line = int((found[1] or ":1:1").split(":")[1])
        lines = np.ones(self.rows, np.intp)
        for x in self.columns:
            if x.dtype == object:
                lines += np.array([str(each).count("\n") for each in x], np.intp)
        first = 2 + sum(name.count("\n") for name in self.names)
        row = int(np.searchsorted(np.cumsum(lines), line - first, "right"))
        return f"the table, row {row}" if line >= first else "the table"

    @contextmanager
    def csv(self, more: dict[str, Array]) -> Iterator[str]:
        """A file with these columns, and more of them."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, _messages.TABLE)
            try:
                _write(path, [*self.names, *more], [*self.columns, *more.values()], self.rows)
            except UnicodeEncodeError as error:
                raise errors.ArgumentError(
                    f"x: expected text that UTF-8 has, found {error.object[:40]!r}"
                ) from None
            try:
                yield path
            except errors.SparclError as error:
                text = re.sub(r"the table(:1:1|:\d+:\d+)?", self._place, str(error))
                raise type(error)(text.replace(folder + os.sep, "")) from None


_WIDE = {kind: np.dtype(to) for kind, to in {"f": "f8", "i": "i8", "b": "i8", "u": "u8"}.items()}


def _write(path: str, names: list[str], columns: list[Array], rows: int) -> None:
    """A CSV file, in parts, so that an interrupt is heard."""
    kinds = [_WIDE.get(x.dtype.kind) for x in columns]
    cells: list[Any] = [
        x.tolist() if kind is None else np.ascontiguousarray(x, kind)
        for kind, x in zip(kinds, columns, strict=True)
    ]
    letters = "".join("O" if kind is None else kind.kind for kind in kinds)
    part = 1 + PART_CELLS // max(1, len(columns))
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(names)
    with open(path, "ab") as file:
        for begin in range(0, rows, part):
            file.write(_core.csv_rows(letters, cells, begin, min(rows, begin + part)))


def _kind(x: Array) -> str:
    """As the tool finds it from a file, but that types are known: numbers are no ids of rows."""
    words = [each.split() for each in x if isinstance(each, str)] if x.dtype == object else []
    if not words:
        return "numeric"
    return "text" if sum(map(len, words)) >= TEXT_WORDS * len(words) else "hashed"


def described_label(description: bytes) -> str | None:
    """The column of labels in the description that a model keeps."""
    lines = csv.reader(io.StringIO(description.decode(errors="replace"), newline=""))
    return next((line[0] for line in lines if line[1:2] == ["label"]), None)


def described_names(description: bytes, kind: str | None = None) -> set[str] | None:
    """The columns of features, or of a kind, in the description that a model keeps; None: any may
    be."""
    lines = csv.reader(io.StringIO(description.decode(errors="replace"), newline=""))
    kinds = [line[:2] for line in lines if line]
    names = {name for name, x in kinds if (x != "label" if kind is None else x == kind)}
    return None if "*" in names else names


def in_format(x: Any, kind: str) -> Any:
    """A table as an array, and a SciPy matrix of another format in this one."""
    if is_table(x):
        return Table.of(x).matrix()
    if isinstance(getattr(x, "format", None), str) and x.format != kind:
        _numbers.check_sparse(x)
        return x.asformat(kind)
    return x


def label_name(names: list[str]) -> str:
    """One that no other column has."""
    name = "label"
    while name in names:
        name += "_"
    return name
