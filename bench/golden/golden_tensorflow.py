"""TensorFlow's optimizers of tf.compat.v1.train, which add the rows of one id first, and its raw operations
ResourceSparseApply..., which take the rows one after the other."""
import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")
import inspect

import numpy as np
import tensorflow as tf

import golden_case as case
from golden_case import Recorder, Refusals, schedule

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
VERSIONS = {"tensorflow": tf.__version__, "numpy": np.__version__}
SYSTEM = "tf1"
TRAIN, RAW = tf.compat.v1.train, tf.raw_ops
refused = Refusals("tensorflow", VERSIONS)


def slices(inputs, step):
    ids, rows = inputs.steps[step]
    return tf.IndexedSlices(tf.constant(rows), tf.constant(ids), tf.constant(inputs.table.shape, tf.int64))


def states(optimizer, table):
    """The slots of the table. The powers of Adam's betas are no slots: they are beta^t."""
    return {key: optimizer.get_slot(table, key).numpy() for key in sorted(optimizer.get_slot_names())}


def settings_of(rule, given):
    """The arguments of the constructor, with its defaults."""
    parameters = inspect.signature(rule.__init__).parameters
    result = {k: p.default for k, p in parameters.items() if p.default is not inspect.Parameter.empty}
    result.update({k: v for k, v in given.items() if k not in ("global_step",)})
    return {k: v for k, v in result.items() if k not in ("name", "use_locking")}


def train(name, kind, rule, inputs=case.MAIN, **given):
    table, step = tf.Variable(inputs.table.copy()), tf.Variable(0, dtype=tf.int64)
    extra = {"global_step": step} if rule is TRAIN.AdagradDAOptimizer else {}
    optimizer = rule(**given, **extra)
    rate = "_lr" if hasattr(optimizer, "_lr") else "_learning_rate"
    record = Recorder(f"{SYSTEM}_{name}_{kind}", SYSTEM, VERSIONS, f"tf.compat.v1.train.{rule.__name__}", inputs,
                      "sparse", settings_of(rule, given), ["lr may change at every step"])
    with tf.init_scope():
        optimizer._create_slots([table])
    record.start(w=inputs.table, **states(optimizer, table))
    for s, lr in enumerate(schedule(given["learning_rate"], kind)):
        setattr(optimizer, rate, lr)
        step.assign(s)
        optimizer.apply_gradients([(slices(inputs, s), table)])
        record.step(s + 1, lr, w=table.numpy(), **states(optimizer, table))
    record.save()


def family(name, rule, dials, **base):
    train(name, "defaults", rule, **base)
    for kind, values in dials.items():
        train(name, kind, rule, **{**base, **values})


def optimizers():
    family("gradient_descent", TRAIN.GradientDescentOptimizer, {"dials": {}}, learning_rate=0.05)
    family("momentum", TRAIN.MomentumOptimizer, {"dials": {"momentum": 0.8}, "nesterov": {"use_nesterov": True}},
           learning_rate=0.05, momentum=0.9)
    family("adagrad", TRAIN.AdagradOptimizer, {"dials": {"initial_accumulator_value": 0.2}}, learning_rate=0.05)
    family("adam", TRAIN.AdamOptimizer, {"dials": {"learning_rate": 0.05, "beta1": 0.8, "beta2": 0.95,
                                                   "epsilon": 1e-3}}, learning_rate=0.001)
    family("adadelta", TRAIN.AdadeltaOptimizer, {"dials": {"learning_rate": 0.5, "rho": 0.8, "epsilon": 1e-3}},
           learning_rate=0.001)
    family("rmsprop", TRAIN.RMSPropOptimizer,
           {"dials": {"decay": 0.8, "momentum": 0.8, "epsilon": 1e-3}, "centered": {"centered": True},
            "centered_dials": {"decay": 0.8, "momentum": 0.8, "epsilon": 1e-3, "centered": True}}, learning_rate=0.05)
    ftrl = {"learning_rate_power": -0.6, "initial_accumulator_value": 0.2, "l1_regularization_strength": 0.01,
            "l2_regularization_strength": 0.02}
    family("ftrl", TRAIN.FtrlOptimizer, {"dials": ftrl, "beta": {**ftrl, "learning_rate_power": -0.5, "beta": 0.5},
           "shrinkage": {**ftrl, "l2_shrinkage_regularization_strength": 0.03}}, learning_rate=0.05)
    family("proximal_gradient_descent", TRAIN.ProximalGradientDescentOptimizer, {"dials": {
        "l1_regularization_strength": 0.01, "l2_regularization_strength": 0.02}}, learning_rate=0.05)
    family("proximal_adagrad", TRAIN.ProximalAdagradOptimizer, {"dials": {
        "initial_accumulator_value": 0.2, "l1_regularization_strength": 0.01, "l2_regularization_strength": 0.02}},
           learning_rate=0.05)
    family("adagrad_da", TRAIN.AdagradDAOptimizer, {"dials": {
        "initial_gradient_squared_accumulator_value": 0.2, "l1_regularization_strength": 0.01,
        "l2_regularization_strength": 0.02}}, learning_rate=0.05)


def raw(name, kind, operation, slots, settings, inputs=case.UNIQUE, lr=0.05, per_step=None):
    """One raw operation: `slots` maps the names of its state arguments to their first values."""
    table = tf.Variable(inputs.table.copy())
    state = {k: tf.Variable(np.full_like(inputs.table, v)) for k, v in slots.items()}
    record = Recorder(f"tf_raw_{name}_{kind}", "tf_raw", VERSIONS, f"tf.raw_ops.{operation}", inputs, "sparse",
                      settings, ["lr may change at every step: an argument",
                                 "numbers are float32 arguments: each setting is rounded to float32 first"])
    record.start(w=inputs.table, **{k: v.numpy() for k, v in state.items()})
    for s, rate in enumerate(schedule(lr, kind)):
        ids, rows = inputs.steps[s]
        numbers = {k: tf.constant(v, tf.float32) if isinstance(v, float) else v for k, v in settings.items()}
        handles = {k: v.handle for k, v in state.items()}
        call = {**numbers, **handles, **(per_step(s) if per_step else {})}
        call["alpha" if "ProximalGradient" in operation else "lr"] = tf.constant(rate, tf.float32)
        getattr(RAW, operation)(var=table.handle, grad=tf.constant(rows), indices=tf.constant(ids), **call)
        record.step(s + 1, rate, w=table.numpy(), **{k: v.numpy() for k, v in state.items()})
    record.save()


def raws():
    raw("adagrad", "defaults", "ResourceSparseApplyAdagrad", {"accum": 0.1}, {"update_slots": True})
    raw("adagrad", "repeated", "ResourceSparseApplyAdagrad", {"accum": 0.1}, {"update_slots": True}, case.MAIN)
    raw("adagrad", "frozen", "ResourceSparseApplyAdagrad", {"accum": 0.1}, {"update_slots": False})
    v2 = {"epsilon": 1e-3, "update_slots": True}
    raw("adagrad_v2", "dials", "ResourceSparseApplyAdagradV2", {"accum": 0.0}, v2)
    raw("adagrad_v2", "repeated", "ResourceSparseApplyAdagradV2", {"accum": 0.0}, v2, case.MAIN)
    raw("adagrad_v2", "vector", "ResourceSparseApplyAdagradV2", {"accum": 0.0}, v2, case.VECTOR)
    ftrl = {"l1": 0.01, "l2": 0.02, "l2_shrinkage": 0.03, "lr_power": -0.5, "multiply_linear_by_lr": False}
    start = {"accum": 0.1, "linear": 0.0}
    raw("ftrl_v2", "dials", "ResourceSparseApplyFtrlV2", start, ftrl)
    raw("ftrl_v2", "power", "ResourceSparseApplyFtrlV2", start, {**ftrl, "lr_power": -0.6})
    raw("ftrl_v2", "linear_by_lr", "ResourceSparseApplyFtrlV2", start, {**ftrl, "multiply_linear_by_lr": True})
    for kind, nesterov in (("dials", False), ("nesterov", True)):
        mu = {"momentum": 0.9, "use_nesterov": nesterov}
        raw("momentum", kind, "ResourceSparseApplyMomentum", {"accum": 0.0}, mu)
        raw("keras_momentum", kind, "ResourceSparseApplyKerasMomentum", {"accum": 0.0}, mu)
    rms = {"rho": 0.9, "momentum": 0.8, "epsilon": 1e-3}
    raw("rmsprop", "dials", "ResourceSparseApplyRMSProp", {"ms": 0.0, "mom": 0.0}, rms)
    raw("centered_rmsprop", "dials", "ResourceSparseApplyCenteredRMSProp", {"mg": 0.0, "ms": 0.0, "mom": 0.0}, rms)
    raw("adadelta", "dials", "ResourceSparseApplyAdadelta", {"accum": 0.0, "accum_update": 0.0},
        {"rho": 0.9, "epsilon": 1e-3}, lr=0.5)


case.write_cases()
optimizers()
raws()
refused.save()
