"""What the optimizers share: PyTorch's interface, with the steps of the C library."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar, cast

import torch

from sparcl import _core
from sparcl._context import Context
from sparcl.torch import _reads, _tensors
from sparcl.torch._table import Rule, Table

Group = dict[str, Any]
State = dict[str, Any]
T = TypeVar("T", bound="InPlace")

_IGNORED = ("foreach", "fused")
_REFUSED = ("capturable", "differentiable")


class InPlace(torch.optim.Optimizer):
    """Steps on the memory of the parameters and states, which are tensors of PyTorch on the CPU.

    A class derives from this one and from that of PyTorch whose arguments, groups and states it
    has; so everything that takes an optimizer of PyTorch takes it.

    Attributes
    ----------
    context
        The device that computes.
    """

    context: Context

    def __init__(self, params: Any, *args: Any, context: Context | None = None, **kwargs: Any):
        for key in _REFUSED:
            if kwargs.get(key):
                raise ValueError(
                    f"{key}=True: expected False; sparcl computes outside of PyTorch's graphs, "
                    f"use torch.optim.{type(self).__name__} for this"
                )
        for key in _IGNORED:
            if kwargs.pop(key, None):
                warnings.warn(
                    f"{key}=True is ignored: the step of a parameter is always one pass over its "
                    "memory",
                    stacklevel=2,
                )
        self._begin(_tensors.context_of(context))
        super().__init__(params, *args, **kwargs)

    def _begin(self, context: Context) -> None:
        self.context = context
        self._tables: dict[torch.Tensor, Table] = {}
        self._attached: set[torch.Tensor] = set()
        self._had_sparse: set[torch.Tensor] = set()  # whose last gradient was sparse
        self._host_steps = _core.HostSteps(context._core)
        self._has_warned = False

    # What a class says of its rule.

    def _rule(self, group: Group) -> Rule:
        raise NotImplementedError

    def _begin_state(self, group: Group, state: State, table: Table) -> None:
        """Make the states that are missing."""
        if "step" not in state:
            state["step"] = torch.tensor(0.0, dtype=torch.get_default_dtype())
        for name in self._rule(group).states:
            if state.get(name) is None:
                state[name] = table.state_like()

    def _steps_done(self, parameter: torch.Tensor) -> int:
        return int(self.state[parameter]["step"])

    def _count_step(self, group: Group, parameter: torch.Tensor) -> None:
        self.state[parameter]["step"] += 1

    def _check_gradient(self, gradient: torch.Tensor) -> None:
        """Refuse what the class of PyTorch refuses by definition."""

    # Steps.

    def _table(self, parameter: torch.Tensor, group: Group) -> Table:
        table = self._tables.get(parameter)
        if table is None or not table.fits(parameter):
            name = f"parameter {tuple(parameter.shape)}"
            table = self._tables[parameter] = Table(self.context, parameter, name)
            table.is_attached = parameter in self._attached
            self._begin_state(group, self.state[parameter], table)
            if not self.state[parameter]:
                del self.state[parameter]  # as PyTorch, where a rule has no states
        return table

    def _states(self, rule: Rule, parameter: torch.Tensor) -> list[torch.Tensor]:
        return [self.state[parameter][name] for name in rule.states]

    def _step_one(
        self, rule: Rule, lr: float, group: Group, p: torch.Tensor, held: list[torch.Tensor]
    ) -> None:
        gradient = cast(torch.Tensor, p.grad)
        self._check_gradient(gradient)
        table = self._table(p, group)
        number = self._steps_done(p) + 1
        if p.numel() > 0:
            table.step(
                self._host_steps,
                rule,
                number=number,
                lr=lr,
                states=self._states(rule, p),
                gradient=gradient,
                held=held,
            )
            torch.autograd.graph.increment_version(p)
            if gradient.is_sparse and not rule.only_rows and not table.is_lazy:
                self._warn(table)
        (self._had_sparse.add if gradient.is_sparse else self._had_sparse.discard)(p)
        self._count_step(group, p)

    def _warn(self, table: Table) -> None:
        if self._has_warned:
            return
        self._has_warned = True
        name = type(self).__name__
        if table.is_attached:
            why = "these settings have no closed form for missed steps"
        else:
            why = f"call {name}.attach(model), and rows catch up when they are read instead"
        warnings.warn(
            f"{name}: every step moves all rows of {table.name}, as with a dense gradient: {why}",
            stacklevel=5,
        )

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step of all parameters that have gradients; they are up to date on return.

        Parameters
        ----------
        closure
            Computes the loss and its gradients again, and returns the loss.

        Raises
        ------
        TypeError
            A parameter or gradient has another device, type or layout than the library can use.
        DataError
            A sparse gradient has a row that the parameter does not have.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        held: list[torch.Tensor] = []
        try:
            for group in self.param_groups:
                rule = self._rule(group)
                lr = float(group["lr"])
                for p in group["params"]:
                    if p.grad is not None:
                        self._step_one(rule, lr, group, p, held)
        finally:
            self._host_steps.finish()
        return loss

    # Rows that catch up.

    def attach(self: T, model: torch.nn.Module | torch.nn.Parameter) -> T:
        """Let rows catch up when they are read: steps then cost what their gradients' rows do.

        Hooks on the model's ``nn.Embedding`` and ``nn.EmbeddingBag`` modules whose weights this
        optimizer has call :meth:`catch_up` before a forward pass, and :meth:`flush` before the
        model's ``state_dict`` and ``load_state_dict``. Call :meth:`flush` before weights are read
        or written in any other way: by ``F.linear(x, embedding.weight)``, ``copy.deepcopy(model)``
        or ``torch.save(model)``.

        Parameters
        ----------
        model
            A module; or a parameter whose rows are read by functions, with a call of
            :meth:`catch_up` before.

        Returns
        -------
        This optimizer.

        Raises
        ------
        ValueError
            This optimizer has no such parameter.
        """
        own = {p for group in self.param_groups for p in group["params"]}
        found: list[Any] = []
        if isinstance(model, torch.nn.Module):
            for module in model.modules():
                if isinstance(module, _reads.EMBEDDINGS) and module.weight in own:
                    _reads.install(self, module)
                    found.append(module.weight)
        elif model in own:
            found.append(model)
        if not found:
            raise ValueError(
                "attach: expected a model with nn.Embedding or nn.EmbeddingBag modules whose "
                "weights this optimizer has, or one of its parameters, found none"
            )
        self._attached.update(found)
        for parameter in found:
            if parameter in self._tables:
                self._tables[parameter].is_attached = True
        return self

    @torch.no_grad()
    def catch_up(self, parameter: torch.Tensor, indices: torch.Tensor) -> None:
        """Apply the steps that these rows of a parameter have missed, before they are read.

        Parameters
        ----------
        parameter
            A parameter of this optimizer.
        indices
            Its rows, in any order and shape, of int64 or int32.
        """
        group = self._group_of(parameter)
        if not isinstance(indices, torch.Tensor) or indices.dtype not in (torch.int64, torch.int32):
            kind = getattr(indices, "dtype", type(indices).__name__)
            raise TypeError(f"indices: expected a tensor of torch.int64 or int32, found {kind}")
        table = self._tables.get(parameter)
        if table is not None and table.is_lazy:
            rule = self._rule(group)
            number = self._steps_done(parameter) + 1
            table.catch_up(self._host_steps, number, self._states(rule, parameter), indices)

    @torch.no_grad()
    def flush(self) -> None:
        """Apply the steps that any row has missed, before all are read."""
        for group in self.param_groups:
            rule = self._rule(group)
            for parameter in group["params"]:
                table = self._tables.get(parameter)
                if table is not None and table.is_lazy:
                    number = self._steps_done(parameter) + 1
                    table.flush(self._host_steps, number, self._states(rule, parameter))

    def _group_of(self, parameter: torch.Tensor) -> Group:
        for group in self.param_groups:
            if any(p is parameter for p in group["params"]):
                return group
        raise ValueError("parameter: expected one of this optimizer")

    # States.

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, as :meth:`torch.optim.Optimizer.add_param_group`."""
        super().add_param_group(param_group)
        for p in self.param_groups[-1]["params"]:
            _tensors.check(p, f"parameter {tuple(p.shape)}")

    def _exported(self, group: Group, parameter: torch.Tensor) -> State:
        """The states of a parameter as PyTorch's class of this name steps with them."""
        return dict(self.state[parameter])

    def _export_all(self) -> dict[torch.Tensor, State]:
        self.flush()
        return {
            parameter: self._exported(group, parameter)
            for group in self.param_groups
            for parameter in group["params"]
            if parameter in self.state
        }

    def state_dict(self) -> dict[str, Any]:
        """Groups and states, after :meth:`flush`; PyTorch's class of this name loads them."""
        own, self.state = self.state, defaultdict(dict, self._export_all())
        try:
            return super().state_dict()
        finally:
            self.state = own

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Groups and states of this class, or of PyTorch's class of this name."""
        self.flush()
        super().load_state_dict(state_dict)
        self._tables.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "state": defaultdict(dict, self._export_all())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_tables" not in self.__dict__:
            self._begin(_tensors.context_of(None))
        super().__setstate__(state)
        self._had_sparse.clear()
        for parameter, states in self.state.items():
            for name, value in states.items():
                if isinstance(value, torch.Tensor) and value.is_sparse:
                    states[name] = value.to_dense()
                    self._had_sparse.add(parameter)
