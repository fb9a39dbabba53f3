"""TensorFlow."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

import cases
from peer import NotOffered, Prepared, serve

KERAS, TRAIN, RAW = tf.keras.optimizers, tf.compat.v1.train, tf.raw_ops
RATE = 0.01
# Keras 3, most of whose rules move all rows.
KERAS_OPTIMIZERS = {
    "sgd": KERAS.SGD, "adagrad": KERAS.Adagrad, "adam": KERAS.Adam,
    "momentum:preset=keras3": lambda lr: KERAS.SGD(lr, momentum=0.9), "adam:preset=keras3": KERAS.Adam,
    "amsgrad:preset=keras3": lambda lr: KERAS.Adam(lr, amsgrad=True), "nadam:preset=keras3": KERAS.Nadam,
    "adamax:preset=keras3": KERAS.Adamax, "lion:preset=keras3": KERAS.Lion, "lamb:preset=keras3": KERAS.Lamb,
    "rmsprop:preset=keras3": KERAS.RMSprop, "adadelta:preset=keras3": KERAS.Adadelta,
    "ftrl:preset=keras3": KERAS.Ftrl}
# Those of version 1, which move the rows of the gradient, and add its repeated rows first.
TRAIN_OPTIMIZERS = {
    "momentum:preset=tf1": lambda lr: TRAIN.MomentumOptimizer(lr, 0.9),
    "rmsprop_momentum:preset=tf1": lambda lr: TRAIN.RMSPropOptimizer(lr, momentum=0.9),
    "rmsprop_centered_momentum:preset=tf1": lambda lr: TRAIN.RMSPropOptimizer(lr, momentum=0.9, centered=True),
    "adadelta:preset=tf1": TRAIN.AdadeltaOptimizer, "ftrl:preset=tf1": TRAIN.FtrlOptimizer,
    "proximal_sgd:preset=tf1": TRAIN.ProximalGradientDescentOptimizer,
    "proximal_adagrad:preset=tf1": TRAIN.ProximalAdagradOptimizer,
    "adagrad_da:preset=tf1": lambda lr: TRAIN.AdagradDAOptimizer(lr, tf.Variable(1, dtype=tf.int64))}
# Their kernels, for rows without repetition: the states, and a call.
KERNELS = {
    "momentum:preset=tf1": (1, lambda w, s, g, i: RAW.ResourceSparseApplyMomentum(
        var=w, accum=s[0], lr=RATE, grad=g, indices=i, momentum=0.9)),
    "rmsprop_momentum:preset=tf1": (2, lambda w, s, g, i: RAW.ResourceSparseApplyRMSProp(
        var=w, ms=s[0], mom=s[1], lr=RATE, rho=0.9, momentum=0.9, epsilon=1e-10, grad=g, indices=i)),
    "rmsprop_centered_momentum:preset=tf1": (3, lambda w, s, g, i: RAW.ResourceSparseApplyCenteredRMSProp(
        var=w, mg=s[0], ms=s[1], mom=s[2], lr=RATE, rho=0.9, momentum=0.9, epsilon=1e-10, grad=g, indices=i)),
    "adadelta:preset=tf1": (2, lambda w, s, g, i: RAW.ResourceSparseApplyAdadelta(
        var=w, accum=s[0], accum_update=s[1], lr=RATE, rho=0.95, epsilon=1e-8, grad=g, indices=i)),
    "ftrl:preset=tf1": (2, lambda w, s, g, i: RAW.ResourceSparseApplyFtrl(
        var=w, accum=s[0], linear=s[1], grad=g, indices=i, lr=RATE, l1=0.0, l2=0.0, lr_power=-0.5)),
    "proximal_sgd:preset=tf1": (0, lambda w, s, g, i: RAW.ResourceSparseApplyProximalGradientDescent(
        var=w, alpha=RATE, l1=0.0, l2=0.0, grad=g, indices=i)),
    "proximal_adagrad:preset=tf1": (1, lambda w, s, g, i: RAW.ResourceSparseApplyProximalAdagrad(
        var=w, accum=s[0], lr=RATE, l1=0.0, l2=0.0, grad=g, indices=i)),
    "adagrad_da:preset=tf1": (2, lambda w, s, g, i: RAW.ResourceSparseApplyAdagradDA(
        var=w, gradient_accumulator=s[0], gradient_squared_accumulator=s[1], grad=g, indices=i, lr=RATE, l1=0.0,
        l2=0.0, global_step=tf.constant(1, tf.int64)))}


def sparse(m):
    coo = m.tocoo()
    return tf.sparse.SparseTensor(np.stack([coo.row, coo.col], 1).astype(np.int64), coo.data, m.shape)


def product(m, n, transposed):
    a = sparse(m)
    b = tf.constant(cases.dense(m.shape[0 if transposed else 1], n).reshape(-1, n))
    last = {}

    def call():
        last["result"] = tf.sparse.sparse_dense_matmul(a, b, adjoint_a=transposed)

    return Prepared(call, lambda: last["result"].numpy())


def step(m, width, optimizer, unique):
    """A step with the rows of a gradient, which are sorted and unique, or one for each id with duplicates."""
    found = np.unique(m.indices) if unique else m.indices
    ids, gradient = tf.constant(found.astype(np.int64)), tf.constant(cases.dense(len(found), width))
    table = tf.Variable(cases.dense(m.shape[1], width))
    shape = tf.constant([m.shape[1], width], tf.int64)
    if unique and optimizer in KERNELS:
        states, kernel = KERNELS[optimizer]
        slots = [tf.Variable(tf.fill(table.shape, 0.5)) for _ in range(states)]
        handles = [slot.handle for slot in slots]

        def apply():
            kernel(table.handle, handles, gradient, ids)

        return Prepared(tf.function(apply))
    if optimizer in KERAS_OPTIMIZERS:
        rule = KERAS_OPTIMIZERS[optimizer](RATE)
        rule.build([table])
    elif optimizer in TRAIN_OPTIMIZERS:
        rule = TRAIN_OPTIMIZERS[optimizer](RATE)
    else:
        raise NotOffered(f"{optimizer} is not compared")

    def call():
        rule.apply_gradients([(tf.IndexedSlices(gradient, ids, shape), table)])

    call()  # makes the states
    return Prepared(tf.function(call))


def entries(op, m):
    """Operations on COO entries; None for others."""
    if op in ("csr-fill-empty-rows", "coo-fill-empty-rows"):
        a = sparse(cases.with_empty_rows(m))
        return lambda: tf.sparse.fill_empty_rows(a, 0.5)
    if op == "dense-to-coo":
        x = tf.constant(m.toarray())
        return lambda: tf.sparse.from_dense(x)
    if op == "coo-mask":
        x, places = tf.constant(cases.dense(*m.shape)), sparse(m).indices
        return lambda: tf.gather_nd(x, places)
    if op == "coo-add":
        a, b = sparse(m), sparse(cases.shifted(m))
        return lambda: tf.sparse.add(a, b)
    a, start = sparse(m), [size // 4 for size in m.shape]
    if op == "coo-slice":
        sizes = [size - 2 * first for size, first in zip(m.shape, start)]
        return lambda: tf.sparse.slice(a, start, sizes)
    calls = {"coo-concat": lambda: tf.sparse.concat(0, [a, a]), "coo-permute": lambda: tf.sparse.transpose(a),
             "coo-to-dense": lambda: tf.sparse.to_dense(a), "coo-reduce-max": lambda: tf.sparse.reduce_max(a, axis=1),
             "coo-reshape": lambda: tf.sparse.reshape(a, (2 * m.shape[0], m.shape[1] // 2))}
    return calls.get(op)


def row_sparse(op, m, n):
    """Row-sparse arrays with a row for each entry, as ids and rows; None for other operations."""
    ids, x, half = tf.constant(m.indices), tf.constant(cases.dense(m.nnz, n)), m.nnz // 2
    if op == "rows-concat":
        parts = [(ids[:half], ids[half:]), (x[:half], x[half:])]
        return lambda: [tf.concat(part, 0) for part in parts]

    @tf.function
    def coalesce():  # as its optimizers do it; the ids stay in the order of their first places
        found, inverse = tf.unique(ids)
        return found, tf.math.unsorted_segment_sum(x, inverse, tf.shape(found)[0])

    @tf.function
    def coalesce_max():
        found, inverse = tf.unique(ids)
        return found, tf.math.unsorted_segment_max(x, inverse, tf.shape(found)[0])

    return {"rows-coalesce": coalesce, "rows-coalesce-max": coalesce_max}.get(op)


def prepare(op, m, n, optimizer):
    if op.startswith("coo-") or op in ("csr-fill-empty-rows", "dense-to-coo"):
        call = entries(op, m)
        if call:
            return Prepared(call)
    if op in ("spmm", "spmm-t", "matmul-coo"):
        return product(m, n, op == "spmm-t")
    if op == "add-n":
        x = [tf.constant(cases.dense(m.nnz, 1) + np.float32(t)) for t in range(4)]
        return Prepared(lambda: tf.add_n(x))
    if op == "add-scalar":
        x = tf.constant(cases.dense(m.nnz, 1))
        return Prepared(lambda: x + 0.3)
    if op == "dense-split-columns":  # of rows it gives views
        x = tf.constant(np.concatenate([cases.dense(m.shape[0], n).reshape(-1, n)] * 2, 1))
        return Prepared(lambda: tf.split(x, 2, 1))
    if op in ("rows-coalesce", "rows-coalesce-max", "rows-concat"):
        return Prepared(row_sparse(op, m, n))
    if op == "bag-sqrtn":
        ids, table = sparse(m), tf.constant(cases.dense(m.shape[1], n))
        ids = tf.sparse.SparseTensor(ids.indices, m.indices.astype(np.int64), m.shape)
        return Prepared(lambda: tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sqrtn"))
    if op == "relu":
        x = tf.constant(m.data)
        return Prepared(lambda: tf.nn.relu(x))
    if op == "embedding":
        ids, table = tf.constant(m.indices), tf.constant(cases.dense(m.shape[1], n))
        return Prepared(lambda: tf.nn.embedding_lookup(table, ids))
    if op == "reorder":
        i, j, v = cases.shuffled(m)
        a = tf.sparse.SparseTensor(np.stack([i, j], 1), v, m.shape)
        return Prepared(lambda: tf.sparse.reorder(a))
    if op in ("step", "dedupe-step"):
        return step(m, n, optimizer, op == "step")
    raise NotOffered(f"{op} is not offered")


serve(prepare)
