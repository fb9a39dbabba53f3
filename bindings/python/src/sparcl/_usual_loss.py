"""The models by their names, and the losses that labels are for."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from sparcl import _core, _numbers, _warnings
from sparcl._data import Data

USUAL_CLASSES, MAX_CLASSES = 3, 1000  # of numbers
MANY_WORDS, MOST_WORDS = 50, 1000
_LOG = logging.getLogger("sparcl")


def models() -> list[dict[str, Any]]:
    """The models that the library has: their names, formulas, sources, settings, what they are
    trained for, and the optimizer and passes (epochs) of steps where none are given.

    >>> import sparcl
    >>> [model["name"] for model in sparcl.models()][:3]
    ['linear', 'fm', 'ffm']
    """
    return _core.model_kinds()


def kind_of(model: str) -> dict[str, Any]:
    """Of another name those of a linear model: the core refuses it."""
    name = model.split(":", 1)[0]
    kinds = {kind["name"]: kind for kind in models()}
    return kinds.get(name, kinds["linear"])


def predicts_labels(model: str) -> bool:
    return bool(kind_of(model)["task"] == "labels")


def usual_loss(data: Data, model: str) -> str:
    fixed = {"reconstruction": "squared", "ranking": "logistic"}
    return fixed.get(kind_of(model)["task"]) or loss_of_labels(data, model)


def loss_of_labels(data: Data, model: str) -> str:
    """Words are classes, also where they are many."""
    labels, names = data.labels, data.label_names
    count = 0 if labels is None else len(np.unique(labels))
    if names is not None and count > 1:
        _check_words(names, count, data.info["rows"])
        return "logistic" if count == 2 else "softmax"
    usual = _core.usual_loss(data._core)
    if names is not None or (usual == "squared" and not _may_be_classes(data, count)):
        return usual
    if usual == "squared":
        _LOG.warning(
            "%d different whole numbers are taken for numbers: squared loss (loss='softmax' takes "
            "them for classes)",
            count,
        )
    if usual != "softmax":
        return usual
    if kind_of(model)["has_one_score"]:
        _LOG.warning(
            "%d different whole numbers are taken for numbers: squared loss, as a model of the "
            "kind %s has one score (linear and mlp take them for classes)",
            *(count, model),
        )
        return "squared"
    if count > USUAL_CLASSES:
        _LOG.warning(
            "%d different whole numbers are taken for classes: softmax loss (loss='squared' or "
            "'poisson' takes them for numbers)",
            count,
        )
    return usual


def _may_be_classes(data: Data, count: int) -> bool:
    labels = data.labels
    if labels is None or data.info["users"] or data.info["format"] == "ratings":
        return False
    return count <= MAX_CLASSES and bool(np.all(labels == np.floor(labels)))


def _check_words(names: list[str], count: int, rows: int) -> None:
    """As ``sparcl train`` does."""
    if count > MOST_WORDS or (count >= MANY_WORDS and 2 * count > rows):
        raise ValueError(
            f"labels: expected numbers, or words of few classes, found {count} different words in "
            f"{rows} rows, such as {names[0]!r}; make numbers of them (pandas.to_numeric; "
            "read_data of a file reads units and decimal commas), or use loss='softmax' to train "
            "these classes"
        )


def check_loss(loss: str, data: Data) -> None:
    names = data.label_names
    if names is not None and loss in {"squared", "poisson"}:
        raise ValueError(
            f"loss: {loss} is for numbers, but labels are words, such as {names[0]!r}; use softmax"
        )
    found = None if data.labels is None or loss != "squared" else _numbers.rounding(data.labels)
    if found is not None:
        _warnings.warn(f"labels: {found}")
