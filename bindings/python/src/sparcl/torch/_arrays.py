"""Tensors of PyTorch as arrays of sparcl and back, on the same memory where it is shared."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy.typing as npt
import torch

from sparcl import _compressed, _dense, _row_sparse
from sparcl._context import Context, default_context
from sparcl._parts import Part
from sparcl.errors import ShapeError
from sparcl.torch import _tensors

Matrix = torch.Tensor | _compressed.CSR

_NO_VALUES = torch.empty(0)  # in place of those of a constant, through which no gradient flows


def context_of(a: Any, context: Context | None) -> Context:
    """That of a matrix of sparcl, the given one, or the default."""
    if isinstance(a, _compressed.CSR):
        return a.context
    return context or default_context()


def part(context: Context, x: torch.Tensor) -> Part:
    """The memory of a tensor; one with gaps is copied, which is counted."""
    return Part.of(context, x.detach().numpy())


def host(x: torch.Tensor, what: str) -> npt.NDArray[Any]:
    """The memory of a dense tensor of float32 or float64."""
    _tensors.check(x, what)
    if x.dim() == 0:
        raise ShapeError(f"{what}: expected at least 1 dimension, found 0")
    return x.detach().numpy()


def dense(context: Context, x: torch.Tensor, what: str) -> _dense.Dense:
    """A dense tensor of float32 or float64."""
    return _dense.Dense(context, Part.of(context, host(x, what)))


def tensor(x: _dense.Dense) -> torch.Tensor:
    """The elements, on the same memory where it is that of the host."""
    return torch.from_numpy(x.numpy())


def rows_tensor(r: _row_sparse.RowSparse) -> torch.Tensor:
    """A row-sparse array as a sparse tensor."""
    return sparse(r.indices, r.values, r.shape)


def sparse(
    indices: npt.NDArray[Any], values: npt.NDArray[Any], shape: tuple[int, ...]
) -> torch.Tensor:
    """Sorted rows without duplicates as a sparse tensor, as the gradient of ``nn.Embedding``."""
    return torch.sparse_coo_tensor(
        torch.from_numpy(indices.astype("int64", copy=False)).unsqueeze(0),
        torch.from_numpy(values),
        shape,
        is_coalesced=True,
        check_invariants=False,
    )


def entries(context: Context, a: Matrix, what: str) -> tuple[torch.Tensor, _compressed.CSR]:
    """The values of a sparse matrix, through which gradients flow, and the matrix on a device.

    Raises
    ------
    TypeError
        It is neither a tensor in CSR or COO format nor a :class:`sparcl.CSR`.
    DataError
        An offset or index is wrong.
    """
    if isinstance(a, _compressed.CSR):
        return _NO_VALUES, a
    if a.layout == torch.sparse_coo and a.dim() == 2:
        a = a.coalesce().to_sparse_csr()
    if a.layout != torch.sparse_csr or a.dim() != 2:
        raise TypeError(
            f"{what}: expected a sparse matrix in CSR or COO format, or sparcl.CSR, found the "
            f"layout {a.layout} and {a.dim()} dimensions"
        )
    values = a.values()
    _tensors.check(values, what)
    return values, _proved(context, a, values)


class _Proof(NamedTuple):
    """A matrix whose offsets and indices were found to be right, and what it was made of."""

    tensor: weakref.ref[torch.Tensor]
    state: tuple[Any, ...]
    placed: _compressed.CSR


_proofs: dict[int, _Proof] = {}


def _state(context: Context, arrays: tuple[torch.Tensor, ...]) -> tuple[Any, ...]:
    """What changes where arrays are others, or PyTorch writes the offsets or indices; values may be
    written, as they are in the memory of the host."""
    return (
        context,
        *((x.data_ptr(), x.shape, x.dtype, x.stride()) for x in arrays),
        *(x._version for x in arrays[:2]),
    )


def _validated(
    context: Context, a: torch.Tensor, arrays: tuple[torch.Tensor, ...]
) -> _compressed.CSR:
    made = _compressed.CSR(context, (a.shape[0], a.shape[1]), *(part(context, x) for x in arrays))
    made._core.validate(context._core)
    return made


def _proved(context: Context, a: torch.Tensor, values: torch.Tensor) -> _compressed.CSR:
    """The matrix of a tensor in CSR format, which is validated once where the device reads it in
    place. A copy is made anew: PyTorch does not count all that writes values."""
    arrays = (a.crow_indices(), a.col_indices(), values)
    if not context.shares_memory:
        return _validated(context, a, arrays)
    state, key = _state(context, arrays), id(a)
    known = _proofs.get(key)
    if known is not None and known.tensor() is a and known.state == state:
        return known.placed
    made = _validated(context, a, arrays)
    _proofs[key] = _Proof(weakref.ref(a, lambda gone: _forget(key, gone)), state, made)
    return made


def _forget(key: int, gone: weakref.ref[torch.Tensor]) -> None:
    """The tensor is gone; another one may have its place by now."""
    known = _proofs.get(key)
    if known is not None and known.tensor is gone:
        del _proofs[key]


def matrix(a: Matrix, placed: _compressed.CSR, values: torch.Tensor) -> torch.Tensor:
    """A tensor in CSR format with other values at the entries of a matrix."""
    if isinstance(a, torch.Tensor) and a.layout == torch.sparse_csr:
        offsets, indices = a.crow_indices(), a.col_indices()
    else:
        offsets = torch.from_numpy(placed._offsets.numpy())
        indices = torch.from_numpy(placed._indices.numpy())
        if offsets.dtype != indices.dtype:
            offsets, indices = offsets.long(), indices.long()
    return torch.sparse_csr_tensor(offsets, indices, values, placed.shape, check_invariants=False)
