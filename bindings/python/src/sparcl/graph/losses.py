"""Losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparcl import _enums
from sparcl.graph import _adding

if TYPE_CHECKING:
    from sparcl.graph._node import Node

__all__ = ["loss"]


def loss(kind: _enums.Loss, scores: Node, labels: Node) -> Node:
    """The loss of each row: scores [m, k] or [m], labels [m], which have no gradient; [m].
    "logistic" and "hinge": labels 0 and 1; "softmax": the class, from 0; "squared", "poisson"."""
    return _adding.add(scores.graph._core.loss, _enums.code("loss", kind), scores, labels)
