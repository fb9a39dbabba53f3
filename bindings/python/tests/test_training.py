"""Training: the bits of the tool, files, progress, interrupts, checkpoints, and what is refused."""

from __future__ import annotations

import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from same_model import assert_same_model

import sparcl
from sparcl._enums import Select


@pytest.fixture(scope="module")
def context() -> sparcl.Context:
    return sparcl.Context()


def problem(rows: int = 200, columns: int = 30, classes: int = 2) -> tuple[Any, Any]:
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, columns)) * (random.random((rows, columns)) < 0.3)
    scores = x @ random.standard_normal((columns, classes))
    return scipy.sparse.csr_array(x.astype(np.float32)), scores.argmax(1)


def svm_file(path: Path, x: Any, y: npt.NDArray[Any]) -> Path:
    lines = []
    for i, label in enumerate(y):
        row = x[[i]].tocoo()
        entries = zip(row.coords[1], row.data, strict=True)
        lines.append(" ".join([str(label), *(f"{j + 1}:{v!r}" for j, v in entries)]))
    path.write_text("\n".join(lines).replace("np.float32(", "").replace(")", "") + "\n")
    return path


TOOL = os.environ.get("SPARCL_TOOL")
needs_tool = pytest.mark.skipif(not TOOL, reason="SPARCL_TOOL does not name the tool")


def run_tool(*words: str | Path) -> str:
    assert TOOL is not None
    done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, check=True)
    return done.stdout


@needs_tool
@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (
            ["--loss", "logistic", "--l2", "0.01", "--lr", "0.1"],
            {"loss": "logistic", "l2": 0.01, "lr": 0.1},
        ),
        (
            ["--optimizer", "adam", "--epochs", "10", "--batch", "32", "--seed", "7"],
            {"loss": "logistic", "optimizer": "adam", "epochs": 10, "batch": 32, "seed": 7},
        ),
        ([], {}),
        (["--seed", "3", "--no-bias"], {"seed": 3, "bias": False}),
        (["--optimizer", "adam", "--batch", "16"], {"optimizer": "adam", "batch": 16}),
        (["--l2", "0.01"], {"l2": 0.01}),
        (["--optimizer", "adagrad:lr=0.1"], {"optimizer": "adagrad:lr=0.1"}),
        (["--solver", "lbfgs", "--l2", "0.1"], {"solver": "lbfgs", "l2": 0.1}),
        (
            ["--model", "fm:factors=4", "--optimizer", "adagrad", "--lr", "0.05", "--epochs", "3"],
            {"model": "fm:factors=4", "optimizer": "adagrad", "lr": 0.05, "epochs": 3},
        ),
        (
            ["--model", "autoencoder:units=16,k=4", "--optimizer", "adam", "--batch", "16"],
            {"model": "autoencoder:units=16,k=4", "optimizer": "adam", "batch": 16},
        ),
    ],
)
def test_the_file_is_that_of_the_tool(
    tmp_path: Path, options: list[str], parameters: dict[str, Any]
) -> None:
    path = svm_file(tmp_path / "x.svm", *problem(60))
    run_tool("train", path, "-o", tmp_path / "tool.safetensors", "--progress", "none", *options)
    model = sparcl.train(sparcl.read_data(path), **parameters)
    model.save(tmp_path / "python.safetensors")
    assert_same_model(tmp_path / "tool.safetensors", tmp_path / "python.safetensors")


@needs_tool
def test_model_files_open_in_either(tmp_path: Path) -> None:
    x, y = problem()
    path = tmp_path / "x.npz"
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(x))
    np.save(tmp_path / "y.npy", y)
    model = sparcl.train(sparcl.data(x, y), solver="lbfgs", l2=0.01)
    model.save(tmp_path / "python.safetensors")
    found = run_tool("predict", tmp_path / "python.safetensors", path)
    labels = [float(line.split("\t")[0]) for line in found.splitlines() if line[:1].isdigit()]
    np.testing.assert_array_equal(labels, model.predict(x))
    words = ["--labels", tmp_path / "y.npy", "--solver", "lbfgs", "--l2", "0.01"]
    run_tool("train", path, "-o", tmp_path / "tool.safetensors", *words)
    loaded = sparcl.Model.load(tmp_path / "tool.safetensors")
    np.testing.assert_array_equal(loaded.tensors["weight"], model.tensors["weight"])
    np.testing.assert_array_equal(loaded.predict(x), model.predict(x))


@needs_tool
def test_a_model_of_arrays_is_for_text_that_counts_from_1(tmp_path: Path) -> None:
    x, y = problem()
    path = svm_file(tmp_path / "x.svm", x, y)
    data = sparcl.data(x, y, index_base=1)
    assert data.info["fingerprint"] == sparcl.read_data(path).info["fingerprint"]
    model = sparcl.train(data, solver="lbfgs", l2=0.01)
    model.save(tmp_path / "python.safetensors")
    words = ["--solver", "lbfgs", "--l2", "0.01", "--progress", "none"]
    run_tool("train", path, "-o", tmp_path / "tool.safetensors", *words)
    files = [(tmp_path / f"{name}.safetensors").read_bytes() for name in ("tool", "python")]
    assert files[0] == files[1]
    found = run_tool("eval", tmp_path / "python.safetensors", path, "--json")
    assert json.loads(found[found.index("{") :])["accuracy"] == np.mean(model.predict(x) == y)
    with pytest.raises(sparcl.errors.FormatError, match="counted from 1"):
        model.evaluate(sparcl.data(x, y))


def test_predictions_are_those_of_the_formula(context: sparcl.Context) -> None:
    x, y = problem(classes=3)
    model = sparcl.train(sparcl.data(x, y * 2 - 1), optimizer="adagrad", lr=0.1, context=context)
    scores = x @ model.tensors["weight"] + model.tensors["bias"]
    for rows in (x, x.toarray(), x.tocoo(), x.astype(np.float64), sparcl.data(x)):
        np.testing.assert_allclose(model.scores(rows, context=context), scores, atol=1e-5)
    np.testing.assert_array_equal(model.predict(x, context=context), scores.argmax(1) * 2 - 1)
    e = np.exp(scores - scores.max(1, keepdims=True))
    expected = (e / e.sum(1, keepdims=True)).max(1)
    np.testing.assert_allclose(model.probability(x, context=context), expected, rtol=1e-5)
    found = model.evaluate(sparcl.data(x, y * 2 - 1), context=context)
    assert found["accuracy"] == np.mean(scores.argmax(1) == y)
    assert model.info["labels"] == [-1.0, 1.0, 3.0]
    assert model.result is not None
    assert model.result["loss"] == pytest.approx(found["loss"])


def test_arrays_are_those_of_the_model_and_keep_it() -> None:
    x, y = problem()
    model = sparcl.train(sparcl.data(x, y), "fm:factors=3", epochs=1)
    assert dict(model.tensors).keys() == {"weight", "bias", "factors"}
    factors = model.tensors["factors"]
    assert np.shares_memory(factors, model.tensors["factors"])
    assert factors.shape == (30, 3)
    with pytest.raises(ValueError, match="read-only"):
        factors[0, 0] = 1
    with pytest.raises(KeyError):
        model.tensors["no such"]
    expected = factors.copy()
    del model
    gc.collect()
    np.testing.assert_array_equal(factors, expected)
    data = sparcl.data(x, y)
    matrix, labels = data.scipy(), data.labels
    del data
    gc.collect()
    np.testing.assert_array_equal(matrix.toarray(), x.toarray())
    np.testing.assert_array_equal(labels, y)


def test_a_model_is_saved_loaded_and_pickled(tmp_path: Path) -> None:
    x, y = problem()
    model = sparcl.train(sparcl.data(x, y), epochs=3)
    model.save(tmp_path / "m.safetensors")
    for other in (
        sparcl.Model.load(tmp_path / "m.safetensors"),
        pickle.loads(pickle.dumps(model)),
    ):
        np.testing.assert_array_equal(other.tensors["weight"], model.tensors["weight"])
        assert other.info == model.info
    assert pickle.loads(pickle.dumps(model)).result == model.result
    with pytest.raises(sparcl.errors.FileError):
        sparcl.Model.load(tmp_path / "none")
    (tmp_path / "bad").write_text("no model")
    with pytest.raises(sparcl.errors.FormatError, match="bad"):
        sparcl.Model.load(tmp_path / "bad")


def test_data_of_every_kind_are_the_same(tmp_path: Path) -> None:
    x, y = problem()
    one = sparcl.data(x, y)
    wide = x.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    unsorted = scipy.sparse.csr_array(
        (x.data[::-1].copy(), x.indices[::-1].copy(), x.nnz - x.indptr[::-1]), shape=x.shape
    )[::-1]
    for other in (x.toarray(), x.tocsc(), x.tocoo(), x.astype(np.float64), wide, unsorted):
        assert sparcl.data(other, y).info["fingerprint"] == one.info["fingerprint"]
    one.save(tmp_path / "x.sparcl")
    again = sparcl.read_data(tmp_path / "x.sparcl")
    assert again.info["fingerprint"] == one.info["fingerprint"]
    rest, held = one.split(0.25, seed=3)
    assert (rest.shape[0], held.shape[0]) == (150, 50)
    assert "200" in one._repr_html_()


def test_a_training_begins_with_a_model() -> None:
    x, y = problem(classes=3)
    data, settings = sparcl.data(x, y), {"batch": "full", "lr": 0.5}
    whole = sparcl.train(data, epochs=5, **settings)
    part = sparcl.train(data, epochs=2, **settings)
    rest = sparcl.train(data, epochs=3, start=part, **settings)
    np.testing.assert_array_equal(rest.tensors["weight"], whole.tensors["weight"])
    adam: dict[str, Any] = {"batch": "full", "optimizer": "adam"}
    whole = sparcl.train(data, epochs=5, **adam)
    kept = sparcl.train(data, epochs=2, keep_state=True, **adam)
    rest = sparcl.train(data, epochs=3, start=kept, **adam)
    np.testing.assert_array_equal(rest.tensors["weight"], whole.tensors["weight"])
    one_class = sparcl.data(x[:5], [2] * 5)
    assert sparcl.train(one_class, start=part).info["labels"] == [0, 1, 2]
    with pytest.raises(sparcl.errors.ArgumentError, match="kind linear"):
        sparcl.train(data, "mlp", start=part)


def test_labels_of_any_scale_are_learned() -> None:
    x, y = problem()
    prices = 250000 + 90000 * x.toarray()[:, :3].sum(1)
    settings: dict[str, Any] = {"loss": "squared", "optimizer": "adam", "epochs": 80, "batch": 20}
    for model in ("linear", "fm", "mlp"):
        trained = sparcl.train(x, prices, model, lr=0.02, **settings)
        assert np.corrcoef(trained.predict(x), prices)[0, 1] > 0.9
        assert abs(trained.predict(x).mean() - prices.mean()) < 20000
    raw = sparcl.train(x, prices, "fm", standardize_labels=False, **settings)
    assert raw.predict(x).mean() < 1000
    kept = sparcl.train(x, prices, "fm", keep_state=True, **settings)
    np.testing.assert_array_equal(kept.tensors["factors"], raw.tensors["factors"])
    with pytest.raises(sparcl.errors.ArgumentError, match="standardize_labels is set, expected 0"):
        sparcl.train(x, y, epochs=1, standardize_labels=True)


def test_weights_of_rows_are_rows() -> None:
    x, y = problem()
    weights = np.random.default_rng(2).integers(0, 3, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    settings = {"solver": "lbfgs", "l2": 0.01, "tolerance": 1e-7}
    one = sparcl.train(sparcl.data(x, y, weights=weights), **settings)
    two = sparcl.train(sparcl.data(x[repeated], y[repeated]), **settings)
    np.testing.assert_allclose(one.tensors["weight"], two.tensors["weight"], atol=1e-3)


def test_progress_is_reported_and_can_stop() -> None:
    x, y = problem()
    data, seen = sparcl.data(x, y), []
    sparcl.train(data, epochs=3, batch=50, progress=seen.append)
    assert all(now["setting"] is None for now in seen)
    assert seen[-1]["step"] == seen[-1]["steps"] == 12
    assert np.isfinite(seen[-1]["loss"])
    with pytest.raises(sparcl.errors.InterruptedRunError):
        sparcl.train(data, epochs=10**7, batch=10, progress=lambda now: True)

    def fail(now: dict[str, Any]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sparcl.train(data, epochs=10**7, batch=10, progress=fail)
    assert not issubclass(sparcl.errors.InterruptedRunError, Exception)
    assert sparcl.train(data, epochs=1).result["epochs"] == 1  # the context is still usable


def test_progress_says_what_a_search_tries() -> None:
    x, y = problem(60)
    seen: list[dict[str, Any]] = []
    model = sparcl.train(sparcl.data(x, y), "mlp:hidden=8", progress=seen.append)
    searched = [now for now in seen if now["setting"] is not None]
    assert {now["setting"] for now in searched} == {"lr"}
    assert {now["value"] for now in searched} <= {one["value"] for one in model.result["tried"]}
    assert searched[-1]["tried"] <= len(model.result["tried"]) <= searched[-1]["most"]
    assert np.isfinite(searched[-1]["valid_loss"])
    assert np.isnan(searched[-1]["loss"])
    assert searched[-1]["steps"] == 0
    stop = {"progress": lambda now: now["setting"] == "lr"}
    with pytest.raises(sparcl.errors.InterruptedRunError):
        sparcl.train(sparcl.data(x, y), "mlp:hidden=8", **stop)


def test_a_bar_of_a_search(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    x, y = problem(60)
    sparcl.train(sparcl.data(x, y), "mlp:hidden=8", progress=True)
    shown = capsys.readouterr().err
    assert "searching" in shown
    assert "held-out loss=" in shown


def test_a_bar_is_shown_where_tqdm_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    x, y = problem()
    sparcl.train(sparcl.data(x, y), epochs=4, batch=50, progress=True)
    assert "16/16" in capsys.readouterr().err


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_other_threads_go_on_during_a_training(context: sparcl.Context) -> None:
    x, y = problem()
    matrix, began = sparcl.csr(x, context=context), threading.Event()

    def train() -> None:
        def stop(now: dict[str, Any]) -> bool:
            began.set()
            return done.is_set()

        with pytest.raises(sparcl.errors.InterruptedRunError):
            sparcl.train(sparcl.data(x, y), epochs=10**7, batch=10, context=context, progress=stop)

    done = threading.Event()
    thread = threading.Thread(target=train)
    thread.start()
    assert began.wait(60)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:  # a run that waits for the other one
        with pytest.raises(sparcl.errors.InterruptedRunError, match="before its first step"):
            sparcl.train(sparcl.data(x, y), context=context)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not done.is_set()
    threading.Timer(0.3, done.set).start()
    del matrix  # its buffers are freed when the training is over
    gc.collect()
    thread.join()
    assert done.is_set()


RUN = """
import sys, numpy as np, sparcl
x, y = np.eye(40, dtype="float32"), np.arange(40) % 2
data = sparcl.data(x, y)
settings = dict(batch=4, optimizer="adam", checkpoint=sys.argv[1], resume=True)
started = []
def report(now):
    if not started: started.append(print("started", flush=True))
try:
    sparcl.train(data, epochs=10**7, progress=report, **settings)
except KeyboardInterrupt as error:
    assert isinstance(error, sparcl.errors.InterruptedRunError), error
    assert "interrupted" in str(error), error
model = sparcl.train(data, epochs=2)  # the context is still usable
print("usable", model.result["epochs"])
"""


def test_control_c_ends_a_run_with_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    run = subprocess.Popen([sys.executable, "-c", RUN, path], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    assert run.stdout.readline() == "started\n"
    run.send_signal(signal.SIGINT)
    rest, _ = run.communicate(timeout=3600)
    assert (rest, run.returncode) == ("usable 2\n", 0)
    data = sparcl.data(np.eye(40, dtype=np.float32), np.arange(40) % 2)
    settings: dict[str, Any] = {"batch": 4, "optimizer": "adam", "checkpoint": path}
    with pytest.raises(sparcl.errors.ArgumentError, match="another run"):
        sparcl.train(data, resume=True, seed=1, epochs=10**7, **settings)
    stop = {"progress": lambda now: True}
    with pytest.raises(sparcl.errors.InterruptedRunError):
        sparcl.train(data, resume=True, epochs=10**7, **settings, **stop)
    with pytest.raises(sparcl.errors.ArgumentError, match=r"set resume .*, or overwrite"):
        sparcl.train(data, epochs=1, **settings)
    sparcl.train(data, epochs=1, overwrite=True, **settings)
    with pytest.raises(sparcl.errors.ArgumentError, match="checkpoint is None"):
        sparcl.train(data, epochs=1, resume=True)


def test_the_label_of_a_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("id,a,click\n" + "".join(f"{i},{i % 5},{i % 2}\n" for i in range(30)))
    labels = [sparcl.read_data(path, label=label).labels for label in (None, "click", "a", 2)]
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_array_equal(labels[2], labels[3])
    np.testing.assert_array_equal(labels[3], np.arange(30) % 5)
    assert sparcl.read_data(path).shape == (30, 1)  # the id is no feature
    with pytest.raises(sparcl.errors.FormatError, match='did you mean "click"'):
        sparcl.read_data(path, label="clicks")
    path.write_text("id,a\n" + "".join(f"{i * 7},{i % 5}\n" for i in range(30)))
    with pytest.raises(sparcl.errors.FormatError, match="name it by label=NAME"):
        sparcl.train_auto(sparcl.read_data(path))


def test_labels_that_a_model_does_not_know_are_counted() -> None:
    x, y = problem()
    model = sparcl.train(sparcl.data(x, y), epochs=2)
    known = model.evaluate(sparcl.data(x[20:], y[20:]))
    others = y.copy()
    others[:20] = 7
    with pytest.warns(RuntimeWarning, match="20 of 200 rows have a label that the model does not"):
        found = model.evaluate(sparcl.data(x, others))
    assert (found["unknown_labels"], known["unknown_labels"]) == (20, 0)
    assert found["loss"] == pytest.approx(known["loss"], rel=1e-5)
    assert found["accuracy"] == pytest.approx(0.9 * known["accuracy"], rel=1e-5)


def test_what_is_wrong_is_said() -> None:
    x, y = problem()
    data = sparcl.data(x, y)
    with pytest.raises(sparcl.errors.ArgumentError, match="no such"):
        sparcl.train(data, optimizer="no such")
    with pytest.raises(sparcl.errors.ArgumentError, match="linear"):
        sparcl.train(data, "no such")
    with pytest.raises(sparcl.errors.FormatError, match="label"):
        sparcl.train(sparcl.data(x), loss="squared")
    with pytest.raises(sparcl.errors.DivergedError):
        sparcl.train(sparcl.data(x, y), loss="squared", lr=1e30)
    with pytest.raises(ValueError, match="labels: expected one for each of 200 rows"):
        sparcl.data(x, y[:3])
    with pytest.raises(sparcl.errors.ShapeError, match="expected 30 columns"):
        sparcl.train(data).predict(np.ones((2, 31)))
    bad = x.copy()
    bad.data[3] = np.nan
    with pytest.raises(sparcl.errors.FormatError, match="nan"):
        sparcl.train(sparcl.data(bad, y))


def _nul_calls(path: str) -> dict[str, list[Callable[[], Any]]]:
    d = sparcl.data([[0.0, 2.0], [1.0, 0.0]], [1, 0])
    model = sparcl.train(d, epochs=1)
    graph = sparcl.graph.Graph()
    table = sparcl.dense([[1.0]])
    own: list[Callable[[], Any]] = [
        lambda: sparcl.read_data(path),
        lambda: d.save(path),
        lambda: model.save(path),
        lambda: sparcl.Model.load(path),
        lambda: graph.save(path),
        lambda: graph.load(path),
    ]
    names = ("labels", "weights", "ids", "csv_columns", "spill")
    return {
        "path": own,
        **{name: [partial(sparcl.read_data, "x", **{name: path})] for name in names},
        "checkpoint": [lambda: sparcl.train(d, epochs=1, checkpoint=path)],
        "cache": [lambda: sparcl.Context(cache=path)],
        "device": [lambda: sparcl.Context(path)],
        "name": [lambda: graph.dense(path, (1, 1))],
        "optimizer": [lambda: sparcl.optim.Optimizer(table, path)],
    }


def test_a_model_keeps_the_ids_of_its_columns(tmp_path: Path) -> None:
    path, other = tmp_path / "a.svm", tmp_path / "b.svm"
    path.write_text("1 99999999999999:1 5:2\n0 5:1 7:3\n" * 4)
    other.write_text("1 99999999999999:1 6:1\n")
    data = sparcl.read_data(path, compact_ids=True)
    model = sparcl.train(data, optimizer="adam", epochs=2)
    model.save(tmp_path / "m")
    ids = sparcl.Model.load(tmp_path / "m").feature_ids
    assert ids is not None
    assert data.feature_ids is not None
    assert ids.tolist() == data.feature_ids.tolist() == [5, 7, 99999999999999]
    known = sparcl.read_data(other, feature_ids=ids)
    assert known.info["unknown_ids"] == 1
    assert known.scipy().toarray().tolist() == [[0, 0, 1]]
    hashed = sparcl.read_data(path, hash_bits=8)
    assert sparcl.train(hashed, optimizer="adam", epochs=1).info["hash_bits"] == 8
    assert hashed.feature_ids is None
    with pytest.raises(sparcl.errors.ArgumentError, match="either hashed or numbered"):
        sparcl.read_data(path, hash_bits=8, compact_ids=True)


def test_a_model_keeps_the_ids_of_users_and_items(tmp_path: Path) -> None:
    path, other = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("user,item,rating\n99999999999999,5,4\n7,5,2\n7,8,3\n")
    other.write_text("user,item,rating\n7,8,1\n8,5,1\n7,6,1\n")
    data = sparcl.read_data(path)
    sparcl.train(data, "fm", loss="squared", optimizer="adam", epochs=2).save(tmp_path / "m")
    model = sparcl.Model.load(tmp_path / "m")
    for of in (data, model):
        assert of.user_ids is not None
        assert of.item_ids is not None
        assert (of.user_ids.tolist(), of.item_ids.tolist()) == ([7, 99999999999999], [5, 8])
        assert of.node_ids is None
        known = sparcl.read_data(other, like=of)
        assert known.info["unknown_ids"] == 2
        assert known.scipy().toarray().tolist() == [[1, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0]]
    assert len(model.predict(sparcl.read_data(other, like=model))) == 3
    with pytest.raises(sparcl.errors.FormatError, match="the ids of users and items"):
        sparcl.read_data(other, columns=4)


def test_columns_of_npz_may_be_ids(tmp_path: Path) -> None:
    path = tmp_path / "wide.npz"
    ids = np.array([5, 99999999999999, 7])
    wide = scipy.sparse.csr_array((np.ones(3), ids, [0, 2, 3]), shape=(2, 10**14))
    scipy.sparse.save_npz(path, wide)
    data = sparcl.read_data(path, compact_ids=True)
    assert data.feature_ids is not None
    assert data.feature_ids.tolist() == [5, 7, 99999999999999]
    assert data.scipy().toarray().tolist() == [[1, 0, 1], [0, 1, 0]]
    hashed = sparcl.read_data(path, hash_bits=12)
    assert hashed.shape == (2, 4096)
    assert hashed.scipy().toarray().sum() == 3
    assert sparcl.read_data(path, like=hashed).scipy().toarray().sum() == 3
    scipy.sparse.save_npz(path, hashed.scipy())  # without how they were made
    with pytest.raises(sparcl.errors.FormatError, match="which may be made of ids already"):
        sparcl.read_data(path, like=hashed)


def test_stars_are_numbers_and_a_label_makes_them_a_table(tmp_path: Path) -> None:
    path = tmp_path / "stars.csv"
    rows = [f"u{i % 7},i{i % 5},{1 + i % 5}" for i in range(70)]
    path.write_text("\n".join(["user,item,rating", *rows, ""]))
    ratings = sparcl.read_data(path)
    assert ratings.info["format"] == "ratings"
    model = sparcl.train(ratings, model="fm", optimizer="adam", epochs=1)
    assert model.info["loss"] == "squared"
    for given in ({"label": "rating"}, {"heading": True}):
        assert sparcl.read_data(path, **given).info["format"] == "csv"


def test_ratings_are_what_users_have(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,item,rating\n99999999999999,5,4\n7,5,2\n7,8,3\n7,8,1\n")
    data = sparcl.read_data(path)
    with pytest.raises(sparcl.errors.FormatError, match=r"make it of them \(data.pairs\(\)\)"):
        sparcl.train(data, "bpr:factors=2", optimizer="adam", epochs=1)
    pairs = data.pairs()
    assert pairs.scipy().toarray().tolist() == [[1, 1], [1, 0]]
    model = sparcl.train(pairs, "bpr:factors=2", optimizer="adam", epochs=1)
    assert model.item_ids is not None
    items, _ = model.recommend(sparcl.read_data(path, like=model).pairs(), k=1)
    assert model.item_ids[items[1]].tolist() == [8]
    with pytest.raises(sparcl.errors.FormatError, match="expected ratings, found memory"):
        pairs.pairs()


def test_a_model_keeps_the_ids_of_nodes(tmp_path: Path) -> None:
    path = tmp_path / "edges"
    path.write_text("99999999999999 7\n7 8\n")
    data = sparcl.read_data(path, format="edges", compact_ids=True)
    assert data.node_ids is not None
    assert data.node_ids.tolist() == [7, 8, 99999999999999]
    path.write_text("8 7\n8 9\n")
    again = sparcl.read_data(path, format="edges", like=data)
    assert again.shape == (3, 3)
    assert again.info["unknown_ids"] == 1
    assert again.node_ids is not None


def test_a_nul_in_a_path_is_refused(tmp_path: Path) -> None:
    """The C library would end the path there, and open another file."""
    kept = tmp_path / "kept"
    kept.write_text("kept")
    for argument, calls in _nul_calls(f"{kept}\0.svm").items():
        for call in calls:
            with pytest.raises(ValueError, match=f"^{argument}: .*NUL.*at position"):
                call()
    assert kept.read_text() == "kept"
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]


@needs_tool
def test_without_settings_a_training_is_that_of_the_tool(tmp_path: Path) -> None:
    path = svm_file(tmp_path / "x.svm", *problem(60))
    data = sparcl.read_data(path)
    for kind, rule in (("linear", None), ("linear", "adam:beta1=0.8"), ("fm:factors=2", None)):
        given = ["--model", kind, *([] if rule is None else ["--optimizer", rule])]
        run_tool("train", path, "-o", tmp_path / "tool.safetensors", "--progress", "none", *given)
        model = sparcl.train_auto(data, model=kind, optimizer=rule)
        model.save(tmp_path / "python.safetensors")
        assert_same_model(tmp_path / "tool.safetensors", tmp_path / "python.safetensors")
        setting = "C" if rule is None and kind == "linear" else "lr"
        assert model.result["tried"][0]["setting"] == setting  # type: ignore[index]
        sparcl.train(data, kind, optimizer=rule).save(tmp_path / "train.safetensors")
        assert_same_model(tmp_path / "tool.safetensors", tmp_path / "train.safetensors")


@needs_tool
def test_validation_leaves_the_search_as_the_tool_does(tmp_path: Path) -> None:
    path = svm_file(tmp_path / "x.svm", *problem())
    held = svm_file(tmp_path / "y.svm", *problem(50))
    tool = tmp_path / "tool.safetensors"
    run_tool("train", path, "--valid", held, "-o", tool, "--progress", "none")
    model = sparcl.train(sparcl.read_data(path), valid=sparcl.read_data(held))
    model.save(tmp_path / "python.safetensors")
    assert_same_model(tool, tmp_path / "python.safetensors")
    assert model.result["tried"]
    assert model.metrics == sparcl.Model.load(tool).metrics
    run_tool("train", path, "--hold-out", "0.25", "--seed", "3", "-o", tool, "--progress", "none")
    model = sparcl.train(sparcl.read_data(path), hold_out=0.25, seed=3)
    model.save(tmp_path / "python.safetensors")
    assert_same_model(tool, tmp_path / "python.safetensors")
    assert model.metrics == sparcl.Model.load(tool).metrics
    with pytest.raises(ValueError, match="beside valid"):
        sparcl.train(sparcl.read_data(path), hold_out=0.2, valid=sparcl.read_data(held))
    with pytest.raises(ValueError, match="split its ratings"):
        sparcl.train(sparcl.read_data(path), "bpr", hold_out=0.2)


@needs_tool
def test_a_ranking_without_settings_is_that_of_the_tool(tmp_path: Path) -> None:
    text = "".join(f"{i % 20},{i // 20 * 2 + i % 2},1\n" for i in range(400))
    (tmp_path / "ratings.csv").write_text("user,item,rating\n" + text)
    tool = tmp_path / "tool.safetensors"
    run_tool("train", tmp_path / "ratings.csv", "--model", "bpr", "-o", tool, "--progress", "none")
    pairs = sparcl.read_data(tmp_path / "ratings.csv").pairs()
    model = sparcl.train(pairs, "bpr")
    model.save(tmp_path / "python.safetensors")
    assert_same_model(tool, tmp_path / "python.safetensors")
    found = model.evaluate(pairs, known=pairs, k=3)
    assert found["popular_recall"] == found["recall"] == 0  # all items are known


def test_steps_are_of_a_fiftieth_of_the_rows() -> None:
    x, y = np.tile(np.eye(2), (2000, 1)), np.tile([0, 1], 2000)
    for rows, batch in ((100, 32), (4000, 80)):
        model = sparcl.train(x[:rows], y[:rows], epochs=1)
        assert model.info["batch"] == batch, rows
    assert sparcl.train(x, y, optimizer="adagrad").info["batch"] == 1024
    assert sparcl.train(x, y, epochs=1, batch=500).info["batch"] == 500


@needs_tool
def test_a_table_is_standardized_as_the_tool_does(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{i % 2},{1990 + i % 7},{10 ** (i % 7)},{i % 3}" for i in range(90)]
    path.write_text("\n".join(["y,year,count,c", *rows]) + "\n")
    run_tool("train", path, "-o", tmp_path / "tool.safetensors", "--progress", "none")
    model = sparcl.train_auto(sparcl.read_data(path, standardize=True))
    model.save(tmp_path / "python.safetensors")
    assert_same_model(tmp_path / "tool.safetensors", tmp_path / "python.safetensors")
    text = sparcl.read_data(path, like=model)._core.csv_description
    assert b"year,numeric,1992." in text
    assert b"count,log," in text


@needs_tool
def test_crosses_are_learned_and_kept(tmp_path: Path) -> None:
    path, again = tmp_path / "t.csv", tmp_path / "again.csv"
    rows = [f"{'ab'[i % 2]},{'cd'[i // 2 % 2]},{i % 2 ^ i // 2 % 2}" for i in range(80)]
    path.write_text("\n".join(['"left, side",right,y', *rows]) + "\n")
    again.write_text("\n".join(['right,"left, side"', *("d,a", "c,a")]) + "\n")
    run_tool(
        "train",
        path,
        *("--cross", '"left, side",right'),
        *("-o", tmp_path / "tool.safetensors", "--progress", "none"),
    )
    data = sparcl.read_data(path, standardize=True, cross=[("left, side", "right")])
    model = sparcl.train_auto(data)
    model.save(tmp_path / "python.safetensors")
    assert_same_model(tmp_path / "tool.safetensors", tmp_path / "python.safetensors")
    assert data.info["crosses"] == 1
    assert data.info["cross_entries"] == 80
    new = sparcl.read_data(again, format="csv", like=model)
    assert model.predict(new).tolist() == [1, 0]
    assert sparcl.read_data(path, cross="all").info["crosses"] == 1
    with pytest.raises(ValueError, match="beside like"):
        sparcl.read_data(path, like=model, cross="all")


def test_crosses_of_namespaces_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.vw"
    path.write_text(
        "".join(f"{2 * (i % 2 ^ i // 2 % 2) - 1} |a {i % 2} |b {i // 2 % 2}\n" for i in range(80))
    )
    data = sparcl.read_data(path, cross=[("a", "b")])
    model = sparcl.train_auto(data)
    model.save(tmp_path / "m.safetensors")
    loaded = sparcl.Model.load(tmp_path / "m.safetensors")
    like = sparcl.read_data(path, like=loaded)
    assert like.info["fingerprint"] == data.info["fingerprint"]
    assert loaded.evaluate(like)["accuracy"] == 1


def test_settings_are_selected_by_a_metric() -> None:
    x, y = problem()
    data = sparcl.data(x, y)
    for select in get_args(Select):
        tried = sparcl.train_auto(data, select=select).result["tried"]  # type: ignore[index]
        best = min if select == "loss" else max
        chosen = next(one for one in tried if one["is_chosen"])
        assert chosen["selected"] == best(one["selected"] for one in tried)
        assert select not in chosen or chosen["selected"] == chosen[select]
    with pytest.raises(ValueError, match="select is auc, expected loss: squared loss"):
        sparcl.train_auto(data, loss="squared", select="auc")


def test_a_file_is_read_like_the_training_data(tmp_path: Path) -> None:
    path, other = tmp_path / "train.csv", tmp_path / "new.csv"
    words = ["red", '"blue, dark"']
    rows = [f"{i % 7},{words[i % 3 == 0]},{i % 2}" for i in range(60)]
    path.write_text("\n".join(["size,Farbe \u00e4,target", *rows]) + "\n")
    other.write_text('note,Farbe \u00e4,size\nx,"blue, dark",3\ny,red,4\n')
    train = sparcl.read_data(path)
    model = sparcl.train(train, epochs=2)
    model.save(tmp_path / "m")
    loaded = sparcl.Model.load(tmp_path / "m")
    found = [sparcl.read_data(other, like=each) for each in (train, model, loaded)]
    assert all(each.shape == (2, train.shape[1]) and each.nnz == 4 for each in found)
    assert len({each.info["fingerprint"] for each in found}) == 1
    assert {each.info["other_columns"] for each in found} == {1}
    other.write_text("note,Farbe \u00e4\nx,red\n")
    with pytest.raises(ValueError, match='the column "size"'):
        sparcl.read_data(other, like=loaded)


def test_class_weights_may_be_a_mapping() -> None:
    x, y = problem()
    data = sparcl.data(x, y)
    shares = [
        np.mean(sparcl.train(data, class_weights=weights).predict(x) == 1)
        for weights in (None, {1.0: 50.0, 0.0: 1.0}, {1: 0.02})
    ]
    assert shares[2] < shares[0] < shares[1]


def test_class_weights_act_in_a_choice_of_settings() -> None:
    x, y = problem()
    data = sparcl.data(x, y)
    plain, balanced = (
        sparcl.train_auto(data, class_weights=weights) for weights in (None, {1.0: 50.0})
    )
    shares = [np.mean(model.predict(x) == 1) for model in (plain, balanced)]
    assert shares[0] < shares[1]


def test_a_signal_ends_a_choice_of_settings() -> None:
    x, y = problem(20000, 200)
    data = sparcl.data(x, y)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(sparcl.errors.InterruptedRunError, match="was interrupted"):
            sparcl.train_auto(data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_nodes_of_a_graph_are_labelled() -> None:
    random = np.random.default_rng(5)
    group = np.arange(120) % 3
    near = (group[:, None] == group) & (random.random((120, 120)) < 0.1)
    data = sparcl.data(np.eye(120, dtype=np.float32), group + 1)
    edges = sparcl.data(near | near.T)
    train, valid, test = sparcl.draw_nodes(data, 5, valid=20, test=40, seed=1)
    assert len(set(train) | set(valid) | set(test)) == 75
    settings: dict[str, Any] = {"optimizer": "adam", "lr": 0.05, "epochs": 60}
    model = sparcl.train(data, "gcn", nodes=sparcl.Nodes(edges, train, valid), **settings)
    labels, p = model.predict_nodes(data, sparcl.Nodes(edges, test))
    assert np.mean(labels == group[test] + 1) > 0.9
    assert np.all((p > 0) & (p <= 1))
    found = model.evaluate_nodes(data, sparcl.Nodes(edges, test))
    assert found["accuracy"] == np.mean(labels == group[test] + 1)
    with pytest.raises(sparcl.errors.ArgumentError, match="graph"):
        sparcl.train(data, "gcn")


def test_a_model_that_a_constant_beats_is_said() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(90, 3)) * [1, 300, 1]
    y = (x[:, 0] > 0).astype(int)
    words = "worse than the best constant: its loss on the training rows is .*e[+]0.*, that of"
    with pytest.warns(
        RuntimeWarning, match=words + " the constant 0.68.*; use another lr, columns"
    ):
        model = sparcl.train(x, y, lr=1e3, epochs=2)
    assert model.result is not None
    assert model.result["loss"] > model.result["best_constant_loss"]
    found = model.evaluate(x, y)
    assert model.result["best_constant_loss"] == pytest.approx(found["best_constant_loss"])
    with pytest.warns(RuntimeWarning, match="the constant .*; leave out standardize_labels"):
        sparcl.train(x, y + 1e4, loss="squared", standardize_labels=False, lr=1e-6, epochs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sparcl.train(x / [1, 300, 1], y, lr=0.5, epochs=20)
        sparcl.train(x, y, epochs=0)
        sparcl.train(x, y, lr=1e3, epochs=2, keep_state=True)


def test_items_are_recommended_and_rows_encoded() -> None:
    random = np.random.default_rng(3)
    group = np.repeat([0, 1], 15)
    likes = (random.random((30, 20)) < 0.5) & (group[:, None] == np.arange(20) // 10)
    known = sparcl.data(likes.astype(np.float32))
    settings: dict[str, Any] = {"optimizer": "adagrad", "lr": 0.2, "epochs": 60, "batch": 32}
    model = sparcl.train(known, "bpr:factors=4", **settings)
    items, scores = model.recommend(known, 3)
    assert np.mean(items // 10 == group[:, None]) > 0.9
    assert np.all(np.diff(scores, axis=1) <= 0)
    assert not likes[np.arange(30)[:, None], items].any()
    others = (group[:, None] == np.arange(20) // 10) & ~likes
    found = model.evaluate(sparcl.data(others.astype(np.float32)), known=known, k=5)
    assert found["hit_rate"] > 0.9
    x, _ = problem()
    encoder = sparcl.train(sparcl.data(x), "autoencoder:units=12,k=3", optimizer="adam")
    codes = encoder.encode(x)
    assert codes.shape == (200, 12)
    assert np.all(np.diff(codes.indptr) == 3)


def test_results_that_are_not_finite_are_counted() -> None:
    x = scipy.sparse.csr_array(np.array([[1e-20, 0], [0, 1e-20]] * 3, np.float32))
    data = sparcl.data(x, np.array([1e18, -1e18] * 3))
    model = sparcl.train(data, solver="lbfgs", loss="squared", bias=False)
    rows = np.array([[5, 5], [1e-20, 0], [9, 0]], np.float32)
    expected = "1 of 3 rows have .* not finite: .* parameter of the model is 1e.38, in weight"
    for apply in (model.predict, model.scores, model.probability):
        with pytest.warns(RuntimeWarning, match=expected):
            found = apply(rows).reshape(-1)
        assert found[0] == 0
        assert np.isfinite(found).tolist() == [True, True, False]
    with pytest.warns(RuntimeWarning, match=expected):
        model.evaluate(sparcl.data(rows, [0.0, 0, 0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(rows[1:2])


def test_calibration_changes_the_probabilities(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    x = scipy.sparse.csr_array(random.normal(size=(300, 4)).astype(np.float32))
    high = random.random(300) < 1 / (1 + np.exp(-(x @ np.array([1.0, -2.0, 0.5, 0.0]))))
    data = sparcl.data(x, np.where(high, 1.0, -1.0))
    model = sparcl.train(data, loss="hinge", epochs=3)
    with pytest.raises(ValueError, match="hinge loss, which has none"):
        model.predict_proba(x)
    model.calibrate(data)
    assert model.info["calibration"] == "platt"
    found = model.predict_proba(x)
    np.testing.assert_allclose(found.sum(1), 1)
    assert abs(found[:, 1].mean() - high.mean()) < 0.01
    model = sparcl.train(data, loss="logistic", epochs=3)
    before = model.predict_proba(x)
    model.calibrate(data, "isotonic")
    found = model.predict_proba(x)
    assert not np.allclose(found, before)
    np.testing.assert_allclose(model.probability(x), found.max(1), atol=1e-6)
    np.testing.assert_array_equal(model.predict(x), np.where(found[:, 1] > 0.5, 1, -1))
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(sparcl.Model.load(tmp_path / "m").predict_proba(x), found)
    with pytest.raises(ValueError, match='expected "platt", "isotonic" or "temperature"'):
        model.calibrate(data, "sigmoid")
