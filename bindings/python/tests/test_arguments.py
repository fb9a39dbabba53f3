"""Every public function is given every wrong thing for every argument: it raises an exception that
names the argument, or gives the right result. Functions that are new are found by themselves; valid
arguments are those of the example in their documentation.

Operands are surrounded by numbers that differ in two calls: a result that depends on them, or a
change of them, is an access outside of an array.
"""

from __future__ import annotations

import doctest
import inspect
import itertools
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse

import sparcl
from sparcl import _checked, ops

Arguments = dict[str, Any]
REFUSALS = (TypeError, ValueError, IndexError, NotImplementedError, MemoryError)
KINDS = {kind.__name__: kind for kind in (sparcl.Dense, sparcl.CSR, sparcl.CSC, sparcl.COO)}
FORMATS = (*KINDS.values(), sparcl.RowSparse, sparcl.List)
ROOM = 64
# SPARCL_TEST_EVERY=N: only one wrong thing in N, where each takes long: under a sanitizer.
EVERY = int(os.environ.get("SPARCL_TEST_EVERY", "1"))


# --- valid arguments


class Recorder:
    """Keeps the arguments of the last call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.arguments: Arguments | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.arguments = dict(inspect.signature(self.function).bind(*args, **kwargs).arguments)
        return self.function(*args, **kwargs)


# Of those whose example does not call them, or is one of an error.
EXAMPLES: dict[str, Callable[[], Arguments]] = {
    "data": lambda: {
        "x": scipy.sparse.csr_array([[0.0, 2.0], [1.0, 0.0]]),
        "labels": [1.0, 0.0],
        "weights": [1.0, 2.0],
        "fields": [1, 0],
        "index_base": 0,
    },
    "csc": lambda: {"x": scipy.sparse.csc_array([[1.0, 0.0], [2.0, 3.0]])},
    "indices": lambda: {"x": [3, 0, 2], "limit": 4},
}


def example_of(module: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> Arguments:
    """The arguments that the example of a function gives it."""
    function = getattr(module, name)
    if name in EXAMPLES:
        return EXAMPLES[name]()
    recorder = Recorder(function)
    monkeypatch.setattr(module, name, recorder)
    text, names = inspect.getdoc(function) or "", {"sparcl": sparcl, "np": np, "numpy": np}
    for example in doctest.DocTestParser().get_examples(text):
        exec(compile(example.source, name, "single"), names)
    monkeypatch.undo()
    assert recorder.arguments is not None, f"{name}: its example does not call it"
    return recorder.arguments


def around(x: npt.NDArray[Any], fill: int) -> npt.NDArray[Any]:
    """An array between other numbers."""
    whole = np.full(x.size + 2 * ROOM, fill, x.dtype)
    whole[ROOM : ROOM + x.size] = x.ravel()
    return whole[ROOM : ROOM + x.size].reshape(x.shape)


def fresh(x: Any, fill: int) -> Any:
    """The same operand in memory of its own."""
    if type(x) is sparcl.Dense and x._packed and x.dtype != sparcl.bfloat16:
        return sparcl.dense(around(x.numpy(), fill), context=x.context)
    if isinstance(x, sparcl.CSR) and x.dtype != sparcl.bfloat16:
        made = x.scipy()
        made.data, made.indices, made.indptr = (
            around(each, fill if each is made.data else 0)
            for each in (made.data, made.indices, made.indptr)
        )
        return sparcl.csr(made, context=x.context)
    if isinstance(x, (list, tuple)) and any(isinstance(each, FORMATS) for each in x):
        parts = [fresh(each, fill) for each in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return x


def surrounded(given: Arguments, fill: int) -> Arguments:
    """All operands; those of a plan are the same ones."""
    if any(isinstance(x, ops.SpGEMMPlan) for x in given.values()):
        return dict(given)
    return {each: fresh(x, fill) for each, x in given.items()}


# --- results


def flat(x: Any) -> list[npt.NDArray[Any]]:
    """The numbers of a result."""
    if x is None or isinstance(x, (sparcl.ops.SpGEMMPlan, str)):
        return []
    if isinstance(x, (list, tuple)):
        return [array for each in x for array in flat(each)]
    if isinstance(x, sparcl.Dense) and x.dtype == sparcl.bfloat16:
        x = x.astype("float32")
    if isinstance(x, sparcl.Data):
        return [
            array for each in (x.scipy().toarray(), x.labels, x.weights) for array in flat(each)
        ]
    if type(x).__module__.startswith("torch"):
        x = x.detach().to_dense()
    host = x.toarray() if isinstance(x, (*FORMATS[:-1], sparcl.BSR)) else np.asarray(x)
    return [host.astype(np.float64)]


def call(function: Callable[..., Any], arguments: Arguments) -> list[npt.NDArray[Any]]:
    """The result, and what operands have become."""
    result = flat(function(**arguments))
    return [*result, *(y for x in arguments.values() if isinstance(x, FORMATS) for y in flat(x))]


def agree(found: list[npt.NDArray[Any]], expected: list[npt.NDArray[Any]]) -> bool:
    """The same numbers, but for rounding to another type."""
    return len(found) == len(expected) and all(
        x.shape == y.shape and np.allclose(x, y, rtol=2e-3, atol=1e-3, equal_nan=True)
        for x, y in zip(found, expected, strict=True)
    )


# --- wrong things, and whether the result must be that of the valid one

Variant = tuple[str, Callable[[int], Any], bool]


def of_any(x: Any) -> Iterator[Variant]:
    for label, wrong in (("None", None), ("object", object()), ("bytes", b"x"), ("set", {1})):
        yield label, lambda _, wrong=wrong: wrong, True
    if isinstance(x, FORMATS):
        yield "list", lambda _: x.toarray().tolist() if hasattr(x, "toarray") else [], True
        yield "other device", lambda _: moved(x), True


def moved(x: Any) -> Any:
    """An operand of another context."""
    other = sparcl.Context(share=False)
    if isinstance(x, sparcl.List):
        return sparcl.indices(x.numpy(), x.limit, context=other)
    if isinstance(x, sparcl.RowSparse):
        return sparcl.rows(x.indices, x.values, x.shape, context=other)
    if isinstance(x, sparcl.Dense):
        return sparcl.dense(x.numpy(), context=other)
    return getattr(sparcl, type(x).__name__.lower())(x.scipy(), context=other)


def of_dense(x: sparcl.Dense) -> Iterator[Variant]:
    host = x.numpy().copy()
    frozen = host.copy()
    frozen.flags.writeable = False
    yield "read-only", lambda _: sparcl.dense(frozen), True
    for kind in ("float64", "float32", "float16", "int32", "int64", "bool"):
        other = host.astype(kind)
        if kind != host.dtype and (other.astype(host.dtype) == host).all():
            yield kind, lambda fill, other=other: sparcl.dense(around(other, fill)), True
    if host.ndim == 2:
        yield "column-major", lambda fill: sparcl.dense(around(host.T, fill)).T, True
        wide = np.concatenate([host, host], 1)
        yield "gaps", lambda fill: sparcl.dense(around(wide, fill))[:, : host.shape[1]], True
    shapes = {
        "shorter": host[:-1],
        "longer": np.concatenate([host, host[:1]]),
        "rank": host[..., None],
        "scalar": host.ravel()[:1],
        "empty": host[:0],
        "flat": host.ravel(),
        "narrow": host[..., :-1].copy(),
    }
    for label, array in shapes.items():
        if array.shape != host.shape:
            yield label, lambda fill, array=array: sparcl.dense(around(array, fill)), False


def of_csr(x: sparcl.CSR) -> Iterator[Variant]:
    host, scipy = x.toarray(), x.scipy()
    yield "SciPy", lambda _: scipy, True
    yield "COO", lambda _: x.coo(), True
    yield "dense", lambda _: x.dense(), True
    yield "float64", lambda _: x.astype("float64"), True
    index = (np.dtype("int64"), np.dtype("int64"))
    yield "int64 indices", lambda _: sparcl._make.with_indices(x, *index), True
    shapes = {
        "rows": np.concatenate([host, host[:1]]),
        "columns": np.concatenate([host, host[:, :1]], 1),
        "fewer rows": host[:-1],
        "fewer columns": host[:, :-1],
        "no rows": host[:0],
        "no entries": 0 * host,
    }
    for label, array in shapes.items():
        if array.shape != host.shape or label == "no entries":
            yield label, lambda _, array=array: sparcl.csr(array), False


def of_integers(x: npt.NDArray[Any]) -> Iterator[Variant]:
    same = {
        "byte-swapped": x.astype(">i8"),
        "strided": np.repeat(x, 2)[::2],
        "int8": x.astype(np.int8),
        "tuple": tuple(x.tolist()),
        "float": x.astype(float),
        "complex": x.astype(complex),
    }
    frozen = x.astype(np.int64)
    frozen.flags.writeable = False
    for label, array in {**same, "read-only": frozen}.items():
        yield label, lambda _, array=array: array, True
    changed: dict[str, Any] = {
        "negative": [*x[:-1].tolist(), -1],
        "too large": [*x[:-1].tolist(), 10**6],
        "beyond int64": np.array([2**63], np.uint64),
        "not a number": [float("nan")],
        "matrix": [x.tolist()],
        "strings": ["a"],
        "ragged": [[0], [0, 1]],
        "empty": [],
    }
    for label, wrong in changed.items():
        yield label, lambda _, wrong=wrong: wrong, False


def of_floats(x: npt.NDArray[np.float64]) -> Iterator[Variant]:
    same = {
        "byte-swapped": x.astype(">f8"),
        "strided": np.repeat(x, 2)[::2],
        "int": x.astype(int),
        "objects": x.astype(object),
        "complex": x.astype(complex),
        "strings": x.astype(str),
        "dates": x.astype("M8[s]"),
    }
    for label, array in same.items():
        yield label, lambda _, array=array: array, True
    changed: dict[str, Any] = {
        "not a number": [*x[:-1], np.nan],
        "infinite": [*x[:-1], np.inf],
        "beyond float32": [*x[:-1], 1e39],
        "None inside": [*x[:-1], None],
        "shorter": x[:-1],
        "longer": [*x, 1.0],
        "matrix": x[:, None],
        "ragged": [[0.0], [0.0, 1.0]],
        "sparse": scipy.sparse.csr_array(x[None]),
        "empty": [],
    }
    for label, wrong in changed.items():
        yield label, lambda _, wrong=wrong: wrong, False


def of_scipy(x: scipy.sparse.csr_array) -> Iterator[Variant]:
    for kind in ("csc", "coo", "lil", "dok", "dia", "bsr"):
        yield kind, lambda _, kind=kind: x.asformat(kind), True
    for dtype in ("float64", "int64", "complex64", "longdouble"):
        yield dtype, lambda _, dtype=dtype: x.astype(dtype), True
    yield "dense", lambda _: x.toarray(), True
    yield "list", lambda _: x.toarray().tolist(), True
    yield "words", lambda _: x.toarray().astype(str), True
    yield "beyond float32", lambda _: x * 1e39, False
    yield "vector", lambda _: x.toarray()[0], False
    for kind in ("csr", "csc", "bsr", "coo"):
        for name in ("indptr", "indices", "coords"):
            for label, wrong in (("far", 10**9), ("negative", -3), ("one more", 1)):

                def broken(_: int, kind: str = kind, name: str = name, by: int = wrong) -> Any:
                    made = x.asformat(kind).copy()
                    if hasattr(made, name):
                        found = getattr(made, name)
                        parts = found if name == "coords" else (found,)
                        moved = tuple(part + by for part in parts)
                        setattr(made, name, moved if name == "coords" else moved[0])
                        return made
                    return object()

                yield f"{kind}, {name} {label}", broken, False


def of_number(x: float) -> Iterator[Variant]:
    wrongs = ("x", [], np.zeros(2), 1 + 2j)
    if isinstance(x, int) and not isinstance(x, bool):
        wrongs = (*wrongs, -1, -(2**63), 2**62, 2**70, 1.5, float("nan"))  # type: ignore[assignment]
    for wrong in wrongs:
        yield f"{wrong}", lambda _, wrong=wrong: wrong, False


def variants(x: Any) -> Iterator[Variant]:
    """Wrong things in place of a valid operand."""
    yield from of_any(x)
    if isinstance(x, sparcl.Dense):
        yield from of_dense(x)
    elif isinstance(x, sparcl.CSR):
        yield from of_csr(x)
    elif isinstance(x, (int, float)):
        yield from of_number(x)
    elif isinstance(x, str):
        yield "nonsense", lambda _: "nonsense", True
    elif isinstance(x, (list, tuple)) and all(isinstance(each, int) for each in x):
        yield from of_integers(np.array(x, np.int64))
    elif isinstance(x, list) and all(isinstance(each, float) for each in x):
        yield from of_floats(np.array(x))
    elif scipy.sparse.issparse(x):
        yield from of_scipy(x)
    elif isinstance(x, ops.Bags):
        for field in ("indices", "offsets", "weights", "padding_index", "mode", "bounds"):
            value = getattr(x, field)
            for label, make, same in variants(value):
                if label == "None":
                    continue  # right for all but the indices
                changed = lambda fill, f=field, m=make: _replaced(x, f, m(fill))  # noqa: E731
                yield f"{field} {label}", changed, same and value is not None


def _replaced(x: ops.Bags, field: str, value: Any) -> ops.Bags:
    return ops.Bags(**{**vars(x), field: value})


# --- the tests


def tried(function: Callable[..., Any], given: Arguments, name: str, make: Any) -> Any:
    """The result of one wrong thing, or its refusal; it must not depend on what is around."""
    found: list[Any] = []
    for fill in (3, 7):
        arguments = surrounded(given, fill)
        try:
            arguments[name] = make(fill)
            found.append(call(function, arguments))
        except REFUSALS as error:
            found.append(error)
    one, two = found
    if isinstance(one, Exception):
        assert type(one) is type(two)
    else:
        assert not isinstance(two, Exception)
        assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(one, two, strict=True))
    return one


def names_the_argument(error: BaseException, function: Callable[..., Any], name: str) -> bool:
    """By its own name, or by that of the operation and its operand in the C library."""
    names = "|".join(re.escape(each) for each in inspect.signature(function).parameters)
    prefixes = f"{function.__name__}|validate|[a-z_]+"
    return isinstance(error, MemoryError) or bool(
        re.search(
            rf"\b({names})\b|^({prefixes}): |arrays of one context|nodes? of (one|this) graph",
            str(error),
        )
    )


def check(
    function: Callable[..., Any],
    given: Arguments,
    variants: Callable[[Any], Iterator[Variant]] = variants,
) -> None:
    expected = call(function, surrounded(given, 3))
    wrong = []
    tests = _checked._tests(function.__wrapped__)  # type: ignore[attr-defined]
    number = itertools.count(sum(map(ord, function.__name__)))  # others of each function
    for name, value in given.items():
        for label, make, same in variants(value):
            if next(number) % EVERY != 0:
                continue
            if label == "None" and tests[name][1](None) and tests[name][0] != "Any":
                continue
            try:
                found = tried(function, given, name, make)
            except Exception as error:
                wrong.append(f"{name}, {label}: {type(error).__name__}: {str(error)[:300]}")
                continue
            if isinstance(found, Exception):
                if not names_the_argument(found, function, name):
                    wrong.append(f"{name}, {label}: not named: {type(found).__name__}: {found}")
            elif same and not agree(found, expected):
                wrong.append(f"{name}, {label}: {found}, expected {expected}, or a refusal")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", [x for x in ops.__all__ if inspect.isfunction(getattr(ops, x))])
def test_operations_refuse_what_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(getattr(ops, name), example_of(ops, name, monkeypatch))


CONSTRUCTORS = ("bsr", "coo", "csc", "csr", "data", "dense", "draw_nodes", "indices", "rows")


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_constructors_refuse_what_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = example_of(sparcl, name, monkeypatch)
    check(getattr(sparcl, name), given)


def _functions() -> list[Any]:
    found = []
    for module in (sparcl, sparcl.ops, sparcl.graph):
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)):
                found.append(getattr(module, name))
    return found


def _sample(annotation: str) -> Any:
    """Something of a kind, to reach the check of a later argument."""
    a, node = sparcl.csr([[1.0]]), sparcl.graph.Graph().dense("x", (2, 2))
    samples: dict[str, Callable[[], Any]] = {
        "Sum[CSR]": lambda: ops.csr_add(a, a, sources=True),
        "Sum[COO]": lambda: ops.coo_add(a.coo().coalesce(), a.coo().coalesce(), sources=True),
        "SpGEMMPlan": lambda: ops.spgemm_symbolic(a, a),
        "tuple": lambda: (1, 1),
        "Data": lambda: sparcl.data([[1.0]], [1]),
        "Node": lambda: node,
        "Dense": a.dense,
        "CSR": lambda: a,
        "COO": a.coo,
        "CSC": a.csc,
        "BSR": lambda: a.bsr((1, 1)),
        "RowSparse": a.rows,
        "float": lambda: 1.0,
        "int": lambda: 1,
        "bool": lambda: False,
        "Size": lambda: 1,
    }
    for kind, make in samples.items():
        if re.search(rf"\b{re.escape(kind)}(?!\w)", annotation):
            return [make()] if re.match("Sequence|list", annotation) else make()
    word = re.match("'(.+?)'", annotation)  # of a Literal
    return word[1] if word else "x"


@pytest.mark.parametrize("function", _functions(), ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_an_argument_of_no_kind_is_named(function: Any) -> None:
    tests = _checked._tests(function.__wrapped__)
    parameters = list(inspect.signature(function).parameters.values())
    given: Arguments = {}
    for i, parameter in enumerate(parameters):
        kind, test, _ = tests[parameter.name]
        if not test(object()):
            rest = dict.fromkeys(each.name for each in parameters[i + 1 :])
            with pytest.raises(TypeError, match=rf"^{parameter.name}: expected {re.escape(kind)}"):
                function(**given, **{parameter.name: object()}, **rest)
        if parameter.default is parameter.empty:
            given[parameter.name] = _sample(kind)


STEPS: dict[str, Callable[[Any], Any]] = {
    "table": lambda x: sparcl.optim.SGD(x, lr=0.1),
    "gradient": lambda x: sparcl.optim.SGD(sparcl.dense(np.ones((3, 2), "float32"))).step(x),
    "rows": lambda x: sparcl.optim.SGD(sparcl.dense(np.ones((3, 2), "float32"))).catch_up(x),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("wrong", [None, [[1.0, 2.0]], np.ones((3, 2), "float32"), "x", 1])
def test_optimizers_name_the_argument(name: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"^{name}: expected"):
        STEPS[name](wrong)


@pytest.mark.parametrize("rule", sparcl.optim.rules())
def test_steps_refuse_gradients_of_another_kind(rule: str) -> None:
    """Other shapes and types; the table stays as it is."""
    table = sparcl.dense(around(np.ones((3, 2), "float32"), 3))
    optimizer = sparcl.optim.Optimizer(table, rule, lr=0.1)
    for shape, kind in (((3, 3), "float32"), ((4, 2), "float32"), ((3, 2), "float64")):
        values = np.ones((1, *shape[1:]), kind)
        for gradient in (sparcl.rows([1], values, shape), sparcl.dense(np.ones(shape, kind))):
            with pytest.raises((sparcl.ShapeError, sparcl.DTypeError), match=r"^step"):
                optimizer.step(gradient)
    np.testing.assert_array_equal(table.numpy(), 1)
    assert optimizer.step_number == 0


CONTRADICTIONS: dict[str, tuple[list[int], list[int], list[float]]] = {
    "first offset": ([1, 1, 2], [0, 1], [1, 1]),
    "descending": ([0, 2, 1], [0, 1], [1, 1]),
    "beyond": ([0, 1, 5_000_000], [0, 1], [1, 1]),
    "negative": ([0, -1, 2], [0, 1], [1, 1]),
    "column": ([0, 1, 2], [0, 9], [1, 1]),
    "negative column": ([0, 1, 2], [0, -9], [1, 1]),
    "few offsets": ([0, 1], [0], [1]),
    "few values": ([0, 1, 2], [0, 1], [1]),
    "few indices": ([0, 1, 2], [0], [1, 1]),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_arrays_of_scipy_that_contradict_each_other(name: str) -> None:
    """SciPy builds such matrices where its arrays are set."""
    a = scipy.sparse.csr_array((2, 3), dtype="float32")
    a.indptr, a.indices, a.data = (np.array(each) for each in CONTRADICTIONS[name])
    a.data = a.data.astype(np.float32)
    a.has_canonical_format = a.has_sorted_indices = True
    model = sparcl.train(sparcl.data(np.eye(4, 3), [0, 1, 0, 1]), epochs=1)
    for take in (model.predict, model.probability, lambda x: sparcl.data(x, [0, 1]), sparcl.csr):
        with pytest.raises((sparcl.SparclError, ValueError), match=r"expected|offsets|needs"):
            take(a)


@pytest.mark.parametrize("x", [None, "x", [[1.0]], np.ones(3), np.ones((2, 3), complex)])
def test_predictions_name_what_is_no_matrix(x: Any) -> None:
    model = sparcl.train(sparcl.data(np.eye(4, 3), [0, 1, 0, 1]), epochs=1)
    with pytest.raises(TypeError, match=r"^x: expected"):
        model.predict(x)
