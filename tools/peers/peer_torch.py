"""PyTorch, on the device in PEER_DEVICE: cpu or cuda."""
import os

import numpy as np
import torch

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


def prepare(op, m, n, optimizer):
    if op == "spmm":
        a, b = csr(m), dense(m.shape[1], n)
        return prepared(lambda: a @ b)
    if op == "spmm-t":
        a, b = csr(m.T.tocsr()), dense(m.shape[0], n)
        return prepared(lambda: a @ b)
    if op == "spmm-t-rows":  # as PyTorch's autograd does it: transpose, then multiply
        a, b = csr(m, np.int64), dense(m.shape[0], n)
        return prepared(lambda: a.t().to_sparse_csr() @ b)
    if op == "transpose":
        a = csr(m)
        return prepared(a.to_sparse_csc)
    if op == "coalesce":
        i, j, v = cases.shuffled(m)
        ij, v = tensor(np.stack([i, j])), tensor(v)
        return prepared(lambda: torch.sparse_coo_tensor(ij, v, m.shape, check_invariants=False).coalesce())
    if op == "bag":
        ids, begins, table = ids_of(m), tensor(m.indptr[:-1].astype(np.int64)), dense(m.shape[1], n)
        return prepared(lambda: torch.nn.functional.embedding_bag(ids, table, begins, mode="sum"))
    if op in ("tanh", "sqrt", "multiply", "scale-rows", "scale-columns"):
        return elementwise(op, m)
    if op in ("step", "dedupe-step"):
        return step(m, n, optimizer, unique=op == "step")
    raise NotOffered(f"{op} is not offered")


serve(prepare)
