"""Trains models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Literal

from sparcl import _core, _progress
from sparcl._context import Context, default_context
from sparcl._data import Data
from sparcl._enums import Loss, Select, code
from sparcl._model import Model
from sparcl._nodes import Nodes
from sparcl._progress import Progress

CHECKPOINT_SECONDS = 600.0
ClassWeights = Mapping[float, float] | Literal["balanced"] | None


def optimizer_text(optimizer: str, lr: float | None, exact: bool = False) -> str:
    """A rule with more settings, as the option --optimizer takes it."""
    more = [] if lr is None else [f"lr={float(lr)!r}"]
    more += ["moves=exact"] if exact else []
    return ":".join([*optimizer.split(":", 1), ",".join(more)][:2]) if more else optimizer


def models() -> list[dict[str, Any]]:
    """The models that the library has: their names, formulas, sources and settings.

    >>> import sparcl
    >>> [model["name"] for model in sparcl.models()][:3]
    ['linear', 'fm', 'ffm']
    """
    return _core.model_kinds()


def _pairs(class_weights: Mapping[float, float]) -> list[tuple[float, float]]:
    try:
        return [(float(label), float(weight)) for label, weight in class_weights.items()]
    except (TypeError, ValueError) as error:
        raise TypeError(f"class_weights: expected numbers by labels: {error}") from None


def _set_class_weights(settings: _core.Settings, class_weights: ClassWeights) -> None:
    settings.balance_classes = class_weights == "balanced"
    if isinstance(class_weights, Mapping):
        settings.class_weights = _pairs(class_weights)


def _usual_loss(data: Data, model: str) -> str:
    kind = model.split(":", 1)[0]
    fixed = {"autoencoder": "squared", "bpr": "logistic", "lightgcn": "logistic"}
    return fixed.get(kind) or _core.usual_loss(data._core)


def train(
    data: Data,
    model: str = "linear",
    *,
    valid: Data | None = None,
    loss: Loss | None = None,
    optimizer: str = "sgd",
    lr: float | None = None,
    exact: bool = False,
    parameter_optimizers: str = "",
    schedule: str = "",
    solver: Literal["steps", "lbfgs"] = "steps",
    l1: float = 0.0,
    l2: float = 0.0,
    tolerance: float = 1e-6,
    gradient_tolerance: float = 0.0,
    epochs: int | None = None,
    batch: int | Literal["full"] = 1024,
    patience: int = 0,
    seed: int = 0,
    bias: bool = True,
    columns: int = 0,
    class_weights: ClassWeights = None,
    clip_global_norm: float = 0.0,
    max_seconds: float = 0.0,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_steps: int = 0,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: bool = False,
    overwrite: bool = False,
    device_memory: int = 0,
    start: Model | None = None,
    keep_state: bool = False,
    nodes: Nodes | None = None,
    progress: bool | Progress = False,
    context: Context | None = None,
) -> Model:
    """Train a model: the parameters and defaults are the options of ``sparcl train``, and equal
    data, parameters and seed make the model of the tool, bit for bit. (What the tool does for a
    linear model without a solver, a rate and a number of passes is :func:`train_auto`.)

    Parameters
    ----------
    data, valid
        Rows to train with, and to validate with after each pass.
    model
        NAME[:KEY=VALUE,...]: see :func:`models`.
    loss
        logistic, softmax, squared, poisson or hinge; None: the one that the labels are for;
        whole numbers that are as frequent as their neighbours, as ages are, are numbers (squared).
    optimizer, lr, exact
        A rule with its settings, such as "adam:beta1=0.8"; its rate; whether rows that a batch has
        not move too, but when they are next read.
    solver, l1, l2, tolerance, gradient_tolerance
        "lbfgs": all rows, with a line search, linear models only. The objective is
        mean loss + l2/2 |w|^2 + l1 |w|_1. The model's ``result`` says whether it ``converged``:
        whether ``relative_gradient`` is at most the tolerance, and ``expected_decrease`` is as
        small; or, with a ``gradient_tolerance``, whether no derivative of the objective by a
        parameter is larger, which is ``tol`` of scikit-learn.
    epochs
        Passes, or iterations of lbfgs. None: 10, or 1000.
    checkpoint, resume, overwrite
        A file for the state of the run, which is written when due and where the run is
        interrupted; go on with it; begin and replace it. One that is there and neither of the two
        is refused, since it may be hours of work.
    start, keep_state
        A model of this kind whose parameters and classes the training begins with. If that one has
        kept the states of the same optimizers, they go on; else they begin anew. They are kept in
        memory, not in files and pickles.
    nodes
        For the model gcn: the graph between all rows, and which rows train and validate.
    progress
        True: a bar, if tqdm is installed. A function is called at most 20 times a second with a
        dictionary: epoch, epochs, step, steps, loss, valid_loss, ...; True from it stops the run.

    Raises
    ------
    InterruptedRunError
        Ctrl-C, or by ``progress``; it is a KeyboardInterrupt. The current step was finished.
    DivergedError
        The loss or a weight is not finite.
    FormatError
        Data do not fit the loss or the model.

    >>> import numpy, sparcl
    >>> d = sparcl.data(numpy.repeat(numpy.eye(2), 30, 0), numpy.repeat([3.0, 5.0], 30))
    >>> model = sparcl.train(d, loss="squared", epochs=200, batch=20, lr=0.5)
    >>> [round(x, 2) for x in model.predict(numpy.eye(2)).tolist()]
    [3.0, 5.0]
    """
    lbfgs = solver == "lbfgs"
    settings = _core.Settings()
    settings.model, settings.solver, settings.seed = model, solver, seed
    settings.loss = loss or (start.info["loss"] if start else _usual_loss(data, model))
    settings.optimizer = optimizer_text(optimizer, lr, exact)
    settings.parameter_optimizers, settings.schedule = parameter_optimizers, schedule
    settings.l1, settings.l2 = l1, l2
    settings.tolerance, settings.gradient_tolerance = tolerance, gradient_tolerance
    settings.epochs = (1000 if lbfgs else 10) if epochs is None else epochs
    settings.batch = 0 if batch == "full" else batch
    settings.patience, settings.bias, settings.columns = patience, bias, columns
    _set_class_weights(settings, class_weights)
    settings.clip_global_norm, settings.max_seconds = clip_global_norm, max_seconds
    settings.device_memory, settings.keep_state = device_memory, keep_state
    settings.resume, settings.overwrite = resume, overwrite
    settings.checkpoint_steps = checkpoint_steps
    if checkpoint is not None:
        settings.checkpoint = os.fspath(checkpoint)
    if checkpoint is not None or checkpoint_seconds != CHECKPOINT_SECONDS:
        settings.checkpoint_seconds = checkpoint_seconds
    shown = _progress.Bar() if progress is True else nullcontext(progress or None)
    with shown as callback:
        core, result = _core.train(
            (context or default_context())._core,
            data._core,
            None if valid is None else valid._core,
            settings,
            None if start is None else start._core,
            None if nodes is None else nodes._core,
            callback,
        )
    return Model(core, result)


def train_auto(
    data: Data,
    *,
    loss: Loss | None = None,
    select: Select = "loss",
    optimizer: str | None = None,
    batch: int | Literal["full"] = 1024,
    l2: float = 0.0,
    class_weights: ClassWeights = None,
    seed: int = 0,
    bias: bool = True,
    columns: int = 0,
    device_memory: int = 0,
    progress: bool | Progress = False,
    context: Context | None = None,
) -> Model:
    """Train a linear model and choose how strongly it is regularized, by rows that are held out:
    what ``sparcl train`` does without settings. ``result["tried"]`` has what was tried.

    ``select`` is what it is chosen by, of the rows that are held out: the lowest mean loss, or the
    highest accuracy, AUC, F1 or average precision. ``class_weights`` are in all of these.

    With an ``optimizer``, a rule with settings but for its rate, the model is trained by its steps,
    on columns of one scale, and it is the rate and the number of passes that are chosen.

    >>> import numpy, sparcl
    >>> x, y = numpy.array([[1.0, 0.0], [0.0, 1.0]] * 30), [0, 1] * 30
    >>> model = sparcl.train_auto(sparcl.data(x, y))
    >>> sum(tried["is_chosen"] for tried in model.result["tried"])
    1
    """
    settings = _core.Settings()
    settings.loss = loss or _core.usual_loss(data._core)
    _set_class_weights(settings, class_weights)
    settings.seed, settings.bias, settings.columns = seed, bias, columns
    settings.device_memory, settings.l2 = device_memory, l2
    settings.batch = 0 if batch == "full" else batch
    if optimizer is not None:
        settings.optimizer = optimizer
    shown = _progress.Bar() if progress is True else nullcontext(progress or None)
    with shown as callback:
        core, result = _core.train_auto(
            (context or default_context())._core,
            data._core,
            settings,
            code("select", select),
            optimizer is not None,
            callback,
        )
    return Model(core, result)
