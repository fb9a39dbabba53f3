"""PyTorch, on the device in PEER_DEVICE: cpu or cuda."""
import functools
import os
import time

import numpy as np
import torch
from torch.nn.functional import embedding_bag as bags

import cases
from peer import NotOffered, Prepared, serve

torch.set_num_threads(os.cpu_count())
DEVICE = torch.device(os.environ.get("PEER_DEVICE", "cpu"))
OPTIMIZERS = {"sgd": torch.optim.SGD, "adagrad": torch.optim.Adagrad, "adam": torch.optim.SparseAdam}


def tensor(array):
    return torch.from_numpy(array).to(DEVICE)


def csr(m, index_type=np.int32):
    return torch.sparse_csr_tensor(tensor(m.indptr.astype(index_type)), tensor(m.indices.astype(index_type)),
                                   tensor(m.data), m.shape)


def dense(rows, columns):
    return tensor(cases.dense(rows, columns))


def ids_of(m):
    return tensor(m.indices.astype(np.int64))


def prepared(call):
    """On a GPU a call returns before the work is done, so the end is waited for."""
    return Prepared(call, torch.cuda.synchronize) if DEVICE.type == "cuda" else Prepared(call)


def fastest(*calls):
    """The one of several ways to compute the same that takes the least time."""
    def once(call):
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin

    def seconds(call):
        call()
        return min(once(call) for _ in range(3))

    return prepared(min(calls, key=seconds))


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
    if op == "csr-reduce":
        values, offsets = tensor(m.data), tensor(m.indptr.astype(np.int64))
        return fastest(lambda: torch.segment_reduce(values, "sum", offsets=offsets),
                       lambda: torch.sum(csr(m), dim=(1,), keepdim=True))
    if op == "csr-softmax":
        return softmax(m)
    if op.startswith("segment-"):
        return segments(op, m, n)
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
    if op == "csr-concat":  # only COO has a concatenation
        a = csr(m).to_sparse_coo()
        return prepared(lambda: torch.cat([a, a]).to_sparse_csr())
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
    if op in ("tanh", "sqrt", "multiply", "scale-rows", "scale-columns"):
        return elementwise(op, m)
    if op in ("step", "dedupe-step"):
        return step(m, n, optimizer, unique=op == "step")
    raise NotOffered(f"{op} is not offered")


serve(prepare)
