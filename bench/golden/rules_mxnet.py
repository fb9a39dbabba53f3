"""What MXNet's optimizers were found to compute. The order of rescaling, clipping and weight decay differs: SGD, NAG,
Signum and LAMB clip the gradient alone; Adam, RMSProp and the rules written in Python clip gradient and decay."""
import math

import numpy as np

from rules_math import F, sign


def limit_of(s, at_zero):
    """clip_gradient. The operators clip where it is at least 0, the optimizers hand it over where it is not 0."""
    limit = s.get("clip_gradient")
    return None if limit is None or limit < 0 or (limit == 0 and not at_zero) else (F(-limit), F(limit))


def clip(x, limit):
    if limit is None:
        return x
    low, high = limit
    return np.where(x > high, high, np.where(x < low, low, x))


def gradient(s, g, at_zero=False):
    """rescale_grad, then clip_gradient."""
    return clip(F(s.get("rescale_grad", 1.0)) * g, limit_of(s, at_zero))


def gradient_with_decay(s, g, w):
    """rescale_grad, then wd, then clip_gradient."""
    return clip(F(s["rescale_grad"]) * g + F(s["wd"]) * w, limit_of(s, False))


def moved(golden, s):
    """Which rows move: those of the gradient, or all."""
    return golden.gradient == "sparse" and s.get("lazy_update", True)


def by_row(rule, std=None):
    """A rule of the rows of the gradient, each by itself; without lazy_update, or with a dense gradient, of all rows.

    Then the gradient of the n-th row that has one is taken to be the n-th stored: the ids must ascend."""

    def step(s, lr, t, old, g, golden, c):
        if moved(golden, s):
            ids, rows = g.raw_ids, g.raw
        elif golden.gradient == "sparse":
            ids, rows = np.arange(g.shape[0]), np.zeros(g.shape, F)
            rows[g.ids] = g.raw[:len(g.ids)]
        else:
            ids, rows = np.arange(g.shape[0]), g.dense()
        new = {k: v.copy() for k, v in old.items()}
        for i, row in zip(ids, rows):
            for k, v in rule(s, lr, t, {k: v[i] for k, v in new.items()}, row).items():
                new[k][i] = v
        return new

    return step


def sgd_row(s, lr, t, o, g):
    lr, wd, zero = F(lr), F(s.get("wd", 0)), "momentum" not in s
    g = gradient(s, g, at_zero=zero)
    if s.get("momentum"):
        m = F(s["momentum"]) * o["mom"] - lr * wd * o["w"] - lr * g
        return {"w": o["w"] + m, "mom": m}
    return {"w": (F(1) - lr * wd) * o["w"] - lr * g}


sgd_by_row = by_row(sgd_row)


def sgd(s, lr, t, old, g, golden, c):
    """Without momentum and lazy_update: all weights decay; then the rows of the gradient move."""
    if golden.gradient == "sparse" and not s.get("lazy_update", True) and not s["momentum"]:
        w = old["w"] * F(1 - lr * s["wd"])
        return sgd_by_row({**s, "wd": 0, "lazy_update": True}, lr, t, {"w": w}, g, golden, c)
    return sgd_by_row(s, lr, t, old, g, golden, c)


def adam_row(s, lr, t, o, g, sparse=True):
    b1, b2 = s["beta1"], s["beta2"]
    rate = F(lr * math.sqrt(1 - b2**t) / (1 - b1**t))
    g = gradient_with_decay(s, g, o["w"])
    m = F(b1) * o["mean"] + (F(1) - F(b1)) * g
    squared = sparse and (not s["lazy_update"] or s["clip_gradient"])
    square = (F(1) - F(b2)) * (g * g) if squared else (F(1) - F(b2)) * g * g
    v = F(b2) * o["var"] + square
    return {"w": o["w"] - rate * m / (np.sqrt(v) + F(s["epsilon"])), "mean": m, "var": v}


def adam(s, lr, t, old, g, golden, c):
    sparse = golden.gradient == "sparse"
    return by_row(lambda *args: adam_row(*args, sparse=sparse))(s, lr, t, old, g, golden, c)


def adagrad_row(s, lr, t, o, g):
    """The operator: of sparse gradients. Its page puts epsilon inside the root, and so does it."""
    g, eps = gradient(s, g), F(s.get("float_stable_eps", 1e-7))
    a = o["history"] + g * g
    return {"w": o["w"] - F(lr) * (g / np.sqrt(a + eps)), "history": a}


def adagrad(s, lr, t, old, g, golden, c):
    if golden.gradient == "sparse":
        return by_row(adagrad_row)(s, lr, t, old, g, golden, c)
    rows = clip(g.dense() * F(s["rescale_grad"]), limit_of(s, True))
    a = old["history"] + rows * rows
    step = rows / np.sqrt(a + F(s["float_stable_eps"])) + old["w"] * F(s["wd"])
    return {"w": old["w"] + step * F(-lr), "history": a}


def group_adagrad_row(s, lr, t, o, g):
    g, eps = gradient(s, g), F(s.get("float_stable_eps", 1e-5))
    total = F(0)
    for x in g:
        total = total + x * x
    a = o["history"] + total / F(len(g))
    return {"w": o["w"] - F(lr) * g / np.sqrt(a + eps), "history": a}


def group_adagrad(s, lr, t, old, g, golden, c):
    if golden.gradient == "sparse":
        return by_row(group_adagrad_row)(s, lr, t, old, g, golden, c)
    rows = clip(g.dense() * F(s["rescale_grad"]), limit_of(s, True))
    a = old["history"] + (np.sum(rows * rows, axis=1, keepdims=True, dtype=F) / F(rows.shape[1]))
    return {"w": old["w"] - F(lr) * rows / np.sqrt(a + F(s["float_stable_eps"])), "history": a}


def ftrl_row(s, lr, t, o, g):
    g, lr, l1 = gradient(s, g), F(lr), F(s["lamda1"])
    z = o["z"] + (g - (np.sqrt(o["n"] + g * g) - np.sqrt(o["n"])) * o["w"] / lr)
    n = o["n"] + g * g
    w = (sign(z) * l1 - z) / ((F(s["beta"]) + np.sqrt(n)) / lr + F(s["wd"])) * (np.abs(z) > l1)
    return {"w": w, "z": z, "n": n}


def nag_row(s, lr, t, o, g):
    lr, mu = F(lr), F(s["momentum"])
    if not s["momentum"]:
        return sgd_row(s, lr, t, o, g)
    g, wd, m = gradient(s, g), F(s["wd"]), mu * o["mom"]
    w = o["w"] - m + (mu + F(1)) * (m - lr * (g + wd * o["w"]))
    return {"w": w, "mom": m - lr * (g + wd * w)}  # the decay is that of the new weight, which is in the same place


def rmsprop_row(s, lr, t, o, g):
    y1, lr = F(s["gamma1"]), F(lr)
    g = gradient_with_decay(s, g, o["w"])
    n = (F(1) - y1) * g * g + y1 * o["n"] if s["centered"] else (F(1) - y1) * (g * g) + y1 * o["n"]
    if not s["centered"]:
        w = o["w"] - lr * (g / np.sqrt(n + F(s["epsilon"])))
        return {"w": clip(w, (F(-s["clip_weights"]), F(s["clip_weights"]))) if s["clip_weights"] else w, "n": n}
    mean = (F(1) - y1) * g + y1 * o["g"]
    delta = F(s["gamma2"]) * o["delta"] - lr * g / np.sqrt(n - mean * mean + F(s["epsilon"]))
    return {"w": o["w"] + delta, "n": n, "g": mean, "delta": delta}


def signum_row(s, lr, t, o, g):
    lr, wd, mu = F(lr), F(s["wd"]), F(s["momentum"])
    if not s["momentum"]:
        return {"w": (F(1) - lr * wd) * o["w"] - lr * sign(g)}
    m = mu * o["mom"] - (F(1) - mu) * wd * o["w"] - (F(1) - mu) * gradient(s, g)
    return {"w": (F(1) - lr * F(s["wd_lh"])) * o["w"] + lr * sign(m), "mom": m}


def norm(c, x):
    """The order of a sum over an array is not defined."""
    return c.near(np.sqrt(np.sum(x * x, dtype=np.float64).astype(F)))


def lamb(s, lr, t, old, g, golden, c):
    """The ratio of the norms of the table and of its update; 1 where one of them is 0."""
    b1, b2, w = F(s["beta1"]), F(s["beta2"]), old["w"]
    rows = gradient(s, g.dense())
    m = b1 * old["mean"] + (F(1) - b1) * rows
    v = b2 * old["var"] + (F(1) - b2) * rows * rows
    if s["bias_correction"]:
        update = m / (F(1) - c.near(np.power(b1, F(t))))
        update = update / (np.sqrt(v / (F(1) - c.near(np.power(b2, F(t))))) + F(s["epsilon"]))
    else:
        update = m / (np.sqrt(v) + F(s["epsilon"]))
    update = update + F(s["wd"]) * w
    r1, r2 = norm(c, w), norm(c, update)
    r1 = np.maximum(r1, F(s["lower_bound"])) if s["lower_bound"] else r1
    r1 = np.minimum(r1, F(s["upper_bound"])) if s["upper_bound"] else r1
    rate = F(lr) if r1 == 0 or r2 == 0 else F(lr) * r1 / r2
    return {"w": w - rate * update, "mean": m, "var": v}


def lars(s, lr, t, old, g, golden, c):
    """The rate of the table; then SGD. With a changing rate the momentum is scaled by it."""
    rows = g.raw if golden.gradient == "sparse" else g.dense()
    w_norm, g_norm = norm(c, old["w"]), norm(c, rows * F(s["rescale_grad"]))
    if golden.gradient == "sparse" and w_norm > 0 and g_norm > 0:  # in double, by Python
        w_norm, g_norm = float(w_norm), float(g_norm)
        rate = lr * (s["eta"] * w_norm / (g_norm + s["wd"] * w_norm + s["eps"]))
    elif w_norm > 0 and g_norm > 0:
        rate = F(lr) * F(s["eta"]) * w_norm / (g_norm + F(s["wd"]) * w_norm + F(s["eps"]))
    else:
        rate = lr
    last = golden.lrs[t - 2] if t > 1 else lr
    mu = s["momentum"] * (lr / last) if s["momentum_correction"] and s["momentum"] else s["momentum"]
    return sgd({**s, "momentum": mu}, rate, t, old, g, golden, c)


def adadelta(s, lr, t, old, g, golden, c):
    """wd is not multiplied by a rate; there is no rate."""
    rho, eps, w = s["rho"], F(s["epsilon"]), old["w"]
    rows = clip(g.dense() * F(s["rescale_grad"]), limit_of(s, True))
    a = old["acc_g"] * F(rho) + F(1 - rho) * rows * rows
    delta = np.sqrt(old["acc_delta"] + eps) / np.sqrt(a + eps) * rows
    u = old["acc_delta"] * F(rho) + F(1 - rho) * delta * delta
    return {"w": w - (delta + F(s["wd"]) * w), "acc_g": a, "acc_delta": u}


def python_gradient(s, g, w):
    return clip(g.dense() * F(s["rescale_grad"]) + F(s["wd"]) * w, limit_of(s, True))


def adamax(s, lr, t, old, g, golden, c):
    """No epsilon: 0 / 0 is NaN where an element has had no gradient yet."""
    b1, b2, w = s["beta1"], s["beta2"], old["w"]
    rows = python_gradient(s, g, w)
    m = old["m_t"] * F(b1) + F(1 - b1) * rows
    u = np.maximum(F(b2) * old["u_t"], np.abs(rows))
    return {"w": w - F(lr / (1 - b1**t)) * m / u, "m_t": m, "u_t": u}


def nadam(s, lr, t, old, g, golden, c):
    b1, b2, w = s["beta1"], s["beta2"], old["w"]
    rows = python_gradient(s, g, w)
    now, after = (b1 * (1 - 0.5 * 0.96**(n * s["schedule_decay"])) for n in (t, t + 1))
    product = c.memory["product"] = c.memory.get("product", 1.0) * now
    m = old["m_t"] * F(b1) + F(1 - b1) * rows
    v = old["v_t"] * F(b2) + F(1 - b2) * rows * rows
    bar = F(1 - now) * (rows / F(1 - product)) + F(after) * (m / F(1 - product * after))
    return {"w": w - F(lr) * bar / (np.sqrt(v / F(1 - b2**t)) + F(s["epsilon"])), "m_t": m, "v_t": v}


def adamw(s, lr, t, old, g, golden, c):
    """The operator has no bias correction: who calls it puts that into the rate."""
    dials = "wd" in s
    b1, b2, w = F(0.9), F(0.999), old["w"]
    rows = gradient({**s, "rescale_grad": 0.5 if dials else 1.0}, g.dense(), at_zero=True)
    m = b1 * old["mean"] + (F(1) - b1) * rows
    v = b2 * old["var"] + (F(1) - b2) * (rows * rows)
    update = F(lr) * m / (np.sqrt(v) + F(1e-8)) + F(s.get("wd", 0)) * w
    return {"w": w - F(s.get("eta", 1)) * update, "mean": m, "var": v}


RULES = {f"mxnet.optimizer.{name}": rule for name, rule in {
    "SGD": sgd, "Adam": adam, "AdaGrad": adagrad, "GroupAdaGrad": group_adagrad, "Ftrl": by_row(ftrl_row),
    "NAG": by_row(nag_row), "RMSProp": by_row(rmsprop_row), "Signum": by_row(signum_row), "LAMB": lamb, "LARS": lars,
    "AdaDelta": adadelta, "Adamax": adamax, "Nadam": nadam}.items()}
RULES.update({f"mxnet.nd.{name}": rule for name, rule in {
    "sgd_update": sgd, "sparse.adagrad_update": adagrad, "contrib.group_adagrad_update": group_adagrad,
    "contrib.adamw_update": adamw}.items()})
