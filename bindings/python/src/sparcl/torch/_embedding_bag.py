"""Bags of rows of a table, with a row-sparse gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from sparcl import _dense, _list, ops
from sparcl._context import Context
from sparcl._enums import Mode
from sparcl.errors import ArgumentError, DataError, ShapeError
from sparcl.torch import _arrays
from sparcl.torch.functions import Gradients


class _EmbeddingBag(torch.autograd.Function):
    @staticmethod
    def forward(  # noqa: PLR0917 (PyTorch gives them by position)
        ctx: Any,
        weight: torch.Tensor,
        weights: torch.Tensor | None,
        indices: torch.Tensor,
        offsets: torch.Tensor,
        bags: ops.Bags,
        context: Context,
        sparse: bool,
    ) -> torch.Tensor:
        table = _arrays.dense(context, weight, "weight")
        found = ops.embedding_bag(table, bags, positions=bags.mode == "max")
        y = _arrays.tensor(found.result)
        # Saved indices and weights, which the bags use where they are, must not change before they
        # are read again: PyTorch checks it.
        ctx.save_for_backward(weight, y, weights, indices, offsets)
        ctx.bags, ctx.context, ctx.sparse = bags, context, sparse
        ctx.positions = found.positions
        ctx.shape = None if weights is None else weights.shape
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> Gradients:
        weight, y, *_ = ctx.saved_tensors
        bags: ops.Bags = ctx.bags
        gradient = _arrays.dense(ctx.context, g, "gradient")
        gw = gs = None
        if ctx.needs_input_grad[0]:
            rows = ops.embedding_bag_gradient(
                gradient, bags, weight.shape[0], positions=ctx.positions
            )
            gw = _arrays.rows_tensor(rows) if ctx.sparse else _arrays.tensor(rows.dense())
        if ctx.needs_input_grad[1]:
            table = _arrays.dense(ctx.context, weight, "weight")
            needs_y = bags.mode in ("mean", "sqrtn")
            result: _dense.Dense | None = (
                _arrays.dense(ctx.context, y, "result") if needs_y else None
            )
            gs = _arrays.tensor(
                ops.embedding_bag_weights_gradient(gradient, table, bags, y=result)
            ).reshape(ctx.shape)
        return gw, gs, None, None, None, None, None


def _checked(indices: torch.Tensor, limit: int, context: Context) -> _list.List:
    """Indices of a table; checked here in one pass, as the device also sorts what it validates."""
    if indices.numel() > 0:
        lowest, highest = (int(x) for x in torch.aminmax(indices))
        if lowest < 0 or highest >= limit:
            position = int(torch.nonzero((indices < 0) | (indices >= limit))[0])
            raise DataError(
                f"input: index {int(indices[position])} at position {position} is not a row of the "
                f"table, expected 0 to {limit - 1}"
            )
    return _list.trusted(indices.numpy(), limit, context)


def _flat(
    x: torch.Tensor, offsets: torch.Tensor | None, include_last_offset: bool
) -> tuple[torch.Tensor, torch.Tensor, bool]:
    """A vector of indices, offsets, and whether the end of the last bag is one of them."""
    if x.dim() == 2:
        if offsets is not None:
            raise ArgumentError("offsets: expected None with an input of 2 dimensions")
        bags, size = x.shape
        ends = torch.arange(0, bags + 1, dtype=x.dtype) * size
        return x.reshape(-1), ends, True
    if x.dim() != 1:
        raise ShapeError(f"input: expected 1 or 2 dimensions, found {x.dim()}")
    if offsets is None:
        raise ArgumentError("offsets: expected the offsets of an input of 1 dimension, found None")
    return x, offsets, include_last_offset


def embedding_bag(  # noqa: PLR0917 (as PyTorch's)
    input: torch.Tensor,  # noqa: A002 (PyTorch's name)
    weight: torch.Tensor,
    offsets: torch.Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: Mode = "mean",
    sparse: bool = False,
    per_sample_weights: torch.Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
    *,
    context: Context | None = None,
) -> torch.Tensor:
    """The sum, mean or maximum of the rows of a table in each bag, as
    ``torch.nn.functional.embedding_bag``, with the same arguments.

    Beside PyTorch's modes there is "sqrtn" (the sum divided by the root of the number of rows), and
    "mean" and "sqrtn" take weights. With ``sparse=True`` the gradient of the table is a sparse
    tensor with sorted rows, each once; PyTorch's has a row for each entry of the bags.

    Parameters
    ----------
    input
        Rows of the table, of int64 or int32: [bags, size], or a vector with `offsets`.
    weight
        [rows, d] of float32 or float64.
    context
        The device that computes, default: :func:`sparcl.default_context`.

    Returns
    -------
    [bags, d]; 0 for a bag without rows.

    Raises
    ------
    DataError
        An index is not a row of the table.

    >>> import torch, sparcl.torch
    >>> table = torch.tensor([[1.0], [2.0], [4.0]], requires_grad=True)
    >>> y = sparcl.torch.embedding_bag(
    ...     torch.tensor([[0, 2], [2, 2]]), table, mode="sum", sparse=True)
    >>> y.sum().backward()
    >>> y.tolist(), table.grad.coalesce().values().tolist()
    ([[5.0], [8.0]], [[1.0], [3.0]])
    """
    chosen = _arrays.context_of(None, context)
    indices, ends, include_last = _flat(input, offsets, include_last_offset)
    weights = None
    if per_sample_weights is not None:
        if per_sample_weights.shape != input.shape:
            raise ShapeError(
                f"per_sample_weights: expected the shape of the input, {tuple(input.shape)}, found "
                f"{tuple(per_sample_weights.shape)}"
            )
        weights = _arrays.dense(chosen, per_sample_weights.reshape(-1), "per_sample_weights")
    if padding_idx is not None and padding_idx < 0:
        padding_idx += weight.shape[0]
    bags = ops.Bags(
        _checked(indices, weight.shape[0], chosen),
        offsets=np.asarray(ends.numpy()),
        weights=weights,
        mode=mode,
        bounds="clamp",  # there are no bad indices
        include_last=include_last,
        padding_index=padding_idx,
        scale_by_frequency=scale_grad_by_freq,
    )
    if max_norm is not None:
        with torch.no_grad():
            table = _arrays.dense(chosen, weight, "weight")
            ops.embedding_renorm(table, bags, max_norm, norm_type)
            changed = _arrays.tensor(table)
            if changed.data_ptr() == weight.data_ptr():
                torch.autograd.graph.increment_version(weight)
            else:  # a device with memory of its own, or a table with gaps
                weight.copy_(changed)
    result: torch.Tensor = _EmbeddingBag.apply(
        weight, per_sample_weights, input, ends, bags, chosen, sparse
    )
    return result
