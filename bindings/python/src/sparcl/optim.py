"""Optimizers whose steps move only the rows that a gradient has."""

from __future__ import annotations

import inspect
import numbers
import re
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sparcl import _core, _make, errors
from sparcl._checked import checked, is_utf8
from sparcl._dense import Dense
from sparcl._row_sparse import RowSparse

Setting = float | int | bool | str


def rules() -> list[str]:
    """The names of all rules.

    >>> import sparcl.optim
    >>> "adam" in sparcl.optim.rules()
    True
    """
    return list(_core.optim_rules())


def _text(value: Setting) -> str:
    if isinstance(value, str):
        if not is_utf8(value):
            raise errors.ArgumentError(f"expected text that UTF-8 has, found {value!r}")
        return value
    if isinstance(value, (bool, np.bool_, numbers.Integral)):
        return str(int(value))
    return repr(float(value) if isinstance(value, numbers.Real) else value)


def text_of(rule: str, settings: dict[str, Setting]) -> str:
    """A rule and its settings as the tool has them: "adam:lr=0.01,beta1=0.8"."""
    words = [f"{key}={_text(value)}" for key, value in settings.items()]
    if not words:
        return rule
    return f"{rule}{',' if ':' in rule else ':'}{','.join(words)}"


def _default(text: str) -> Setting:
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:  # a word
        return text


def _signature(rule: str) -> inspect.Signature:
    """The parameters of the class of a rule."""
    kind = inspect.Parameter.KEYWORD_ONLY
    usual = {name: _default(text) for name, (text, _, _) in _core.optim_settings(rule).items()}
    named = {"preset": None, "exact": False, **usual}
    table = inspect.Parameter("table", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Signature(
        [table, *(inspect.Parameter(name, kind, default=named[name]) for name in named)]
    )


def _settings_text(rule: str) -> str:
    """The settings of a rule, as a docstring has them; it is the table of the library."""
    lines = [
        "Parameters",
        "----------",
        "table, preset, exact",
        "    As of :class:`Optimizer`; defaults below are those without a preset.",
    ]
    for name, (usual, meaning, expected) in _core.optim_settings(rule).items():
        lines += [f"{name} : {expected}, default {usual}", f"    {meaning}"]
    return "\n".join(lines)


class Optimizer:
    """The optimizer of one table, with any rule of the C library (``sparcl help optimizers``).

    Parameters
    ----------
    table
        What is trained; a table on the memory of the host is changed where it is.
    rule
        "adam", "adagrad", "sgd", ...: see :func:`rules`.
    preset
        Whose formula, order of operations and defaults: "torch", "mxnet", "keras3", ...
    exact
        Rows move when they are read or written by all steps that they have missed, with the results
        of a dense optimizer; call :meth:`catch_up` before rows are read and :meth:`flush` at the
        end. Else rows without a gradient stay.
    **settings
        As of the tool: lr, weight_decay, beta1, ...; one that the rule does not have is refused.

    >>> import numpy, sparcl
    >>> weights = numpy.zeros((4, 2), "float32")
    >>> optimizer = sparcl.optim.Optimizer(sparcl.dense(weights), "sgd", lr=0.5)
    >>> optimizer.step(sparcl.rows(numpy.array([1]), numpy.ones((1, 2), "float32"), (4, 2)))
    >>> optimizer.table.numpy()[1].tolist()
    [-0.5, -0.5]
    """

    _rule: ClassVar[str | None] = None
    __signature__: ClassVar[inspect.Signature | None] = None

    def __init_subclass__(cls, rule: str | None = None) -> None:
        cls.__signature__ = None if rule is None else _signature(rule)
        if rule is not None:
            cls._rule = rule
            cls.__doc__ = f"{cls.__doc__}\n\n{_settings_text(rule)}"

    @checked
    def __init__(
        self,
        table: Dense,
        rule: str | None = None,
        *,
        preset: str | None = None,
        exact: bool = False,
        **settings: Setting,
    ) -> None:
        name = rule or self._rule
        if name is None:
            names = ", ".join([*rules(), "adamw", "nesterov"])
            raise TypeError(f"rule: expected one of {names}, found None")
        chosen: dict[str, Setting] = {} if preset is None else {"preset": preset}
        text = text_of(name, {**chosen, **settings})
        self.table = table
        self.exact = exact
        written = _make.written(table, "table")._core
        self._core = _core.Optimizer(table.context._core, written, text, exact)

    @property
    def step_number(self) -> int:
        """How many steps were made."""
        return self._core.next_step - 1

    @checked
    def __getitem__(self, setting: str) -> str:
        found = self._core.get(setting)
        if not found:
            raise KeyError(setting)
        return found

    @checked
    def __setitem__(self, setting: str, value: Setting) -> None:
        self._core.set(setting, _text(value))

    @checked
    def step(self, gradient: RowSparse | Dense) -> None:
        """One step; rows of one number are added first."""
        if isinstance(gradient, RowSparse):
            self._core.step(gradient._core)
        else:
            self._core.step_dense(gradient._core)

    @checked
    def catch_up(self, rows: RowSparse) -> None:
        """With ``exact``: apply the steps that these rows have missed, before they are read."""
        self._core.catch_up(rows._core)

    def flush(self) -> None:
        """With ``exact``: apply the steps that any row has missed."""
        self._core.catch_up(None)

    def _state_arrays(self) -> list[tuple[str, npt.NDArray[Any]]]:
        found = []
        for i, buffer in enumerate(self._core.states):
            shape = self.table.shape[:1] if self._core.state_is_row(i) else self.table.shape
            size = buffer.bytes // max(1, int(np.prod(shape)))
            kind = self.table.dtype if size == self.table.dtype.itemsize else np.dtype("uint16")
            found.append((self._core.state_name(i), np.empty(shape, kind)))
        return found

    def state_dict(self) -> dict[str, Any]:
        """The rule and its settings, the number of steps, and copies of the states."""
        self.flush()
        states = {}
        for (name, into), buffer in zip(self._state_arrays(), self._core.states, strict=True):
            buffer.read(into)
            states[name] = into
        return {"optimizer": self._core.print(), "step": self.step_number, "states": states}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue where :meth:`state_dict` was taken, with the same rule and settings."""
        if not isinstance(state, dict) or not {"optimizer", "step", "states"} <= state.keys():
            raise ValueError("state: expected what state_dict() returns")
        if not isinstance(state["step"], int) or state["step"] < 0:
            raise ValueError(f"step: expected a number of steps, found {state['step']!r}")
        if state["optimizer"] != self._core.print():
            raise ValueError(
                f"expected the state of the optimizer {self._core.print()}, "
                f"found that of {state['optimizer']}"
            )
        own = self._state_arrays()
        for name, like in own:
            found = state["states"].get(name)
            if (
                not isinstance(found, np.ndarray)
                or found.shape != like.shape
                or found.dtype != like.dtype
            ):
                is_array = isinstance(found, np.ndarray)
                kind = (found.shape, found.dtype) if is_array else type(found).__name__
                raise ValueError(f"{name}: expected {(like.shape, like.dtype)}, found {kind}")
        for (name, _), buffer in zip(own, self._core.states, strict=True):
            buffer.write(np.ascontiguousarray(state["states"][name]))
        self._core.next_step = state["step"] + 1

    def __repr__(self) -> str:
        rule = re.sub(":", ": ", self._core.print(), count=1)
        return f"<sparcl.optim {rule}, {self.step_number} steps of a table {self.table.shape}>"


# A class for each rule; ``sparcl help optimizers`` has formulas, settings and presets.


class SGD(Optimizer, rule="sgd"):
    """Stochastic gradient descent, without momentum (:class:`Momentum`)."""


class Momentum(Optimizer, rule="momentum"):
    """SGD with momentum."""


class Nesterov(Optimizer, rule="nesterov"):
    """SGD with Nesterov's momentum."""


class Adagrad(Optimizer, rule="adagrad"):
    """Adagrad (Duchi et al., 2011)."""


class Adam(Optimizer, rule="adam"):
    """Adam (Kingma and Ba, 2015)."""


class AdamW(Optimizer, rule="adamw"):
    """Adam with a decoupled weight decay (Loshchilov and Hutter, 2019)."""


class AMSGrad(Optimizer, rule="amsgrad"):
    """Adam with the largest second moment so far (Reddi et al., 2018)."""


class NAdam(Optimizer, rule="nadam"):
    """Adam with Nesterov's momentum (Dozat, 2016)."""


class Adamax(Optimizer, rule="adamax"):
    """Adam with the largest gradient so far (Kingma and Ba, 2015)."""


class Yogi(Optimizer, rule="yogi"):
    """Yogi (Zaheer et al., 2018)."""


class AdamRowSteps(Optimizer, rule="adam_row_steps"):
    """Adam that counts the steps of each row."""


class Adadelta(Optimizer, rule="adadelta"):
    """Adadelta (Zeiler, 2012)."""


class RMSprop(Optimizer, rule="rmsprop"):
    """RMSprop (Hinton, 2012)."""


class RMSpropMomentum(Optimizer, rule="rmsprop_momentum"):
    """RMSprop with momentum."""


class RMSpropCentered(Optimizer, rule="rmsprop_centered"):
    """RMSprop that subtracts the square of the mean."""


class RMSpropCenteredMomentum(Optimizer, rule="rmsprop_centered_momentum"):
    """The same with momentum."""


class Ftrl(Optimizer, rule="ftrl"):
    """FTRL-proximal (McMahan et al., 2013)."""


class ProximalSGD(Optimizer, rule="proximal_sgd"):
    """SGD with a proximal step for l1 and l2."""


class ProximalAdagrad(Optimizer, rule="proximal_adagrad"):
    """Adagrad with a proximal step for l1 and l2."""


class AdagradDA(Optimizer, rule="adagrad_da"):
    """Adagrad with dual averaging (Duchi et al., 2011)."""


class Lion(Optimizer, rule="lion"):
    """Lion (Chen et al., 2023)."""


class SignSGD(Optimizer, rule="signsgd"):
    """The sign of the gradient."""


class Signum(Optimizer, rule="signum"):
    """The sign of a momentum."""


class LAMB(Optimizer, rule="lamb"):
    """LAMB, with the norms of the table (You et al., 2020)."""


class LARS(Optimizer, rule="lars"):
    """LARS, with the norms of the table (You et al., 2017)."""


class RowwiseAdagrad(Optimizer, rule="rowwise_adagrad"):
    """Adagrad with one state for each row."""


class RowwiseAdagradCounter(Optimizer, rule="rowwise_adagrad_counter"):
    """The same, which counts how often a row occurs."""


class RowwiseAdam(Optimizer, rule="rowwise_adam"):
    """Adam with one second moment for each row."""


class RowwiseRMSprop(Optimizer, rule="rowwise_rmsprop"):
    """RMSprop with one state for each row."""


class RowwiseLAMB(Optimizer, rule="rowwise_lamb"):
    """LAMB with the norms of each row."""


class RowwiseLARS(Optimizer, rule="rowwise_lars"):
    """LARS with the norms of each row."""
