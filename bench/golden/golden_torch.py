"""PyTorch's optimizers (torch.optim): with sparse gradients where it takes them, else with the same gradients as dense
arrays, of which all rows move."""
import warnings

import numpy as np
import scipy
import torch

import golden_case as case
from golden_case import Recorder, Refusals, schedule

torch.set_num_threads(1)
warnings.filterwarnings("ignore")
VERSIONS = {"torch": torch.__version__, "numpy": np.__version__, "scipy": scipy.__version__}
SYSTEM = "torch"


def coo(inputs, step):
    ids, rows = inputs.steps[step]
    return torch.sparse_coo_tensor(torch.from_numpy(ids)[None, :], torch.from_numpy(rows.copy()), inputs.table.shape,
                                   check_invariants=False)


def states(optimizer, table, inputs):
    """What optimizer.state holds, made dense; the number of steps is left out: it is that of the line "step"."""
    result = {}
    for key, value in optimizer.state[table].items():
        if key == "step":
            continue
        if not isinstance(value, torch.Tensor):
            value = torch.zeros(inputs.table.shape) if value is None else torch.tensor(value)
        result[key] = (value.to_dense() if value.is_sparse else value).detach().numpy().copy()
    return result


def notes(optimizer, gradient):
    result = ["lr may change at every step"]
    if gradient == "dense":
        result.append("the gradient was handed over as a dense array: every row moves at every step")
    return result


def run(name, make, gradient, inputs=case.MAIN, kind="defaults"):
    table = torch.nn.Parameter(torch.from_numpy(inputs.table.copy()))
    optimizer = make([table])
    group = {k: v for k, v in optimizer.param_groups[0].items() if k != "params"}
    record = Recorder(f"{SYSTEM}_{name}_{kind}", SYSTEM, VERSIONS, f"torch.optim.{type(optimizer).__name__}", inputs,
                      gradient, group, notes(optimizer, gradient))
    for s, lr in enumerate(schedule(group["lr"], kind)):
        optimizer.param_groups[0]["lr"] = lr
        table.grad = torch.from_numpy(inputs.dense(s).copy()) if gradient == "dense" else coo(inputs, s)
        if s == 0:
            record.start(w=inputs.table, **start_states(make, inputs, gradient))
        optimizer.step()
        record.step(s + 1, lr, w=table.detach().numpy(), **states(optimizer, table, inputs))
    record.save()


def start_states(make, inputs, gradient):
    """The states before the first step: those that a step with rate 0 and gradient 0 would find. Adagrad makes them at
    once, the others as zeros in their first step."""
    table = torch.nn.Parameter(torch.from_numpy(inputs.table.copy()))
    optimizer = make([table])
    first = states(optimizer, table, inputs)
    if first:
        return first
    table.grad = torch.zeros_like(table) if gradient == "dense" else coo(inputs, 0)
    optimizer.step()
    made = states(optimizer, table, inputs)
    return {k: np.ones_like(v) if k == "mu_product" else np.zeros_like(v) for k, v in made.items()}


def family(name, rule, gradient, dials, base=None):
    """The defaults, at a constant rate; each set of dials, at a changing rate."""
    base = base or {}
    run(name, lambda p: rule(p, **base), gradient)
    for kind, values in dials.items():
        run(name, lambda p: rule(p, **{**base, **values}), gradient, kind=kind)


def sparse_rules():
    adam = {"dials": {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-3}, "maximize": {"lr": 0.05, "maximize": True}}
    family("sparse_adam", torch.optim.SparseAdam, "sparse", adam)
    adagrad = {"dials": {"lr": 0.05, "lr_decay": 0.1, "initial_accumulator_value": 0.2, "eps": 1e-3}}
    family("adagrad_sparse", torch.optim.Adagrad, "sparse", adagrad)
    momentum = {
        "momentum": {"lr": 0.1, "momentum": 0.9},
        "dampening": {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
        "nesterov": {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    }
    family("sgd_sparse", torch.optim.SGD, "sparse", momentum)
    for name, rule in (("sparse_adam", torch.optim.SparseAdam), ("adagrad_sparse", torch.optim.Adagrad)):
        run(name, rule, "sparse", case.VECTOR, "vector")


def dense_rules():
    optim = torch.optim
    adam = {"dials": {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.1}}
    family("adam", optim.Adam, "dense", adam)
    family("adamw", optim.AdamW, "dense", adam)
    family("amsgrad", optim.Adam, "dense", adam, {"amsgrad": True})
    run("adamw", lambda p: optim.AdamW(p, lr=0.05, amsgrad=True), "dense", kind="amsgrad")
    nadam = {"dials": {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.1, "momentum_decay": 0.01},
             "decoupled": {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}}
    family("nadam", optim.NAdam, "dense", nadam)
    family("adamax", optim.Adamax, "dense", adam)
    rmsprop = {"dials": {"lr": 0.05, "alpha": 0.9, "eps": 1e-3, "weight_decay": 0.1, "momentum": 0.8, "centered": True},
               "momentum": {"lr": 0.05, "momentum": 0.8}, "centered": {"lr": 0.05, "centered": True}}
    family("rmsprop", optim.RMSprop, "dense", rmsprop)
    family("adadelta", optim.Adadelta, "dense", {"dials": {"lr": 0.5, "rho": 0.8, "eps": 1e-3, "weight_decay": 0.1}})
    adagrad = {"dials": {"lr": 0.05, "lr_decay": 0.1, "initial_accumulator_value": 0.2, "eps": 1e-3,
                         "weight_decay": 0.1}}
    family("adagrad_dense", optim.Adagrad, "dense", adagrad)
    sgd = {"dials": {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "dampening": 0.3},
           "nesterov": {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "nesterov": True},
           "decay": {"lr": 0.1, "weight_decay": 0.1}}
    family("sgd_dense", optim.SGD, "dense", sgd)


def refusals():
    """What PyTorch says of sparse gradients where it does not take them."""
    optim, refused = torch.optim, Refusals(SYSTEM, VERSIONS)
    tries = {
        "SGD weight_decay=0.1": lambda p: optim.SGD(p, lr=0.1, weight_decay=0.1),
        "SGD momentum=0.9 foreach=True": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, foreach=True),
        "Adagrad weight_decay=0.1": lambda p: optim.Adagrad(p, weight_decay=0.1),
    }
    rules = (optim.Adam, optim.AdamW, optim.NAdam, optim.RAdam, optim.Adamax, optim.RMSprop, optim.Adadelta, optim.ASGD,
             optim.Rprop)
    tries.update({rule.__name__: rule for rule in rules})
    for what, make in tries.items():
        table = torch.nn.Parameter(torch.from_numpy(case.MAIN.table.copy()))
        try:
            optimizer = make([table])
            for s in range(3):
                table.grad = coo(case.MAIN, s)
                optimizer.step()
            print("taken:", what)
        except Exception as error:
            refused.add(f"{what} with a sparse gradient", error)
    refused.save()


case.write_cases()
sparse_rules()
dense_rules()
refusals()
