"""What trains, reads, predicts and steps is given values that are of the right type and wrong: it
raises an exception that names the argument, and what it was called on works as before."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sparcl

NAN, INF = math.nan, math.inf
REFUSALS = (sparcl.SparclError, TypeError, ValueError, KeyError, OSError, MemoryError)
Wrong = dict[str, list[Any]]

X = np.eye(6, 4)
Y = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]


def refused(call: Callable[..., Any], wrong: Wrong, named: dict[str, str] | None = None) -> None:
    """Each wrong value alone; the message has the name of the argument, or what `named` has."""
    failures = []
    for name, values in wrong.items():
        for value in values:
            try:
                found = call(**{name: value})
            except REFUSALS as error:
                if (named or {}).get(name, name) not in str(error):
                    failures.append(f"{name}={value!r}: not named: {type(error).__name__}: {error}")
            else:
                failures.append(f"{name}={value!r}: accepted: {found!r}")
    assert not failures, "\n".join(failures)


@pytest.fixture(scope="module")
def data() -> sparcl.Data:
    return sparcl.data(X, Y)


@pytest.fixture(scope="module")
def model(data: sparcl.Data) -> sparcl.Model:
    return sparcl.train(data, epochs=1)


TRAIN: Wrong = {
    "labels": [3, X, Y],
    "select": ["x", "", None, 0, "auc"],
    "model": ["", "nonsense", "fm:rank=1", "fm:factors=0", "fm:factors=1e9", "linear:x=1", "fm\0"],
    "loss": ["nonsense", "", 3],
    "optimizer": ["", "nonsense", "sgd:nonsense=1", "adam:beta1=2"],
    "lr": [-1, NAN, INF, "x"],
    "exact": [2, "yes"],
    "parameter_optimizers": ["x", "w=sgd", "weight=nonsense"],
    "schedule": ["nonsense", "step:", "cosine:warmup=-1"],
    "solver": ["x", "", 1],
    "l1": [-1, NAN, INF, 0.1],
    "l2": [-1, NAN, INF],
    "tolerance": [-1, NAN, INF],
    "gradient_tolerance": [-1, NAN, INF],
    "epochs": [-1, 1.5],
    "hold_out": [-0.5, 1, 1.5, 20, NAN, "x"],
    "batch": [-1, "x", "", 1.5],
    "patience": [-1, 3],
    "seed": [-1, 2**64],
    "columns": [-1, 2, 2**62],
    "class_weights": ["x", 3, {0: -1}, {5: 1.0}, {0: NAN}, {"a": 1}, {0: None}, [1.0, 2.0]],
    "clip_global_norm": [-1, NAN, INF],
    "max_seconds": [-1, NAN, INF],
    "checkpoint": ["", "no/such/folder/c"],
    "checkpoint_steps": [-1, 2],
    "checkpoint_seconds": [-1, NAN, 5],
    "resume": [True, 2],
    "overwrite": [True, 2],
    "device_memory": [-1, 1],
    "start": [3, "model"],
    "nodes": [3],
    "progress": [3, "bar"],
    "context": [3, "cpu"],
    "valid": [3, sparcl.data(np.eye(2, 9), [0, 1]), sparcl.data(X)],
    "data": [None, X, sparcl.data(X), sparcl.data(np.eye(0, 4), [])],
}
TRAIN_NAMES = {
    "checkpoint": "",  # or the name of the file
    "columns": "column",
    "optimizer": "",  # or its setting
    "parameter_optimizers": "parameter",
    "device_memory": "device",
    "l2": "l2",
    "valid": "expected",
    "data": "expected",
}


def test_training_refuses_wrong_values(data: sparcl.Data) -> None:
    def call(**given: Any) -> Any:
        return sparcl.train(**{"data": data, "epochs": 1, **given})

    refused(call, TRAIN, TRAIN_NAMES)
    names = ["loss", "class_weights", "seed", "columns", "progress", "context", "batch", "l2"]
    automatic = {name: [value for value in TRAIN[name] if value != 2] for name in names}
    automatic["optimizer"] = [value for value in TRAIN["optimizer"] if value is not None]
    automatic["select"] = ["x", "", None, 0, "Loss", "average-precision"]
    refused(lambda **given: sparcl.train_auto(data, **given), automatic, TRAIN_NAMES)
    # What is right after all that.
    assert sparcl.train(data, epochs=2).result["epochs"] == 2  # type: ignore[index]


READ: Wrong = {
    "path": ["", "a\0b", b"x", 3, None, "no/such/file"],
    "format": ["nonsense", "", "svmlight\0", 3],
    "labels": ["", "no/such/file", 3],
    "weights": ["", "no/such/file", 3],
    "columns": [-1, 1, 2**70, 1.5],
    "index_base": [2, -1, "x", None, 1.0, True],
    "strict": [2, "x", None],
    "widen": [2, "x", None],
    "scale": [NAN, INF, "x"],
    "hash_bits": [-1, 64, 1.5],
    "ids": ["", "no/such/file", 3],
    "csv_columns": ["", "no/such/file", 3],
    "csv_decimal": ["", ";", "comma", b",", 3, True],
    "like": [3, "model", X],
    "row_tag": ["", "a\0b", "nonsense", 1, 0, -1, 1.5, True, b"x", ["y"]],
    "label": ["", "a\0b", "nonsense", 1, 0, -1, 1.5, True, b"x", ["y"]],
    "spill": ["", "no/such/folder", 3],
    "stream": [2, "x", None],
    "standardize": [2, "x", None],
    "tfidf": [2, "x", None],
    "compact_ids": [2, "x", None],
    "heading": [2, "x", "present"],
    "labelled_only": [2, "x", None],
    "cross": ["", "a", "all", [], ["ab"], [("a",)], [("a", 1)], [("a", "b", "c")], 3, b"all"],
    "feature_ids": [[2, 1], [-1, 2], [1.5], "x", [[1]], 3],
}


def test_reading_refuses_wrong_values(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_text("1 1:0.5\n-1 3:2\n")
    names = {"path": "", "weights": "", "columns": "column", "ids": "", "csv_columns": "CSV"}
    names |= dict.fromkeys(("ids", "csv_columns", "labels"), "")
    names["row_tag"] = ""  # or the tags of rows
    refused(lambda **given: sparcl.read_data(**{"path": path, **given}), READ, names)
    assert sparcl.read_data(path).shape == (2, 3)


def test_data_refuse_wrong_values(data: sparcl.Data, tmp_path: Path) -> None:
    refused(
        lambda **given: data.split(**{"fraction": 0.5, **given}),
        {
            "fraction": [-0.1, 1.5, NAN, "x", None],
            "seed": [-1, 2**64, 1.5, None],
        },
    )
    refused(data.save, {"path": ["", "a\0b", b"x", None, 3]})
    with pytest.raises(sparcl.errors.FileError, match="cannot be written"):
        data.save(tmp_path)
    rest, held = data.split(1)
    assert rest.shape == (0, 4)
    assert rest.scipy().shape == (0, 4)  # no entries are not a stream
    assert (held.scipy() != data.scipy()).nnz == 0


MATRICES: dict[str, tuple[Any, str]] = {
    "wide": (np.eye(6, 9), "expected 4 columns, .* found 9"),
    "not a number": (np.full((2, 4), NAN), "finite"),
    "infinite": (np.full((2, 4), INF), "finite"),
    "beyond float32": (X * 1e39, "x: entries"),
    "complex": (X + 0j, "x: expected real numbers"),
    "words": (X.astype(str), "x: expected real numbers"),
    "list": (X.tolist(), "x: expected a matrix"),
    "vector": (X[0], "x: expected a matrix"),
    "wide data": (sparcl.data(np.eye(6, 9)), "at most the model's 4 columns"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_predictions_refuse_wrong_matrices(model: sparcl.Model, name: str) -> None:
    x, message = MATRICES[name]
    for take in (model.predict, model.probability, model.scores):
        with pytest.raises(REFUSALS, match=message):
            take(x)
    np.testing.assert_array_equal(model.predict(X), model.predict(scipy.sparse.csc_array(X)))


def test_models_refuse_wrong_values(model: sparcl.Model, data: sparcl.Data, tmp_path: Path) -> None:
    refused(model.save, {"path": ["", "a\0b", b"x", None, 3]})
    refused(sparcl.Model.load, {"path": ["", "a\0b", b"x", None, 3]})
    refused(model.evaluate, {"data": [X, None, sparcl.data(X)], "k": [1.5]}, {"data": "expected"})
    for key in ("nope", 3, None, ("weight",)):
        with pytest.raises(KeyError):
            model.tensors[key]  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        model.tensors["weight"][0] = 1
    with pytest.raises(sparcl.errors.ArgumentError, match="linear has no codes"):
        model.encode(X)
    with pytest.raises(sparcl.errors.ArgumentError, match="linear does not rank items; use"):
        model.recommend(X)


def test_codes_refuse_what_is_wider(data: sparcl.Data) -> None:
    model = sparcl.train(data, "autoencoder:units=4,k=2", epochs=1)
    with pytest.raises(sparcl.SparclError, match="at most the model's 4 columns, found 9"):
        model.encode(sparcl.data(np.eye(3, 9)))
    assert model.encode(sparcl.data(np.eye(3, 2))).shape == (3, 4)
    assert model.encode(np.eye(0, 4)).shape[0] == 0


def test_rankings_refuse_wrong_values() -> None:
    known = sparcl.data(np.eye(30, 5))
    model = sparcl.train(known, "bpr:factors=4", epochs=1)

    def call(**given: Any) -> Any:
        return model.recommend(**{"known": known, "k": 3, **given})

    more = sparcl.data(np.eye(33, 5)), sparcl.data(np.eye(30, 6))
    refused(
        call,
        {"k": [0, -1, 6, 2**40, 1.5, "x"], "known": [X, None, *more]},
        {
            "known": "expected",
            "k": "",
        },
    )
    assert call()[0].shape == (30, 3)


def test_nodes_refuse_wrong_values() -> None:
    edges = sparcl.data(np.eye(6))
    refused(
        lambda **given: sparcl.Nodes(**{"edges": edges, "rows": [0, 1], **given}),
        {
            "edges": [X, None, 3],
            "rows": [[0.5], ["a"], [[0]], [NAN], [2**63], None],
            "valid": [[0.5], ["a"], [[0]]],
        },
    )
    data = sparcl.data(np.eye(6, 4), Y)

    def call(**given: Any) -> Any:
        nodes = sparcl.Nodes(**{"edges": edges, "rows": [0, 1], **given})
        return sparcl.train(data, "gcn:units=2", nodes=nodes, epochs=1, batch="full")

    refused(
        call,
        {
            "edges": [sparcl.data(np.eye(5)), sparcl.data(np.eye(6, 5)), sparcl.data(-np.eye(6))],
            "rows": [[-1], [6], [0, 0], []],
            "valid": [[6], [-1], [2, 2]],
        },
        dict.fromkeys(("edges", "rows", "valid"), "expected"),
    )


# --- optimizers


def step_of(optimizer: Any) -> None:
    optimizer.step(sparcl.rows([1], np.ones((1, 2), "float32"), (3, 2)))


@pytest.mark.parametrize("rule", sparcl.optim.rules())
def test_settings_refuse_wrong_values(rule: str) -> None:
    def make(**given: Any) -> sparcl.optim.Optimizer:
        return sparcl.optim.Optimizer(sparcl.dense(np.ones((3, 2), "float32")), rule, **given)

    refused(
        make,
        {
            "lr": [NAN, INF, "x", None, [1]],
            "nonsense": [1],
            "preset": ["nonsense", 3, ""],
            "weight_decay": [NAN, "x", -1],
            "exact": [2, "x"],
        },
    )
    for lr in (0.5, np.float32(0.5), np.float64(0.5), np.array(0.5)[()], "0.5"):
        assert make(lr=lr)["lr"] == "0.5"
    optimizer = make(lr=0.5)
    for name, value in (("lr", NAN), ("lr", "x"), ("nonsense", 1), ("", 1)):
        with pytest.raises(REFUSALS):
            optimizer[name] = value
    with pytest.raises(REFUSALS):
        optimizer["nonsense"]
    assert optimizer["lr"] == "0.5"


def test_states_of_another_kind_are_refused() -> None:
    optimizer = sparcl.optim.Adam(sparcl.dense(np.ones((3, 2), "float32")), lr=0.5)
    step_of(optimizer)
    good = optimizer.state_dict()
    first = next(iter(good["states"]))
    for wrong in (
        None,
        {},
        {**good, "optimizer": "sgd"},
        {**good, "states": {}},
        {**good, "states": {**good["states"], first: [1.0]}},
        {**good, "states": {**good["states"], first: np.ones((2, 2), "float32")}},
        {**good, "states": {**good["states"], first: np.ones((3, 2))}},
        {**good, "step": -5},
        {**good, "step": 1.5},
        {**good, "step": None},
    ):
        with pytest.raises(REFUSALS, match=r"expected|step"):
            optimizer.load_state_dict(wrong)
    assert optimizer.step_number == 1
    optimizer.load_state_dict(good)
    step_of(optimizer)
    assert optimizer.step_number == 2
