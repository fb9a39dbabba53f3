#!/usr/bin/env python3
"""usage: clicks_orders.py FOLDER [LIBRARY]

PyTorch's factorization machine on the click log of make_clicks.py, one pass with Adagrad, at the settings of
docs/known-answers.md: the test log loss for nine orders of the rows, and their mean and standard deviation. The orders
are those of sparcl's seeds 0 to 8 where LIBRARY is libsparcl-train.so, else torch.randperm's of 24 seeds."""
import ctypes
import os
import statistics
import sys

import numpy as np
import scipy.sparse as sp
import torch

FIELDS, FACTORS, BATCH = 39, 8, 1024


def read(folder, name):
    """The ids of each row, the labels, and the number of columns."""
    matrix = sp.load_npz(os.path.join(folder, name + ".npz"))
    labels = np.load(os.path.join(folder, name + ".y.npy"))
    ids = matrix.indices.reshape(-1, FIELDS).astype(np.int64)
    return torch.from_numpy(ids), torch.from_numpy(labels.astype(np.float32)), matrix.shape[1]


def order_of(seed, rows, library):
    """The order of the first pass."""
    if not library:
        return torch.randperm(rows, generator=torch.Generator().manual_seed(seed))
    order = np.empty(rows, np.int64)
    library.sparcl_train_order(ctypes.c_uint64(seed), ctypes.c_int64(0), ctypes.c_int64(rows),
                               order.ctypes.data_as(ctypes.c_void_p))
    return torch.from_numpy(order)


def train(ids, labels, columns, order):
    """One pass; returns the function from ids to scores."""
    torch.manual_seed(7)
    weight, factors = (torch.nn.Embedding(columns, width, sparse=True) for width in (1, FACTORS))
    torch.nn.init.zeros_(weight.weight)
    torch.nn.init.uniform_(factors.weight, -.01, .01)
    bias = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Adagrad([{"params": [weight.weight, bias], "lr": .05},
                                     {"params": [factors.weight], "lr": .01}])

    def scores(rows):
        v = factors(rows)
        return weight(rows).sum((1, 2)) + bias + .5 * (v.sum(1) ** 2 - (v ** 2).sum(1)).sum(1)

    for first in range(0, len(labels), BATCH):
        batch = order[first:first + BATCH]
        optimizer.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(scores(ids[batch]), labels[batch]).backward()
        optimizer.step()
    return scores


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    library = ctypes.CDLL(sys.argv[2]) if len(sys.argv) == 3 else None
    ids, labels, columns = read(sys.argv[1], "clicks")
    test_ids, test_labels, _ = read(sys.argv[1], "clicks.t")
    losses = []
    for seed in range(9) if library else range(20, 44):
        scores = train(ids, labels, columns, order_of(seed, len(labels), library))
        with torch.no_grad():
            loss = torch.nn.functional.binary_cross_entropy_with_logits(scores(test_ids), test_labels).item()
        losses.append(loss)
        print(f"seed {seed}: {loss:.5f}", flush=True)
    print(f"mean {statistics.mean(losses):.5f}, standard deviation {statistics.pstdev(losses):.5f}")


main()
