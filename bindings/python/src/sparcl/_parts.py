"""The arrays that views are made of, on the memory of the host where the device shares it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sparcl import _core
from sparcl._context import Context

Copy = Literal["auto", "never"]

_DTYPES: dict[str, int] = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "int32": 4,
    "int64": 5,
    "bool": 6,
}
_ITYPES: dict[str, int] = {"int32": 0, "int64": 1}


def _code(dtype: np.dtype[Any], codes: dict[str, int], what: str) -> int:
    code = codes.get(dtype.name)
    if code is None or not dtype.isnative:
        raise TypeError(f"{what}: expected one of {', '.join(codes)}, found {dtype}")
    return code


def dtype_code(dtype: np.dtype[Any]) -> int:
    """The number of an element type in the C library."""
    return _code(dtype, _DTYPES, "dtype")


def itype_code(dtype: np.dtype[Any]) -> int:
    """The number of a type of offsets and indices in the C library."""
    return _code(dtype, _ITYPES, "dtype of indices")


def index_dtype(most: int) -> np.dtype[Any]:
    """The smallest type of indices up to a number."""
    return np.dtype(np.int32 if most <= np.iinfo(np.int32).max else np.int64)


class Part:
    """An array: a buffer, and the array of the host that it uses, if there is one."""

    def __init__(
        self,
        buffer: _core.Buffer,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        host: npt.NDArray[Any] | None,
    ) -> None:
        self.buffer = buffer
        self.shape = shape
        self.dtype = dtype
        self._host = host if buffer.uses_host else None

    @staticmethod
    def of(context: Context, host: npt.NDArray[Any], copy: Copy = "auto") -> Part:
        """An array of the host, used where it is if memory is shared and it has no gaps."""
        if not host.flags.c_contiguous:
            if copy == "never":
                raise ValueError(
                    "copy='never': expected an array without gaps in the order of C, found one "
                    f"with strides {host.strides}; pass numpy.ascontiguousarray of it"
                )
            context._core.count_copied(host.nbytes)
            host = np.ascontiguousarray(host)
        if copy == "never" and not context.shares_memory:
            raise ValueError(
                "copy='never': expected a device that shares memory with the host, found "
                f"{context.device}; use copy='auto'"
            )
        return Part(_core.Buffer(context._core, host), host.shape, host.dtype, host)

    @staticmethod
    def empty(context: Context, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Part:
        """Elements that an operation writes."""
        kind = np.dtype(dtype)
        if context.shares_memory:
            return Part.of(context, np.empty(shape, kind))
        size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        return Part(_core.Buffer(context._core, size), shape, kind, None)

    def numpy(self) -> npt.NDArray[Any]:
        """The elements, when all work on them is complete; no copy where memory is shared."""
        into = np.empty(self.shape, self.dtype) if self._host is None else self._host
        self.buffer.read(into)
        return into
