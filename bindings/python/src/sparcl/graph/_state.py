"""The training state of a graph, and a table of its nodes."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from sparcl.errors import SparclError

if TYPE_CHECKING:
    from sparcl.graph._graph import Graph

_TYPES = {
    "F32": "float32",
    "F64": "float64",
    "F16": "float16",
    "BF16": "uint16",
    "I32": "int32",
    "I64": "int64",
}


def _parameters(graph: Graph) -> dict[str, int]:
    return {node.name: node.number for node in graph.nodes if node.is_parameter}


def get(graph: Graph) -> dict[str, Any]:
    """Copies of the arrays and counters of all parameters, and the step."""
    core, names = graph._core, {number: name for name, number in _parameters(graph).items()}
    found: dict[str, Any] = {
        name: {"counters": core.counters(number), "arrays": {}} for number, name in names.items()
    }
    for i, about in enumerate(core.state_arrays()):
        array = np.empty(about["count"], _TYPES[about["type"]])
        core.copy_state(i, array, write=False)
        found[names[about["parameter"]]]["arrays"][about["part"]] = array
    return {"step": graph.step_number, "parameters": found}


def _checked_arrays(graph: Graph, state: dict[str, Any]) -> list[Any]:
    """The arrays of a state, in the order of the core, whose counters are set."""
    names, arrays = {number: name for name, number in _parameters(graph).items()}, []
    for about in graph._core.state_arrays():
        name, part = names[about["parameter"]], about["part"]
        array = state["parameters"][name]["arrays"].get(part)
        expected = ((about["count"],), np.dtype(_TYPES[about["type"]]))
        found = None if array is None else (array.shape, array.dtype)
        if found != expected:
            raise ValueError(f"{name}: {part}: expected {expected}, found {found}")
        if about["type"] in ("I32", "I64") and array.size:
            low, high = int(array.min()), int(array.max())
            if low < about["least"] or high > about["most"]:
                raise ValueError(
                    f"{name}: {part}: expected {about['least']} to {about['most']}, found "
                    f"{low} to {high}"
                )
        arrays.append(np.ascontiguousarray(array))
    return arrays


def put(graph: Graph, state: dict[str, Any]) -> None:
    """Set them again, in a graph that was built the same way. A state that is refused changes
    nothing."""
    core, own = graph._core, _parameters(graph)
    missing = {"step", "parameters"} - set(state)
    if missing:
        raise ValueError(f"state: expected one of state_dict, found one without {min(missing)!r}")
    if set(own) != set(state["parameters"]):
        raise ValueError(
            f"expected the state of the parameters {', '.join(own)}, found that of "
            f"{', '.join(state['parameters'])}"
        )
    before = {number: core.counters(number) for number in own.values()}
    try:
        for name, number in own.items():
            core.set_counters(number, state["parameters"][name]["counters"])
        arrays = _checked_arrays(graph, state)
        graph.step_number = state["step"]
    except (KeyError, TypeError, ValueError, SparclError) as error:
        for number, counters in before.items():
            core.set_counters(number, counters)
        if isinstance(error, KeyError):
            raise ValueError(f"state: expected one of state_dict, found none of {error}") from None
        raise
    for i, array in enumerate(arrays):
        core.copy_state(i, array, write=True)


def table(graph: Graph) -> str:
    """The nodes of a training step as an HTML table."""
    heads = "".join(f"<th>{head}</th>" for head in ("node", "operation", "kind", "shape", "bytes"))
    lines = []
    for number in range(graph._core.nodes):
        about = graph._core.info(number)
        shape = " × ".join(str(size) for size in about["shape"])  # noqa: RUF001
        cells = (about["name"], about["operation"], about["kind"], shape, about["bytes"])
        lines.append("".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells))
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<p>{html.escape(repr(graph))}</p><table><tr>{heads}</tr>{rows}</table>"
