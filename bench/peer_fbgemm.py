"""FBGEMM's embedding tables on a CPU."""
import os

import torch
import fbgemm_gpu
from fbgemm_gpu.split_table_batched_embeddings_ops_training import (
    ComputeDevice, CounterBasedRegularizationDefinition, CounterWeightDecayMode, EmbeddingLocation, OptimType,
    SplitTableBatchedEmbeddingBagsCodegen, WeightDecayMode)

from peer import NotOffered, Prepared, serve

OPTIMIZERS = {"sgd": {"optimizer": OptimType.EXACT_SGD}, "adagrad": {"optimizer": OptimType.EXACT_ADAGRAD},
              "rowwise_adagrad": {"optimizer": OptimType.EXACT_ROWWISE_ADAGRAD},
              "rowwise_adagrad_counter:preset=fbgemm": {
                  "optimizer": OptimType.EXACT_ROWWISE_ADAGRAD, "weight_decay_mode": WeightDecayMode.COUNTER,
                  "counter_based_regularization": CounterBasedRegularizationDefinition(
                      counter_weight_decay_mode=CounterWeightDecayMode.ADAGRADW, counter_halflife=-1)}}

torch.set_num_threads(os.cpu_count())


def prepare(op, m, n, optimizer):
    """Bags, and with "bag-step" also their backward pass, which takes the step."""
    if op not in ("bag", "bag-step") or (op == "bag-step" and optimizer not in OPTIMIZERS):
        raise NotOffered(f"{op} {optimizer} is not offered")
    table = SplitTableBatchedEmbeddingBagsCodegen([(m.shape[1], n, EmbeddingLocation.HOST, ComputeDevice.CPU)],
                                                  learning_rate=0.01, **OPTIMIZERS.get(optimizer, OPTIMIZERS["sgd"]))
    ids, begins, gradient = torch.from_numpy(m.indices), torch.from_numpy(m.indptr), torch.ones(m.shape[0], n)

    def forward():
        with torch.no_grad():
            table(ids, begins)

    def step():
        table(ids, begins).backward(gradient)

    return Prepared(forward if op == "bag" else step)


serve(prepare)
