#!/usr/bin/env python3
"""Fits of logistic regression by L-BFGS, sparcl.sklearn's and scikit-learn's, in turns on the rows of LIBSVM files.

    fits.py [--rounds N] FILE...

The objective of both is C (sum of losses) + |w|^2 / 2 with C = 1; printed are the seconds of the fastest and the
slowest fit, and the objective divided by the rows, computed in float64.
"""
import argparse
import time
import warnings

import numpy as np
import sparcl.sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression


def objective(model, x, y):
    scores = x @ model.coef_[0].astype(np.float64) + float(model.intercept_[0])
    signs = np.where(y == model.classes_[1], 1, -1)
    return (np.logaddexp(0, -signs * scores).sum() + (model.coef_.astype(np.float64) ** 2).sum() / 2) / len(y)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")  # 1000 iterations may not reach a tolerance
    for path in options.files:
        x, y = load_svmlight_file(path, dtype=np.float32)
        kinds = {"sparcl": sparcl.sklearn.LogisticRegression, "scikit-learn": LogisticRegression}
        seconds, models = {kind: [] for kind in kinds}, {}
        for _ in range(options.rounds):
            for kind, estimator in kinds.items():
                started = time.perf_counter()
                models[kind] = estimator(C=1.0, max_iter=1000).fit(x, y)
                seconds[kind].append(time.perf_counter() - started)
        print(f"{path}: {x.shape[0]} x {x.shape[1]}, {x.nnz} entries")
        for kind, taken in seconds.items():
            print(f"  {kind:13} {min(taken):8.3f} to {max(taken):.3f} s  objective {objective(models[kind], x, y):.6f}"
                  f"  iterations {int(np.max(models[kind].n_iter_))}")


if __name__ == "__main__":
    main()
