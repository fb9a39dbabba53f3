"""Data sets: a sparse matrix in host memory, with a label and a weight for each row."""

from __future__ import annotations

import os
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

import numpy as np
import numpy.typing as npt

from sparcl import (
    _core,
    _csv_file,
    _file_arguments,
    _labels,
    _numbers,
    _pairs,
)
from sparcl._parts import itype_code

if TYPE_CHECKING:
    import scipy.sparse

    from sparcl._model import Model

_BASES = {"auto": 0, 0: 1, 1: 2}
_HEADINGS = {None: 0, True: 1, False: 2}


class Data(_pairs.Named):
    """A data set in host memory, as :func:`data` and :func:`read_data` make it.

    >>> import numpy, sparcl
    >>> d = sparcl.data(numpy.eye(3), [0, 1, 1])
    >>> d.shape, d.labels.tolist(), d.scipy().nnz
    ((3, 3), [0.0, 1.0, 1.0], 3)
    """

    def __init__(self, core: Any, names: list[str] | None = None) -> None:
        if not isinstance(core, _core.Data):
            raise TypeError(
                f"expected what sparcl.data and sparcl.read_data make, found {type(core).__name__}"
            )
        self._core: _core.Data = core
        self._names = names  # of labels that were words, beside those that the core knows
        self._other_names: list[str] = []  # of labels that a training did not have

    @property
    def info(self) -> dict[str, Any]:
        """Format, rows, columns, entries, what was repaired, and a fingerprint."""
        return self._core.info

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        info = self._core.info
        return info["rows"], info["columns"]

    @property
    def nnz(self) -> int:
        """Stored entries."""
        return int(self._core.info["entries"])

    @property
    def labels(self) -> npt.NDArray[np.float64] | None:
        """The label of each row, without a copy; None: there are none. Those that are words are
        their numbers: ``label_names[int(labels[i])]``."""
        return cast("npt.NDArray[np.float64] | None", self._core.labels)

    @property
    def label_names(self) -> list[str] | None:
        """The words that labels are, by their numbers; None: labels are numbers."""
        return _labels.decoded(self._core.label_names) or self._names

    @property
    def notes(self) -> list[str]:
        """What was guessed of the columns of a CSV file that may be wrong, as :func:`read_data`
        logs it: numbers with units, values that are none, words that all differ."""
        return _csv_file.notes(self._core)

    @property
    def row_tags(self) -> list[str] | None:
        """The tag of each row, after ``read_data(row_tag=)``; None: they were not kept."""
        return _labels.decoded(self._core.row_tags)

    @property
    def weights(self) -> npt.NDArray[np.float32] | None:
        """The weight of each row, without a copy; None: all are 1."""
        return cast("npt.NDArray[np.float32] | None", self._core.weights)

    @property
    def feature_ids(self) -> npt.NDArray[np.int64] | None:
        """The id of each column, ascending, after ``compact_ids``; None: columns are no ids."""
        return cast("npt.NDArray[np.int64] | None", self._core.feature_ids)

    @property
    def node_ids(self) -> npt.NDArray[np.int64] | None:
        """The ids of the nodes of edges after ``compact_ids``, ascending; None: there are none."""
        return self._known(2)

    def _known(self, kind: int) -> npt.NDArray[np.int64] | None:
        return cast("npt.NDArray[np.int64] | None", self._core.known_ids[kind])

    def pairs(self) -> Data:
        """What users have, [users, items], of ratings, whatever their values: the data of a model
        that ranks items. Users and items are numbered in the order of :attr:`user_ids` and
        :attr:`item_ids`, or of :attr:`user_names` and :attr:`item_names` where they are words.

        >>> import os, tempfile, sparcl
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "films.csv")
        >>> with open(path, "w") as file: _ = file.write("ann,Alien,5\\nbob,Alien,3\\nann,Up,4\\n")
        >>> pairs = sparcl.read_data(path, format="ratings").pairs()
        >>> pairs.shape, pairs.user_names.tolist(), pairs.item_names.tolist()
        ((2, 2), ['ann', 'bob'], ['Alien', 'Up'])
        """
        return Data(self._core.pairs())

    def scipy(self) -> scipy.sparse.csr_array:
        """The matrix in SciPy, with the arrays of the data set, which must not be written."""
        import scipy.sparse  # noqa: PLC0415 (an optional package)

        core = self._core
        if core.values is None:
            raise ValueError("expected data in memory, found a stream; read it without stream")
        arrays: Any = (core.values, core.indices, core.offsets)
        return scipy.sparse.csr_array(arrays, shape=self.shape)

    def split(self, fraction: float, *, seed: int = 0) -> tuple[Data, Data]:
        """The rest, and a part of the rows (0 to 1) that the seed draws, as ``--hold-out``."""
        rest, held = self._core.split(fraction, seed)
        return Data(rest, self._names), Data(held, self._names)

    def _with_numbers(self, numbers: _labels.Numbers | None, what: str) -> Data:
        """The same rows, where words that are labels have the numbers that a model gave them.
        Files without names for labels, as ``sparcl convert`` writes, have these numbers."""
        names, core = self.label_names, self._core
        is_of_numbers = names is None and self.labels is not None
        if numbers is not None and is_of_numbers and self.info["format"] in {"memory", "csv"}:
            _labels.check_no_numbers(cast("Any", self.labels), numbers, what)
        to = None if names is None else _labels.translation(names, numbers, what)
        if to is None or self.labels is None:
            return self
        if core.values is None:
            raise ValueError(
                f"{what}: words of labels have other numbers in a stream than in the model; read "
                "it with like=model"
            )
        made = _core.Data.create(
            *self.shape,
            itype_code(cast("npt.NDArray[Any]", core.indices).dtype),
            core.offsets,
            core.indices,
            core.values,
            to[self.labels.astype(np.intp)],
            core.weights,
            core.fields,
            core.info["index_base"],
        )
        return Data(made)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the binary form, which :func:`read_data` maps into memory. Labels that are words
        are their numbers in it; how columns were made of those of a table, or of crosses, is not,
        which the logger ``sparcl`` says."""
        self._core.save(os.fspath(path))
        _csv_file.log_lost_columns(os.fspath(path), self._core)

    def __copy__(self) -> Data:
        return Data(self._core, self._names)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "data of sparcl cannot be pickled or copied deeply; read the file again, or save(path) "
            "and read_data(path); pickle data.scipy() and data.labels"
        )

    def __repr__(self) -> str:
        labels = "without labels" if self.labels is None else "with labels"
        return f"<sparcl.Data {self.shape}, {self.nnz} entries, {labels}>"

    def _repr_html_(self) -> str:
        lines = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(str(value))}</td></tr>"
            for key, value in self.info.items()
        )
        return f"<table>{lines}</table>"


def read_data(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 (as the option of the tool)
    labels: str | os.PathLike[str] | None = None,
    weights: str | os.PathLike[str] | None = None,
    columns: int = 0,
    index_base: Literal["auto", 0, 1] = "auto",
    strict: bool = False,
    widen: bool = False,
    multilabel: bool = False,
    scale: float = 0.0,
    hash_bits: int = 0,
    ids: str | os.PathLike[str] | None = None,
    csv_columns: str | os.PathLike[str] | None = None,
    csv_decimal: str | None = None,
    label: str | int | None = None,
    standardize: bool = False,
    tfidf: bool = False,
    cross: Literal["all"] | Iterable[tuple[str, str]] | None = None,
    symmetric: bool = False,
    compact_ids: bool = False,
    spill: str | os.PathLike[str] | None = None,
    stream: bool = False,
    feature_ids: npt.ArrayLike | None = None,
    row_tag: str | int | None = None,
    heading: bool | None = None,
    labelled_only: bool = False,
    like: Model | Data | None = None,
) -> Data:
    """A data set from a file: LIBSVM text, .npz, .npy, Matrix Market, CSV, ...; compressed or not.

    The parameters are the options of ``sparcl train`` of these names; ``sparcl help data`` has the
    formats. 0 and None: found from the file. ``label`` is the column of a CSV file with the label:
    its name, or its number from 1. ``standardize`` is ``--csv-numbers auto``: columns of
    numbers of a table get the mean 0 and the standard deviation 1; ``tfidf`` is ``--csv-text
    tfidf``: its columns of text are weighted by how rare their words are. ``cross`` has pairs of
    columns of a table, or of namespaces of Vowpal Wabbit text, whose products are features, too, as
    ``--cross``; ``"all"`` crosses all.

    ``heading`` says whether the first record of a CSV file has the names of columns; None: it has,
    if its fields are words, or stand above numbers. A file that looks like ratings is CSV where
    ``label``, ``csv_columns`` or ``heading`` is given.

    ``csv_decimal`` is the decimal mark of all columns of numbers, as ``decimal`` of pandas; the
    other one may stand between thousands. None: it is found for each column. What was guessed and
    may be wrong is in :attr:`Data.notes`, and the logger ``sparcl`` has it as warnings:
    ``logging.getLogger("sparcl").setLevel("ERROR")`` keeps it silent.

    ``row_tag`` is the column of a CSV file whose texts are kept as :attr:`Data.row_tags`; of Vowpal
    Wabbit text, any word keeps its tags.

    ``labelled_only`` leaves out rows of text (LIBSVM, libFFM, Vowpal Wabbit, CSV) without a label,
    where others have one, as ``sparcl train`` and ``sparcl eval`` do: ``info["unlabelled_rows"]``
    counts them, and ``info["unlabelled_line"]`` is the line of the first one, 0: there is none.
    Without it such a file is an error, and with ``columns`` or ``like`` it has no labels.

    Indices of LIBSVM, libFFM and indices text, and columns of ``.npz`` and Matrix Market, may be
    ids of up to 63 bits: ``hash_bits`` makes their hashes the columns, ``compact_ids`` numbers
    those that occur.

    ``like`` is a model, or the training data: the file is read with its columns, index base, ids
    of features, users, items or nodes, and description of a table, where nothing else is given.
    ``info["unknown_ids"]`` counts entries, or edges, of other ids, which are left out,
    ``info["unknown_words"]`` users and items that are other words, and ``info["other_columns"]``
    columns of a table that are skipped. With a model that ranks items, or :meth:`Data.pairs`, text
    that may be CSV is read as ratings: ``user,item[,rating[,time]]``.

    Raises
    ------
    FileError, FormatError
        The file cannot be read; its content is wrong, with the place.

    >>> import os, tempfile, sparcl
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "two.svm")
    >>> with open(path, "w") as file: _ = file.write("1 1:0.5\\n-1 3:2\\n")
    >>> sparcl.read_data(path)
    <sparcl.Data (2, 3), 2 entries, with labels>
    >>> with open(path, "w") as file: _ = file.write("1 99999999999999:0.5\\n-1 7:2\\n")
    >>> sparcl.read_data(path, compact_ids=True).feature_ids.tolist()
    [7, 99999999999999]
    >>> sparcl.read_data(path, hash_bits=20).shape
    (2, 1048576)
    """
    beside = {"labels": labels, "weights": weights, "multilabel": multilabel or None}
    _file_arguments.check_labelled_only(labelled_only, beside)
    _csv_file.check_decimal(csv_decimal, like)
    description = known_ids = None
    crosses = _file_arguments.crosses(cross)
    if like is not None:
        if cross is not None:
            raise ValueError(
                "cross: expected none beside like, whose crosses are taken, found some"
            )
        crosses = like._core.crosses
        info, description = like.info, like._core.csv_description
        columns = columns or info["columns"]
        index_base = info["index_base"] if index_base == "auto" else index_base
        hash_bits = hash_bits or info["hash_bits"]
        feature_ids = like.feature_ids if feature_ids is None and ids is None else feature_ids
        known_ids = like._core.known_ids if ids is None else None
    known = None if feature_ids is None else _numbers.integers(feature_ids, np.int64, "feature_ids")
    if known is not None and known.ndim != 1:
        raise ValueError(f"feature_ids: expected a list, found an array of the shape {known.shape}")
    core = _core.Data.read(
        os.fspath(path),
        format,
        _file_arguments.path(labels),
        _file_arguments.path(weights),
        columns,
        _BASES[index_base],
        strict,
        widen,
        multilabel,
        scale,
        hash_bits,
        _file_arguments.path(ids),
        _file_arguments.path(csv_columns),
        csv_decimal,
        _file_arguments.column(label, "label"),
        symmetric,
        compact_ids,
        _file_arguments.path(spill),
        stream,
        known,
        known_ids,
        description,
        standardize,
        tfidf,
        _file_arguments.column(row_tag, "row_tag"),
        crosses,
        _HEADINGS[heading],
        labelled_only,
        like is not None and _pairs.are_ranked(like),
    )
    _csv_file.log_notes(os.fspath(path), core, csv_decimal)
    return Data(core)
