"""The data sets of the golden curves. Values are multiples of 1/64, so that text, float32 and float64 have the same."""
import numpy as np

from golden_case import FOLDER, Numbers

CURVES = FOLDER / "curves"
ROWS, COLUMNS, CLASSES = 96, 30, 4
USERS, ITEMS = 24, 18


def multiple(x):
    return np.round(64 * x) / 64


def rows():
    """Features: about a fifth of a matrix. Row 7 is empty."""
    numbers = Numbers(1)
    kept = numbers.array(ROWS, COLUMNS) > 0.6
    values = multiple(numbers.array(ROWS, COLUMNS))
    values[values == 0] = 0.25
    x = np.where(kept, values, 0)
    x[7], x[0, COLUMNS - 1] = 0, 0.5
    return x


def labels(x):
    """Of each kind: a linear function of the features, with noise."""
    numbers = Numbers(2)
    scores = x @ numbers.array(COLUMNS, CLASSES) + 0.3 * numbers.array(ROWS, CLASSES)
    return {
        "binary": np.where(scores[:, 0] > 0, 1, -1),
        "classes": np.argmax(scores, axis=1),
        "numbers": multiple(2 * scores[:, 0]),
        "counts": np.floor(np.exp(scores[:, 0])),
    }


def edges():
    """An undirected graph of the rows, without weights, in one direction: i < j."""
    numbers = Numbers(3)
    return np.triu(numbers.array(ROWS, ROWS) > 0.92, 1).astype(float)


def pairs():
    """Which user has which item: more of the group of the user. User 3 has none, user 4 all but one."""
    numbers = Numbers(4)
    same = (np.arange(USERS)[:, None] - np.arange(ITEMS)) % 3 == 0
    has = numbers.array(USERS, ITEMS) > np.where(same, 0.1, 0.85)
    has[3], has[4] = False, True
    has[4, 5] = False
    return has.astype(float)


def write_rows(name, x, targets):
    lines = [" ".join([f"{y:.12g}"] + [f"{j + 1}:{x[i, j]:.12g}" for j in np.flatnonzero(x[i])])
             for i, y in enumerate(targets)]
    (CURVES / f"{name}.svm").write_text("\n".join(lines) + "\n")


def write_matrix(name, a):
    at = np.argwhere(a)
    head = ["%%MatrixMarket matrix coordinate pattern general", f"{a.shape[0]} {a.shape[1]} {len(at)}"]
    (CURVES / f"{name}.mtx").write_text("\n".join(head + [f"{i + 1} {j + 1}" for i, j in at]) + "\n")


def write_all():
    CURVES.mkdir(exist_ok=True)
    x = rows()
    for name, targets in labels(x).items():
        write_rows(name, x, targets)
    write_matrix("edges", edges())
    write_matrix("pairs", pairs())
