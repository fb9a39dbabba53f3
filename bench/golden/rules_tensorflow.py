"""What tf.compat.v1.train, the raw operations and TensorFlow Addons were found to compute."""
import numpy as np

from rules_math import F, put, sign


def each(rule):
    """A rule of rows, for rows of one id that were added before (tf.compat.v1.train), in ascending order of the ids."""

    def step(s, lr, t, old, g, golden, c):
        new = {k: v.copy() for k, v in old.items()}
        # The sums begin at +0, so that -0 becomes +0.
        rows = list(zip(g.ids, g.sums + F(0))) if golden.system != "tf_raw" else list(zip(g.raw_ids, g.raw))
        for i, row in rows:
            c.begin()
            part = rule(s, F(lr), t, {k: v[i] for k, v in new.items()}, row, c)
            for k, v in part.items():
                new[k][i] = v
        return new

    return step


def gradient_descent(s, lr, t, old, g, golden, c):
    """Rows of one id are not added first."""
    w = old["w"].copy()
    for i, row in zip(g.raw_ids, -(g.raw * F(lr))):
        w[i] = w[i] + row
    return {"w": w}


def momentum(s, lr, t, o, g, c):
    key = "momentum" if "accum" not in o else "accum"
    mu = F(s["momentum"])
    b = c.mad(o[key], mu, g)
    if s["use_nesterov"]:
        return {"w": o["w"] - c.mad(g, lr, b * (mu * lr)), key: b}
    return {"w": c.mad(-b, lr, o["w"]), key: b}


def keras_momentum(s, lr, t, o, g, c):
    mu = F(s["momentum"])
    b = c.mad(o["accum"], mu, -(g * lr))
    return {"w": o["w"] + (c.mad(b, mu, -(g * lr)) if s["use_nesterov"] else b), "accum": b}


def rsqrt(c, x):
    """Eigen's reciprocal square root."""
    return c.near(F(1) / np.sqrt(x))


def adagrad(s, lr, t, o, g, c):
    key = "accumulator" if "accumulator" in o else "accum"
    a = c.mad(g, g, o[key]) if s.get("update_slots", True) else o[key]
    if "epsilon" in s:
        return {"w": o["w"] - lr * g / (np.sqrt(a) + F(s["epsilon"])), key: a}
    return {"w": c.mad(-(lr * g), rsqrt(c, a), o["w"]), key: a}


def adadelta(s, lr, t, o, g, c):
    rho, eps = F(s["rho"]), F(s["epsilon"])
    a = c.mad(o["accum"], rho, g * g * (F(1) - rho))
    step = np.sqrt(o["accum_update"] + eps) * rsqrt(c, a + eps) * g
    u = c.mad(o["accum_update"], rho, step * step * (F(1) - rho))
    return {"w": c.mad(-step, lr, o["w"]), "accum": a, "accum_update": u}


def rmsprop(s, lr, t, o, g, c):
    raw = "ms" in o
    ms, mom, mg = ("ms", "mom", "mg") if raw else ("rms", "momentum", "mg")
    rho = F(s["rho"] if raw else s["decay"])
    v = c.mad(g * g, F(1) - rho, o[ms] * rho)
    inside, new = v + F(s["epsilon"]), {}
    if mg in o:
        mean = c.mad(g, F(1) - rho, o[mg] * rho)
        inside, new[mg] = c.mad(-mean, mean, inside), mean
    m = c.mad(o[mom], F(s["momentum"]), rsqrt(c, inside) * lr * g)
    return {**new, "w": o["w"] - m, ms: v, mom: m}


def ftrl(s, lr, t, o, g, c):
    short = "l1" in s
    l1 = F(s["l1" if short else "l1_regularization_strength"])
    l2 = s["l2" if short else "l2_regularization_strength"]
    shrink = s["l2_shrinkage" if short else "l2_shrinkage_regularization_strength"]
    p = s["lr_power" if short else "learning_rate_power"]
    l2 = F(l2) + F(s["beta"] or 0) / (F(2) * lr) if "beta" in s else F(l2)
    root = np.sqrt if F(p) == F(-0.5) else lambda x: c.near(np.power(x, F(-p)))
    to_use = c.mad(F(2) * F(shrink), o["w"], g) if shrink > 0 else g
    a = c.mad(g, g, o["accum"])
    grown, was = root(a), root(o["accum"])
    if s.get("multiply_linear_by_lr"):
        z = o["linear"] + (to_use * lr - (grown - was) * o["w"])
        return {"w": (np.clip(z, -l1 * lr, l1 * lr) - z) / (grown + F(2) * l2 * lr), "accum": a, "linear": z}
    z = o["linear"] + (to_use - (grown - was) / lr * o["w"])
    return {"w": (np.clip(z, -l1, l1) - z) / (grown / lr + F(2) * l2), "accum": a, "linear": z}


def shrunk(x, rate, l1, l2):
    if l1 > 0:
        x = sign(x) * np.maximum(np.abs(x) - rate * l1, F(0))
    return x / (F(1) + l2 * rate)


def proximal_gradient_descent(s, lr, t, o, g, c):
    l1, l2 = F(s["l1_regularization_strength"]), F(s["l2_regularization_strength"])
    return {"w": shrunk(c.mad(-g, lr, o["w"]), lr, l1, l2)}


def proximal_adagrad(s, lr, t, o, g, c):
    l1, l2 = F(s["l1_regularization_strength"]), F(s["l2_regularization_strength"])
    a = c.mad(g, g, o["accumulator"])
    rate = lr * rsqrt(c, a)
    return {"w": shrunk(c.mad(-g, rate, o["w"]), rate, l1, l2), "accumulator": a}


def adagrad_da(s, lr, t, o, g, c):
    l1, l2, n = F(s["l1_regularization_strength"]), F(s["l2_regularization_strength"]), F(t)
    a = o["gradient_accumulator"] + g
    q = c.mad(g, g, o["gradient_squared_accumulator"])
    x = sign(a) * np.maximum(np.abs(a) / n - l1, F(0)) if l1 > 0 else a / n
    return {"w": -x / (l2 + np.sqrt(q) / (n * lr)), "gradient_accumulator": a, "gradient_squared_accumulator": q}


def adam(s, lr, t, old, g, golden, c):
    """All rows. The powers of the betas are products, made step by step."""
    b1, b2 = F(s["beta1"]), F(s["beta2"])
    p1, p2 = c.memory.get("powers", (b1, b2))
    c.memory["powers"] = (p1 * b1, p2 * b2)
    rate = F(lr) * np.sqrt(F(1) - p2) / (F(1) - p1)
    return adam_rows(old, g, b1, b2, rate, F(s["epsilon"]), False, old["w"])


def adam_rows(old, g, b1, b2, rate, eps, amsgrad, w):
    m, v = old["m"] * b1, old["v"] * b2
    m = put(m, g.ids, m[g.ids] + g.sums * (F(1) - b1))
    v = put(v, g.ids, v[g.ids] + g.sums * g.sums * (F(1) - b2))
    new = {"m": m, "v": v}
    if amsgrad:
        new["vhat"] = v = np.maximum(old["vhat"], v)
    return {**new, "w": w - rate * m / (np.sqrt(v) + eps)}


def powers(s, t, c):
    return (c.near(np.power(F(s[key]), F(t))) for key in ("beta_1", "beta_2"))


def lazy_adam(s, lr, t, old, g, golden, c):
    """Rows of one id are added first. Only they move."""
    b1, b2, i = F(s["beta_1"]), F(s["beta_2"]), g.ids
    p1, p2 = powers(s, t, c)
    rate = F(lr) * np.sqrt(F(1) - p2) / (F(1) - p1)
    m = b1 * old["m"][i] + (F(1) - b1) * g.sums
    v = b2 * old["v"][i] + (F(1) - b2) * (g.sums * g.sums)
    w = old["w"][i] - rate * m / (np.sqrt(v) + F(s["epsilon"]))
    return {"w": put(old["w"], i, w), "m": put(old["m"], i, m), "v": put(old["v"], i, v)}


def decayed_rows(s, old, g):
    """Weight decay of the rows of the gradient, without the learning rate."""
    w, i = old["w"], g.ids
    return put(w, i, w[i] + -F(s["weight_decay"]) * w[i])


def adamw(s, lr, t, old, g, golden, c):
    p1, p2 = powers(s, t, c)
    rate = F(lr) * (np.sqrt(F(1) - p2) / (F(1) - p1))
    b1, b2 = F(s["beta_1"]), F(s["beta_2"])
    return adam_rows(old, g, b1, b2, rate, F(s["epsilon"]), s["amsgrad"], decayed_rows(s, old, g))


def sgdw(s, lr, t, old, g, golden, c):
    """Without momentum there is no decay, and rows of one id are not added first."""
    if not s["momentum"]:
        return gradient_descent(s, lr, t, old, g, golden, c)
    w, i, lr = decayed_rows(s, old, g), g.ids, F(lr)
    part = keras_momentum({**s, "use_nesterov": s["nesterov"]}, lr, t, {"w": w[i], "accum": old["momentum"][i]}, g.sums,
                          c)
    return {"w": put(w, i, part["w"]), "momentum": put(old["momentum"], i, part["accum"])}


def lamb(s, lr, t, old, g, golden, c):
    """All rows; the norms are those of the whole table."""
    b1, b2, w = F(s["beta_1"]), F(s["beta_2"]), old["w"]
    p1, p2 = powers(s, t, c)
    new = adam_rows(old, g, b1, b2, F(0), F(1), False, w)
    update = new["m"] / (F(1) - p1) / (np.sqrt(new["v"] / (F(1) - p2)) + F(s["epsilon"]))
    update = update + F(s["weight_decay"]) * w
    norms = [c.near(np.sqrt(np.sum(x * x, dtype=np.float64).astype(F))) for x in (w, update)]
    ratio = norms[0] / norms[1] if norms[0] > 0 and norms[1] > 0 else F(1)
    return {**new, "w": w - ratio * F(lr) * update}


def yogi(s, lr, t, old, g, golden, c):
    """m of all rows decays, and m of the rows of the gradient is what it was then."""
    b1, b2, i = F(s["beta1"]), F(s["beta2"]), g.ids
    p1, p2 = (c.near(np.power(b, F(t))) for b in (b1, b2))
    rate = F(lr) * np.sqrt(F(1) - p2) / (F(1) - p1)
    m, square = old["m"] * b1, g.sums * g.sums
    m = put(m, i, m[i] + g.sums * (F(1) - b1))
    v = old["v"][i] + (F(1) - b2) * sign(square - old["v"][i]) * square
    w = old["w"][i] - rate / (np.sqrt(v) + F(s["epsilon"])) * m[i]
    return {"w": put(old["w"], i, w), "m": m, "v": put(old["v"], i, v)}


TRAIN = {"GradientDescentOptimizer": gradient_descent, "MomentumOptimizer": each(momentum),
         "AdagradOptimizer": each(adagrad), "AdadeltaOptimizer": each(adadelta), "RMSPropOptimizer": each(rmsprop),
         "FtrlOptimizer": each(ftrl), "ProximalGradientDescentOptimizer": each(proximal_gradient_descent),
         "ProximalAdagradOptimizer": each(proximal_adagrad), "AdagradDAOptimizer": each(adagrad_da),
         "AdamOptimizer": adam}
RULES = {f"tf.compat.v1.train.{name}": rule for name, rule in TRAIN.items()}
RAW = {f"tf.raw_ops.ResourceSparseApply{name}": each(rule) for name, rule in {
    "Adagrad": adagrad, "AdagradV2": adagrad, "FtrlV2": ftrl, "Momentum": momentum, "KerasMomentum": keras_momentum,
    "RMSProp": rmsprop, "CenteredRMSProp": rmsprop, "Adadelta": adadelta}.items()}
ADDONS = {f"tensorflow_addons.optimizers.{name}": rule for name, rule in {
    "LazyAdam": lazy_adam, "AdamW": adamw, "SGDW": sgdw, "LAMB": lamb, "Yogi": yogi}.items()}
