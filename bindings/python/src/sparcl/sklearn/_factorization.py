"""Factorization machines (Rendle, ICDM 2010)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sparcl.sklearn._base import TrainedEstimator
from sparcl.sklearn._classifiers import TwoClasses
from sparcl.sklearn._regressors import Regressor

_PARAMETERS = """
    n_factors
        The width of the vector of each feature.
    init_scale
        The standard deviation of its first values.
    alpha
        The objective is mean loss + alpha/2 |w|^2; slow with adagrad and adam.
    max_iter, batch_size
        Passes over the rows, and rows of each step: a number, "full" for all, or "auto", as of
        :func:`sparcl.train`.
    optimizer, learning_rate
        A rule of ``sparcl help optimizers``, with settings; None: its own rate.
    early_stopping, validation_fraction, n_iter_no_change
        Hold out rows, end after this many passes without a lower loss on them, and keep the best
        model.
    random_state
        An integer is the seed of first values and row order, as ``--seed`` of the tool.
    warm_start, device, index_base, verbose
        As of :class:`sparcl.sklearn.LogisticRegression`.
"""


class FactorizationMachine(TrainedEstimator):
    """What both have."""

    n_factors: int
    init_scale: float
    alpha: Any

    def _kind(self) -> str:
        return f"fm:factors={self.n_factors},init={float(self.init_scale)!r}"

    @property
    def coef_(self) -> npt.NDArray[np.float32]:
        """[features]: the weights of single features."""
        return self.model_.tensors["weight"].reshape(-1)

    @property
    def intercept_(self) -> float:
        """The intercept."""
        return float(self.model_.tensors["bias"].reshape(-1)[0])

    @property
    def factors_(self) -> npt.NDArray[np.float32]:
        """[features, factors]: the weight of two features is the product of their rows."""
        return self.model_.tensors["factors"]


class FactorizationMachineClassifier(FactorizationMachine, TwoClasses):
    __doc__ = f"""A factorization machine for two classes, with logistic loss.

    Parameters
    ----------{_PARAMETERS}
    class_weight
        "balanced", or a factor of the losses for each class.

    >>> import numpy, sparcl.sklearn
    >>> x = numpy.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 10)
    >>> y = x[:, 0] != x[:, 1]
    >>> fm = sparcl.sklearn.FactorizationMachineClassifier(random_state=1, init_scale=0.3)
    >>> fm.fit(x, y).score(x, y)
    1.0
    """

    def __init__(
        self,
        *,
        n_factors: int = 8,
        init_scale: float = 0.01,
        alpha: float = 0.0,
        max_iter: int = 100,
        class_weight: Any = None,
        optimizer: str = "adagrad",
        learning_rate: float | None = 0.1,
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
        self.n_factors = n_factors
        self.init_scale = init_scale
        self.alpha = alpha
        self.max_iter = max_iter
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


class FactorizationMachineRegressor(FactorizationMachine, Regressor):
    __doc__ = f"""A factorization machine for numbers, with half the squared error as loss; of rows
    with a 1 for a user and a 1 for an item it is a matrix factorization with biases.

    Parameters
    ----------{_PARAMETERS}
    >>> import numpy, sparcl.sklearn
    >>> x = numpy.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 20)
    >>> fm = sparcl.sklearn.FactorizationMachineRegressor(random_state=1)
    >>> fm.fit(x, x[:, 0] + 2 * x[:, 1] + 3 * x[:, 0] * x[:, 1]).factors_.shape
    (2, 8)
    """

    def __init__(
        self,
        *,
        n_factors: int = 8,
        init_scale: float = 0.01,
        alpha: float = 0.0,
        max_iter: int = 100,
        optimizer: str = "adagrad",
        learning_rate: float | None = 0.1,
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
        self.n_factors = n_factors
        self.init_scale = init_scale
        self.alpha = alpha
        self.max_iter = max_iter
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
