"""Functions of sparse matrices and segments, with their gradients.

A sparse matrix is a tensor in CSR or COO format, whose gradient has the same entries, or a
:class:`sparcl.CSR`, which is a constant: it is validated once, and it keeps what its products with
the transpose need. Tensors are on the CPU, of float32 or float64 (else TypeError), and are used
where they are in memory. Gradients of gradients are refused.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import once_differentiable

from sparcl import _compressed, _host_products, _list, _make, ops
from sparcl._context import Context
from sparcl.errors import ShapeError
from sparcl.torch import _arrays, _tensors
from sparcl.torch._arrays import Matrix

Gradients = tuple[torch.Tensor | None, ...]


class _Spmm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, values: torch.Tensor, b: torch.Tensor, a: _compressed.CSR, sparse_grad: bool
    ) -> torch.Tensor:
        ctx.save_for_backward(values, b)
        ctx.a, ctx.sparse_grad = a, sparse_grad
        found = _host_products.spmm(a, _arrays.host(b, "b"))
        if found is not None:
            return torch.from_numpy(found)
        return _arrays.tensor(ops.spmm(a, _arrays.dense(a.context, b, "b")))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> Gradients:
        a: _compressed.CSR = ctx.a
        _, b = ctx.saved_tensors
        gv = gb = None
        if ctx.needs_input_grad[0]:
            gradient = _arrays.dense(a.context, g, "gradient")
            gv = _arrays.tensor(ops.sddmm(a, gradient, _arrays.dense(a.context, b, "b")))
        if ctx.needs_input_grad[1]:
            gb = _spmm_t(a, g, ctx.sparse_grad)
        return gv, gb, None, None


def _spmm_t(a: _compressed.CSR, g: torch.Tensor, as_rows: bool) -> torch.Tensor:
    """a.T @ g, of which some rows may be stored only."""
    found = _host_products.spmm_t_rows(a, _arrays.host(g, "gradient"))
    shape = (a.shape[1], *g.shape[1:])
    if found is not None and as_rows:
        return _arrays.sparse(*found, shape)
    if found is not None:
        columns, values = found
        made = torch.zeros(shape, dtype=g.dtype)
        made.numpy()[columns] = values
        return made
    gradient = _arrays.dense(a.context, g, "gradient")
    if as_rows:
        return _arrays.rows_tensor(ops.spmm_t_rows(a, gradient))
    return _arrays.tensor(ops.spmm_t(a, gradient))


def spmm(
    a: Matrix, b: torch.Tensor, *, sparse_grad: bool = False, context: Context | None = None
) -> torch.Tensor:
    """a @ b, of a sparse and a dense matrix or vector.

    Parameters
    ----------
    a
        [m, n], see above.
    b
        [n, d] or [n].
    sparse_grad
        The gradient of b has only the rows that are columns with entries of a, as that of
        ``nn.Embedding(sparse=True)``; b must then be a leaf.
    context
        The device that computes, default: that of `a`, or :func:`sparcl.default_context`.

    Returns
    -------
    [m, d] or [m].

    >>> import torch, sparcl.torch
    >>> a = torch.tensor([[0.0, 2.0], [0.0, 1.0]]).to_sparse_csr()
    >>> b = torch.ones(2, 3, requires_grad=True)
    >>> c = sparcl.torch.spmm(a, b, sparse_grad=True)
    >>> c.sum().backward()
    >>> c.tolist(), b.grad.coalesce().indices().tolist()
    ([[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]], [[1]])
    """
    values, placed = _arrays.entries(_arrays.context_of(a, context), a, "a")
    result: torch.Tensor = _Spmm.apply(values, b, placed, sparse_grad)
    return result


class _Sddmm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor, a: _compressed.CSR) -> torch.Tensor:
        ctx.save_for_backward(x, y)
        ctx.a = a
        left, right = (_arrays.dense(a.context, t, w) for t, w in ((x, "x"), (y, "y")))
        return _arrays.tensor(ops.sddmm(a, left, right))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> Gradients:
        x, y = ctx.saved_tensors
        context = ctx.a.context
        weighted = _make.with_values(ctx.a, _arrays.dense(context, g, "gradient"))
        gx = gy = None
        if ctx.needs_input_grad[0]:
            gx = _arrays.tensor(ops.spmm(weighted, _arrays.dense(context, y, "y")))
        if ctx.needs_input_grad[1]:
            gy = _arrays.tensor(ops.spmm_t(weighted, _arrays.dense(context, x, "x")))
        return gx, gy, None


def sddmm(
    a: Matrix, x: torch.Tensor, y: torch.Tensor, *, context: Context | None = None
) -> torch.Tensor:
    """x @ y.T at the entries of a sparse matrix, whose values are not read.

    Parameters
    ----------
    a
        [m, n], see above.
    x, y
        [m, d] and [n, d].
    context
        As in :func:`spmm`.

    Returns
    -------
    A tensor in CSR format with the entries of a.

    >>> import torch, sparcl.torch
    >>> a = torch.tensor([[0.0, 1.0]]).to_sparse_csr()
    >>> x, y = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 0.0], [3.0, 4.0]])
    >>> sparcl.torch.sddmm(a, x, y).values().tolist()
    [11.0]
    """
    _, placed = _arrays.entries(_arrays.context_of(a, context), a, "a")
    values: torch.Tensor = _Sddmm.apply(x, y, placed)
    return _arrays.matrix(a, placed, values)


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, a: _compressed.CSR) -> torch.Tensor:
        y = _arrays.tensor(ops.csr_softmax(a).values)
        ctx.save_for_backward(y)
        ctx.a = a
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> Gradients:
        (y,) = ctx.saved_tensors
        context = ctx.a.context
        gradient, result = (_arrays.dense(context, t, "gradient") for t in (g, y))
        return _arrays.tensor(ops.csr_softmax_gradient(gradient, result, ctx.a)), None


def csr_softmax(a: Matrix, *, context: Context | None = None) -> torch.Tensor:
    """The softmax of the stored entries of each row, as ``torch.sparse.softmax``: elements that are
    not stored count as minus infinity.

    Parameters
    ----------
    a
        [m, n], see above.
    context
        As in :func:`spmm`.

    Returns
    -------
    A tensor in CSR format with the entries of a.

    >>> import torch, sparcl.torch
    >>> sparcl.torch.csr_softmax(torch.tensor([[2.0, 0.0, 2.0]]).to_sparse_csr()).values().tolist()
    [0.5, 0.5]
    """
    values, placed = _arrays.entries(_arrays.context_of(a, context), a, "a")
    softmax: torch.Tensor = _Softmax.apply(values, placed)
    return _arrays.matrix(a, placed, softmax)


class _SegmentSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, given: torch.Tensor, ids: _list.List) -> torch.Tensor:
        ctx.save_for_backward(given)  # must not change: the list uses it where it is
        ctx.ids = ids
        placed = _arrays.dense(ids.context, x, "x")
        return _arrays.tensor(ops.segment_reduce(placed, ids, "sum").result)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> Gradients:
        _ = ctx.saved_tensors  # raises where the ids were changed
        table = _arrays.dense(ctx.ids.context, g, "gradient")
        return _arrays.tensor(ops.embedding(table, ctx.ids).result), None, None


def segment_sum(
    x: torch.Tensor,
    ids: torch.Tensor,
    segments: int | None = None,
    *,
    context: Context | None = None,
) -> torch.Tensor:
    """Row s of the result is the sum of the rows of x whose id is s; 0 where there are none.

    Parameters
    ----------
    x
        [n, ...].
    ids
        [n], the segment of each row, in any order, of int64 or int32.
    segments
        How many there are, default: one more than the largest id.
    context
        As in :func:`spmm`.

    Returns
    -------
    [segments, ...].

    Raises
    ------
    DataError
        An id is negative, or not below `segments`.

    >>> import torch, sparcl.torch
    >>> x = torch.tensor([[1.0], [2.0], [3.0]])
    >>> sparcl.torch.segment_sum(x, torch.tensor([1, 0, 1]), 3).tolist()
    [[2.0], [4.0], [0.0]]
    """
    _tensors.check(x, "x")
    _tensors.check_integers(ids, "ids")
    if ids.shape != x.shape[:1]:
        raise ShapeError(f"ids: expected the shape {tuple(x.shape[:1])}, found {tuple(ids.shape)}")
    count = segments
    if count is None:
        count = int(ids.max()) + 1 if ids.numel() else 0
    placed = _list.indices(ids.numpy(), count, context=_arrays.context_of(None, context))
    result: torch.Tensor = _SegmentSum.apply(x, ids, placed)
    return result
