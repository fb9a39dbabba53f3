"""Every operation of graphs, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sparcl
from sparcl import graph as op
from sparcl.graph import Graph, Node

RANDOM = np.random.default_rng(5)
A = np.where(RANDOM.random((6, 5)) < 0.5, RANDOM.standard_normal((6, 5)), 0).astype(np.float32)
B = np.where(RANDOM.random((6, 5)) < 0.5, RANDOM.standard_normal((6, 5)), 0).astype(np.float32)
A[2] = 0
X = RANDOM.standard_normal((5, 3)).astype(np.float32)
Y = RANDOM.standard_normal((6, 3)).astype(np.float32)
Z = RANDOM.standard_normal((6, 5)).astype(np.float32)
W = RANDOM.standard_normal((6, 3)).astype(np.float32)
V = RANDOM.standard_normal(6).astype(np.float32)
U = RANDOM.standard_normal(5).astype(np.float32)
IDS = np.array([4, 0, 0])
ROWS = np.zeros((6, 3), np.float32)
ROWS[[1, 4]] = RANDOM.standard_normal((2, 3))
CSR_A, CSR_B = scipy.sparse.csr_array(A), scipy.sparse.csr_array(B)
NNZ = CSR_A.nnz
E = RANDOM.standard_normal(NNZ).astype(np.float32)
ROW_OF = np.repeat(np.arange(6), np.diff(CSR_A.indptr))
COL_OF = CSR_A.indices
LABELS = np.float32([0, 1, 1, 0, 1, 0])


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max())
    return e / e.sum()


def by_row(f: Callable[[Any], Any]) -> Any:
    parts = [
        f(CSR_A.data[a:b]) for a, b in zip(CSR_A.indptr, CSR_A.indptr[1:], strict=False) if b > a
    ]
    return np.concatenate(parts)


def pairs() -> Any:
    v = X[:, None, :] * X[None, :, :]
    found = []
    for row in A:
        outer = np.outer(row, row)[:, :, None] * v
        found.append((outer.sum() - np.einsum("iik->", outer)) / 2)
    return np.array(found)


def entries(x: Any) -> Any:
    return x[ROW_OF, COL_OF]


def at_entries(x: Any) -> Any:
    found = np.zeros_like(A)
    found[ROW_OF, COL_OF] = x
    return found


Build = Callable[[dict[str, Node]], Node]

CASES: dict[str, tuple[Build, Any]] = {
    "spmm": (lambda n: op.spmm(n["a"], n["x"]), A @ X),
    "spmm_t": (lambda n: op.spmm_t(n["a"], n["y"]), A.T @ Y),
    "spmm_rows": (lambda n: op.spmm_rows(n["a_t"], n["r"]), A.T @ ROWS),
    "spmm_t_rows": (lambda n: op.spmm_t_rows(n["a"], n["y"]), A.T @ Y),
    "matmul": (lambda n: op.matmul(n["y"], n["w"], transpose_a=True), Y.T @ W),
    "transpose": (lambda n: op.transpose(n["y"]), Y.T),
    "sddmm": (lambda n: op.sddmm(n["a"], n["y"], n["x"]), entries(Y @ X.T)),
    "gemm": (lambda n: op.gemm(n["y"], n["w"], transpose_b=True), Y @ W.T),
    "add_n": (lambda n: op.add_n([n["y"], n["w"], n["y"]]), Y + W + Y),
    "unary": (lambda n: op.unary("exp", n["y"]), np.exp(Y)),
    "clip": (lambda n: op.clip(n["y"], -0.5, 0.25), np.clip(Y, -0.5, 0.25)),
    "binary": (lambda n: op.binary("divide", n["y"], n["w"]), Y / W),
    "cast": (lambda n: op.cast(op.cast(n["y"], "float16"), "float32"), Y.astype("float16")),
    "csr_broadcast": (lambda n: op.csr_broadcast("multiply", n["a"], n["v"], 1), A * V[:, None]),
    "gather": (lambda n: op.gather(n["y"], n["ids"]), Y[IDS]),
    "columns": (lambda n: op.gather(n["x"], op.columns(n["a"])), X[COL_OF]),
    "bag": (lambda n: op.bag(n["a"], n["e"]), np.bincount(ROW_OF, CSR_A.data * E, 6)),
    "values": (lambda n: op.values(n["a"]), CSR_A.data),
    "with_values": (lambda n: op.with_values(n["a"], n["e"]), at_entries(E)),
    "csr_transpose": (lambda n: op.transpose(n["a"]), A.T),
    "csr_reshape": (lambda n: op.reshape(n["a"], (3, 10)), A.reshape(3, 10)),
    "sort_indices": (lambda n: op.sort(n["a"]), A),
    "triangle": (lambda n: op.triangle(n["a"], "upper", 1), np.triu(A, 1)),
    "prune": (lambda n: op.prune(n["a"], 0.5), np.where(np.abs(A) > 0.5, A, 0)),
    "slice_rows": (lambda n: op.slice(n["a"], 1, 3), A[1:4]),
    "slice_columns": (lambda n: op.slice(n["a"], 2, 2, axis=1), A[:, 2:4]),
    "take_rows": (lambda n: op.take_rows(n["a"], n["ids"], 15), A[IDS]),
    "take_columns": (lambda n: op.take_columns(n["a"], n["columns"], 40), A[:, IDS]),
    "retain_rows": (
        lambda n: op.retain_rows(n["a"], n["ids"]),
        np.where(np.isin(np.arange(6), IDS)[:, None], A, 0),
    ),
    "concat_rows": (lambda n: op.concat([n["a"], n["b"]]), np.vstack([A, B])),
    "concat_columns": (lambda n: op.concat([n["a"], n["b"]], 1), np.hstack([A, B])),
    "block_diagonal": (
        lambda n: op.block_diagonal([n["a"], n["b"]]),
        scipy.sparse.block_diag([A, B]).toarray(),
    ),
    "as_rows": (lambda n: op.as_rows(n["three_rows"], n["distinct"]), ROWS * 0 + [[0]] * 6),
    "rows_retain_all": (lambda n: op.rows_retain_all(n["r"], n["distinct"]), None),
    "rows_retain_stored": (lambda n: op.rows_retain_stored(n["r"], n["distinct"]), None),
    "rows_slice": (lambda n: op.slice(n["r"], 1, 3), ROWS[1:4]),
    "sum_duplicates": (lambda n: op.coalesce(n["a"]), A),
    "fill_empty_rows": (lambda n: op.fill_empty_rows(n["a"], 7.0), None),
    "fill_empty_rows_with": (lambda n: op.fill_empty_rows(n["a"], n["one"]), None),
    "embedding": (lambda n: op.embedding(n["y"], n["ids"]), Y[IDS]),
    "embedding_bag": (lambda n: op.embedding_bag(n["a"], n["x"], "sum"), A @ X),
    "bag_matrix": (
        lambda n: op.spmm(op.bag_matrix(n["ids"], 2, n["starts"]), n["y"]),
        np.stack([Y[4], Y[0] + Y[0]]),
    ),
    "dropout": (lambda n: op.dropout(n["y"], 0.0), Y),
    "layer_norm": (
        lambda n: op.layer_norm(n["z"], n["u"], n["u"], 0.0),
        (Z - Z.mean(1, keepdims=True)) / Z.std(1, keepdims=True) * U + U,
    ),
    "batch_norm": (
        lambda n: op.batch_norm(n["z"], n["u"], n["u"], epsilon=0.0),
        (Z - Z.mean(0)) / Z.std(0) * U + U,
    ),
    "batch_norm_running": (
        lambda n: op.batch_norm(n["z"], n["u"], n["u"], (n["mean"], n["variance"]), epsilon=0.0),
        (Z - Z.mean(0)) / Z.std(0) * U + U,
    ),
    "dense_concat": (lambda n: op.concat([n["y"], n["z"]], 1), np.hstack([Y, Z])),
    "dense_slice": (lambda n: op.slice(n["z"], 1, 2, axis=1), Z[:, 1:3]),
    "to_dense": (lambda n: op.to_dense(n["a"]), A),
    "sparse_mask": (lambda n: op.sparse_mask(n["a"], n["z"]), entries(Z)),
    "to_csr": (lambda n: op.to_csr(n["z"], 30, 0.5), np.where(np.abs(Z) > 0.5, Z, 0)),
    "topk_rows": (
        lambda n: op.topk_rows(n["z"], 2, "magnitude"),
        np.where(np.abs(Z) >= np.sort(np.abs(Z), 1)[:, [-2]], Z, 0),
    ),
    "to_rows": (lambda n: op.to_rows(n["z"], 6, 1.0), None),
    "csr_to_rows": (lambda n: op.to_rows(n["a"], 6), A),
    "rows_to_csr": (lambda n: op.to_csr(n["r"], 18), ROWS),
    "interactions": (lambda n: op.interactions(n["a"], n["x"]), pairs()),
    "field_interactions": (lambda n: op.field_interactions(n["a"], n["fields"], n["wide"]), None),
    "loss": (
        lambda n: op.loss("logistic", n["v"], n["labels"]),
        np.log1p(np.exp(V)) - LABELS * V,
    ),
    "sum": (lambda n: op.sum(n["y"]), Y.sum(0)),
    "mean": (lambda n: op.mean(n["v"]), [V.mean()]),
    "reduce": (lambda n: op.reduce("norm", n["y"], 1), np.linalg.norm(Y, axis=1)),
    "rows_reduce": (lambda n: op.reduce("sum", n["r"], 0), ROWS.sum(0)),
    "csr_reduce": (lambda n: op.reduce("max", n["a"], 1, "all"), A.max(1)),
    "segment_reduce": (
        lambda n: op.segment_reduce("sum", n["e"], n["a"]),
        np.bincount(ROW_OF, E, 6),
    ),
    "dot_rows": (lambda n: op.dot_rows(n["y"], n["w"]), (Y * W).sum(1)),
    "csr_softmax": (lambda n: op.csr_softmax(n["a"]), by_row(softmax)),
    "csr_softmax_heads": (
        lambda n: op.csr_softmax_heads(n["a"], n["heads"], "log_softmax"),
        np.log(by_row(softmax))[:, None],
    ),
    "spmm_reduce": (
        lambda n: op.spmm_reduce("mean", n["a"], n["x"]),
        (A @ X) / np.maximum(np.diff(CSR_A.indptr), 1)[:, None],
    ),
    "spgemm": (lambda n: op.spgemm(n["a"], n["a_t"], 36), A @ A.T),
    "csr_add": (lambda n: op.add(n["a"], n["b"], 2.0, -1.0), 2 * A - B),
    "csr_multiply": (lambda n: op.multiply(n["a"], n["b"]), A * B),
    "csr_multiply_dense": (lambda n: op.multiply(n["a"], n["z"]), A * Z),
    "rows_multiply": (lambda n: op.multiply(n["r"], n["r"]), ROWS * ROWS),
    "rows_multiply_dense": (lambda n: op.multiply(n["r"], n["y"]), ROWS * Y),
    "coo_sort": (lambda n: op.sort(n["c"]), A),
    "coo_coalesce": (lambda n: op.coalesce(n["c"], "max"), A),
    "coo_permute": (lambda n: op.coo_permute(n["c"], (1, 0)), A.T),
    "coo_reshape": (lambda n: op.reshape(n["c"], (2, 3, 5)), A.reshape(2, 3, 5)),
    "coo_expand_dims": (lambda n: op.coo_expand_dims(n["c"], 1), A[:, None]),
    "coo_squeeze": (lambda n: op.coo_squeeze(op.coo_expand_dims(n["c"], 0)), A),
    "coo_project": (lambda n: op.coo_project(n["c"], (1,)), A.sum(0)),
    "coo_slice": (lambda n: op.coo_slice(n["c"], (1, 2), (4, 3)), A[1:5, 2:5]),
    "coo_concat": (lambda n: op.concat([n["c"], n["c"]], 1), np.hstack([A, A])),
    "coo_fill_empty_rows": (lambda n: op.fill_empty_rows(n["c"], 7.0), None),
    "coo_add": (lambda n: op.add(n["c"], n["c"], 2.0, 3.0), 5 * A),
    "coo_multiply": (lambda n: op.multiply(n["c"], n["c"]), A * A),
    "coo_reduce": (lambda n: op.coo_reduce(n["c"], (0,), "sum"), A.sum(0)),
    "coo_to_csr": (lambda n: op.to_csr(n["c"]), A),
    "csr_to_coo": (lambda n: op.to_coo(n["a"]), A),
    "to_coo": (lambda n: op.to_coo(n["z"], 30, 0.5), np.where(np.abs(Z) > 0.5, Z, 0)),
}

FILLED = A.copy()
FILLED[2, 0] = 7
THREE = RANDOM.standard_normal((3, 3)).astype(np.float32)
DISTINCT = np.array([1, 3, 4])
PUT = np.zeros((6, 3), np.float32)
PUT[DISTINCT] = THREE
KEPT = np.where(np.isin(np.arange(6), DISTINCT)[:, None], ROWS, 0)
LARGE = np.where((np.abs(Z) > 1).any(1)[:, None], Z, 0)
WIDE = RANDOM.standard_normal((NNZ, 4)).astype(np.float32)
FIELDS = COL_OF % 2


def field_pairs() -> Any:
    """For each entry p the sum of a_p a_q <e_p,f(q), e_q,f(p)> over the entries q after it."""
    found = np.zeros(NNZ)
    e = WIDE.reshape(NNZ, 2, 2)
    for p in range(NNZ):
        for q in range(p + 1, CSR_A.indptr[ROW_OF[p] + 1]):
            found[p] += CSR_A.data[p] * CSR_A.data[q] * (e[p, FIELDS[q]] @ e[q, FIELDS[p]])
    return found


EXPECTED = {
    "as_rows": PUT,
    "rows_retain_all": KEPT,
    "rows_retain_stored": KEPT,
    "fill_empty_rows": FILLED,
    "fill_empty_rows_with": FILLED,
    "to_rows": LARGE,
    "coo_fill_empty_rows": FILLED,
    "field_interactions": field_pairs(),
}


def inputs(g: Graph, context: sparcl.Context) -> tuple[dict[str, Node], dict[str, Any]]:
    stored = np.array([1, 4])
    arrays: dict[str, Any] = {"a": CSR_A, "b": CSR_B, "a_t": scipy.sparse.csr_array(A.T)}
    nodes = {name: g.csr(name, x.shape, x.nnz) for name, x in arrays.items()}
    dense = {
        "x": X, "y": Y, "z": Z, "w": W, "v": V, "u": U, "e": E, "labels": LABELS, "wide": WIDE,
        "three": U[:3], "three_rows": THREE, "one": np.float32([7]),
        "heads": CSR_A.data[:, None], "mean": np.zeros(5), "variance": np.ones(5),
    }  # fmt: skip
    nodes |= {name: g.dense(name, x.shape) for name, x in dense.items()}
    lists = {
        "ids": (IDS, 6), "columns": (IDS, 5), "distinct": (DISTINCT, 6), "fields": (FIELDS, 2),
        "starts": (np.array([0, 1]), 3),
    }  # fmt: skip
    nodes |= {name: g.indices(name, len(x), limit) for name, (x, limit) in lists.items()}
    nodes["r"] = g.rows("r", (6, 3), 2)
    nodes["c"] = g.coo("c", (6, 5), NNZ)
    coo = sparcl.coo(CSR_A.tocoo(), context=context)
    rows = sparcl.rows(stored, ROWS[stored], (6, 3), context=context)
    for array in (coo, rows):
        array._core.validate(context._core, 2 | 4)  # sorted and unique
    arrays |= dense | {name: x for name, (x, _) in lists.items()} | {"r": rows, "c": coo}
    return nodes, arrays


def as_array(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x
    return x.dense().numpy() if hasattr(x, "dense") else np.asarray(x)


@pytest.mark.parametrize("name", CASES)
def test_an_operation_is_that_of_numpy(name: str) -> None:
    build, expected = CASES[name]
    context = sparcl.default_context()
    g = Graph(context=context)
    nodes, arrays = inputs(g, context)
    result = build(nodes)
    g.output(result)
    g.forward(**arrays)
    found = as_array(g.value(result))
    np.testing.assert_allclose(found, EXPECTED.get(name, expected), rtol=2e-4, atol=2e-5)


def test_operators_add_nodes() -> None:
    g = Graph()
    y, w = g.dense("y", (6, 3)), g.dense("w", (6, 3))
    results = {
        "add": (y + w, Y + W), "radd": (2 + y, 2 + Y), "sub": (y - w, Y - W),
        "rsub": (1 - y, 1 - Y), "mul": (y * w, Y * W), "rmul": (3 * y, 3 * Y),
        "div": (y / w, Y / W), "neg": (-y, -Y), "abs": (abs(y), abs(Y)),
        "matmul": (y @ w.T, Y @ W.T), "relu": (y.relu(), np.maximum(Y, 0)),
    }  # fmt: skip
    g.output(*[node for node, _ in results.values()])
    g.forward(y=Y, w=W)
    for node, expected in results.values():
        np.testing.assert_allclose(g.value(node), expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(TypeError):
        _ = Y * y  # NumPy's array does not take a node


def test_no_operation_of_the_library_is_missing() -> None:
    known = {str(one["name"]) for one in sparcl._core.graph_operations()}
    known -= {"binary_scalar"}  # binary, with a number
    assert known - set(CASES) == set()
    called = {name for build, _ in CASES.values() for name in build.__code__.co_names}
    assert set(op.__all__) - {"Dim", "Graph", "Node"} - called == set()
