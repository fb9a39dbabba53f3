"""Nodes of a graph, sizes that change from run to run, and how operations add nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sparcl.graph import elements, products, structure

if TYPE_CHECKING:
    from sparcl.graph._graph import Graph


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


class Node:
    """A node of a graph: an input, a parameter, or the result of an operation.

    Operators add nodes, with numbers and other nodes of the graph: ``a @ b``, ``x + y``, ``-x``,
    ``x * 2``. The functions of :mod:`sparcl.graph` have all operations.

    >>> import numpy, sparcl
    >>> g = sparcl.Graph()
    >>> x = g.dense("x", (3,))
    >>> y = x * 2 + x
    >>> g.output(y)
    >>> g.forward(x=numpy.arange(3, dtype="float32"))
    >>> g.value(y).tolist()
    [0.0, 3.0, 6.0]
    """

    # NumPy's arrays leave operators with a node to it, which then refuses them.
    __array_ufunc__ = None

    def __init__(self, graph: Graph, number: int) -> None:
        self.graph = graph
        self.number = number

    @property
    def name(self) -> str:
        """Of an input or a parameter that of its making; else what messages call it."""
        return self.graph._core.name(self.number)

    @name.setter
    def name(self, name: str) -> None:
        self.graph._core.set_name(self.number, name)

    @property
    def is_parameter(self) -> bool:
        """It is trained."""
        return self.graph._core.is_parameter(self.number)

    @property
    def kind(self) -> str:
        """The format: "dense", "csr", "list", "row-sparse", "coo" or "constant"."""
        return str(self.graph._core.info(self.number)["kind"])

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes, of dimensions the capacities; of a CSR matrix without its entries."""
        about = self.graph._core.info(self.number)
        sizes = tuple(int(size) for size in about["shape"])
        return sizes[:2] if about["kind"] == "csr" else sizes

    @property
    def T(self) -> Node:
        """The transpose of a dense matrix or of a CSR matrix."""
        return structure.transpose(self)

    def __matmul__(self, other: Node) -> Node:
        return products.matmul(self, other)

    def __add__(self, other: Node | float) -> Node:
        return elements.binary("add", self, other)

    def __radd__(self, other: float) -> Node:
        return elements.binary("add", self, other)

    def __sub__(self, other: Node | float) -> Node:
        return elements.binary("subtract", self, other)

    def __rsub__(self, other: float) -> Node:
        return elements.binary("add", -self, other)

    def __mul__(self, other: Node | float) -> Node:
        return elements.binary("multiply", self, other)

    def __rmul__(self, other: float) -> Node:
        return elements.binary("multiply", self, other)

    def __truediv__(self, other: Node | float) -> Node:
        return elements.binary("divide", self, other)

    def __neg__(self) -> Node:
        return elements.unary("negative", self)

    def __abs__(self) -> Node:
        return elements.unary("abs", self)

    def sum(self) -> Node:
        """The sum of the rows of a dense array [m, k], as [k]; of a vector as [1]."""
        return add(self.graph._core.sum, self)

    def mean(self) -> Node:
        """The mean of a vector, as [1]."""
        return add(self.graph._core.mean, self)

    def relu(self) -> Node:
        """max(0, x) of each element."""
        return elements.unary("relu", self)

    def __repr__(self) -> str:
        return f"<sparcl.graph.Node {self.number} {self.name!r}>"


def _argument(graph: Graph, argument: Any) -> Any:
    if isinstance(argument, (Node, Dim)) and argument.graph is not graph:
        what = "nodes" if isinstance(argument, Node) else "dimensions"
        raise ValueError(
            f"expected {what} of one graph, found {argument!r} of another; bind the value of one "
            "as an input of the other"
        )
    if isinstance(argument, Node):
        return argument.number
    if isinstance(argument, Dim):
        return argument._number
    if isinstance(argument, list | tuple):
        return [_argument(graph, one) for one in argument]
    return argument


def graph_of(arguments: Sequence[Any]) -> Graph:
    """The graph of the first node of arguments."""
    for argument in arguments:
        if isinstance(argument, Node):
            return argument.graph
        if isinstance(argument, list | tuple) and argument:
            return graph_of(argument)
    raise ValueError("expected at least one node")


def add(call: Callable[..., int], *arguments: Any, **named: Any) -> Node:
    """Add a node by a method of the core's graph, whose arguments are nodes, sizes and numbers."""
    graph = graph_of(arguments)
    numbers = [_argument(graph, one) for one in arguments]
    return Node(graph, call(*numbers, **{k: _argument(graph, v) for k, v in named.items()}))
