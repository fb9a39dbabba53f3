"""Bags of rows of a table, with a row-sparse gradient."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from sparcl import _dense, _list, ops
from sparcl._context import Context
from sparcl._enums import Mode
from sparcl.errors import ArgumentError, DataError, DTypeError, ShapeError
from sparcl.torch import _arrays, _tensors
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
    _tensors.check_integers(x, "input")
    if x.dim() == 2:
        if offsets is not None:
            raise ArgumentError("offsets: expected None with an input of 2 dimensions")
        bags, size = x.shape
        return x.reshape(-1), torch.arange(0, bags + 1) * size, True
    if x.dim() != 1:
        raise ShapeError(f"input: expected 1 or 2 dimensions, found {x.dim()}")
    if offsets is None:
        raise ArgumentError("offsets: expected the offsets of an input of 1 dimension, found None")
    _tensors.check_integers(offsets, "offsets")
    return x, offsets, include_last_offset


def _weights(
    context: Context, given: torch.Tensor | None, like: torch.Tensor, table: torch.Tensor
) -> _dense.Dense | None:
    """Weights of the shape of the input, and of the type of the table."""
    if given is None:
        return None
    found = _arrays.dense(context, given, "per_sample_weights")
    if given.shape != like.shape:
        raise ShapeError(
            f"per_sample_weights: expected the shape of the input, {tuple(like.shape)}, found "
            f"{tuple(given.shape)}"
        )
    if given.dtype != table.dtype:
        raise DTypeError(
            f"per_sample_weights: expected the type of the weight, {table.dtype}, found "
            f"{given.dtype}"
        )
    return found.reshape(-1)


def _padding(index: int | None, rows: int) -> int | None:
    """The row that is left out, counted from 0."""
    if index is None:
        return None
    if not -rows <= index < rows:
        raise ArgumentError(f"padding_idx: expected {-rows} to {rows - 1}, found {index}")
    return index % rows


def _renorm(
    weight: torch.Tensor, bags: ops.Bags, max_norm: float, norm_type: float, context: Context
) -> None:
    """Shorten the rows that are in the input; as in PyTorch also that of the padding index."""
    with torch.no_grad():
        table = _arrays.dense(context, weight, "weight")
        all_rows = dataclasses.replace(bags, padding_index=None)
        ops.embedding_renorm(table, all_rows, max_norm, norm_type)
        changed = _arrays.tensor(table)
        if changed.data_ptr() == weight.data_ptr():
            torch.autograd.graph.increment_version(weight)
        else:  # a device with memory of its own, or a table with gaps
            weight.copy_(changed)


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
        An index is not a row of the table; offsets do not ascend from 0 to at most the length of
        the input.
    ArgumentError, ShapeError, DTypeError, TypeError
        What is wrong with the argument that the message names.

    >>> import torch, sparcl.torch
    >>> table = torch.tensor([[1.0], [2.0], [4.0]], requires_grad=True)
    >>> y = sparcl.torch.embedding_bag(
    ...     torch.tensor([[0, 2], [2, 2]]), table, mode="sum", sparse=True)
    >>> y.sum().backward()
    >>> y.tolist(), table.grad.coalesce().values().tolist()
    ([[5.0], [8.0]], [[1.0], [3.0]])
    """
    chosen = _arrays.context_of(None, context)
    _tensors.check(weight, "weight")
    if weight.dim() != 2:
        raise ShapeError(f"weight: expected 2 dimensions, found {weight.dim()}")
    indices, ends, include_last = _flat(input, offsets, include_last_offset)
    bags = ops.Bags(
        _checked(indices, weight.shape[0], chosen),
        offsets=ends.numpy(),
        weights=_weights(chosen, per_sample_weights, input, weight),
        mode=mode,
        bounds="clamp",  # there are no bad indices
        include_last=include_last,
        padding_index=_padding(padding_idx, weight.shape[0]),
        scale_by_frequency=scale_grad_by_freq,
    )
    if max_norm is not None:
        _renorm(weight, bags, max_norm, norm_type, chosen)
    result: torch.Tensor = _EmbeddingBag.apply(
        weight, per_sample_weights, input, ends, bags, chosen, sparse
    )
    return result
