"""Trained models."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _core, _labels, _make_data, _pairs, _rows, _warnings, errors
from sparcl._class_report import ClassReport
from sparcl._context import Context, default_context
from sparcl._data import Data
from sparcl._nodes import Nodes
from sparcl._parts import itype_code

if TYPE_CHECKING:
    import scipy.sparse


class Tensors(Mapping[str, npt.NDArray[np.float32]]):
    """The parameters of a model by name: its own memory, which cannot be written."""

    def __init__(self, core: _core.Model) -> None:
        self._core = core

    def __getitem__(self, name: str) -> npt.NDArray[np.float32]:
        if name not in self._core.tensor_names:
            raise KeyError(name)
        return self._core.tensor(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.tensor_names)

    def __len__(self) -> int:
        return len(self._core.tensor_names)

    def __repr__(self) -> str:
        return f"<sparcl tensors {', '.join(f'{k} {v.shape}' for k, v in self.items())}>"


def _count(x: Any) -> int:
    """The rows of a matrix or data set."""
    if not isinstance(x, Data) and len(getattr(x, "shape", ())) != 2:
        raise TypeError(
            f"x: expected a matrix, or data of sparcl.data, found {type(x).__name__} "
            f"{getattr(x, 'shape', '')}".rstrip()
        )
    return int(x.shape[0])


class Model(_pairs.Named):
    """A trained model in host memory, as :func:`sparcl.train` and :meth:`load` make it.

    >>> import numpy, sparcl
    >>> x, y = numpy.array([[1.0, 0.0], [0.0, 1.0]] * 20), [0, 1] * 20
    >>> model = sparcl.train(sparcl.data(x, y), solver="lbfgs", l2=0.01)
    >>> model.predict(x)[:2].tolist(), model.tensors["weight"].shape
    ([0.0, 1.0], (2, 1))
    """

    def __init__(self, core: Any, result: dict[str, Any] | None = None) -> None:
        if not isinstance(core, _core.Model):
            raise TypeError(
                "expected what sparcl.train makes; for a model file use "
                f"sparcl.Model.load({core!r})"
            )
        self._core: _core.Model = core
        self.result = result  # of the training: loss, epochs, ...; None: loaded
        self._predictor: tuple[Context, int, _core.Predictor] | None = None

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model:
        """Read a model file (safetensors) of this package or of ``sparcl train``."""
        return Model(_core.Model.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file: equal models are equal bytes. An error leaves the old file."""
        self._core.save(os.fspath(path))

    @property
    def info(self) -> dict[str, Any]:
        """Kind, loss, columns, labels, and the settings of the training."""
        return self._core.info

    @property
    def feature_ids(self) -> npt.NDArray[np.int64] | None:
        """The id of each column, for ``read_data(feature_ids=)``; None: columns are no ids."""
        return cast("npt.NDArray[np.int64] | None", self._core.feature_ids)

    @property
    def node_ids(self) -> npt.NDArray[np.int64] | None:
        """The ids of the nodes of a model of edges with ``compact_ids``; None: it is none."""
        return cast("npt.NDArray[np.int64] | None", self._core.known_ids[2])

    @property
    def label_names(self) -> list[str] | None:
        """The word of each of ``info["labels"]``; None: labels are numbers."""
        return _labels.decoded(self._core.label_names)

    @property
    def _label_numbers(self) -> _labels.Numbers | None:
        """The number of each of :attr:`label_names`."""
        names = self.label_names
        return None if names is None else dict(zip(names, self.info["labels"], strict=True))

    @property
    def classes(self) -> npt.NDArray[Any]:
        """What :meth:`predict` chooses from, in the order of the columns of :meth:`predict_proba`,
        as ``classes_`` of scikit-learn: words or numbers; empty: it predicts numbers."""
        names = self.label_names
        return np.array(self.info["labels"] if names is None else names)

    @property
    def notes(self) -> dict[str, str]:
        """Texts that the model file keeps, such as what ``sparcl train`` noted of the training:
        data, options, metrics. :meth:`set_note` changes them."""
        return self._core.notes

    def set_note(self, key: str, text: str | None) -> None:
        """Keep a text by a key, at most 63 bytes; None removes it. No prediction depends on it."""
        self._core.set_note(key, text)

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics in :attr:`notes`, of rows that it was not trained on: ``valid_loss``, ...,
        and ``held_out_loss``, ..., of a search for settings."""
        prefixes = ("valid_", "test_", "held_out_")
        return {key: float(text) for key, text in self.notes.items() if key.startswith(prefixes)}

    @property
    def tensors(self) -> Tensors:
        """The parameters by name, float32, without copies."""
        return Tensors(self._core)

    def predictor(self, context: Context | None = None) -> _core.Predictor:
        """The model on a device; that of the last context is kept."""
        chosen = context or default_context()
        kept = self._predictor
        if kept is None or kept[0] is not chosen or kept[1] != os.getpid():
            kept = (chosen, os.getpid(), _core.Predictor(chosen._core, self._core))
            self._predictor = kept
        return kept[2]

    def _check(self, what: str, found: npt.NDArray[Any]) -> None:
        if found.size:
            finite = np.isfinite(found).reshape(len(found), -1).all(1)
            self._warn(what, len(found) - int(finite.sum()), len(found))

    def _unknown(self, data: Data) -> str:
        """Labels that the model does not know."""
        labels, names = data.labels, data.label_names
        found = np.unique([] if labels is None else labels)
        if names is None:
            others = [f"{x:g}" for x in found if x not in self.info["labels"]]
        else:
            given = [names[int(i)] for i in found if i < len(names)]
            others = [repr(x) for x in [*given, *data._other_names] if x not in self.classes]
        return f" ({', '.join(others[:20])})" if others else ""

    def _evaluated(self, found: dict[str, float], data: Data) -> dict[str, float]:
        self._warn("scores", int(found["not_finite"]), int(found["rows"]))
        if found["unknown_labels"]:
            _warnings.warn(
                f"{found['unknown_labels']:.0f} of {found['rows']:.0f} rows have a label that the "
                f"model does not know{self._unknown(data)}: they are wrong in the accuracy, and "
                "left out of the loss and all else; train with such rows"
            )
        return found

    def _warn(self, what: str, count: int, rows: int) -> None:
        """Sums of finite weights may be outside of float32."""
        if count == 0:
            return
        sizes = {
            name: float(np.abs(values).max(initial=0)) for name, values in self.tensors.items()
        }
        name = max(sizes, key=lambda key: sizes[key])
        _warnings.warn(
            f"{count} of {rows} rows have {what} that are not finite: sums are outside of "
            f"float32; the largest parameter of the model is {sizes[name]:.3g}, in {name}; scale "
            "the data, or train with a larger l2"
        )

    def _apply(self, x: Any, context: Context | None, *results: npt.NDArray[Any] | None) -> None:
        predictor = self.predictor(context)
        if isinstance(x, Data):
            predictor.predict_data(x._core, *results)
            return
        rows = _make_data.Rows(x)
        predictor.predict(
            rows.shape[0],
            itype_code(rows.offsets.dtype),
            rows.offsets,
            itype_code(rows.indices.dtype),
            rows.indices,
            rows.values,
            *results,
        )

    def _named(self, labels: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        """Words in place of their numbers."""
        if self._core.label_names is None:
            return labels
        return self.classes[np.searchsorted(self.info["labels"], labels)]

    def _known(self, data: Data) -> _core.Data:
        """With the labels of the model."""
        return data._with_numbers(self._label_numbers, "data")._core

    def predict(self, x: Any, *, context: Context | None = None) -> npt.NDArray[Any]:
        """The label, a word where labels are words, or the number, of each row of a matrix, data
        set, or table with the columns of the training: [rows]."""
        x = _rows.rows_of(x, self)
        labels, found = np.empty(_count(x), np.float64), np.empty(_count(x), np.float32)
        self._apply(x, context, labels, found, None)
        self._check("predictions", found)
        return self._named(labels)

    def probability(self, x: Any, *, context: Context | None = None) -> npt.NDArray[np.float32]:
        """The probability of the label that :meth:`predict` gives, in float32: [rows];
        :meth:`predict_proba` computes it with more digits."""
        x = _rows.rows_of(x, self)
        found = np.empty(_count(x), np.float32)
        self._apply(x, context, None, found, None)
        self._check("predictions", found)
        return found

    def predict_proba(self, x: Any, *, context: Context | None = None) -> npt.NDArray[np.float64]:
        """The probability of each of :attr:`classes`: [rows, classes]; of models with logistic or
        softmax loss."""
        info = self.info
        has_some = info["calibration"] or info["loss"] in {"logistic", "softmax"}
        if not has_some or not info["labels"]:
            raise ValueError(
                f"predict_proba: expected a model of classes, found one with {info['loss']} loss, "
                "which has none; use predict"
            )
        scores = self.scores(x, context=context)
        found = np.empty((len(scores), len(info["labels"])))
        self._core.probabilities(scores, found)
        return found

    def scores(self, x: Any, *, context: Context | None = None) -> npt.NDArray[np.float32]:
        """What the model computes before the loss: [rows, outputs]."""
        x = _rows.rows_of(x, self)
        found = np.empty((_count(x), self.info["outputs"]), np.float32)
        self._apply(x, context, None, None, found)
        self._check("scores", found)
        return found

    def calibrate(
        self, data: Data | Any, method: str = "platt", *, context: Context | None = None
    ) -> None:
        """Find the probability of a class for a score, from rows that were not trained on: data, a
        pair ``(x, labels)``, or a table with the column of the labels; by
        ``method``: ``"platt"`` (a sigmoid) or ``"isotonic"``; of more than two classes, of each one
        against the others, divided by their sum; or ``"temperature"``: one factor of all scores,
        with which labels stay, usually the best for many classes. The model keeps it:
        :meth:`predict`, :meth:`predict_proba` and :meth:`evaluate` use it, and files have it."""
        core = (context or default_context())._core
        known = self._known(_rows.with_labels(data, None, self))
        _core.calibrate(core, self._core, known, method)
        self._predictor = None

    def evaluate(
        self,
        data: Data | Any,
        labels: Any = None,
        *,
        known: Data | Any = None,
        k: int = 10,
        context: Context | None = None,
    ) -> dict[str, float]:
        """The metrics on a data set, or on a matrix or table with ``labels`` as
        :func:`sparcl.train` takes them, NaN where one is not defined: loss, accuracy, auc, rmse,
        ...; of a model that ranks items, those of the first ``k`` without the items of ``known``:
        both are :meth:`Data.pairs`, or tables of ratings. A table may have the column of the labels
        of the training."""
        core = (context or default_context())._core
        data = _rows.with_labels(data, labels, self)
        if known is None:
            found = _core.evaluate(core, self._core, self._known(data))
            return self._evaluated(found, data)
        known = _rows.pairs_of(known, self)
        found = _core.evaluate_ranking(core, self._core, known._core, data._core, k)
        _pairs.warn_of_known(found)
        return found

    def class_report(
        self,
        data: Data | Any,
        labels: Any = None,
        *,
        threshold: float | None = None,
        context: Context | None = None,
    ) -> ClassReport:
        """Precision, recall and F1 of each class on what :meth:`evaluate` takes, and which are
        confused. ``threshold``, of a model of two classes: the last of :attr:`classes` is predicted
        where its probability is at least this, from 0 to 1, as ``sparcl eval --threshold`` does;
        accuracy and F1 of the ``metrics`` are of these predictions, too. None: the more probable
        one.

        >>> import numpy, sparcl
        >>> x, y = numpy.array([[1.0, 0.0], [0.0, 1.0]] * 20), ["no", "yes"] * 20
        >>> model = sparcl.train(x, y)
        >>> report = model.class_report(x, y)
        >>> report.classes.tolist(), report.recall.tolist(), report.confusion.tolist()
        (['no', 'yes'], [1.0, 1.0], [[20.0, 0.0], [0.0, 20.0]])
        """
        core = (context or default_context())._core
        if threshold is not None and not 0 <= threshold <= 1:
            raise errors.ArgumentError(f"threshold: expected 0 to 1, found {threshold}")
        data = _rows.with_labels(data, labels, self)
        least = math.nan if threshold is None else float(threshold)
        found = _core.class_report(core, self._core, self._known(data), least)
        self._evaluated(found["metrics"], data)
        if "rows" not in found:
            raise ValueError(
                f"class_report: expected a model of classes, found one with {self.info['loss']} "
                "loss; use evaluate"
            )
        return ClassReport.of(self.classes, found)

    def predict_nodes(
        self, data: Data, nodes: Nodes, *, context: Context | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32]]:
        """The label of each of ``nodes.rows``, and its probability: of a model that reads a graph
        between the rows of the data set."""
        count = len(nodes.rows)
        labels, found = np.empty(count, np.float64), np.empty(count, np.float32)
        core = (context or default_context())._core
        _core.predict_nodes(core, self._core, data._core, nodes._core, labels, found)
        self._check("predictions", found)
        return self._named(labels), found

    def evaluate_nodes(
        self, data: Data, nodes: Nodes, *, context: Context | None = None
    ) -> dict[str, float]:
        """The metrics of :meth:`evaluate` on ``nodes.rows``."""
        core = (context or default_context())._core
        data = _rows.with_labels(data, None, self)
        found = _core.evaluate_nodes(core, self._core, self._known(data), nodes._core)
        return self._evaluated(found, data)

    def encode(self, x: Any, *, context: Context | None = None) -> scipy.sparse.csr_array:
        """The codes of an autoencoder: [rows, units], with k entries in a row."""
        x = _rows.rows_of(x, self)
        rows = x if isinstance(x, Data) else _make_data.data(x, index_base=self.info["index_base"])
        core = (context or default_context())._core
        return Data(_core.encode(core, self._core, rows._core)).scipy()

    def recommend(
        self,
        known: Data | Any,
        k: int = 10,
        *,
        users: npt.ArrayLike | None = None,
        context: Context | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """The best ``k`` items for each user that are not in ``known``, and their scores: both
        [users, k]; -1 where a user has fewer. ``known`` is :meth:`Data.pairs`, or a table of
        ratings as in the training: of words, with columns of these names. Users and items are
        numbers; :attr:`user_names` and :attr:`item_names`, or :attr:`user_ids` and
        :attr:`item_ids`, are what they are called. Rows are all users of the model, in their order,
        also of a table with few of them; or ``users``, what they are called, in this order."""
        if not _pairs.are_ranked(self):
            raise errors.ArgumentError(
                f"recommend: a model of the kind {self.info['kind']} does not rank items; use "
                "predict, or train bpr or lightgcn"
            )
        is_table, known = not isinstance(known, Data), _rows.pairs_of(known, self)
        rows = None if users is None else _pairs.numbers_of(users, known, self)
        if is_table and rows is None:
            _pairs.log_without_items(known)
        if k < 1:
            raise ValueError(f"k: expected a number of items from 1, found {k}")
        shape = (known.shape[0], int(k))
        items, scores = np.empty(shape, np.int64), np.empty(shape, np.float32)
        core = (context or default_context())._core
        _core.recommend(core, self._core, known._core, k, items, scores)
        return (items, scores) if rows is None else (items[rows], scores[rows])

    def __getstate__(self) -> dict[str, Any]:
        """The bytes of the model file."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            self.save(path)
            with open(path, "rb") as file:
                return {"file": file.read(), "result": self.result}

    def __setstate__(self, state: dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            with open(path, "wb") as file:
                file.write(state["file"])
            self.__init__(_core.Model.load(path), state["result"])  # type: ignore[misc]

    def __repr__(self) -> str:
        info = self.info
        kind = ":".join(part for part in (info["kind"], info["architecture"]) if part)
        return f"<sparcl.Model {kind}, {info['loss']} loss, {info['columns']} columns>"

    def _repr_html_(self) -> str:
        shown = {key: value for key, value in self.info.items() if value is not None}
        shown |= {f"tensor {name}": value.shape for name, value in self.tensors.items()}
        shown |= {f"result {key}": value for key, value in (self.result or {}).items()}
        lines = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(str(value)[:80])}</td></tr>"
            for key, value in shown.items()
        )
        return f"<table>{lines}</table>"
