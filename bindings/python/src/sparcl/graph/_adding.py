"""How operations add nodes to a graph, and sizes that change from run to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from sparcl.graph._graph import Graph
    from sparcl.graph._node import Node


class Dim:
    """A size that may change from run to run: it is that of the arrays that are bound.

    Made by :meth:`Graph.dim`.
    """

    def __init__(self, graph: Graph, name: str, number: int, capacity: int) -> None:
        self.graph = graph
        self.name = name
        self.capacity = capacity
        self._number = number

    def __repr__(self) -> str:
        return f"<sparcl.graph.Dim {self.name!r}, at most {self.capacity} so far>"


Size: TypeAlias = int | Dim


class BaseNode:
    """A node without operators, which are operations, and so above this module."""

    def __init__(self, graph: Graph, number: int) -> None:
        self.graph = graph
        self.number = number


def _argument(graph: Graph, argument: Any) -> Any:
    if isinstance(argument, (BaseNode, Dim)) and argument.graph is not graph:
        what = "nodes" if isinstance(argument, BaseNode) else "dimensions"
        raise ValueError(
            f"expected {what} of one graph, found {argument!r} of another; bind the value of one "
            "as an input of the other"
        )
    if isinstance(argument, BaseNode):
        return argument.number
    if isinstance(argument, Dim):
        return argument._number
    if isinstance(argument, list | tuple):
        return [_argument(graph, one) for one in argument]
    return argument


def _first(arguments: Sequence[Any]) -> BaseNode:
    for argument in arguments:
        if isinstance(argument, BaseNode):
            return argument
        if isinstance(argument, list | tuple) and argument:
            return _first(argument)
    raise ValueError("expected at least one node")


def graph_of(arguments: Sequence[Any]) -> Graph:
    """The graph of the first node of arguments."""
    return _first(arguments).graph


def add(call: Callable[..., int], *arguments: Any, **named: Any) -> Node:
    """Add a node by a method of the core's graph, whose arguments are nodes, sizes and numbers."""
    first = _first(arguments)
    numbers = [_argument(first.graph, one) for one in arguments]
    more = {name: _argument(first.graph, one) for name, one in named.items()}
    return cast("Node", type(first)(first.graph, call(*numbers, **more)))
