"""SciPy."""
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

import cases
from peer import NotOffered, Prepared, serve


def softmax(m):
    """Of the entries of each row, from the largest and the sum of it."""
    begins, lengths = m.indptr[:-1], np.diff(m.indptr)
    begins, lengths = begins[lengths > 0], lengths[lengths > 0]
    e = np.exp(m.data - np.repeat(np.maximum.reduceat(m.data, begins), lengths))
    return e / np.repeat(np.add.reduceat(e, begins), lengths)


def log_softmax(m):
    begins, lengths = m.indptr[:-1], np.diff(m.indptr)
    begins, lengths = begins[lengths > 0], lengths[lengths > 0]
    x = m.data - np.repeat(np.maximum.reduceat(m.data, begins), lengths)
    return x - np.repeat(np.log(np.add.reduceat(np.exp(x), begins)), lengths)


def softmax_heads(m, heads):
    """The same with NumPy, of several numbers for each entry."""
    x, begins, lengths = cases.dense(m.nnz, heads), m.indptr[:-1], np.diff(m.indptr)
    begins, lengths = begins[lengths > 0], lengths[lengths > 0]

    def call():
        e = np.exp(x - np.repeat(np.maximum.reduceat(x, begins), lengths, axis=0))
        return e / np.repeat(np.add.reduceat(e, begins), lengths, axis=0)

    return Prepared(call)


def matmul(op, m, n):
    if op == "matmul-csc":
        a, b = m.tocsc(), cases.dense(m.shape[1], n)
        return Prepared(lambda: a @ b)
    if op == "matmul-bsr":
        a, b = m.tobsr((4, 4)), cases.dense(m.shape[1], n)
        return Prepared(lambda: a @ b)
    if op == "matmul-coo":
        a, b = m.tocoo(), cases.dense(m.shape[1], n)
        return Prepared(lambda: a @ b)
    a = m.T if op == "matmul-dense-csr-t" else m
    x = cases.dense(n, a.shape[0])
    return Prepared(lambda: x @ a)


def without_small(m):
    pruned = m.copy()
    pruned.data[np.abs(pruned.data) <= 0.5] = 0
    pruned.eliminate_zeros()
    return pruned


def shape_call(op, m):
    """Operations on the order and shape of a CSR matrix, of a copy where SciPy does them in place; None for others."""
    if op == "csr-concat":
        return lambda: sp.vstack([m, m], format="csr")
    if op == "csr-concat-columns":
        return lambda: sp.hstack([m, m], format="csr")
    if op == "csr-block-diagonal":
        return lambda: sp.block_diag((m, m), format="csr")
    if op == "csr-slice-columns":
        first = m.shape[1] // 4
        return lambda: m[:, first:m.shape[1] - first]
    if op == "csr-slice-rows":
        row = m.shape[0] // 4
        return lambda: m[row:m.shape[0] - row]
    if op == "csr-prune":
        return lambda: without_small(m)
    if op == "csr-retain-rows":
        kept = sp.diags((np.arange(m.shape[0]) % 2 == 0).astype(np.float32), format="csr")
        return lambda: kept @ m
    if op == "convert":
        return lambda: m.tocoo().tocsr()
    if op == "convert-shared":
        return lambda: m.tocoo(copy=False).tocsr()
    if op == "csr-take-rows":
        rows = cases.scattered((m.shape[0] + 1) // 2, m.shape[0])
        return lambda: m[rows]
    if op in ("dense-to-coo", "csc-to-dense"):
        x, columns = m.toarray(), m.tocsc()
        # row-major, as ours; the default of CSC matrices is column-major
        return (lambda: columns.toarray(order="C")) if op == "csc-to-dense" else lambda: sp.coo_matrix(x)
    if op == "coo-reshape":
        entries = m.tocoo()
        return lambda: entries.reshape((2 * m.shape[0], m.shape[1] // 2))
    if op in ("coo-concat", "coo-permute"):
        coo = m.tocoo()
        return (lambda: sp.vstack([coo, coo], format="coo")) if op == "coo-concat" else (lambda: coo.T.tocsr().tocoo())
    if op in ("coo-add", "coo-multiply"):  # SciPy does both by CSR matrices
        a, b = m.tocoo(), cases.shifted(m).tocoo()
        return (lambda: (a + b).tocoo()) if op == "coo-add" else (lambda: a.multiply(b).tocoo())
    if op in ("coo-to-dense", "bsr-to-dense"):
        return (m.tocoo() if op == "coo-to-dense" else m.tobsr((4, 4))).toarray
    if op == "bsr-to-csr":
        return m.tobsr((4, 4)).tocsr
    if op == "csr-take-columns":
        columns = cases.scattered((m.shape[1] + 1) // 2, m.shape[1])
        return lambda: m[:, columns]
    if op == "csr-triangle":
        return lambda: sp.tril(m, format="csr")
    if op == "csr-eliminate-zeros":
        zeros = cases.with_zeros(m)
        return lambda: zeros.copy().eliminate_zeros()
    if op == "csr-sort-indices":
        return cases.reversed_rows(m).sorted_indices
    if op == "csr-sum-duplicates":
        pairs = cases.reversed_rows(m, in_pairs=True)
        return lambda: pairs.copy().sum_duplicates()
    if op == "csr-reshape":
        return lambda: m.reshape((2 * m.shape[0], m.shape[1] // 2)).tocsr()
    return None


def add_arrays(m):
    """With NumPy, into an array that is there."""
    x = [cases.dense(m.nnz, 1) + np.float32(t) for t in range(4)]
    out = np.empty_like(x[0])

    def call():
        np.add(x[0], x[1], out=out)
        np.add(out, x[2], out=out)
        np.add(out, x[3], out=out)

    return Prepared(call)


def segments(op, m, n):
    """Sums by a product with a matrix of ones, in CSR format by offsets and in CSC format by ids; maxima by offsets."""
    items = cases.dense(m.nnz, n)
    if op == "segment-max":
        begins = m.indptr[:-1][np.diff(m.indptr) > 0]
        return Prepared(lambda: np.maximum.reduceat(items, begins, axis=0))
    ones, entries = np.ones(m.nnz, np.float32), np.arange(m.nnz + 1)
    if op == "segment-sum":
        a = sp.csr_matrix((ones, entries[:-1], m.indptr), shape=(m.shape[0], m.nnz))
    else:
        by_column = op == "segment-sum-unsorted"
        ids = m.indices if by_column else np.repeat(np.arange(m.shape[0]), np.diff(m.indptr))
        a = sp.csc_matrix((ones, ids, entries), shape=(m.shape[by_column], m.nnz))
    return Prepared(lambda: a @ items)


def largest(i, j, v, columns):
    """The largest of the values that have the same indices, with NumPy: SciPy only adds them."""
    keys, inverse = np.unique(i * np.int64(columns) + j, return_inverse=True)
    values = np.full(len(keys), -np.inf, v.dtype)
    np.maximum.at(values, inverse, v)
    return keys // columns, keys % columns, values


def by_rows(op, m):
    """Reductions of the rows of m and gradients of scaled rows and columns; None for other operations."""
    begins, lengths = m.indptr[:-1], np.diff(m.indptr)
    begins, g = begins[lengths > 0], cases.dense(m.nnz, 1)
    if op == "csr-reduce-max":
        return lambda: m.max(axis=1)
    if op == "csr-reduce-norm":
        return lambda: scipy.sparse.linalg.norm(m, axis=1)
    if op == "csr-reduce-gradient":
        by_row = cases.dense(m.shape[0], 1)
        return lambda: np.repeat(by_row, lengths)
    if op == "scale-rows-gradient":
        return lambda: np.add.reduceat(m.data * g, begins)
    if op == "scale-columns-gradient":
        return lambda: np.bincount(m.indices, m.data * g, m.shape[1])
    return None


def pair_gradient(op, m):
    """Of a sum or a product of two matrices, with NumPy: by the places of the entries, which are known."""
    b = cases.shifted(m)
    c = cases.sum_pattern(m, b) if op == "csr-add-gradient" else cases.common_pattern(m, b)
    g, (of_a, of_b) = cases.dense(c.nnz, 1), (cases.places(x, c) for x in (m, b))
    to_a, to_b = np.empty(m.nnz + 1, np.float32), np.empty(b.nnz + 1, np.float32)

    def of_sum():
        to_a[of_a] = g
        to_b[of_b] = g

    def of_product():
        to_a.fill(0)
        to_b.fill(0)
        to_a[of_a] = g * b.data[of_b]
        to_b[of_b] = g * m.data[of_a]

    return of_sum if op == "csr-add-gradient" else of_product


def spgemm_gradient(m):
    """Both products for the entries of m and b only: of each term the gradient of its element, by indexing C."""
    b, rows = cases.factor(m), np.repeat(np.arange(m.shape[0], dtype=np.int32), np.diff(m.indptr))
    g = cases.product_pattern(m, b)
    g.data = cases.dense(g.nnz, 1)
    entries = sp.csr_matrix((np.arange(b.nnz), b.indices, b.indptr), shape=b.shape)

    def call():
        factors = entries[m.indices]  # the row of b for each entry of m
        lengths = np.diff(factors.indptr)
        terms = np.asarray(g[np.repeat(rows, lengths), factors.indices]).ravel()
        to_a = np.add.reduceat(terms * b.data[factors.data], factors.indptr[:-1])
        return to_a, np.bincount(factors.data, terms * np.repeat(m.data, lengths), b.nnz)

    return call


def row_sparse(op, m, n):
    """Row-sparse arrays with a row for each entry, with NumPy and a product with ones; None for other operations."""
    ids, x, half = m.indices, cases.dense(m.nnz, n).reshape(-1, n), m.nnz // 2
    if op == "rows-concat":
        to_ids, to = np.empty_like(ids), np.empty_like(x)
        return lambda: (np.concatenate([ids[:half], ids[half:]], out=to_ids),
                        np.concatenate([x[:half], x[half:]], out=to))
    if op in ("rows-reduce", "rows-reduce-columns"):
        return lambda: x.sum(axis=int(op == "rows-reduce"))

    def coalesce():
        found, inverse = np.unique(ids, return_inverse=True)
        ones = sp.csc_matrix((np.ones(m.nnz, np.float32), inverse, np.arange(m.nnz + 1)), shape=(len(found), m.nnz))
        return found, ones @ x

    return coalesce if op == "rows-coalesce" else None


def softmax_gradient(m, n):
    """With NumPy, of n numbers for each entry."""
    y, g = cases.dense(m.nnz, n), cases.dense(m.nnz, n) + np.float32(1)
    begins, lengths = m.indptr[:-1], np.diff(m.indptr)
    begins, lengths = begins[lengths > 0], lengths[lengths > 0]
    return Prepared(lambda: y * (g - np.repeat(np.add.reduceat(y * g, begins), lengths, axis=0)))


def arrays(op, m, n):
    """Operations on dense arrays, with NumPy; None for others."""
    if op == "clip":
        x, out = cases.dense(m.nnz, 1), np.empty(m.nnz, np.float32)
        return lambda: np.clip(x, -0.5, 0.5, out=out)
    if op == "relu":
        x, out = m.data, np.empty(m.nnz, np.float32)
        return lambda: np.maximum(x, np.float32(0), out=out)
    if op == "rows-mask":
        (ids, _), x = cases.parts(m, 2), cases.dense(m.shape[1], n).reshape(-1, n)
        out = np.empty((len(ids), n), np.float32)
        return lambda: np.take(x, ids, axis=0, out=out, mode="clip")
    if op == "add-scalar":
        x, out = cases.dense(m.nnz, 1), np.empty(m.nnz, np.float32)
        return lambda: np.add(x, np.float32(0.3), out=out)
    if op in ("dense-split", "dense-split-columns"):
        axis = int(op == "dense-split-columns")
        x = np.concatenate([cases.dense(m.shape[0], n).reshape(-1, n)] * 2, axis)
        parts = [part.copy() for part in np.split(x, 2, axis)]
        return lambda: [np.copyto(to, part) for to, part in zip(parts, np.split(x, 2, axis))]
    if op == "multiply-gradient":
        x, y, g = (cases.dense(m.nnz, 1) + np.float32(t) for t in range(3))
        to_x, to_y = np.empty_like(x), np.empty_like(y)
        return lambda: (np.multiply(g, y, out=to_x), np.multiply(g, x, out=to_y))
    if op in ("dense-reduce", "dense-reduce-columns"):
        x = cases.dense(m.shape[0], n).reshape(-1, n)
        return lambda: x.sum(axis=int(op == "dense-reduce"))
    if op in ("dense-concat", "dense-concat-columns"):
        axis, x = int(op == "dense-concat-columns"), cases.dense(m.shape[0], n).reshape(-1, n)
        out = np.concatenate([x, x], axis)
        return lambda: np.concatenate([x, x], axis, out=out)
    return None


def prepare(op, m, n, _optimizer):
    found = by_rows(op, m) or arrays(op, m, n)
    if op.startswith("rows-") and not found:
        found = row_sparse(op, m, n)
    if op in ("csr-add-gradient", "csr-multiply-gradient"):
        found = pair_gradient(op, m)
    if op == "spgemm-gradient":
        found = spgemm_gradient(m)
    if found:
        return Prepared(found)
    if op in ("csr-softmax-gradient", "csr-softmax-heads-gradient"):
        return softmax_gradient(m, n)
    if op == "csr-reduce":
        return Prepared(lambda: m.sum(axis=1))
    if op == "csr-softmax":
        return Prepared(lambda: softmax(m))
    if op == "csr-log-softmax":
        return Prepared(lambda: log_softmax(m))
    if op == "csr-reduce-columns":
        return Prepared(lambda: m.sum(axis=0))
    if op == "csr-softmax-heads":
        return softmax_heads(m, n)
    if op.startswith("segment-"):
        return segments(op, m, n)
    if op.startswith("matmul-"):
        return matmul(op, m, n)
    if op == "add-n":
        return add_arrays(m)
    if op == "embedding":
        table, out = cases.dense(m.shape[1], n), np.empty((m.nnz, n), np.float32)
        return Prepared(lambda: np.take(table, m.indices, axis=0, out=out, mode="clip"))
    if op == "dot-rows":
        x, y = cases.dense(m.shape[0], n), cases.dense(m.shape[0], n) + np.float32(1)
        return Prepared(lambda: np.einsum("ij,ij->i", x, y))
    if op in ("sparse-mask", "coo-mask"):
        rows, x = m.tocoo().row, cases.dense(*m.shape)
        return Prepared(lambda: x[rows, m.indices])
    if op == "csr-multiply-dense":
        x = cases.dense(*m.shape)
        return Prepared(lambda: m.multiply(x))
    if op == "csr-multiply-dense-gradient":
        rows, x = m.tocoo().row, cases.dense(*m.shape)
        return Prepared(lambda: m.data * x[rows, m.indices])
    if op == "spmm":
        b = cases.dense(m.shape[1], n)
        return Prepared(lambda: m @ b)
    if op == "spmm-t":
        transposed, b = m.T, cases.dense(m.shape[0], n)
        return Prepared(lambda: transposed @ b)
    if op == "transpose":
        return Prepared(m.tocsc)
    moves = shape_call(op, m)
    if moves:
        return Prepared(moves)
    if op == "unique":
        return Prepared(lambda: np.unique(m.indices, return_inverse=True, return_counts=True))
    if op == "to-dense":
        return Prepared(m.toarray)
    if op == "from-dense":
        dense = m.toarray()
        return Prepared(lambda: sp.csr_matrix(dense))
    if op == "to-bsr":
        return Prepared(lambda: m.tobsr((4, 4)))
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
    if op == "sddmm":  # as SciPy has it: a product of the gathered rows
        rows, x, y = m.tocoo().row, cases.dense(m.shape[0], n), cases.dense(m.shape[1], n)
        return Prepared(lambda: np.einsum("ij,ij->i", x[rows], y[m.indices]))
    if op == "spgemm":
        b = cases.factor(m)
        return Prepared(lambda: m @ b)
    if op in ("csr-add", "csr-multiply"):
        b = cases.shifted(m)
        return Prepared((lambda: m + b) if op == "csr-add" else (lambda: m.multiply(b)))
    i, j, v = cases.shuffled(m)
    if op == "reorder":
        return Prepared(lambda: sp.coo_matrix((v, (i, j)), shape=m.shape).tocsr().sort_indices())
    if op == "coalesce":
        return Prepared(lambda: sp.coo_matrix((v, (i, j)), shape=m.shape).sum_duplicates())
    if op == "coo-coalesce-max":
        return Prepared(lambda: largest(i, j, v, m.shape[1]))
    raise NotOffered(f"{op} is not offered")


serve(prepare)
