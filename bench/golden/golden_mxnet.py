"""Apache MXNet 1.9's optimizers (mxnet.optimizer) and operators, with row_sparse gradients where they take them.

MXNet asks for gradient rows that are ascending and unique, and checks neither: most files have the case "unique"."""
import os

os.environ.update(OMP_NUM_THREADS="1", MXNET_STORAGE_FALLBACK_LOG_VERBOSE="0")
import numpy as np

np.bool = bool  # MXNet still uses the name
import mxnet as mx

import golden_case as case
from golden_case import Recorder, Refusals, schedule

SYSTEM = "mxnet"
VERSIONS = {"mxnet": mx.__version__, "numpy": np.__version__}
refused = Refusals(SYSTEM, VERSIONS)

# Attributes of an optimizer that are no settings.
INNER = {"idx2name", "param_dict", "lr_mult", "wd_mult", "num_update", "begin_num_update", "sym_info", "lr_scheduler",
         "aggregate_num", "m_schedule", "last_lr", "cur_lr", "skip", "weight_previous"}
STATES = {"SGD": ["mom"], "NAG": ["mom"], "Signum": ["mom"], "LARS": ["mom"], "Adam": ["mean", "var"],
          "LAMB": ["mean", "var"], "AdaGrad": ["history"], "GroupAdaGrad": ["history"], "Ftrl": ["z", "n"],
          "AdaDelta": ["acc_g", "acc_delta"], "Adamax": ["m_t", "u_t"], "Nadam": ["m_t", "v_t"],
          "RMSProp": ["n", "g", "delta"]}


def gradient(inputs, step, storage):
    if storage == "default":
        return mx.nd.array(inputs.dense(step))
    ids, rows = inputs.steps[step]
    if len(ids) == 0:
        return mx.nd.sparse.zeros("row_sparse", inputs.table.shape)
    return mx.nd.sparse.row_sparse_array((rows, ids), shape=inputs.table.shape)


def weights(inputs, storage):
    """The table. As row_sparse it has all rows, also those that are zero: MXNet refuses a table that lacks some."""
    if storage == "default":
        return mx.nd.array(inputs.table)
    rows = np.arange(len(inputs.table))
    return mx.nd.sparse.row_sparse_array((inputs.table, rows), shape=inputs.table.shape)


def named(rule, state):
    """The state of an optimizer, as arrays with names."""
    state = [] if state is None else list(state) if isinstance(state, (tuple, list)) else [state]
    return {k: v.tostype("default").asnumpy() for k, v in zip(STATES.get(rule, []), state)}


def settings_of(optimizer):
    return {k: v for k, v in vars(optimizer).items()
            if not k.startswith("_") and k not in INNER and not isinstance(v, dict)}


def run(name, kind, rule, weight="row_sparse", grad="row_sparse", inputs=case.UNIQUE, **given):
    optimizer = rule(**given)
    table = weights(inputs, weight)
    state = optimizer.create_state(0, table)
    rule_name = type(optimizer).__name__
    record = Recorder(f"{SYSTEM}_{name}_{kind}", SYSTEM, VERSIONS, f"mxnet.optimizer.{rule_name}", inputs,
                      "sparse" if grad == "row_sparse" else "dense", settings_of(optimizer),
                      [f"weight {weight}, gradient {grad}", "lr may change at every step: set_learning_rate"])
    record.start(w=inputs.table, **named(rule_name, state))
    for s, lr in enumerate(schedule(optimizer.learning_rate, kind)):
        optimizer.set_learning_rate(lr)
        optimizer.update(0, table, gradient(inputs, s, grad), state)
        record.step(s + 1, lr, w=table.tostype("default").asnumpy(), **named(rule_name, state))
    record.save()


def attempt(name, kind, rule, **given):
    try:
        run(name, kind, rule, **given)
    except Exception as error:
        shown = ", ".join(f"{k}={v}" for k, v in given.items() if k != "inputs")
        refused.add(f"{name} {kind}: {rule.__name__}({shown})", error)


def family(name, rule, dials, **base):
    """The defaults, at a constant rate; each set of dials, at a changing rate."""
    attempt(name, "defaults", rule, **base)
    for kind, values in dials.items():
        attempt(name, kind, rule, **{"learning_rate": 0.05, **base, **values})


def dense(name, rule, dials):
    family(name, rule, dials, weight="default", grad="default")


def sparse_rules():
    o = mx.optimizer
    given = {"wd": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.3}
    for name, lazy in (("lazy", True), ("std", False)):
        base = {"lazy_update": lazy}
        family(f"sgd_{name}", o.SGD, {"dials": given}, **base)
        family(f"momentum_{name}", o.SGD, {"dials": {**given, "momentum": 0.8}}, momentum=0.9, **base)
        family(f"adam_{name}", o.Adam, {"dials": {**given, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3}}, **base)
    attempt("sgd_lazy", "defaults_repeated", o.SGD, inputs=case.MAIN)
    attempt("sgd_lazy", "defaults_vector", o.SGD, inputs=case.VECTOR_UNIQUE)
    attempt("momentum_std", "defaults_repeated", o.SGD, inputs=case.MAIN, momentum=0.9, lazy_update=False)
    clipped = {"rescale_grad": 0.5, "clip_gradient": 0.3}
    family("adagrad_sparse", o.AdaGrad, {"dials": {**clipped, "eps": 1e-3}, "decay": {"wd": 0.1}})
    family("group_adagrad_sparse", o.contrib.GroupAdaGrad, {"dials": {**clipped, "eps": 1e-3}, "decay": {"wd": 0.1}})
    family("ftrl_sparse", o.Ftrl, {"dials": {**given, "lamda1": 0.02, "beta": 0.5}})
    family("lars_lazy", o.LARS, {"dials": {**given, "momentum": 0.8, "eta": 0.01, "eps": 1e-3}}, lazy_update=True)


def dense_rules():
    o = mx.optimizer
    given = {"wd": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.3}
    dense("sgd_dense", o.SGD, {"dials": {**given, "momentum": 0.8}})
    dense("nag", o.NAG, {"dials": {**given, "momentum": 0.9}})
    dense("adam_dense", o.Adam, {"dials": {**given, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3}})
    dense("adagrad_dense", o.AdaGrad, {"dials": {**given, "eps": 1e-3}})
    dense("group_adagrad_dense", o.contrib.GroupAdaGrad, {"dials": {"rescale_grad": 0.5, "clip_gradient": 0.3,
                                                                    "eps": 1e-3}})
    dense("ftrl_dense", o.Ftrl, {"dials": {**given, "lamda1": 0.02, "beta": 0.5}})
    dense("rmsprop", o.RMSProp, {"dials": {**given, "gamma1": 0.8, "epsilon": 1e-3, "clip_weights": 0.5},
                                 "centered": {**given, "gamma1": 0.8, "gamma2": 0.7, "epsilon": 1e-3,
                                              "centered": True}})
    dense("adadelta", o.AdaDelta, {"dials": {**given, "rho": 0.8, "epsilon": 1e-3}})
    dense("adamax", o.Adamax, {"dials": {**given, "beta1": 0.8, "beta2": 0.95}})
    dense("nadam", o.Nadam, {"dials": {**given, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3}})
    dense("signum", o.Signum, {"dials": {**given, "momentum": 0.8, "wd_lh": 0.02},
                               "sign": {**given, "momentum": 0.0}})
    dense("lamb", o.LAMB, {"dials": {**given, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3, "lower_bound": 0.5,
                                     "upper_bound": 1.0, "bias_correction": False}})
    dense("lars", o.LARS, {"dials": {**given, "momentum": 0.8, "eta": 0.01, "eps": 1e-3}})
    for name, rule in (("lamb", o.LAMB), ("lars", o.LARS)):
        attempt(name, "zero_table", rule, weight="default", grad="default", inputs=case.ZERO, learning_rate=0.05)
    for name, rule in (("sgd_dense", o.SGD), ("adagrad_dense", o.AdaGrad)):  # 0 is off, or clips everything
        attempt(name, "clip_zero", rule, weight="default", grad="default", learning_rate=0.05, clip_gradient=0)


def operator(name, kind, call, settings, states, grad, what, lr=0.05, inputs=case.UNIQUE):
    """An operator that no optimizer calls so: its own defaults, or a clip_gradient of 0."""
    storage = "default" if grad == "default" else "row_sparse"
    table = weights(inputs, storage)
    state = {k: mx.nd.zeros((inputs.table.shape[0], columns or inputs.table.shape[1])).tostype(storage)
             for k, columns in states.items()}
    show = lambda: {k: v.tostype("default").asnumpy() for k, v in state.items()}
    record = Recorder(f"{SYSTEM}_{name}_{kind}", SYSTEM, VERSIONS, what, inputs,
                      "sparse" if grad == "row_sparse" else "dense", settings, [f"weight {storage}, gradient {grad}"])
    record.start(w=inputs.table, **show())
    for s, rate in enumerate(schedule(lr, kind)):
        call(table, gradient(inputs, s, grad), *state.values(), lr=rate, out=table, **settings)
        record.step(s + 1, rate, w=table.tostype("default").asnumpy(), **show())
    record.save()


def operators():
    nd = mx.nd
    operator("op_sgd", "clip_zero", nd.sgd_update, {"clip_gradient": 0.0, "wd": 0.1, "lazy_update": True}, {},
             "row_sparse", "mxnet.nd.sgd_update")
    operator("op_adagrad", "defaults", nd.sparse.adagrad_update, {}, {"history": None}, "row_sparse",
             "mxnet.nd.sparse.adagrad_update")
    operator("op_group_adagrad", "defaults", nd.contrib.group_adagrad_update, {}, {"history": 1}, "row_sparse",
             "mxnet.nd.contrib.group_adagrad_update")
    adamw = {"wd": 0.1, "eta": 0.9, "clip_gradient": 0.3}
    scale = mx.nd.array([0.5])
    call = lambda w, g, m, v, **k: nd.contrib.adamw_update(w, g, m, v, scale, **k)
    operator("op_adamw", "dials", call, adamw, {"mean": None, "var": None}, "default",
             "mxnet.nd.contrib.adamw_update(rescale_grad=0.5)")
    call = lambda w, g, m, v, **k: nd.contrib.adamw_update(w, g, m, v, mx.nd.array([1.0]), eta=1.0, **k)
    operator("op_adamw", "defaults", call, {}, {"mean": None, "var": None}, "default",
             "mxnet.nd.contrib.adamw_update(rescale_grad=1,eta=1)")


case.write_cases()
sparse_rules()
dense_rules()
operators()
refused.save()
