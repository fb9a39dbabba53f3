"""What all estimators have: their parameters, checked, as a training of the library."""

from __future__ import annotations

import numbers
import warnings
from typing import Any, ClassVar, Literal, cast

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]
from sklearn.utils import check_random_state  # type: ignore[import-untyped]
from sklearn.utils.validation import (  # type: ignore[import-untyped]
    check_array,
    check_is_fitted,
    validate_data,
)

from sparcl import _make_data, _numbers, _training
from sparcl._context import Context
from sparcl._data import Data
from sparcl._enums import Loss
from sparcl._model import Model
from sparcl._training import ClassWeights
from sparcl.sklearn import _contexts, _settings
from sparcl.sklearn._settings import require

Array = npt.NDArray[Any]


def check_matrix(x: Any) -> None:
    """Refuse a matrix of SciPy with which functions of SciPy would leave its arrays."""
    if scipy.sparse.issparse(x) and len(cast("Any", x).shape) == 2:
        _numbers.check_sparse(x, "X")


def check_range(x: Any, name: str = "X") -> None:
    """Refuse numbers that float32 does not have."""
    values: Array = cast("Any", x).data if scipy.sparse.issparse(x) else x
    if values.size and max(values.max(), -values.min()) > np.finfo(np.float32).max:
        _numbers.real(values, np.float32, name)


class TrainedEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator whose model is trained by the library."""

    model_: Model
    n_iter_: int
    n_features_in_: int
    max_iter: int
    tol: float = 0.0
    solver: str = "steps"
    optimizer: str
    learning_rate: float | None
    batch_size: int | Literal["full", "auto"]
    fit_intercept: bool = True
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    random_state: Any
    warm_start: bool
    device: str | None
    index_base: Literal[0, 1]
    verbose: int
    _rules: ClassVar[dict[str, _settings.Rule]] = {}  # of parameters whose rule is their own

    # ---- parameters ------------------------------------------------------------------------------

    def _kind(self) -> str:
        """The model and its settings."""
        return "linear"

    def _check_parameters(self) -> None:
        _settings.check(self.get_params(deep=False), self._rules)
        require(
            not (self.early_stopping and self.solver == "lbfgs"),
            "early_stopping",
            'False with solver="lbfgs", which ends by tol; or use solver="steps"',
            True,
        )

    def _seed(self) -> int:
        """An integer is the option --seed of the tool."""
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _context(self) -> Context:
        return _contexts.context_of(self.device)

    def _tolerances(self) -> tuple[float, float]:
        """Where lbfgs ends: ``tolerance`` and ``gradient_tolerance`` of ``sparcl.train``."""
        return float(self.tol), 0.0

    # ---- data ------------------------------------------------------------------------------------

    def _rows(self, x: Any, y: Any = "no_validation", **options: Any) -> Any:
        check_matrix(x)
        found = validate_data(
            self, x, y, accept_sparse="csr", dtype=[np.float64, np.float32], **options
        )
        check_range(found[0] if isinstance(found, tuple) else found)
        return found

    @staticmethod
    def _weights(x: Any, sample_weight: Any) -> Array | None:
        if sample_weight is None:
            return None
        if isinstance(sample_weight, numbers.Real):
            sample_weight = np.full(x.shape[0], sample_weight)
        given = check_array(
            sample_weight, dtype=np.float64, ensure_2d=False, input_name="sample_weight"
        )
        if given.shape != (x.shape[0],):
            raise ValueError(f"sample_weight: expected one for each row, found {given.shape}")
        if given.min() < 0:
            raise ValueError(f"sample_weight: expected weights from 0, found {given.min()}")
        weights = _numbers.real(given, np.float32, "sample_weight")
        if not weights.any():
            raise ValueError(
                "sample_weight: expected a weight above 0 in float32, found only zero weights"
            )
        return weights

    def _data(self, x: Any, labels: Array | None = None, weights: Array | None = None) -> Data:
        return _make_data.data(x, labels, weights=weights, index_base=self.index_base)

    # ---- training --------------------------------------------------------------------------------

    def _start(self) -> Model | None:
        """The model that a fit goes on from."""
        return getattr(self, "model_", None) if self.warm_start else None

    def _start_of(self, data: Data, loss: Loss) -> Model | None:
        """The model that a fit with held-out rows begins with; None: none."""
        del data, loss
        return None

    def _initial(self, labels: Array | None, loss: Loss) -> Model:
        """The model before the first step: of a row without entries for each label."""
        rows = 1 if labels is None else len(labels)
        empty = scipy.sparse.csr_array((rows, self.n_features_in_), dtype=np.float32)
        data = self._data(empty, labels)
        return self._run(data, loss, epochs=0, solver="steps")

    def _run(
        self,
        data: Data,
        loss: Loss,
        *,
        epochs: int,
        solver: Any,
        l1: float = 0.0,
        l2: float = 0.0,
        class_weights: ClassWeights = None,
        valid: Data | None = None,
        start: Model | None = None,
        keep_state: bool = False,
    ) -> Model:
        tolerance, gradient_tolerance = self._tolerances()
        return _training.train(
            data,
            self._kind(),
            valid=valid,
            loss=loss,
            optimizer=self.optimizer,
            lr=self.learning_rate,
            solver=solver,
            l1=l1,
            l2=l2,
            tolerance=tolerance,
            gradient_tolerance=gradient_tolerance,
            epochs=epochs,
            batch=None if self.batch_size == "auto" else self.batch_size,
            patience=self.n_iter_no_change if valid else 0,
            seed=self._seed(),
            bias=self.fit_intercept,
            class_weights=class_weights,
            start=start,
            keep_state=keep_state,
            progress=bool(self.verbose),
            context=self._context(),
        )

    def _fit_model(
        self,
        data: Data,
        loss: Loss,
        *,
        l1: float = 0.0,
        l2: float = 0.0,
        class_weights: ClassWeights = None,
        start: Model | None = None,
    ) -> None:
        valid = None
        if self.early_stopping:
            data, valid = data.split(self.validation_fraction, seed=self._seed())
            start = start or self._start_of(data, loss)
        model = self._run(
            data,
            loss,
            epochs=self.max_iter,
            solver=self.solver,
            l1=l1,
            l2=l2,
            class_weights=class_weights,
            valid=valid,
            start=start,
            keep_state=self.warm_start and valid is None,
        )
        self._keep(model)
        result = model.result or {}
        if self.solver == "lbfgs" and not result["converged"]:
            warnings.warn(self._why_not_converged(result), ConvergenceWarning, stacklevel=3)

    def _why_not_converged(self, result: dict[str, Any]) -> str:
        if result["lost_by_rounding"] > 0:
            return (
                f"the weights are float32, which raises the objective by "
                f"{result['lost_by_rounding']:.3g} to {result['objective']:.6g}: labels or columns "
                "are far from 0; subtract a number from them"
            )
        return (
            f"lbfgs did not reach tol={self.tol} in {self.n_iter_} of max_iter={self.max_iter} "
            f"iterations: the gradient is {result['relative_gradient']:.3g} of that without "
            "weights, and the next step promises to lower the objective by "
            f"{result['expected_decrease']:.3g}; increase max_iter, or tol"
        )

    def _keep(self, model: Model) -> None:
        self.model_ = model
        self.n_iter_ = int(model.result["epochs"]) if model.result else 0

    # ---- predictions -----------------------------------------------------------------------------

    def _scores(self, x: Any) -> npt.NDArray[np.float32]:
        """[rows, outputs]."""
        check_is_fitted(self)
        rows = self._rows(x, reset=False)
        return self.model_.scores(rows, context=self._context())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
