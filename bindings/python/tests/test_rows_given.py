"""Rows as models take them: matrices, tables and data, with labels and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sparcl

RANDOM = np.random.default_rng(7)
X = RANDOM.random((80, 4))
Y = np.where(X[:, 0] > 0.5, "yes", "no")


@pytest.fixture(scope="module")
def model() -> sparcl.Model:
    return sparcl.train(X, Y)


@pytest.fixture(scope="module")
def frame() -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=list("abcd")).assign(clicked=Y)


def test_a_matrix_has_the_columns_of_the_training(model: sparcl.Model) -> None:
    codes = sparcl.train(X, None, "autoencoder:units=4,k=2", epochs=1)
    for wrong in (X[:, :3], np.zeros((2, 0)), np.c_[X, X], scipy.sparse.csr_array(X[:, 1:])):
        calls: list[Callable[[Any], Any]] = [model.predict, model.predict_proba, model.scores]
        calls += [codes.encode, lambda x: model.evaluate(x, Y[: x.shape[0]])]
        for call in calls:
            found = f"x: expected 4 columns, those of the training, found {wrong.shape[1]}"
            with pytest.raises(sparcl.errors.ShapeError, match=found):
                call(wrong)
    expected = model.predict(np.c_[X[:, :3], np.zeros(80)])
    np.testing.assert_array_equal(model.predict(sparcl.data(X[:, :3])), expected)


def test_a_model_is_evaluated_on_what_it_is_trained_on(model: sparcl.Model) -> None:
    expected = model.evaluate(sparcl.data(X, Y))
    assert expected["accuracy"] > 0.9
    for x in (X, X.tolist(), scipy.sparse.coo_array(X), scipy.sparse.csc_array(X)):
        np.testing.assert_equal(model.evaluate(x, Y), expected)
    report = model.class_report(X, Y)
    assert report.rows.tolist() == [(Y == "no").sum(), (Y == "yes").sum()]
    one = sparcl.train(X, Y, epochs=3, valid=(X, Y))
    np.testing.assert_equal(
        one.metrics, sparcl.train(X, Y, epochs=3, valid=sparcl.data(X, Y)).metrics
    )
    other = sparcl.train(X, Y, epochs=3)
    one.calibrate((X, Y))
    other.calibrate(sparcl.data(X, Y))
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_a_table_is_evaluated_by_its_names(frame: Any) -> None:
    model, x = sparcl.train(frame, "clicked"), frame.drop(columns="clicked")
    expected = model.evaluate(sparcl.data(frame, "clicked"))
    assert expected["accuracy"] > 0.9
    np.testing.assert_equal(model.evaluate(frame[frame.columns[::-1]]), expected)
    np.testing.assert_equal(model.evaluate(x, Y), expected)
    np.testing.assert_equal(model.evaluate(frame.assign(clicked="no"), Y), expected)
    np.testing.assert_equal(model.evaluate(frame.rename(columns={"clicked": "y"}), "y"), expected)
    for valid in (frame, (frame, "clicked"), (x, Y)):
        metrics = sparcl.train(frame, "clicked", epochs=3, valid=valid).metrics
        assert metrics["valid_rows"] == 80
        assert metrics["valid_accuracy"] > 0.5
    np.testing.assert_equal(sparcl.train(X, Y).evaluate(x, Y), sparcl.train(X, Y).evaluate(X, Y))


def test_an_autoencoder_needs_no_labels(frame: Any) -> None:
    x = frame.drop(columns="clicked")
    for rows in (X, x):
        model = sparcl.train(rows, None, "autoencoder:units=4,k=2", epochs=1)
        assert model.encode(rows).shape == (80, 4)
        assert model.evaluate(rows)["rows"] == 80
    np.testing.assert_equal(model.evaluate(frame), model.evaluate(x))
    with pytest.raises(TypeError, match="labels: expected none, as in the training"):
        model.evaluate(x, Y)
    assert sparcl.train(X, None, "bpr:factors=2", epochs=1).info["kind"] == "bpr"


def test_what_is_no_rows_with_labels_is_refused(model: sparcl.Model, frame: Any) -> None:
    named = sparcl.train(frame, "clicked")
    for call, message in (
        (lambda: model.evaluate(X), "labels: expected one for each row, found none; give them"),
        (lambda: model.evaluate(X, Y[:5]), "labels: expected one for each of 80 rows"),
        (lambda: model.evaluate(X, "y"), "found the name 'y', which is for tables"),
        (lambda: model.evaluate(sparcl.data(X, Y), Y), "labels: expected none beside data"),
        (lambda: model.evaluate(3), "x: expected a matrix"),
        (lambda: named.evaluate(frame[list("abcd")]), "labels: expected one for each row, found n"),
        (lambda: named.evaluate(frame, "nope"), "labels: expected a column of the table"),
        (lambda: named.evaluate(X, Y), "x: expected a table with the columns of the training"),
        (lambda: sparcl.train(X, Y, epochs=1, valid=X), "labels: expected one for each row, found"),
        (lambda: sparcl.train(X, None, "fm"), "or labels after the rows, found ndarray alone"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            call()
