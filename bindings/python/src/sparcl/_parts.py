"""The arrays that views are made of, on the memory of the host where the device shares it."""

from __future__ import annotations

import functools
import math
import threading
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sparcl import _core, errors
from sparcl._context import Context

Copy = Literal["auto", "never"]
MatrixLike = Any  # one of SciPy or NumPy, a table or a list

bfloat16 = np.dtype([("bfloat16", np.uint16)])
"""The element type bfloat16, which NumPy does not have: ``numpy()`` gives its bits as uint16."""

_DTYPES: dict[str, int] = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "bfloat16": 3,
    "int32": 4,
    "int64": 5,
    "bool": 6,
}
_ITYPES: dict[str, int] = {"int32": 0, "int64": 1}


VALID, SORTED, UNIQUE = 1, 2, 4
"""What is known of the indices of a view: bits of ``flags`` in the C library."""


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The name of an element type."""
    return "bfloat16" if dtype == bfloat16 else dtype.name


def as_dtype(x: npt.DTypeLike) -> np.dtype[Any]:
    """An element type, which may be "bfloat16"."""
    if isinstance(x, str) and x == "bfloat16":
        return bfloat16
    try:
        return np.dtype(x)
    except TypeError as error:
        raise TypeError(f"dtype: expected one of {', '.join(_DTYPES)}: {error}") from None


def _code(dtype: np.dtype[Any], codes: dict[str, int], what: str) -> int:
    code = codes.get(dtype_name(dtype))
    if code is None or not dtype.isnative:
        raise TypeError(f"{what}: expected one of {', '.join(codes)}, found {dtype}; use astype")
    return code


@functools.cache
def dtype_code(dtype: np.dtype[Any]) -> int:
    """The number of an element type in the C library."""
    return _code(dtype, _DTYPES, "dtype")


@functools.cache
def itype_code(dtype: np.dtype[Any]) -> int:
    """The number of a type of offsets and indices in the C library."""
    return _code(dtype, _ITYPES, "dtype of indices")


def index_dtype(most: int) -> np.dtype[Any]:
    """The smallest type of indices up to a number."""
    return np.dtype(np.int32 if most <= np.iinfo(np.int32).max else np.int64)


_making = threading.Lock()  # of buffers that were deferred


class Part:
    """An array without gaps in a buffer, and the array of the host that is the buffer, if there is
    one."""

    def __init__(
        self,
        buffer: _core.Buffer | Context,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        host: npt.NDArray[Any] | None,
        at: int = 0,
    ) -> None:
        self._buffer = buffer
        self.shape = shape
        self.dtype = dtype
        self.at = at
        self._host = host if isinstance(buffer, Context) or buffer.uses_host else None

    @staticmethod
    def deferred(context: Context, host: npt.NDArray[Any]) -> Part:
        """An array of the host without gaps, which becomes a buffer when the device, which shares
        memory, first uses it."""
        return Part(context, host.shape, host.dtype, host)

    @property
    def is_deferred(self) -> bool:
        """The device did not use the array yet."""
        return isinstance(self._buffer, Context)

    @property
    def buffer(self) -> _core.Buffer:
        """The memory on the device."""
        if isinstance(self._buffer, Context):
            with _making:
                if isinstance(self._buffer, Context):
                    self._buffer = _core.Buffer(self._buffer._core, self._host)
        return self._buffer

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
        size = math.prod(shape) * kind.itemsize
        if not shape or min(shape) < 0:
            raise errors.ShapeError(f"shape: expected 1 to 8 sizes, each at least 0, found {shape}")
        if size > np.iinfo(np.int64).max:
            raise errors.OutOfMemoryError(f"the shape {shape} needs {size} bytes")
        if context.shares_memory:
            return Part.of(context, np.empty(shape, kind))
        return Part(_core.Buffer(context._core, size), shape, kind, None)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.size * self.dtype.itemsize

    def view(self, shape: tuple[int, ...], at: int = 0) -> Part:
        """Elements of the same buffer, from one on."""
        return Part(self.buffer, shape, self.dtype, self._host, self.at + at)

    def first(self, context: Context, count: int) -> Part:
        """The first elements of dimension 0: a view, or a copy where less than half are left."""
        shape = (count, *self.shape[1:])
        if 2 * count >= self.shape[0]:
            return self.view(shape)
        made = Part.empty(context, shape, self.dtype)
        size = self.dtype.itemsize
        _core.buf_copy(context._core, made.buffer, 0, self.buffer, self.at * size, made.nbytes)
        return made

    def _host_view(self) -> npt.NDArray[Any] | None:
        if self._host is None:
            return None
        if self._host.shape == self.shape:
            return self._host
        return self._host.reshape(-1)[self.at : self.at + self.size].reshape(self.shape)

    def numpy(self) -> npt.NDArray[Any]:
        """The elements, when all work on them is complete; no copy where memory is shared."""
        host = self._host_view()
        if host is not None and self.is_deferred:
            return host
        into = np.empty(self.shape, self.dtype) if host is None else host
        self.buffer.read(into, self.at * self.dtype.itemsize)
        return into.view(np.uint16) if self.dtype == bfloat16 else into
