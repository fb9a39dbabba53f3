"""Curves of 50 losses: models that PyTorch can express, trained by it from the same data, initial values, order of rows
and negative samples as sparcl has. Each model is trained in float64, whose losses are written, and in float32, to see
how far rounding alone goes. tests/golden/README.md has the format."""
import numpy as np
import torch

import curve_data
import curve_draws as draws
from golden_case import write_section

torch.set_num_threads(1)
SEED, STEPS = 12345, 50


# --- data -----------------------------------------------------------------------------------------


class Rows:
    """Batches of rows: `used` are the columns that they store, and with them the rows of a table that they read."""

    def __init__(self, name, dtype, batch):
        self.name, self.size, self.x = f"{name}.svm", batch, curve_data.rows()
        self.y = curve_data.labels(self.x)[name]
        self.count, self.dtype, self.settings = len(self.x), dtype, {}

    def batch(self, rows, step):
        del step
        at = {"x": torch.tensor(self.x[rows], dtype=self.dtype), "used": np.flatnonzero(self.x[rows].any(0))}
        is_index = self.name.startswith("classes")
        y = np.where(self.y[rows] == -1, 0, self.y[rows]) if self.name.startswith("binary") else self.y[rows]
        return {**at, "y": torch.tensor(y, dtype=torch.int64 if is_index else self.dtype)}


class Nodes(Rows):
    """All rows, some of which train, and the edges between them."""

    def __init__(self, dtype):
        super().__init__("classes", dtype, 0)
        self.train = [i for i in range(self.count) if i % 3 != 1]
        a = curve_data.edges()
        self.adjacency = normalised(a + a.T + np.eye(len(a)), dtype)
        self.settings = {"edges": "edges.mtx", "nodes": " ".join(map(str, self.train))}

    def batch(self, rows, step):
        every = super().batch(list(range(self.count)), step)
        return {**every, "a": self.adjacency, "nodes": self.train, "y": every["y"][self.train]}


class Pairs:
    """Users with an item that they have and one that they do not have; items are nodes after the users."""

    def __init__(self, dtype, batch):
        self.name, self.size, self.dtype, self.settings = "pairs.mtx", batch, dtype, {}
        has = curve_data.pairs()
        self.pairs = np.argwhere(has)
        self.count = len(self.pairs)
        between = np.zeros((sum(has.shape),) * 2)
        between[: len(has), len(has):] = has
        self.adjacency = normalised(between + between.T, dtype)
        self.known = [set(np.flatnonzero(row)) for row in has]

    def batch(self, rows, step):
        user, item = self.pairs[rows].T
        other = [draws.negative(SEED, step, t, self.known[u], curve_data.ITEMS) for t, u in enumerate(user)]
        nodes = [user, curve_data.USERS + item, curve_data.USERS + np.array(other)]
        used = np.unique(np.concatenate(nodes))
        return {"nodes": [torch.tensor(n) for n in nodes], "used": used, "a": self.adjacency}


def normalised(a, dtype):
    """D^-1/2 A D^-1/2, and 0 for a node without edges."""
    degrees = a.sum(1)
    root = np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1)), 0)
    return torch.tensor(root[:, None] * a * root, dtype=dtype)


# --- models: parameters in the order of sparcl, and the scores of a batch -------------------------


def linear(outputs):
    def start():
        return {"weight": np.zeros((curve_data.COLUMNS, outputs)), "bias": np.zeros(outputs)}

    def scores(p, b):
        return b["x"] @ p["weight"] + p["bias"]

    return start, scores


def fm(factors=4, init=0.1):
    def start():
        shape = (curve_data.COLUMNS, factors)
        return {"weight": np.zeros(shape[0]), "bias": np.zeros(1),
                "factors": draws.uniform(SEED, 2, shape, np.sqrt(3) * init)}

    def scores(p, b):
        squares = (b["x"] ** 2) @ (p["factors"] ** 2)
        return b["x"] @ p["weight"] + p["bias"] + (((b["x"] @ p["factors"]) ** 2) - squares).sum(1) / 2

    return start, scores


def layers(widths, first=0):
    """w1, b1, w2, ...: `first` is the number of w1 among the parameters."""
    result = {}
    for i, shape in enumerate(zip(widths, widths[1:])):
        result[f"w{i + 1}"] = draws.layer(SEED, first + 2 * i, shape)
        result[f"b{i + 1}"] = np.zeros(shape[1])
    return result


def deep(p, x, activation):
    count = sum(name.startswith("w") and name[1:].isdigit() for name in p)
    for i in range(1, count + 1):
        x = x @ p[f"w{i}"] + p[f"b{i}"]
        x = activation(x) if i < count else x
    return x


def mlp():
    return (lambda: layers([curve_data.COLUMNS, 12, 7, curve_data.CLASSES])), lambda p, b: deep(p, b["x"], torch.relu)


def wide_deep():
    def start():
        return {"weight": np.zeros((curve_data.COLUMNS, 1)), **layers([curve_data.COLUMNS, 9, 1], 1)}

    return start, lambda p, b: b["x"] @ p["weight"] + deep(p, b["x"], torch.tanh)


def autoencoder(units=24, k=5):
    def start():
        wide = curve_data.COLUMNS
        return {"encoder": draws.layer(SEED, 0, (wide, units)), "encoder.bias": np.zeros(units),
                "decoder": draws.layer(SEED, 2, (units, wide)), "decoder.bias": np.zeros(wide)}

    def scores(p, b):
        # As torch.topk, but the first of equal units: an empty row has only such in the first step.
        values, at = torch.sort(b["x"] @ p["encoder"] + p["encoder.bias"], dim=1, descending=True, stable=True)
        values, at = values[:, :k], at[:, :k]
        b["units"] = np.unique(at)
        codes = torch.zeros(len(b["x"]), units, dtype=values.dtype).scatter(1, at, values)
        return codes @ p["decoder"] + p["decoder.bias"]

    return start, scores


def gcn(hidden=8):
    def scores(p, b):
        h = torch.relu(b["a"] @ (b["x"] @ p["w1"]) + p["b1"])
        return (b["a"] @ (h @ p["w2"]) + p["b2"])[b["nodes"]]

    return (lambda: layers([curve_data.COLUMNS, hidden, curve_data.CLASSES])), scores


def ranking(propagations, factors=6, init=0.2):
    def start():
        shape = (curve_data.USERS + curve_data.ITEMS, factors)
        return {"factors": draws.uniform(SEED, 0, shape, np.sqrt(3) * init)}

    def scores(p, b):
        table = layer = p["factors"]
        for _ in range(propagations):
            layer = b["a"] @ layer
            table = table + layer
        table = table / (propagations + 1)
        b["own"] = [p["factors"][n] for n in b["nodes"]]
        user, item, other = (table[n] for n in b["nodes"])
        return (user * (item - other)).sum(1)

    return start, scores


# --- losses of rows -------------------------------------------------------------------------------


def with_labels(loss):
    functional = torch.nn.functional
    functions = {
        "logistic": lambda s, y: functional.binary_cross_entropy_with_logits(s, y, reduction="none"),
        "softmax": lambda s, y: functional.cross_entropy(s, y, reduction="none"),
        "squared": lambda s, y: functional.mse_loss(s, y, reduction="none") / 2,
        "poisson": lambda s, y: functional.poisson_nll_loss(s, y, reduction="none"),
        "hinge": lambda s, y: torch.relu(1 - (2 * y - 1) * s),
    }
    return lambda s, b: functions[loss](s if loss == "softmax" else s.reshape(-1), b["y"])


def reconstruction(scores, b):
    return ((scores - b["x"]) ** 2).sum(1) / 2


def bayesian(penalty):
    def losses(scores, b):
        return torch.nn.functional.softplus(-scores) + penalty / 2 * sum((own**2).sum(1) for own in b["own"])

    return losses


# --- optimizers -----------------------------------------------------------------------------------


class AllRows:
    """An optimizer of PyTorch that moves the rows of all parameters."""

    def __init__(self, make, used=None):
        self.make, self.used, self.optimizers = make, used or {}, []

    def start(self, p):
        self.optimizers = [self.make(name, x) for name, x in p.items()]

    def gradient(self, name, x, b):
        del name, b
        return x.grad

    def step(self, p, b):
        for (name, x), optimizer in zip(p.items(), self.optimizers):
            x.grad = self.gradient(name, x, b)
            optimizer.step()
            x.grad = None


class UsedRows(AllRows):
    """One that takes row-sparse gradients, as SparseAdam: tables move the rows that the batch reads, all else all its
    rows. `used`: which part of the batch says it, for each table."""

    def gradient(self, name, x, b):
        rows = b[self.used[name]] if name in self.used else np.arange(len(x))
        return torch.sparse_coo_tensor(torch.tensor(rows)[None, :], x.grad[rows], x.shape, check_invariants=True)


def sgd(lr, momentum=0.0):
    return AllRows(lambda name, x: torch.optim.SGD([x], lr=lr, momentum=momentum))


def adagrad(lr, own=None):
    return AllRows(lambda name, x: torch.optim.Adagrad([x], lr=(own or {}).get(name, lr)))


def adam(lr):
    return AllRows(lambda name, x: torch.optim.Adam([x], lr=lr))


def sparse_adam(lr, used=None):
    return UsedRows(lambda name, x: torch.optim.SparseAdam([x], lr=lr), used)


# --- training -------------------------------------------------------------------------------------


def train(data, model, losses, rule, l2, clip):
    """The mean losses of 50 batches, each before its step. l2: of what is no bias; clip: of all gradients together."""
    start, scores = model
    p = {name: torch.tensor(x, dtype=data.dtype, requires_grad=True) for name, x in start().items()}
    size = data.size or data.count
    steps_of_pass = -(-data.count // size)
    rule.start(p)
    curve = []
    for step in range(STEPS):
        epoch, at = divmod(step, steps_of_pass)
        order = draws.order(SEED, epoch, data.count) if at == 0 else order
        b = data.batch(order[at * size: (at + 1) * size], step)
        values = losses(scores(p, b), b)
        curve.append(float(values.detach().sum(dtype=torch.float64)) / len(values))
        values.mean().backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(list(p.values()), clip)
        for name, x in p.items():
            is_bias = x.dim() == 1 and name != "weight"
            x.grad = x.grad + l2 * x.detach() if l2 and not is_bias else x.grad
        rule.step(p, b)
    return curve, -(-STEPS // steps_of_pass)


def write(name, settings, losses, rounding):
    lines = ["golden-curve 1", f"version torch {torch.__version__}", f"version numpy {np.__version__}"]
    lines += [f"{key} {value}" for key, value in settings.items()]
    lines += [f"float32 {rounding:.1e}"] + [f"step {i + 1} {x:.12g}" for i, x in enumerate(losses)] + ["end"]
    write_section(name, lines, curve_data.CURVES / "losses.txt")


def curve(name, text, optimizer, loss, data, model, rule, losses=None, l2=0, batch=20, own=None, clip=0):
    """`text`, `optimizer`, `own`: model and optimizers as sparcl has them."""
    losses = losses or with_labels(loss)
    of = {dtype: data(dtype, batch) for dtype in (torch.float64, torch.float32)}
    (exact, epochs), (rounded, _) = (train(d, model, losses, rule(), l2, clip) for d in of.values())
    settings = {"model": text, "data": of[torch.float64].name, "loss": loss, "optimizer": optimizer}
    settings.update({**of[torch.float64].settings, **({"own": own} if own else {})})
    settings.update({"l2": l2, "clip_global_norm": clip, "batch": batch, "epochs": epochs, "seed": SEED})
    write(name, settings, exact, max(abs(a - b) / abs(a) for a, b in zip(exact, rounded)))


def rows(name):
    return lambda dtype, batch: Rows(name, dtype, batch)


def main():
    curve_data.write_all()
    curve("linear_logistic", "linear", "sgd:lr=0.5", "logistic", rows("binary"), linear(1), lambda: sgd(0.5), l2=0.01)
    curve("linear_softmax", "linear", "momentum:lr=0.2,momentum=0.9", "softmax", rows("classes"),
          linear(curve_data.CLASSES), lambda: sgd(0.2, 0.9))
    curve("linear_squared", "linear", "adam:lr=0.05,epsilon_place=corrected,moves=exact", "squared", rows("numbers"),
          linear(1), lambda: adam(0.05))
    curve("linear_poisson", "linear", "adagrad:lr=0.1", "poisson", rows("counts"), linear(1), lambda: adagrad(0.1))
    curve("linear_hinge", "linear", "sgd:lr=0.2", "hinge", rows("binary"), linear(1), lambda: sgd(0.2), batch=0)
    curve("fm", "fm:factors=4,init=0.1", "adagrad:lr=0.1", "logistic", rows("binary"), fm(),
          lambda: adagrad(0.1, {"factors": 0.05}), own="factors=adagrad:lr=0.05")
    curve("mlp", "mlp:hidden=12-7", "adam:lr=0.01", "softmax", rows("classes"), mlp(),
          lambda: sparse_adam(0.01, {"w1": "used"}))
    curve("mlp_clipped", "mlp:hidden=12-7", "sgd:lr=1", "softmax", rows("classes"), mlp(), lambda: sgd(1.0), l2=0.001,
          clip=0.4)
    curve("wide_deep", "wide-deep:hidden=9,activation=tanh", "adagrad:lr=0.05", "logistic", rows("binary"),
          wide_deep(), lambda: adagrad(0.05))
    curve("autoencoder", "autoencoder:units=24,k=5", "adam:lr=0.01", "squared", rows("binary"), autoencoder(),
          lambda: sparse_adam(0.01, {"encoder": "used", "decoder": "units"}), reconstruction)
    curve("gcn", "gcn:hidden=8,dropout=0", "adam:lr=0.02", "softmax", lambda dtype, batch: Nodes(dtype), gcn(),
          lambda: sparse_adam(0.02), l2=0.001, batch=0)
    curve("bpr", "bpr:factors=6,init=0.2,penalty=0.01", "adam:lr=0.02", "logistic", Pairs, ranking(0),
          lambda: sparse_adam(0.02, {"factors": "used"}), bayesian(0.01), batch=32)
    curve("lightgcn", "lightgcn:factors=6,init=0.2,penalty=0.01,layers=2", "adam:lr=0.02", "logistic", Pairs,
          ranking(2), lambda: sparse_adam(0.02), bayesian(0.01), batch=32)


if __name__ == "__main__":
    main()
