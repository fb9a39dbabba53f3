#!/usr/bin/env python3
"""usage: goals.py [--markdown | --json OUT] FILE...: prints the table of the results of run.py, and the goals.

--json writes the result of each goal to OUT, for plot.py. --markdown prints only the goals, as Markdown.

If a job was measured more than once, the last measurement counts. A ratio is the best peer's time
divided by sparcl's time in the same round. The spread of a job is the minimum and the maximum of its
ratios; the spread of a goal is the geometric mean, over its jobs, of the maximum divided by the minimum."""
import datetime
import json
import math
import sys
from dataclasses import dataclass
from statistics import fmean, median
from typing import Callable, Optional

from jobs import GPU_CASES, LARGE, LAZY_RULES, MILLIONS, MOVING_RULES, SMALL, TENSORFLOW_RULES

KEY = ("op", "case", "n", "optimizer", "queued")


def geometric_mean(numbers):
    return math.exp(fmean(map(math.log, numbers)))


@dataclass
class Ratio:
    """The comparison of a record: the best peer, its seconds, sparcl's seconds, and their ratio in each round."""
    record: dict
    best: str
    peer: float
    ours: float
    ratios: list

    @property
    def value(self):
        return median(self.ratios)

    @property
    def spread(self):
        return max(self.ratios) / min(self.ratios)


def best_of(record, part, against=None):
    """Name and turns of the fastest peer that ran in all rounds; None if no peer did the operation."""
    found = [(name, turns) for name, turns in record["peers"].items()
             if turns["part"] == part and against in (None, name.split("/")[-1])]
    rounds = max((len(turns["seconds"]) for _, turns in found), default=0)
    found = [(name, turns) for name, turns in found if len(turns["seconds"]) == rounds]
    return min(found, key=lambda item: median(item[1]["seconds"]), default=None)


def compare(record, parts=("whole",), against=None):
    """Compares with the best peer or that of a name, or with the sum of the best peers of several parts."""
    best = [best_of(record, part, against) for part in parts]
    if not all(best):
        return None
    rounds = list(zip(*([list(zip(turns["seconds"], turns["ours"])) for _, turns in best])))
    peer = [sum(seconds for seconds, _ in turns) for turns in rounds]
    ours = [sum(own for _, own in turns) / len(turns) for turns in rounds]
    name = " + ".join(name.split("/")[-1] for name, _ in best)
    return Ratio(record, name, median(peer), median(ours), [p / o for p, o in zip(peer, ours)])


# --- the goals --------------------------------------------------------------------------------

@dataclass
class Goal:
    """What must hold for the ratios of the records that `of` selects."""
    what: str
    of: Callable[[dict], bool]
    minimum: Optional[float] = None  # of each ratio
    mean: Optional[float] = None  # the minimum of the geometric mean
    parts: tuple = ("whole",)
    fraction: Optional[float] = None  # of the device's limit; instead of ratios
    limit: str = "fraction_of_limit"  # the field of a record with that fraction
    against: Optional[str] = None  # the only peer that counts


def is_main(r):
    """Whether a product counts for the goals: small matrices count with calls in flight."""
    return r["queued"] == (r["case"] in SMALL)


def op_is(op, **fields):
    return lambda r: r["op"] == op and all(r[name] == value for name, value in fields.items())


def sort_goals(op, large, small):
    yield Goal(f"{op}, large", lambda r: r["op"] == op and r["case"] in LARGE, minimum=large)
    yield Goal(f"{op}, small", lambda r: r["op"] == op and r["case"] in SMALL, minimum=small)


# Each with one goal for all of its jobs.
MINIMA = {"bag": 1.1, "embedding-bag": 1.1, "embedding-bag-mean": 1.1, "embedding-bag-max": 1.1,
          "embedding-bag-sqrtn": 1.1, "rows-coalesce-max": 0.9, "rows-retain-all": 0.9, "rows-retain-stored": 0.9,
          "rows-slice": 0.9, "rows-mask": 0.9,
          "sddmm": 1.5, "csr-softmax": 1.5,
          "segment-sum": 1.5, "segment-sum-sorted": 1.5, "segment-sum-unsorted": 1.5, "segment-max": 1.5,
          "spmm-max": 0.9, "spmm-mean": 0.9, "csr-reduce": 0.9, "csr-reduce-columns": 0.9,
          "embedding": 0.9, "gather-rows": 0.9, "embedding-max-norm": 0.9, "rows-add": 0.9, "rows-add-n": 0.9,
          "rows-coalesce": 0.9, "rows-concat": 0.9, "rows-multiply": 0.9, "rows-reduce": 0.9,
          "rows-reduce-columns": 0.9,
          "dropout": 0.9, "dropout-gradient": 0.9, "layer-norm": 0.9, "layer-norm-gradient": 0.9, "batch-norm": 0.9,
          "batch-norm-gradient": 0.9, "batch-norm-inference": 0.9, "dot-rows": 0.9, "dot-rows-gradient": 0.9,
          "dense-reduce": 0.9, "dense-reduce-columns": 0.9, "dense-reduce-gradient": 0.9, "dense-concat": 0.9,
          "dense-concat-columns": 0.9, "dense-split": 0.9, "dense-split-columns": 0.9,
          "segment-sum-gradient": 0.9, "segment-max-gradient": 0.9,
          "spmm-max-gradient": 0.9, "spmm-mean-gradient": 0.9, "embedding-bag-gradient": 0.9,
          "embedding-bag-mean-gradient": 0.9, "embedding-bag-max-gradient": 0.9,
          "embedding-weights-gradient": 0.9, "embedding-gradient": 0.9}


def goals():
    yield Goal("spmm, n >= 8", lambda r: r["op"] == "spmm" and r["n"] >= 8 and is_main(r), minimum=1.0, mean=1.6)
    yield Goal("spmm, n = 1", lambda r: r["op"] == "spmm" and r["n"] == 1 and is_main(r), minimum=0.9, mean=1.1)
    yield Goal("spmm, small, n >= 16, queued",
               lambda r: r["op"] == "spmm" and r["n"] >= 16 and r["case"] in SMALL and r["queued"], minimum=1.5)
    yield Goal("spmm, small, alone (no goal)", lambda r: r["op"] == "spmm" and not is_main(r))
    yield Goal("spmm-t, n >= 8", lambda r: r["op"] == "spmm-t" and r["n"] >= 8, minimum=0.9, mean=1.5)
    yield Goal("spmm-t, n = 1", lambda r: r["op"] == "spmm-t" and r["n"] == 1, minimum=0.9)
    yield Goal("spmm-t-rows", op_is("spmm-t-rows"), minimum=4.0)
    yield Goal("spmm-t-rows, best transpose + best product", op_is("spmm-t-rows"), minimum=1.5,
               parts=("transpose", "product"))
    yield from sort_goals("reorder", 5.0, 3.0)
    yield from sort_goals("coalesce", 12.0, 5.0)
    yield from sort_goals("transpose", 2.0, 1.0)
    yield Goal("select-rows, queued", op_is("select-rows", queued=True), minimum=2.0)
    for op, of_optimizer in (("step", (("sgd", 1.5), ("momentum", 5.0), ("adagrad", 5.0), ("adam", 5.0))),
                             ("dedupe-step", (("sgd", 2.5), ("adagrad", 8.0), ("adam", 8.0)))):
        for optimizer, mean in of_optimizer:
            yield Goal(f"{op} {optimizer}", op_is(op, optimizer=optimizer), mean=mean, minimum=2 / 3 * mean)
        if op == "step":
            # LAMB and LARS process the table again after its norms.
            yield Goal("step, n >= 64, of the row-update limit",
                       lambda r: r["op"] == "step" and r["n"] >= 64 and not r["optimizer"].startswith(("lamb", "lars")),
                       fraction=0.8)
    for op, optimizers in (("step", LAZY_RULES + MOVING_RULES), ("dedupe-step", TENSORFLOW_RULES)):
        for optimizer in optimizers:
            yield Goal(f"{op} {optimizer}", op_is(op, optimizer=optimizer), minimum=3.0)
    for optimizer, minimum in (("sgd", 3.0), ("adagrad", 3.0), ("rowwise_adagrad", 6.0),
                               ("rowwise_adagrad_counter:preset=fbgemm", 3.0), ("adam", 3.0)):
        yield Goal(f"bag-step {optimizer}", op_is("bag-step", optimizer=optimizer), minimum=minimum)
    for op, minimum in MINIMA.items():  # the goals are for 10^6 entries and more, and for tables
        yield Goal(op, lambda r, op=op: r["op"] == op and r["case"] != "ragged", minimum=minimum)
    yield from sparse_goals()


def sparse_goals():
    """Products, sums, conversions, and operations on order, shape and elements, of 10^6 entries and more."""
    for op in ("spgemm", "csr-log-softmax", "convert", "convert-shared", "csr-softmax-heads",
               "to-dense", "from-dense", "to-bsr", "bsr-to-dense", "bsr-to-csr",
               "coo-to-dense", "csc-to-dense", "dense-to-coo", "dense-to-rows", "csr-to-rows", "rows-to-dense",
               "rows-to-csr", "topk", "sparse-mask"):
        yield Goal(op, lambda r, op=op: r["op"] == op and r["case"] in MILLIONS, minimum=1.5)
    for op in ("matmul-csc", "matmul-coo", "matmul-dense-csr", "matmul-dense-csr-t", "csr-add", "csr-multiply",
               "csr-multiply-dense", "csr-multiply-dense-gradient", "csr-retain-rows", "matmul-bsr", "relu",
               "csr-concat", "csr-concat-columns", "csr-block-diagonal", "csr-slice-columns",
               "csr-take-columns", "csr-triangle", "csr-eliminate-zeros", "csr-sort-indices", "csr-sum-duplicates",
               "csr-reshape", "coo-coalesce-max", "unique", "tanh", "tanh-gradient", "sqrt", "clip", "clip-gradient",
               "multiply", "multiply-gradient", "add-n", "scale-rows", "scale-rows-gradient", "scale-columns",
               "scale-columns-gradient", "csr-reduce-max", "csr-reduce-norm", "csr-reduce-gradient",
               "csr-softmax-gradient", "csr-softmax-heads-gradient", "csr-slice-rows", "csr-prune",
               "csr-fill-empty-rows", "coo-slice", "coo-concat", "coo-permute", "coo-fill-empty-rows",
               "spgemm-gradient", "csr-take-rows", "coo-reshape", "csr-add-gradient", "csr-multiply-gradient",
               "add-scalar", "coo-add", "coo-multiply", "coo-reduce-max", "coo-mask"):
        yield Goal(op, lambda r, op=op: r["op"] == op and r["case"] in MILLIONS, minimum=0.9)


def gpu_goals():
    """Of the H100 and the H200; records of train.py are of the operation pass, n is the size of a batch."""
    def of(op, widths=lambda n: True):
        return lambda r: r["op"] == op and r["case"] in GPU_CASES and widths(r["n"]) and (
            op == "spmm-t-rows" or is_main(r))

    def cuda(what, counts, mean, minimum):
        return Goal(what, counts, mean=mean, minimum=minimum, against="cuda")

    def torch(what, counts, mean, minimum):
        return Goal(what, counts, mean=mean, minimum=minimum, against="torch-gpu")

    yield cuda("spmm, n >= 16, cuSPARSE", of("spmm", lambda n: n >= 16), 1.2, 0.9)
    yield cuda("spmm, n = 1, cuSPARSE", of("spmm", lambda n: n == 1), 1.1, 0.9)
    yield cuda("spmm-t of a pattern, cuSPARSE", of("spmm-t"), 1.2, 0.8)
    yield torch("spmm-t-rows, new pattern, PyTorch", of("spmm-t-rows"), 4.0, 2.0)
    for op in ("reorder", "coalesce", "transpose"):
        yield cuda(f"{op}, CUB", lambda r, op=op: r["op"] == op and r["case"] in GPU_CASES, 0.9, 0.8)
    yield Goal("step, n >= 64, of a copy's rate", lambda r: r["op"] == "step" and r["n"] >= 64, mean=0.75,
               fraction=0.6, limit="fraction_of_copy")
    for rule, mean in (("sgd", 2.0), ("adagrad", 25.0), ("adam", 25.0)):
        yield torch(f"dedupe-step {rule}, PyTorch", op_is("dedupe-step", optimizer=rule), mean, 1.5)
    yield torch("bag, PyTorch", op_is("bag"), 1.3, 1.0)
    for batch, mean, minimum in ((1024, 10.0, 8.0), (16384, 4.0, 3.0)):
        yield torch(f"pass over the click log, batch {batch}, PyTorch", op_is("pass", n=batch), mean, minimum)


@dataclass
class Value:
    """The value of a record for a goal: a ratio, or a fraction of the device's limit."""
    value: float
    record: dict
    against: str
    spread: float = 1.0


@dataclass
class Verdict:
    goal: Goal
    values: list

    @property
    def mean(self):
        return geometric_mean([v.value for v in self.values])

    @property
    def spread(self):
        return geometric_mean([v.spread for v in self.values])

    @property
    def worst(self):
        return min(self.values, key=lambda v: v.value)

    @property
    def minimum(self):
        return self.goal.minimum if self.goal.fraction is None else self.goal.fraction

    def is_met(self):
        mean_is_met = self.goal.mean is None or self.mean >= self.goal.mean
        return mean_is_met and (self.minimum is None or self.worst.value >= self.minimum)


def values_of(goal, records):
    for record in filter(goal.of, records):
        if goal.fraction is not None:
            if record.get(goal.limit):
                yield Value(record[goal.limit], record, "limit")
        else:
            ratio = compare(record, goal.parts, goal.against)
            if ratio:
                yield Value(ratio.value, record, ratio.best, ratio.spread)


def verdicts(records):
    on_gpu = [r for r in records if r.get("gpu")]
    pairs = [(goal, [r for r in records if not r.get("gpu")]) for goal in goals()]
    for goal, records in pairs + [(goal, on_gpu) for goal in gpu_goals()]:
        values = list(values_of(goal, records))
        if values:
            yield Verdict(goal, values)


# --- printing ---------------------------------------------------------------------------------

def name_of(record):
    optimizer = "" if record["optimizer"] == "-" else " " + record["optimizer"]
    return f"{record['op']}{optimizer}{' queued' if record['queued'] else ''}"


HEADING = f"{'operation':22} {'case':>12} {'best peer':>16} {'its ms':>9} {'ours ms':>9} {'ratio':>6} {'spread':>13} " \
          f"{'of limit':>8}  others, ms"


def line_of(record, parts=("whole",)):
    """A line of the table; None if no peer did the operation."""
    r = compare(record, parts)
    if not r:
        return None
    others = [f"{name.split('/')[-1]} {median(turns['seconds']) * 1e3:.3g}"
              for name, turns in record["peers"].items() if turns["part"] == "whole"] if parts == ("whole",) else []
    limit = record.get("fraction_of_limit")
    return (f"{name_of(record):22} {record['case'] + ':' + str(record['n']):>12} {r.best:>16} {r.peer * 1e3:9.3f} "
            f"{r.ours * 1e3:9.3f} {r.value:6.2f} {min(r.ratios):6.2f}-{max(r.ratios):<6.2f} "
            f"{'' if limit is None else format(limit, '.0%'):>8}  {', '.join(others)}")


def lines_of(record):
    """The table's lines for a record: sparcl's own time if no peer did the operation."""
    lines = [line_of(record)]
    if any(turns["part"] == "transpose" for turns in record["peers"].values()):
        lines.append(line_of(record, ("transpose", "product")))
    lines = [line for line in lines if line]
    return lines or [f"{name_of(record):22} {record['case'] + ':' + str(record['n']):>12} {'none':>16} {'':9} "
                     f"{median(record['ours']) * 1e3:9.3f}"]


def print_table(records):
    print(HEADING)
    for record in records:
        for line in lines_of(record):
            print(line)


def print_goals(records):
    found = list(verdicts(records))
    if not found:
        return
    print(f"\n{'goal':44} {'jobs':>4} {'mean':>6} {'goal':>6} {'spread':>6} {'min':>6} {'goal':>6}  "
          f"{'met':3}  min at")
    for v in found:
        goal = ["" if w is None else format(w, ".2f") for w in (v.goal.mean, v.minimum)]
        met = "" if goal == ["", ""] else "yes" if v.is_met() else "NO"
        spread = "" if v.goal.fraction is not None else format(v.spread, ".2f")
        print(f"{v.goal.what:44} {len(v.values):4} {v.mean:6.2f} {goal[0]:>6} {spread:>6} {v.worst.value:6.2f} "
              f"{goal[1]:>6}  {met:3}  {v.worst.record['case']}:{v.worst.record['n']} ({v.worst.against})")


def wanted_of(goal):
    minimum = goal.minimum if goal.fraction is None else goal.fraction
    return ", ".join(f"{what} {w:.2g}" for what, w in (("mean", goal.mean), ("least", minimum)) if w)


def markdown(records, expected=()):
    """The lines of a table: a row for each goal with a value; those of `expected` without one are not measured."""
    yield "| goal | jobs | mean | least | wanted | spread | fastest peers |\n|---|---|---|---|---|---|---|"
    found = list(verdicts(records))
    for v in found:
        peers = ", ".join(sorted({value.against for value in v.values}))
        at = f"`{v.worst.record['case']}` n = {v.worst.record['n']}"
        yield (f"| {v.goal.what} | {len(v.values)} | {v.mean:.2f} | {v.worst.value:.2f} ({at}) | "
               f"{wanted_of(v.goal)}{'' if v.is_met() else ', **missed**'} | {v.spread:.2f} | {peers} |")
    for goal in expected:
        if goal.what not in [v.goal.what for v in found]:
            yield f"| {goal.what} | 0 | | | {wanted_of(goal)}, not measured | | |"


def print_markdown(records):
    print("\n".join(markdown(records)))


def write_tsv(records, path):
    with open(path, "w", encoding="utf-8") as file:
        print("op", "case", "n", "optimizer", "queued", "best", "peer_s", "ours_s", "ratio", "minimum", "maximum",
              sep="\t", file=file)
        for record in records:
            for parts in (("whole",), ("transpose", "product")):
                r = compare(record, parts)
                if r:
                    print(*(record[name] for name in KEY), r.best, f"{r.peer:.6g}", f"{r.ours:.6g}", f"{r.value:.4g}",
                          f"{min(r.ratios):.4g}", f"{max(r.ratios):.4g}", sep="\t", file=file)


def write_json(records, path):
    """Writes the result of each goal, with the fields of docs/results/2026-11-22-peers.json."""
    peers = sorted({name.split("/")[-1] for record in records for name in record["peers"]})
    found = {"about": "best peer's time divided by sparcl's, for each goal of bench/goals.py",
             "source": "bench/goals.py --json", "date": datetime.date.today().isoformat(),
             "machine": records[0]["device"] if records else "", "peers": peers, "goals": []}
    for v in verdicts(records):
        is_ratio = v.goal.fraction is None
        found["goals"].append({
            "goal": v.goal.what, "jobs": len(v.values), "mean_goal": v.goal.mean, "minimum_goal": v.minimum,
            "mean": v.mean if is_ratio else None, "spread": v.spread if is_ratio else None,
            "minimum": v.worst.value, "minimum_at": f"{v.worst.record['case']} n = {v.worst.record['n']}"})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
        file.write("\n")


def read(paths):
    """The records of files of JSON lines; of each job the last one."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                found[tuple(record[name] for name in KEY) + (record.get("gpu"),)] = record
    return list(found.values())


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        sys.exit(0)
    to_json, paths = (sys.argv[2:3], sys.argv[3:]) if sys.argv[1:2] == ["--json"] else ([], sys.argv[1:])
    markdown = paths[:1] == ["--markdown"]
    found = read(paths[markdown:])
    if not found:
        sys.exit(__doc__)
    if markdown:
        print_markdown(found)
        sys.exit(0)
    print_table(found)
    print_goals(found)
    for path in to_json:
        write_json(found, path)
