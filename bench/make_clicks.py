#!/usr/bin/env python3
"""usage: make_clicks.py FOLDER [ROWS]

Makes a click log: 39 features a row, one of each field, of 1 000 000 ids that follow Zipf's law in their field, and
labels drawn from a hidden factorization machine with 8 factors. Writes clicks.npz, clicks.y.npy and clicks.svm, and
clicks.t.* with a fifth as many other rows; prints the smallest log loss that any model can have on average. The same
numbers on every machine with this release of NumPy's generators."""
import os
import sys

import numpy as np
import scipy.sparse as sp

FIELDS, IDS, FACTORS = 39, 1_000_000, 8


def draw_ids(rng, rows):
    """[rows, FIELDS]: ids of one range for each field; and the number of all."""
    sizes = np.maximum(4, (IDS * rng.dirichlet(np.full(FIELDS, 0.3))).astype(int))
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    ids = np.empty((rows, FIELDS), np.int64)
    for field in range(FIELDS):
        share = np.cumsum(np.arange(1, sizes[field] + 1, dtype=float) ** -1.1)
        ids[:, field] = first[field] + np.searchsorted(share / share[-1], rng.random(rows))
    return ids, int(sizes.sum())


def draw_labels(rng, ids, columns):
    """0 or 1 of each row; and the mean log loss of the probabilities that they are drawn with."""
    weights, factors = rng.normal(0, .35, columns), rng.normal(0, .12, (columns, FACTORS))
    sums, squares = factors[ids].sum(1), (factors[ids] ** 2).sum(1)
    score = weights[ids].sum(1) + .5 * (sums * sums - squares).sum(1) - 1.5
    labels = (rng.random(len(ids)) < 1 / (1 + np.exp(-score))).astype(np.int8)
    return labels, np.mean(np.logaddexp(0, np.where(labels, -score, score)))


def write(path, ids, labels, columns):
    """The rows as a SciPy matrix with an array of labels, and as LIBSVM text."""
    count = len(ids)
    offsets = np.arange(0, count * FIELDS + 1, FIELDS, dtype=np.int32)
    arrays = np.ones(count * FIELDS, np.float32), ids.ravel().astype(np.int32), offsets
    sp.save_npz(path + ".npz", sp.csr_matrix(arrays, shape=(count, columns)), compressed=False)
    np.save(path + ".y.npy", labels)
    with open(path + ".svm", "w", encoding="ascii") as text:
        for label, row in zip(labels, ids):
            text.write(f"{label} {' '.join(f'{k + 1}:1' for k in row)}\n")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
    rng = np.random.default_rng(11)
    ids, columns = draw_ids(rng, rows + rows // 5)
    labels, smallest = draw_labels(rng, ids, columns)
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "clicks"), ids[:rows], labels[:rows], columns)
    write(os.path.join(folder, "clicks.t"), ids[rows:], labels[rows:], columns)
    print(f"{columns} columns, {labels.mean():.4f} of the labels are 1, log loss of the hidden model {smallest:.4f}")


main()
