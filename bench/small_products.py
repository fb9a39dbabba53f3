#!/usr/bin/env python3
"""Products of a small sparse matrix beside SciPy's and PyTorch's: microseconds, the least and the most of three
medians of 120 calls. OMP_WAIT_POLICY=passive keeps PyTorch's threads from spinning on the core that others need.

    OMP_WAIT_POLICY=passive bench/small_products.py [ROWS COLUMNS_OF_B]...
"""

import sys
import time
import warnings

import numpy as np
import scipy.sparse
import torch

import sparcl
import sparcl.torch

ENTRIES, COLUMNS = 20, 50_000  # in a row, of the matrix
warnings.filterwarnings("ignore", message="Sparse")


def median(call, calls=120):
    """Of the seconds that a call takes, in microseconds."""
    times = []
    for _ in range(calls):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return sorted(times)[calls // 2] * 1e6


def shown(call):
    """Three medians, after a first one."""
    median(call, 5)
    times = [median(call) for _ in range(3)]
    return f"{min(times):.0f} to {max(times):.0f}"


def calls_of(rows, width):
    """Each product: its name, sparcl's, and the peer's."""
    rng = np.random.default_rng(1)
    count = rows * ENTRIES
    values = rng.standard_normal(count).astype("f")
    offsets = np.arange(0, count + 1, ENTRIES, dtype="i4")
    s = scipy.sparse.csr_array((values, rng.integers(0, COLUMNS, count).astype("i4"), offsets), (rows, COLUMNS))
    shape = () if width == 1 else (width,)
    w, r = (rng.standard_normal((size, *shape)).astype("f") for size in (COLUMNS, rows))
    a, st, wide, g = sparcl.csr(s), s.T, torch.from_numpy(w), torch.from_numpy(r)
    t = torch.sparse_csr_tensor(*map(torch.from_numpy, (s.indptr, s.indices, s.data)), s.shape)
    learnt = torch.from_numpy(w).requires_grad_()

    def step(product):
        learnt.grad = None
        product(t, learnt).backward(g)

    yield "sparcl.torch.spmm", lambda: sparcl.torch.spmm(t, wide), lambda: t @ wide
    yield "with the gradient of B", lambda: step(sparcl.torch.spmm), lambda: step(torch.matmul)
    yield "a @ w", lambda: (a @ w).numpy(), lambda: s @ w
    yield "a.T @ r", lambda: (a.T @ r).values, lambda: st @ r


def main():
    """Print a table of the sizes that are given."""
    given = [int(x) for x in sys.argv[1:]] or [1024, 1, 1024, 16, 5000, 1]
    print("| call | rows, columns of B | sparcl | PyTorch or SciPy |\n|---|---|---|---|")
    for rows, width in zip(given[::2], given[1::2], strict=True):
        for name, ours, peer in calls_of(rows, width):
            print(f"| {name} | {rows}, {width} | {shown(ours)} | {shown(peer)} |", flush=True)


if __name__ == "__main__":
    main()
