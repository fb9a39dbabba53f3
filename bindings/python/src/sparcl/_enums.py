"""The names of the enumerations of the C library, in its order."""

from __future__ import annotations

from typing import Literal, get_args

Activation = Literal["relu", "sigmoid", "tanh"]
Bounds = Literal["error", "clamp", "skip"]
Duplicates = Literal["sum", "mean", "max", "min", "first", "last"]
Float = Literal["float32", "float64", "float16", "bfloat16"]
Loss = Literal["logistic", "softmax", "squared", "poisson", "hinge"]
Mode = Literal["sum", "mean", "sqrtn", "max"]
Over = Literal["all", "stored"]
Part = Literal["lower", "upper", "diagonal"]
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


def code(kind: object, name: str, what: str) -> int:
    """The number of a name of an enumeration; ``what`` is the parameter that has it.

    Raises
    ------
    ValueError
        There is no such name; the message has all.
    """
    names = get_args(kind)
    if name not in names:
        raise ValueError(f"{what}: expected one of {', '.join(names)}, found {name!r}")
    return names.index(name)
