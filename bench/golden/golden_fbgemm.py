"""FBGEMM's embedding tables on a CPU, whose backward pass is the optimizer: each bag has one id, so the gradient of the
output has the rows of the gradient."""
import os
import warnings

os.environ["OMP_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")
import fbgemm_gpu
import numpy as np
import torch
from fbgemm_gpu.split_embedding_configs import SparseType
from fbgemm_gpu.split_table_batched_embeddings_ops_training import (
    ComputeDevice, CounterBasedRegularizationDefinition, CounterWeightDecayMode, CowClipDefinition,
    EmbeddingLocation, GlobalWeightDecayDefinition, GradSumDecay, LearningRateMode, OptimType,
    SplitTableBatchedEmbeddingBagsCodegen, TailIdThreshold, WeightDecayMode)

import golden_case as case
from golden_case import Recorder, Refusals, schedule

torch.set_num_threads(1)
SYSTEM = "fbgemm"
VERSIONS = {"fbgemm_gpu-cpu": fbgemm_gpu.__version__, "torch": torch.__version__, "numpy": np.__version__}
refused = Refusals(SYSTEM, VERSIONS)


def states(bags):
    """The states by FBGEMM's names, which are those of torch.optim."""
    if bags.optimizer in (OptimType.SGD, OptimType.EXACT_SGD):
        return {}
    found = bags.get_optimizer_state()[0]
    return {k: v.numpy().copy() for k, v in found.items() if v.numel() > 0 and k != "iter"}


def settings_of(bags):
    """optimizer_args, and the rate."""
    args = bags.optimizer_args._asdict()
    result = {k: v for k, v in args.items() if not isinstance(v, torch.Tensor) and not isinstance(v, tuple)}
    for key, value in args.items():
        if isinstance(value, tuple) and value and hasattr(value, "_asdict"):
            result.update({f"{key}.{k}": v for k, v in value._asdict().items()})
    precision = {"weights_precision": bags.weights_precision.name, "max_counter": float(bags.max_counter[0])}
    return {"learning_rate": float(bags.get_learning_rate()), **result, **precision}


def run(name, kind, optimizer, inputs=case.WIDE, **given):
    rows, columns = inputs.table.shape
    bags = SplitTableBatchedEmbeddingBagsCodegen([(rows, columns, EmbeddingLocation.HOST, ComputeDevice.CPU)],
                                                 optimizer=optimizer, **given)
    table = bags.split_embedding_weights()[0]
    table.data.copy_(torch.from_numpy(inputs.table))
    first = table.detach().float().numpy().copy()
    record = Recorder(f"{SYSTEM}_{name}_{kind}", SYSTEM, VERSIONS, f"OptimType.{optimizer.name}", inputs, "sparse",
                      settings_of(bags), ["lr may change at every step: set_learning_rate; it is a float32"])
    record.start(w=first, **states(bags))
    for s, lr in enumerate(schedule(given.get("learning_rate", 0.01), kind)):
        bags.set_learning_rate(lr)
        ids, gradient = inputs.steps[s]
        output = bags(torch.from_numpy(ids), torch.arange(len(ids) + 1))
        output.backward(torch.from_numpy(gradient.copy()))
        record.step(s + 1, lr, w=table.detach().float().numpy(), **states(bags))
    record.save()


def attempt(name, kind, optimizer, **given):
    try:
        run(name, kind, optimizer, **given)
    except Exception as error:
        shown = ", ".join(f"{k}={v}" for k, v in given.items())
        refused.add(f"{optimizer.name}({shown}) on a CPU", error)


def exact_rules():
    attempt("sgd", "defaults", OptimType.EXACT_SGD)
    attempt("sgd", "dials", OptimType.EXACT_SGD, learning_rate=0.05)
    attempt("sgd", "clip", OptimType.EXACT_SGD, learning_rate=0.05, gradient_clipping=True, max_gradient=0.3)
    attempt("sgd", "decay", OptimType.EXACT_SGD, learning_rate=0.05, weight_decay=0.1)
    attempt("sgd_in_sequence", "dials", OptimType.SGD, learning_rate=0.05)
    attempt("adagrad", "defaults", OptimType.EXACT_ADAGRAD)
    attempt("adagrad", "dials", OptimType.EXACT_ADAGRAD, learning_rate=0.05, eps=1e-3)
    attempt("adagrad", "decay", OptimType.EXACT_ADAGRAD, learning_rate=0.05, weight_decay=0.1)
    attempt("adagrad", "clip", OptimType.EXACT_ADAGRAD, learning_rate=0.05, gradient_clipping=True, max_gradient=0.3)


def rowwise_rules():
    rowwise = OptimType.EXACT_ROWWISE_ADAGRAD
    attempt("rowwise_adagrad", "defaults", rowwise)
    attempt("rowwise_adagrad", "dials", rowwise, learning_rate=0.05, eps=1e-3)
    for mode in (WeightDecayMode.L2, WeightDecayMode.DECOUPLE, WeightDecayMode.NONE):
        attempt("rowwise_adagrad", f"decay_{mode.name.lower()}", rowwise, learning_rate=0.05, weight_decay=0.1,
                weight_decay_mode=mode)
        attempt("rowwise_adagrad_f16", f"decay_{mode.name.lower()}", rowwise, learning_rate=0.05, weight_decay=0.1,
                weight_decay_mode=mode, weights_precision=SparseType.FP16, stochastic_rounding=False)
    attempt("rowwise_adagrad", "decay_global", rowwise, learning_rate=0.05, weight_decay=0.1,
            weight_decay_mode=WeightDecayMode.DECOUPLE_GLOBAL,
            global_weight_decay=GlobalWeightDecayDefinition(start_iter=0, lower_bound=0.0))
    attempt("rowwise_adagrad", "max_norm", rowwise, learning_rate=0.05, max_norm=0.5)
    attempt("rowwise_adagrad", "decay_cowclip", rowwise, learning_rate=0.05, weight_decay=0.1,
            weight_decay_mode=WeightDecayMode.COWCLIP,
            cowclip_regularization=CowClipDefinition(CounterWeightDecayMode.DECOUPLE, 5, 0.5, 1e-3))
    modes = ((LearningRateMode.EQUAL, CounterWeightDecayMode.L2),
             (LearningRateMode.EQUAL, CounterWeightDecayMode.DECOUPLE),
             (LearningRateMode.TAIL_ID_LR_INCREASE, CounterWeightDecayMode.L2),
             (LearningRateMode.COUNTER_SGD, CounterWeightDecayMode.DECOUPLE))
    for rate_mode, decay_mode in modes:
        counter = CounterBasedRegularizationDefinition(
            counter_weight_decay_mode=decay_mode, counter_halflife=5, adjustment_iter=2, adjustment_ub=1.0,
            learning_rate_mode=rate_mode, grad_sum_decay=GradSumDecay.CTR_DECAY,
            tail_id_threshold=TailIdThreshold(val=1.5, is_ratio=False), max_counter_update_freq=2)
        attempt("rowwise_adagrad_counter", f"{rate_mode.name}_{decay_mode.name}".lower(), rowwise, learning_rate=0.05,
                weight_decay=0.1, weight_decay_mode=WeightDecayMode.COUNTER, counter_based_regularization=counter)
    counter = CounterBasedRegularizationDefinition(
        counter_weight_decay_mode=CounterWeightDecayMode.ADAGRADW, counter_halflife=-1, adjustment_iter=0,
        learning_rate_mode=LearningRateMode.EQUAL)
    attempt("rowwise_adagrad_counter", "adagradw", rowwise, learning_rate=0.05, weight_decay=0.1,
            weight_decay_mode=WeightDecayMode.COUNTER, counter_based_regularization=counter)


def others():
    """Every other optimizer with its defaults: most refuse a CPU."""
    tried = {OptimType.EXACT_SGD, OptimType.SGD, OptimType.EXACT_ADAGRAD, OptimType.EXACT_ROWWISE_ADAGRAD}
    for optimizer in OptimType:
        if optimizer not in tried:
            attempt(optimizer.value, "defaults", optimizer)
    attempt("row_wise_rmsprop_ar", "dials", OptimType.ROWWISE_RMSPROP_AR, learning_rate=0.05, eps=1e-3, ema_beta=0.9,
            ar_alpha=2.0, min_shrinkage=0.7)


case.write_cases()
exact_rules()
rowwise_rules()
others()
refused.save()
