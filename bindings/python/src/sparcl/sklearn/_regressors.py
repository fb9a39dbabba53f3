"""What regressors have."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin  # type: ignore[import-untyped]
from sklearn.utils.validation import check_array  # type: ignore[import-untyped]

from sparcl.sklearn._base import Array, TrainedEstimator, check_range
from sparcl.sklearn._settings import require


class Regressor(RegressorMixin, TrainedEstimator):  # type: ignore[misc]
    """A regressor with half the squared error as loss."""

    alpha: float

    def _rows_and_numbers(self, x: Any, y: Any, reset: bool) -> tuple[Any, Array]:
        rows, numbers = self._rows(x, y, y_numeric=True, reset=reset)
        numbers = check_array(numbers, dtype=np.float64, ensure_2d=False, input_name="y")
        check_range(numbers, "y")
        return rows, numbers

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Train with rows [samples, features], dense or sparse, and the number of each."""
        self._check_parameters()
        start = self._start()
        rows, y = self._rows_and_numbers(X, y, reset=start is None)
        data = self._data(rows, y, weights=self._weights(rows, sample_weight))
        self._fit_model(data, "squared", l2=float(self.alpha), start=start)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """One pass of steps over some rows. States of the optimizer go on from call to call, but
        are not pickled."""
        self._check_parameters()
        require(not self.early_stopping, "early_stopping", "False with partial_fit", True)
        start = getattr(self, "model_", None)
        rows, y = self._rows_and_numbers(X, y, reset=start is None)
        start = start or self._initial(np.zeros(1), "squared")
        data = self._data(rows, y, weights=self._weights(rows, sample_weight))
        model = self._run(
            data,
            "squared",
            epochs=1,
            solver="steps",
            l2=float(self.alpha),
            start=start,
            keep_state=True,
        )
        self._keep(model)
        return self

    def predict(self, X: Any) -> npt.NDArray[np.float32]:  # noqa: N803
        """The number of each row: [samples]."""
        return self._scores(X)[:, 0]
