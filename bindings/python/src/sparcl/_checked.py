"""Arguments of public functions, checked by the annotations of their parameters before anything is
computed: what is not of the annotated kind raises TypeError with the name of the parameter."""

from __future__ import annotations

import ast
import functools
import inspect
import numbers
import operator
import os
import sys
from collections.abc import Callable, Sequence
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from sparcl import _messages, errors

Test = Callable[[Any], bool]
Refusal = Callable[[Any], "str | None"]
Kind = tuple[str, Test, "Refusal | None"]
F = TypeVar("F", bound=Callable[..., Any])

_ANY = {"Any", "npt.ArrayLike", "npt.DTypeLike"}
_MODULES = (
    "sparcl",
    "sparcl.graph._node",
    "sparcl.graph._adding",
    "sparcl._enums",
    "sparcl._parts",
    "sparcl.ops._results",
    "collections.abc",
    "builtins",
)


def _is_within(low: int, high: int) -> Test:
    def test(x: Any) -> bool:
        try:
            return low <= operator.index(x) <= high
        except TypeError:
            return False

    return test


_is_int = _is_within(-(2**63), 2**63 - 1)

# Integers that the C library does not have as int64 of both signs, by the names of parameters.
_UNSIGNED = ("int from 0 to 2**64 - 1", _is_within(0, 2**64 - 1))
_SIZE = ("int from 0", _is_within(0, 2**63 - 1))
_SMALL = ("int of 32 bits", _is_within(-(2**31), 2**31 - 1))
_INTEGERS = {
    "axis": _SMALL,
    "capacity": _SIZE,
    "hash_bits": _SMALL,
    "offset": _UNSIGNED,
    "seed": _UNSIGNED,
    "size": _SIZE,
    "step": _SIZE,
}


def _is_float(x: Any) -> bool:
    return isinstance(x, (numbers.Real, np.floating, np.integer))


def is_utf8(x: Any) -> bool:
    """Whether the C library can have a text; other things are not looked at."""
    if not isinstance(x, str):
        return True
    try:
        x.encode()
    except UnicodeEncodeError:  # half of a pair, or a name of a file that is no UTF-8
        return False
    return True


def _is_flag(x: Any) -> bool:
    return isinstance(x, (bool, np.bool_)) or (isinstance(x, int) and x in {0, 1})


def _are_arrays_of_sparse(x: Any) -> bool:
    """Whether something is what SciPy makes a matrix of: (data, (row, col)), or (data, indices,
    indptr)."""
    if not isinstance(x, tuple) or len(x) not in {2, 3}:
        return False
    has_arrays = all(hasattr(y, "dtype") for y in (x if len(x) == 3 else x[:1]))
    return has_arrays and (isinstance(x[1], tuple) or np.shape(x[-1]) != np.shape(x[0]))


def _graph_class(name: str) -> type:
    found: type = getattr(sys.modules["sparcl.graph"], name)
    return found


# Annotations that say less than what is expected.
_SHOWN = {
    "Size": "int from 0 or Dim",
    "list[Node]": "list of one Node or more",
    "MatrixLike": "a matrix, table or list",
}
_PLAIN: dict[str, Test] = {
    "None": lambda x: x is None,
    "int": _is_int,
    "float": _is_float,
    "bool": _is_flag,
    "str": lambda x: isinstance(x, str),
    "Size": lambda x: _is_within(0, 2**63 - 1)(x) or isinstance(x, _graph_class("Dim")),
    "list[Node]": lambda x: (
        isinstance(x, list) and len(x) > 0 and all(isinstance(y, _graph_class("Node")) for y in x)
    ),
    "MatrixLike": lambda x: not _are_arrays_of_sparse(x),
    "os.PathLike[str]": lambda x: isinstance(x, os.PathLike),
}


def _split(text: str, at: str) -> list[str]:
    """The parts of an annotation that are not inside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _named(name: str, function: Callable[..., Any]) -> Any:
    """What a name of an annotation is: in the module of the function, or one of the package."""
    first, _, rest = name.partition(".")
    own = function.__globals__.get(first)
    if own is not None:
        return getattr(own, rest) if rest else own
    for module in _MODULES:
        found = getattr(sys.modules[module], rest or first, None)
        if found is not None:
            return found
    raise NameError(f"{function.__name__}: an annotation names {name}, which is not known here")


def _test(text: str, function: Callable[..., Any]) -> Test:
    alternatives = _split(text, "|")
    if len(alternatives) > 1:
        tests = [_test(each, function) for each in alternatives]
        return lambda x: any(test(x) for test in tests)
    if text in _ANY:
        return lambda _: True
    if text in _PLAIN:
        return _PLAIN[text]
    if text.startswith("Literal["):
        return _is_like(_members(text, function))
    name, _, inner = text.partition("[")
    if name in {"Sequence", "list", "tuple"}:
        return _sequence(_split(inner[:-1], ","), function)
    return _of_kind(_named(name, function), function)


def _of_kind(kind: Any, function: Callable[..., Any]) -> Test:
    """What an alias, a class or a generic of one is."""
    if isinstance(kind, str):
        return _test(kind, function)
    origin, members = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        tests = [_of_kind(each, function) for each in members]
        return lambda x: any(test(x) for test in tests)
    if origin is Literal:
        return _is_like(members)
    if isinstance(origin or kind, type):
        return lambda x: isinstance(x, origin or kind)
    return callable if origin is Callable else lambda _: True


def _is_like(members: tuple[Any, ...]) -> Test:
    """Of a type that members have; `_refused` compares the values."""
    kinds = {type(each) for each in members}
    return lambda x: type(x) in kinds or (str in kinds and isinstance(x, str))


def _members(text: str, function: Callable[..., Any]) -> tuple[Any, ...]:
    """The words and numbers of a Literal, or of an alias that has one; none of other kinds."""
    if text.startswith("Literal["):
        return tuple(ast.literal_eval(each) for each in _split(text[8:-1], ","))
    if not text.isidentifier() or text in _PLAIN or text in _ANY:
        return ()
    kinds = [_named(text, function)]
    if get_origin(kinds[0]) in {Union, UnionType}:
        kinds = list(get_args(kinds[0]))
    return tuple(x for each in kinds if get_origin(each) is Literal for x in get_args(each))


def _refused(text: str, function: Callable[..., Any]) -> Refusal | None:
    """What was expected instead of something of the right type: a word of no meaning, no name."""
    alternatives = _split(text, "|")
    members = [x for each in alternatives for x in _members(each, function)]
    is_path = "os.PathLike[str]" in alternatives
    plain = tuple(kind for kind in (str, int) if kind.__name__ in alternatives)
    if not members and not is_path and "str" not in alternatives:
        return None

    def check(x: Any) -> str | None:
        if is_path and isinstance(x, str) and not x:
            return "the name of a file or folder"
        if not is_utf8(str(x) if isinstance(x, os.PathLike) else x):
            return "text that UTF-8 has"
        if members and isinstance(x, (str, int)) and not isinstance(x, plain) and x not in members:
            return f"one of {', '.join(map(str, members))}"
        return None

    return check


def _sequence(inner: list[str], function: Callable[..., Any]) -> Test:
    tests = [_test(each, function) for each in inner if each != "..."]
    fixed = len(tests) > 1

    def test(x: Any) -> bool:
        if isinstance(x, (str, bytes)) or not isinstance(x, (Sequence, np.ndarray)):
            return False
        if isinstance(x, np.ndarray) and x.ndim == 0:
            return False
        if fixed:
            return len(x) == len(tests) and all(t(each) for t, each in zip(tests, x, strict=True))
        return all(tests[0](each) for each in x)

    return test


def _tests(function: Callable[..., Any]) -> dict[str, Kind]:
    """For each parameter: what is expected, whether something is of that kind, and what is wrong
    with a value of it."""
    annotations = {name: p.annotation for name, p in inspect.signature(function).parameters.items()}
    return {
        name: (
            *(_INTEGERS[name] if name in _INTEGERS and text == "int" else _kind(text, function)),
            _refused(text, function),
        )
        for name, text in annotations.items()
        if isinstance(text, str)
    }


def _words(text: str, function: Callable[..., Any]) -> str:
    """With the members of a Literal, or of an alias of several kinds, in place of its name."""
    is_alias = text.isidentifier() and text not in _PLAIN and text not in _ANY
    kind = _named(text, function) if is_alias else None
    if get_origin(kind) in {Union, UnionType}:
        return " | ".join(_name_of(each) for each in get_args(kind))
    return " | ".join(map(repr, _members(text, function))) or text


def _name_of(kind: Any) -> str:
    """Of a member of an alias."""
    if get_origin(kind) is Literal:
        return " | ".join(map(repr, get_args(kind)))
    if kind is type(None):
        return "None"
    return getattr(kind, "__name__", str(kind))


def _kind(text: str, function: Callable[..., Any]) -> tuple[str, Test]:
    words = [_words(each, function) for each in _split(text, "|")]
    return _SHOWN.get(text, " | ".join(words)), _test(text, function)


def _shown(x: Any) -> str:
    text = repr(x) if isinstance(x, (int, float, str, type(None))) else ""
    return f"{type(x).__name__} {text[:40]}".strip() if x is not None else "None"


def _remedy(kind: str, name: str, x: Any) -> str:
    """How to make what is expected of something else."""
    if "Dense" in kind.split(" | ") and hasattr(x, "__dlpack__"):
        return f"; use sparcl.dense({name})"
    return "; use scipy.sparse.csr_array(x, shape=shape)" if kind == _SHOWN["MatrixLike"] else ""


def checked(function: F) -> F:
    """The function, with its arguments checked."""
    names = tuple(inspect.signature(function).parameters)
    tests: dict[str, Kind] = {}
    is_ready = False

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal is_ready
        if not is_ready:  # at the first call, when all modules are there
            tests.update(_tests(function))
            is_ready = True
        for name, x in (*zip(names, args, strict=False), *kwargs.items()):
            if name not in tests:
                continue
            kind, test, refused = tests[name]
            if not test(x):
                raise TypeError(
                    f"{name}: expected {kind}, found {_shown(x)}{_remedy(kind, name, x)}"
                )
            expected = refused(x) if refused else None
            if expected:
                text = f"{name}: expected {expected}, found {x!r}"
                raise errors.ArgumentError(_messages.with_nearest(text))
        return function(*args, **kwargs)

    return cast("F", call)


def _check_methods(kind: type) -> None:
    """Check the arguments of the public methods of a class, and what properties are set to."""
    for name, found in list(vars(kind).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if inspect.isfunction(found) and not hasattr(found, "__wrapped__"):
            setattr(kind, name, checked(found))
        elif isinstance(found, staticmethod):
            setattr(kind, name, staticmethod(checked(found.__func__)))
        elif isinstance(found, property) and found.fset is not None:
            setattr(kind, name, found.setter(checked(found.fset)))


def check_all(module: dict[str, Any]) -> None:
    """Check the arguments of all functions that a module names in its ``__all__``, and of the
    methods of classes."""
    for name in module["__all__"]:
        found = module[name]
        if inspect.isclass(found) and not issubclass(found, Exception):
            _check_methods(found)
        if inspect.isfunction(found) and not hasattr(found, "__wrapped__"):
            module[name] = checked(found)
            module[name].__module__ = module["__name__"]
