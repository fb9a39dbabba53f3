"""Every function of graphs is given every wrong thing for every argument: nodes of other kinds,
types and shapes, of no and of another graph, sizes and numbers out of range. It raises an exception
that names the argument, or computes the right result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import test_graph_operations as cases
from test_arguments import FORMATS, Arguments, Recorder, Variant, check, variants

import sparcl
from sparcl import graph as op

FLOATS = {"float32", "float64", "float16", "bfloat16"}


def node_of(g: sparcl.Graph, name: str, x: Any, bound: Arguments) -> Any:
    """An input like an array, which is bound; other things as they are."""
    if isinstance(x, (list, tuple)) and any(isinstance(each, FORMATS) for each in x):
        return type(x)(node_of(g, f"{name} {i}", each, bound) for i, each in enumerate(x))
    if not isinstance(x, FORMATS) or isinstance(x, sparcl.CSC):
        return x
    bound[name] = x
    if isinstance(x, sparcl.List):
        return g.indices(name, len(x), x.limit)
    dtype: Any = sparcl._parts.dtype_name(x.dtype)
    if isinstance(x, sparcl.Dense):
        return g.dense(name, x.shape, dtype=dtype)
    make = {sparcl.CSR: g.csr, sparcl.COO: g.coo, sparcl.RowSparse: g.rows}[type(x)]
    return make(name, x.shape, x.nnr if isinstance(x, sparcl.RowSparse) else x.nnz, dtype=dtype)


def eager(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of graphs as one of arrays."""

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        g, bound = sparcl.Graph(), {}
        result = function(**{name: node_of(g, name, x, bound) for name, x in given.items()})
        if result.kind == "list":
            limit = g._core.info(result.number)["shape"][1]
            result = op.gather(g.dense("numbers", (limit,)), result)
            bound["numbers"] = np.arange(limit, dtype=np.float32)
        g.output(result)
        g.forward(**bound)
        return g.value(result)

    call.__wrapped__ = function.__wrapped__  # type: ignore[attr-defined]
    return call


def of_node(x: Any) -> Iterator[Variant]:
    """Inputs of other kinds, types and shapes."""
    for label, make, same in variants(x):
        if label not in {"int32", "int64", "bool", "list"}:
            yield label, make, same
    yield "node of another graph", lambda _: sparcl.Graph().dense("other", (2, 3)), True
    yield "array", lambda _: np.ones((2, 3), np.float32), True
    yield "number", lambda _: 3, False
    if isinstance(x, sparcl.Dense) and x.ndim == 2:
        for kind in ("csr", "coo", "rows"):
            yield kind, lambda _, kind=kind: getattr(x, kind)(), True
    if isinstance(x, (sparcl.CSR, sparcl.COO)):
        yield "row-sparse", lambda _: x.csr().rows(), False
    if not isinstance(x, sparcl.List):
        yield "indices", lambda _: sparcl.indices([0] * x.shape[0], 3), True
        return
    host = x.numpy()
    lists = {
        "shorter": (host[:-1], x.limit),
        "longer": ([*host, 0], x.limit),
        "empty": ([], x.limit),
        "higher limit": (host, x.limit + 3),
        "lower limit": (host * 0, 1),
        "beyond": (host * 0 + x.limit + 10**6, x.limit + 2 * 10**6),
        "reversed": (host[::-1].copy(), x.limit),
        "repeated": (host * 0, x.limit),
    }
    for label, (numbers, limit) in lists.items():
        yield label, lambda _, n=numbers, limit=limit: sparcl.indices(n, limit), False
    yield "dense", lambda _: sparcl.dense(host.astype(np.float32)), True


def of_any_argument(x: Any) -> Iterator[Variant]:
    if isinstance(x, FORMATS):
        yield from of_node(x)
        return
    yield from variants(x)
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], FORMATS):
        one = type(x)
        yield "none of them", lambda _: one(), True
        yield "None inside", lambda _: one([*x[:-1], None]), True
        yield "number inside", lambda _: one([*x[:-1], 0]), True
        yield "twenty", lambda _: one([*x] * 10), False
        for label, make, _ in of_node(x[-1]):
            yield f"last {label}", lambda f, make=make: one([*x[:-1], make(f)]), False


def array_of(name: str, nodes: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """What is bound to an input of the cases."""
    x = arrays[name]
    if isinstance(x, FORMATS):
        return x
    if nodes[name].kind == "list":
        return sparcl.indices(x, nodes[name].shape[-1])
    return sparcl.csr(x) if nodes[name].kind == "csr" else sparcl.dense(np.float32(x))


# Of those whose case calls them with results.
EXAMPLES: dict[str, Callable[[], Arguments]] = {
    "cast": lambda: {"x": sparcl.dense(cases.Y), "dtype": "float64"},
    "coo_squeeze": lambda: {"a": sparcl.coo(cases.A[:, :1]), "axis": 1},
}


def example_of(name: str, monkeypatch: pytest.MonkeyPatch) -> Arguments:
    """The arguments of a case, with arrays in place of nodes."""
    if name in EXAMPLES:
        return EXAMPLES[name]()
    g = sparcl.Graph()
    nodes, arrays = cases.inputs(g, sparcl.default_context())
    recorder = Recorder(getattr(op, name))
    monkeypatch.setattr(op, name, recorder)
    next(build for build, _ in cases.CASES.values() if name in build.__code__.co_names)(nodes)
    monkeypatch.undo()

    def array(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(array(each) for each in x)
        return array_of(x.name, nodes, arrays) if isinstance(x, op.Node) else x

    assert recorder.arguments is not None
    return {key: array(x) for key, x in recorder.arguments.items()}


@pytest.mark.parametrize("name", [x for x in op.__all__ if x not in {"Dim", "Graph", "Node"}])
def test_functions_of_graphs_refuse_what_is_wrong(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = example_of(name, monkeypatch)
    check(eager(getattr(op, name)), given, of_any_argument)


def graph() -> sparcl.Graph:
    """A graph with an input of each kind, a parameter and a loss."""
    g = sparcl.Graph("adam")
    rows = g.dim("rows")
    x, y = g.csr("x", (rows, 3), 4), g.dense("y", (rows,))
    w = g.parameter("w", (3, 1))
    g.output(op.spmm(x, w), op.to_dense(g.coo("c", (2, 3), 2)), op.to_dense(g.rows("r", (4, 2), 1)))
    g.output(op.gather(w, g.indices("i", 2, 3)))
    g.backward(op.loss("squared", op.spmm(x, w), y).mean())
    return g


def set_rate(factor: Any) -> None:
    g = sparcl.Graph()
    g.vary_rates()
    g.set_rate(factor)


def matrix() -> sparcl.CSR:
    return sparcl.csr([[1.0, 0.0, 2.0], [3.0, 4.0, 0.0]]).astype("float32")


def right() -> Arguments:
    """What its inputs take."""
    return {
        "x": matrix(),
        "y": np.float32([1, 2]),
        "c": sparcl.coo(np.float32([[1, 0, 0], [0, 2, 0]])),
        "r": sparcl.rows([1], np.ones((1, 2), np.float32), (4, 2)),
        "i": [0, 2],
    }


BREAKS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no counters": lambda s: s["parameters"]["w"].pop("counters"),
    "short counters": lambda s: s["parameters"]["w"].update(counters=([1], [1.0])),
    "text": lambda s: s["parameters"]["w"].update(counters="x"),
    "no arrays": lambda s: s["parameters"]["w"].pop("arrays"),
    "short": lambda s: s["parameters"]["w"]["arrays"].update(state0=np.zeros(1, np.float32)),
    "step": lambda s: s.update(step=-1),
    "other": lambda s: s["parameters"].update(v={}),
}


def load(g: sparcl.Graph, how: str) -> None:
    """A broken state changes nothing."""
    before, state = g.state_dict(), g.state_dict()
    BREAKS[how](state)
    try:
        g.load_state_dict(state)
    finally:
        after = g.state_dict()
        assert (after["step"], after["parameters"]["w"]["counters"]) == (
            before["step"],
            before["parameters"]["w"]["counters"],
        )


METHODS: dict[str, tuple[str, Callable[[sparcl.Graph, Any], Any], tuple[Any, ...]]] = {
    "dim": ("name", lambda g, v: g.dim(v), (None, 1, "x\0y")),
    "capacity": ("capacity", lambda g, v: g.dim("d", v), (None, -1, "x", 1.5, 2**70)),
    "size of": ("dim", lambda g, v: g.size_of(v), (None, 3, "rows")),
    "set size": ("size", lambda g, v: g.set_size(g.dim("d"), v), (None, -1, "x", 1.5, 2**70)),
    "dense": ("shape", lambda g, v: g.dense("n", v), (None, 3, "x", (-1,), (), (2.5,), (1,) * 9)),
    "csr": ("shape", lambda g, v: g.csr("n", v), (None, (2,), (2, 2, 2), (2, -1), "xy")),
    "entries": ("entries", lambda g, v: g.csr("n", (2, 2), v), (-1, "x", 1.5, 2**70)),
    "coo": ("shape", lambda g, v: g.coo("n", v), (None, 3, (-1,), (), (1,) * 9)),
    "rows": ("shape", lambda g, v: g.rows("n", v), (None, 3, (-1,), (), (1,) * 9)),
    "stored": ("stored", lambda g, v: g.rows("n", (2, 2), v), (-1, "x", 1.5)),
    "count": ("count", lambda g, v: g.indices("n", v, 3), (None, -1, "x", 1.5)),
    "limit": ("limit", lambda g, v: g.indices("n", 3, v), (None, -1, "x", 1.5)),
    "same name": ("x", lambda g, v: g.dense(v, (2,)), ("x",)),
    "dtype": ("dtype", lambda g, v: g.dense("n", (2,), dtype=v), (1, "int32", "x")),
    "parameter": ("shape", lambda g, v: g.parameter("n", v), (None, 3, (-1,), (), (1,) * 9)),
    "init": (
        "init",
        lambda g, v: g.parameter("n", (2,), init=v),
        ([1], [[1, 2]], "x", ["a", "b"], [1j, 2], [[1], [1, 2]], [None, 1]),
    ),
    "optimizer": ("optimizer", lambda g, v: g.parameter("n", (2,), optimizer=v), (1, "no such")),
    "loss": ("loss", sparcl.Graph.backward, (None, 0, "x")),
    "output": ("nodes", lambda g, v: g.output(v), (None, 0, "x")),
    "gradient": ("node", lambda g, v: g.gradient(v), (None, 0, "x")),
    "value": ("node", lambda g, v: g.value(v), (None, 0, "x")),
    "set value": (
        "array",
        lambda g, v: g.set_value(g.nodes[2], v),
        (None, "x", [1, 2, 3], np.ones((3, 2)), [[1j]] * 3, [["a"]] * 3, [[None]] * 3),
    ),
    "state": ("state", lambda g, v: g.load_state_dict(v), (None, [], {}, {"step": 1})),
    "broken state": ("w|state|set_counters|step|6 integers", load, (*BREAKS,)),
    "step": ("step", lambda g, v: setattr(g, "step_number", v), (None, "x", 1.5, -1, 2**70)),
    "training": ("on", lambda g, v: setattr(g, "training", v), (None, "x", 3)),
    "rate": ("factor", lambda _, v: set_rate(v), (None, "x", np.nan, np.inf)),
    "limit of norm": (
        "limit",
        lambda _, v: sparcl.Graph().clip_global_norm(v),
        (None, "x", np.nan, -1),
    ),
    "bags": (
        "bags",
        lambda g, v: op.bag_matrix(g.indices("ids", 5, 3), v),
        (-1, -7, 4, "x", None, 2**70),
    ),
    "dimension": (
        "size|dimensions",
        lambda g, v: op.slice(g.csr("a", (2, 3), 4), 0, v),
        (-1, -2, -9, "x", None, sparcl.Graph().dim("of another graph")),
    ),
    "node + text": ("y|other", lambda g, v: g.nodes[2] + v, ("3", None, [], 1j)),
    "node @ text": ("b|other", lambda g, v: g.nodes[2] @ v, ("3", None, 3)),
    "path": ("path", lambda g, v: g.save(v), (None, 1, "x\0y")),
}


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_graphs_refuse_what_is_wrong(method: str) -> None:
    name, call, wrongs = METHODS[method]
    for wrong in wrongs:
        g = graph()
        with pytest.raises((TypeError, ValueError, sparcl.SparclError), match=rf"\b({name}|n)\b"):
            call(g, wrong)
        g.step(**right())  # goes on as before


BOUND: dict[str, tuple[str, Callable[[], Any]]] = {
    "None": ("x", lambda: None),
    "no matrix": ("x", lambda: "x"),
    "complex": ("x", lambda: np.ones((2, 3), complex)),
    "columns": ("x", lambda: sparcl.csr([[1.0, 0.0], [3.0, 4.0]]).astype("float32")),
    "entries": ("x", lambda: sparcl.csr(np.ones((2, 3), np.float32))),
    "type": ("x", lambda: matrix().astype("float64")),
    "rank": ("y", lambda: np.ones((2, 1), np.float32)),
    "rows": ("y", lambda: np.ones(3, np.float32)),
    "type of dense": ("y", lambda: sparcl.dense(np.ones(2))),
    "integers": ("y", lambda: sparcl.dense(np.ones(2, np.int64))),
    "words": ("y", lambda: ["a", "b"]),
    "complex dense": ("y", lambda: [1j, 2]),
    "more entries": ("c", lambda: sparcl.coo(np.ones((2, 3), np.float32))),
    "rank of coo": ("c", lambda: sparcl.coo(np.ones(2, np.float32))),
    "type of coo": ("c", lambda: sparcl.coo(np.eye(2, 3))),
    "dense rows": ("r", lambda: np.ones((4, 2), np.float32)),
    "other rows": ("r", lambda: sparcl.rows([1], np.ones((1, 2), np.float32), (5, 2))),
    "two rows": ("r", lambda: sparcl.rows([1, 2], np.ones((2, 2), np.float32), (4, 2))),
    "index": ("i", lambda: [0, 3]),
    "negative": ("i", lambda: [0, -1]),
    "count": ("i", lambda: [0]),
    "floats": ("i", lambda: [0.5, 1]),
    "limit": ("i", lambda: sparcl.indices([0, 1], 2)),
    "higher limit": ("i", lambda: sparcl.indices([0, 8], 9)),
    "unknown": ("z", lambda: 1),
}


@pytest.mark.parametrize("label", BOUND)
def test_inputs_refuse_what_is_wrong(label: str) -> None:
    name, make = BOUND[label]
    g = graph()
    with pytest.raises((TypeError, ValueError, sparcl.SparclError), match=rf"\b{name}\b"):
        g.step(**{**right(), name: make()})
    g.step(**right())
