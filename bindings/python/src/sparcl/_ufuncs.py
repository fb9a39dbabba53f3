"""NumPy's functions of the arrays of the package."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from sparcl import _array

_OPERATORS: dict[np.ufunc, str] = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "truediv",
    np.matmul: "matmul",
    np.negative: "neg",
    np.absolute: "abs",
}


def _by_operator(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Any:
    """What the operator gives, that of the right operand beside an array of NumPy."""
    name, left = _OPERATORS.get(ufunc, ""), inputs[0]
    if not name or (len(inputs) == 1 and left._has_elements):
        return NotImplemented
    if isinstance(left, _array.Array):
        return getattr(operator, name)(*inputs)
    reflected = getattr(inputs[1], f"__r{name}__", None)
    return NotImplemented if reflected is None else reflected(left)


def apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A function of NumPy: an operator without options is that of the arrays, all others are
    computed on the elements, into ``out`` where it is given, as ``w -= y`` does."""
    if any(isinstance(x, _array.Array) for x in options.get("out", ())):
        raise TypeError("out: expected an array of NumPy, found one of sparcl, which is constant")
    found = _by_operator(ufunc, inputs) if method == "__call__" and not options else NotImplemented
    if found is not NotImplemented:
        return found
    elements = [x._elements() if isinstance(x, _array.Array) else x for x in inputs]
    return getattr(ufunc, method)(*elements, **options)
