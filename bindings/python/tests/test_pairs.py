"""Rankings with ratings whose users and items are words."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arrow_table import ArrowTable

import sparcl

TOOL = os.environ.get("SPARCL_TOOL", "sparcl")
WORDS = 'ann,Alien,5\nbob,"Up, up",3\nann,The Matrix,4\ncyd,Alien,1\n'


def some_ratings(users: int = 20, films: int = 13) -> str:
    """Lines ``user,film,stars``, each film in one of two groups, as users are."""
    random = np.random.default_rng(4)
    has = random.random((users, films)) < 0.5
    pairs = np.argwhere(has | (np.arange(users)[:, None] % films == np.arange(films)))
    random.shuffle(pairs)
    stars = random.integers(1, 6, len(pairs))
    return "".join(f'user {u},"film, {f}",{s}\n' for (u, f), s in zip(pairs, stars, strict=True))


def train(pairs: sparcl.Data, valid: sparcl.Data | None = None) -> sparcl.Model:
    return sparcl.train(pairs, "bpr:factors=4", optimizer="adam:lr=0.01", epochs=3, valid=valid)


def run(*words: object) -> str:
    command = [TOOL, *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def words_of(names: object) -> list[str]:
    assert isinstance(names, np.ndarray)
    assert not names.flags.writeable
    return list(names)


def test_words_are_the_names_of_users_and_items(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text(WORDS)
    ratings = sparcl.read_data(path, format="ratings")
    pairs = ratings.pairs()
    model = sparcl.train(pairs, "bpr:factors=2", epochs=1)
    model.save(tmp_path / "m")
    loaded = sparcl.Model.load(tmp_path / "m")
    for x in (ratings, pairs, copy.copy(pairs), model, loaded, pickle.loads(pickle.dumps(model))):
        assert words_of(x.user_names) == ["ann", "bob", "cyd"]
        assert words_of(x.item_names) == ["Alien", "Up, up", "The Matrix"]
        assert x.user_ids is None
    assert model.item_names is model.item_names
    assert pairs.scipy().toarray().tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 0]]
    items, _ = model.recommend(pairs, k=1)
    assert model.item_names is not None
    assert model.item_names[items[0]].tolist() == ["Up, up"]


def test_others_have_no_names(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,item,rating\n7,5,4\n8,5,2\n")
    ratings = sparcl.read_data(path)
    table = sparcl.read_data(path, label="rating")
    x, y = np.repeat(np.eye(2), 30, 0), np.repeat([3.0, 5.0], 30)
    for each in (ratings, ratings.pairs(), table, sparcl.data(x, y), sparcl.train(x, y)):
        assert each.user_names is None
        assert each.item_names is None


def test_words_that_are_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes(b"ann,Am\xe9lie,5\nbob,Up,3\n")
    assert words_of(sparcl.read_data(path, format="ratings").item_names) == ["Am\\xe9lie", "Up"]


def test_other_files_have_the_numbers_of_the_training(tmp_path: Path) -> None:
    path, more = tmp_path / "words", tmp_path / "more"
    path.write_text(WORDS)
    pairs = sparcl.read_data(path, format="ratings").pairs()
    model = train(pairs)
    more.write_text('cyd,"Up, up"\nzoe,Alien\ncyd,Nope\n')  # that may be CSV
    for like in (model, pairs):
        ratings = sparcl.read_data(more, like=like)
        assert ratings.info["format"] == "ratings"
        assert ratings.info["unknown_words"] == 2
        assert ratings.pairs().scipy().toarray().tolist() == [[0] * 3, [0] * 3, [0, 1, 0]]
    more.write_text("7,5\n8,5\n7,6\n")
    ids = sparcl.read_data(more, format="ratings").pairs()
    more.write_text("8,6\n9,6\n")
    found = sparcl.read_data(more, like=train(ids))
    assert found.info["format"] == "ratings"
    assert found.pairs().scipy().toarray().tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize("heading", ["", "customer,film,stars\n"])
def test_the_tool_makes_the_same_model(tmp_path: Path, heading: str) -> None:
    path, held, model = tmp_path / "a.csv", tmp_path / "held.csv", tmp_path / "m"
    lines = some_ratings().splitlines(keepends=True)
    path.write_text(heading + "".join(lines[:-30]))
    held.write_text(heading + "".join(lines[-30:]))
    options = "--model bpr:factors=4 --optimizer adam:lr=0.01 --epochs 3 --progress none"
    run("train", path, *options.split(), "--valid", held, "-o", model)
    known = sparcl.read_data(path, format="ratings").pairs()
    valid = sparcl.read_data(held, like=known).pairs()
    trained, by_tool = train(known, valid=valid), sparcl.Model.load(model)
    for name, values in by_tool.tensors.items():
        np.testing.assert_array_equal(trained.tensors[name], values)
    found = trained.evaluate(valid, known=known, k=int(by_tool.metrics["valid_k"]))
    assert {f"valid_{key}": value for key, value in found.items()}.items() <= (
        by_tool.metrics.items()
    )
    items, _ = trained.recommend(sparcl.read_data(path, like=trained).pairs(), 3)
    users, films = words_of(trained.user_names), trained.item_names
    assert films is not None
    expected = ["\t".join([users[u], *films[row]]) for u, row in enumerate(items)]
    assert run("predict", model, path, "--k", "3").splitlines() == expected


# ---- tables --------------------------------------------------------------------------------------

USERS, STARS = ["ann", "bob", "ann", "cyd", "bob"], [5, 3, 4, 1, 2]
FILMS = ["Alien", "Up, up", 'x"y\nz', "Alien", " Alien"]


def frame(**more: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"customer": USERS, "film": FILMS, "stars": STARS, **more})


def ids() -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"u": [17, 5, 17], "i": [900000000000, 3, 4], "r": [1.0, 2.5, 3.0]})


def test_a_table_of_words_is_ratings() -> None:
    arrow = ArrowTable({"customer": (USERS, "u"), "film": (FILMS, "vu"), "stars": (STARS, "i4")})
    for x in (frame(), frame(time=3), frame().astype({"film": "category"}), arrow):
        ratings = sparcl.data(x, format="ratings")
        assert ratings.info["format"] == "ratings"
        assert words_of(ratings.user_names) == ["ann", "bob", "cyd"]
        assert words_of(ratings.item_names) == ["Alien", "Up, up", 'x"y\nz', " Alien"]
        assert ratings.labels is not None
        assert ratings.labels.tolist() == STARS
    by_name = sparcl.data(frame()[["stars", "customer", "film"]], "stars", format="ratings")
    beside = sparcl.data(frame()[["customer", "film"]], STARS, weights=STARS, format="ratings")
    for ratings in (by_name, beside):
        assert ratings.labels is not None
        assert ratings.labels.tolist() == STARS
    assert beside.weights is not None
    assert beside.weights.tolist() == STARS
    assert sparcl.data(frame()[["customer", "film"]], format="ratings").labels is None
    assert sparcl.train(by_name, "fm:factors=2", epochs=1).info["loss"] == "squared"


def test_a_table_of_whole_numbers_has_ids() -> None:
    for x in (ids(), ids().astype({"u": float}), ids().astype({"u": "Int64"})):
        ratings = sparcl.data(x, format="ratings")
        assert ratings.user_ids is not None
        assert ratings.item_ids is not None
        assert ratings.user_ids.tolist() == [5, 17]
        assert ratings.item_ids.tolist() == [3, 4, 900000000000]
        assert ratings.user_names is None
        assert ratings.labels is not None
        assert ratings.labels.tolist() == [1, 2.5, 3]
    mixed = sparcl.data(ids().assign(i=["a", "007", "7"]), format="ratings")
    assert words_of(mixed.user_names) == ["17", "5"]
    assert words_of(mixed.item_names) == ["a", "007", "7"]
    text = sparcl.data(ids().astype({"u": str, "i": str}), format="ratings")
    assert words_of(text.user_names) == ["17", "5"]


@pytest.mark.filterwarnings("ignore:.* pairs of a user and an item are also in known")
def test_a_table_trains_and_applies_a_ranking(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "a.csv"
    path.write_text("customer,film,stars\n" + some_ratings())
    table = pandas.read_csv(path)
    held = table.iloc[-30:]
    model = sparcl.train(table[["customer", "film"]], None, "bpr:factors=4", valid=held, epochs=2)
    pairs = sparcl.read_data(path, format="ratings").pairs()
    path.write_text("customer,film,stars\n" + "\n".join(some_ratings().splitlines()[-30:]) + "\n")
    valid = sparcl.read_data(path, like=pairs).pairs()
    same = sparcl.train(pairs, "bpr:factors=4", valid=valid, epochs=2)
    np.testing.assert_array_equal(model.tensors["factors"], same.tensors["factors"])
    assert model.metrics == same.metrics
    part = table.iloc[:50]
    for rows in (part, part[["film", "customer"]].assign(day=1), part.assign(stars=None)):
        items, _ = model.recommend(rows, 3)
        assert items.shape == (20, 3)
        found = model.evaluate(held, known=rows, k=3)
        assert found == model.evaluate(valid, known=rows, k=3)
        assert found["recall"] > 0


def test_ids_of_a_table_are_those_of_the_training() -> None:
    model = sparcl.train(ids(), "r", "bpr:factors=2", epochs=1)
    assert model.item_ids is not None
    items, _ = model.recommend(ids()[["u", "i"]], 1)
    assert model.item_ids[items[:, 0]].tolist()[1] == 3
    with pytest.raises(TypeError, match="expected ids of users and items, as in the training"):
        model.recommend(frame(), 1)


@pytest.mark.parametrize("table", [frame, ids])
def test_recommendations_of_some_users(
    table: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    x = table()
    user = x.columns[0]
    model = sparcl.train(x, model="bpr:factors=2", epochs=1)
    items, scores = model.recommend(x, 3)
    assert not caplog.messages
    called = model.user_ids if model.user_names is None else model.user_names
    assert called is not None
    for known in (x, sparcl.data(x, format="ratings").pairs()):
        for users in (called[::-1], x[user].unique(), called[1:2].tolist(), []):
            at = [called.tolist().index(each) for each in users]
            found = model.recommend(known, 3, users=users)
            np.testing.assert_array_equal(found[0], items[at])
            np.testing.assert_array_equal(found[1], scores[at])
    some = x[x[user] == called[0]]
    np.testing.assert_array_equal(model.recommend(some, 3, users=called[:1])[0], items[:1])
    assert not caplog.messages
    assert model.recommend(some, 3)[0].shape == items.shape
    count = len(called)
    words = f"the table: {count - 1} of {count} users of the model are not in it, and count as"
    assert words in caplog.text
    for wrong, message in (
        (["zoe"], "expected users of the training, .* found 'zoe'"),
        ("ann", ""),
    ):
        with pytest.raises(sparcl.errors.ArgumentError, match=f"users: {message}"):
            model.recommend(x, users=wrong)


def test_users_without_names_are_numbers() -> None:
    x = np.eye(6, 4) + np.eye(6, 4, -2)
    data = sparcl.data(x)
    model = sparcl.train(data, "bpr:factors=2", epochs=1)
    items, _ = model.recommend(data, 2, users=[5, 0])
    np.testing.assert_array_equal(items, model.recommend(data, 2)[0][[5, 0]])
    with pytest.raises(sparcl.errors.ArgumentError, match=r"users of the training.* found 6"):
        model.recommend(data, 2, users=[6])


@pytest.mark.parametrize("table", [frame, ids])
def test_a_model_of_ratings_takes_tables(table: Callable[[], Any]) -> None:
    x = table()
    ratings = sparcl.data(x, format="ratings")
    settings: dict[str, Any] = {"optimizer": "adam:lr=0.1", "epochs": 30, "batch": 2}
    model = sparcl.train(ratings, "fm:factors=2", loss="squared", valid=x, **settings)
    expected = model.predict(ratings)
    np.testing.assert_array_equal(model.predict(x), expected)
    np.testing.assert_array_equal(model.predict(x.iloc[:, :2]), expected)
    rmse = model.evaluate(ratings)["rmse"]
    for found in (
        model.evaluate(x),
        model.evaluate(x, x.columns[2]),
        model.evaluate(x.iloc[:, :2], x.iloc[:, 2]),
    ):
        assert found["rmse"] == rmse
    with pytest.raises(TypeError, match="labels: expected"):
        model.evaluate(x.iloc[:, :2])


@pytest.mark.parametrize("table", [frame, ids])
def test_other_numbers_of_users_are_refused(table: Callable[[], Any]) -> None:
    x = table()
    pairs = sparcl.data(x, format="ratings").pairs()
    model = sparcl.train(pairs, "bpr:factors=2", epochs=1)
    names = {name: [*x[name].iloc[1:], x[name].iloc[0]] for name in x.columns[:2]}
    others = sparcl.data(x.assign(**names).replace({5: 6}), format="ratings").pairs()
    assert others.shape == pairs.shape
    message = "expected the users and items of the training, in their order, found others"
    calls: list[Callable[[], object]] = [
        lambda: model.recommend(others),
        lambda: model.evaluate(pairs, known=others),
        lambda: model.evaluate(others, known=pairs),
        lambda: sparcl.train(pairs, "bpr:factors=2", epochs=1, valid=others),
    ]
    for call in calls:
        with pytest.raises(sparcl.errors.ArgumentError, match=message):
            call()
    matrix = sparcl.data(others.scipy())
    assert model.recommend(matrix, 1)[0].shape == (pairs.shape[0], 1)


def test_words_beyond_the_training_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    model = sparcl.train(frame(), model="bpr:factors=2", epochs=1)
    model.recommend(frame(), 1)
    assert not caplog.messages
    other = frame(customer=["zoe", *USERS[1:]], film=["Nope", *FILMS[1:]])
    items, _ = model.recommend(other, 3)
    assert "that the training did not have are left out, 2 such entries" in caplog.text
    assert (items[0] >= 0).sum() == 3  # ann has one film less
    model = sparcl.train(ids(), model="bpr:factors=2", epochs=1)
    caplog.clear()
    model.recommend(ids().replace({17: 1}), 1)
    assert "2 such entries" in caplog.text


def test_tables_that_are_no_ratings_are_refused() -> None:
    missing = "expected a user and an item in each row, found none in 1 of 5 rows"
    wrong: dict[str, Any] = {
        f"{missing} in the column 'customer', the first is row 1": frame(
            customer=["a", None, "b", "c", "d"]
        ),
        f"{missing} in the column 'film'": frame(film=["a", "b", "c", "d", float("nan")]),
        "the column 'stars': expected ratings, which are numbers, found 'x'": frame(stars="x"),
        "labels: expected one for each row, found none in 1": frame(stars=[1, 2, None, 3, 4]),
        "found u, i, r, a, b; choose them": ids().assign(a=1, b=2),
        "in this order, found film; choose": frame()[["film"]],
        "expected ids, which are whole numbers, or words in the column 'u', found 17.5 in row 0": (
            ids().assign(u=ids().u + 0.5)
        ),
        r"found 1e\+300 in row 2": ids().assign(u=[1, 2, 1e300]),
        "^the table, row 1: expected an id, a whole number of at least 0": ids().assign(
            u=[1, -1, 1]
        ),
        "expected None with a matrix": np.eye(3),
    }
    for message, x in wrong.items():
        with pytest.raises((TypeError, sparcl.SparclError), match=message):
            sparcl.data(x, format="ratings")
    with pytest.raises(sparcl.errors.ArgumentError, match=r"is a matrix: x.to_numpy\(\)"):
        sparcl.train(ids().assign(a=1, b=2), model="lightgcn:factors=2", epochs=1)


def test_a_table_of_features_names_the_remedy() -> None:
    with pytest.raises(sparcl.errors.FormatError) as found:
        sparcl.data(frame(), "stars").pairs()
    message = str(found.value)
    assert re.match(
        'the table: expected ratings .*, found a table .*; give format="ratings"', message
    )
    matrix = sparcl.train(sparcl.data(np.eye(4)), "bpr:factors=2", epochs=1)
    with pytest.raises(TypeError, match="in the training, found a table; make it of a matrix"):
        matrix.recommend(ids())
    words = sparcl.train(frame(), model="bpr:factors=2", epochs=1)
    with pytest.raises(sparcl.errors.FormatError, match='expected the column "film"'):
        words.recommend(frame()[["customer"]])
    with pytest.raises(sparcl.errors.FormatError, match="columns customer, film, found none of"):
        words.recommend(ids())
    with pytest.raises(TypeError, match=r"known: expected data of sparcl, .* found ndarray"):
        words.evaluate(frame(), known=np.eye(4))


def test_what_users_have_is_no_test() -> None:
    has = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]])
    known = sparcl.data(has)
    model = train(known)
    expected = "^5 of 5 pairs .* in known, .*: recall, precision and"
    with pytest.warns(RuntimeWarning, match=expected) as warned:
        found = model.evaluate(known, known=known, k=2)
    assert found["recall"] == 0
    assert all(each.filename == __file__ for each in warned)
    more = sparcl.data(has + np.eye(3, 4, 2))
    with pytest.warns(RuntimeWarning, match="^5 of 7 pairs .* in known, .*: they count as missed"):
        model.evaluate(more, known=known, k=2)
    with pytest.warns(RuntimeWarning, match="5 of 5 pairs"):
        train(known, valid=known)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.evaluate(sparcl.data(np.eye(3, 4, 2)), known=known, k=2)


def test_names_say_which_columns_of_a_table_are_users_and_items(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pandas = pytest.importorskip("pandas")
    usual = pandas.DataFrame({"user": [1, 2, 2], "item": [7, 8, 7], "rating": [5.0, 3.0, 1.0]})
    expected = sparcl.data(usual, format="ratings")
    assert not caplog.messages
    other = pandas.DataFrame(
        {"date": [9, 8, 7], "rating": usual["rating"], "movieId": usual["item"]}
    ).assign(userId=usual["user"])
    for labels in (None, "rating"):
        caplog.clear()
        found = sparcl.data(other, labels, format="ratings")
        assert "users are the column 'userId', items 'movieId', ratings 'rating'" in caplog.text
        assert found.info["fingerprint"] == expected.info["fingerprint"]
        assert found.labels is not None
        assert found.labels.tolist() == [5.0, 3.0, 1.0]
