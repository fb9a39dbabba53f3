"""What FBGEMM's embedding tables on a CPU and DGL's sparse optimizers were found to compute."""
import numpy as np

from rules_math import F, put


def added(s, g):
    """The rows of the gradient, each clipped, then those of one id added."""
    if not s["gradient_clipping"]:
        return g.ids, g.sums
    limit = F(s["max_gradient"])
    return g.ids, type(g)(g.shape, g.raw_ids, np.clip(g.raw, -limit, limit)).sums


def sgd(s, lr, t, old, g, golden, c):
    """weight_decay is not read."""
    w, (i, rows) = old["w"], added(s, g)
    return {"w": put(w, i, c.mad(F(-lr), rows, w[i]))}


def adagrad(s, lr, t, old, g, golden, c):
    """weight_decay is not read. lr g is rounded; root, division and difference are in double."""
    w, (i, rows) = old["w"], added(s, g)
    a = c.mad(rows, rows, old["sum"][i])
    step = (F(lr) * rows).astype(np.float64) / (np.sqrt(a.astype(np.float64)) + s["eps"])
    return {"w": put(w, i, (w[i] - step).astype(F)), "sum": put(old["sum"], i, a)}


def mean_square(x, c):
    total = np.zeros(len(x), F)
    for d in range(x.shape[1]):
        total = c.mad(x[:, d], x[:, d], total, at=0)
    return total / F(x.shape[1])


def scaled(w, keep, k, rows, c):
    return c.mad(keep[:, None], w, -(k[:, None] * rows), at=2)


def rowwise_adagrad(s, lr, t, old, g, golden, c):
    """weight_decay is read with weights of float16 only, max_norm nowhere."""
    w, (i, rows), wd, lr = old["w"][g.ids], added(s, g), F(s["weight_decay"]), F(lr)
    mode = s["weight_decay_mode"] if s["weights_precision"] == "FP16" else 0
    a = old["sum"][i, 0] + mean_square(c.mad(wd, w, rows, at=1) if mode == 1 else rows, c)
    k = lr / (np.sqrt(a) + F(s["eps"]))
    keep = {1: F(1) - k * wd, 2: F(1) - lr * wd + 0 * k}.get(mode, F(1) + 0 * k)
    w = scaled(w, keep, k, rows, c)
    w = w.astype(np.float16).astype(F) if s["weights_precision"] == "FP16" else w
    return {"w": put(old["w"], i, w), "sum": put(old["sum"], i, a[:, None])}


def ema_in_place(s, lr, t, old, g, golden, c):
    """Before every 10th step the second half of each row moves to the first, by 0.6 of the way."""
    w, half = old["w"].copy(), old["w"].shape[1] // 2
    if t % 10 == 0:
        fast, slow = w[:, :half], w[:, half:]
        w[:, half:] = c.mad(-(fast - slow), F(1) - F(0.6), fast)
    return rowwise_adagrad(s, lr, t, {**old, "w": w}, g, golden, c)


def adjusted(s, lr, t, k, count):
    """The rate of the rows of counter-based regularization, where the step is late enough for that."""
    bound, most = F(s["adjustment_ub"]), F(s["max_counter"])
    tail = np.floor(s["tail_id_threshold"] * most) if s["is_tail_id_thresh_ratio"] else F(s["tail_id_threshold"])
    rates = {0: k * np.maximum(np.minimum(np.power(most / (count + F(1)), bound), F(10)), F(1)),
             1: k * np.minimum(np.maximum(np.power((count + F(1)) / most, bound), F(0.1)), F(1)),
             2: lr / (np.sqrt(bound * count) + F(s["eps"]))}
    return np.where(count > tail, rates[s["learning_rate_mode"]], k) if s["learning_rate_mode"] >= 0 else k


def counter(s, lr, t, old, g, golden, c):
    """max_counter stays 1 on a CPU. The decay is multiplied by counter_halflife / row_counter."""
    w, (i, rows), wd, lr, life = old["w"][g.ids], added(s, g), F(s["weight_decay"]), F(lr), s["counter_halflife"]
    before, count = old["prev_iter"][i, 0], old["row_counter"][i, 0]
    gap = np.where(before == 0, F(1), F(t) - before)
    decay = c.near(np.exp(-gap * (np.log(F(2)) / F(life)))) if life > 0 else F(0)
    count = c.mad(decay, count, F(1), at=3) if life > 0 else F(1) + 0 * count if life == 0 else count + F(1)
    mode = s["weight_decay_mode"]
    squares = mean_square(c.mad(wd, w, rows, at=1) if mode == 1 else rows, c)
    a = old["sum"][i, 0] + squares
    k = rate = lr / (np.sqrt(a) + F(s["eps"]))
    late, freq = s["adjustment_iter"] <= 0 or t > s["adjustment_iter"], F(life) / count
    keep = F(1) + 0 * k
    if s["regularization_mode"] == 3 and late:
        rate = adjusted(s, lr, t, k, count)
        if mode == 3:
            once = F(1) - wd * lr
            skipped = c.near(np.power(once, np.minimum(gap, F(t - s["adjustment_iter"])) - F(1)))
            rate, keep = k * np.sqrt(count) * skipped, once * skipped
        elif mode in (1, 2):
            keep = F(1) - freq * wd * (lr if mode == 2 else k)
    elif s["regularization_mode"] == 4:
        norm = np.sqrt(mean_square(w, c) * F(w.shape[1]))
        limit = count * np.maximum(F(s["weight_norm_coefficient"]) * norm, F(s["lower_bound"]))
        rate = np.minimum(F(1), limit / np.sqrt(squares * F(w.shape[1]))) * k
        keep = F(1) - wd * (lr if mode == 2 else rate) if mode in (1, 2) else keep
        keep = keep + 0 * k
    return {"w": put(old["w"], i, scaled(w, keep, rate, rows, c)), "sum": put(old["sum"], i, a[:, None]),
            "row_counter": put(old["row_counter"], i, count[:, None]),
            "prev_iter": put(old["prev_iter"], i, np.full((len(i), 1), t, F))}


def exact_rowwise_adagrad(s, lr, t, old, g, golden, c):
    return (counter if "row_counter" in old else rowwise_adagrad)(s, lr, t, old, g, golden, c)


def rowwise_rmsprop(s, lr, t, old, g, golden, c):
    """Decay by the number of steps since the row was last touched, which is 1 at its first time."""
    w, (i, rows), lr, b = old["w"][g.ids], added(s, g), F(lr), F(s["ema_beta"])
    before = old["prev_iter"][i, 0].astype(F)
    gap = np.where(before == 0, F(1), F(t) - before)
    shrink = np.clip(lr * F(s["ar_alpha"]) * gap, F(0), F(1))
    v = c.mad(b, old["sum"][i, 0], (F(1) - b) * mean_square(rows, c), at=1)
    k = lr / (np.sqrt(v) + F(s["eps"]))
    w = scaled(w, np.maximum(F(s["min_shrinkage"]), F(1) - shrink), k, rows, c)
    return {"w": put(old["w"], i, w), "sum": put(old["sum"], i, v[:, None]),
            "prev_iter": put(old["prev_iter"], i, np.full((len(i), 1), t, old["prev_iter"].dtype))}


RULES = {"OptimType.EXACT_SGD": sgd, "OptimType.EXACT_ADAGRAD": adagrad,
         "OptimType.EXACT_ROWWISE_ADAGRAD": exact_rowwise_adagrad, "OptimType.ROWWISE_RMSPROP_AR": rowwise_rmsprop,
         "OptimType.EMAINPLACE_ROWWISE_ADAGRAD": ema_in_place}


def means(g):
    """The mean of the rows of one id."""
    counts = np.array([(g.raw_ids == i).sum() for i in g.ids], F)
    return (g.sums + F(0)) / counts[:, None]


def dgl_adagrad(s, lr, t, old, g, golden, c):
    i, rows = g.ids, means(g)
    a = old["sum"][i] + rows * rows
    w = old["w"][i] - F(lr) * rows / c.near(np.sqrt(a + F(s["eps"])))
    return {"w": put(old["w"], i, w), "sum": put(old["sum"], i, a)}


def dgl_adam(s, lr, t, old, g, golden, c):
    b1, b2 = s["betas"]
    i, rows = g.ids, means(g)
    steps = put(old["step"], i, old["step"][i] + 1)
    n = steps[i].astype(F)
    m = F(b1) * old["mem"][i] + F(1 - b1) * rows
    v = F(b2) * old["power"][i] + F(1 - b2) * (rows * rows)
    stored = {"mem": m, "power": v}
    if "f16" in s["dtype"]:
        stored = {k: x.astype(np.float16).astype(F) for k, x in stored.items()}
    hat = m / (F(1) - c.near(np.power(F(b1), n)))
    root = c.near(np.sqrt(v / (F(1) - c.near(np.power(F(b2), n)))))
    w = old["w"][i] - F(lr) * hat / (root + F(s["eps"]))
    stored = {k: put(old[k], i, x) for k, x in stored.items()}
    return {"w": put(old["w"], i, w), "step": steps, **stored}


DGL = {"dgl.optim.SparseAdagrad": dgl_adagrad, "dgl.optim.SparseAdam": dgl_adam}
