"""Tables with named columns: numbers, text, what is missing, of pandas and of Arrow's interface."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from arrow_table import ArrowTable

import sparcl
from sparcl._tables import Table

ROWS = 60
RANDOM = np.random.default_rng(3)
AGE = RANDOM.integers(18, 80, ROWS)
INCOME = RANDOM.lognormal(10, 0.5, ROWS)
CITY = RANDOM.choice(["Bonn", "Köln am Rhein", "Ulm, oben"], ROWS)
Y = ((AGE > 50) ^ (CITY == "Bonn")).astype(int)


def frame(**more: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"age": AGE, "income": INCOME, "city": CITY, **more})


def arrow(text: str = "vu", **more: Any) -> ArrowTable:
    columns = {"age": (AGE.tolist(), "i4"), "income": (INCOME.tolist(), "f8")}
    return ArrowTable({**columns, "city": (CITY.tolist(), text), **more})


def same(a: sparcl.Data, b: sparcl.Data) -> bool:
    return a.info["fingerprint"] == b.info["fingerprint"]


# ---- reading -------------------------------------------------------------------------------------


def test_a_table_of_text_is_what_a_csv_file_is(tmp_path: Path) -> None:
    table = frame(y=Y)
    table.to_csv(tmp_path / "t.csv", index=False)
    expected = sparcl.read_data(tmp_path / "t.csv", label="y", standardize=True)
    assert same(sparcl.data(table, "y"), expected)
    assert same(sparcl.data(frame(), Y), expected)
    for text in ("u", "U", "vu"):
        assert same(sparcl.data(arrow(text), Y), expected)
        assert same(sparcl.data(arrow(text, y=(Y.tolist(), "u1")), "y"), expected)


def test_tables_are_written_as_pythons_csv_writer_does(tmp_path: Path) -> None:
    """Every number has the digits of its repr, so that it is read as it was."""
    bits = RANDOM.integers(0, 2**63, 2000).view(np.float64)
    edges = [0.0, -0.0, 1e16, 1e-4, 9999999999999998.0, 1e-5, 5e-324, 100000.0, np.inf, -np.inf]
    real = np.concatenate([bits, -bits, 10 ** RANDOM.uniform(-8, 20, 2000), edges, [np.nan]])
    rows = len(real)
    words = np.array(["", None, 'a"b', "a,b", "ü\n", " a", True, 7, 2.5, np.float32(0.1)], "O")
    columns = {
        "real,": real,
        "f4": RANDOM.random(rows).astype("f4"),
        "i1": RANDOM.integers(-128, 128, rows).astype("i1"),
        "u8": RANDOM.integers(0, 2**64, rows, np.uint64),
        "flag": RANDOM.random(rows) > 0.5,
        "word": words[RANDOM.integers(0, len(words), rows)],
        "label": RANDOM.choice(["a", "b,c"], rows),
    }
    for part in (columns, {"word": columns["word"]}):
        file = tmp_path / "expected.csv"
        with open(file, "w", encoding="utf-8", newline="") as to:
            writer = csv.writer(to, lineterminator="\n")
            writer.writerow(part)
            for row in zip(*(x.tolist() for x in part.values()), strict=True):
                flags = [int(x) if isinstance(x, bool) else x for x in row]
                writer.writerow(["" if x != x else x for x in flags])  # noqa: PLR0124 (NaN)
        with Table(list(part), list(part.values()), rows).csv({}) as path:
            assert Path(path).read_bytes() == file.read_bytes()
    lone = np.array(["\ud800"], "O")
    with pytest.raises(ValueError, match="UTF-8 has"), Table(["a"], [lone], 1).csv({}):
        pass


def test_numbers_of_every_kind_are_those_of_csv() -> None:
    kinds = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
    values = RANDOM.integers(0, 100, (ROWS, len(kinds)))
    table = ArrowTable({kind: (values[:, i].tolist(), kind) for i, kind in enumerate(kinds)})
    assert (sparcl.csr(table).scipy() != scipy.sparse.csr_array(values)).nnz == 0
    flags = ArrowTable({"a": ((values[:, 0] > 50).tolist(), "bool")})
    assert sparcl.csr(flags).nnz == (values[:, 0] > 50).sum()
    assert table.released == 1 + -(-ROWS // 7)  # every part and schema
    scaled = (values - values.mean(0)) / values.std(0)
    np.testing.assert_allclose(sparcl.data(table).scipy().toarray(), scaled, rtol=1e-4, atol=1e-5)
    pandas = pytest.importorskip("pandas")
    named = pandas.DataFrame(values, columns=kinds)
    expected = sparcl.data(table, Y)
    for each in (named, named.astype("Int64"), named.assign(flag=True).iloc[:, :-1]):
        assert same(sparcl.data(each, Y), expected)
    assert same(sparcl.data(named.assign(y=Y), "y"), expected)


def test_every_column_is_what_its_type_says() -> None:
    """A file may hide names, labels and ids of rows; a table does not."""
    pandas = pytest.importorskip("pandas")
    x = np.c_[np.arange(ROWS), RANDOM.random((ROWS, 2))]
    table = pandas.DataFrame(x).astype({0: int})
    found = sparcl.data(table)
    assert found.shape == (ROWS, 3)
    assert found.labels is None
    assert sparcl.data(table.rename(columns={1: "label"})).shape == (ROWS, 3)
    model = sparcl.train(table, x[:, 0] > 30)
    assert (model.predict(table[[2, 0, 1]]) == (x[:, 0] > 30)).all()
    flags = pandas.DataFrame({"#a": [True, None] * 30, "b": ["1", "2"] * 30, '"c': [None] * ROWS})
    kinds = (sparcl.data(flags, Y)._core.csv_description or b"").split(b"\n")
    assert kinds[:3] == [b'"#a",numeric,1,1', b"b,hashed", b'"""c",numeric,0,1']
    long = pandas.DataFrame({"a": ["one two three four", None, "one two three four five"]})
    assert (sparcl.data(long)._core.csv_description or b"").startswith(b"a,text")


def test_what_is_missing_is_no_entry() -> None:
    pandas = pytest.importorskip("pandas")
    ages = [None if i % 5 == 0 else int(age) for i, age in enumerate(AGE)]
    cities = [None if i % 7 == 0 else str(city) for i, city in enumerate(CITY)]
    named = pandas.DataFrame({"age": ages, "city": cities})
    table = ArrowTable({"age": (ages, "i8"), "city": (cities, "u")})
    expected = sparcl.data(named, Y)
    assert same(sparcl.data(table, Y), expected)
    assert expected.nnz < 2 * ROWS
    assert same(sparcl.data(pandas.DataFrame({"age": ages}), Y), sparcl.data(named[["age"]], Y))


def test_columns_and_labels_that_float32_rounds_are_named() -> None:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    seconds = 1_700_000_000 + random.integers(0, 1000, 400)
    frame = pandas.DataFrame({"at": seconds, "noise": random.normal(size=400) * 1e9, "one": 0.1})
    words = (
        r"x: the column 'at': float32 has numbers near 1.7e\+09 in steps of 128, but the standard"
    )
    with pytest.warns(RuntimeWarning, match=words) as found:
        rounded = sparcl.train(frame, seconds > 1_700_000_500)
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact = sparcl.train(frame.assign(at=seconds - 1_700_000_000), seconds > 1_700_000_500)
    assert exact.metrics["held_out_accuracy"] > rounded.metrics["held_out_accuracy"]
    numbers = frame[["noise"]].to_numpy()
    for given in ({}, {"solver": "lbfgs"}):
        with pytest.warns(RuntimeWarning, match="labels: float32 has numbers near .* subtract a"):
            sparcl.train(numbers, seconds, loss="squared", **given)
    frame.loc[3, "at"] = np.nan
    with pytest.warns(RuntimeWarning, match="x: the column 'at': float32"):
        sparcl.data(frame)


def test_a_column_of_labels_is_a_vector() -> None:
    pandas = pytest.importorskip("pandas")
    x = np.random.default_rng(0).normal(size=(60, 2))
    frame, words = pandas.DataFrame(x, columns=["a", "b"]), np.where(x[:, 0] > 0, "no", "yes")
    found = "labels: expected a vector, found a column of the shape .60, 1., .* labels.squeeze"
    for rows in (x, frame):
        for column in (words[:, None], pandas.DataFrame({"kind": words})):
            with pytest.warns(RuntimeWarning, match=found):
                model = sparcl.train(rows, column)
            assert (model.predict(rows) == words).mean() > 0.9
            with pytest.warns(RuntimeWarning, match=found):
                assert model.evaluate(rows, column)["accuracy"] > 0.9
    with pytest.warns(RuntimeWarning, match=found):
        assert sparcl.data(x, x[:, :1]).labels.tolist() == x[:, 0].tolist()  # type: ignore[union-attr]


def test_names_of_columns_are_not_only_text() -> None:
    pandas = pytest.importorskip("pandas")
    x = np.random.default_rng(0).normal(size=(60, 3))
    x[:, 2] = x[:, 0] > 0
    plain = pandas.DataFrame(x)
    levels = plain.set_axis(pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]), axis=1)
    for frame, name in ((plain, 2), (plain, np.int64(2)), (levels, ("b", 1))):
        model = sparcl.train(frame, name)
        assert model.info["columns"] == 2
        for found in (model.evaluate(frame, name), model.evaluate((frame, name))):
            assert found["loss"] == model.evaluate(frame)["loss"]
        assert sparcl.train(frame, name, valid=(frame, name)).metrics["valid_accuracy"] > 0.9
    with pytest.raises(ValueError, match="or a column of the table, 0, 1, 2, found 3"):
        sparcl.train(plain, 3)
    with pytest.raises(TypeError, match="expected one for each row, found the name 2, which is"):
        sparcl.train(x, 2)


def test_infinite_numbers_and_empty_tables() -> None:
    pandas = pytest.importorskip("pandas")
    x = np.random.default_rng(0).normal(size=(60, 2))
    frame, y = pandas.DataFrame(x, columns=["b", "k"]), x[:, 0] > 0
    model, of_matrix = sparcl.train(frame, y), sparcl.train(x, y)
    none = frame.iloc[:0]
    for given in (model, of_matrix):
        assert given.predict(none).shape == (0,)
        assert given.predict_proba(none).shape == (0, 2)
    for call in (lambda: sparcl.data(none), lambda: model.evaluate(none, y[:0])):
        with pytest.raises(sparcl.errors.FormatError, match="the table: expected rows, found none"):
            call()
    frame.loc[2, "k"] = -np.inf
    words = r"the table, row 2: expected a finite number in the column 'k', found -inf; .*replace"
    for call in (lambda: sparcl.train(frame, y), lambda: model.predict(frame)):
        with pytest.raises(sparcl.errors.FormatError, match=words):
            call()
    assert model.predict(frame.replace([np.inf, -np.inf], np.nan)).shape == (60,)


def test_a_table_that_is_not_computed_is_named() -> None:
    lazy = type("LazyFrame", (), {})()
    model = sparcl.train(np.eye(4), [0, 1] * 2, epochs=1)
    for call in (
        lambda: sparcl.train(lazy, "y"),
        lambda: sparcl.data(lazy),
        lambda: model.predict(lazy),
        lambda: model.evaluate(lazy, "y"),
        lambda: sparcl.csr(lazy),
    ):
        with pytest.raises(TypeError, match=r"found a LazyFrame; use its collect\(\) first"):
            call()


def test_weights_of_rows_are_kept() -> None:
    weights = RANDOM.random(ROWS).astype(np.float32)
    for table in (frame(), frame()[["age"]]):
        found = sparcl.data(table, Y, weights=weights)
        np.testing.assert_array_equal(found.weights, weights)


# ---- models --------------------------------------------------------------------------------------


def test_a_model_takes_the_tables_of_its_training(tmp_path: Path) -> None:
    model = sparcl.train(frame(y=Y), "y")
    model.save(tmp_path / "m.safetensors")
    loaded = sparcl.Model.load(tmp_path / "m.safetensors")
    expected = model.scores(sparcl.data(frame(y=Y), "y"))
    for table in (frame(), frame(y=Y), frame()[["city", "income", "age"]], arrow()):
        np.testing.assert_array_equal(loaded.scores(table), expected)
    assert (model.predict(frame()) == Y).mean() > 0.6
    np.testing.assert_array_equal(sparcl.train(arrow(), Y).scores(frame()), expected)


def test_a_model_reads_only_the_columns_of_its_training() -> None:
    pandas = pytest.importorskip("pandas")
    model = sparcl.train(frame(), Y)
    expected = model.scores(frame())
    days = pandas.date_range("2026-01-01", periods=ROWS)
    more = frame(day=days, y=Y, other=[[1]] * ROWS)
    np.testing.assert_array_equal(model.scores(more), expected)
    assert model.evaluate(more, "y")["loss"] == model.evaluate(frame(), Y)["loss"]
    table = arrow(day=(AGE.tolist(), "i4"))
    schema = table._fill_schema
    table._fill_schema = lambda to, name, kind, children: schema(  # type: ignore[method-assign]
        to, name, "tdD" if name == "day" else kind, children
    )
    np.testing.assert_array_equal(model.scores(table), expected)
    with pytest.raises(
        sparcl.errors.FormatError, match="the columns age, city, income, found none"
    ):
        model.predict(more[["day"]])


def test_columns_of_numbers_are_found_by_their_names() -> None:
    numbers = frame(y=Y).drop(columns="city")
    model = sparcl.train(numbers, "y")
    expected = model.predict_proba(numbers)
    swapped, named = numbers[["y", "income", "age"]], {"age": (AGE.tolist(), "i4")}
    table = ArrowTable({"more": (Y.tolist(), "i4"), "income": (INCOME.tolist(), "f8"), **named})
    blank = numbers.rename(columns={"age": " age "})
    for each in (swapped, numbers.drop(columns="y"), numbers.assign(y="?", more=1), table, blank):
        np.testing.assert_array_equal(model.predict_proba(each), expected)
    hole = numbers.astype({"age": float})
    hole.loc[3, "age"] = np.nan
    assert np.abs(sparcl.train(hole, "y").predict_proba(numbers) - expected).max() < 0.05
    for wrong in (numbers[["age"]], numbers.rename(columns={"income": "pay"})):
        with pytest.raises(sparcl.errors.FormatError, match='expected the column "income"'):
            model.predict(wrong)
    for matrix in (numbers[["age", "income"]].to_numpy(), scipy.sparse.eye_array(3, 2).tocsr()):
        with pytest.raises(TypeError, match="x: expected a table with the columns of the training"):
            model.predict(matrix)
    scores = model.scores(numbers)
    np.testing.assert_array_equal(model.scores(sparcl.data(numbers, "y")), scores)


def test_probabilities_are_those_of_the_labels() -> None:
    x, y = RANDOM.random((ROWS, 4)), RANDOM.integers(3, 6, ROWS)
    for labels in (y > 4, y):
        model = sparcl.train(x, labels, solver="lbfgs", l2=0.1)
        found = model.predict_proba(x)
        np.testing.assert_allclose(found.sum(1), 1)
        best = np.array(model.info["labels"])[found.argmax(1)]
        np.testing.assert_array_equal(best, model.predict(x))
        np.testing.assert_allclose(found.max(1), model.probability(x), rtol=1e-5)
    with pytest.raises(ValueError, match="found one with squared loss, which has none; use pred"):
        sparcl.train(x, x[:, 0], loss="squared", epochs=1).predict_proba(x)


def test_training_without_options_is_that_of_the_tool() -> None:
    x, y = RANDOM.random((ROWS, 4)), Y
    data = sparcl.data(x, y)

    def weights(model: sparcl.Model) -> list[float]:
        return model.tensors["weight"].ravel().tolist()

    searched = sparcl.train_auto(data)
    for model in (sparcl.train(data), sparcl.train(x, y), sparcl.train(data, "linear")):
        assert weights(model) == weights(searched)
    rate = sparcl.train_auto(data, optimizer="adam", batch=16)
    assert weights(sparcl.train(data, optimizer="adam", batch=16)) == weights(rate)
    steps = sparcl.train(data, epochs=10, optimizer="sgd")
    assert weights(sparcl.train(data, lr=0.1)) == weights(steps)
    assert "tried" not in (steps.result or {})


# ---- what is refused -----------------------------------------------------------------------------


def test_what_is_no_table_of_numbers_or_text_is_named() -> None:
    pandas = pytest.importorskip("pandas")
    days = pandas.to_datetime(["2026-01-01"] * ROWS)
    for call, message in (
        (
            lambda: sparcl.data(frame(day=days), Y),
            r"'day' has datetime64.* such as x\['day'\].dt.hour, or leave it out",
        ),
        (
            lambda: sparcl.data(frame(day=days - days[0]), Y),
            r"has timedelta64.* such as x\['day'\].dt.total_seconds\(\), or",
        ),
        (lambda: sparcl.data(frame().age, Y), "x: expected a table, found a Series; use its to_f"),
        (
            lambda: sparcl.data(ArrowTable({"d": ([1] * 3, "i4")}), "y"),
            "labels: .* of the table, d",
        ),
        (lambda: sparcl.data(frame(**{"": Y})), "x: expected names of columns, found ''; rename"),
        (lambda: sparcl.data(frame(**{"*": Y})), r"found '\*'; rename"),
        (lambda: sparcl.data(frame(), Y, fields=[1]), "fields: expected None with a table, whose"),
        (lambda: sparcl.data(frame(), Y, index_base=1), "index_base: expected 0 with a table"),
        (lambda: sparcl.csr(frame()), "found text or missing values in 'city'; sparcl.data"),
        (
            lambda: sparcl.data(pandas.concat([frame(), frame()], axis=1), Y),
            "the name 'age'; rename",
        ),
        (
            lambda: sparcl.train(frame()),
            "data: expected .* found DataFrame alone; use sparcl.train",
        ),
        (lambda: sparcl.train(sparcl.data(frame(), Y), Y), "labels: expected none"),
        (lambda: sparcl.data(np.eye(3), "y"), "labels: expected one for each row, .* for tables"),
        (lambda: sparcl.Model("m.safetensors"), r"sparcl.Model.load\('m.safetensors'\)"),
        (lambda: sparcl.train(frame(), Y, epochs=1).predict(frame()[["age"]]), "income"),
    ):
        with pytest.raises((TypeError, ValueError, sparcl.SparclError), match=message):
            call()


def test_an_arrow_type_that_is_not_read_is_named() -> None:
    table = ArrowTable({"day": ([1, 2, 3], "i4")})
    schema = table._fill_schema
    table._fill_schema = lambda to, name, kind, children: schema(  # type: ignore[method-assign]
        to, name, "tdD" if name else kind, children
    )
    with pytest.raises(TypeError, match="the column 'day' has the Arrow type 'tdD', expected num"):
        sparcl.data(table)


# ---- matrices ------------------------------------------------------------------------------------


def test_matrices_of_other_formats_and_counts_are_taken() -> None:
    counts = scipy.sparse.random_array((30, 20), density=0.2, rng=RANDOM) * 10
    counts = counts.astype(np.int64)
    w = RANDOM.random((20, 3)).astype(np.float32)
    for form in ("csr", "csc", "coo", "lil", "bsr"):
        found = sparcl.csr(counts.asformat(form))
        assert (found.scipy() != counts.tocsr()).nnz == 0
        assert (sparcl.csc(counts.asformat(form)).scipy() != counts.tocsc()).nnz == 0
        assert (sparcl.coo(counts.asformat(form)).scipy() != counts.tocsr()).nnz == 0
        np.testing.assert_allclose((found @ w).numpy(), counts @ w, rtol=1e-5)
        assert (found @ w).dtype == np.float32
        assert (found @ w.astype(np.float64)).dtype == np.float64
    np.testing.assert_allclose(
        (sparcl.csr(counts).T @ np.ones((30, 2), "f4")).dense().numpy(), counts.T @ np.ones((30, 2))
    )
    large = counts.tocsr()
    large.data[0] = 2**24 + 1
    with pytest.raises(sparcl.DTypeError, match=r"found 16777217; use sparcl.csr\(x.astype\('flo"):
        sparcl.csr(large) @ w
    for left, right in (
        (sparcl.csr(np.ones((1, 1), "f4")), [[16777217]]),
        (np.array([[16777217]]), sparcl.csc(np.ones((1, 1), "f4"))),
    ):
        with pytest.raises(sparcl.DTypeError, match="that float32 has, found 16777217; use float"):
            left @ right
    assert (sparcl.csr([[1]]) @ np.array([16777217])).numpy().tolist() == [16777217]
    assert (sparcl.csr([[1]]) @ np.array([16777217.0])).numpy().tolist() == [16777217]
    with pytest.raises(sparcl.DTypeError, match="that float64 has, found 9007199254740993"):
        sparcl.csr([[2**53 + 1]]) @ np.ones(1)
    np.testing.assert_allclose((sparcl.csr(large) @ w.astype(np.float64)).numpy(), large @ w)


def test_a_matrix_of_scipy_beside_one_of_sparcl_is_named() -> None:
    other = scipy.sparse.eye_array(3, dtype="f4").tocsr()
    for x in (sparcl.csr(other), sparcl.csc(other), sparcl.dense(np.ones((3, 3), "f4"))):
        for call in (lambda x: x @ other, lambda x: x * other, lambda x: x + other):
            with pytest.raises(TypeError, match=r"found cs[rc]_array of SciPy; use sparcl\.csr"):
                call(x)
    with pytest.raises(TypeError, match=r"beside a matrix S of SciPy, sparcl\.csr\(S\)"):
        other @ sparcl.csr(other)
