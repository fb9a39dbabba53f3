"""Keras 3's optimizers on TensorFlow, with gradients as tf.IndexedSlices.

Keras does not add the rows of one id before its rules, which are not linear; so most files have the case "unique", and
the files "repeated" show what repeated ids do."""
import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", KERAS_BACKEND="tensorflow", TF_ENABLE_ONEDNN_OPTS="0")
import keras
import numpy as np
import tensorflow as tf

import golden_case as case
from golden_case import Recorder, Refusals, schedule

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
SYSTEM = "keras"
VERSIONS = {"keras": keras.__version__, "tensorflow": tf.__version__, "numpy": np.__version__}
refused = Refusals(SYSTEM, VERSIONS)


def slices(inputs, step):
    ids, rows = inputs.steps[step]
    return tf.IndexedSlices(tf.constant(rows), tf.constant(ids), tf.constant(inputs.table.shape, tf.int64))


def states(optimizer):
    """The variables of each attribute of the optimizer that has variables, by the attribute's name."""
    result = {}
    for key, value in vars(optimizer).items():
        if key in ("_variables", "_trainable_variables", "_learning_rate", "_iterations"):
            continue
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        if len(values) == 1 and isinstance(values[0], keras.Variable):
            result[key.lstrip("_")] = values[0].numpy()
    return result


def run(name, kind, make, inputs=case.UNIQUE):
    table, optimizer = keras.Variable(inputs.table.copy()), make()
    optimizer.build([table])
    settings = {k: v for k, v in optimizer.get_config().items() if k != "name"}
    note = "lr may change at every step; learning_rate is a float32 variable"
    record = Recorder(f"{SYSTEM}_{name}_{kind}", SYSTEM, VERSIONS, f"keras.optimizers.{type(optimizer).__name__}",
                      inputs, "sparse", settings, [note])
    record.start(w=inputs.table, **states(optimizer))
    for s, lr in enumerate(schedule(settings["learning_rate"], kind)):
        optimizer.learning_rate = lr
        optimizer.apply([slices(inputs, s)], [table])
        record.step(s + 1, lr, w=table.numpy(), **states(optimizer))
    record.save()


def attempt(name, kind, make, what):
    """The case "unique", or without its empty gradient where an optimizer fails on that, or neither."""
    try:
        run(name, kind, make)
    except tf.errors.InvalidArgumentError as error:
        refused.add(f"{what} and an empty tf.IndexedSlices", error)
        run(name, kind, make, case.FILLED)
    except (TypeError, ValueError) as error:
        refused.add(f"{what} and tf.IndexedSlices", error)


def family(name, rule, dials, repeated=True, **base):
    """The defaults, at a constant rate; each set of dials, at a changing rate; the defaults with repeated ids."""
    attempt(name, "defaults", lambda: rule(**base), f"{rule.__name__} with its defaults")
    for kind, values in dials.items():
        given = ", ".join(f"{k}={v}" for k, v in values.items())
        make = lambda: rule(**{"learning_rate": 0.05, **base, **values})
        attempt(name, kind, make, f"{rule.__name__} with {given}")
    if repeated:
        run(name, "defaults_repeated", lambda: rule(**base), case.MAIN)


def first_order():
    k = keras.optimizers
    family("sgd", k.SGD, {
        "decay": {"weight_decay": 0.1}, "momentum": {"momentum": 0.9, "weight_decay": 0.1},
        "nesterov": {"momentum": 0.9, "nesterov": True}, "clipnorm": {"clipnorm": 0.5},
        "clipvalue": {"clipvalue": 0.01}, "global_clipnorm": {"global_clipnorm": 0.5},
        "loss_scale": {"loss_scale_factor": 8.0},
        "ema": {"use_ema": True, "ema_momentum": 0.9, "ema_overwrite_frequency": 3},
        "accumulate": {"momentum": 0.9, "gradient_accumulation_steps": 2}})
    for kind, values in {"clipnorm": {"clipnorm": 0.5}, "clipvalue": {"clipvalue": 0.01},
                         "global_clipnorm": {"global_clipnorm": 0.5}}.items():
        run("sgd", f"{kind}_repeated", lambda: k.SGD(learning_rate=0.05, **values), case.MAIN)
    run("sgd", "defaults_vector", k.SGD, case.VECTOR)
    dials = {"dials": {"initial_accumulator_value": 0.2, "epsilon": 1e-3, "weight_decay": 0.1, "clipnorm": 0.5}}
    family("adagrad", k.Adagrad, dials)
    run("adagrad", "defaults_vector", k.Adagrad, case.VECTOR)
    run("adagrad", "global_clipnorm_repeated", lambda: k.Adagrad(learning_rate=0.05, global_clipnorm=0.5), case.MAIN)
    family("ftrl", k.Ftrl, {"dials": {
        "learning_rate_power": -0.6, "initial_accumulator_value": 0.2, "l1_regularization_strength": 0.01,
        "l2_regularization_strength": 0.02, "l2_shrinkage_regularization_strength": 0.03, "beta": 0.5}})


def adaptive():
    k = keras.optimizers
    family("adadelta", k.Adadelta, {"dials": {"rho": 0.8, "epsilon": 1e-3, "weight_decay": 0.1}})
    family("rmsprop", k.RMSprop, {
        "momentum": {"momentum": 0.8}, "centered": {"centered": True},
        "dials": {"rho": 0.8, "momentum": 0.8, "epsilon": 1e-3, "centered": True, "weight_decay": 0.1}})
    adam = {"beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-3, "weight_decay": 0.1}
    family("adam", k.Adam, {"dials": adam, "amsgrad": {"amsgrad": True}})
    family("adamw", k.AdamW, {"dials": {**adam, "amsgrad": True}}, repeated=False)
    family("adamax", k.Adamax, {"dials": adam}, repeated=False)
    family("nadam", k.Nadam, {"dials": adam}, repeated=False)
    family("lion", k.Lion, {"dials": {"beta_1": 0.8, "beta_2": 0.95, "weight_decay": 0.1}}, repeated=False)
    family("lamb", k.Lamb, {"dials": adam}, repeated=False)
    run("lamb", "zero_table", lambda: k.Lamb(learning_rate=0.05), case.ZERO)
    family("adafactor", k.Adafactor, {"dials": {"beta_2_decay": -0.7, "epsilon_1": 1e-10, "epsilon_2": 1e-2,
                                                "clip_threshold": 0.5, "relative_step": False,
                                                "weight_decay": 0.1}}, repeated=False)


def refusals():
    tries = {"two of clipnorm, clipvalue, global_clipnorm": lambda: keras.optimizers.SGD(clipnorm=1.0, clipvalue=1.0),
             "a negative learning rate": lambda: keras.optimizers.SGD(learning_rate=-1.0),
             "Adam with beta_1=1.5": lambda: keras.optimizers.Adam(beta_1=1.5)}
    for rule in (keras.optimizers.Muon, keras.optimizers.LossScaleOptimizer):
        tries[f"{rule.__name__} with tf.IndexedSlices"] = (
            lambda rule=rule: rule(keras.optimizers.SGD()) if rule is keras.optimizers.LossScaleOptimizer else rule())
    for what, make in tries.items():
        try:
            optimizer, table = make(), keras.Variable(case.UNIQUE.table.copy())
            optimizer.apply([slices(case.UNIQUE, 0)], [table])
            print("taken:", what)
        except Exception as error:
            refused.add(what, error)


case.write_cases()
first_order()
adaptive()
refusals()
refused.save()
