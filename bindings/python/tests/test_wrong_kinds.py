"""Things of every kind in place of every argument of what trains, reads, predicts and steps: each
is taken, or refused with the names of Python, never with those of the compiled module."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sparcl

X, Y = np.eye(6, 4), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
HALF = "a\ud800"  # of a pair, which UTF-8 has not
KINDS = (
    *(None, object(), b"x", "x", "", HALF, "\0", 3, -1, 1.5, float("nan"), 2**70, -(2**63), True),
    *([], {}, (), {1}, ["a"], range(3), int, 1 + 2j, np.datetime64("2020-01-01")),
    *(np.array(3), np.ones(3), np.ones((2, 2)), np.array([None]), scipy.sparse.csr_array(X)),
    *(sparcl.data(X, Y), sparcl.csr(X), sparcl.dense(X)),
)
INSIDE = (
    r"incompatible function|has no attribute|_core|NoneType' object|unsupported operand|bad_cast|"
    r"not subscriptable|not iterable|ambiguous|surrogates|0-d array|argument must be|_sparcl_"
)
REFUSALS = (sparcl.SparclError, TypeError, ValueError, KeyError, OSError, MemoryError)
Call = Callable[..., Any]
Case = tuple[Call, Call, dict[str, Any]]  # what has the parameters, what is called, and with what


def ranking() -> sparcl.Model:
    return sparcl.train(sparcl.data(np.eye(6, 4)), "bpr:factors=2", epochs=1)


def optimizer(**given: Any) -> sparcl.optim.Optimizer:
    return sparcl.optim.Adam(**{"table": sparcl.dense(np.ones((3, 2), "float32")), **given})


def of_graph(name: str) -> Case:
    method = getattr(sparcl.Graph, name)
    given = {"name": "q", "shape": (4, 3), "factor": 1.0, "path": "no/such/file", "x": None}
    own = {key: given[key] for key in inspect.signature(method).parameters if key in given}
    return method, lambda **more: method(sparcl.Graph(), **more), own


def cases(folder: Path) -> dict[str, Case]:
    table = folder / "a.csv"
    table.write_text("a,b,label\n1,x,0\n2,y,1\n")
    data, users = sparcl.data(X, Y), sparcl.data(np.eye(6, 4))
    model, ranks = sparcl.train(data, epochs=1), ranking()
    found: list[tuple[Call, dict[str, Any]]] = [
        (sparcl.train, {"data": data, "epochs": 1}),
        (sparcl.train_auto, {"data": data}),
        (sparcl.data, {"x": X, "labels": Y}),
        (sparcl.read_data, {"path": table}),
        (sparcl.Data, {}),
        (sparcl.Model, {}),
        (sparcl.Context, {}),
        (sparcl.Model.load, {}),
        (data.split, {"fraction": 0.5}),
        (data.save, {"path": folder / "no" / "folder"}),
        (model.save, {"path": folder / "no" / "folder"}),
        (ranks.recommend, {"known": users, "k": 2}),
        (ranks.evaluate, {"data": users, "known": users, "k": 2}),
        (model.set_note, {"key": "a", "text": "b"}),
        (model.evaluate, {"data": data}),
        (model.class_report, {"data": data}),
        (model.calibrate, {"data": data}),
        *((getattr(model, name), {"x": X}) for name in ("predict", "predict_proba", "scores")),
        (optimizer().step, {}),
        (optimizer().catch_up, {}),
        (optimizer().load_state_dict, {}),
        (optimizer().__getitem__, {}),
        (optimizer().__setitem__, {"setting": "lr", "value": 0.1}),
    ]
    named: dict[str, Case] = {
        f"{call.__qualname__} {i}": (call, call, given) for i, (call, given) in enumerate(found)
    }
    graph = ("dense", "csr", "coo", "rows", "dim", "parameter", "load", "save", "set_rate")
    adam: Case = (sparcl.optim.Adam, optimizer, {})
    return named | {"Adam": adam} | {f"Graph.{name}": of_graph(name) for name in graph}


def wrong(name: str, case: Case) -> list[str]:
    """Refusals that do not have the names of Python, and other exceptions."""
    signature, call, given = case
    found = []
    for parameter in inspect.signature(signature).parameters.values():
        if parameter.name in {"self", "progress"} or parameter.kind is parameter.VAR_KEYWORD:
            continue
        for value in KINDS:
            try:
                call(**{**given, parameter.name: value})
            except REFUSALS as error:
                if not re.search(INSIDE, str(error)):
                    continue
                text = f"{type(error).__name__}: {error}"
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
            else:
                continue
            found.append(f"{name}({parameter.name}={value!r}): {text[:200]}")
    return found


@pytest.mark.filterwarnings("ignore")
def test_refusals_have_the_names_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some of these are names of files
    found = [text for name, case in cases(tmp_path).items() for text in wrong(name, case)]
    assert not found, "\n".join(found)


def test_text_that_is_no_utf8_is_refused() -> None:
    for labels in ([HALF, "b"] * 3, np.array([HALF, "b"] * 3)):
        with pytest.raises(sparcl.errors.ArgumentError, match="labels: expected text that UTF-8"):
            sparcl.data(X, labels)
    with pytest.raises(sparcl.errors.ArgumentError, match="expected text that UTF-8"):
        sparcl.optim.Adam(sparcl.dense(np.ones((3, 2), "float32")), lr=HALF)
