"""Apache MXNet 1.9. Its calls return before the work is done, so many of them can be in flight."""
import numpy as np

np.bool = bool  # MXNet still uses the name
import mxnet as mx

import cases
from peer import NotOffered, Prepared, serve

OPTIMIZERS = {
    "sgd": lambda: mx.optimizer.SGD(lazy_update=True),
    "momentum": lambda: mx.optimizer.SGD(momentum=0.9, lazy_update=True),
    "adagrad": mx.optimizer.AdaGrad,
    "adam": lambda: mx.optimizer.Adam(lazy_update=True),
    "ftrl:preset=mxnet": mx.optimizer.Ftrl,
    "rowwise_adagrad:preset=mxnet": mx.optimizer.contrib.GroupAdaGrad,
    "lars:preset=mxnet": lambda: mx.optimizer.LARS(momentum=0.9, lazy_update=True),
}


def product(m, n, **options):
    if m.shape[0] * m.shape[1] >= 2**31 - 1:
        raise NotOffered("no sparse matrix of 2^31 or more rows x columns")
    a = mx.nd.sparse.csr_matrix((m.data, m.indices.astype(np.int64), m.indptr.astype(np.int64)), shape=m.shape)
    b = mx.nd.array(cases.dense(m.shape[0 if options else 1], n).reshape(-1, n))
    last = {}

    def call():
        last["result"] = mx.nd.sparse.dot(a, b, **options)

    return Prepared(call, lambda: last["result"].wait_to_read())


def retain(m, n):
    ids, listed = (part.astype(np.int64) for part in cases.parts(m, 2))
    x = mx.nd.sparse.row_sparse_array((cases.dense(len(ids), n).reshape(-1, n), ids), shape=(m.shape[1], n))
    rows, last = mx.nd.array(listed, dtype="int64"), {}

    def call():
        last["result"] = mx.nd.sparse.retain(x, rows)

    return Prepared(call, lambda: last["result"].wait_to_read())


def step(m, width, optimizer):
    if optimizer not in OPTIMIZERS:
        raise NotOffered(f"no {optimizer} with a row-sparse gradient")
    ids = np.unique(m.indices).astype(np.int64)
    shape = (m.shape[1], width)
    table = mx.nd.array(cases.dense(*shape).reshape(shape)).tostype("row_sparse")
    gradient = mx.nd.sparse.row_sparse_array((cases.dense(len(ids), width).reshape(-1, width), ids), shape=shape)
    rule = OPTIMIZERS[optimizer]()
    state = rule.create_state(0, table)
    return Prepared(lambda: rule.update(0, table, gradient, state), table.wait_to_read)


def prepare(op, m, n, optimizer):
    if op == "spmm":
        return product(m, n)
    if op == "spmm-t":
        return product(m, n, transpose_a=True)
    if op == "spmm-t-rows":
        return product(m, n, transpose_a=True, forward_stype="row_sparse")
    if op in ("rows-retain-all", "rows-retain-stored"):
        return retain(m, n)
    if op == "step":
        return step(m, n, optimizer)
    raise NotOffered(f"{op} is not offered")


serve(prepare)
