"""PyTorch, on the device in PEER_DEVICE: cpu or cuda."""
import functools

import numpy as np
import torch
from torch.nn.functional import embedding_bag as bags

import cases
import torch_arrays
import torch_gradients
import torch_rows
from peer import NotOffered, serve
from torch_tensors import csr, dense, fastest, prepared, tensor

CALLS = torch_arrays.CALLS | torch_gradients.CALLS | torch_rows.CALLS
OPTIMIZERS = {"sgd": torch.optim.SGD, "adagrad": torch.optim.Adagrad, "adam": torch.optim.SparseAdam}


def ids_of(m):
    return tensor(m.indices.astype(np.int64))


def softmax(m):
    """Of a COO matrix, or from the largest entry and the sum of each row."""
    coo = csr(m, np.int64).to_sparse_coo().coalesce()
    values, rows = tensor(m.data), coo.indices()[0].contiguous()
    empty = torch.zeros(m.shape[0])

    def by_rows():
        top = empty.scatter_reduce(0, rows, values, "amax", include_self=False)
        e = torch.exp(values - top[rows])
        return e / empty.index_add(0, rows, e)[rows]

    return fastest(lambda: torch.sparse.softmax(coo, dim=1), by_rows)


def segments(op, m, n):
    """By offsets, or by ids. Into a result that is there, but for segment_reduce."""
    items, by_column = dense(m.nnz, n), op == "segment-sum-unsorted"
    result = torch.zeros((m.shape[by_column],) + items.shape[1:])
    if op in ("segment-sum", "segment-max"):
        how, offsets = op.removeprefix("segment-"), tensor(m.indptr.astype(np.int64))
        return prepared(lambda: torch.segment_reduce(items, how, offsets=offsets, axis=0))
    ids = tensor(m.indices if by_column else np.repeat(np.arange(m.shape[0], dtype=np.int32), np.diff(m.indptr)))
    long_ids, places = ids.long(), torch.arange(m.shape[0] + 1)
    wide = long_ids[:, None].expand(-1, n) if n > 1 else long_ids
    sums = [lambda: result.zero_().index_add_(0, ids, items), lambda: result.zero_().index_add_(0, long_ids, items),
            lambda: result.zero_().scatter_add_(0, wide, items)]
    if not by_column:
        sums.append(lambda: torch.segment_reduce(items, "sum", offsets=torch.searchsorted(long_ids, places), axis=0))
    return fastest(*sums)


def softmax_heads(m, heads):
    """Of several numbers for each entry. PyTorch has no such function: the operations of torch_geometric's softmax,
    by the row of each entry or by offsets."""
    x, offsets = dense(m.nnz, heads), tensor(m.indptr.astype(np.int64))
    lengths = tensor(np.diff(m.indptr).astype(np.int64))
    rows = torch.repeat_interleave(lengths)
    wide, empty = rows[:, None].expand(-1, heads), torch.zeros(m.shape[0], heads)

    def by_rows():
        top = empty.scatter_reduce(0, wide, x, "amax", include_self=False)
        e = torch.exp(x - top.index_select(0, rows))
        return e / empty.index_add(0, rows, e).index_select(0, rows)

    def by_offsets():
        top = torch.segment_reduce(x, "max", offsets=offsets, axis=0)
        e = torch.exp(x - torch.repeat_interleave(top, lengths, dim=0, output_size=m.nnz))
        sums = torch.segment_reduce(e, "sum", offsets=offsets, axis=0)
        return e / torch.repeat_interleave(sums, lengths, dim=0, output_size=m.nnz)

    return fastest(by_rows, by_offsets)


def matmul(op, m, n):
    """CSC and COO as they are; for dense * CSR the transposed matrix is made before, as for spmm-t."""
    if op == "matmul-csc":
        t = m.tocsc()
        a = torch.sparse_csc_tensor(tensor(t.indptr), tensor(t.indices), tensor(t.data), m.shape)
    elif op == "matmul-coo":
        a = csr(m, np.int64).to_sparse_coo().coalesce()
    if op in ("matmul-csc", "matmul-coo"):
        b = dense(m.shape[1], n)
        return prepared(lambda: a @ b)
    is_transposed = op == "matmul-dense-csr-t"
    right, left = csr(m.T.tocsr() if is_transposed else m), csr(m if is_transposed else m.T.tocsr())
    x = tensor(cases.dense(n, m.shape[is_transposed]))
    return fastest(lambda: x @ right, lambda: (left @ x.t()).t().contiguous())


def add_arrays(m):
    """Four arrays, into one that is there."""
    x = [dense(m.nnz, 1) + t for t in range(4)]
    out = torch.empty_like(x[0])

    def one_by_one():
        torch.add(x[0], x[1], out=out)
        out.add_(x[2])
        return out.add_(x[3])

    return fastest(one_by_one, lambda: torch.sum(torch.stack(x), 0, out=out))


def lookup(op, m, n):
    ids, table = tensor(m.indices), dense(m.shape[1], n)
    limit = {"max_norm": 2.5} if op == "embedding-max-norm" else {}
    calls = [functools.partial(torch.nn.functional.embedding, i, table, **limit) for i in (ids, ids.long())]
    if not limit:
        out = torch.empty(m.nnz, n)
        calls += [functools.partial(torch.index_select, table, 0, i, out=out) for i in (ids, ids.long())]
    return fastest(*calls)


def at_places(op, m):
    """A dense matrix at the entries of a sparse one, or their product."""
    a, x, coo = csr(m, np.int64), dense(*m.shape), m.tocoo()
    i, j = tensor(coo.row.astype(np.int64)), tensor(coo.col.astype(np.int64))
    if op == "sparse-mask":
        return fastest(lambda: x.sparse_mask(a), lambda: x[i, j])
    return fastest(lambda: a * x, lambda: a.values() * x[i, j])


def dots(m, n):
    x, y = dense(m.shape[0], n), dense(m.shape[0], n) + 1
    return fastest(lambda: torch.linalg.vecdot(x, y), lambda: torch.einsum("ij,ij->i", x, y), lambda: (x * y).sum(1))


def columns_sum(m):
    values, columns, out = tensor(m.data), tensor(m.indices), torch.zeros(m.shape[1])
    a = csr(m)
    return fastest(lambda: out.zero_().index_add_(0, columns, values), lambda: torch.sum(a, dim=(0,), keepdim=True))


def step(m, width, optimizer, unique):
    """A step with a sparse gradient: its rows are sorted and unique, or one for each id with duplicates."""
    if optimizer not in OPTIMIZERS:
        raise NotOffered(f"no {optimizer} with a sparse gradient")
    ids = torch.unique(ids_of(m)) if unique else ids_of(m)
    gradient = dense(len(ids), width)
    table = torch.nn.Parameter(dense(m.shape[1], width))
    rule = OPTIMIZERS[optimizer]([table], lr=0.01)
    sorted_rows = torch.sparse_coo_tensor(ids[None], gradient, table.shape, is_coalesced=True) if unique else None

    def call():
        table.grad = sorted_rows if unique else torch.sparse_coo_tensor(ids[None], gradient, table.shape,
                                                                        check_invariants=False)
        rule.step()
        table.grad = None

    return prepared(call)


def bag_step(m, width, optimizer):
    """Bags, their backward pass into a sparse gradient, and a step with it."""
    if optimizer not in OPTIMIZERS:
        raise NotOffered(f"no {optimizer} with a sparse gradient")
    ids, begins, gradient = ids_of(m), tensor(m.indptr[:-1].astype(np.int64)), dense(m.shape[0], width)
    table = torch.nn.Parameter(dense(m.shape[1], width))
    rule = OPTIMIZERS[optimizer]([table], lr=0.01)

    def call():
        bags(ids, table, begins, mode="sum", sparse=True).backward(gradient)
        rule.step()
        table.grad = None

    return prepared(call)


def elementwise(op, m):
    """A function of the values, or their products with others; into an array that is there."""
    x, out = tensor(m.data), tensor(m.data.copy())
    if op in ("tanh", "sqrt"):
        function = getattr(torch, op)
        return prepared(lambda: function(x, out=out))
    if op == "multiply":
        y = dense(m.nnz, 1)
        return prepared(lambda: torch.mul(x, y, out=out))
    if op == "scale-columns":
        v, columns = dense(m.shape[1], 1), tensor(m.indices.astype(np.int32))
        return prepared(lambda: torch.mul(x, v[columns], out=out))
    v, lengths = dense(m.shape[0], 1), tensor(np.diff(m.indptr).astype(np.int64))
    return prepared(lambda: torch.mul(x, torch.repeat_interleave(v, lengths, output_size=m.nnz), out=out))


def largest(keys, values):
    """The largest of the values that have the same key."""
    found, inverse = torch.unique(keys, return_inverse=True)
    most = torch.full(found.shape, -torch.inf, dtype=values.dtype, device=values.device)
    return found, most.scatter_reduce_(0, inverse, values, "amax")


def prepare(op, m, n, optimizer):
    if op in CALLS:
        return fastest(*CALLS[op](m, n))
    if op == "csr-reduce":
        values, offsets = tensor(m.data), tensor(m.indptr.astype(np.int64))
        return fastest(lambda: torch.segment_reduce(values, "sum", offsets=offsets),
                       lambda: torch.sum(csr(m), dim=(1,), keepdim=True))
    if op == "csr-softmax":
        return softmax(m)
    if op == "csr-reduce-columns":
        return columns_sum(m)
    if op == "csr-softmax-heads":
        return softmax_heads(m, n)
    if op.startswith("segment-"):
        return segments(op, m, n)
    if op.startswith("matmul-"):
        return matmul(op, m, n)
    if op == "add-n":
        return add_arrays(m)
    if op in ("embedding", "embedding-max-norm"):
        return lookup(op, m, n)
    if op in ("sparse-mask", "csr-multiply-dense", "csr-multiply-dense-gradient"):
        return at_places(op, m)
    if op == "dot-rows":
        return dots(m, n)
    if op == "spmm":
        a, b = csr(m), dense(m.shape[1], n)
        return prepared(lambda: a @ b)
    if op == "spmm-t":
        a, b = csr(m.T.tocsr()), dense(m.shape[0], n)
        return prepared(lambda: a @ b)
    if op == "spmm-t-rows":  # as PyTorch's autograd does it: transpose, then multiply
        a, b = csr(m, np.int64), dense(m.shape[0], n)
        return prepared(lambda: a.t().to_sparse_csr() @ b)
    if op == "sddmm":
        a, x, y = csr(m), dense(m.shape[0], n), dense(m.shape[1], n).t()
        return prepared(lambda: torch.sparse.sampled_addmm(a, x, y, beta=0, out=a))
    if op in ("spmm-max", "spmm-mean"):
        a, b = csr(m, np.int64), dense(m.shape[1], n)
        return prepared(lambda: torch.sparse.mm(a, b, "amax" if op == "spmm-max" else "mean"))
    if op == "csr-multiply":
        a, b = csr(m, np.int64).to_sparse_coo().coalesce(), csr(cases.shifted(m), np.int64).to_sparse_coo().coalesce()
        return prepared(lambda: a * b)
    if op in ("spgemm", "csr-add"):
        a, b = csr(m), csr(cases.factor(m) if op == "spgemm" else cases.shifted(m))
        return prepared((lambda: a @ b) if op == "spgemm" else (lambda: a + b))
    if op == "transpose":
        a = csr(m)
        return prepared(a.to_sparse_csc)
    if op == "to-dense":
        return prepared(csr(m).to_dense)
    if op == "from-dense":
        return prepared(tensor(m.toarray()).to_sparse_csr)
    if op == "to-bsr":
        a = csr(m)
        return prepared(lambda: a.to_sparse_bsr((4, 4)))
    if op == "topk":  # the 32 largest of each row, in any order
        x = dense(*m.shape)
        return prepared(lambda: torch.topk(x, 32, dim=1, sorted=False))
    if op == "coalesce":
        i, j, v = cases.shuffled(m)
        ij, v = tensor(np.stack([i, j])), tensor(v)
        return prepared(lambda: torch.sparse_coo_tensor(ij, v, m.shape, check_invariants=False).coalesce())
    if op in ("csr-concat", "csr-concat-columns"):  # only COO has a concatenation
        a, dim = csr(m).to_sparse_coo(), int(op == "csr-concat-columns")
        return prepared(lambda: torch.cat([a, a], dim).to_sparse_csr())
    if op in ("csr-take-rows", "csr-take-columns"):  # only COO has a selection
        dim = int(op == "csr-take-columns")
        a, listed = csr(m).to_sparse_coo().coalesce(), tensor(cases.scattered((m.shape[dim] + 1) // 2, m.shape[dim]))
        return prepared(lambda: torch.index_select(a, dim, listed.long()))
    if op == "csr-sum-duplicates":  # only COO has a coalesce
        coo = cases.reversed_rows(m, in_pairs=True).tocoo()
        ij, v = tensor(np.stack([coo.row, coo.col]).astype(np.int64)), tensor(coo.data)
        return prepared(lambda: torch.sparse_coo_tensor(ij, v, m.shape, check_invariants=False).coalesce())
    if op == "coo-coalesce-max":
        i, j, v = cases.shuffled(m)
        key, v = tensor(i.astype(np.int64) * m.shape[1] + j), tensor(v)
        return prepared(lambda: largest(key, v))
    if op == "unique":
        ids = tensor(m.indices)
        return prepared(lambda: torch.unique(ids, return_inverse=True, return_counts=True))
    if op in ("bag", "bag-mean", "bag-max"):
        mode = "sum" if op == "bag" else op.removeprefix("bag-")
        ids, begins, table = tensor(m.indices), tensor(m.indptr[:-1]), dense(m.shape[1], n)
        lists = [(ids, begins), (ids.long(), begins.long())]
        return fastest(*[functools.partial(bags, i, table, b, mode=mode) for i, b in lists])
    if op == "dropout":
        x = dense(m.shape[0], n)
        return prepared(lambda: torch.nn.functional.dropout(x, 0.25))
    if op == "layer-norm":
        x = dense(m.shape[0], n)
        return prepared(lambda: torch.nn.functional.layer_norm(x, (n,)))
    if op == "batch-norm":
        x = dense(m.shape[0], n)
        return prepared(lambda: torch.nn.functional.batch_norm(x, None, None, training=True))
    if op in ("tanh", "sqrt", "multiply", "scale-rows", "scale-columns"):
        return elementwise(op, m)
    if op in ("step", "dedupe-step"):
        return step(m, n, optimizer, unique=op == "step")
    if op == "bag-step":
        return bag_step(m, n, optimizer)
    raise NotOffered(f"{op} is not offered")


serve(prepare)
