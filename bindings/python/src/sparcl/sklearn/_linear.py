"""Linear models."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sparcl._enums import Loss
from sparcl.sklearn import _settings
from sparcl.sklearn._base import Array, TrainedEstimator
from sparcl.sklearn._classifiers import Classifier, label_numbers
from sparcl.sklearn._regressors import Regressor
from sparcl.sklearn._settings import require

_PENALTIES = ("l1", "l2", "elasticnet", "deprecated")

_SOLVER = """
    solver
        "lbfgs": the minimum, with all rows in each iteration; or "steps" of ``optimizer``, each
        with ``batch_size`` rows: a number, "full" for all, or "auto", as of
        :func:`sparcl.train`."""
_LINEAR_PARAMETERS = """
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
        C (sum of weighted losses) + (1 - l1_ratio) |coef|^2 / 2 + l1_ratio |coef|_1; ``numpy.inf``:
        no regularization.
    alpha
        In its place: the objective is mean loss + alpha ((1 - l1_ratio) |coef|^2 / 2 + l1_ratio
        |coef|_1), as of SGDClassifier; ``--l2`` and ``--l1`` of the tool are its two factors.
        ``partial_fit``, which does not know how many rows there are, has only this one.
    l1_ratio
        0 to 1, the share of the absolute values: 1 takes many weights to 0. Of lbfgs; rules such as
        "ftrl:l1=0.001" have it for steps.
    penalty
        "l2", "l1", "elasticnet" (with ``l1_ratio``) or None, as of scikit-learn, which deprecates
        it, too: ``l1_ratio`` and ``C`` say the same.{_SOLVER}
    max_iter, tol
        The most iterations, or passes over the rows. lbfgs centres and scales the columns for
        itself. It ends as scikit-learn's, where no derivative of the mean objective by a weight or
        intercept is larger than ``tol``, or where float32 allows to do no better (a relative
        gradient of 1e-6); else ConvergenceWarning says why.{_LINEAR_PARAMETERS}
    class_weight
        "balanced", or a factor of the losses for each class.

    >>> import scipy.sparse, sparcl.sklearn
    >>> x = scipy.sparse.csr_array([[0.0, 1.0], [1.0, 0.0]] * 20)
    >>> model = sparcl.sklearn.LogisticRegression().fit(x, [0, 1] * 20)
    >>> model.score(x, [0, 1] * 20), model.coef_.shape
    (1.0, (1, 2))
    """

    _rules: ClassVar[dict[str, _settings.Rule]] = {
        "alpha": _settings.or_none("alpha"),
        "penalty": (
            lambda x: x is None or (isinstance(x, str) and x in _PENALTIES),
            'None, "l1", "l2" or "elasticnet"',
        ),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,  # noqa: N803
        alpha: float | None = None,
        l1_ratio: float = 0.0,
        penalty: Literal["l1", "l2", "elasticnet", "deprecated"] | None = "deprecated",
        solver: Literal["lbfgs", "steps"] = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        optimizer: str = "sgd",
        learning_rate: float | None = None,
        batch_size: int | Literal["full", "auto"] = "auto",
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
        self.l1_ratio = l1_ratio
        self.penalty = penalty
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

    def _tolerances(self) -> tuple[float, float]:
        return 1e-6, float(self.tol)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        ratio, penalty = float(self.l1_ratio), self.penalty
        if penalty != "deprecated":
            warnings.warn(
                "penalty is deprecated, as in scikit-learn: use l1_ratio (0: l2, 1: l1, between "
                "them: elasticnet), and C=numpy.inf for None",
                FutureWarning,
                stacklevel=3,
            )
            of_l1 = penalty in ("l1", "elasticnet")
            require(ratio == 0 or of_l1, "l1_ratio", f"0 with penalty={penalty!r}", ratio)
            require(penalty != "l1" or ratio in (0, 1), "l1_ratio", 'no other with "l1"', ratio)
        require(
            self.solver == "lbfgs" or self._l1_share() == 0,
            "l1_ratio",
            '0 with solver="steps"; optimizer="ftrl:l1=0.001" has an l1 in its steps',
            ratio,
        )

    def _l1_share(self) -> float:
        return 1.0 if self.penalty == "l1" else float(self.l1_ratio)

    def _penalties(self, at: npt.NDArray[np.int64], weights: Array | None) -> dict[str, float]:
        strength = 0.0 if self.penalty is None else self._strength(at, weights)
        share = self._l1_share()
        return {"l1": share * strength, "l2": (1 - share) * strength}

    def _strength(self, at: npt.NDArray[np.int64], weights: Array | None) -> float:
        """The factor of the regularization of a mean loss."""
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
        As of :class:`LogisticRegression`.
    l1_ratio, penalty, max_iter, tol
        As of :class:`LogisticRegression`.{_SOLVER}{_LINEAR_PARAMETERS}
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
        The regularization, as ``--l2`` of the tool.{_SOLVER}
    max_iter, tol
        The most iterations, or passes over the rows. lbfgs centres and scales the columns for
        itself, and ends where the norm of the gradient is at most ``tol`` times that of the model
        without weights and the next step promises as little; else ConvergenceWarning says
        why.{_LINEAR_PARAMETERS}
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
        batch_size: int | Literal["full", "auto"] = "auto",
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
