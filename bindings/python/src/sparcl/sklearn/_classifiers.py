"""What classifiers have: classes, their weights, and probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin  # type: ignore[import-untyped]
from sklearn.utils.multiclass import (  # type: ignore[import-untyped]
    check_classification_targets,
    type_of_target,
)

from sparcl._data import Data
from sparcl._enums import Loss
from sparcl._model import Model
from sparcl._training import ClassWeights
from sparcl.sklearn._base import Array, TrainedEstimator
from sparcl.sklearn._settings import require


def label_numbers(classes: Array) -> npt.NDArray[np.float64]:
    """The labels that the model has: the classes where they are numbers, else 0, 1, ..."""
    if classes.dtype.kind in "biuf":
        numbers = classes.astype(np.float64)
        if len(np.unique(numbers)) == len(classes):
            return numbers
    return np.arange(len(classes), dtype=np.float64)


def sorted_classes(classes: Any) -> Array:
    """The classes that an argument of this name has."""
    try:
        found: Array = np.unique(np.asarray(classes))
    except (TypeError, ValueError) as error:  # lists of different lengths, words and numbers
        raise ValueError(f"classes: expected a list of labels: {error}") from None
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise ValueError(f"classes: expected finite numbers, found {found.tolist()}")
    return found


class Classifier(ClassifierMixin, TrainedEstimator):  # type: ignore[misc]
    """A classifier with logistic loss for two classes, softmax loss for more."""

    classes_: Array
    class_weight: Any
    alpha: float | None

    # ---- classes ---------------------------------------------------------------------------------

    def _loss(self) -> Loss:
        return "logistic" if len(self.classes_) == 2 else "softmax"

    def _set_classes(self, classes: Array) -> None:
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__}: expected rows of at least 2 classes, found 1 class: "
                f"{classes.tolist()[0]!r}"
            )
        self.classes_ = classes

    def _encode(self, y: Array) -> npt.NDArray[np.int64]:
        """The number of the class of each row."""
        at = np.searchsorted(self.classes_, y)
        at = np.minimum(at, len(self.classes_) - 1)
        wrong = np.flatnonzero(self.classes_[at] != y)
        if len(wrong):
            raise ValueError(
                f"y: expected one of the classes {self.classes_.tolist()}, "
                f"found {y[wrong[:1]].tolist()[0]!r} in row {wrong[0]}"
            )
        return at.astype(np.int64)

    def _class_weights(self) -> ClassWeights:
        given = self.class_weight
        if given is None:
            return None
        if isinstance(given, str):
            return "balanced"
        labels = label_numbers(self.classes_)
        keys = self.classes_.tolist()
        unknown = [key for key in given if key not in keys]
        require(not unknown, "class_weight", f"keys of {keys}", unknown)
        return {
            float(label): float(given[key])
            for key, label in zip(keys, labels, strict=True)
            if key in given
        }

    def _l1_share(self) -> float:
        """Of the absolute values in the regularization."""
        return 0.0

    def _penalties(self, at: npt.NDArray[np.int64], weights: Array | None) -> dict[str, float]:
        """The coefficients of the objective, mean loss + l1 |w|_1 + l2/2 |w|^2."""
        del at, weights
        return {"l2": float(self.alpha or 0.0)}

    # ---- training --------------------------------------------------------------------------------

    def _start_of(self, data: Data, loss: Loss) -> Model | None:
        """Where all rows of a class are held out: a model that has the class."""
        labels = label_numbers(self.classes_)
        found = np.isin(labels, data.labels if data.labels is not None else [])
        return None if found.all() else self._initial(labels, loss)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Train with rows [samples, features], dense or sparse, and the class of each."""
        self._check_parameters()
        start = self._start()
        rows, y = self._rows(X, y, reset=start is None)
        check_classification_targets(y)
        self._check_kind(y)
        if start is None:
            self._set_classes(np.unique(y))
        at, weights = self._encode(y), self._weights(rows, sample_weight)
        data = self._data(rows, label_numbers(self.classes_)[at], weights=weights)
        self._fit_model(
            data,
            self._loss(),
            **self._penalties(at, weights),
            class_weights=self._class_weights(),
            start=start,
        )
        return self

    def partial_fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """One pass of steps over some rows; the first call needs all classes. States of the
        optimizer go on from call to call, but are not pickled."""
        self._check_parameters()
        require(not self.early_stopping, "early_stopping", "False with partial_fit", True)
        require(
            not isinstance(self.class_weight, str),
            "class_weight",
            "a dictionary or None with partial_fit, which does not see all rows",
            self.class_weight,
        )
        require(self._l1_share() == 0, "l1_ratio", "0 with partial_fit", self._l1_share())
        start = getattr(self, "model_", None)
        rows, y = self._rows(X, y, reset=start is None)
        check_classification_targets(y)
        if start is None:
            require(classes is not None, "classes", "all classes in the first partial_fit", None)
            self._set_classes(sorted_classes(classes))
            self._check_kind(self.classes_)
            start = self._initial(label_numbers(self.classes_), self._loss())
        elif classes is not None and not np.array_equal(sorted_classes(classes), self.classes_):
            raise ValueError(
                f"classes: expected those of the first call, {self.classes_.tolist()}, "
                f"found {sorted_classes(classes).tolist()}"
            )
        at, weights = self._encode(y), self._weights(rows, sample_weight)
        model = self._run(
            self._data(rows, label_numbers(self.classes_)[at], weights=weights),
            self._loss(),
            epochs=1,
            solver="steps",
            l2=float(self.alpha or 0.0),
            class_weights=self._class_weights(),
            start=start,
            keep_state=True,
        )
        self._keep(model)
        return self

    def _check_kind(self, y: Array) -> None:
        """Refuse a number of classes that the model does not have."""

    # ---- predictions -----------------------------------------------------------------------------

    def decision_function(self, X: Any) -> npt.NDArray[np.float32]:  # noqa: N803
        """Scores: [samples] for two classes, above 0 for the second; else [samples, classes]."""
        scores = self._scores(X)
        if scores.shape[1] == 2:
            return scores[:, 1] - scores[:, 0]
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:  # noqa: N803
        """The class of each row."""
        scores = self.decision_function(X)
        at = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(1)
        found: Array = self.classes_[at]
        return found

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:  # noqa: N803
        """The probability of each class: [samples, classes]."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:  # noqa: N803
        """The logarithm of the probability of each class."""
        scores = self.decision_function(X).astype(np.float64)
        if scores.ndim == 1:
            return -np.logaddexp(0, np.stack([scores, -scores], axis=1))
        scores -= scores.max(axis=1, keepdims=True)
        found: npt.NDArray[np.float64] = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        return found


class TwoClasses(Classifier):
    """A classifier for two classes."""

    def _check_kind(self, y: Array) -> None:
        kind = type_of_target(y, input_name="y")
        if len(np.unique(y)) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
