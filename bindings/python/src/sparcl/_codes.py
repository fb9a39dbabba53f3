"""The enumerations of the C library by their names there, and axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from sparcl import _enums, errors
from sparcl._enums import (
    Activation,
    Binary,
    Bounds,
    Duplicates,
    Loss,
    Mode,
    Over,
    Reduction,
    Softmax,
    TopK,
    Unary,
)

Triangle = _enums.Part
Math = Literal["exact", "fast"]

__all__ = [
    "ENUMERATIONS",
    "Activation",
    "Binary",
    "Bounds",
    "Duplicates",
    "Loss",
    "Math",
    "Mode",
    "Over",
    "Reduction",
    "Softmax",
    "TopK",
    "Triangle",
    "Unary",
    "axis_code",
    "code",
]

# The names are in the order of the enumerations of C.
ENUMERATIONS: Mapping[str, tuple[str, ...]] = {
    "unary_op": get_args(Unary),
    "binary_op": get_args(Binary),
    "reduction": get_args(Reduction),
    "reduce_over": get_args(Over),
    "softmax": get_args(Softmax),
    "part": get_args(Triangle),
    "duplicates": get_args(Duplicates),
    "topk": get_args(TopK),
    "bag_mode": get_args(Mode),
    "bounds": get_args(Bounds),
    "activation": get_args(Activation),
    "loss": get_args(Loss),
    "math": get_args(Math),
}


def code(enumeration: str, name: str) -> int:
    """The number of a name."""
    names = ENUMERATIONS[enumeration]
    if name not in names:
        raise errors.ArgumentError(f"expected one of {', '.join(names)}, found {name!r}")
    return names.index(name)


def axis_code(axis: int | None, dimensions: int = 2) -> int:
    """The axis of a reduction: -1 is all of an array in C."""
    if axis is None:
        return -1
    if not -dimensions <= axis < dimensions:
        raise errors.ArgumentError(
            f"axis: expected None or {-dimensions} to {dimensions - 1}, found {axis}"
        )
    return axis % dimensions
