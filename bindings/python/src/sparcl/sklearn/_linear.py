"""Linear models."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sparcl._enums import Loss
from sparcl.sklearn import _settings
from sparcl.sklearn._base import Array, TrainedEstimator
from sparcl.sklearn._classifiers import Classifier, label_numbers
from sparcl.sklearn._regressors import Regressor

_LINEAR_PARAMETERS = """
    solver
        "lbfgs": the minimum, with all rows in each iteration; or "steps" of ``optimizer``, each
        with ``batch_size`` rows.
    max_iter, tol
        The most iterations, or passes over the rows. lbfgs centres and scales the columns for
        itself, and ends where the norm of the gradient is at most ``tol`` times that of the model
        without weights and the next step promises as little; else ConvergenceWarning says why.
    fit_intercept
        Whether there is an intercept, which is not regularized.
    optimizer, learning_rate
        A rule of ``sparcl help optimizers``, with settings such as "adam:beta1=0.8"; None: its own
        rate.
    early_stopping, validation_fraction, n_iter_no_change
        Of steps: hold out rows, end after this many passes without a lower loss on them, and keep
        the best model.
    random_state
        An integer is the seed of the row order, as ``--seed`` of the tool.
    warm_start
        Begin with the model of the last ``fit``.
    device
        As of :class:`sparcl.Context`.
    index_base
        From what files count columns: 1 where the tool is to apply the model to LIBSVM text.
    verbose
        Not 0: show progress by tqdm, if it is installed.
"""


class Linear(TrainedEstimator):
    """What linear models have."""

    @property
    def coef_(self) -> npt.NDArray[np.float32]:
        """[outputs, features]; of a regressor [features]: the memory of the model."""
        return self.model_.tensors["weight"].T

    @property
    def intercept_(self) -> Any:
        """[outputs]; of a regressor a number."""
        tensors = self.model_.tensors
        if "bias" in tensors:
            return tensors["bias"]
        return np.zeros(tensors["weight"].shape[1], np.float32)


class LogisticRegression(Linear, Classifier):
    __doc__ = f"""Logistic regression for two classes, and with the softmax for more.

    Parameters
    ----------
    C
        The inverse of the regularization, as of scikit-learn's: the objective is
        C (sum of weighted losses) + |coef|^2 / 2.
    alpha
        In its place: the objective is mean loss + alpha/2 |coef|^2, as of SGDClassifier, and
        ``--l2`` of the tool. ``partial_fit``, which does not know how many rows there are, has only
        this one.{_LINEAR_PARAMETERS}
    class_weight
        "balanced", or a factor of the losses for each class.

    >>> import scipy.sparse, sparcl.sklearn
    >>> x = scipy.sparse.csr_array([[0.0, 1.0], [1.0, 0.0]] * 20)
    >>> model = sparcl.sklearn.LogisticRegression().fit(x, [0, 1] * 20)
    >>> model.score(x, [0, 1] * 20), model.coef_.shape
    (1.0, (1, 2))
    """

    _rules: ClassVar[dict[str, _settings.Rule]] = {"alpha": _settings.or_none("alpha")}

    def __init__(
        self,
        *,
        C: float = 1.0,  # noqa: N803
        alpha: float | None = None,
        solver: Literal["lbfgs", "steps"] = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        optimizer: str = "sgd",
        learning_rate: float | None = None,
        batch_size: int | Literal["full"] = 1024,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        random_state: Any = None,
        warm_start: bool = False,
        device: str | None = None,
        index_base: Literal[0, 1] = 0,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.warm_start = warm_start
        self.device = device
        self.index_base = index_base
        self.verbose = verbose

    def _l2(self, at: npt.NDArray[np.int64], weights: Array | None) -> float:
        if self.alpha is not None:
            return float(self.alpha)
        factors = np.ones(len(at)) if weights is None else weights.astype(np.float64)
        chosen = self._class_weights()
        if isinstance(chosen, dict):
            labels = label_numbers(self.classes_)
            factors = factors * np.array([chosen.get(float(label), 1.0) for label in labels])[at]
        return 1 / (float(self.C) * float(factors.sum()))


class SoftmaxRegression(LogisticRegression):
    __doc__ = f"""Multinomial regression: a score for each class, also for two.

    Parameters
    ----------
    C, alpha, class_weight
        As of :class:`LogisticRegression`.{_LINEAR_PARAMETERS}
    >>> import numpy, sparcl.sklearn
    >>> x, y = numpy.eye(3), ["a", "b", "c"]
    >>> model = sparcl.sklearn.SoftmaxRegression(C=10).fit(x, y)
    >>> model.predict(x).tolist(), model.coef_.shape
    (['a', 'b', 'c'], (3, 3))
    """

    def _loss(self) -> Loss:
        return "softmax"


class LinearRegression(Linear, Regressor):
    __doc__ = f"""Least squares: the objective is mean squared error / 2 + alpha/2 |coef|^2.

    Parameters
    ----------
    alpha
        The regularization, as ``--l2`` of the tool.{_LINEAR_PARAMETERS}
    >>> import numpy, sparcl.sklearn
    >>> x = numpy.arange(8.0).reshape(-1, 1)
    >>> model = sparcl.sklearn.LinearRegression().fit(x, 3 * x[:, 0] + 1)
    >>> round(float(model.coef_[0]), 3), round(float(model.intercept_), 3)
    (3.0, 1.0)
    """

    def __init__(
        self,
        *,
        alpha: float = 0.0,
        solver: Literal["lbfgs", "steps"] = "lbfgs",
        max_iter: int = 1000,
        tol: float = 1e-6,
        fit_intercept: bool = True,
        optimizer: str = "sgd",
        learning_rate: float | None = None,
        batch_size: int | Literal["full"] = 1024,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        random_state: Any = None,
        warm_start: bool = False,
        device: str | None = None,
        index_base: Literal[0, 1] = 0,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.warm_start = warm_start
        self.device = device
        self.index_base = index_base
        self.verbose = verbose

    @property
    def coef_(self) -> npt.NDArray[np.float32]:
        """[features]: the memory of the model."""
        return self.model_.tensors["weight"][:, 0]

    @property
    def intercept_(self) -> float:
        """The intercept; 0 without one."""
        return float(super().intercept_[0])
