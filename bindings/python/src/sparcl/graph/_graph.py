"""Graphs: built once, run for each batch, with gradients and optimizer steps."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from sparcl import _core, _enums, _make, _numbers, optim
from sparcl._context import Context, default_context
from sparcl.graph import _adding, _inputs, _node, _state, _values

if TYPE_CHECKING:
    from sparcl._dense import Dense
    from sparcl.graph._adding import Dim, Size
    from sparcl.graph._node import Node


class Graph:
    """A model as a graph of operations: built once, then run for each batch.

    Parameters
    ----------
    optimizer
        Of the parameters that have none of their own: a rule with settings, as of the tool
        ("adam", "adagrad:lr=0.1").
    dtype
        Of inputs and parameters; inputs and parameters may also say it themselves.
    context
        Where it runs.
    **settings
        Of the optimizer, in place of text: lr=0.1.

    >>> import numpy, scipy.sparse, sparcl
    >>> from sparcl.graph import Graph, loss
    >>> g = Graph("sgd", lr=1.0)
    >>> rows, entries = g.dim("rows"), g.dim("entries")
    >>> x, y = g.csr("x", (rows, 3), entries), g.dense("y", (rows,))
    >>> w = g.parameter("w", (3, 1))
    >>> mean = loss("logistic", x @ w, y).mean()
    >>> g.backward(mean)
    >>> batch = scipy.sparse.csr_array(numpy.eye(3, dtype="float32"))
    >>> for _ in range(100):
    ...     g.step(x=batch, y=[1, 0, 1])
    >>> [round(float(weight), 1) for weight in g.value(w).ravel()]
    [3.4, -3.4, 3.4]

    A call that fails raises, and adds nothing: the graph goes on as before.
    """

    def __init__(
        self,
        optimizer: str = "adam",
        *,
        dtype: _enums.Float = "float32",
        context: Context | None = None,
        **settings: optim.Setting,
    ) -> None:
        self.context = context or default_context()
        self._core = _core.Graph(self.context._core)
        self._optimizer = optim.text_of(optimizer, settings)
        self._dtype = dtype
        self._inputs: dict[str, _inputs.Input] = {}
        self._bound: dict[str, Any] = {}
        self._dims: dict[int, Dim] = {}
        self._sizes: dict[Dim, int] = {}
        self._targets: dict[int, Dense] = {}
        self._training = True

    # Sizes, inputs, parameters.

    def dim(self, name: str, capacity: int = 0) -> Dim:
        """A size that may change from run to run. Its capacity grows with the arrays that are
        bound; memory is allocated once where it is known before. A name stands for one dimension:
        the second ``dim("rows")`` is the first."""
        number = self._core.add_dim(name, capacity)
        dim = self._dims.setdefault(number, _adding.Dim(self, name, number, capacity))
        dim.capacity = max(dim.capacity, capacity)
        return dim

    def size_of(self, dim: Dim) -> int:
        """The size of the last array that was bound, or the capacity."""
        return self._sizes.get(dim, dim.capacity)

    def set_size(self, dim: Dim, size: int) -> None:
        """Make room for a size of the next run."""
        if size > dim.capacity:
            self._core.reserve(dim._number, size)
            dim.capacity = size
        self._sizes[dim] = size

    def _numbers(self, sizes: Sequence[Size]) -> list[int]:
        for size in sizes:
            if isinstance(size, _adding.Dim) and size.graph is not self:
                raise ValueError(
                    f"shape: expected dimensions of this graph, found {size!r} of another"
                )
            if not isinstance(size, _adding.Dim) and size < 0:  # the core's numbers of dimensions
                raise ValueError(f"shape: expected sizes from 0, found {size}")
        return [
            size._number if isinstance(size, _adding.Dim) else operator.index(size)
            for size in sizes
        ]

    def _input(
        self, name: str, kind: str, dtype: _enums.Float | None, sizes: Sequence[Size]
    ) -> Node:
        if name in self._inputs:
            raise ValueError(f"{name}: expected a new name, found one of another input")
        chosen = self._set_dtype(dtype)
        numbers = self._numbers(sizes)
        if kind in ("csr", "list"):
            number = getattr(self._core, f"add_{kind}")(name, *numbers)
        elif kind == "dense":
            number = self._core.add_dense(name, numbers)
        else:
            number = getattr(self._core, f"add_{kind}")(name, numbers[:-1], numbers[-1])
        node = _node.Node(self, number)
        self._inputs[name] = _inputs.Input(node, kind, chosen, tuple(sizes))
        return node

    def _set_dtype(self, dtype: _enums.Float | None) -> str:
        chosen = dtype or self._dtype
        self._core.set_dtype(_enums.code("dtype", chosen))
        return chosen

    def dense(self, name: str, shape: Sequence[Size], *, dtype: _enums.Float | None = None) -> Node:
        """An input: a dense array."""
        return self._input(name, "dense", dtype, shape)

    def csr(
        self,
        name: str,
        shape: tuple[Size, Size],
        entries: Size | None = None,
        *,
        dtype: _enums.Float | None = None,
    ) -> Node:
        """An input: a CSR matrix with that many entries, by default a dimension of its own."""
        return self._input(name, "csr", dtype, [*shape, self._entries(name, entries)])

    def coo(
        self,
        name: str,
        shape: Sequence[Size],
        entries: Size | None = None,
        *,
        dtype: _enums.Float | None = None,
    ) -> Node:
        """An input: a COO array with room for that many entries."""
        return self._input(name, "coo", dtype, [*shape, self._entries(name, entries)])

    def rows(
        self,
        name: str,
        shape: Sequence[Size],
        stored: Size | None = None,
        *,
        dtype: _enums.Float | None = None,
    ) -> Node:
        """An input: a row-sparse array of which that many rows are stored."""
        return self._input(name, "rows", dtype, [*shape, self._entries(name, stored)])

    def indices(self, name: str, count: Size, limit: Size) -> Node:
        """An input: a list of ``count`` indices from 0 to ``limit`` - 1."""
        return self._input(name, "list", None, [count, limit])

    def _entries(self, name: str, entries: Size | None) -> Size:
        return self.dim(f"entries of {name}"[:47]) if entries is None else entries

    def parameter(
        self,
        name: str,
        shape: Sequence[int],
        *,
        init: npt.ArrayLike | None = None,
        optimizer: str | None = None,
        dtype: Literal["float32", "float64"] | None = None,
        **settings: optim.Setting,
    ) -> Node:
        """A dense array that is trained, of zeros or ``init``, with an optimizer of its own or that
        of the graph. ``moves="exact"``: rows that a batch does not read catch up when they are
        read, with the results of a dense optimizer."""
        if optimizer is None and settings:
            optimizer = self._optimizer.split(":")[0]
        text = self._optimizer if optimizer is None else optim.text_of(optimizer, settings)
        start = None if init is None else _numbers.plain(init, "init")
        if start is not None and start.shape != tuple(shape):
            raise ValueError(f"init: expected the shape {tuple(shape)}, found {start.shape}")
        self._set_dtype(dtype)
        node = _node.Node(self, self._core.add_parameter(name, self._numbers(shape), text))
        if start is not None:
            _values.write_dense(self.context, self._core.value(node.number), start, "init")
        return node

    # Runs.

    def backward(self, loss: Node) -> None:
        """Add the gradients of a loss, which has one element, by all parameters. Called once; the
        value of the loss is kept."""
        self.output(loss)
        self._core.backward(self._own(loss))

    def bind(self, **arrays: Any) -> None:
        """Bind arrays to inputs by their names; they are used where they are, until others are
        bound, if the device shares memory with the host."""
        lists = {}
        for name, array in arrays.items():
            like = self._inputs.get(name)
            if like is None:
                known = ", ".join(self._inputs) or "none"
                raise TypeError(f"{name}: expected an input of the graph ({known})")
            if like.kind == "list":  # limits may be sizes of other inputs
                lists[name] = array
            else:
                self._bound[name] = _inputs.bind(self, like, array)
        for name, array in lists.items():
            self._bound[name] = _inputs.bind(self, self._inputs[name], array)

    def step(self, **arrays: Any) -> None:
        """A training step, of these inputs: forward, backward, and a step of each parameter. It
        does not wait for the device; :meth:`value` does."""
        self.bind(**arrays)
        self._core.step()

    def forward(self, **arrays: Any) -> None:
        """Compute the outputs from these inputs; no parameter changes."""
        self.bind(**arrays)
        self._core.forward()

    def finish(self) -> None:
        """Rows that have missed steps catch up to the last step."""
        self._core.finish()

    @property
    def training(self) -> bool:
        """False: dropout passes its operand on, and running statistics are used."""
        return self._training

    @training.setter
    def training(self, on: bool) -> None:
        self._training = bool(on)
        self._core.set_training(self._training)

    @property
    def step_number(self) -> int:
        """How many steps were made; the masks of dropout depend on it."""
        return self._core.step_number

    @step_number.setter
    def step_number(self, step: int) -> None:
        self._core.step_number = step

    def set_fusion(self, on: bool) -> None:
        """Several nodes in one launch, as at first, or each by itself; the bits are the same."""
        self._core.set_fusion(on)

    def vary_rates(self) -> None:
        """Rates will vary from step to step (:meth:`set_rate`); called before backward."""
        self._core.vary_rates()

    def set_rate(self, factor: float) -> None:
        """The next steps have the rates of the optimizers times a factor."""
        self._core.set_rate(factor)

    def clip_global_norm(self, limit: float) -> None:
        """Clip all gradients together, as torch.nn.utils.clip_grad_norm_; before backward."""
        self._core.clip_global_norm(limit)

    @property
    def global_norm(self) -> Node | None:
        """The norm before clipping, [1]; None where gradients are not clipped."""
        number = self._core.global_norm()
        return None if number < 0 else _node.Node(self, number)

    # Values.

    def _own(self, node: Node) -> int:
        if node.graph is not self:
            raise ValueError(f"expected a node of this graph, found {node!r} of another")
        return node.number

    def output(self, *nodes: Node) -> None:
        """Keep the values of nodes: they are computed in each run, for :meth:`value`."""
        for node in nodes:
            self._core.output(self._own(node))

    def bind_output(self, node: Node, array: Dense) -> None:
        """Write the value of a node to an array, in each run; its shape must not change."""
        self._core.bind_output(self._own(node), _make.written(array, "array")._core)
        self._targets[node.number] = array

    def gradient(self, node: Node) -> Node | None:
        """The gradient by a node; make it an output to read it. None: there is none."""
        number = self._core.gradient(self._own(node))
        return None if number < 0 else _node.Node(self, number)

    def value(self, node: Node) -> Any:
        """A copy of the value of a parameter, of an output or of the loss: a NumPy array, or a CSR
        matrix, row-sparse or COO array. Waits for the device.

        Rows of a parameter that have missed steps catch up in the copy.
        """
        number = self._own(node)
        if node.is_parameter:
            return _values.dense(self.context, self._core.current(number))
        kind = node.kind
        if kind == "csr":
            return _values.csr(self.context, self._core.csr_value(number))
        if kind == "row-sparse":
            return _values.rows(self.context, self._core.rows_value(number))
        if kind == "coo":
            return _values.coo(self.context, self._core.coo_value(number))
        return _values.dense(self.context, self._core.value(number))

    def set_value(self, parameter: Node, array: npt.ArrayLike) -> None:
        """Set the elements of a parameter."""
        if not parameter.is_parameter:
            raise ValueError(f"expected a parameter, found {parameter!r}; bind inputs")
        view = self._core.value(self._own(parameter))
        _values.write_dense(self.context, view, array, "array")

    # States.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the parameters as a safetensors file."""
        self._core.save(os.fspath(path))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Read the parameters that :meth:`save` has written."""
        self._core.load(os.fspath(path))

    def state_dict(self) -> dict[str, Any]:
        """Copies of all that steps change: parameters, states of optimizers, counters. A graph that
        was built the same way goes on with it, with the same bits."""
        return _state.get(self)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state_dict` was taken; after :meth:`backward`."""
        _state.put(self, state)

    # What a reader sees.

    @property
    def nodes(self) -> list[Node]:
        """All nodes, in the order in which they were added, with those of gradients."""
        return [_node.Node(self, number) for number in range(self._core.nodes)]

    @property
    def nbytes(self) -> int:
        """Bytes of device memory of the values of nodes in a run."""
        return self._core.memory()[0]

    def __repr__(self) -> str:
        parameters = sum(node.is_parameter for node in self.nodes)
        return (
            f"<sparcl.Graph of {self._core.nodes} nodes, {parameters} of them parameters, "
            f"{self.step_number} steps, on {self.context.place}>"
        )

    def _repr_html_(self) -> str:
        return _state.table(self)
