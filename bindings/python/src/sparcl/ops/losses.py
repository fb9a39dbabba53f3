"""Losses, their gradients and predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparcl import _core, _make
from sparcl._enums import Loss, code
from sparcl.ops._call import run
from sparcl.ops._results import LossGradient, Prediction

if TYPE_CHECKING:
    from sparcl._dense import Dense

__all__ = ["loss_gradient", "loss_predict"]


def loss_gradient(
    scores: Dense, labels: Dense, loss: Loss, *, bias: Dense | None = None, scale: float = 1.0
) -> LossGradient:
    """The loss of each row of scores [m, k] + bias [k], with labels [m] of the same type, and
    `scale` times its gradient by the scores. k is 1 but for "softmax".

    >>> import sparcl
    >>> scores, labels = sparcl.dense([[3.0]]), sparcl.dense([1.0])
    >>> residual, losses = sparcl.ops.loss_gradient(scores, labels, "squared")
    >>> residual.numpy().tolist(), losses.numpy().tolist()
    ([[2.0]], [2.0])
    """
    residual = _make.like(scores)
    losses = _make.dense(scores.context, scores.shape[:1], scores.dtype)
    run(_core.loss_gradient, code("loss", loss), scores, bias, labels, scale, residual, losses)
    return LossGradient(residual, losses)


def loss_predict(scores: Dense, loss: Loss, *, bias: Dense | None = None) -> Prediction:
    """The label [m] and the probability [m] of each row of scores [m, k] + bias [k].

    >>> import sparcl
    >>> sparcl.ops.loss_predict(sparcl.dense([[0.0, 0.0]]), "softmax").p.numpy().tolist()
    [0.5]
    """
    label, p = (_make.dense(scores.context, scores.shape[:1], scores.dtype) for _ in range(2))
    run(_core.loss_predict, code("loss", loss), scores, bias, label, p)
    return Prediction(label, p)
