"""Estimators are given every wrong thing: they raise the exception of scikit-learn's own
estimators, or give the result of right arguments."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("sklearn")

from sklearn import decomposition, linear_model
from sklearn.base import clone, is_regressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

import sparcl.sklearn
from sparcl.sklearn import _settings

Call = Callable[[], Any]
X = np.abs(np.random.default_rng(0).standard_normal((40, 3)))
Y = (X @ [1, -1, 0.5] > 0.2).astype(int)
ONES = np.ones(40)
QUICK: dict[str, Any] = {"max_iter": 2, "random_state": 0}

# Ours, and an estimator of scikit-learn that takes the same things.
ESTIMATORS: dict[str, tuple[Any, Any]] = {
    "LogisticRegression": (
        sparcl.sklearn.LogisticRegression(max_iter=8),
        linear_model.LogisticRegression(max_iter=8),
    ),
    "SoftmaxRegression": (
        sparcl.sklearn.SoftmaxRegression(max_iter=8),
        linear_model.LogisticRegression(max_iter=8),
    ),
    "LinearRegression": (sparcl.sklearn.LinearRegression(alpha=0.1), linear_model.Ridge()),
    "FactorizationMachineClassifier": (
        sparcl.sklearn.FactorizationMachineClassifier(**QUICK),
        linear_model.LogisticRegression(max_iter=8),
    ),
    "FactorizationMachineRegressor": (
        sparcl.sklearn.FactorizationMachineRegressor(**QUICK),
        linear_model.Ridge(),
    ),
    "KSparseAutoencoder": (
        sparcl.sklearn.KSparseAutoencoder(4, 2, **QUICK),
        decomposition.NMF(2, max_iter=3),
    ),
    "MatrixFactorization": (
        sparcl.sklearn.MatrixFactorization(4, **QUICK),
        decomposition.NMF(2, max_iter=3),
    ),
}
SUPERVISED = [name for name, (ours, _) in ESTIMATORS.items() if hasattr(ours, "predict")]


def put(value: Any, x: Any = X) -> Any:
    """One other number."""
    changed = x.astype(np.float64)
    changed[(3, 1)[: x.ndim]] = value
    return changed


def sparse(**changed: Any) -> Any:
    """A CSR matrix with other arrays, which SciPy does not check."""
    a = scipy.sparse.csr_array(X)
    for name, change in changed.items():
        setattr(a, name, change(getattr(a, name)))
    return a


def unsorted() -> Any:
    a = sparse(**{n: lambda x: x.reshape(40, 3)[:, ::-1].ravel() for n in ("indices", "data")})
    a.has_sorted_indices = False
    return a


def repeated() -> Any:
    """Each entry as two halves."""
    a = scipy.sparse.csr_array((40, 3))
    a.indptr, a.indices = np.arange(0, 241, 6, np.int32), np.tile(np.arange(3, dtype=np.int32), 80)
    a.data = np.hstack([X / 2, X / 2]).ravel()
    return a


def frame(x: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame(x)


SAME: dict[str, Call] = {
    "list": X.tolist,
    "columns first": lambda: np.asfortranarray(X),
    "gaps": lambda: np.repeat(X, 2, 1)[:, ::2],
    "backwards": lambda: X[::-1].copy()[::-1],
    "byte-swapped": lambda: X.astype(">f8"),
    "long double": lambda: X.astype(np.longdouble),
    "object": lambda: X.astype(object),
    "masked": lambda: np.ma.masked_array(X),
    "read-only": lambda: np.frombuffer(X.tobytes()).reshape(X.shape),
    "frame": lambda: frame(X),
    "nullable frame": lambda: frame(X).astype("Float64"),
    "sparse frame": lambda: frame(X).astype(pytest.importorskip("pandas").SparseDtype(float, 0.0)),
    "tensor": lambda: pytest.importorskip("torch").tensor(X),
    **{
        kind: lambda kind=kind: scipy.sparse.coo_array(X).asformat(kind)
        for kind in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")
    },
    "csr_matrix": lambda: scipy.sparse.csr_matrix(X),
    "int64 indices": lambda: sparse(
        indices=lambda x: x.astype(np.int64), indptr=lambda x: x.astype(np.int64)
    ),
    "byte-swapped csr": lambda: sparse(data=lambda x: x.astype(">f8")),
    "unsorted": unsorted,
    "repeated": repeated,
    "repeated coo": lambda: repeated().tocoo(),
}
OTHER: dict[str, Call] = {
    "float16": lambda: X.astype("f2"),
    "int8": lambda: X.astype("i1"),
    "bool": lambda: X > 0.5,
    "sparse bool": lambda: scipy.sparse.csr_array(X > 0.5),
    "wide": lambda: np.hstack([X, X]),
    "narrow": lambda: X[:, :2],
    "no columns": lambda: X[:, :0],
    "no rows": lambda: X[:0],
    "wide csr": lambda: scipy.sparse.csr_array(np.hstack([X, X])),
    "narrow csr": lambda: scipy.sparse.csr_array(X[:, :2]),
    "csr without rows": lambda: scipy.sparse.csr_array(X[:0]),
    "csr without columns": lambda: scipy.sparse.csr_array((40, 0)),
    "vector": lambda: X[:, 0],
    "sparse vector": lambda: scipy.sparse.coo_array(X[:, 0]),
    "number": lambda: 1.0,
    "rank 3": lambda: X[..., None],
    "None": lambda: None,
    "words": lambda: [["a", "b", "c"]] * 40,
    "object words": lambda: np.array([["a", 1, 2]] * 40, dtype=object),
    "None inside": lambda: np.array([[None, 1, 2]] * 40, dtype=object),
    "NaN": lambda: put(np.nan),
    "infinite": lambda: put(-np.inf),
    "complex": lambda: X.astype(complex),
    "sparse NaN": lambda: scipy.sparse.csr_array(put(np.nan)),
    "sparse infinite": lambda: scipy.sparse.csr_array(put(np.inf)),
    "sparse complex": lambda: scipy.sparse.csr_array(X.astype(complex)),
    "ragged": lambda: [[1, 2, 3], [1]],
    "frame with NA": lambda: frame(put(np.nan)).astype("Float64"),
    "frame of words": lambda: frame({"a": ["x"] * 40, "b": 1, "c": 2}),
    "series": lambda: frame(X)[0],
}
# What scikit-learn takes, or reads outside of its memory for.
REFUSED: dict[str, Call] = {
    "beyond float32": lambda: put(1e39),
    "sparse beyond float32": lambda: scipy.sparse.csc_array(put(-1e300)),
    "index": lambda: sparse(indices=lambda x: put(7, x).astype(np.int32)),
    "negative index": lambda: sparse(indices=lambda x: put(-1, x).astype(np.int32)),
    "far index": lambda: sparse(indices=lambda x: put(2e9, x).astype(np.int32)),
    "index of float": lambda: sparse(indices=lambda x: x.astype(float)),
    "index of csc": lambda: sparse(indices=lambda x: x + 40).T,
    "first offset": lambda: sparse(indptr=lambda x: x + 1),
    "descending": lambda: sparse(indptr=lambda x: x[::-1].copy()),
    "beyond": lambda: sparse(indptr=lambda x: x * 100_000),
    "few values": lambda: sparse(data=lambda x: x[:-5]),
    "few offsets": lambda: sparse(indptr=lambda x: x[:-1]),
    "coordinate": lambda: coordinates(70_000_000),
    "negative coordinate": lambda: coordinates(-5),
}


def coordinates(wrong: int) -> Any:
    a = scipy.sparse.coo_array(X)
    a.row[5] = wrong
    return a


LABELS: dict[str, Call] = {
    "column": lambda: Y[:, None],
    "short": lambda: Y[:-1],
    "long": lambda: np.append(Y, 1),
    "None": lambda: None,
    "NaN": lambda: put(np.nan, Y),
    "infinite": lambda: put(np.inf, Y),
    "words": lambda: np.where(Y, "a", "b"),
    "objects": lambda: Y.astype(object),
    "object words": lambda: np.where(Y, "a", "b").astype(object),
    "bool": lambda: Y > 0,
    "complex": lambda: Y.astype(complex),
    "continuous": lambda: Y + 0.25 * np.arange(40),
    "halves": lambda: Y + 0.5,
    "sparse": lambda: scipy.sparse.csr_array(Y[:, None]),
    "empty": lambda: [],
    "mixed": lambda: ["a", 1] * 20,
    "None inside": lambda: [None, 1] * 20,
    "rank 3": lambda: Y[:, None, None],
    "ragged": lambda: [[1, 2], [3]],
    "byte-swapped": lambda: Y.astype(">i8"),
    "series": lambda: frame(Y)[0],
    "nullable": lambda: frame(Y)[0].astype("Int64"),
    "NA": lambda: frame(Y)[0].astype("Int64").where(frame(Y).index != 3),
}
WEIGHTS: dict[str, Call] = {
    "list": ONES.tolist,
    "int": lambda: ONES.astype(int),
    "bool": lambda: ONES > 0,
    "number": lambda: 2.0,
    "short": lambda: ONES[:-1],
    "long": lambda: np.append(ONES, 1),
    "column": lambda: ONES[:, None],
    "empty": lambda: [],
    "NaN": lambda: put(np.nan, ONES),
    "infinite": lambda: put(np.inf, ONES),
    "zeros": lambda: 0 * ONES,
    "words": lambda: ["a"] * 40,
    "text": lambda: "balanced",
    "complex": lambda: ONES.astype(complex),
    "None inside": lambda: [None] + [1] * 39,
    "sparse": lambda: scipy.sparse.csr_array(ONES[:, None]),
    "dictionary": lambda: {1: 2},
    "series": lambda: frame(ONES)[0],
}
WEIGHTS_REFUSED: dict[str, Call] = {
    "negative": lambda: put(-1, ONES),
    "beyond float32": lambda: put(1e39, ONES),
    "zeros in float32": lambda: 1e-60 * ONES,
}


# Messages of its functions, which do not name the argument.
OF_SCIKIT_LEARN = "Found array with|Expected 2D array|inconsistent numbers|could not convert"


def attempt(call: Call) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:
            return error


def array(x: Any) -> Any:
    return x.toarray() if scipy.sparse.issparse(x) else x


def fitted(estimator: Any, *arguments: Any) -> Any:
    return clone(estimator).fit(*arguments)


def applied(estimator: Any, x: Any) -> Any:
    return array(estimator.predict(x) if hasattr(estimator, "predict") else estimator.transform(x))


def compare(label: str, name: str, ours: Any, theirs: Any) -> str:
    """What is wrong with an answer."""
    if not isinstance(theirs, Exception):
        return f"{label}: {ours!r}, accepted there" if isinstance(ours, Exception) else ""
    if not isinstance(ours, Exception):
        return f"{label}: accepted, there {theirs!r}"
    kind = ValueError if isinstance(theirs, ValueError) else TypeError
    named = str(ours) == str(theirs) or re.search(rf"\b{name}|{OF_SCIKIT_LEARN}", str(ours))
    return "" if isinstance(ours, kind) and named else f"{label}: {ours!r}, there {theirs!r}"


def test_all_estimators_are_here() -> None:
    assert sorted(ESTIMATORS) == sorted(sparcl.sklearn.__all__)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_rows_of_every_kind(name: str) -> None:
    ours, theirs = (fitted(x, X, Y) for x in ESTIMATORS[name])
    expected, wrong = applied(ours, X), []
    for label, make in SAME.items():
        for model in (ours, attempt(lambda make=make: fitted(ours, make(), Y))):
            x = make() if model is ours else X
            found = attempt(lambda x=x, model=model: applied(model, x))
            if isinstance(found, Exception) or not np.allclose(found, expected, atol=1e-4):
                wrong.append(f"{label}: {found}, {model}")
    for label, make in OTHER.items():
        answers = [attempt(lambda m=m, make=make: applied(m, make())) for m in (ours, theirs)]
        wrong.append(compare(label, "X", *answers))
        answers = [attempt(lambda m=m, make=make: fitted(m, make(), Y)) for m in (ours, theirs)]
        wrong.append(compare(f"fit, {label}", "X", *answers))
    for label, make in REFUSED.items():
        for call in (lambda x: applied(ours, x), lambda x: fitted(ours, x, Y)):
            found = attempt(lambda make=make, call=call: call(make()))
            wrong.append(compare(label, "X:", found, ValueError()))
    assert not any(wrong), "\n".join(filter(None, wrong))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_rows_stay_as_they_are(name: str) -> None:
    """Zeros, repeated and unsorted entries of the caller's matrix."""
    a = repeated()
    a.data[[0, 5]] = 0
    a.indices[:6] = [2, 1, 0, 0, 1, 2]
    before = a.copy()
    ours = fitted(ESTIMATORS[name][0], a, Y)
    applied(ours, a)
    ours.score(a, Y)
    for each in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(a, each), getattr(before, each))


@pytest.mark.parametrize("name", SUPERVISED)
def test_labels_and_weights_of_every_kind(name: str) -> None:
    ours, theirs = ESTIMATORS[name]
    wrong = []
    for label, make in LABELS.items():
        answers = [attempt(lambda m=m, make=make: fitted(m, X, make())) for m in (ours, theirs)]
        wrong.append(compare(label, "y", *answers))
    for label, make in WEIGHTS.items():
        answers = [attempt(lambda m=m, make=make: fitted(m, X, Y, make())) for m in (ours, theirs)]
        wrong.append(compare(label, "sample_weight", *answers))
    for label, make in WEIGHTS_REFUSED.items():
        found = attempt(lambda make=make: fitted(ours, X, Y, make()))
        wrong.append(compare(label, "sample_weight:", found, ValueError()))
    found = attempt(lambda: fitted(ours, X, put(1e39, Y) if is_regressor(ours) else 0 * Y))
    wrong.append(compare("range or one class", "expected", found, ValueError()))
    assert not any(wrong), "\n".join(filter(None, wrong))


@pytest.mark.parametrize("name", SUPERVISED)
def test_a_column_of_labels_warns(name: str) -> None:
    ours, _ = ESTIMATORS[name]
    with pytest.warns(DataConversionWarning):
        fitted(ours, X, Y[:, None])


WRONG_SETTINGS = (None, "x", object(), [], {}, -1, 0, 0.5, 1.5, 2**70, np.nan, np.inf, True, "", 1j)
# The right ones among these, by what a rule says.
RIGHT = {
    "None": lambda x: x is None,
    "a str": lambda x: isinstance(x, str),
    "True or False": lambda x: x is True,
    "0 or 1": lambda x: x in (0, True),
    "an int from 1": lambda x: x is True,
    "an int from 0": lambda x: isinstance(x, int) and 0 <= x < 2**64,
    "an int": lambda x: isinstance(x, int) and -2 < x < 2,
    "a number from 0": lambda x: isinstance(x, (int, float)) and 0 <= x < np.inf,
    "a number above 0": lambda x: isinstance(x, (int, float)) and x > 0,
    "a number between 0 and 1": lambda x: isinstance(x, float) and 0 < x < 1,
    "a dictionary of numbers from 0": lambda x: x == {},
}


def right(expected: str, value: Any) -> bool:
    """Whether the message of a parameter says that a value is right."""
    parts = [
        RIGHT[each] for each in RIGHT if re.search(rf"\b{re.escape(each)}(?! from|\w)", expected)
    ]
    return any(part(value) is True for part in parts)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_of_every_kind(name: str) -> None:
    ours, _ = ESTIMATORS[name]
    wrong = []
    for parameter in ours.get_params():
        _, expected = ours._rules.get(parameter, _settings.RULES[parameter])
        for value in WRONG_SETTINGS:
            if right(expected, value):
                continue
            found = attempt(lambda p=parameter, v=value: clone(ours).set_params(**{p: v}).fit(X, Y))
            if not isinstance(found, InvalidParameterError) or f"{parameter}: expected" not in str(
                found
            ):
                wrong.append(f"{parameter}={value!r}: {found!r}")
    assert not wrong, "\n".join(wrong)


METHODS = (
    "predict", "predict_proba", "predict_log_proba", "decision_function", "transform",
    "inverse_transform", "recommend",
)  # fmt: skip


@pytest.mark.parametrize("name", ESTIMATORS)
def test_what_is_not_fitted_says_so(name: str) -> None:
    ours, _ = ESTIMATORS[name]
    new = clone(ours)
    for method in METHODS:
        if hasattr(new, method):
            with pytest.raises(NotFittedError):
                getattr(new, method)(X)
    with pytest.raises(NotFittedError):
        new.score(X, Y)


CODES: dict[str, Call] = {
    "narrow": lambda: np.ones((5, 3)),
    "vector": lambda: np.ones(4),
    "NaN": lambda: np.full((5, 4), np.nan),
    "complex": lambda: np.ones((5, 4), complex),
    "words": lambda: [["a"] * 4],
    "index": lambda: scipy.sparse.csr_array(([1.0], [10**9], [0, 1]), shape=(1, 4)),
}


@pytest.mark.parametrize("label", CODES)
def test_codes_of_every_kind(label: str) -> None:
    model = fitted(ESTIMATORS["KSparseAutoencoder"][0], X)
    expected = model.inverse_transform(np.ones((2, 4)))
    np.testing.assert_allclose(model.inverse_transform([[1] * 4] * 2), expected)
    if label == "index":
        codes = scipy.sparse.csr_array((1, 4))
        codes.indices, codes.indptr, codes.data = np.array([10**9]), np.array([0, 1]), np.ones(1)
    else:
        codes = CODES[label]()
    with pytest.raises(ValueError, match=rf"\bX\b|{OF_SCIKIT_LEARN}|Complex"):
        model.inverse_transform(codes)


@pytest.mark.parametrize("k", [0, -1, 1.5, "x", None, 2**70])
def test_numbers_of_items_of_every_kind(k: Any) -> None:
    model = fitted(ESTIMATORS["MatrixFactorization"][0], X)
    assert model.recommend(X, 2)[0].shape == (40, 2)
    with pytest.raises(InvalidParameterError, match="k: expected an int from 1"):
        model.recommend(X, k)
    with pytest.raises(ValueError, match="40"):
        model.recommend(X[:7], 1)


def test_wider_codes_than_units_warn() -> None:
    with pytest.warns(UserWarning, match="k: expected at most n_components=2, found 3"):
        sparcl.sklearn.KSparseAutoencoder(2, 3, max_iter=1).fit(X)


PARTS: dict[str, tuple[dict[str, Any], str]] = {
    "columns": ({"X": X[:, :2], "y": Y}, "X has 2 features"),
    "labels": ({"X": X, "y": Y[:-1]}, "inconsistent numbers"),
    "other class": ({"X": X, "y": Y + 5}, "y: expected one of the classes"),
    "weights": ({"X": X, "y": Y, "sample_weight": [1.0]}, "sample_weight: expected"),
    "classes": ({"X": X, "y": Y, "classes": [1, 2]}, "classes: expected those of the first call"),
    "words": ({"X": X, "y": Y, "classes": ["a", "b"]}, "classes: expected those of the first call"),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", [x for x in SUPERVISED if not is_regressor(ESTIMATORS[x][0])])
def test_parts_of_every_kind(name: str, part: str) -> None:
    """A part that is refused changes nothing."""
    model = clone(ESTIMATORS[name][0]).set_params(alpha=0.0)
    model.partial_fit(X, Y, classes=[0, 1])
    before = applied(model, X)
    arguments, words = PARTS[part]
    with pytest.raises(ValueError, match=words):
        model.partial_fit(**arguments)
    np.testing.assert_array_equal(applied(model, X), before)


@pytest.mark.parametrize("name", [x for x in SUPERVISED if not is_regressor(ESTIMATORS[x][0])])
@pytest.mark.parametrize("classes", [None, [0], [[0, 1], [2]], [np.nan, 1], 5, ["a", 1, None]])
def test_classes_of_every_kind(name: str, classes: Any) -> None:
    with pytest.raises(ValueError, match="classes"):
        clone(ESTIMATORS[name][0]).set_params(alpha=0.0).partial_fit(X, Y, classes=classes)
