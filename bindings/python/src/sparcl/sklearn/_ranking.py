"""Matrix factorization that ranks items (Rendle et al., BPR, UAI 2009)."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.stats import rankdata
from sklearn.base import (  # type: ignore[import-untyped]
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from sparcl.sklearn._base import TrainedEstimator
from sparcl.sklearn._settings import is_whole, require


class MatrixFactorization(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    TrainedEstimator,
):
    """A vector for each user and item, so that items a user has score above the others (BPR).

    Rows are users, columns are items, and what is not 0 is an item that the user has; values are
    not read. For ratings see :class:`sparcl.sklearn.FactorizationMachineRegressor`.

    Parameters
    ----------
    n_components
        The width of the vectors.
    penalty
        Adds penalty/2 times the squares of the vectors of a step to its losses.
    init_scale
        The standard deviation of first values.
    max_iter, batch_size
        Passes over the pairs of a user and an item, and pairs of each step: a number, "full" for
        all, or "auto": a fiftieth, at least 32 and at most 1024.
    optimizer, learning_rate
        A rule of ``sparcl help optimizers``, with settings; None: its own rate.
    early_stopping, validation_fraction, n_iter_no_change
        Hold out pairs, end after this many passes without a lower loss on them, and keep the best
        model.
    random_state
        An integer is the seed of first values, order and drawn items, as ``--seed`` of the tool.
    warm_start, device, index_base, verbose
        As of :class:`sparcl.sklearn.LogisticRegression`.

    >>> import numpy, sparcl.sklearn
    >>> x = numpy.kron(numpy.eye(2), numpy.ones((5, 4)))
    >>> x[0, 3] = 0
    >>> mf = sparcl.sklearn.MatrixFactorization(4, max_iter=50, random_state=1).fit(x)
    >>> mf.recommend(x, 1)[0][0].tolist()
    [3]
    """

    def __init__(
        self,
        n_components: int = 64,
        *,
        penalty: float = 0.01,
        init_scale: float = 0.1,
        max_iter: int = 20,
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
        self.n_components = n_components
        self.penalty = penalty
        self.init_scale = init_scale
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

    def _kind(self) -> str:
        scale, penalty = float(self.init_scale), float(self.penalty)
        return f"bpr:factors={self.n_components},init={scale!r},penalty={penalty!r}"

    def _pairs(self, x: Any, **options: Any) -> scipy.sparse.csr_array:
        rows = scipy.sparse.csr_array(self._rows(x, **options))
        if not (rows.has_canonical_format and rows.data.all()):
            rows = rows.copy()  # it has the caller's arrays
            rows.sum_duplicates()
            rows.eliminate_zeros()
        if not rows.nnz and options.get("reset"):
            raise ValueError("X: expected an item of a user, found only zeros")
        return rows

    def _check_users(self, rows: scipy.sparse.csr_array) -> None:
        users = len(self.user_factors_)
        if rows.shape[0] != users:
            raise ValueError(f"X: expected the {users} users of before, found {rows.shape[0]} rows")

    def _held_out(
        self, rows: scipy.sparse.csr_array
    ) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
        """Some of the pairs, and the others."""
        pairs = rows.tocoo()
        is_held = np.zeros(pairs.nnz, bool)
        count = round(self.validation_fraction * pairs.nnz)
        require(0 < count < pairs.nnz, "X", "more pairs, to hold out some of them", pairs.nnz)
        random = np.random.default_rng(self._seed())
        is_held[random.choice(pairs.nnz, count, replace=False)] = True
        parts = [
            scipy.sparse.csr_array(
                (pairs.data[some], (pairs.row[some], pairs.col[some])), shape=rows.shape
            )
            for some in (is_held, ~is_held)
        ]
        return parts[0], parts[1]

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Train with what users have [users, items], dense or sparse; ``y`` is not read."""
        self._check_parameters()
        start = self._start()
        rows, valid = self._pairs(X, reset=start is None), None
        if self.early_stopping:
            held, rows = self._held_out(rows)
            valid = self._data(held)
        model = self._run(
            self._data(rows),
            "logistic",
            epochs=self.max_iter,
            solver="steps",
            valid=valid,
            start=start,
            keep_state=self.warm_start and valid is None,
        )
        self._keep(model)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """One pass over more pairs of the same users and items. States of the optimizer go on from
        call to call, but are not pickled."""
        self._check_parameters()
        require(not self.early_stopping, "early_stopping", "False with partial_fit", True)
        start = getattr(self, "model_", None)
        rows = self._pairs(X, reset=start is None)
        if start is not None:
            self._check_users(rows)
        model = self._run(
            self._data(rows), "logistic", epochs=1, solver="steps", start=start, keep_state=True
        )
        self._keep(model)
        return self

    @property
    def user_factors_(self) -> npt.NDArray[np.float32]:
        """[users, n_components], of the rows of ``fit``."""
        return self.model_.tensors["factors"][: -self.n_features_in_]

    @property
    def components_(self) -> npt.NDArray[np.float32]:
        """[n_components, items]."""
        return self.model_.tensors["factors"][-self.n_features_in_ :].T

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def recommend(
        self,
        X: Any,  # noqa: N803
        k: int = 10,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """The best ``k`` items for each user of ``fit`` that are not in X, what they have; and
        their scores. Both [users, k]; -1 where a user has fewer others."""
        check_is_fitted(self)
        require(is_whole(k), "k", "an int from 1", k)
        known = self._pairs(X, reset=False)
        self._check_users(known)
        return self.model_.recommend(self._data(known), k, context=self._context())

    def transform(self, X: Any) -> npt.NDArray[np.float32]:  # noqa: N803
        """Vectors of any users: those by which the vectors of items give X with the least squares,
        with ``penalty`` as in ridge regression."""
        check_is_fitted(self)
        rows = self._pairs(X, reset=False)
        rows.data = np.ones_like(rows.data)
        items = self.components_.T.astype(np.float64)
        gram = items.T @ items + max(self.penalty, 1e-6) * np.eye(items.shape[1])
        return np.linalg.solve(gram, (rows @ items).T).T.astype(np.float32)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """How well vectors of ``transform`` rank: the mean of the area under the ROC curve of each
        user with items and without others."""
        vectors = self.transform(X)
        rows = self._pairs(X, reset=False)
        found = []
        for user in range(rows.shape[0]):
            own = rows.indices[rows.indptr[user] : rows.indptr[user + 1]]
            has, others = len(own), rows.shape[1] - len(own)
            if has and others:
                ranks = rankdata(vectors[user] @ self.components_)
                found.append((ranks[own].sum() - has * (has + 1) / 2) / (has * others))
        return float(np.mean(found)) if found else 0.5

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
