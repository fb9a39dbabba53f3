"""The names of the enumerations of the C library, in its order, and axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from sparcl import errors

Bounds = Literal["error", "clamp", "skip"]
Duplicates = Literal["sum", "mean", "max", "min", "first", "last"]
Float = Literal["float32", "float64", "float16", "bfloat16"]
Loss = Literal["logistic", "softmax", "squared", "poisson", "hinge"]
Math = Literal["exact", "fast"]
Mode = Literal["sum", "mean", "sqrtn", "max"]
Over = Literal["all", "stored"]
Select = Literal["loss", "accuracy", "auc", "f1", "average_precision"]
Triangle = Literal["lower", "upper", "diagonal"]
Softmax = Literal["softmax", "log_softmax"]
TopK = Literal["value", "magnitude"]
Binary = Literal["add", "subtract", "multiply", "divide", "maximum", "minimum"]
Reduction = Literal[
    "sum", "mean", "sqrtn", "max", "min", "prod", "square_sum", "norm", "norm1", "count"
]
Unary = Literal[
    "abs",
    "sign",
    "round",
    "rint",
    "floor",
    "ceil",
    "trunc",
    "sqrt",
    "square",
    "negative",
    "relu",
    "radians",
    "degrees",
    "cbrt",
    "sin",
    "tan",
    "arcsin",
    "arctan",
    "sinh",
    "tanh",
    "arcsinh",
    "arctanh",
    "expm1",
    "log1p",
    "exp",
    "log",
    "sigmoid",
    "reciprocal",
    "rsqrt",
]

# By their names in C.
ENUMERATIONS: Mapping[str, tuple[str, ...]] = {
    "bag_mode": get_args(Mode),
    "binary_op": get_args(Binary),
    "bounds": get_args(Bounds),
    "dtype": get_args(Float),
    "duplicates": get_args(Duplicates),
    "loss": get_args(Loss),
    "math": get_args(Math),
    "part": get_args(Triangle),
    "reduce_over": get_args(Over),
    "reduction": get_args(Reduction),
    "select": get_args(Select),
    "softmax": get_args(Softmax),
    "topk": get_args(TopK),
    "unary_op": get_args(Unary),
}


def code(enumeration: str, name: str) -> int:
    """The number of a name.

    Raises
    ------
    ArgumentError
        There is no such name; the message has all.
    """
    names = ENUMERATIONS[enumeration]
    if name not in names:
        raise errors.ArgumentError(
            f"{enumeration}: expected one of {', '.join(names)}, found {name!r}"
        )
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
