"""Nodes of a graph."""

from __future__ import annotations

from sparcl.graph import _adding, elements, products, reductions, structure


class Node(_adding.BaseNode):
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
        return reductions.sum(self)

    def mean(self) -> Node:
        """The mean of a vector, as [1]."""
        return reductions.mean(self)

    def relu(self) -> Node:
        """max(0, x) of each element."""
        return elements.unary("relu", self)

    def __repr__(self) -> str:
        return f"<sparcl.graph.Node {self.number} {self.name!r}>"
