"""Trains models."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Literal

from sparcl import _core, _labels, _pairs, _progress, _rows, _tables, _warnings
from sparcl._checked import is_utf8
from sparcl._context import Context, default_context
from sparcl._data import Data
from sparcl._enums import Loss, Select, code
from sparcl._make_data import data as as_data
from sparcl._model import Model
from sparcl._nodes import Nodes
from sparcl._progress import Progress
from sparcl._usual_loss import (
    check_loss,
    kind_of,
    loss_of_labels,
    predicts_labels,
    usual_loss,
)

CHECKPOINT_SECONDS = 600.0
ROUNDING = 1e-6  # of sums of floats

ClassWeights = Mapping[float, float] | Mapping[str, float] | Literal["balanced"] | None


def optimizer_text(optimizer: str, lr: float | None, exact: bool = False) -> str:
    """A rule with more settings, as the option --optimizer takes it."""
    more = [] if lr is None else [f"lr={float(lr)!r}"]
    more += ["moves=exact"] if exact else []
    return ":".join([*optimizer.split(":", 1), ",".join(more)][:2]) if more else optimizer


def _set_class_weights(
    settings: _core.Settings, class_weights: ClassWeights, numbers: _labels.Numbers | None
) -> None:
    settings.balance_classes = class_weights == "balanced"
    if isinstance(class_weights, Mapping):
        settings.class_weights = _labels.weights_of(class_weights, numbers)


def _trained(core: _core.Model, result: dict[str, Any], numbers: _labels.Numbers | None) -> Model:
    """A model that has the names of its labels."""
    if numbers is not None and core.label_names is None:
        names = {number: name for name, number in numbers.items()}
        labels = core.info["labels"]
        if labels and all(label in names for label in labels):
            core.set_label_names([names[label] for label in labels])
    return Model(core, result)


def _note_metrics(model: Model, data: Data, valid: Data, context: Context | None) -> None:
    """As ``sparcl train`` does."""
    if model.info["kind"] in {"bpr", "lightgcn"}:
        k = min(20, model.info["columns"])
        found = model.evaluate(valid, known=data, k=k, context=context) | {"k": k}
    else:
        found = model.evaluate(valid, context=context)
    for key, value in found.items():
        is_counted = key not in {"not_finite", "unknown_labels"} or value > 0
        if math.isfinite(value) and is_counted:
            model.set_note(f"valid_{key}", repr(value).removesuffix(".0"))


def _batch_of(
    batch: int | Literal["full"] | None, data: Data, model: str, *, searches: bool = False
) -> int:
    """Steps of rankings are of pairs of a user and an item, those of graphs of nodes."""
    task = kind_of(model)["task"]
    if batch is None and task == "nodes":
        return 1024
    if batch is None:
        return _core.usual_batch(data.info["entries" if task == "ranking" else "rows"], searches)
    return 0 if batch == "full" else batch


def _warn_of_worse(result: dict[str, Any], remedy: str) -> None:
    """As ``sparcl train`` does, of a model that a constant prediction would beat."""
    loss, constant = result["loss"], result["best_constant_loss"]
    if loss > constant + ROUNDING * abs(constant):
        _warnings.warn(
            f"the model is worse than the best constant: its loss on the training rows is "
            f"{loss:.4g}, that of the constant {constant:.4g}; {remedy}"
        )


def _remedy_of(settings: _core.Settings) -> str:
    if settings.solver == "lbfgs":
        return "use a smaller l2 or l1"
    if kind_of(settings.model)["task"] == "ranking":
        return "leave out optimizer and lr, or use another lr"
    if settings.loss == "squared" and not settings.standardize_labels:
        return "leave out standardize_labels"
    return "use another lr, columns of like scale, more epochs, or no settings"


def _hold_out(data: Data, share: float, seed: int, valid: Any, model: str) -> tuple[Data, Data]:
    if not 0 < share < 1:
        raise ValueError(
            f"hold_out: expected a share of the rows, from 0 to less than 1, found {share!r}"
        )
    if valid is not None:
        raise ValueError("hold_out: expected 0 beside valid, found both")
    if kind_of(model)["task"] in {"ranking", "nodes"}:
        raise ValueError(
            f"hold_out: expected 0 for the model {model}, whose rows are not held out; split its "
            "ratings (Data.split, before pairs()), or name nodes to validate with"
        )
    return data.split(share, seed=seed)


def _rows_and_model(data: Any, labels: Any, model: str) -> tuple[Data, str]:
    """``train(data, "fm")`` names the model where labels stand, because data have theirs."""
    if not isinstance(data, Data):
        if isinstance(data, str | os.PathLike):
            raise TypeError(
                f"data: expected rows, found the name {os.fspath(data)!r}; use "
                "sparcl.train(sparcl.read_data(path))"
            )
        if labels is None and model.split(":", 1)[0] not in _labels.UNLABELLED:
            raise TypeError(
                f"data: expected data of sparcl.data, or labels after the rows, found "
                f"{type(data).__name__} alone; use sparcl.train(x, y)"
            )
        if _tables.is_table(data) and model.split(":", 1)[0] in _pairs.KINDS:
            return as_data(data, labels, format="ratings").pairs(), model
        return as_data(data, labels), model
    if labels is None or (isinstance(labels, str) and is_utf8(labels)):
        return data, model if labels is None else labels
    raise TypeError(
        f"labels: expected none, or the name of a model, found {type(labels).__name__}: the data "
        "have their labels"
    )


def train(
    data: Data | Any,
    labels: Any = None,
    model: str = "linear",
    *,
    valid: Data | Any = None,
    hold_out: float = 0.0,
    loss: Loss | None = None,
    select: Select = "loss",
    optimizer: str | None = None,
    lr: float | None = None,
    exact: bool = False,
    parameter_optimizers: str = "",
    schedule: str = "",
    solver: Literal["steps", "lbfgs"] | None = None,
    l1: float = 0.0,
    l2: float = 0.0,
    tolerance: float = 1e-6,
    gradient_tolerance: float = 0.0,
    epochs: int | None = None,
    batch: int | Literal["full"] | None = None,
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
    standardize_labels: bool | None = None,
    nodes: Nodes | None = None,
    progress: bool | Progress = False,
    context: Context | None = None,
) -> Model:
    """Train a model. The parameters and defaults are the options of ``sparcl train``, and equal
    data, parameters and seed make the model of the tool, bit for bit.

    Without a model, a solver, a rate and a number of passes a linear model is trained and its
    regularization is chosen by rows that are held out: :func:`train_auto`. With an ``optimizer``
    (or ``batch``, ``l2``, ``exact``), or with another model of labels, and none of those, the rate
    and the number of passes are chosen.

    Parameters
    ----------
    data
        Rows to train with: of :func:`data` or :func:`read_data`; or, with ``labels``, a matrix or
        table that :func:`data` takes. For a model that ranks items (bpr, lightgcn):
        :meth:`Data.pairs`, or a table of users and items, and perhaps ratings.
    labels
        [rows]: one for each row, a number or a word; the name of the column that has them, of a
        table. ``data`` of sparcl have theirs; the word after them is the model:
        ``sparcl.train(data, "fm")``.
    model
        NAME[:KEY=VALUE,...]: see :func:`models`.
    valid
        Rows to validate with after each pass: data, a pair ``(x, labels)``, or a table with the
        column of the labels. The model notes what came of it:
        :attr:`Model.metrics`.
    hold_out
        The share of the rows that ``seed`` draws to validate with, in place of ``valid``; they are
        not trained on.
    loss
        logistic, softmax, squared, poisson or hinge; None: the one that the labels are for;
        whole numbers that are as frequent as their neighbours, as ages are, are numbers (squared).
    select
        What settings are chosen by, where they are: see :func:`train_auto`.
    optimizer, lr, exact
        A rule with its settings, such as "adam:beta1=0.8"; default "sgd", and of other models than
        linear as :func:`models` says; its rate; whether rows that a batch has not move too, but
        when they are next read.
    parameter_optimizers
        Optimizers of single parameters: "weight=sgd:lr=0.1;bias=adam".
    schedule
        How rates change, such as "cosine:warmup=100": see ``sparcl help optimizers``.
    solver, l1, l2, tolerance, gradient_tolerance
        "lbfgs": all rows, with a line search, linear models only. The objective is
        mean loss + l2/2 |w|^2 + l1 |w|_1. The model's ``result`` says whether it ``converged``:
        whether ``relative_gradient`` is at most the tolerance, and ``expected_decrease`` is as
        small; or, with a ``gradient_tolerance``, whether no derivative of the objective by a
        parameter is larger, which is ``tol`` of scikit-learn. "steps": those of ``optimizer``.
    epochs
        Passes, or iterations of lbfgs. None: those of the model (:func:`models`: 10, of bpr 50, of
        gcn 200), or 1000; or chosen, see above.
    batch
        Rows of each step, or "full" for all. None: a fiftieth of the rows, or of the pairs of
        rankings, at least 32 and at most 1024; 1024 of nodes of a graph, and where the rate is
        searched for in more than 2000 rows.
    patience
        With ``valid``: end after this many passes without a lower loss on it, and keep the best
        model; 0: all passes.
    seed
        Of first values, of the order of rows and of those that are held out.
    bias
        Whether a linear model has one.
    columns
        Of the model; 0: as many as the data have.
    class_weights
        Factors of the losses by label, a number or a word, or "balanced":
        rows / (classes * rows of the class).
    clip_global_norm
        The largest norm of all gradients of a step together; 0: none.
    max_seconds
        End after the step, or iteration, that ends that long after the first began; 0: no limit.
    checkpoint, resume, overwrite
        A file for the state of the run, which is written when due and where the run is
        interrupted; go on with it; begin and replace it. One that is there and neither of the two
        is refused, since it may be hours of work.
    checkpoint_steps, checkpoint_seconds
        When it is due: each time that many steps are done (0: not by steps), and after the step
        that ends that long after the last one was written (0: not by time).
    device_memory
        Bytes that training data may take on the device; others stay on the host. 0: what it has.
    start, keep_state
        A model of this kind whose parameters and classes the training begins with. If that one has
        kept the states of the same optimizers, they go on; else they begin anew. They are kept in
        memory, not in files and pickles.
    standardize_labels
        Steps with squared loss have the labels from their mean and in units near their standard
        deviation, so that rates and penalties do not depend on what labels are measured in; the
        model is that of labels as they are. None: so, but with ``keep_state``, and False: labels as
        they are.
    nodes
        For the model gcn: the graph between all rows, and which rows train and validate.
    progress
        True: a bar, if tqdm is installed. A function is called at most 20 times a second with a
        dictionary: epoch, epochs, step, steps, loss, valid_loss, ...; True from it stops the run.
        In a search steps is 0, and it has setting ("C" or "lr", else None), the value that is
        tried, how many were tried of most, and valid_loss is that of the last.
    context
        The device that trains, default: :func:`default_context`.

    Raises
    ------
    InterruptedRunError
        Ctrl-C, or by ``progress``; it is a KeyboardInterrupt. The current step was finished.
    DivergedError
        The loss or a weight is not finite.
    FormatError
        Data do not fit the loss or the model.

    >>> import numpy, sparcl
    >>> x, y = numpy.repeat(numpy.eye(2), 30, 0), numpy.repeat([3.0, 5.0], 30)
    >>> model = sparcl.train(x, y, loss="squared", epochs=200, batch=20, lr=0.5)
    >>> [round(x, 2) for x in model.predict(numpy.eye(2)).tolist()]
    [3.0, 5.0]
    >>> model = sparcl.train(x, y)
    >>> model.result["tried"][0]["setting"]
    'C'
    """
    data, model = _rows_and_model(data, labels, model)
    numbers = _labels.numbers_of(data.label_names)
    if isinstance(start, Model) and start.info["labels"]:
        numbers = start._label_numbers
    if hold_out:
        data, valid = _hold_out(data, hold_out, seed, valid, model)
    elif valid is not None:
        valid = _rows.with_labels(valid, None, data)
    known = None if valid is None else valid._with_numbers(numbers, "valid")
    is_given = bool(
        lr is not None
        or parameter_optimizers
        or schedule
        or solver
        or l1
        or epochs is not None
        or patience
        or clip_global_norm
        or max_seconds
        or checkpoint is not None
        or checkpoint_steps
        or checkpoint_seconds != CHECKPOINT_SECONDS
        or resume
        or overwrite
        or start is not None
        or keep_state
        or standardize_labels is not None
        or nodes is not None
        or data.info["streamed"]
        or any(f"{key}=" in (optimizer or "") for key in ("lr", "preset"))
    )
    rule = kind_of(model)["optimizer"] if optimizer is None else optimizer
    if predicts_labels(model) and not is_given:
        of_steps = optimizer is not None or batch is not None or l2 != 0 or exact
        trained = train_auto(
            data,
            model=model,
            loss=loss,
            select=select,
            optimizer=optimizer_text(rule, None, exact) if of_steps else None,
            batch=batch,
            l2=l2,
            class_weights=class_weights,
            seed=seed,
            bias=bias,
            columns=columns,
            device_memory=device_memory,
            progress=progress,
            context=context,
        )
        if valid is not None:
            _note_metrics(trained, data, valid, context)
        return trained
    if select != "loss":
        raise ValueError(
            f"select: expected none where settings are given, found {select!r}: it chooses between "
            "settings; leave out epochs, lr, solver and the like"
        )
    solver = solver or "steps"
    lbfgs = solver == "lbfgs"
    settings = _core.Settings()
    settings.model, settings.solver, settings.seed = model, solver, seed
    settings.loss = loss or (start.info["loss"] if start else usual_loss(data, model))
    check_loss(settings.loss, data)
    settings.optimizer = optimizer_text(rule, lr, exact)
    settings.parameter_optimizers, settings.schedule = parameter_optimizers, schedule
    settings.l1, settings.l2 = l1, l2
    settings.tolerance, settings.gradient_tolerance = tolerance, gradient_tolerance
    settings.epochs = (1000 if lbfgs else kind_of(model)["epochs"]) if epochs is None else epochs
    settings.batch = _batch_of(batch, data, model)
    settings.patience, settings.no_bias, settings.columns = patience, not bias, columns
    _set_class_weights(settings, class_weights, numbers)
    settings.clip_global_norm, settings.max_seconds = clip_global_norm, max_seconds
    settings.device_memory, settings.keep_state = device_memory, keep_state
    settings.standardize_labels = (
        settings.loss == "squared" and predicts_labels(model) and not keep_state
        if standardize_labels is None
        else standardize_labels
    )
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
            data._with_numbers(numbers, "data")._core,
            None if known is None else known._core,
            settings,
            None if start is None else start._core,
            None if nodes is None else nodes._core,
            callback,
        )
    if settings.epochs > 0 and not keep_state:
        _warn_of_worse(result, _remedy_of(settings))
    trained = _trained(core, result, numbers)
    if valid is not None:
        _note_metrics(trained, data, valid, context)
    return trained


def train_auto(
    data: Data,
    *,
    model: str = "linear",
    loss: Loss | None = None,
    select: Select = "loss",
    optimizer: str | None = None,
    batch: int | Literal["full"] | None = None,
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

    Of another ``model`` of labels, such as "fm" or "mlp:hidden=64", the rate of its optimizer and
    the number of passes are chosen.

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
    if model != "linear" and optimizer is None:
        optimizer = kind_of(model)["optimizer"]
    settings.model, settings.loss = model, loss or loss_of_labels(data, model)
    check_loss(settings.loss, data)
    numbers = _labels.numbers_of(data.label_names)
    _set_class_weights(settings, class_weights, numbers)
    settings.seed, settings.no_bias, settings.columns = seed, not bias, columns
    settings.device_memory, settings.l2 = device_memory, l2
    settings.batch = _batch_of(batch, data, model, searches=True)
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
    return _trained(core, result, numbers)
