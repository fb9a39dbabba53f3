"""DGL's sparse optimizers (dgl.optim), of an embedding's gradients. The states are those of the embedding."""
import os
import warnings

os.environ.update(DGLBACKEND="pytorch", OMP_NUM_THREADS="1")
warnings.filterwarnings("ignore")
import dgl
import numpy as np
import torch

import golden_case as case
from golden_case import Recorder, schedule

torch.set_num_threads(1)
SYSTEM = "dgl"
VERSIONS = {"dgl": dgl.__version__, "torch": torch.__version__, "numpy": np.__version__}
STATES = {"SparseAdagrad": ["sum"], "SparseAdam": ["step", "mem", "power"]}


def states(rule, table):
    return {k: v.numpy().copy() for k, v in zip(STATES[rule.__name__], table.optm_state)}


def run(name, kind, rule, inputs=case.MAIN, **given):
    set_table = lambda values: values.copy_(torch.from_numpy(inputs.table))
    table = dgl.nn.NodeEmbedding(*inputs.table.shape, f"{name}_{kind}", init_func=set_table)
    optimizer = rule([table], **given)
    settings = {"lr": given["lr"], "eps": optimizer._eps}
    settings.update({"betas": (optimizer._beta1, optimizer._beta2),
                     "dtype": {torch.float32: "f32", torch.float16: "f16"}[optimizer._dtype]}
                    if rule is dgl.optim.SparseAdam else {})
    record = Recorder(f"{SYSTEM}_{name}_{kind}", SYSTEM, VERSIONS, f"dgl.optim.{rule.__name__}", inputs, "sparse",
                      settings, ["lr has no default; it may change at every step: the attribute _lr"])
    record.start(w=inputs.table, **states(rule, table))
    for s, lr in enumerate(schedule(given["lr"], kind)):
        optimizer._lr = lr
        ids, rows = inputs.steps[s]
        table(torch.from_numpy(ids)).backward(torch.from_numpy(rows.copy()))
        optimizer.zero_grad()  # before step(), which then forgets the ids of the step; else it would take them again
        optimizer.step()
        record.step(s + 1, lr, w=table.weight.numpy(), **states(rule, table))
    record.save()


case.write_cases()
run("adagrad", "defaults", dgl.optim.SparseAdagrad, lr=0.01)
run("adagrad", "dials", dgl.optim.SparseAdagrad, lr=0.05, eps=1e-3)
run("adam", "defaults", dgl.optim.SparseAdam, lr=0.01)
run("adam", "dials", dgl.optim.SparseAdam, lr=0.05, betas=(0.8, 0.95), eps=1e-3)
run("adam", "defaults_vector", dgl.optim.SparseAdam, case.VECTOR, lr=0.01)
run("adam", "state_f16", dgl.optim.SparseAdam, lr=0.01, dtype=torch.float16)
