"""Limits, reductions, normalisation and concatenation of arrays by PyTorch."""
import numpy as np
import torch

from torch_tensors import DEVICE, dense, tensor


def clip(m, _n):
    x, out = dense(m.nnz, 1), torch.empty(m.nnz, device=DEVICE)
    return [lambda: torch.clamp(x, -0.5, 0.5, out=out)]


def maxima(m, _n):
    """With 0, which elements that are not stored are."""
    values, offsets = tensor(m.data), tensor(m.indptr.astype(np.int64))
    return [lambda: torch.segment_reduce(values, "max", offsets=offsets, initial=0)]


def norms(m, _n):
    values, offsets = tensor(m.data), tensor(m.indptr.astype(np.int64))
    return [lambda: torch.segment_reduce(values * values, "sum", offsets=offsets).sqrt_()]


def sums(axis):
    def calls(m, n):
        x = dense(m.shape[0], n).reshape(-1, n)
        ones = torch.ones(x.shape[axis], device=DEVICE)
        return [lambda: x.sum(axis), lambda: x @ ones if axis else ones @ x]
    return calls


def concat(axis):
    def calls(m, n):
        x, y = dense(m.shape[0], n).reshape(-1, n), dense(m.shape[0], n).reshape(-1, n) + 1
        out = torch.cat([x, y], axis)
        return [lambda: torch.cat([x, y], axis, out=out)]
    return calls


def batch_norm(m, n):
    x, v = dense(m.shape[0], n), dense(n, 2)[:, 0].contiguous()
    spread = v.abs() + 0.5
    return [lambda: torch.nn.functional.batch_norm(x, v, spread, v, v, training=False)]


# By the name of the operation: the calls that compute it, of a matrix and n.
CALLS = {
    "clip": clip, "csr-reduce-max": maxima, "csr-reduce-norm": norms, "dense-reduce": sums(1),
    "dense-reduce-columns": sums(0), "dense-concat": concat(0), "dense-concat-columns": concat(1),
    "batch-norm-inference": batch_norm,
}
