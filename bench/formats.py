#!/usr/bin/env python3
"""What SciPy, TensorFlow and PyTorch print for the steps of examples/formats.c.

usage: formats.py LIBRARY..., each of scipy, tensorflow, pytorch, in a Python that has them (bench/setup
installs them in several). The lines go to examples/data/formats.txt.
"""
import sys


def show(name, values):
    print(f"{name}:", *(f"{x:g}" for x in values))


def scipy():
    import numpy as np
    from scipy.sparse import csc_matrix, csr_matrix

    indptr, indices, data = [0, 2, 3, 5], [0, 1, 2, 0, 2], np.array([1, 2, 3, 4, 5], np.float32)
    v = np.array([1, 0, -1], np.float32)
    show("scipy csr_matrix.dot", csr_matrix((data, indices, indptr), shape=(3, 3)).dot(v))
    show("scipy csc_matrix.dot", csc_matrix((data, indices, indptr), shape=(3, 3)).dot(v))


def tensorflow():
    import tensorflow as tf

    a = tf.SparseTensor([[0, 3], [0, 1], [3, 1], [2, 0]], tf.constant([2.0, 1, 4, 3]), [4, 5])
    a = tf.sparse.reorder(a)
    show("tensorflow reorder rows", a.indices.numpy()[:, 0])
    show("tensorflow reorder columns", a.indices.numpy()[:, 1])
    show("tensorflow reorder values", a.values.numpy())
    b = tf.reshape(tf.range(1.0, 11.0), [5, 2])
    show("tensorflow sparse_dense_matmul", tf.sparse.sparse_dense_matmul(a, b).numpy().ravel())


def pytorch():
    import torch

    coo = torch.sparse_coo_tensor([[0, 1, 1, 1], [2, 0, 2, 2]], [3.0, 4, 5, 6], (2, 3))
    a = coo.coalesce().to_sparse_csr()
    show("pytorch crow_indices", a.crow_indices().tolist())
    show("pytorch col_indices", a.col_indices().tolist())
    show("pytorch values", a.values().tolist())
    b = torch.arange(1.0, 7.0).reshape(3, 2)
    show("pytorch csr @ b", (a @ b).flatten().tolist())


if len(sys.argv) < 2:
    sys.exit(__doc__)
for library in sys.argv[1:]:
    {"scipy": scipy, "tensorflow": tensorflow, "pytorch": pytorch}[library]()
