"""Operations on dense arrays and COO tensors, and conversions, by PyTorch."""
import numpy as np
import torch

import cases
from torch_tensors import DEVICE, coo, csr, dense, tensor


def clip(m, _n):
    x, out = dense(m.nnz, 1), torch.empty(m.nnz, device=DEVICE)
    return [lambda: torch.clamp(x, -0.5, 0.5, out=out)]


def relu(m, _n):
    x, out = tensor(m.data), torch.empty(m.nnz, device=DEVICE)
    return [lambda: torch.clamp(x, min=0, out=out), lambda: torch.relu(x)]


def log_softmax(m, _n):
    """Of a COO matrix, or from the largest entry and the sum of each row."""
    a, values = coo(m), tensor(m.data)
    rows, empty = a.indices()[0].contiguous(), torch.zeros(m.shape[0], device=DEVICE)

    def by_rows():
        x = values - empty.scatter_reduce(0, rows, values, "amax", include_self=False)[rows]
        return x - empty.index_add(0, rows, torch.exp(x)).log_()[rows]

    return [lambda: torch.sparse.log_softmax(a, dim=1), by_rows]


def matmul_bsr(m, n):
    a, b = csr(m).to_sparse_bsr((4, 4)), dense(m.shape[1], n)
    return [lambda: a @ b]


def bag_sqrtn(m, n):
    """The sum with weights, one divided by the root of the number of ids."""
    lengths = np.diff(m.indptr)
    weights = tensor(np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths).astype(np.float32))
    table, ids, begins = dense(m.shape[1], n), tensor(m.indices), tensor(m.indptr[:-1])
    bags = torch.nn.functional.embedding_bag
    return [lambda: bags(ids, table, begins, mode="sum", per_sample_weights=weights)]


def convert(m, _n):
    a = csr(m, np.int64)
    return [lambda: a.to_sparse_coo().to_sparse_csr()]


def add_scalar(m, _n):
    x, out = dense(m.nnz, 1), torch.empty(m.nnz, device=DEVICE)
    return [lambda: torch.add(x, 0.3, out=out)]


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


def split(axis):
    """Into arrays that are there: `split` itself gives views."""
    def calls(m, n):
        x = torch.cat([dense(m.shape[0], n).reshape(-1, n)] * 2, axis)
        size = x.shape[axis] // 2
        parts = [part.clone() for part in x.split(size, axis)]

        def by_copies():
            for to, part in zip(parts, x.split(size, axis)):
                to.copy_(part)

        return [by_copies, lambda: torch.split_copy(x, size, axis, out=parts)]
    return calls


def batch_norm(m, n):
    x, v = dense(m.shape[0], n), dense(n, 2)[:, 0].contiguous()
    spread = v.abs() + 0.5
    return [lambda: torch.nn.functional.batch_norm(x, v, spread, v, v, training=False)]


# --- entries ----------------------------------------------------------------------------------

def prune(m, _n):
    """Of COO entries, as PyTorch has no such function of CSR tensors."""
    a = coo(m)
    ij, v = a.indices(), a.values()

    def call():
        kept = (v.abs() > 0.5).nonzero()[:, 0]
        return torch.sparse_coo_tensor(ij.index_select(1, kept), v.index_select(0, kept), m.shape, is_coalesced=True)

    return [call]


def coo_slice(m, _n):
    a, (rows, columns) = coo(m), m.shape
    return [lambda: a.narrow_copy(0, rows // 4, rows - 2 * (rows // 4)).narrow_copy(
        1, columns // 4, columns - 2 * (columns // 4))]


def coo_concat(m, _n):
    a = coo(m)
    return [lambda: torch.cat([a, a])]


def coo_permute(m, _n):
    a = coo(m)
    return [lambda: a.t().coalesce()]


def coo_add(m, _n):
    """Coalesced, as sparcl's sum is; PyTorch's is on CPUs, where that does nothing more."""
    a, b = coo(m), coo(cases.shifted(m))
    return [lambda: (a + b).coalesce()]


def coo_multiply(m, _n):
    a, b = coo(m), coo(cases.shifted(m))
    return [lambda: (a * b).coalesce()]


def coo_maxima(m, _n):
    """Of the entries that are stored, 0 for a row without one: PyTorch's sparse sum has no maximum."""
    a, out = coo(m), torch.zeros(m.shape[0], device=DEVICE)
    rows, values = a.indices()[0].contiguous(), a.values()
    ids = torch.arange(m.shape[0] + 1, device=DEVICE)

    def by_segments():
        offsets = torch.searchsorted(rows, ids)
        return torch.segment_reduce(values, "max", offsets=offsets).masked_fill_(offsets.diff() == 0, 0)

    return [lambda: out.zero_().scatter_reduce_(0, rows, values, "amax", include_self=False), by_segments]


def coo_mask(m, _n):
    a, x = coo(m), dense(*m.shape)
    i, j = a.indices()[0].contiguous(), a.indices()[1].contiguous()
    return [lambda: x.sparse_mask(a), lambda: x[i, j]]


# --- conversions ------------------------------------------------------------------------------

def bsr_to_dense(m, _n):
    return [csr(m).to_sparse_bsr((4, 4)).to_dense]


def coo_to_dense(m, _n):
    return [coo(m).to_dense]


def csc_to_dense(m, _n):
    t = m.tocsc()
    return [torch.sparse_csc_tensor(tensor(t.indptr), tensor(t.indices), tensor(t.data), m.shape).to_dense]


def dense_to_coo(m, _n):
    return [tensor(m.toarray()).to_sparse]


def csr_to_rows(m, _n):
    """By a dense array of all rows, or of those with entries, whose other offsets are left out."""
    a = csr(cases.with_empty_rows(m), np.int64)

    def by_rows():
        offsets = a.crow_indices()
        ids = offsets.diff().nonzero()[:, 0]
        rows = torch.sparse_csr_tensor(torch.cat([offsets[:1], offsets[ids + 1]]), a.col_indices(), a.values(),
                                       (len(ids), m.shape[1]), check_invariants=False).to_dense()
        return torch.sparse_coo_tensor(ids[None], rows, m.shape, is_coalesced=True)

    return [by_rows, lambda: a.to_dense().to_sparse(1)]


def dense_to_rows(m, _n):
    x = tensor(cases.with_empty_rows(m).toarray())
    return [lambda: x.to_sparse(1)]


def rows_to_dense(m, _n):
    return [tensor(cases.with_empty_rows(m).toarray()).to_sparse(1).to_dense]


def rows_to_csr(m, _n):
    """Of the rows as a matrix; then the offsets of all rows."""
    rows = tensor(cases.with_empty_rows(m).toarray()).to_sparse(1)
    ids, values = rows.indices()[0], rows.values()

    def by_rows():
        a = values.to_sparse_csr()
        lengths = torch.zeros(m.shape[0] + 1, dtype=torch.int64, device=DEVICE)
        lengths[ids + 1] = a.crow_indices().diff()
        return torch.sparse_csr_tensor(lengths.cumsum(0), a.col_indices(), a.values(), m.shape, check_invariants=False)

    return [by_rows, lambda: rows.to_dense().to_sparse_csr()]


# By the name of the operation: the calls that compute it, of a matrix and n.
CALLS = {
    "clip": clip, "relu": relu, "csr-log-softmax": log_softmax, "matmul-bsr": matmul_bsr, "bag-sqrtn": bag_sqrtn,
    "convert": convert, "convert-shared": convert, "add-scalar": add_scalar, "csr-reduce-max": maxima,
    "csr-reduce-norm": norms, "dense-reduce": sums(1),
    "dense-reduce-columns": sums(0), "dense-concat": concat(0), "dense-concat-columns": concat(1),
    "dense-split": split(0), "dense-split-columns": split(1),
    "batch-norm-inference": batch_norm, "csr-prune": prune, "coo-slice": coo_slice, "coo-concat": coo_concat,
    "coo-permute": coo_permute, "coo-add": coo_add, "coo-multiply": coo_multiply, "coo-reduce-max": coo_maxima,
    "coo-mask": coo_mask, "bsr-to-dense": bsr_to_dense, "coo-to-dense": coo_to_dense,
    "csc-to-dense": csc_to_dense, "dense-to-coo": dense_to_coo, "csr-to-rows": csr_to_rows,
    "dense-to-rows": dense_to_rows, "rows-to-dense": rows_to_dense, "rows-to-csr": rows_to_csr,
}
