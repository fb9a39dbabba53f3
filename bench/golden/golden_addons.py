"""TensorFlow Addons' optimizers, with gradients as tf.IndexedSlices: rows of one id are added first."""
import os
import warnings

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")
warnings.filterwarnings("ignore")
import numpy as np
import tensorflow as tf
import tensorflow_addons as tfa

import golden_case as case
from golden_case import Recorder, Refusals, schedule

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
SYSTEM = "addons"
VERSIONS = {"tensorflow-addons": tfa.__version__, "tensorflow": tf.__version__, "numpy": np.__version__}
refused = Refusals(SYSTEM, VERSIONS)


def states(optimizer, table):
    return {key: optimizer.get_slot(table, key).numpy() for key in optimizer.get_slot_names()}


def run(name, kind, rule, inputs=case.MAIN, **given):
    table, optimizer = tf.Variable(inputs.table.copy()), rule(**given)
    settings = {k: v for k, v in optimizer.get_config().items() if k != "name"}
    record = Recorder(f"{SYSTEM}_{name}_{kind}", SYSTEM, VERSIONS, f"tensorflow_addons.optimizers.{rule.__name__}",
                      inputs, "sparse", settings, ["lr may change at every step: it is a float32 variable"])
    optimizer._create_all_weights([table])
    record.start(w=inputs.table, **states(optimizer, table))
    for s, lr in enumerate(schedule(float(settings["learning_rate"]), kind)):
        optimizer.learning_rate = lr
        ids, rows = inputs.steps[s]
        slices = tf.IndexedSlices(tf.constant(rows), tf.constant(ids), tf.constant(inputs.table.shape, tf.int64))
        optimizer.apply_gradients([(slices, table)])
        record.step(s + 1, lr, w=table.numpy(), **states(optimizer, table))
    record.save()


def family(name, rule, dials, **base):
    """The defaults, at a constant rate; each set of dials, at a changing rate."""
    for kind, values in {"defaults": {}, **dials}.items():
        try:
            run(name, kind, rule, **{**base, **values})
        except Exception as error:
            refused.add(f"{rule.__name__} {kind} with tf.IndexedSlices", error)


case.write_cases()
o = tfa.optimizers
adam = {"learning_rate": 0.05, "beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-3}
family("lazy_adam", o.LazyAdam, {"dials": adam})
family("adamw", o.AdamW, {"dials": {**adam, "weight_decay": 0.1, "amsgrad": True}}, weight_decay=0.01)
family("sgdw", o.SGDW, {"dials": {"learning_rate": 0.05, "momentum": 0.8},
                        "nesterov": {"learning_rate": 0.05, "momentum": 0.8, "nesterov": True}}, weight_decay=0.1)
family("lamb", o.LAMB, {"dials": {**adam, "weight_decay": 0.1}})
run("lamb", "zero_table", o.LAMB, case.ZERO, learning_rate=0.05)
family("yogi", o.Yogi, {"dials": {"learning_rate": 0.05, "beta1": 0.8, "beta2": 0.95}})
refused.save()
