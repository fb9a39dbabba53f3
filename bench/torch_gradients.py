"""Gradients by PyTorch: the function that its autograd calls, or autograd itself with the graph kept; and where others
take less time, the operations that compute the same."""
import numpy as np
import torch

import cases
from torch_tensors import DEVICE, coo, csr, dense, tensor

aten = torch.ops.aten


def by_autograd(result, operands, gradient):
    """The backward pass alone: the forward pass is done before, once."""
    return lambda: torch.autograd.grad(result, operands, gradient, retain_graph=True)


def wants_gradient(x):
    return x.clone().requires_grad_()


def offsets_of(m):
    return tensor(m.indptr.astype(np.int64))


def lengths_of(m):
    return tensor(np.diff(m.indptr).astype(np.int64))


def rows_of(m):
    return torch.repeat_interleave(lengths_of(m))


# --- elements ---------------------------------------------------------------------------------

def clip(m, _n):
    x = wants_gradient(dense(m.nnz, 1))
    return [by_autograd(torch.clamp(x, -0.5, 0.5), x, dense(m.nnz, 1) + 1)]


def tanh(m, _n):
    y, g, out = torch.tanh(dense(m.nnz, 1)), dense(m.nnz, 1) + 1, torch.empty(m.nnz, device=DEVICE)
    return [lambda: aten.tanh_backward(g, y), lambda: aten.tanh_backward.grad_input(g, y, grad_input=out)]


def multiply(m, _n):
    x, y, g = dense(m.nnz, 1), dense(m.nnz, 1) + 1, dense(m.nnz, 1) + 2
    to_x, to_y = torch.empty_like(x), torch.empty_like(y)

    def into():
        torch.mul(g, y, out=to_x)
        torch.mul(g, x, out=to_y)

    with_graph = wants_gradient(x), wants_gradient(y)
    return [into, by_autograd(with_graph[0] * with_graph[1], with_graph, g)]


def dropout(m, n):
    g = dense(m.shape[0], n)
    mask, out = torch.rand_like(g) >= 0.25, torch.empty_like(g)
    noise = mask.to(g.dtype) / 0.75
    return [lambda: aten.native_dropout_backward(g, mask, 1 / 0.75), lambda: torch.mul(g, noise, out=out)]


def dot_rows(m, n):
    y, g = dense(m.shape[0], n), dense(m.shape[0], 1)[:, None]
    out = torch.empty_like(y)
    return [lambda: torch.mul(y, g, out=out), lambda: g * y]


def scale_rows(m, _n):
    values, g, rows, offsets = tensor(m.data), dense(m.nnz, 1), rows_of(m), offsets_of(m)
    out = torch.zeros(m.shape[0], device=DEVICE)
    return [lambda: out.zero_().index_add_(0, rows, g * values),
            lambda: torch.segment_reduce(g * values, "sum", offsets=offsets)]


def scale_columns(m, _n):
    values, g, columns = tensor(m.data), dense(m.nnz, 1), tensor(m.indices)
    out, wide = torch.zeros(m.shape[1], device=DEVICE), columns.long()
    return [lambda: out.zero_().index_add_(0, columns, g * values), lambda: out.zero_().index_add_(0, wide, g * values)]


# --- softmax, reductions ------------------------------------------------------------------------

def softmax_by_rows(m, n):
    y, g, rows = dense(m.nnz, n), dense(m.nnz, n) + 1, rows_of(m)
    offsets, lengths = offsets_of(m), lengths_of(m)
    empty = torch.zeros((m.shape[0],) + y.shape[1:], device=DEVICE)

    def by_rows():
        return y * (g - empty.index_add(0, rows, y * g).index_select(0, rows))

    def by_offsets():
        sums = torch.segment_reduce(y * g, "sum", offsets=offsets, axis=0)
        return y * (g - torch.repeat_interleave(sums, lengths, dim=0, output_size=m.nnz))

    return [by_rows, by_offsets]


def softmax(m, n):
    a = coo(m)
    y, g = torch.sparse.softmax(a, dim=1), coo(m)
    # pylint: disable-next=protected-access
    return softmax_by_rows(m, n) + [lambda: aten._sparse_softmax_backward_data(g, y, 1, a)]


def csr_sums(m, _n):
    g, lengths, rows, out = dense(m.shape[0], 1), lengths_of(m), rows_of(m), torch.empty(m.nnz, device=DEVICE)
    return [lambda: torch.repeat_interleave(g, lengths, output_size=m.nnz),
            lambda: torch.index_select(g, 0, rows, out=out)]


def norms(m, n):
    x = wants_gradient(dense(m.shape[0], n))
    g = dense(m.shape[0], 1)
    y = x.detach().norm(dim=1)
    return [by_autograd(x.norm(dim=1), x, g), lambda: x.detach() * (g / y)[:, None]]


def segments(kind):
    def calls(m, n):
        x, g, offsets = wants_gradient(dense(m.nnz, n)), dense(m.shape[0], n), offsets_of(m)
        found = [by_autograd(torch.segment_reduce(x, kind, offsets=offsets, axis=0), x, g)]
        if kind == "sum":
            rows, out = rows_of(m), torch.empty_like(x.detach())
            return found + [lambda: torch.index_select(g, 0, rows, out=out)]
        first, to = offsets_of(m)[:-1].clamp(max=m.nnz - 1), torch.zeros_like(x.detach())
        chosen = first.reshape((-1,) + (1,) * (g.dim() - 1)).expand_as(g).contiguous()
        return found + [lambda: to.zero_().scatter_(0, chosen, g)]
    return calls


# --- normalisation --------------------------------------------------------------------------------

def layer_norm(m, n):
    x, g, gamma = dense(m.shape[0], n), dense(m.shape[0], n) + 1, dense(n, 2)[:, 0].contiguous()
    _, mean, rstd = torch.native_layer_norm(x, (n,), gamma, gamma, 1e-5)
    wanted = [True, True, True]
    return [lambda: aten.native_layer_norm_backward(g, x, (n,), mean, rstd, gamma, gamma, wanted)]


def batch_norm(m, n):
    x, g, gamma = dense(m.shape[0], n), dense(m.shape[0], n) + 1, dense(n, 2)[:, 0].contiguous()
    _, mean, rstd = torch.native_batch_norm(x, gamma, gamma, None, None, True, 0.1, 1e-5)
    wanted = [True, True, True]
    return [lambda: aten.native_batch_norm_backward(g, x, gamma, None, None, mean, rstd, True, 1e-5, wanted)]


# --- products ---------------------------------------------------------------------------------------

def spmm(kind):
    def calls(m, n):
        a, b, g = csr(m, np.int64).requires_grad_(), wants_gradient(dense(m.shape[1], n)), dense(m.shape[0], n)
        return [by_autograd(torch.sparse.mm(a, b, kind), (a, b), g)]
    return calls


def spgemm(m, _n):
    """For each term of the product the gradient of its element of C, which is searched. (PyTorch's backward computes
    products with all of their entries, which takes minutes.)"""
    b, rows, columns = cases.factor(m), rows_of(m), tensor(m.indices).long()
    c = cases.product_pattern(m, b)
    a_values, b_values, b_columns, begins = tensor(m.data), tensor(b.data), tensor(b.indices).long(), offsets_of(b)
    c_rows, c_columns, g, width = rows_of(c), tensor(c.indices).long(), dense(c.nnz, 1), m.shape[1]

    def call():
        lengths = begins.diff()[columns]
        of_a = torch.repeat_interleave(lengths)  # the entry of A, and that of B, of each term
        of_b = torch.arange(len(of_a), device=DEVICE) + (begins[columns] - lengths.cumsum(0) + lengths)[of_a]
        found = torch.searchsorted(c_rows * width + c_columns, rows[of_a] * width + b_columns[of_b])
        terms = g[found]
        to_a = torch.zeros_like(a_values).index_add_(0, of_a, terms * b_values[of_b])
        return to_a, torch.zeros_like(b_values).index_add_(0, of_b, terms * a_values[of_a])

    return [call]


# --- sums and products of two sparse matrices -----------------------------------------------------------

def add_pair(m, _n):
    """To the entries of both by their places, which are known; or by masks of COO tensors."""
    b = cases.shifted(m)
    c = cases.sum_pattern(m, b)
    g, places = dense(c.nnz, 1), [tensor(cases.places(x, c)) for x in (m, b)]
    to = [torch.empty(x.nnz + 1, device=DEVICE) for x in (m, b)]
    c.data = cases.dense(c.nnz, 1)
    wanted, masks = coo(c), (coo(m), coo(b))
    return [lambda: [x.scatter_(0, p, g) for x, p in zip(to, places)],
            lambda: [wanted.sparse_mask(x) for x in masks]]


def multiply_pair(m, _n):
    """The same; or by autograd, whose results are COO tensors with the entries of the product."""
    b = cases.shifted(m)
    c = cases.common_pattern(m, b)
    g, (of_a, of_b) = dense(c.nnz, 1), (tensor(cases.places(x, c)) for x in (m, b))
    a_values, b_values = tensor(m.data), tensor(b.data)
    to_a, to_b = torch.empty_like(a_values), torch.empty_like(b_values)

    def by_places():
        to_a.zero_().index_copy_(0, of_a, g * b_values[of_b])
        to_b.zero_().index_copy_(0, of_b, g * a_values[of_a])

    c.data = cases.dense(c.nnz, 1)
    with_graph = coo(m).requires_grad_(), coo(b).requires_grad_()
    return [by_places, by_autograd(with_graph[0] * with_graph[1], with_graph, coo(c))]


# --- embeddings ---------------------------------------------------------------------------------------

def embedding(m, n):
    """Dense, or the rows of all ids, coalesced as sparcl's are."""
    g, ids, rows = dense(m.nnz, n), tensor(m.indices.astype(np.int64)), m.shape[1]
    return [lambda: aten.embedding_dense_backward(g, ids, rows, -1, False),
            lambda: aten.embedding_sparse_backward(g, ids, rows, -1, False).coalesce()]


def bag(kind):
    def calls(m, n):
        g, ids = dense(m.shape[0], n), tensor(m.indices.astype(np.int64))
        begins, rows, mode = offsets_of(m)[:-1].contiguous(), m.shape[1], {"mean": 1, "max": 2}.get(kind, 0)
        table = dense(rows, n)
        # pylint: disable=protected-access
        _, bags, sizes, chosen = aten._embedding_bag(table, ids, begins, False, mode)
        bags = rows_of(m) if bags.numel() == 0 else bags
        if kind == "weights":
            return [lambda: aten._embedding_bag_per_sample_weights_backward(g, table, ids, begins, bags, 0)]
        found = [lambda: aten._embedding_bag_dense_backward(g, ids, bags, sizes, chosen, rows, False, mode, None)]
        if kind == "max":  # PyTorch has no row-sparse one
            return found + [lambda: torch.zeros_like(table).scatter_add_(0, chosen, g), by_ids(ids, chosen, g)]
        return found + [lambda: aten._embedding_bag_sparse_backward(g, ids, begins, bags, sizes, rows, False, mode,
                                                                    None).coalesce()]
    return calls


def by_ids(ids, chosen, g):
    """The rows of the distinct ids only; chosen: the row of each maximum."""
    def call():
        found = torch.unique(ids)
        rows = torch.zeros(len(found), g.shape[1], device=DEVICE)
        return found, rows.scatter_add_(0, torch.searchsorted(found, chosen), g)
    return call


# By the name of the operation: the calls that compute its gradient, of a matrix and n.
CALLS = {
    "clip-gradient": clip, "tanh-gradient": tanh, "multiply-gradient": multiply, "dropout-gradient": dropout,
    "dot-rows-gradient": dot_rows, "scale-rows-gradient": scale_rows, "scale-columns-gradient": scale_columns,
    "csr-softmax-gradient": softmax, "csr-softmax-heads-gradient": softmax_by_rows, "csr-reduce-gradient": csr_sums,
    "dense-reduce-gradient": norms, "segment-sum-gradient": segments("sum"), "segment-max-gradient": segments("max"),
    "layer-norm-gradient": layer_norm, "batch-norm-gradient": batch_norm, "spmm-mean-gradient": spmm("mean"),
    "spmm-max-gradient": spmm("amax"), "spgemm-gradient": spgemm, "embedding-gradient": embedding,
    "embedding-bag-gradient": bag("sum"), "embedding-bag-mean-gradient": bag("mean"),
    "embedding-bag-max-gradient": bag("max"), "embedding-weights-gradient": bag("weights"),
    "csr-add-gradient": add_pair, "csr-multiply-gradient": multiply_pair,
}
