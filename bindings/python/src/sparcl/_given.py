"""Dense arrays of what NumPy understands, and of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _classes, _numbers
from sparcl._array import Array
from sparcl._context import Context, default_context
from sparcl._parts import Copy, Part, as_dtype, bfloat16

if TYPE_CHECKING:
    from sparcl._dense import Dense


def _of_torch(x: Any) -> npt.NDArray[Any]:
    """A tensor of PyTorch; one that requires a gradient may only be read, as there."""
    found: npt.NDArray[Any]
    if str(x.dtype) == "torch.bfloat16":
        import torch  # noqa: PLC0415 (where x comes from)

        found = x.detach().view(torch.int16).numpy().view(bfloat16)
    else:
        found = x.detach().numpy()
    if x.requires_grad:
        found = found.view()
        found.flags.writeable = False
    return found


def _converted(
    context: Context, x: npt.NDArray[Any], dtype: np.dtype[Any], copy: Copy
) -> npt.NDArray[Any]:
    """An array in another type, which is a copy."""
    if x.dtype == dtype:
        return x
    if copy == "never":
        raise ValueError(f"copy='never': expected an array of {dtype}, found {x.dtype}")
    if x.dtype.kind in "cmMSUV":
        raise TypeError(f"x: expected real numbers, found {x.dtype}")
    made = x.astype(dtype)
    context._core.count_copied(made.nbytes)
    return made


def _host_array(x: Any) -> npt.NDArray[Any]:
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__"):
        found = np.asarray(x)
    elif type(x).__module__.partition(".")[0] == "torch":
        found = _of_torch(x)
    else:
        found = np.from_dlpack(x)
    return found.view(bfloat16) if found.dtype.name == "bfloat16" else found  # ml_dtypes


def dense(
    x: npt.ArrayLike,
    *,
    dtype: npt.DTypeLike | None = None,
    context: Context | None = None,
    copy: Copy = "auto",
) -> Dense:
    """A dense array of what NumPy understands, or has ``__dlpack__``: used where it is, if memory
    is shared. It must not be written until the result is deleted.

    The type may be "bfloat16", to which float32 is rounded on the device; tensors of PyTorch of
    this type are used where they are.

    >>> import numpy, sparcl
    >>> x = numpy.ones(3, "float32")
    >>> sparcl.dense(x).numpy() is x or not sparcl.default_context().shares_memory
    True
    """
    kind = None if dtype is None else as_dtype(dtype)
    if isinstance(x, Array):
        found: Dense = cast("Any", x).dense()
        return found if kind in {None, found.dtype} else found.astype(kind)
    if isinstance(getattr(x, "format", None), str) and hasattr(x, "tocsr"):
        raise TypeError(
            f"x: expected a dense array, found {type(x).__name__} of SciPy; use sparcl.csr(x)"
        )
    chosen = context or default_context()
    given = kind if kind != bfloat16 and isinstance(x, (list, tuple, int, float)) else None
    array = _host_array(x) if given is None else np.asarray(x, given)
    if kind is not None and kind != bfloat16:
        array = _converted(chosen, array, kind, copy)
    made = _classes.Dense(chosen, Part.of(chosen, array, copy))
    return made.astype(kind) if kind == bfloat16 and array.dtype != bfloat16 else made


def operand(context: Context, dtype: np.dtype[Any], x: Dense | npt.ArrayLike) -> Dense:
    """What stands beside a sparse matrix: a dense array of its type and context. Whole numbers
    that are others in this type are refused."""
    if isinstance(x, (list, tuple, np.ndarray)) and dtype.kind == "f":
        given = np.asarray(x)
        if given.dtype.kind in "iu":
            _numbers.check_whole(given, dtype, "float64 on both sides")
    return x if isinstance(x, _classes.Dense) else dense(x, dtype=dtype, context=context)
