"""Tensors of PyTorch as memory of the host: what can be used where it is, and what is refused."""

from __future__ import annotations

import numpy as np
import torch

from sparcl._context import Context, SharedContext, default_context
from sparcl._parts import dtype_code
from sparcl.errors import UnsupportedError

DTYPES = {torch.float32: "float32", torch.float64: "float64"}


_host = SharedContext("cpu")  # where the default device has memory of its own


def context_of(context: Context | None) -> Context:
    """The given context, or the default one, or a CPU where that has memory of its own.

    Raises
    ------
    TypeError, UnsupportedError
        It is no context; its device has memory of its own.
    """
    if context is not None and not isinstance(context, Context):
        raise TypeError(f"context: expected Context | None, found {type(context).__name__}")
    chosen = context or default_context()
    if context is None and not chosen.shares_memory:
        chosen = _host.get()
    if not chosen.shares_memory:
        raise UnsupportedError(
            "expected a device that shares memory with the host, to use tensors where they are, "
            f"found {chosen.device}; give context=sparcl.Context('cpu')"
        )
    return chosen


INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def check_integers(tensor: torch.Tensor, what: str) -> None:
    """Refuse what is no dense tensor of integers on the CPU.

    Raises
    ------
    TypeError
        The message has what was expected and found.
    """
    _check_place(tensor, what)
    if tensor.dtype not in INTEGERS:
        raise TypeError(f"{what}: expected torch.int64 or torch.int32, found {tensor.dtype}")


def _check_place(tensor: torch.Tensor, what: str) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{what}: expected a tensor, found {type(tensor).__name__}")
    if tensor.layout != torch.strided:
        raise TypeError(f"{what}: expected a dense tensor, found the layout {tensor.layout}")
    if tensor.device.type != "cpu":
        raise TypeError(
            f"{what}: expected a tensor on the CPU, found one on {tensor.device}; "
            "move it or its model with .cpu(), or leave it to PyTorch"
        )


def check(tensor: torch.Tensor, what: str) -> None:
    """Refuse what the library cannot use: tensors on other devices, of other types or layouts.

    Raises
    ------
    TypeError
        The message has what was expected and found.
    """
    _check_place(tensor, what)
    if tensor.dtype not in DTYPES:
        raise TypeError(
            f"{what}: expected torch.float32 or torch.float64, found {tensor.dtype}; "
            "keep parameters in float32 (autocast computes in 16 bits from them)"
        )


def code_of(dtype: torch.dtype) -> int:
    """The number of an element type in the C library."""
    return dtype_code(np.dtype(DTYPES[dtype]))


def packed(context: Context, tensor: torch.Tensor) -> torch.Tensor:
    """A tensor without gaps in the order of C: the same one, or a copy, which is counted."""
    if tensor.is_contiguous():
        return tensor
    context._core.count_copied(tensor.numel() * tensor.element_size())
    return tensor.contiguous()


def memory_order(tensor: torch.Tensor, what: str) -> list[int] | None:
    """The dimensions from the outermost in memory to the innermost; None in the order of C.

    Raises
    ------
    TypeError
        There are gaps, or elements that share memory.
    """
    if tensor.is_contiguous():
        return None
    strides = tensor.stride()
    order = sorted(range(tensor.dim()), key=lambda d: (-strides[d], tensor.shape[d]))
    if not tensor.permute(order).is_contiguous():
        raise TypeError(
            f"{what}: expected a tensor whose elements fill its memory, found the strides "
            f"{tensor.stride()}; make it with .contiguous()"
        )
    return order
