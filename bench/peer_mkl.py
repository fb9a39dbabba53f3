"""Intel oneMKL, through its C library; MKL_RT is the path of that library.

Before a product is timed, oneMKL gets a hint of 1 000 calls and optimizes the matrix."""
import ctypes as ct
import os

import numpy as np

import cases
from peer import NotOffered, Prepared, serve

PLAIN, TRANSPOSED, ROW_MAJOR, COLUMN_MAJOR, GENERAL, CALLS = 10, 11, 101, 102, 20, 1000
LONGEST_ROW = 50_000  # COO to CSR is quadratic in the length of a row: 69 s for a row of 200 000

mkl = ct.CDLL(os.environ["MKL_RT"])


class Description(ct.Structure):
    _fields_ = [("type", ct.c_int), ("mode", ct.c_int), ("diag", ct.c_int)]


def pointer(array):
    return array.ctypes.data_as(ct.c_void_p)


def check(status):
    if status:
        raise RuntimeError(f"oneMKL's status {status}")


def handle(m):
    h = ct.c_void_p()
    ends = ct.c_void_p(m.indptr.ctypes.data + 4)
    check(mkl.mkl_sparse_s_create_csr(ct.byref(h), 0, m.shape[0], m.shape[1], pointer(m.indptr), ends,
                                      pointer(m.indices), pointer(m.data)))
    return h


def multiplier(h, m, n, operation, layout=ROW_MAJOR):
    """op(m) * B for the handle h of m. In column-major layout B and the result are the transposes of NumPy's arrays."""
    inner, outer = (m.shape[1], m.shape[0]) if operation == PLAIN else m.shape
    by_rows = layout == ROW_MAJOR
    b = cases.dense(inner, n) if by_rows else cases.dense(n, inner)
    c, general = np.zeros((outer, n) if by_rows else (n, outer), np.float32), Description(GENERAL, 0, 0)
    ldb, ldc = (n, n) if by_rows else (inner, outer)
    one, zero = ct.c_float(1), ct.c_float(0)

    def vector():
        check(mkl.mkl_sparse_s_mv(operation, one, h, general, pointer(b), zero, pointer(c)))

    def matrix():
        check(mkl.mkl_sparse_s_mm(operation, one, h, general, layout, pointer(b), n, ldb, zero, pointer(c), ldc))

    call = vector if n == 1 else matrix
    call()
    expected = (m if operation == PLAIN else m.T) @ (b if by_rows else b.T)
    expected = expected.reshape(c.shape) if by_rows else expected.T
    if not np.allclose(c, expected, rtol=1e-3, atol=1e-2):
        raise RuntimeError("oneMKL's product is wrong")
    return Prepared(call)


def product(m, n, operation, layout=ROW_MAJOR):
    h, general = handle(m), Description(GENERAL, 0, 0)
    check(mkl.mkl_sparse_set_mm_hint(h, operation, general, layout, n, CALLS))
    check(mkl.mkl_sparse_optimize(h))
    return multiplier(h, m, n, operation, layout)


def csc_handle(t):
    """Of a CSC matrix, whose arrays must stay."""
    h = ct.c_void_p()
    check(mkl.mkl_sparse_s_create_csc(ct.byref(h), 0, t.shape[0], t.shape[1], pointer(t.indptr),
                                      ct.c_void_p(t.indptr.ctypes.data + 4), pointer(t.indices), pointer(t.data)))
    return h


def coo_handle(t):
    h = ct.c_void_p()
    check(mkl.mkl_sparse_s_create_coo(ct.byref(h), 0, t.shape[0], t.shape[1], ct.c_int(t.nnz), pointer(t.row),
                                      pointer(t.col), pointer(t.data)))
    return h


def unprepared(m, n, op):
    """A CSC or COO matrix as it is, without a hint."""
    t = m.tocsc() if op == "matmul-csc" else m.tocoo()
    found = multiplier(csc_handle(t) if op == "matmul-csc" else coo_handle(t), m, n, PLAIN)
    return Prepared(lambda _alive=t: found.call())


def transpose(m):
    h = handle(m)

    def call():
        result = ct.c_void_p()
        check(mkl.mkl_sparse_convert_csr(h, TRANSPOSED, ct.byref(result)))
        mkl.mkl_sparse_destroy(result)

    return Prepared(call)


def spgemm(m):
    other = cases.factor(m)
    a, b = handle(m), handle(other)

    def call(_alive=(m, other)):  # oneMKL has only the addresses of their arrays
        result = ct.c_void_p()
        check(mkl.mkl_sparse_spmm(PLAIN, a, b, ct.byref(result)))
        mkl.mkl_sparse_destroy(result)

    return Prepared(call)


def add(m):
    other, one = cases.shifted(m), ct.c_float(1)
    a, b = handle(m), handle(other)

    def call(_alive=(m, other)):
        result = ct.c_void_p()
        check(mkl.mkl_sparse_s_add(PLAIN, a, one, b, ct.byref(result)))
        mkl.mkl_sparse_destroy(result)

    return Prepared(call)


def reorder(m):
    if np.diff(m.indptr).max() > LONGEST_ROW:
        raise NotOffered("takes minutes: quadratic in the length of a row")
    i, j, v = cases.shuffled(m)
    i, j = i.astype(np.int32), j.astype(np.int32)

    def call():
        coo, csr = ct.c_void_p(), ct.c_void_p()
        check(mkl.mkl_sparse_s_create_coo(ct.byref(coo), 0, m.shape[0], m.shape[1], ct.c_int(len(v)), pointer(i),
                                          pointer(j), pointer(v)))
        check(mkl.mkl_sparse_convert_csr(coo, PLAIN, ct.byref(csr)))
        check(mkl.mkl_sparse_order(csr))
        mkl.mkl_sparse_destroy(csr)
        mkl.mkl_sparse_destroy(coo)

    return Prepared(call)


def prepare(op, m, n, _optimizer):
    if op == "spmm":
        return product(m, n, PLAIN)
    if op == "csr-reduce":  # it has products only
        return product(m, 1, PLAIN)
    if op in ("matmul-csc", "matmul-coo"):
        return unprepared(m, n, op)
    if op in ("matmul-dense-csr", "matmul-dense-csr-t"):
        return product(m, n, TRANSPOSED if op == "matmul-dense-csr" else PLAIN, COLUMN_MAJOR)
    if op == "csr-reduce-columns":
        return product(m, 1, TRANSPOSED)
    if op == "spmm-t":
        return product(m, n, TRANSPOSED)
    if op == "transpose":
        return transpose(m)
    if op == "reorder":
        return reorder(m)
    if op == "spgemm":
        return spgemm(m)
    if op == "csr-add":
        return add(m)
    raise NotOffered(f"{op} is not offered")


serve(prepare)
