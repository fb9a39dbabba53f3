"""One parameter, its states and the C optimizer that steps it where it is in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from sparcl import _core
from sparcl._context import Context
from sparcl.errors import ArgumentError, DataError
from sparcl.torch import _tensors


@dataclass(frozen=True)
class Rule:
    """What an optimizer of PyTorch computes with the options of a group.

    Attributes
    ----------
    text
        The rule of the C library and its settings, without the learning rate.
    states
        PyTorch's names of the states, in the order of the rule.
    only_rows
        Rows that a sparse gradient does not have stay: by definition (SparseAdam), or as in a step
        with a dense gradient, where they are 0.
    """

    text: str
    states: tuple[str, ...]
    only_rows: bool


class Table:
    """A parameter in the memory of the host.

    Rows that a sparse gradient does not have (`Rule.only_rows` false) move with every step, or,
    if `is_attached`, when they are read: by all steps that they have missed at once.
    """

    def __init__(self, context: Context, parameter: torch.Tensor, name: str) -> None:
        _tensors.check(parameter, name)
        self.context = context
        self.name = name
        self.parameter = parameter
        self.is_attached = False
        self.has_closed_form = True
        self.steps_done = 0  # for optimizers whose states do not have it
        self._order = _tensors.memory_order(parameter, name)
        rows = parameter.shape[0] if parameter.dim() > 0 else 1
        width = parameter.numel() // max(rows, 1)
        self._shape = [rows] if parameter.dim() < 2 else [rows, width]
        self._dtype = parameter.dtype
        self._code = _tensors.code_of(parameter.dtype)
        self._text = ""
        self._core: _core.HostOptimizer | None = None
        self._missed = False

    @property
    def is_lazy(self) -> bool:
        """Rows may have missed steps."""
        return self._core is not None and self._core.is_lazy

    def fits(self, parameter: torch.Tensor) -> bool:
        """Shape, type and layout are still those that the table was made for."""
        return (
            parameter.is_cpu
            and parameter.dtype is self._dtype
            and parameter.numel() == self.parameter.numel()
            and parameter.is_contiguous() == (self._order is None)
        )

    def _arrays(self, states: list[torch.Tensor]) -> list[int]:
        addresses = [self.parameter.data_ptr()]
        for state in states:
            if (
                state.dtype is not self._dtype
                or not state.is_cpu
                or state.shape != self.parameter.shape
                or state.stride() != self.parameter.stride()
            ):
                raise TypeError(
                    f"{self.name}: expected states of the shape {tuple(self.parameter.shape)}, "
                    f"{self._dtype} and the strides {self.parameter.stride()} on the CPU, found "
                    f"{tuple(state.shape)}, {state.dtype}, {state.stride()} on {state.device}"
                )
            addresses.append(state.data_ptr())
        return addresses

    def _configured(self, text: str) -> _core.HostOptimizer:
        if self._core is None:
            self._core = _core.HostOptimizer(self.context._core, text, self._shape, self._code)
        elif text != self._text:
            self._core.configure(text)
        self._text = text
        return self._core

    def _prepare_lazy(
        self,
        steps: _core.HostSteps,
        step: int,
        core: _core.HostOptimizer,
        arrays: list[int],
    ) -> bool:
        """Begin to count missed steps; false where the rule has no closed form for them."""
        if not core.is_lazy and self.has_closed_form:
            try:
                core.begin_lazy(steps, step, arrays)
            except ArgumentError:
                self.has_closed_form = False
        return core.is_lazy

    def step(
        self,
        steps: _core.HostSteps,
        rule: Rule,
        *,
        number: int,
        lr: float,
        states: list[torch.Tensor],
        gradient: torch.Tensor,
        held: list[torch.Tensor],
    ) -> None:
        """One step, which is enqueued; what must stay until it is complete is added to `held`."""
        if gradient.is_sparse:
            self._step_rows(
                steps, rule, number=number, lr=lr, states=states, gradient=gradient, held=held
            )
            return
        if gradient.layout != torch.strided:
            raise TypeError(
                f"{self.name}: expected a gradient that is dense or in COO format, found the "
                f"layout {gradient.layout}"
            )
        if self.is_lazy:
            self.flush(steps, number, states)
            self.end_lazy()
        values = self._like_parameter(gradient)
        held.append(values)
        core = self._configured(f"{rule.text},moves=present")
        core.step_dense(steps, number, lr, self._arrays(states), values.data_ptr())

    def _like_parameter(self, gradient: torch.Tensor) -> torch.Tensor:
        if gradient.dtype is not self._dtype or not gradient.is_cpu:
            raise TypeError(
                f"{self.name}: expected a gradient of {self._dtype} on the CPU, found "
                f"{gradient.dtype} on {gradient.device}"
            )
        if self._order is None:
            return _tensors.packed(self.context, gradient)
        return _tensors.packed(self.context, gradient.permute(self._order))

    def _step_rows(
        self,
        steps: _core.HostSteps,
        rule: Rule,
        *,
        number: int,
        lr: float,
        states: list[torch.Tensor],
        gradient: torch.Tensor,
        held: list[torch.Tensor],
    ) -> None:
        if gradient.sparse_dim() != 1 or self._order is not None:
            raise TypeError(
                f"{self.name}: expected a sparse gradient of rows (sparse_dim 1) of a contiguous "
                f"parameter, as nn.Embedding gives, found sparse_dim {gradient.sparse_dim()}"
            )
        indices = _tensors.packed(self.context, gradient._indices())
        values = self._like_parameter(gradient._values())
        held += [indices, values]
        arrays = self._arrays(states)
        core = self._core
        text = f"{rule.text},moves={'present' if rule.only_rows else 'all'}"
        if core is not None and core.is_lazy and text != self._text:
            self.flush(steps, number, states)
            self.end_lazy()
        core = self._configured(text)
        if self.is_attached and not rule.only_rows:
            self._missed = self._prepare_lazy(steps, number, core, arrays)
        count = int(indices.shape[1])
        core.step_rows(
            steps, number, lr, arrays, indices.data_ptr(), True, values.data_ptr(), count
        )

    def catch_up(
        self,
        steps: _core.HostSteps,
        number: int,
        states: list[torch.Tensor],
        indices: torch.Tensor,
    ) -> None:
        """Apply the steps before `number` that these rows have missed."""
        if self._core is None or not self._missed or not self._core.is_lazy:
            return
        rows = _tensors.packed(self.context, indices.reshape(-1))
        wide = rows.dtype is torch.int64
        try:
            self._core.catch_up(
                steps, number, self._arrays(states), rows.data_ptr(), wide, rows.numel()
            )
            steps.finish()
        except DataError as error:
            raise IndexError(f"{self.name}: {error}") from None

    def flush(self, steps: _core.HostSteps, number: int, states: list[torch.Tensor]) -> None:
        """Apply the steps before `number` that any row has missed."""
        if self._core is None or not self._missed or not self._core.is_lazy:
            return
        arrays = self._arrays(states)
        self._core.catch_up_all(steps, number, arrays)
        self._core.begin_lazy(steps, number, arrays)
        steps.finish()
        self._missed = False

    def end_lazy(self) -> None:
        """Forget the steps so far, which all rows must have had."""
        if self._core is not None:
            self._core.end_lazy()

    def state_like(self, value: float = 0.0) -> torch.Tensor:
        """A state with one value, in the layout of the parameter."""
        return torch.full_like(
            self.parameter, value, requires_grad=False, memory_format=torch.preserve_format
        )


def settings(**values: Any) -> str:
    """Settings as text: numbers as they are read back.

    >>> settings(beta1=0.9, nesterov=True)
    'beta1=0.9,nesterov=1'
    """
    words = []
    for key, value in values.items():
        text = value if isinstance(value, str) else repr(float(value))
        words.append(f"{key}={int(value) if isinstance(value, bool) else text}")
    return ",".join(words)
