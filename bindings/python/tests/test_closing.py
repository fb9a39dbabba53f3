"""Contexts as context managers: what is closed is refused, and its memory is free."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sparcl
from sparcl.graph import Graph, loss

CLOSED = "expected an open one, found one that was closed"


def objects(context: sparcl.Context) -> list[Callable[[], Any]]:
    """What uses each kind of object that a context has."""
    eye = scipy.sparse.eye_array(3, dtype="f4")
    a, w = sparcl.csr(eye, context=context), sparcl.dense(np.ones((3, 2), "f4"), context=context)
    rows = sparcl.rows(np.array([1]), np.ones((1, 2), "f4"), (3, 2), context=context)
    coo = sparcl.coo(eye.tocoo(), context=context)
    adam = sparcl.optim.Adam(w, exact=True)
    g = Graph("sgd", lr=0.1, context=context)
    n = g.dim("rows")
    mean = loss("logistic", g.csr("x", (n, 3)) @ g.parameter("w", (3,)), g.dense("y", (n,))).mean()
    g.backward(mean)
    x, y = np.eye(3, dtype="f4"), np.array([0, 1, 1], "f4")
    model = sparcl.train(sparcl.data(x, y), epochs=1, lr=0.1, context=context)
    a.T @ w  # the pattern of the transpose
    adam.step(rows)
    g.step(x=eye, y=y)
    return [
        lambda: a @ w,
        lambda: a.T @ w,
        lambda: a @ a,
        a.scipy,
        lambda: w + w,
        (w + w).numpy,
        coo.scipy,
        rows.dense,
        lambda: adam.step(rows),
        adam.flush,
        lambda: g.step(x=eye, y=y),
        lambda: g.value(mean),
        lambda: sparcl.train(sparcl.data(x, y), epochs=1, lr=0.1, context=context),
        lambda: model.predict(x, context=context),
        lambda: context.device,
        lambda: context.memory,
        context.finish,
        context.__enter__,
        lambda: sparcl.dense(np.ones(3), context=context),
    ]


def test_what_is_closed_is_refused() -> None:
    with sparcl.Context() as context:
        calls = objects(context)
        for call in calls:
            call()
        assert context.memory > 0
    assert context.closed
    for call in calls:
        with pytest.raises(sparcl.errors.ArgumentError, match=CLOSED):
            call()
    assert repr(context) == "<sparcl.Context, closed>"
    context.close()
    with pytest.raises(AttributeError, match="no attribute 'devise'"):
        context.devise  # type: ignore[attr-defined]  # noqa: B018
    del calls


def test_arrays_outlive_their_context_by_name() -> None:
    with sparcl.Context(share=False) as context:
        x = sparcl.dense(np.ones((2, 2), "f4"), context=context)
        a = sparcl.csr(np.eye(3), context=context)
        large = sparcl.dense(np.ones((1000, 8), "f4"), context=context)
        kept, before = (x + x).numpy(), context._core
        assert before.memory > large.nbytes
    assert "(2, 2) float32, 16 bytes on a closed context>" in repr(x)
    assert "on a closed context" in a._repr_html_() + repr(a) + x._repr_html_()
    assert x.shape == (2, 2)
    assert kept.tolist() == [[2, 2], [2, 2]]
    assert before.memory < 1000  # scratch memory stays


def test_an_error_closes_too() -> None:
    context = sparcl.Context()
    with pytest.raises(KeyError), context:
        raise KeyError
    assert context.closed


def test_the_default_context_is_opened_again() -> None:
    with sparcl.default_context() as context:
        x = sparcl.dense(np.ones(2, "f4"))
    assert (sparcl.dense(np.ones(2, "f4")) + 1).numpy().tolist() == [2, 2]
    assert sparcl.default_context() is not context
    with pytest.raises(sparcl.errors.ArgumentError, match=CLOSED):
        x + 1


def test_a_context_is_closed_while_threads_compute() -> None:
    context = sparcl.Context()
    a = sparcl.csr(scipy.sparse.eye_array(500, dtype="f4"), context=context)
    w = np.ones((500, 8), "f4")
    began, found = threading.Barrier(3), []

    def work() -> None:
        began.wait()
        try:
            while True:
                a @ w
        except sparcl.errors.ArgumentError as error:
            found.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    began.wait()
    context.close()
    for thread in threads:
        thread.join(60)
    assert len(found) == 2
    assert all(CLOSED in text for text in found)
