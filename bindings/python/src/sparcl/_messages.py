"""Messages of the C library with the names that Python has."""

from __future__ import annotations

import difflib
import re
import sys

_TYPES = {
    "F32": "float32",
    "F64": "float64",
    "F16": "float16",
    "BF16": "bfloat16",
    "I32": "int32",
    "I64": "int64",
    "U8": "uint8",
    "BOOL": "bool",
}
_METHODS = {  # of others the name is that of C
    "eval": "Model.evaluate",
    "eval_nodes": "Model.evaluate_nodes",
    "rank_eval": "Model.evaluate(known=)",
}
TABLE = "sparcl-table.csv"  # the file of a table
_OPTIONS = {"--id-map": "ids"}  # others have the name of their parameter


def _function(found: re.Match[str]) -> str:
    """What a function of C is in the package, which is imported when there are messages."""
    name: str = found[1]
    if name in _METHODS:
        return _METHODS[name]
    graph = name.removeprefix("graph_")
    if graph != name:
        is_function = hasattr(sys.modules.get("sparcl.graph"), graph)
        return f"sparcl.graph.{graph}" if is_function else f"Graph.{graph}"
    if hasattr(sys.modules.get("sparcl.ops"), name):
        return f"sparcl.ops.{name}"
    model = getattr(sys.modules.get("sparcl._model"), "Model", None)
    return f"Model.{name}" if hasattr(model, name) else name


def _option(found: re.Match[str]) -> str:
    name = _OPTIONS.get(found[1], found[1][2:].replace("-", "_"))
    return f"{name}={found[2] or ''}"


_NAME = r"(?<=[ (])"  # not in a path
_QUOTED = re.compile(r"(\"[^\"]*\"|'sparcl [^']*')")  # words of the user, commands of the tool
_RULES = [
    (re.compile(pattern), to)
    for pattern, to in (
        (rf"(?:^/.*?|\S*)[/\\]{TABLE}", "the table"),
        (r"element type \d+ \((\w+)\)", r"element type \1"),
        (_NAME + r"(?:SPARCL_)?(F32|F64|F16|BF16|I32|I64|U8|BOOL)\b", lambda m: _TYPES[m[1]]),
        (r"\(sparcl_data_of_ratings; in Python (data\.pairs\(\))\)", r"(\1)"),
        (_NAME + r"sparcl_(\w+)", _function),
        (r"(?:^|(?<= ))(graph_\w+)", _function),
        (_NAME + r"SPARCL_([A-Z_]+)", lambda m: m[1].lower()),
        (r"name the format ratings\b", 'give format="ratings"'),
        (r"(add it,(?: or)? remove the row)\b", r"\1 (labelled_only=True leaves it out)"),
        (r"(?<=\w) \(--[a-z-]+\)", ""),
        (_NAME + r"(--[a-z][a-z-]+)(?: (csv|all|NAME|NUMBER|\d+)\b)?", _option),
        (_NAME + r"NULL\b", "None"),
        (_NAME + r"INFINITY\b", "inf"),
    )
]


_CHOICE = re.compile(
    r"expected (?:one of )?((?:[\w-]+, )+[\w-]+(?: or [\w-]+)?), found [\"']([\w-]+).$"
)


def with_nearest(text: str) -> str:
    """A message that ends with names, and the one found in their place, with the one like it."""
    found = _CHOICE.search(text)
    names = re.findall(r"[\w-]+", found[1]) if found else []
    nearest = difflib.get_close_matches(found[2].lower(), names, 1, 0.75) if found else []
    return f"{text}; did you mean {nearest[0]}?" if nearest else text


def in_python(message: bytes) -> str:
    """The message of an error."""
    parts = _QUOTED.split(message.decode(errors="replace"))
    for i in range(0, len(parts), 2):
        for pattern, to in _RULES:
            parts[i] = pattern.sub(to, parts[i])
    return with_nearest("".join(parts))
