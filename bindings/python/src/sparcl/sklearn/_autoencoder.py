"""k-sparse autoencoders (Makhzani and Frey, arXiv:1312.5663)."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import (  # type: ignore[import-untyped]
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import (  # type: ignore[import-untyped]
    check_array,
    check_is_fitted,
)

from sparcl.sklearn._base import TrainedEstimator, check_matrix
from sparcl.sklearn._settings import require


class KSparseAutoencoder(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    TrainedEstimator,
):
    """A transformer to codes of which the ``k`` largest are kept, which are to give the rows back.

    Parameters
    ----------
    n_components
        The width of the codes.
    k
        How many of each row are kept; at most n_components.
    max_iter, batch_size
        Passes over the rows, and rows of each step.
    optimizer, learning_rate
        A rule of ``sparcl help optimizers``, with settings; None: its own rate.
    sparse_output
        Codes are a SciPy matrix in CSR format; else an array, as ``set_output`` needs it.
    early_stopping, validation_fraction, n_iter_no_change
        Hold out rows, end after this many passes without a lower loss on them, and keep the best
        model.
    random_state
        An integer is the seed of first values and row order, as ``--seed`` of the tool.
    warm_start, device, index_base, verbose
        As of :class:`sparcl.sklearn.LogisticRegression`.

    >>> import numpy, sparcl.sklearn
    >>> x = numpy.random.default_rng(1).random((50, 8))
    >>> codes = sparcl.sklearn.KSparseAutoencoder(n_components=16, k=3).fit_transform(x)
    >>> codes.shape, codes.nnz
    ((50, 16), 150)
    """

    def __init__(
        self,
        n_components: int = 1024,
        k: int = 25,
        *,
        max_iter: int = 20,
        optimizer: str = "adam",
        learning_rate: float | None = None,
        batch_size: int | Literal["full"] = 256,
        sparse_output: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        random_state: Any = None,
        warm_start: bool = False,
        device: str | None = None,
        index_base: Literal[0, 1] = 0,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.k = k
        self.max_iter = max_iter
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.sparse_output = sparse_output
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.warm_start = warm_start
        self.device = device
        self.index_base = index_base
        self.verbose = verbose

    def _kind(self) -> str:
        return f"autoencoder:units={self.n_components},k={min(self.k, self.n_components)}"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.k > self.n_components:
            warnings.warn(
                f"k: expected at most n_components={self.n_components}, found {self.k}; all "
                "elements of the codes are kept",
                stacklevel=3,
            )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803
        """Train with rows [samples, features], dense or sparse; ``y`` is not read."""
        self._check_parameters()
        start = self._start()
        rows = self._rows(X, reset=start is None)
        data = self._data(rows, weights=self._weights(rows, sample_weight))
        self._fit_model(data, "squared", start=start)
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803
        """One pass of steps over some rows. States of the optimizer go on from call to call, but
        are not pickled."""
        self._check_parameters()
        require(not self.early_stopping, "early_stopping", "False with partial_fit", True)
        start = getattr(self, "model_", None)
        rows = self._rows(X, reset=start is None)
        data = self._data(rows, weights=self._weights(rows, sample_weight))
        start = start or self._initial(None, "squared")
        model = self._run(data, "squared", epochs=1, solver="steps", start=start, keep_state=True)
        self._keep(model)
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """The codes: [samples, n_components]."""
        check_is_fitted(self)
        codes = self.model_.encode(self._rows(X, reset=False), context=self._context())
        return codes if self.sparse_output else codes.toarray()

    def inverse_transform(self, X: Any) -> npt.NDArray[np.float32]:  # noqa: N803
        """The rows that codes stand for: [samples, features]."""
        check_is_fitted(self)
        check_matrix(X)
        kinds = [np.float32, np.float64]
        codes = check_array(X, accept_sparse="csr", dtype=kinds, input_name="X")
        width = len(self.components_)
        if codes.shape[1] != width:
            raise ValueError(
                f"X has {codes.shape[1]} features, but {type(self).__name__}.inverse_transform is "
                f"expecting codes of {width}"
            )
        tensors = self.model_.tensors
        found: npt.NDArray[np.float32] = codes @ tensors["decoder"] + tensors["decoder.bias"]
        return found

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Minus the mean of half the squared distance between rows and what codes give."""
        check_is_fitted(self)
        data = self._data(self._rows(X, reset=False))
        return -self.model_.evaluate(data, context=self._context())["loss"]

    @property
    def components_(self) -> npt.NDArray[np.float32]:
        """[n_components, features]: what each element of a code adds to a row."""
        return self.model_.tensors["decoder"]

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
