"""What the files of the PyTorch peer share: its device, its operands, and the choice between calls."""
import os
import time

import numpy as np
import torch

import cases
from peer import Prepared

torch.set_num_threads(os.cpu_count())
DEVICE = torch.device(os.environ.get("PEER_DEVICE", "cpu"))


def tensor(array):
    return torch.from_numpy(array).to(DEVICE)


def csr(m, index_type=np.int32):
    return torch.sparse_csr_tensor(tensor(m.indptr.astype(index_type)), tensor(m.indices.astype(index_type)),
                                   tensor(m.data), m.shape)


def coo(m):
    return csr(m, np.int64).to_sparse_coo().coalesce()


def dense(rows, columns):
    return tensor(cases.dense(rows, columns))


def prepared(call):
    """On a GPU a call returns before the work is done, so the end is waited for."""
    return Prepared(call, torch.cuda.synchronize) if DEVICE.type == "cuda" else Prepared(call)


def fastest(*calls):
    """The one of several ways to compute the same that takes the least time."""
    def once(call):
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin

    def seconds(call):
        call()
        return min(once(call) for _ in range(3))

    return prepared(min(calls, key=seconds))
