"""Estimators: scikit-learn's own checks, the bits of the tool, and what users of it expect."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from same_model import assert_same_model

import sparcl

pytest.importorskip("sklearn")

from sklearn import datasets, linear_model
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import sparcl.sklearn

ROUNDING = "float32: sums of weighted and of repeated rows round in another order"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ROUNDING,
    "check_sample_weight_equivalence_on_sparse_data": ROUNDING,
}
ESTIMATORS = [getattr(sparcl.sklearn, name)() for name in sparcl.sklearn.__all__]


def expected_failures(estimator: Any) -> dict[str, str]:
    has_weights = not isinstance(estimator, sparcl.sklearn.MatrixFactorization)
    return EXPECTED if has_weights else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def problem(classes: int = 2, rows: int = 300, columns: int = 20) -> tuple[Any, Any]:
    x, y = make_classification(
        rows, columns, n_informative=8, n_classes=classes, random_state=1, class_sep=0.7
    )
    return x.astype(np.float32), y


# ---- the tool ------------------------------------------------------------------------------------

TOOL = os.environ.get("SPARCL_TOOL")


@pytest.mark.skipif(not TOOL, reason="SPARCL_TOOL does not name the tool")
@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (
            sparcl.sklearn.LogisticRegression(alpha=0.01, tol=1e-5, max_iter=1000, l1_ratio=0.25),
            "--solver lbfgs --l1 0.0025 --l2 0.0075 --gradient-tolerance 1e-5",
        ),
        (
            sparcl.sklearn.LogisticRegression(
                alpha=0.01,
                solver="steps",
                max_iter=5,
                batch_size=64,
                random_state=3,
                early_stopping=True,
            ),
            "--loss logistic --l2 0.01 --epochs 5 --batch 64 --seed 3 --hold-out 0.1 --patience 5",
        ),
        (
            sparcl.sklearn.SoftmaxRegression(
                alpha=0, solver="steps", optimizer="adam", max_iter=5, random_state=1
            ),
            "--loss softmax --optimizer adam --epochs 5 --seed 1",
        ),
        (
            sparcl.sklearn.LinearRegression(alpha=0.1),
            "--solver lbfgs --l2 0.1 --loss squared",
        ),
        (
            sparcl.sklearn.FactorizationMachineClassifier(random_state=2, max_iter=7),
            "--model fm --loss logistic --optimizer adagrad --lr 0.1 --epochs 7 --seed 2",
        ),
        (
            sparcl.sklearn.KSparseAutoencoder(16, 4, random_state=2),
            "--model autoencoder:units=16,k=4 --optimizer adam --epochs 20 --batch 256 --seed 2",
        ),
        (
            sparcl.sklearn.MatrixFactorization(8, random_state=2),
            "--model bpr:factors=8 --optimizer adagrad --lr 0.1 --epochs 20 --seed 2",
        ),
    ],
    ids=lambda x: "" if isinstance(x, str) else type(x).__name__,
)
def test_models_are_those_of_the_tool(tmp_path: Path, estimator: Any, options: str) -> None:
    assert TOOL is not None
    dense, y = problem()
    x = scipy.sparse.csr_matrix(np.where(abs(dense) > 1, dense, 0))
    scipy.sparse.save_npz(tmp_path / "x.npz", x)
    np.save(tmp_path / "y.npy", y)
    path = tmp_path / "tool.safetensors"
    if hasattr(estimator, "predict"):
        options += f" --labels {tmp_path / 'y.npy'}"
    words = [TOOL, "train", str(tmp_path / "x.npz"), "-o", str(path), "--progress", "none"]
    subprocess.run([*words, *options.split()], check=True, capture_output=True)
    clone(estimator).fit(x, y).model_.save(tmp_path / "python.safetensors")
    assert_same_model(path, tmp_path / "python.safetensors")


# ---- results -------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weight", [None, "balanced", {0: 3.0, 1: 0.5}])
def test_coefficients_are_those_of_scikit_learn(classes: int, weight: Any) -> None:
    x, y = problem(classes)
    of_rows = np.random.default_rng(2).random(len(y))
    settings: dict[str, Any] = {"C": 0.5, "class_weight": weight, "max_iter": 500}
    ours = sparcl.sklearn.LogisticRegression(**settings, tol=1e-6).fit(x, y, of_rows)
    theirs = linear_model.LogisticRegression(**settings, tol=1e-8)
    theirs.fit(x.astype(np.float64), y, of_rows)
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=2e-4)
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=2e-3)


def test_least_squares_are_those_of_scikit_learn() -> None:
    x, _ = (
        problem()
    )  # some of its columns depend on others: many weights would have the same scores
    x = x + np.random.default_rng(2).normal(0, 0.1, x.shape).astype(np.float32)
    y = x @ np.arange(20) + 3
    for ours, theirs in (
        (sparcl.sklearn.LinearRegression(), linear_model.LinearRegression()),
        (sparcl.sklearn.LinearRegression(alpha=0.2), linear_model.Ridge(alpha=0.2 * len(y))),
        (
            sparcl.sklearn.LinearRegression(fit_intercept=False),
            linear_model.LinearRegression(fit_intercept=False),
        ),
    ):
        ours.fit(x, y)
        theirs.fit(x, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=5e-3)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=5e-3)


def far_from_scaled(rows: int = 500) -> tuple[Any, Any]:
    """Columns as tables have them: a small number, a year, an area, a population, an offset; and a
    line."""
    random = np.random.default_rng(3)
    plain = random.uniform(-1, 1, (rows, 5))
    x = plain * [1e-6, 35, 140, 1e6, 1] + [0, 1985, 160, 1e6, 1e6]
    return x.astype(np.float32), plain @ [1, -2, 0.5, 1, 1] + random.normal(0, 0.3, rows)


@pytest.mark.parametrize("alpha", [0, 0.01])
def test_raw_columns_have_the_least_squares_of_scikit_learn(alpha: float) -> None:
    x, y = far_from_scaled()
    y = 2000 + 30 * y
    exact = x.astype(np.float64)
    theirs = linear_model.Ridge(alpha=alpha * len(y)).fit(exact - exact.mean(0), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        ours = sparcl.sklearn.LinearRegression(alpha=alpha).fit(x, y)

    def objective(scores: Any, coef: Any) -> float:
        return float(((scores - y) ** 2).mean() / 2 + alpha / 2 * (coef.astype(float) ** 2).sum())

    expected = objective(theirs.predict(exact - exact.mean(0)), theirs.coef_)
    found = objective(exact @ ours.coef_.astype(float) + ours.intercept_, ours.coef_)
    assert -1e-9 < found / expected - 1 < 1e-6


def regularized(scores: Any, coef: Any, y: Any) -> float:
    losses = np.logaddexp(0, -np.where(y, 1, -1) * scores)
    return float(losses.sum() + (coef.astype(float) ** 2).sum() / 2)


def test_raw_columns_have_the_logistic_loss_of_scikit_learn() -> None:
    cancer = datasets.load_breast_cancer(return_X_y=True)
    line = far_from_scaled()
    for x, y in (cancer, (line[0], line[1] > 0)):
        exact = x.astype(np.float32).astype(np.float64)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            ours = sparcl.sklearn.LogisticRegression().fit(exact, y)
        theirs = linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=1000)
        shifted = exact - exact.mean(0)
        theirs.fit(shifted, y)

        expected = regularized(theirs.decision_function(shifted), theirs.coef_, y)
        scores = exact @ ours.coef_[0].astype(float) + float(ours.intercept_[0])
        assert regularized(scores, ours.coef_, y) / expected - 1 < 1e-6


def slopes(model: Any, x: Any, y: Any, c: float, l1_ratio: float = 0.0) -> Any:
    """The derivatives of the mean objective by weights and intercepts, in float64: those towards
    the side on which it falls."""
    x, coef = x.astype(np.float64), model.coef_.astype(np.float64)
    wanted = np.eye(len(model.classes_))[np.searchsorted(model.classes_, y)]
    scores = x @ coef.T + model.intercept_.astype(np.float64)
    if len(coef) == 1:
        wanted, scores = wanted[:, 1:], np.hstack([0 * scores, scores])
    odds = np.exp(scores - scores.max(1, keepdims=True))
    left = (odds / odds.sum(1, keepdims=True))[:, -len(coef) :] - wanted
    of_weights = left.T @ x / len(y) + (1 - l1_ratio) * coef / (c * len(y))
    l1 = l1_ratio / (c * len(y))
    moved = of_weights + l1 * np.sign(coef)
    at_0 = np.maximum(np.abs(of_weights) - l1, 0)
    return np.hstack([np.where(coef == 0, at_0, moved), left.mean(0)[:, None]])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0, 0.5, 1])
def test_tol_means_what_it_means_in_scikit_learn(classes: int, l1_ratio: float) -> None:
    x, y = problem(classes)
    x = (x * np.geomspace(0.1, 10, 20) + np.linspace(-5, 5, 20)).astype(np.float32)
    for tol in (0.1, 1e-2, 1e-3):
        settings: dict[str, Any] = {"C": 0.1, "l1_ratio": l1_ratio, "max_iter": 3000}
        model = sparcl.sklearn.LogisticRegression(tol=tol, **settings).fit(x, y)
        largest = np.abs(slopes(model, x, y, 0.1, l1_ratio)).max()
        assert largest < 1.01 * tol + 1e-5
        with pytest.warns(ConvergenceWarning):  # and not one iteration later
            before = clone(model).set_params(max_iter=model.n_iter_ - 1).fit(x, y)
        assert np.abs(slopes(before, x, y, 0.1, l1_ratio)).max() > 0.99 * tol


def test_l1_gives_the_objective_of_scikit_learn() -> None:
    x, y = problem()
    x = StandardScaler().fit_transform(x).astype(np.float32)
    for ratio in (0.3, 1.0):
        settings: dict[str, Any] = {"C": 0.05, "l1_ratio": ratio, "tol": 1e-6, "max_iter": 5000}
        ours = sparcl.sklearn.LogisticRegression(**settings).fit(x, y)
        theirs = linear_model.LogisticRegression(solver="saga", **settings)
        theirs.fit(x.astype(np.float64), y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
        np.testing.assert_array_equal(ours.coef_ == 0, np.abs(theirs.coef_) < 1e-6)
        assert 0 < (ours.coef_ == 0).sum() < 20


def test_penalties_are_those_of_scikit_learn() -> None:
    x, y = problem()
    make = sparcl.sklearn.LogisticRegression
    for old, new in (
        ({"penalty": "l2"}, {}),
        ({"penalty": "l1"}, {"l1_ratio": 1.0}),
        ({"penalty": "elasticnet", "l1_ratio": 0.5}, {"l1_ratio": 0.5}),
        ({"penalty": None}, {"C": np.inf}),
    ):
        with pytest.warns(FutureWarning, match="penalty is deprecated, as in scikit-learn"):
            found = make(**old).fit(x, y)
        np.testing.assert_array_equal(found.coef_, make(**new).fit(x, y).coef_)
    for wrong in ({"penalty": "l2", "l1_ratio": 0.5}, {"penalty": "l1", "l1_ratio": 0.5}):
        with pytest.warns(FutureWarning), pytest.raises(ValueError, match="l1_ratio: expected"):
            make(**wrong).fit(x, y)
    with pytest.raises(ValueError, match='expected 0 with solver="steps"; optimizer="ftrl'):
        make(l1_ratio=0.5, solver="steps").fit(x, y)
    with pytest.raises(ValueError, match="l1_ratio: expected 0 with partial_fit"):
        make(l1_ratio=0.5).partial_fit(x, y, [0, 1])


A9A = Path(__file__).parents[3] / "examples" / "data"


@pytest.mark.skipif(not A9A.exists(), reason="the data are those of the source tree")
def test_defaults_converge_on_a9a_as_those_of_scikit_learn() -> None:
    load = datasets.load_svmlight_file
    x, y = load(A9A / "a9a.gz", n_features=123)
    test_x, test_y = load(A9A / "a9a.t.gz", n_features=123)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        ours = sparcl.sklearn.LogisticRegression().fit(x, y)
    theirs = linear_model.LogisticRegression().fit(x, y)
    assert abs(ours.score(test_x, test_y) - theirs.score(test_x, test_y)) < 5e-4
    assert ours.n_iter_ <= theirs.n_iter_[0]


def test_columns_of_a_table_reach_the_accuracy_of_scikit_learn() -> None:
    random = np.random.default_rng(5)
    age, income = random.uniform(18, 90, 500), random.lognormal(10.5, 0.6, 500)
    y = (age - 50) / 15 + (np.log(income) - 10.5) * 2 + random.logistic(0, 0.7, 500) > 0
    x = np.stack([age, income], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        ours = sparcl.sklearn.LogisticRegression().fit(x, y)
    theirs = linear_model.LogisticRegression(max_iter=10000).fit(x, y)
    assert ours.score(x, y) > theirs.score(x, y) - 0.005


def test_what_is_not_converged_warns() -> None:
    x, y = far_from_scaled()
    with pytest.warns(ConvergenceWarning, match="in 2 of max_iter=2 iterations: the gradient is"):
        sparcl.sklearn.LogisticRegression(max_iter=2).fit(x, y > 0)
    with pytest.warns(ConvergenceWarning, match="did not reach tol=1e-15"):
        sparcl.sklearn.LogisticRegression(tol=1e-15, max_iter=3).fit(x, y > 0)
    with pytest.warns(
        ConvergenceWarning, match="float32, which raises the objective by .* far from 0"
    ):
        sparcl.sklearn.LinearRegression().fit(x[:, :1], y + 1e7 + 0.3)


def test_rows_of_every_kind_give_the_same_bits() -> None:
    x, y = problem()
    names = np.array(["no", "yes"])[y]
    make = sparcl.sklearn.LogisticRegression
    expected = make().fit(x, names)
    assert expected.classes_.tolist() == ["no", "yes"]
    assert set(expected.predict(x)) == {"no", "yes"}
    for rows in (
        x.astype(np.float64),
        scipy.sparse.csr_array(x),
        scipy.sparse.csc_matrix(x),
        scipy.sparse.coo_array(x.astype(np.float64)),
    ):
        found = make().fit(rows, names)
        np.testing.assert_array_equal(found.coef_, expected.coef_)
        np.testing.assert_array_equal(found.predict(rows), expected.predict(x))


def test_names_of_features_are_kept() -> None:
    pandas = pytest.importorskip("pandas")
    x, y = problem()
    frame = pandas.DataFrame(x, columns=[f"f{i}" for i in range(20)])
    model = sparcl.sklearn.LogisticRegression().fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.n_features_in_ == 20
    coder = sparcl.sklearn.KSparseAutoencoder(4, 2, sparse_output=False)
    codes = coder.set_output(transform="pandas").fit_transform(frame)
    assert codes.columns.tolist() == [f"ksparseautoencoder{i}" for i in range(4)]


# ---- training in parts ---------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["sgd", "adagrad", "adam"])
def test_parts_give_the_bits_of_a_run(optimizer: str) -> None:
    x, y = problem(3)
    settings: dict[str, Any] = {
        "optimizer": optimizer,
        "solver": "steps",
        "batch_size": "full",
        "alpha": 0.0,
        "learning_rate": 0.5,
    }
    whole = sparcl.sklearn.LogisticRegression(max_iter=4, **settings).fit(x, y)
    part = sparcl.sklearn.LogisticRegression(**settings)
    for _ in range(4):
        part.partial_fit(x, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(part.coef_, whole.coef_)
    warm = sparcl.sklearn.LogisticRegression(max_iter=2, warm_start=True, **settings)
    warm.fit(x, y).fit(x, y)
    np.testing.assert_array_equal(warm.coef_, whole.coef_)
    assert warm.n_iter_ == 2


@pytest.mark.parametrize(
    "estimator",
    [
        sparcl.sklearn.LogisticRegression(alpha=0.0, batch_size=20),
        sparcl.sklearn.SoftmaxRegression(alpha=0.0, batch_size=20),
        sparcl.sklearn.FactorizationMachineClassifier(batch_size=20, random_state=0),
    ],
    ids=lambda x: type(x).__name__,
)
def test_parts_may_lack_a_class(estimator: Any) -> None:
    x, y = problem()
    names = np.array(["no", "yes"])[y]
    model = clone(estimator)
    with pytest.raises(ValueError, match="classes"):
        model.partial_fit(x, names)
    order = np.argsort(y)
    model.partial_fit(x[order[:20]], names[order[:20]], classes=["yes", "no"])
    for _ in range(20):
        for at in range(0, 300, 100):
            model.partial_fit(x[at : at + 100], names[at : at + 100])
    assert model.score(x, names) > 0.7
    with pytest.raises(ValueError, match="found 'maybe' in row 0"):
        model.partial_fit(x[:1], ["maybe"])
    with pytest.raises(ValueError, match="expected those of the first call"):
        model.partial_fit(x, names, classes=["no", "maybe"])


def test_a_search_goes_on_where_it_ended() -> None:
    x, y = problem()
    model = sparcl.sklearn.LogisticRegression(warm_start=True, max_iter=2, tol=1e-5)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model.fit(x, y)
    first = model.model_.result["objective"]
    with pytest.warns(ConvergenceWarning):
        model.fit(x, y)
    assert model.model_.result["objective"] < first
    with pytest.raises(ValueError, match="classes"):
        model.fit(x, y + 5)


def test_steps_are_of_a_fiftieth_of_the_rows() -> None:
    x, y = np.tile(np.eye(2), (2000, 1)), np.tile([0, 1], 2000)
    for rows, batch in ((100, 32), (4000, 80)):
        model = sparcl.sklearn.LogisticRegression(alpha=0.0, solver="steps", max_iter=1)
        assert model.fit(x[:rows], y[:rows]).model_.info["batch"] == batch, rows


def test_held_out_rows_end_a_run() -> None:
    x, y = problem()
    model = sparcl.sklearn.FactorizationMachineClassifier(
        early_stopping=True, max_iter=1000, n_iter_no_change=3, batch_size=32, random_state=0
    ).fit(x, y)
    assert 3 < model.n_iter_ < 1000
    assert model.model_.result["best_epoch"] == model.n_iter_ - 3
    with pytest.raises(ValueError, match="lbfgs"):
        sparcl.sklearn.LogisticRegression(early_stopping=True).fit(x, y)


def test_all_rows_of_a_class_may_be_held_out() -> None:
    x, y = problem(rows=40)
    y[7] = 2  # one row
    for seed in range(30):
        model = sparcl.sklearn.LogisticRegression(
            solver="steps", early_stopping=True, random_state=seed, max_iter=2
        ).fit(x, y)
        assert model.predict_proba(x).shape == (40, 3)


def test_classes_are_weighted() -> None:
    x, y = problem()
    kept = (y == 0) | (np.arange(300) % 10 == 0)
    x, y = x[kept], y[kept]
    for estimator in (
        sparcl.sklearn.LogisticRegression(),
        sparcl.sklearn.FactorizationMachineClassifier(max_iter=10, random_state=0),
    ):
        plain = clone(estimator).fit(x, y)
        balanced = clone(estimator).set_params(class_weight="balanced").fit(x, y)
        assert (balanced.predict(x) == 1).sum() > (plain.predict(x) == 1).sum()
    with pytest.raises(ValueError, match="keys of"):
        sparcl.sklearn.LogisticRegression(class_weight={7: 1.0}).fit(x, y)


# ---- other models --------------------------------------------------------------------------------


def test_enums_give_rows_back() -> None:
    random = np.random.default_rng(3)
    parts = random.random((6, 30)) * (random.random((6, 30)) < 0.3)
    x = scipy.sparse.csr_array(np.eye(6)[random.integers(0, 6, 400)] @ parts)
    coder = sparcl.sklearn.KSparseAutoencoder(
        24, 3, max_iter=100, learning_rate=0.01, random_state=0
    )
    codes = coder.fit_transform(x)
    assert scipy.sparse.issparse(codes)
    assert codes.format == "csr"
    assert (codes.shape, codes.nnz) == ((400, 24), 1200)
    back = coder.inverse_transform(codes)
    error = ((back - x.toarray()) ** 2).sum()
    assert error < 0.05 * (x.toarray() ** 2).sum()
    assert coder.score(x) == pytest.approx(-error / 800, rel=1e-4)
    assert coder.get_feature_names_out()[0] == "ksparseautoencoder0"
    parted = sparcl.sklearn.KSparseAutoencoder(24, 3, random_state=0, learning_rate=0.01)
    before = parted.partial_fit(x).score(x)
    for _ in range(10):
        parted.partial_fit(x)
    assert parted.score(x) > before


def test_items_are_ranked() -> None:
    random = np.random.default_rng(4)
    group = random.integers(0, 3, 90)
    own = group[:, None] == np.arange(30) // 10
    x = scipy.sparse.csr_array((own & (random.random(own.shape) < 0.6)).astype(np.float32))
    model = sparcl.sklearn.MatrixFactorization(8, max_iter=60, batch_size=128, random_state=0)
    items, scores = model.fit(x[:80]).recommend(x[:80], 3)
    assert np.mean(items // 10 == group[:80, None]) > 0.9
    assert scores.shape == (80, 3)
    assert not x.toarray()[np.arange(80)[:, None], items].any()
    assert model.user_factors_.shape == (80, 8)
    assert model.score(x[80:]) > 0.8  # users that the training has not seen
    assert model.transform(x[80:]).shape == (10, 8)


# ---- tools of scikit-learn -----------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_parameters_are_searched_in_threads_and_processes(backend: str) -> None:
    joblib = pytest.importorskip("joblib")
    x, y = problem()
    sparcl.default_context()  # opened here, before there are processes
    estimator = sparcl.sklearn.LogisticRegression()
    grid = {"C": [0.001, 0.1, 10]}
    alone = GridSearchCV(estimator, grid, cv=3).fit(x, y)
    with joblib.parallel_backend(backend, n_jobs=2):
        search = GridSearchCV(estimator, grid, cv=3, n_jobs=2).fit(x, y)
    for key in ("mean_test_score", "std_test_score"):
        np.testing.assert_array_equal(search.cv_results_[key], alone.cv_results_[key])
    np.testing.assert_array_equal(search.best_estimator_.coef_, alone.best_estimator_.coef_)


def test_processes_that_fork_say_what_to_do() -> None:
    joblib = pytest.importorskip("joblib")
    x, y = problem()
    sparcl.default_context()
    search = GridSearchCV(
        sparcl.sklearn.LogisticRegression(), {"C": [1, 2]}, cv=2, n_jobs=2, error_score="raise"
    )
    with (
        joblib.parallel_backend("multiprocessing", n_jobs=2),
        pytest.raises(sparcl.errors.UnsupportedError, match="loky"),
    ):
        search.fit(x, y)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda x: type(x).__name__)
def test_every_estimator_is_searched_and_pickled(estimator: Any) -> None:
    x, y = problem()
    x = abs(x) * (x > 0)
    quick = clone(estimator).set_params(max_iter=2, random_state=0)
    if "n_components" in quick.get_params():
        quick.set_params(n_components=8)
    with pytest.warns(ConvergenceWarning) if "solver" in quick.get_params() else nullcontext():
        search = GridSearchCV(quick, {"max_iter": [1, 2]}, cv=2, error_score="raise").fit(x, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    fitted = search.best_estimator_
    other = pickle.loads(pickle.dumps(fitted))
    method = "predict" if hasattr(fitted, "predict") else "transform"
    ours, theirs = (getattr(model, method)(x) for model in (fitted, other))
    assert (abs(ours - theirs)).sum() == 0
    assert other.n_iter_ == fitted.n_iter_
    with pytest.raises(NotFittedError):
        getattr(clone(estimator), method)(x)


def test_a_pipeline_is_a_model() -> None:
    x, y = problem()
    model = make_pipeline(StandardScaler(), sparcl.sklearn.LogisticRegression()).fit(x, y)
    assert model.score(x, y) > 0.7


def test_parameters_are_checked() -> None:
    x, y = problem()
    make = sparcl.sklearn.LogisticRegression
    for wrong, words in (
        ({"solver": "newton"}, 'solver: expected "lbfgs" or "steps", found'),
        ({"C": 0}, "C: expected a number above 0, found 0"),
        ({"max_iter": 0}, "max_iter: expected an int from 1"),
        ({"batch_size": 0}, "batch_size: expected"),
        ({"optimizer": "none"}, "none"),
        ({"device": "no such"}, "no such"),
        ({"class_weight": "odd"}, "class_weight: expected"),
        ({"index_base": 2}, "index_base: expected 0 or 1"),
        ({"validation_fraction": 1.0}, "validation_fraction: expected"),
    ):
        with pytest.raises((ValueError, sparcl.SparclError), match=words):
            make(**wrong).fit(x, y)
    with pytest.raises(ValueError, match="2 classes"):
        make().fit(x, np.zeros(len(y)))
    with pytest.raises(ValueError, match="binary"):
        sparcl.sklearn.FactorizationMachineClassifier().fit(x, np.arange(len(y)) % 3)


def test_nothing_that_is_optional_is_imported() -> None:
    program = "import sys, sparcl; print([m for m in {names} if m in sys.modules])"
    names = ["sklearn", "scipy", "torch", "tqdm", "pandas"]
    done = subprocess.run(
        [sys.executable, "-c", program.format(names=names)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def users_and_items(users: int = 60, items: int = 30) -> Any:
    random = np.random.default_rng(3)
    tastes = random.standard_normal((users, 3)) @ random.standard_normal((3, items))
    return scipy.sparse.csr_array((tastes > 1).astype(np.float32))


def test_a_ranking_ends_early_and_goes_on_in_parts() -> None:
    x = users_and_items()
    settings: dict[str, Any] = {"n_components": 8, "random_state": 1}
    early = sparcl.sklearn.MatrixFactorization(
        early_stopping=True, max_iter=500, n_iter_no_change=3, **settings
    ).fit(x)
    assert 3 < early.n_iter_ < 500
    parts = sparcl.sklearn.MatrixFactorization(**settings)
    first = parts.partial_fit(x).score(x)
    for _ in range(30):
        parts.partial_fit(x)
    assert parts.score(x) > first + 0.02
    with pytest.raises(ValueError, match="the 60 users of before"):
        parts.partial_fit(x[:10])
    with pytest.raises(ValueError, match="False with partial_fit"):
        early.partial_fit(x)
