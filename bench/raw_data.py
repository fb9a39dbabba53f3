#!/usr/bin/env python3
"""How far L-BFGS ends from the minimum on data that nobody has scaled.

    raw_data.py [--default] [SPARCL]

Each line: the objective of the model file, computed in float64, relative to the minimum that Newton's method finds in
float64 on the same float32 values; what the command said; with --default the mean loss of training without settings
relative to the best one.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse
import sklearn.datasets


def squared(s, y):
    return (s[:, 0] - y) ** 2 / 2, s - y[:, None], np.ones_like(s)


def logistic(s, y):
    p = 1 / (1 + np.exp(-s[:, 0]))
    return np.logaddexp(0, s[:, 0]) - y * s[:, 0], (p - y)[:, None], (p * (1 - p))[:, None]


def poisson(s, y):
    e = np.exp(s[:, 0])
    return e - y * s[:, 0], (e - y)[:, None], e[:, None]


def softmax(s, y):
    shifted = s - s.max(1, keepdims=True)
    p = np.exp(shifted)
    z = p.sum(1, keepdims=True)
    rows = np.arange(len(y))
    one = np.zeros_like(p)
    one[rows, y.astype(int)] = 1
    return np.log(z[:, 0]) - shifted[rows, y.astype(int)], p / z - one, p / z


LOSSES = {"squared": squared, "logistic": logistic, "poisson": poisson, "softmax": softmax}


def objective(x, y, loss, l2, w, b):
    return LOSSES[loss](x @ w + b, y)[0].mean() + l2 / 2 * (w**2).sum()


def newton(x, y, loss, l2):
    """The minimum in float64, of centred and scaled columns; the penalty is that of the columns as they are."""
    n, d = x.shape
    k = int(y.max()) + 1 if loss == "softmax" else 1
    mean, scale = x.mean(0), x.std(0)
    scale[scale == 0] = 1
    z = np.hstack([(x - mean) / scale, np.ones((n, 1))])
    shift = y.mean() if loss == "squared" else 0.0
    penalty = np.repeat(np.append(l2 / scale**2, 0)[:, None], k, 1)
    v = np.zeros((d + 1, k))
    if loss == "logistic":
        v[-1] = np.log(y.mean() / (1 - y.mean()))
    if loss == "poisson":
        v[-1] = np.log(y.mean())

    def value(at):
        return LOSSES[loss](z @ at, y - shift if loss == "squared" else y)[0].mean() + (penalty * at**2).sum() / 2

    best = value(v)
    for _ in range(200):
        _, residual, p = LOSSES[loss](z @ v, y - shift if loss == "squared" else y)
        gradient = z.T @ residual / n + penalty * v
        if loss == "softmax":
            h = np.zeros((k * (d + 1), k * (d + 1)))
            for a in range(k):
                for c in range(k):
                    weight = p[:, a] * ((a == c) - p[:, c])
                    h[a * (d + 1) : (a + 1) * (d + 1), c * (d + 1) : (c + 1) * (d + 1)] = (z.T * weight) @ z / n
            h += np.diag(penalty.T.ravel())
            step = np.linalg.lstsq(h, gradient.T.ravel(), rcond=1e-14)[0].reshape(k, d + 1).T
        else:
            h = (z.T * p[:, 0]) @ z / n + np.diag(penalty[:, 0])
            step = np.linalg.lstsq(h, gradient, rcond=1e-15)[0]
        length = 1.0
        while length > 1e-9 and not value(v - length * step) <= best:
            length /= 2
        now = value(v - length * step)
        if not now < best * (1 - 1e-15):
            break
        v, best = v - length * step, now
    return best


def table(seed=0):
    """name, x, y, loss, l2."""
    r = np.random.default_rng(seed)
    n = 2000
    cancer = sklearn.datasets.load_breast_cancer(return_X_y=True)
    wine = sklearn.datasets.load_wine(return_X_y=True)
    digits = sklearn.datasets.load_digits(return_X_y=True)
    diabetes = sklearn.datasets.load_diabetes(return_X_y=True, scaled=False)
    year = r.integers(1950, 2021, n).astype(float)
    income, rooms, people = r.lognormal(1.2, 0.5, n), r.lognormal(1.6, 0.4, n), r.lognormal(7, 0.8, n)
    age, occupants = r.integers(1, 53, n).astype(float), r.lognormal(1, 0.3, n)
    latitude, longitude = r.uniform(32.5, 42, n), r.uniform(-124.3, -114.3, n)
    beds = rooms / 5 + r.normal(0, 0.05, n)
    housing = np.column_stack([income, age, rooms, beds, people, occupants, latitude, longitude])
    price = 40000 * income + 900 * age - 42000 * (latitude - 36) - 43000 * (longitude + 119) - 3 * people + 2e5
    price += r.normal(0, 60000, n)
    area = r.uniform(20, 300, n)
    plain = r.normal(0, 1, (n, 5))
    line = plain @ [1.0, -2, 0.5, 3, -1]
    far = plain + 1e6
    scales = plain * [1e-6, 1e-3, 1, 1e3, 1e6]
    both = plain * [1e-6, 1e-3, 1, 1e3, 1e6] + [1, 0, 1e3, 0, 1e9]
    coin = (r.uniform(0, 1, n) < 1 / (1 + np.exp(-line))).astype(float)
    counts = r.poisson(np.exp(line / 4)).astype(float)
    kinds = np.argmax(plain[:, :3] + r.gumbel(0, 1, (n, 3)), 1).astype(float)
    years = np.column_stack([year, area])
    money = 900 * (year - 1950) + 2000 * area + r.normal(0, 5000, n)
    missing = years.copy()
    missing[r.uniform(0, 1, n) < 0.01, 0] = 0
    square = np.column_stack([year, year**2])
    curve = (year - 1985) ** 2 / 10 + r.normal(0, 5, n)
    stamp = np.column_stack([1.6e9 + r.uniform(0, 3e7, n), r.uniform(0, 1, n)])
    words = scipy.sparse.random(n, 400, 0.02, random_state=seed, format="csr").toarray()
    mixed = np.column_stack([year, r.lognormal(10, 1, n), words])
    mixed_line = (year - 1985) / 20 + words @ r.normal(0, 1, 400) + r.normal(0, 1, n)
    few = n // 10
    for l2 in (0.0, 1e-3):
        yield "years", years, money, "squared", l2
        yield "years, missing 0", missing, money, "squared", l2
        yield "year, year^2", square, curve, "squared", l2
        yield "time stamps", stamp, stamp[:, 1] * 3 + (stamp[:, 0] - 1.6e9) / 1e7, "squared", l2
        yield "offset 1e6", far, line + r.normal(0, 1, n), "squared", l2
        yield "labels at 1e6", plain, line + 1e6 + r.normal(0, 1, n), "squared", l2
        yield "labels * 1e6", plain, (line + r.normal(0, 1, n)) * 1e6, "squared", l2
        yield "scales 1e-6 to 1e6", scales, line + r.normal(0, 1, n), "squared", l2
        yield "scales and offsets", both, line + r.normal(0, 1, n), "squared", l2
        yield "housing", housing, price, "squared", l2
        yield "diabetes", *diabetes, "squared", l2
        yield "breast cancer", *cancer, "squared", l2
        yield "few rows", far[:few], line[:few] + 1e3, "squared", l2
        yield "year and words", mixed, mixed_line, "squared", l2
        yield "years", years, (money > np.median(money)).astype(float), "logistic", l2 or 1e-6
        yield "offset 1e6", far, coin, "logistic", l2
        yield "scales 1e-6 to 1e6", scales, coin, "logistic", l2
        yield "scales and offsets", both, coin, "logistic", l2
        yield "breast cancer, C=1", *cancer, "logistic", (l2 or 1) / len(cancer[1])
        yield "breast cancer, C=1e4", *cancer, "logistic", 1e-4 / len(cancer[1])
        yield "housing", housing, (price > np.median(price)).astype(float), "logistic", l2
        yield "year and words", mixed, (mixed_line > 0).astype(float), "logistic", l2 or 1e-4
        yield "offset 1e6", far, counts, "poisson", l2
        yield "scales 1e-6 to 1e6", scales, counts, "poisson", l2
        yield "offset 1e6", far, kinds, "softmax", l2
        yield "scales and offsets", both, kinds, "softmax", l2
        yield "wine", *wine, "softmax", l2 or 1e-5
    yield "digits", *digits, "softmax", 1e-3


def model_of(path):
    raw = pathlib.Path(path).read_bytes()
    size = int.from_bytes(raw[:8], "little")
    tensors = {}
    for name, about in json.loads(raw[8 : 8 + size]).items():
        if name in ("weight", "bias"):
            begin, end = about["data_offsets"]
            values = np.frombuffer(raw[8 + size + begin : 8 + size + end], "<f4")
            tensors[name] = values.reshape(about["shape"]).astype(float)
    return tensors["weight"], tensors["bias"]


def run(sparcl, folder, x, y, loss, words):
    model = folder / "m"
    scipy.sparse.save_npz(folder / "x.npz", scipy.sparse.csr_matrix(x.astype(np.float32)), compressed=False)
    np.save(folder / "y.npy", y)
    command = [sparcl, "train", folder / "x.npz", "--labels", folder / "y.npy", "--loss", loss]
    command += ["--progress", "none", "-o", model, "--json", "-", *words]
    begin = time.perf_counter()
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode:
        raise SystemExit(said.stderr)
    return json.loads(said.stdout), *model_of(model), time.perf_counter() - begin, said.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sparcl", nargs="?", default="build/release/sparcl")
    parser.add_argument("--default", action="store_true", help="train without settings")
    parser.add_argument("--only", default="", help="names with this part")
    options = parser.parse_args()
    print(
        f"{'data':22} {'loss':9} {'l2':>8} {'minimum':>12} {'above':>9} "
        f"{'said':>9} {'converged':>9} {'iterations':>10} {'s':>6}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, x, y, loss, l2 in table():
            if options.only not in f"{name} {loss}":
                continue
            x = x.astype(np.float32).astype(float)
            if options.default:
                l2 = 0.0
            best = newton(x, y, loss, l2)
            words = [] if options.default else ["--solver", "lbfgs", "--l2", repr(l2)]
            said, w, b, seconds, notes = run(options.sparcl, pathlib.Path(folder), x, y, loss, words)
            found = objective(x, y, loss, l2, w, b)
            scale = best
            if loss == "squared":  # an exact fit has the minimum 0
                scale = max(best, 1e-9 * objective(x, y, loss, 0, 0 * w, np.array([y.mean()])))
            reported = said["loss" if options.default else "objective"]
            print(
                f"{name:22} {loss:9} {l2:8.1e} {best:12.6g} {(found - best) / scale:9.1e} "
                f"{(reported - best) / scale:9.1e} {said['converged']!s:>9} {said['epochs']:10} {seconds:6.2f}",
                f"C {said['chosen_c']:g}" if options.default else "",
                flush=True,
            )
            if notes:
                print("    " + notes)


if __name__ == "__main__":
    main()
