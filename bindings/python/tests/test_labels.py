"""Labels that are words, notes of a training, and what is predicted class by class."""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse

import sparcl

WORDS = ["Spam, sure", "größer = x", "ham"]  # in the order of their characters
TOOL = os.environ.get("SPARCL_TOOL")
needs_tool = pytest.mark.skipif(not TOOL, reason="SPARCL_TOOL does not name the tool")


def problem(rows: int = 240) -> tuple[Any, npt.NDArray[np.str_]]:
    random = np.random.default_rng(5)
    numbers = random.integers(0, 3, rows)
    x = random.normal(size=(rows, 4)) + 1.5 * np.eye(3, 4)[numbers]
    return scipy.sparse.csr_array(x), np.array(WORDS)[numbers]


def table(path: Path) -> Path:
    x, y = problem()
    rows = [f'"{word}",{",".join(map(str, row))}' for word, row in zip(y, x.toarray(), strict=True)]
    path.write_text("\n".join(["kind,a,b,c,d", *rows]) + "\n")
    return path


# ---- words ---------------------------------------------------------------------------------------


def test_words_are_labels() -> None:
    x, y = problem()
    data = sparcl.data(x, y)
    assert data.label_names == WORDS
    assert data.labels is not None
    assert (np.array(WORDS)[data.labels.astype(int)] == y).all()
    for labels in (y, y.tolist(), y.astype(object)):
        model = sparcl.train(x, labels, epochs=20)
        assert model.classes.tolist() == model.label_names == WORDS
        assert (model.predict(x) == y).mean() > 0.75
        chosen = model.predict_proba(x).argmax(1)
        assert (model.classes[chosen] == model.predict(x)).all()
        numbers = sparcl.train(x, data.labels, epochs=20)
        np.testing.assert_array_equal(numbers.tensors["weight"], model.tensors["weight"])
        assert numbers.label_names is None
        assert numbers.classes.tolist() == [0, 1, 2]


def test_files_and_pickles_keep_the_words(tmp_path: Path) -> None:
    x, y = problem()
    model = sparcl.train(x, y)
    model.save(tmp_path / "m")
    for again in (sparcl.Model.load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert again.classes.tolist() == WORDS
        assert (again.predict(x) == model.predict(x)).all()


@needs_tool
def test_the_tool_prints_the_words_and_probabilities(tmp_path: Path) -> None:
    assert TOOL is not None
    x, y = problem()
    model = sparcl.train(x, y)
    model.save(tmp_path / "m")
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(x))
    command = [TOOL, "predict", tmp_path / "m", tmp_path / "x.npz"]
    proba = model.predict_proba(x)
    for options, expected in (([], proba.max(1, keepdims=True)), (["--proba"], proba)):
        run = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
        found = [line.split("\t") for line in run.stdout.splitlines()]
        assert [each[0] for each in found] == model.predict(x).tolist()
        assert [each[1:] for each in found] == [[f"{p:.9g}" for p in row] for row in expected]


def test_words_have_the_numbers_of_the_model() -> None:
    x, y = problem()
    some = np.flatnonzero(y != WORDS[0])  # their numbers alone are others
    model = sparcl.train(x, y)
    data = sparcl.data(x[some], y[some])
    assert data.label_names == WORDS[1:]
    assert model.evaluate(data)["accuracy"] == (model.predict(x[some]) == y[some]).mean()
    others = np.where(np.arange(len(y)) < 12, "another", y)
    with pytest.warns(RuntimeWarning, match="12 of 240 rows have a label that the model does not"):
        found = model.evaluate(sparcl.data(x, others))
    assert found["accuracy"] == pytest.approx((model.predict(x) == others).mean())
    with pytest.raises(TypeError, match="labels are words, such as 'Spam, sure', but those of the"):
        sparcl.train(x, np.arange(240) % 2).evaluate(sparcl.data(x, y))


def test_validation_and_further_training_have_these_numbers() -> None:
    x, y = problem()
    some = np.flatnonzero(y != WORDS[0])
    valid = sparcl.data(x[some], y[some])
    model = sparcl.train(sparcl.data(x, y), valid=valid, epochs=5)
    assert model.metrics["valid_accuracy"] == model.evaluate(valid)["accuracy"]
    further = sparcl.train(sparcl.data(x[some], y[some]), start=model, epochs=2)
    assert further.classes.tolist() == WORDS
    rest, held = sparcl.data(x, y).split(0.25)
    assert rest.label_names == held.label_names == WORDS
    assert sparcl.train(rest, valid=held, epochs=2).classes.tolist() == WORDS


def test_a_part_without_a_class_keeps_the_words_of_the_others() -> None:
    x = np.eye(40)
    y = ["b"] * 20 + ["a"] + ["c"] * 19
    data = sparcl.data(x, y)
    seed = next(s for s in range(99) if 0 not in data.split(0.5, seed=s)[0].labels)  # type: ignore[operator]
    model = sparcl.train(data.split(0.5, seed=seed)[0])
    assert model.classes.tolist() == ["b", "c"]
    assert model.info["labels"] == [1, 2]
    assert set(model.predict(x)) <= {"b", "c"}


def test_class_weights_by_word() -> None:
    x, y = problem()
    data = sparcl.data(x, y)
    numbers = sparcl.train(data, epochs=3, class_weights={2: 5.0, 0: 0.5})
    words = sparcl.train(data, epochs=3, class_weights={"ham": 5, "Spam, sure": 0.5})
    np.testing.assert_array_equal(numbers.tensors["weight"], words.tensors["weight"])
    with pytest.raises(ValueError, match=r"class_weights: expected one of the labels .*, found 'h"):
        sparcl.train_auto(data, class_weights={"hma": 5})


def test_words_are_classes_also_where_they_are_many() -> None:
    x = np.eye(30)
    model = sparcl.train(x, [f"{i:02}" for i in range(30)], epochs=50, lr=5.0, batch=30)
    assert model.info["loss"] == "softmax"
    assert (model.predict(x) == model.classes).all()
    for call in (sparcl.train, sparcl.train_auto):
        data = sparcl.data(x, ["a", "b"] * 15)
        with pytest.raises(ValueError, match="loss: squared is for numbers, but labels are words"):
            call(data, loss="squared")


def test_wrong_words_are_refused() -> None:
    x, y = problem()
    more: list[Any] = y.tolist()
    for wrong, words in [(None, "is row 3"), (1.5, "found 1.5 at 3"), ("", "is row 3")]:
        with pytest.raises((TypeError, ValueError), match=f"labels: .*{words}"):
            sparcl.data(x, [*more[:3], wrong, *more[4:]])
    with pytest.raises(ValueError, match="labels: expected one for each of 240 rows"):
        sparcl.data(x, more[:3])
    with pytest.raises(TypeError, match="which is for tables"):
        sparcl.data(x, "kind")


@pytest.mark.filterwarnings("error")
def test_numbers_are_refused_where_the_model_has_words(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    x, y = problem()
    numbers = (y == "ham").astype(int)
    words = "data: labels are numbers, such as .* model are words: Spam, sure, größer = x, ham"
    model = sparcl.train(x, y, epochs=2)
    for call in (model.evaluate, model.class_report):
        with pytest.raises(TypeError, match=words):
            call(x, numbers)
    with pytest.raises(TypeError, match=words):
        model.calibrate((x, numbers))
    with pytest.raises(TypeError, match=words):
        sparcl.train(x, numbers, start=model)
    with pytest.raises(TypeError, match=r"valid: labels are numbers, such as [01], but"):
        sparcl.train(x, y, valid=(x, numbers))
    frame = pandas.DataFrame(x.toarray(), columns=[*"abcd"])
    of_table = sparcl.train(frame.assign(kind=y), "kind", epochs=2)
    for given in (frame.assign(kind=numbers), sparcl.data(frame.assign(kind=numbers), "kind")):
        with pytest.raises(TypeError, match=words):
            of_table.evaluate(given)
    of_numbers = sparcl.train(frame.assign(kind=numbers), "kind", epochs=2)
    with pytest.raises(TypeError, match=r"labels are words, such as .* of the model are numbers"):
        of_numbers.evaluate(frame.assign(kind=y))


@pytest.mark.filterwarnings("error")
def test_files_without_words_have_the_numbers_of_the_model(tmp_path: Path) -> None:
    x, y = problem()
    data = sparcl.data(x, y)
    data.save(tmp_path / "numbers")
    saved = sparcl.read_data(tmp_path / "numbers")
    assert saved.label_names is None
    model = sparcl.train(data, valid=saved, epochs=2)
    assert model.metrics == sparcl.train(data, valid=data, epochs=2).metrics
    assert model.evaluate(saved)["loss"] == model.evaluate(data)["loss"]


def test_new_words_are_named() -> None:
    pandas = pytest.importorskip("pandas")
    x, y = problem()
    others = np.where(y == "ham", "eggs", y)
    with pytest.warns(RuntimeWarning, match=r"model does not know \('eggs'\): they are wrong"):
        sparcl.train(x, y, valid=(x, others), epochs=2)
    with pytest.warns(RuntimeWarning, match=r"model does not know \(7\): they are wrong"):
        sparcl.train(x[:40], np.arange(40) % 2, epochs=2).evaluate(x[:3], [0, 1, 7])
    frame = pandas.DataFrame(x.toarray(), columns=[*"abcd"])
    model = sparcl.train(frame.assign(kind=y), "kind", epochs=2)
    with pytest.warns(RuntimeWarning, match=r"model does not know \('eggs'\): they are wrong"):
        model.evaluate(frame.assign(kind=others))


# ---- tables --------------------------------------------------------------------------------------


def test_a_table_has_words_as_labels(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    x, y = problem()
    frame = pandas.DataFrame(x.toarray(), columns=list("abcd"))
    text = frame.assign(city=np.where(np.arange(240) % 2, "Bonn", "Ulm"))
    for features in (frame, text):
        models = [
            sparcl.train(features.assign(kind=y), "kind"),
            sparcl.train(features, y),
            sparcl.train(features, pandas.Series(y, dtype="string")),
            sparcl.train(features, pandas.Series(y).astype("category")),
        ]
        for model in models:
            assert model.classes.tolist() == WORDS
            assert (model.predict(features) == models[0].predict(features)).all()
    with pytest.raises(ValueError, match="labels: expected one for each of 240 rows"):
        sparcl.data(text, y[:3])


def test_words_of_a_file_and_tags_of_its_rows(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv")
    data = sparcl.read_data(path, label="kind", row_tag="a", standardize=True)
    _, y = problem()
    assert data.label_names == WORDS
    assert data.row_tags is not None
    assert [float(tag) for tag in data.row_tags] == problem()[0].toarray()[:, 0].tolist()
    assert sparcl.read_data(path, label="kind").row_tags is None
    model = sparcl.train(data)
    assert model.classes.tolist() == WORDS
    assert (model.predict(sparcl.read_data(path, like=model)) == y).mean() > 0.75
    lines = path.read_text().splitlines()
    few = tmp_path / "few.csv"
    few.write_text("\n".join(line for line in lines if "sure" not in line) + "\n")
    other = sparcl.read_data(few, label="kind")
    assert other.label_names == WORDS[1:]
    accuracy = model.evaluate(sparcl.read_data(few, like=model))["accuracy"]
    assert accuracy == model.class_report(other).metrics["accuracy"]
    with pytest.raises(TypeError, match="data: labels are numbers, such as 1"):
        model.evaluate(sparcl.data(other.scipy(), other.labels))
    with pytest.raises(sparcl.errors.FormatError, match="nonsense"):
        sparcl.read_data(path, label="kind", row_tag="nonsense")


# ---- by class ------------------------------------------------------------------------------------


def test_a_report_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    x, y = problem()
    model = sparcl.train(x, y, epochs=2)
    weights = np.linspace(0.5, 2, len(y)).astype(np.float32)
    for given in (None, weights):
        report = model.class_report(sparcl.data(x, y, weights=given))
        found = model.predict(x)
        expected = metrics.precision_recall_fscore_support(y, found, sample_weight=given)
        for a, b in zip((report.precision, report.recall, report.f1), expected, strict=False):
            np.testing.assert_allclose(a, b, rtol=1e-6)
        matrix = metrics.confusion_matrix(y, found, sample_weight=given)
        assert report.confusion is not None
        np.testing.assert_allclose(report.confusion, matrix, rtol=1e-6)
        assert report.metrics["accuracy"] == pytest.approx(
            metrics.accuracy_score(y, found, sample_weight=given)
        )
        assert report.rows.sum() == pytest.approx(report.predicted.sum())
    assert str(report).splitlines()[1].startswith("Spam, sure")
    with pytest.raises(ValueError, match="expected a model of classes, found one with squared"):
        sparcl.train(x, np.arange(240.0), loss="squared", epochs=1).class_report(
            sparcl.data(x, np.arange(240.0))
        )


# ---- notes ---------------------------------------------------------------------------------------


def test_notes_are_kept(tmp_path: Path) -> None:
    x, y = problem()
    model = sparcl.train(x, y, epochs=1)
    assert (model.notes, model.metrics) == ({}, {})
    model.set_note("who", "Änne")
    model.save(tmp_path / "m")
    again = sparcl.Model.load(tmp_path / "m")
    assert again.notes == {"who": "Änne"}
    again.set_note("who", None)
    assert again.notes == {}
    for key, text in [("", "x"), ("k" * 64, "x"), ("k", "x" * 70000), ("a\0", "x"), ("a", "\0")]:
        with pytest.raises(ValueError, match=r"note|NUL"):
            again.set_note(key, text)


def test_metrics_are_noted() -> None:
    x, y = problem()
    rest, held = sparcl.data(x, y).split(0.25)
    model = sparcl.train(rest, valid=held, epochs=3)
    expected = {f"valid_{k}": v for k, v in model.evaluate(held).items() if math.isfinite(v)}
    del expected["valid_not_finite"], expected["valid_unknown_labels"]
    assert model.metrics == expected
    assert model.notes["valid_rows"] == "60"
    searched = sparcl.train(x, y)
    assert searched.result is not None
    best = next(one for one in searched.result["tried"] if one["is_chosen"])
    assert searched.metrics["held_out_loss"] == best["loss"]
    assert float(searched.notes["chosen_c"]) == best["value"]


@needs_tool
def test_the_tool_notes_the_same(tmp_path: Path) -> None:
    assert TOOL is not None
    path = table(tmp_path / "t.csv")
    words = ["--label", "kind", "--epochs", "3", "--valid", path, "-o", tmp_path / "m"]
    subprocess.run([TOOL, "train", path, *words], check=True, capture_output=True)
    model = sparcl.Model.load(tmp_path / "m")
    assert model.notes["data"] == "t.csv"
    assert model.notes["options"] == "--valid t.csv --epochs 3 --label kind"
    data = sparcl.read_data(path, label="kind", standardize=True)
    own = sparcl.train(data, valid=data, epochs=3)
    assert own.metrics.items() <= model.metrics.items()
    show = subprocess.run([TOOL, "show", tmp_path / "m", "--json"], capture_output=True, check=True)
    assert json.loads(show.stdout)["notes"]["valid_loss"] == own.metrics["valid_loss"]


# ---- calibration ---------------------------------------------------------------------------------


def log_odds(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    found = np.empty(scores.shape)
    for k in range(scores.shape[1]):
        others = np.delete(scores.astype(np.float64), k, 1)
        found[:, k] = scores[:, k] - np.logaddexp.reduce(others, 1)
    return found


METHODS = [("platt", "sigmoid"), ("isotonic", "isotonic"), ("temperature", "temperature")]


@pytest.mark.parametrize(("method", "name"), METHODS)
def test_three_classes_are_calibrated_as_in_scikit_learn(method: str, name: str) -> None:
    """One class against the others, by the logarithms of their odds; or one factor."""
    base = pytest.importorskip("sklearn.base")
    calibration = pytest.importorskip("sklearn.calibration")
    frozen = pytest.importorskip("sklearn.frozen")

    class Odds(base.ClassifierMixin, base.BaseEstimator):  # type: ignore[name-defined, misc]
        def __init__(self, model: sparcl.Model) -> None:
            self.model = model
            self.classes_ = model.classes

        def decision_function(self, x: Any) -> npt.NDArray[np.float64]:
            scores = self.model.scores(x)
            return scores.astype(np.float64) if method == "temperature" else log_odds(scores)

        def predict(self, x: Any) -> npt.NDArray[Any]:
            return self.model.predict(x)

        def fit(self, x: Any, y: Any) -> Any:
            raise NotImplementedError

    x, y = problem(600)
    model = sparcl.train(x[:200], y[:200], epochs=1)
    before = model.evaluate(sparcl.data(x[400:], y[400:]))["loss"]
    peer = calibration.CalibratedClassifierCV(frozen.FrozenEstimator(Odds(model)), method=name)
    expected = peer.fit(x[200:400], y[200:400]).predict_proba(x[400:])
    model.calibrate(sparcl.data(x[200:400], y[200:400]), method)
    found = model.predict_proba(x[400:])
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert (model.predict(x[400:]) == model.classes[found.argmax(1)]).all()
    after = model.evaluate(sparcl.data(x[400:], y[400:]))["loss"]
    assert method == "isotonic" or after < before
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(x[400:]), found)


MISSING: dict[str, Any] = {
    "words": ["a", None, "b", None],
    "numbers": [1.0, math.nan, 0.0, None],
    "float": np.array([1.0, math.nan, 0.0, math.nan]),
    "objects": np.array(["a", math.nan, "b", ""], object),
    "empty": np.array(["a", "", "b", ""]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_rows_without_a_label_are_refused_and_named(kind: str) -> None:
    with pytest.raises(ValueError, match="none in 2 of 4 rows, the first is row 1; leave these"):
        sparcl.train(np.eye(4), MISSING[kind])


@pytest.mark.parametrize("dtype", [None, "object", "string", "category"])
def test_a_table_without_some_labels(dtype: Any) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"n": np.arange(40.0) % 7, "word": ["a", "b"] * 20})
    table["word"] = table["word"].where(table.index != 3).astype(dtype or table["word"].dtype)
    for labels in ("word", table["word"]):
        given = table if isinstance(labels, str) else table[["n"]]
        with pytest.raises(ValueError, match="none in 1 of 40 rows, the first is row 3"):
            sparcl.train(given, labels)
    model = sparcl.train(table.dropna(subset=["word"]), "word", epochs=1)
    assert model.classes.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="the first is row 3"):
        model.evaluate(table)


UNLABELLED = {
    "a.svm": "1 1:0.5\n-1 2:1\n 1:3\n\n1 2:2\n 2:7\n",
    "a.csv": "label,n\n1,0.5\n-1,1\n,3\n1,2\n,7\n",
    "a.vw": "1 | a\n-1 | b\n| a\n1 | b c\n| c\n",
}


@pytest.mark.parametrize("name", UNLABELLED)
def test_rows_of_files_without_a_label_are_left_out(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(UNLABELLED[name])
    line = {"a.svm": 3, "a.csv": 4, "a.vw": 3}[name]
    with pytest.raises(sparcl.errors.FormatError, match=rf":{line}:.*labelled_only=True"):
        sparcl.read_data(path)
    data = sparcl.read_data(path, labelled_only=True)
    assert data.labels is not None
    assert data.labels.tolist() == [1, -1, 1]
    assert (data.info["unlabelled_rows"], data.info["unlabelled_line"]) == (2, line)
    model = sparcl.train(data, epochs=1)
    assert sparcl.read_data(path, like=model).labels is None  # it is to be predicted
    assert model.evaluate(sparcl.read_data(path, like=model, labelled_only=True))["rows"] == 3
    for more in ({"labels": path}, {"weights": path}, {"multilabel": True}):
        with pytest.raises(ValueError, match=f"labelled_only: .*beside {next(iter(more))}"):
            sparcl.read_data(path, labelled_only=True, **more)
    with pytest.raises(TypeError, match=r"data: .*use sparcl.train\(sparcl.read_data\(path\)\)"):
        sparcl.train(path)


def test_a_file_whose_rows_all_have_labels_has_none_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_text("1 1:0.5\n-1 2:1\n")
    data = sparcl.read_data(path, labelled_only=True)
    assert (data.info["unlabelled_rows"], data.info["unlabelled_line"]) == (0, 0)


def test_a_report_of_a_threshold() -> None:
    x, y = problem()
    y = np.where(y == WORDS[0], "yes", "no")
    model = sparcl.train(x, y)
    probability = model.predict_proba(x)[:, 1]
    for threshold in (0.0, 0.2, 0.9, 1, np.float32(0.5)):
        report = model.class_report(x, y, threshold=threshold)
        is_yes = probability >= threshold
        assert report.predicted.tolist() == [np.sum(~is_yes), np.sum(is_yes)]
        assert report.metrics["accuracy"] == pytest.approx(np.mean(is_yes == (y == "yes")))
    for wrong in (-0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match="threshold: expected 0 to 1"):
            model.class_report(x, y, threshold=wrong)
    with pytest.raises(ValueError, match="threshold is for two classes"):
        sparcl.train(*problem()).class_report(*problem(), threshold=0.5)


def test_words_of_nearly_every_row_are_refused() -> None:
    x = np.arange(60.0)[:, None]
    words = [f"1.{i},50" for i in range(60)]
    with pytest.raises(ValueError, match=r"60 different words in 60 rows, such as '1\.0,50'"):
        sparcl.train(x, words)
    assert len(sparcl.train(x, words, loss="softmax", epochs=1).classes) == 60


def test_whole_numbers_are_said_to_be_classes_or_numbers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    x, stars = np.arange(300.0)[:, None] / 300, np.arange(300) % 5
    assert sparcl.train(x, stars, epochs=1).info["loss"] == "softmax"
    assert "5 different whole numbers are taken for classes: softmax loss" in caplog.text
    caplog.clear()
    assert sparcl.train(x, np.arange(300) % 3, epochs=1).info["loss"] == "softmax"
    assert not caplog.messages
    counts = np.repeat([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12], [99, 70, 50, 30, 20, 12, 8, 5, 3, 2, 1])
    assert sparcl.train(x, counts, epochs=1).info["loss"] == "squared"
    assert "11 different whole numbers are taken for numbers: squared loss" in caplog.text
    assert sparcl.train(x, stars, "fm", epochs=1).info["loss"] == "squared"
    assert "5 different whole numbers are taken for numbers" in caplog.text
    assert sparcl.train(x, np.arange(300) % 30, epochs=1).info["loss"] == "softmax"
    assert "30 different whole numbers are taken for classes: softmax loss" in caplog.text
