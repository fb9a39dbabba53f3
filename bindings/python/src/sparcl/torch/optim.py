"""The optimizers of ``torch.optim`` with the steps of the C library: change the import.

>>> import torch, sparcl.torch.optim
>>> table = torch.nn.Embedding(1000, 16, sparse=True)
>>> optimizer = sparcl.torch.optim.SparseAdam(table.parameters(), lr=0.01)
>>> table(torch.tensor([3, 1, 3])).sum().backward()
>>> optimizer.step()
>>> sorted(optimizer.state[table.weight])
['exp_avg', 'exp_avg_sq', 'step']

Each class derives from PyTorch's class of its name: arguments, groups, states, schedulers and hooks
are PyTorch's, and a ``state_dict`` of one loads into the other. Parameters and states are changed
where they are in memory, without copies. They are tensors of float32 or float64 on the CPU; others
are refused (TypeError). ``context=`` takes a device that shares memory with the host (default:
:func:`sparcl.default_context`, or a CPU where that is a device with memory of its own).

* Dense gradients take a step of every row.
* Sparse gradients, as of ``nn.Embedding(sparse=True)`` and ``nn.EmbeddingBag(sparse=True)``, may
  be uncoalesced: rows of one number are added in their order. Every class takes them, also those
  of PyTorch that refuse them (Adam, AdamW, NAdam, Adamax, Adadelta, RMSprop, and any weight
  decay), and the results are those of the same step with a dense gradient. Only
  :class:`SparseAdam` leaves rows without a gradient as they are, as PyTorch's does.
* Where rows without a gradient move (Adam, momentum, a weight decay, ...), a sparse step moves all
  rows; after ``optimizer.attach(model)`` a row moves when it is read, by all steps that it has
  missed at once, and a step costs what the rows of its gradient do. See :meth:`Adam.attach`,
  ``catch_up`` and ``flush``. Settings without a closed form (a coupled weight decay, Adamax) stay
  with all rows.
* ``foreach`` and ``fused`` are ignored with a warning; ``capturable`` and ``differentiable`` are
  refused (ValueError).
"""

from __future__ import annotations

import torch

from sparcl.torch._in_place import Group, InPlace, State
from sparcl.torch._table import Rule, Table, settings

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "RMSprop",
    "SparseAdam",
]


def _common(group: Group) -> str:
    """The settings that all rules have."""
    decay = "global" if group.get("decoupled_weight_decay") else "coupled"
    return settings(
        weight_decay=group.get("weight_decay", 0),
        decay=decay,
        rescale=-1 if group.get("maximize") else 1,
    )


def _moments(group: Group) -> str:
    """The settings of the rules with two moments."""
    beta1, beta2 = group["betas"]
    return settings(beta1=beta1, beta2=beta2, epsilon=group["eps"])


def _adam(group: Group) -> Rule:
    amsgrad = group["amsgrad"]
    name = "amsgrad" if amsgrad else "adam"
    states = ("exp_avg", "exp_avg_sq", *(("max_exp_avg_sq",) if amsgrad else ()))
    text = f"{name}:epsilon_place=corrected,{_moments(group)},{_common(group)}"
    return Rule(text, states, only_rows=False)


class SparseAdam(InPlace, torch.optim.SparseAdam):
    """Adam of the rows that a gradient has; others stay. As :class:`torch.optim.SparseAdam`, also
    in that dense gradients are refused (RuntimeError): take :class:`Adam` for them."""

    def _rule(self, group: Group) -> Rule:
        text = f"adam:epsilon_place=outside,{_moments(group)},{_common(group)}"
        return Rule(text, ("exp_avg", "exp_avg_sq"), only_rows=True)

    def _begin_state(self, group: Group, state: State, table: Table) -> None:
        state.setdefault("step", 0)
        super()._begin_state(group, state, table)

    def _check_gradient(self, gradient: torch.Tensor) -> None:
        if not gradient.is_sparse:
            raise RuntimeError(
                "SparseAdam: expected a sparse gradient, found a dense one; give the parameter to "
                "an optimizer of its own, as sparcl.torch.optim.Adam, or make its module with "
                "sparse=True"
            )


class Adam(InPlace, torch.optim.Adam):
    """Adam and AMSGrad, as :class:`torch.optim.Adam`; sparse gradients give the same results."""

    def _rule(self, group: Group) -> Rule:
        return _adam(group)


class AdamW(InPlace, torch.optim.AdamW):
    """Adam with a decoupled weight decay, as :class:`torch.optim.AdamW`."""

    def _rule(self, group: Group) -> Rule:
        return _adam(group)


class NAdam(InPlace, torch.optim.NAdam):
    """Adam with Nesterov's momentum, as :class:`torch.optim.NAdam`."""

    def _rule(self, group: Group) -> Rule:
        decay = settings(momentum_decay=group["momentum_decay"])
        text = f"nadam:{decay},{_moments(group)},{_common(group)}"
        return Rule(text, ("exp_avg", "exp_avg_sq"), only_rows=False)

    def _begin_state(self, group: Group, state: State, table: Table) -> None:
        if "mu_product" not in state:
            state["mu_product"] = torch.ones((), dtype=torch.get_default_dtype())
        super()._begin_state(group, state, table)

    def _count_step(self, group: Group, parameter: torch.Tensor) -> None:
        super()._count_step(group, parameter)
        step = self._steps_done(parameter)
        mu = group["betas"][0] * (1.0 - 0.5 * (0.96 ** (step * group["momentum_decay"])))
        self.state[parameter]["mu_product"] *= mu


class Adamax(InPlace, torch.optim.Adamax):
    """Adam with the largest gradient so far, as :class:`torch.optim.Adamax`."""

    def _rule(self, group: Group) -> Rule:
        text = f"adamax:{_moments(group)},{_common(group)}"
        return Rule(text, ("exp_avg", "exp_inf"), only_rows=False)


class Adagrad(InPlace, torch.optim.Adagrad):
    """Adagrad, as :class:`torch.optim.Adagrad`; a weight decay goes with sparse gradients, too."""

    def _rule(self, group: Group) -> Rule:
        own = settings(lr_decay=group["lr_decay"], epsilon=group["eps"])
        text = f"adagrad:{own},{_common(group)}"
        return Rule(text, ("sum",), only_rows=group["weight_decay"] == 0)

    def _begin_state(self, group: Group, state: State, table: Table) -> None:
        if state.get("sum") is None:
            state["sum"] = table.state_like(group["initial_accumulator_value"])
        super()._begin_state(group, state, table)


class Adadelta(InPlace, torch.optim.Adadelta):
    """Adadelta, as :class:`torch.optim.Adadelta`."""

    def _rule(self, group: Group) -> Rule:
        own = settings(rho=group["rho"], epsilon=group["eps"])
        text = f"adadelta:{own},{_common(group)}"
        return Rule(text, ("square_avg", "acc_delta"), only_rows=False)


class RMSprop(InPlace, torch.optim.RMSprop):
    """RMSprop, centered or not, with momentum or not, as :class:`torch.optim.RMSprop`."""

    def _rule(self, group: Group) -> Rule:
        centered, momentum = bool(group["centered"]), group["momentum"] > 0
        name = "rmsprop" + "_centered" * centered + "_momentum" * momentum
        own = settings(rho=group["alpha"], epsilon=group["eps"])
        if momentum:
            own += f",{settings(momentum=group['momentum'])}"
        states = (
            "square_avg",
            *(("grad_avg",) if centered else ()),
            *(("momentum_buffer",) if momentum else ()),
        )
        return Rule(f"{name}:{own},{_common(group)}", states, only_rows=False)


class SGD(InPlace, torch.optim.SGD):
    """Gradient descent, with momentum or not, as :class:`torch.optim.SGD`. The momentum of a sparse
    gradient is a dense tensor, from the start; PyTorch's is a sparse one that grows. With
    ``nesterov`` PyTorch steps only with both dense or both sparse: in a ``state_dict`` the momentum
    of a parameter whose last gradient was sparse is a sparse tensor."""

    def _rule(self, group: Group) -> Rule:
        common = _common(group)
        if group["momentum"] == 0:
            return Rule(f"sgd:{common}", (), only_rows=group["weight_decay"] == 0)
        own = settings(
            momentum=group["momentum"],
            dampening=group["dampening"],
            nesterov=bool(group["nesterov"]),
        )
        return Rule(f"momentum:{own},{common}", ("momentum_buffer",), only_rows=False)

    def _begin_state(self, group: Group, state: State, table: Table) -> None:
        # PyTorch counts no steps here; the first one only differs in that it has no dampening.
        begun = state.get("momentum_buffer") is not None
        table.steps_done = 1 if begun else 0
        if group["momentum"] != 0 and not begun:
            state["momentum_buffer"] = table.state_like()

    def _exported(self, group: Group, parameter: torch.Tensor) -> State:
        state = super()._exported(group, parameter)
        buffer = state.get("momentum_buffer")
        if group["nesterov"] and buffer is not None and parameter in self._had_sparse:
            state["momentum_buffer"] = buffer.to_sparse(1)
        return state

    def _steps_done(self, parameter: torch.Tensor) -> int:
        return self._tables[parameter].steps_done

    def _count_step(self, group: Group, parameter: torch.Tensor) -> None:
        self._tables[parameter].steps_done += 1
