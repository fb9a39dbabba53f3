"""What all arrays have."""

from __future__ import annotations

import html
import operator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import errors
from sparcl._context import Context
from sparcl._parts import bfloat16, dtype_name

_OPERATORS: dict[np.ufunc, str] = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "truediv",
    np.matmul: "matmul",
    np.negative: "neg",
    np.absolute: "abs",
}


class Array:
    """What all arrays have: a context, a shape, and an element type."""

    context: Context
    _core: Any  # the view of the C library
    __array_priority__ = 1000  # operators with an array of NumPy at the left are those of this
    _has_elements = False  # that NumPy may read; those of a sparse matrix would fill memory

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements in each dimension."""
        raise NotImplementedError

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        raise NotImplementedError

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def toarray(self) -> npt.NDArray[Any]:
        """All elements as an array of NumPy, with SciPy's name."""
        array = cast("Any", self)
        found: npt.NDArray[Any] = (array.dense() if hasattr(array, "dense") else array).numpy()
        return found

    def _elements(self) -> npt.NDArray[Any]:
        """All elements, for functions of NumPy."""
        if not self._has_elements:
            kind = type(self).__name__
            raise TypeError(
                f"expected an array of NumPy, found a sparcl.{kind}; use a.toarray() or "
                "a.dense().numpy(), which store all elements; beside a matrix S of SciPy, "
                "sparcl.csr(S)"
            )
        array = cast("Any", self)
        found: npt.NDArray[Any]
        found = (array.astype(np.float32) if self.dtype == bfloat16 else array).toarray()
        return found

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        found = self.toarray() if self._has_elements else self._elements()
        return np.array(found, dtype=dtype) if copy else np.asarray(found, dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return _applied(ufunc, method, inputs, options)

    def _stored(self) -> tuple[tuple[str, int], ...]:
        """How much is stored, and of what."""
        return ()

    def _facts(self) -> dict[str, str]:
        facts = {"shape": str(self.shape), "dtype": dtype_name(self.dtype)}
        facts.update({what: f"{count:,}" for what, count in self._stored()})
        return {**facts, "bytes": f"{self.nbytes:,}", "device": self.context.place}

    def __repr__(self) -> str:
        stored = "".join(f", {what} {count}" for what, count in self._stored())
        return (
            f"<sparcl.{type(self).__name__} {self.shape} {dtype_name(self.dtype)}{stored}, "
            f"{self.nbytes} bytes on {self.context.place}>"
        )

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        rows = "".join(
            f"<tr><th>{html.escape(what)}</th><td>{html.escape(found)}</td></tr>"
            for what, found in self._facts().items()
        )
        return f"<table><caption>sparcl.{type(self).__name__}</caption>{rows}</table>"


def _by_operator(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Any:
    """What the operator gives, that of the right operand beside an array of NumPy."""
    name, left = _OPERATORS.get(ufunc, ""), inputs[0]
    if not name or (len(inputs) == 1 and left._has_elements):
        return NotImplemented
    if isinstance(left, Array):
        return getattr(operator, name)(*inputs)
    reflected = getattr(inputs[1], f"__r{name}__", None)
    return NotImplemented if reflected is None else reflected(left)


def _applied(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A function of NumPy: an operator without options is that of the arrays, all others are
    computed on the elements, into ``out`` where it is given, as ``w -= y`` does."""
    if any(isinstance(x, Array) for x in options.get("out", ())):
        raise TypeError("out: expected an array of NumPy, found one of sparcl, which is constant")
    found = _by_operator(ufunc, inputs) if method == "__call__" and not options else NotImplemented
    if found is not NotImplemented:
        return found
    elements = [x._elements() if isinstance(x, Array) else x for x in inputs]
    return getattr(ufunc, method)(*elements, **options)


def context_of(*arrays: Array | None) -> Context:
    """The context of all operands of an operation."""
    found: Context | None = None
    for array in arrays:
        if array is None:
            continue
        if found is None:
            found = array.context
        elif array.context is not found:
            raise errors.ArgumentError(
                f"expected arrays of one context, found one on {found.device} and one of another "
                f"context on {array.context.device}; make both with the same context="
            )
    if found is None:
        raise errors.ArgumentError("expected at least one array, found none")
    return found
