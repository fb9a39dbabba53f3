"""Dense arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _convert, _core
from sparcl._context import Context, default_context
from sparcl._parts import Copy, Part, dtype_code

if TYPE_CHECKING:
    from sparcl._compressed import CSR


class Dense:
    """A dense array of 1 to 8 dimensions on a device.

    >>> import numpy, sparcl
    >>> x = sparcl.dense(numpy.eye(3, dtype="float32"))
    >>> x.shape, x.csr().nnz
    ((3, 3), 3)
    """

    def __init__(self, context: Context, part: Part) -> None:
        self.context = context
        self._part = part
        self._core = _core.Dense(part.shape, dtype_code(part.dtype), part.buffer)

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements in each dimension."""
        return self._part.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._part.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self._part.buffer.bytes

    def numpy(self) -> npt.NDArray[Any]:
        """The elements; the array of the device itself where it shares memory."""
        return self._part.numpy()

    def csr(self, threshold: float = 0.0) -> CSR:
        """The elements whose absolute value is above a threshold, as a matrix in CSR format."""
        return _convert.dense_to_csr(self, threshold)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.array(self.numpy(), dtype=dtype) if copy else np.asarray(self.numpy(), dtype)

    def __repr__(self) -> str:
        return (
            f"<sparcl.Dense {self.shape} {self.dtype}, {self.nbytes} bytes "
            f"on {self.context.device}>"
        )


def dense(
    x: npt.ArrayLike,
    *,
    dtype: npt.DTypeLike | None = None,
    context: Context | None = None,
    copy: Copy = "auto",
) -> Dense:
    """A dense array of what NumPy understands, or has ``__dlpack__``: used where it is, if memory
    is shared. It must not be written until the result is deleted."""
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__"):
        array = np.asarray(x, dtype=dtype)
    else:
        array = np.asarray(np.from_dlpack(cast("Any", x)), dtype=dtype)
    chosen = context or default_context()
    return Dense(chosen, Part.of(chosen, array, copy))


def operand(context: Context, dtype: np.dtype[Any], x: Dense | npt.ArrayLike) -> Dense:
    """What stands beside a sparse matrix: a dense array of its type and context."""
    return x if isinstance(x, Dense) else dense(x, dtype=dtype, context=context)
