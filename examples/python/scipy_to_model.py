"""A SciPy matrix becomes a model: logistic regression on the census data a9a, its settings chosen
by scikit-learn's grid search, and the model file that the tool reads.

    python examples/python/scipy_to_model.py [--device gpu]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import GridSearchCV

import sparcl
from sparcl.sklearn import FactorizationMachineClassifier, LogisticRegression

DATA = Path(__file__).parents[1] / "data"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help='"gpu", "cpu", ...; default: the best one')
    device = parser.parse_args().device
    x, y = load_svmlight_file(str(DATA / "a9a.gz"), n_features=123)
    x_test, y_test = load_svmlight_file(str(DATA / "a9a.t.gz"), n_features=123)
    print(f"{x.shape[0]} rows, {x.shape[1]} columns, {x.nnz} entries")

    grid = GridSearchCV(
        LogisticRegression(max_iter=1000, device=device, index_base=1),  # as LIBSVM text counts
        {"C": [0.1, 1.0, 10.0]},
        cv=3,
    )
    grid.fit(x, y)
    linear = grid.best_estimator_
    print(f"logistic regression, C = {linear.C:g}: accuracy {linear.score(x_test, y_test):.4f}")

    pairs = FactorizationMachineClassifier(device=device, random_state=1).fit(x, y)
    print(f"factorization machine: accuracy {pairs.score(x_test, y_test):.4f}")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a9a.safetensors"
        linear.model_.save(path)  # sparcl eval a9a.safetensors examples/data/a9a.t.gz
        model = sparcl.Model.load(path)
        print(model)
        np.testing.assert_array_equal(model.tensors["weight"].T, linear.coef_)


if __name__ == "__main__":
    main()
