"""Intel oneMKL, through its C library; MKL_RT is the path of that library.

Before a product is timed, oneMKL gets a hint of 1 000 calls and optimizes the matrix."""
import ctypes as ct
import os

import numpy as np

import cases
from peer import NotOffered, Prepared, serve

PLAIN, TRANSPOSED, ROW_MAJOR, GENERAL, CALLS = 10, 11, 101, 20, 1000
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


def product(m, n, operation):
    h, general = handle(m), Description(GENERAL, 0, 0)
    inner, outer = (m.shape[1], m.shape[0]) if operation == PLAIN else m.shape
    b, c = cases.dense(inner, n), np.zeros((outer, n), np.float32)
    check(mkl.mkl_sparse_set_mm_hint(h, operation, general, ROW_MAJOR, n, CALLS))
    check(mkl.mkl_sparse_optimize(h))
    one, zero = ct.c_float(1), ct.c_float(0)

    def vector():
        check(mkl.mkl_sparse_s_mv(operation, one, h, general, pointer(b), zero, pointer(c)))

    def matrix():
        check(mkl.mkl_sparse_s_mm(operation, one, h, general, ROW_MAJOR, pointer(b), n, n, zero, pointer(c), n))

    call = vector if n == 1 else matrix
    call()
    expected = (m if operation == PLAIN else m.T) @ b
    if not np.allclose(c.reshape(expected.shape), expected, rtol=1e-3, atol=1e-2):
        raise RuntimeError("oneMKL's product is wrong")
    return Prepared(call)


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
