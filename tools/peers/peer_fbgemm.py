"""FBGEMM's embedding tables on a CPU."""
import os

import torch
import fbgemm_gpu
from fbgemm_gpu.split_table_batched_embeddings_ops_training import (
    ComputeDevice, EmbeddingLocation, OptimType, SplitTableBatchedEmbeddingBagsCodegen)

from peer import NotOffered, Prepared, serve

torch.set_num_threads(os.cpu_count())


def prepare(op, m, n, _optimizer):
    if op != "bag":
        raise NotOffered(f"{op} is not offered")
    table = SplitTableBatchedEmbeddingBagsCodegen([(m.shape[1], n, EmbeddingLocation.HOST, ComputeDevice.CPU)],
                                                  optimizer=OptimType.EXACT_SGD, learning_rate=0.01)
    ids, begins = torch.from_numpy(m.indices), torch.from_numpy(m.indptr)

    def forward():
        with torch.no_grad():
            table(ids, begins)

    return Prepared(forward)


serve(prepare)
