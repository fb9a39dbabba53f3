"""Models as graphs: training, inputs whose sizes change, errors, states, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import sparcl
from sparcl.graph import Graph, Node, dropout, embedding, gather, interactions, loss


def data(rows: int = 40, columns: int = 12, seed: int = 1) -> tuple[scipy.sparse.csr_array, object]:
    random = np.random.default_rng(seed)
    dense = np.where(
        random.random((rows, columns)) < 0.3, random.standard_normal((rows, columns)), 0
    )
    labels = (dense @ random.standard_normal(columns) > 0).astype(np.float32)
    return scipy.sparse.csr_array(dense.astype(np.float32)), labels


def machine(optimizer: str = "adagrad", **settings: object) -> tuple[Graph, Node, Node]:
    """A factorization machine of 12 columns."""
    g = Graph(optimizer, **settings)  # type: ignore[arg-type]
    rows = g.dim("rows")
    x, y = g.csr("x", (rows, 12)), g.dense("y", (rows,))
    v = g.parameter("v", (12, 4), init=0.1 * np.random.default_rng(2).standard_normal((12, 4)))
    w = g.parameter("w", (12,))
    mean = loss("logistic", x @ w + interactions(x, v), y).mean()
    g.backward(mean)
    return g, mean, v


def test_logistic_regression_is_that_of_numpy() -> None:
    x, y = data()
    g = Graph("sgd", lr=0.5)
    rows = g.dim("rows")
    weights = g.parameter("w", (12,))
    scores = g.csr("x", (rows, 12)) @ weights
    mean = loss("logistic", scores, g.dense("y", (rows,))).mean()
    g.backward(mean)
    w = np.zeros(12)
    for _ in range(20):
        p = 1 / (1 + np.exp(-(x @ w)))
        expected = np.mean(np.log1p(np.exp(x @ w)) - y * (x @ w))
        w -= 0.5 * (x.T @ (p - y)) / len(y)
        g.step(x=x, y=y)
        np.testing.assert_allclose(g.value(mean)[0], expected, rtol=1e-5)
    np.testing.assert_allclose(g.value(weights), w, rtol=1e-4, atol=1e-6)
    assert g.step_number == 20


def test_a_name_is_one_dimension() -> None:
    x, y = data()
    g = Graph("sgd", lr=0.1)
    assert g.dim("rows") is g.dim("rows", 7)
    assert g.dim("rows").capacity == 7
    scores = g.csr("x", (g.dim("rows"), 12)) @ g.parameter("w", (12,))
    g.backward(loss("logistic", scores, g.dense("y", (g.dim("rows"),))).mean())
    g.step(x=x, y=y)
    assert g.size_of(g.dim("rows")) == len(y)


def test_sizes_change_from_run_to_run() -> None:
    x, y = data()
    g, mean, _ = machine()
    before = []
    for rows in (10, 40, 3, 40):
        g.step(x=x[:rows], y=y[:rows])
        before.append(float(g.value(mean)[0]))
    assert np.isfinite(before).all()
    assert before[3] < before[1]
    with pytest.raises(sparcl.ShapeError, match="rows"):
        g.step(x=x, y=y[:7])
    g.step(x=x, y=y)


def test_a_call_that_fails_adds_nothing() -> None:
    g = Graph()
    a, b = g.dense("a", (3, 4)), g.dense("b", (5, 6))
    count = len(g.nodes)
    with pytest.raises(sparcl.ShapeError, match=r"a has 4 columns|expected"):
        _ = a @ b
    with pytest.raises(
        sparcl.errors.ArgumentError, match="dtype: expected one of float32, float64"
    ):
        _ = g.parameter("w", (3, 4), dtype="float16")  # type: ignore[arg-type]
    g.parameter("v", (2,))
    with pytest.raises(sparcl.errors.ArgumentError, match="same name"):
        g.parameter("v", (3,))
    with pytest.raises(sparcl.errors.ArgumentError):
        g.parameter("u", (3,), optimizer="adan")
    with pytest.raises(ValueError, match="of another"):
        Graph().dense("x", (3, 4)) + a
    with pytest.raises(TypeError, match="expected an input of the graph"):
        g.forward(z=np.zeros(3))
    assert len(g.nodes) == count + 1
    c = a + a
    g.output(c)
    g.forward(a=np.ones((3, 4), np.float32))
    np.testing.assert_array_equal(g.value(c), np.full((3, 4), 2))


def test_states_go_on_with_the_same_bits(tmp_path: Path) -> None:
    x, y = data()
    g, mean, v = machine("adam", lr=0.05, moves="exact")
    for step in range(5):
        g.step(x=x[step * 8 : step * 8 + 8], y=y[step * 8 : step * 8 + 8])
    state = g.state_dict()
    other, other_mean, other_v = machine("adam", lr=0.05, moves="exact")
    other.load_state_dict(state)
    assert other.step_number == 5
    for _ in range(3):
        g.step(x=x, y=y)
        other.step(x=x, y=y)
    np.testing.assert_array_equal(g.value(v), other.value(other_v))
    np.testing.assert_array_equal(g.value(mean), other.value(other_mean))
    g.save(tmp_path / "model.safetensors")
    third, _, third_v = machine()
    third.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(third.value(third_v), g.value(v))
    with pytest.raises(sparcl.errors.FileError):
        third.load(tmp_path / "none")
    del state["parameters"]["v"]
    with pytest.raises(ValueError, match="expected the state of the parameters"):
        other.load_state_dict(state)


def test_exact_lazy_rows_are_those_of_all_rows() -> None:
    x, y = data()
    values = []
    for moves in ("exact", "all"):
        g, _, v = machine("adam", lr=0.05, moves=moves)
        for step in range(12):
            one = slice(step % 40, step % 40 + 1)
            g.step(x=x[one], y=y[one])
        values.append(g.value(v))
    np.testing.assert_allclose(values[0], values[1], rtol=1e-4, atol=1e-6)


def test_lists_of_indices_and_tables() -> None:
    g = Graph("sgd", lr=1.0)
    n = g.dim("n")
    ids = g.indices("ids", n, 6)
    table = g.parameter("table", (6, 3), init=np.arange(18).reshape(6, 3))
    rows = gather(table, ids)
    same = embedding(table, ids, padding_index=2)
    g.output(rows, same)
    g.forward(ids=np.array([5, 2, 2]))
    np.testing.assert_array_equal(g.value(rows), np.arange(18).reshape(6, 3)[[5, 2, 2]])
    np.testing.assert_array_equal(g.value(same)[1:], np.zeros((2, 3)))
    with pytest.raises(sparcl.DataError, match="6"):
        g.forward(ids=np.array([6]))
    with pytest.raises(sparcl.errors.ArgumentError, match="vector of integers"):
        g.forward(ids=np.array([0.5]))
    g.forward(ids=np.array([1, 0], np.int32))
    np.testing.assert_array_equal(g.value(rows)[0], [3, 4, 5])


def test_dropout_and_rates_follow_their_switches() -> None:
    g = Graph("sgd", lr=1.0)
    x = g.dense("x", (64,))
    w = g.parameter("w", (64,), init=np.ones(64))
    dropped = dropout(w * x, 0.5, seed=3)
    g.output(dropped)
    g.vary_rates()
    g.clip_global_norm(1.0)
    total = dropped.sum()
    g.backward(total)
    g.set_rate(0.0)
    g.step(x=np.ones(64, np.float32))
    np.testing.assert_array_equal(g.value(w), np.ones(64))
    assert 0 < np.count_nonzero(g.value(dropped)) < 64
    norm = g.global_norm
    assert norm is not None
    g.output(norm)
    g.set_rate(1.0)
    g.step()
    kept = np.count_nonzero(g.value(dropped))
    np.testing.assert_allclose(g.value(norm), 2 * np.sqrt(kept), rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(g.value(w) - 1), 1, rtol=1e-4)
    g.training = False
    g.forward()
    np.testing.assert_array_equal(g.value(dropped), g.value(w))
    assert not g.training


def test_gradients_of_rows_and_arrays_of_the_caller() -> None:
    x, y = data()
    g, mean, v = machine()
    gradient = g.gradient(v)
    assert gradient is not None
    g.output(gradient)
    target = sparcl.dense(np.zeros(1, np.float32), context=g.context)
    g.bind_output(mean, target)
    g.step(x=x[:1], y=y[:1])
    rows = g.value(gradient)
    assert isinstance(rows, sparcl.RowSparse)
    np.testing.assert_array_equal(rows.indices, np.unique(x[:1].indices))
    np.testing.assert_allclose(target.numpy()[0], np.log(2), atol=0.2)
    assert g.gradient(g.nodes[0]) is None


def test_float64_and_bfloat16() -> None:
    g = Graph(dtype="bfloat16")
    x = g.dense("x", (4,), dtype="float32")
    half = sparcl.graph.cast(x, "bfloat16")
    g.output(half)
    g.forward(x=[1.0, 1.00390625, 3.0, -2.0])
    np.testing.assert_array_equal(g.value(half), np.float32([1, 1, 3, -2]))
    if not g.context.device.has_f64:
        pytest.skip("no float64")
    d = Graph(dtype="float64")
    y = d.dense("y", (2,)) * 3
    d.output(y)
    d.forward(y=[1e-300, 1.0])
    np.testing.assert_array_equal(d.value(y), [1e-300 * 3, 3.0])


def test_graphs_show_themselves() -> None:
    x, y = data()
    g, mean, _ = machine()
    g.step(x=x, y=y)
    assert "2 of them parameters, 1 steps" in repr(g)
    assert "<td>interactions</td>" in g._repr_html_()
    assert "mean" in repr(mean)
    assert g.nbytes > 0
    mean.name = "the loss"
    assert mean.name == "the loss"
    assert (mean.kind, mean.shape) == ("dense", (1,))
    assert "at most 40" in repr(g.dim("rows", 40))
