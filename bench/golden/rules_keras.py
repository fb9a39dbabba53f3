"""What Keras 3's optimizers were found to compute, on TensorFlow: one operation after the other, each rounded.

A gradient with repeated ids is never summed by itself: its rows are summed where they meet an array ("dense" below), or
are added to it one after the other ("scatter"). So a rule of the square of the gradient sees the sum of squares."""
import numpy as np

from rules_math import F, sign


def dense(g, rows):
    """The rows as an array, those of one id added in the order stored."""
    result, seen = np.zeros(g.shape, F), set()
    for i, row in zip(g.raw_ids, rows):
        result[i] = result[i] + row if i in seen else row
        seen.add(i)
    return result


def scatter(array, g, rows):
    result = array.copy()
    for i, row in zip(g.raw_ids, rows):
        result[i] = result[i] + row
    return result


class Slices:
    """The rows of a gradient and their ids, as they are stored."""

    def __init__(self, shape, ids, rows):
        self.shape, self.raw_ids, self.raw = shape, ids, rows


def all_rows(rows):
    """A gradient that is an array: all rows."""
    return Slices(rows.shape, np.arange(len(rows)), rows)


def clipped(s, g):
    """The gradient after clipping. Norms are those of all stored rows: rows of one id are not added first.
    global_clipnorm makes an array of the gradient, so that they are added then, and every row has a gradient."""
    rows = g.raw
    if s["clipnorm"]:
        rows = rows * F(s["clipnorm"]) / np.maximum(norm_of(s, rows), F(s["clipnorm"]))
    elif s["global_clipnorm"]:
        norm, limit = norm_of(s, rows), F(s["global_clipnorm"])
        return all_rows(dense(g, rows) * (limit * np.minimum(F(1) / norm, F(1) / limit)))
    elif s["clipvalue"]:
        rows = np.clip(rows, F(-s["clipvalue"]), F(s["clipvalue"]))
    return Slices(g.shape, g.raw_ids, rows)


def keras(rule):
    """What every optimizer does around its rule: clips, then decays all weights, then the rule, then averages them."""

    def step(s, lr, t, old, g, golden, c):
        lr, w, s = F(lr), old["w"], {**s, "choice": c}
        if s["gradient_accumulation_steps"]:
            return accumulated(rule, s, lr, t, old, g)
        g = clipped(s, g)
        if s["weight_decay"] is not None:
            w = w - w * F(s["weight_decay"]) * lr
        new = rule(s, lr, t, {**old, "w": w}, g, g.raw)
        if s["use_ema"]:
            keep = F(s["ema_momentum"]) if t > 1 else F(0)
            average = keep * old["model_variables_moving_average"] + (F(1) - keep) * new["w"]
            new["model_variables_moving_average"] = average
            if s["ema_overwrite_frequency"] and t % s["ema_overwrite_frequency"] == 0:
                new["w"] = average
        return new

    return step


def accumulated(rule, s, lr, t, old, g):
    kept, every = old["accumulated_gradients"], s["gradient_accumulation_steps"]
    if t % every:
        return {**old, "accumulated_gradients": kept + dense(g, g.raw)}
    mean = all_rows((dense(g, g.raw) + kept) / F(every))
    new = rule(s, lr, t // every, old, mean, mean.raw)
    return {**old, **new, "accumulated_gradients": np.zeros_like(kept)}


def sgd(s, lr, t, old, g, rows):
    w, mu = old["w"], F(s["momentum"])
    if not s["momentum"]:
        return {"w": scatter(w, g, -(rows * lr))}
    step = dense(g, rows * lr)
    m = old["momentums"] * mu - step
    return {"w": w + (m * mu - step if s["nesterov"] else m), "momentums": m}


def adagrad(s, lr, t, old, g, rows):
    a = scatter(old["accumulators"], g, rows * rows)
    step = lr * rows / np.sqrt(a[g.raw_ids] + F(s["epsilon"]))
    return {"w": scatter(old["w"], g, -step), "accumulators": a}


def adadelta(s, lr, t, old, g, rows):
    rho, eps = s["rho"], F(s["epsilon"])
    a = F(rho) * old["accumulated_grads"] + dense(g, F(1 - rho) * (rows * rows))
    u = old["accumulated_delta_vars"]
    delta = -(np.sqrt(u + eps)[g.raw_ids] * rows / np.sqrt(a + eps)[g.raw_ids])
    u = F(rho) * u + dense(g, F(1 - rho) * (delta * delta))
    return {"w": scatter(old["w"], g, lr * delta), "accumulated_grads": a, "accumulated_delta_vars": u}


def rmsprop(s, lr, t, old, g, rows):
    rho, new = s["rho"], {}
    v = F(rho) * old["velocities"] + dense(g, F(1 - rho) * (rows * rows))
    inside = v + F(s["epsilon"])
    if s["centered"]:
        mean = F(rho) * old["average_gradients"] + dense(g, F(1 - rho) * rows)
        inside, new["average_gradients"] = v - mean * mean + F(s["epsilon"]), mean
    step = lr * rows / np.sqrt(inside)[g.raw_ids]
    new["velocities"] = v
    if s["momentum"] > 0:
        m = F(s["momentum"]) * old["momentums"] + dense(g, step)
        return {**new, "w": old["w"] - m, "momentums": m}
    return {**new, "w": scatter(old["w"], g, -step)}


def moments(s, old, g, rows, one_minus):
    m, v = old["momentums"], old["velocities"]
    m = m + (dense(g, rows) - m) * one_minus(s["beta_1"])
    return m, v + (dense(g, rows * rows) - v) * one_minus(s["beta_2"])


def in_double(beta):
    return F(1 - beta)


def in_float(beta):
    return F(1) - F(beta)


def power(s, base, exponent):
    """TensorFlow's pow is off by 1 ulp for some numbers."""
    return s["choice"].near(np.power(F(base), F(exponent)))


def norm_of(s, x):
    """The order of a sum over an array is not defined."""
    return s["choice"].near(np.sqrt(np.sum(x * x, dtype=np.float64).astype(F)))


def adam(s, lr, t, old, g, rows):
    alpha = lr * np.sqrt(F(1) - power(s, s["beta_2"], t)) / (F(1) - power(s, s["beta_1"], t))
    m, v = moments(s, old, g, rows, in_double)
    new = {"momentums": m, "velocities": v}
    if s["amsgrad"]:
        new["velocity_hats"] = v = np.maximum(old["velocity_hats"], v)
    return {**new, "w": old["w"] - m * alpha / (np.sqrt(v) + F(s["epsilon"]))}


def adamax(s, lr, t, old, g, rows):
    m = old["m"] + (dense(g, rows) - old["m"]) * in_double(s["beta_1"])
    u = np.maximum(F(s["beta_2"]) * old["u"], dense(g, np.abs(rows)))
    step = lr * m / ((F(1) - power(s, s["beta_1"], t)) * (u + F(s["epsilon"])))
    return {"w": old["w"] - step, "m": m, "u": u}


def nadam(s, lr, t, old, g, rows):
    b1 = F(s["beta_1"])
    now, after = (F(1) - F(0.5) * power(s, 0.96, n) for n in (t, t + 1))
    product, now, after = old["u_product"] * b1 * now, b1 * now, b1 * after
    m, v = moments(s, old, g, rows, in_float)
    later = product * after
    hat = after * m / (F(1) - later) + dense(g, (F(1) - now) * rows / (F(1) - product))
    root = np.sqrt(v / (F(1) - power(s, s["beta_2"], t))) + F(s["epsilon"])
    return {"w": old["w"] - hat * lr / root, "momentums": m, "velocities": v, "u_product": product}


def ftrl(s, lr, t, old, g, rows):
    w, a, z, p = old["w"], old["accumulators"], old["linears"], F(-s["learning_rate_power"])
    l2 = F(s["l2_regularization_strength"]) + F(s["beta"]) / (F(2) * lr)
    to_use = dense(g, rows) + F(2 * s["l2_shrinkage_regularization_strength"]) * w
    more = a + dense(g, rows * rows)
    grown = power(s, more, p)
    z = z + (to_use - (grown - power(s, a, p)) / lr * w)
    l1 = F(s["l1_regularization_strength"])
    w = (np.clip(z, -l1, l1) - z) / (grown / lr + F(2) * l2)
    return {"w": w, "accumulators": more, "linears": z}


def lion(s, lr, t, old, g, rows):
    m, b1, b2 = old["momentums"], F(s["beta_1"]), F(s["beta_2"])
    w = old["w"] - lr * sign(m * b1 + dense(g, rows * (F(1) - b1)))
    return {"w": w, "momentums": m * b2 + dense(g, rows * (F(1) - b2))}


def lamb(s, lr, t, old, g, rows):
    w = old["w"]
    m, v = moments(s, old, g, rows, in_double)
    root = np.sqrt(v / (F(1) - power(s, s["beta_2"], t))) + F(s["epsilon"])
    update = m / (F(1) - power(s, s["beta_1"], t)) / root
    w_norm, norm = norm_of(s, w), norm_of(s, update)
    ratio = w_norm / norm if w_norm > 0 and norm > 0 else F(1)
    return {"w": w - ratio * lr * update, "momentums": m, "velocities": v}


def adafactor(s, lr, t, old, g, rows):
    """All rows of r, c and v move; the weights of absent rows do not, unless their v is 0: then 0 / 0 is NaN, and as
    the mean of the squares is over the table, every weight is NaN from then on."""
    w, step, near = old["w"], F(t), s["choice"].near
    lr = np.minimum(lr, F(1) / np.sqrt(step)) if s["relative_step"] else lr
    alpha = np.maximum(F(s["epsilon_2"]), near(np.sqrt(mean(w * w)))) * np.minimum(lr, F(1) / np.sqrt(step))
    square = dense(g, rows * rows) + F(s["epsilon_1"])
    b2 = F(1) - power(s, step, s["beta_2_decay"])
    r = b2 * old["r"][:, 0] + (F(1) - b2) * near(mean(square, 1))
    c = b2 * old["c"][:, 0] + (F(1) - b2) * near(mean(square, 0))
    v = (r / near(mean(r)))[:, None] * c[None, :]
    v = np.where(np.abs(v) < np.finfo(F).tiny, F(0), v)  # TensorFlow's threads flush subnormal numbers to 0
    ids = np.concatenate([g.raw_ids, np.setdiff1d(np.flatnonzero((v == 0).any(1)), g.raw_ids)]).astype(int)
    update = np.concatenate([rows, np.zeros((len(ids) - len(rows), w.shape[1]), F)]) / np.sqrt(v)[ids]
    rms = near(np.sqrt(np.sum(update * update, dtype=F) / F(w.size)))
    w = w.copy()
    np.subtract.at(w, ids, alpha * (update / np.maximum(F(1), rms / F(s["clip_threshold"]))))
    return {"w": w, "r": r, "c": c, "v": v}


def mean(x, axis=None):
    return np.sum(x, axis=axis, dtype=F) / F(x.size if axis is None else x.shape[axis])


RULES = {f"keras.optimizers.{name}": keras(rule) for name, rule in {
    "SGD": sgd, "Adagrad": adagrad, "Adadelta": adadelta, "RMSprop": rmsprop, "Adam": adam, "AdamW": adam,
    "Adamax": adamax, "Nadam": nadam, "Ftrl": ftrl, "Lion": lion, "Lamb": lamb, "Adafactor": adafactor}.items()}
