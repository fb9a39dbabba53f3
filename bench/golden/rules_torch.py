"""What PyTorch's optimizers were found to compute. Numbers that are Python's stay double until they meet an array."""
import math

import numpy as np

from rules_math import F, put


def inexact_root(c, x):
    """torch.sqrt on a CPU is MKL's, which is off by 1 ulp for about a sixth of all numbers."""
    return c.near(np.sqrt(x))


def sparse_adam(s, lr, t, old, g, golden, c):
    b1, b2 = s["betas"]
    if len(g.ids) == 0:
        return old
    rows = -g.sums if s["maximize"] else g.sums
    m, v = old["exp_avg"][g.ids], old["exp_avg_sq"][g.ids]
    m = m + (rows - m) * F(1 - b1)
    v = v + (rows * rows - v) * F(1 - b2)
    step = lr * math.sqrt(1 - b2**t) / (1 - b1**t)
    w = old["w"][g.ids] + F(-step) * (m / (inexact_root(c, v) + F(s["eps"])))
    return {"w": put(old["w"], g.ids, w), "exp_avg": put(old["exp_avg"], g.ids, m),
            "exp_avg_sq": put(old["exp_avg_sq"], g.ids, v)}


def adagrad(s, lr, t, old, g, golden, c):
    rate = F(-lr / (1 + (t - 1) * s["lr_decay"]))
    w, state = old["w"], old["sum"]
    if golden.gradient == "dense":
        rows = g.dense()
        rows = c.mad(F(s["weight_decay"]), w, rows) if s["weight_decay"] else rows
        state = c.mad(rows, rows, state)
        return {"w": w + rate * rows / (inexact_root(c, state) + F(s["eps"])), "sum": state}
    state = put(state, g.ids, state[g.ids] + g.sums * g.sums)
    std = inexact_root(c, state[g.ids]) + F(s["eps"])
    return {"w": put(w, g.ids, c.mad(rate, g.sums / std, w[g.ids])), "sum": state}


def add_rows(w, entries, factor, c):
    """Adds each row of a sparse gradient by itself, in the order stored: PyTorch does not add rows of one id first."""
    w = w.copy()
    for i, row in entries:
        w[i] = c.mad(F(factor), row, w[i], at=0)
    return w


def merged(t, s, factor, c):
    """t + factor s of sparse tensors: their lists of rows are merged as if both ascended, and rows are added where the
    heads of both lists have one id. So the list grows, with repeated ids, unless both are coalesced."""
    result, i, j = [], 0, 0
    while i < len(t) or j < len(s):
        take_t = j >= len(s) or (i < len(t) and t[i][0] <= s[j][0])
        take_s = i >= len(t) or (j < len(s) and t[i][0] >= s[j][0])
        row = t[i][1] if take_t else np.zeros_like(s[j][1])
        result.append((t[i][0] if take_t else s[j][0], c.mad(F(factor), s[j][1], row, at=1) if take_s else row))
        i, j = i + take_t, j + take_s
    return result


def sgd_sparse(s, lr, t, old, g, golden, c):
    """The momentum buffer is a list of rows that grows; each is multiplied by itself."""
    mu, rows = s["momentum"], list(zip(g.raw_ids, g.raw))
    if not mu:
        return {"w": add_rows(old["w"], rows, -lr, c)}
    before = c.memory.get("buffer")
    if before is None:
        buffer = rows
    else:
        buffer = merged([(i, row * F(mu)) for i, row in before], rows, 1 - s["dampening"], c)
    c.memory["buffer"] = buffer
    step = merged(rows, buffer, mu, c) if s["nesterov"] else buffer
    dense = np.zeros_like(old["w"])
    for i, row in buffer:
        dense[i] += row
    return {"w": add_rows(old["w"], step, -lr, c), "momentum_buffer": dense}


def sgd(s, lr, t, old, g, golden, c):
    w, mu = old["w"], s["momentum"]
    if golden.gradient == "sparse":
        return sgd_sparse(s, lr, t, old, g, golden, c)
    rows = g.dense()
    if s["weight_decay"]:
        rows = c.mad(F(s["weight_decay"]), w, rows)
    if not mu:
        return {"w": c.mad(F(-lr), rows, w)}
    b = rows if t == 1 else c.mad(F(1 - s["dampening"]), rows, F(mu) * old["momentum_buffer"])
    step = c.mad(F(mu), b, rows) if s["nesterov"] else b
    return {"w": c.mad(F(-lr), step, w), "momentum_buffer": b}


def lerp(c, a, b, weight):
    """torch.lerp: from a to b."""
    if weight < 0.5:
        return c.mad(F(weight), b - a, a)
    return c.mad(-(b - a), F(1 - F(weight)), b)


def moments(s, g, old, c, b1, b2):
    m = lerp(c, old["exp_avg"], g, 1 - b1)
    return m, c.mad(F(1 - b2) * g, g, old["exp_avg_sq"] * F(b2))


def decayed(s, lr, w, g, c, decoupled):
    if not s["weight_decay"]:
        return w, g
    if decoupled:
        return w * F(1 - lr * s["weight_decay"]), g
    return w, c.mad(F(s["weight_decay"]), w, g)


def adam(s, lr, t, old, grad, golden, c):
    b1, b2 = s["betas"]
    w, g = decayed(s, lr, old["w"], grad.dense(), c, s["decoupled_weight_decay"])
    m, v = moments(s, g, old, c, b1, b2)
    new = {"exp_avg": m, "exp_avg_sq": v}
    if s["amsgrad"]:
        new["max_exp_avg_sq"] = v = np.maximum(old["max_exp_avg_sq"], v)
    denominator = inexact_root(c, v) / F((1 - b2**t)**0.5) + F(s["eps"])
    new["w"] = w + F(-(lr / (1 - b1**t))) * m / denominator
    return new


def nadam(s, lr, t, old, grad, golden, c):
    b1, b2 = s["betas"]
    w, g = decayed(s, lr, old["w"], grad.dense(), c, s["decoupled_weight_decay"])
    mu = b1 * (1 - 0.5 * 0.96**(t * s["momentum_decay"]))
    after = b1 * (1 - 0.5 * 0.96**((t + 1) * s["momentum_decay"]))
    product = old["mu_product"] * F(mu)
    m, v = moments(s, g, old, c, b1, b2)
    denominator = inexact_root(c, v / F(1 - b2**t)) + F(s["eps"])
    double = float(product[0, 0])
    w = w + F(-lr * (1 - mu) / (1 - double)) * g / denominator
    w = w + F(-lr * after / (1 - double * after)) * m / denominator
    return {"w": w, "exp_avg": m, "exp_avg_sq": v, "mu_product": product}


def adamax(s, lr, t, old, grad, golden, c):
    b1, b2 = s["betas"]
    w, g = decayed(s, lr, old["w"], grad.dense(), c, False)
    m = lerp(c, old["exp_avg"], g, 1 - b1)
    u = np.maximum(old["exp_inf"] * F(b2), np.abs(g) + F(s["eps"]))
    return {"w": w + F(-(lr / (1 - b1**t))) * m / u, "exp_avg": m, "exp_inf": u}


def rmsprop(s, lr, t, old, grad, golden, c):
    w, g = decayed(s, lr, old["w"], grad.dense(), c, False)
    a, new = s["alpha"], {}
    v = c.mad(F(1 - a) * g, g, old["square_avg"] * F(a))
    root = inexact_root(c, v)
    if s["centered"]:
        mean = lerp(c, old["grad_avg"], g, 1 - a)
        root, new["grad_avg"] = inexact_root(c, c.mad(-mean, mean, v)), mean
    root = root + F(s["eps"])
    if s["momentum"] > 0:
        buffer = old["momentum_buffer"] * F(s["momentum"]) + g / root
        return {**new, "w": c.mad(F(-lr), buffer, w), "square_avg": v, "momentum_buffer": buffer}
    return {**new, "w": w + F(-lr) * g / root, "square_avg": v}


def adadelta(s, lr, t, old, grad, golden, c):
    w, g = decayed(s, lr, old["w"], grad.dense(), c, False)
    rho, eps = s["rho"], F(s["eps"])
    v = c.mad(F(1 - rho) * g, g, old["square_avg"] * F(rho))
    delta = inexact_root(c, old["acc_delta"] + eps) / inexact_root(c, v + eps) * g
    u = c.mad(F(1 - rho) * delta, delta, old["acc_delta"] * F(rho))
    return {"w": c.mad(F(-lr), delta, w), "square_avg": v, "acc_delta": u}


RULES = {"torch.optim.SparseAdam": sparse_adam, "torch.optim.Adagrad": adagrad, "torch.optim.SGD": sgd,
         "torch.optim.Adam": adam, "torch.optim.AdamW": adam, "torch.optim.NAdam": nadam,
         "torch.optim.Adamax": adamax, "torch.optim.RMSprop": rmsprop, "torch.optim.Adadelta": adadelta}
