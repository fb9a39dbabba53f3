"""SciPy."""
import scipy.sparse as sp

import cases
from peer import NotOffered, Prepared, serve


def prepare(op, m, n, _optimizer):
    if op == "spmm":
        b = cases.dense(m.shape[1], n)
        return Prepared(lambda: m @ b)
    if op == "spmm-t":
        transposed, b = m.T, cases.dense(m.shape[0], n)
        return Prepared(lambda: transposed @ b)
    if op == "transpose":
        return Prepared(m.tocsc)
    if op == "select-rows":
        rows = cases.batch_rows(m)
        return Prepared(lambda: m[rows])
    if op in ("tanh", "sqrt"):
        return Prepared(getattr(m, op))
    if op == "multiply":
        other = m.copy()
        other.data = cases.dense(m.nnz, 1)
        return Prepared(lambda: m.multiply(other))
    if op in ("scale-rows", "scale-columns"):
        diagonal = sp.diags(cases.dense(m.shape[op == "scale-columns"], 1))
        return Prepared(lambda: diagonal @ m if op == "scale-rows" else m @ diagonal)
    i, j, v = cases.shuffled(m)
    if op == "reorder":
        return Prepared(lambda: sp.coo_matrix((v, (i, j)), shape=m.shape).tocsr().sort_indices())
    if op == "coalesce":
        return Prepared(lambda: sp.coo_matrix((v, (i, j)), shape=m.shape).sum_duplicates())
    raise NotOffered(f"{op} is not offered")


serve(prepare)
