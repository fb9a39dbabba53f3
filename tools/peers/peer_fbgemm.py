"""FBGEMM's embedding tables on a CPU."""
import os

import torch
import fbgemm_gpu
from fbgemm_gpu.split_table_batched_embeddings_ops_training import (
    ComputeDevice, EmbeddingLocation, OptimType, SplitTableBatchedEmbeddingBagsCodegen)

from peer import NotOffered, Prepared, serve

OPTIMIZERS = {"sgd": OptimType.EXACT_SGD, "adagrad": OptimType.EXACT_ADAGRAD,
              "rowwise_adagrad": OptimType.EXACT_ROWWISE_ADAGRAD}

torch.set_num_threads(os.cpu_count())


def prepare(op, m, n, optimizer):
    """Bags, and with "bag-step" also their backward pass, which takes the step."""
    if op not in ("bag", "bag-step") or (op == "bag-step" and optimizer not in OPTIMIZERS):
        raise NotOffered(f"{op} {optimizer} is not offered")
    table = SplitTableBatchedEmbeddingBagsCodegen([(m.shape[1], n, EmbeddingLocation.HOST, ComputeDevice.CPU)],
                                                  optimizer=OPTIMIZERS.get(optimizer, OptimType.EXACT_SGD),
                                                  learning_rate=0.01)
    ids, begins, gradient = torch.from_numpy(m.indices), torch.from_numpy(m.indptr), torch.ones(m.shape[0], n)

    def forward():
        with torch.no_grad():
            table(ids, begins)

    def step():
        table(ids, begins).backward(gradient)

    return Prepared(forward if op == "bag" else step)


serve(prepare)
