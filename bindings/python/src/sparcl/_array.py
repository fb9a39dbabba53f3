"""What all arrays have."""

from __future__ import annotations

import html
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _ufuncs, errors
from sparcl._context import Context
from sparcl._parts import bfloat16, dtype_name


class Array:
    """What all arrays have: a context, a shape, and an element type."""

    context: Context
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
        return _ufuncs.apply(ufunc, method, inputs, options)

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
