"""PyTorch."""
import os

import numpy as np
import torch

import cases
from peer import NotOffered, Prepared, serve

torch.set_num_threads(os.cpu_count())
OPTIMIZERS = {"sgd": torch.optim.SGD, "adagrad": torch.optim.Adagrad, "adam": torch.optim.SparseAdam}


def csr(m, index_type=np.int32):
    return torch.sparse_csr_tensor(torch.from_numpy(m.indptr.astype(index_type)),
                                   torch.from_numpy(m.indices.astype(index_type)), torch.from_numpy(m.data), m.shape)


def dense(rows, columns):
    return torch.from_numpy(cases.dense(rows, columns))


def ids_of(m):
    return torch.from_numpy(m.indices.astype(np.int64))


def step(m, width, optimizer, unique):
    """The gradient of some rows of a table: each once and sorted, or as often as the ids have it."""
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

    return Prepared(call)


def prepare(op, m, n, optimizer):
    if op == "spmm":
        a, b = csr(m), dense(m.shape[1], n)
        return Prepared(lambda: a @ b)
    if op == "spmm-t":
        a, b = csr(m.T.tocsr()), dense(m.shape[0], n)
        return Prepared(lambda: a @ b)
    if op == "spmm-t-rows":  # as its autograd does: transpose, then multiply
        a, b = csr(m, np.int64), dense(m.shape[0], n)
        return Prepared(lambda: a.t().to_sparse_csr() @ b)
    if op == "transpose":
        a = csr(m)
        return Prepared(a.to_sparse_csc)
    if op == "coalesce":
        i, j, v = cases.shuffled(m)
        ij, v = torch.from_numpy(np.stack([i, j])), torch.from_numpy(v)
        return Prepared(lambda: torch.sparse_coo_tensor(ij, v, m.shape, check_invariants=False).coalesce())
    if op == "bag":
        ids, begins, table = ids_of(m), torch.from_numpy(m.indptr[:-1].astype(np.int64)), dense(m.shape[1], n)
        return Prepared(lambda: torch.nn.functional.embedding_bag(ids, table, begins, mode="sum"))
    if op in ("step", "dedupe-step"):
        return step(m, n, optimizer, unique=op == "step")
    raise NotOffered(f"no {op}")


serve(prepare)
