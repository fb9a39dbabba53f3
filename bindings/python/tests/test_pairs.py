"""Rankings with ratings whose users and items are words."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

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
