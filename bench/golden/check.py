#!/usr/bin/env python3
"""Computes every file of tests/golden again, by the formulas that the systems were found to compute (rules_*.py), in
float32 with NumPy, and says how far each is off. Nothing but NumPy is needed.

Each step begins with the arrays that the system had before it, so that errors do not add up. An addition of a product
may have been rounded once (fused) or twice: each rule is computed with every choice of these, and the choice that
fits best is named. A difference is given in ulp of the result, and, for the weights, in ulp of the larger of the
weight before and after the step: where a weight comes out near 0, that is what rounding can do.

    check.py [--all] [NAME...]    prints the table of tests/golden/README.md, of files whose names begin so; without
                                  --all only of those that are not equal. Fails where a weight is off by more
                                  than 2 ulp of the larger of the weight before and after the step.
"""
import itertools
import sys

import numpy as np

import rules_fbgemm
import rules_keras
import rules_mxnet
import rules_tensorflow
import rules_torch
from golden_case import FOLDER, sections
from rules_math import Choice

RULES = {"torch": rules_torch.RULES, "keras": rules_keras.RULES, "tf1": rules_tensorflow.RULES,
         "tf_raw": rules_tensorflow.RAW, "addons": rules_tensorflow.ADDONS, "mxnet": rules_mxnet.RULES,
         "fbgemm": rules_fbgemm.RULES, "dgl": rules_fbgemm.DGL}


def floats(text):
    return np.array([int(text[i:i + 8], 16) for i in range(0, len(text), 8)], np.uint32).view(np.float32)


def value(text):
    if text in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text]
    if "," in text:
        return tuple(value(part) for part in text.split(","))
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Gradient:
    """The rows of a step as they are stored, and added by id."""

    def __init__(self, shape, ids, rows):
        self.shape, self.raw_ids, self.raw = shape, np.array(ids, int), np.array(rows, np.float32).reshape(-1, shape[1])
        self.ids, self.sums = np.unique(self.raw_ids), self.dense()[np.unique(self.raw_ids)]

    def dense(self):
        result, seen = np.zeros(self.shape, np.float32), set()
        for i, row in zip(self.raw_ids, self.raw):
            result[i] = result[i] + row if i in seen else row
            seen.add(i)
        return result


def read_case(name):
    lines = sections(FOLDER / "case.txt")[f"case_{name}"].splitlines()
    rows, columns = (int(word) for word in lines[2].split()[1:])
    table = np.array([floats(line.split()[1]) for line in lines[3:3 + rows]])
    steps, at = [], 3 + rows
    while lines[at] != "end":
        count = int(lines[at].split()[3])
        body = [line.split() for line in lines[at + 1:at + 1 + count]]
        steps.append(Gradient((rows, columns), [int(b[0]) for b in body], [floats(b[1]) for b in body]))
        at += 1 + count
    return table, steps


class Golden:
    """One section: its settings, the arrays before the first step and after each."""

    def __init__(self, name, text):
        self.name, self.settings, self.lrs, self.notes = name, {}, [], []
        names, now, self.arrays = [], {}, []
        for line in text.splitlines()[1:]:
            word, *rest = line.split()
            if word in ("system", "optimizer", "case", "gradient"):
                setattr(self, word, rest[0])
            elif word == "setting":
                self.settings[rest[0]] = value(rest[1])
            elif word == "note":
                self.notes.append(" ".join(rest))
            elif word == "array":
                names.append(rest[1])
                now[rest[1]] = np.zeros((int(rest[2]), int(rest[3])), np.float32 if rest[4] == "f32" else np.int64)
            elif word in ("step", "end"):
                self.arrays.append({k: v.copy() for k, v in now.items()})
                self.lrs += [float(rest[2])] if word == "step" else []
            elif word.isdigit():
                target = now[names[int(word)]]
                target[int(rest[0])] = floats(rest[1]) if target.dtype == np.float32 else [int(w) for w in rest[1:]]


def order(x):
    """Floats as integers, so that neighbours differ by 1; -0 and +0 differ by 1 too."""
    bits = np.asarray(x, np.float32).view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF) - 1, bits)


def ulps(got, expected):
    if got.dtype != np.float32:
        return np.abs(got - expected)
    both = np.isnan(got) & np.isnan(expected)
    return np.where(both, 0, np.abs(order(got) - order(expected)))


def weight_ulps(got, expected, before):
    """In ulp of the larger of the weight before and after."""
    scale = np.spacing(np.maximum(np.abs(before), np.abs(expected)))
    with np.errstate(invalid="ignore"):
        result = np.abs(got.astype(np.float64) - expected) / scale
    return np.where(np.isnan(got) & np.isnan(expected), 0, np.where(np.isnan(result), np.inf, result))


def compute(golden, steps, rule, choice):
    """The largest differences of one choice: by array, and of the weights in their own measure."""
    off, weights, equal, total, same = {}, 0.0, 0, 0, []
    for t, lr in enumerate(golden.lrs, 1):
        before, after = golden.arrays[t - 1], golden.arrays[t]
        choice.begin()
        old = {k: v.copy() for k, v in before.items()}
        with np.errstate(all="ignore"):
            new = rule(golden.settings, lr, t, old, steps[t - 1], golden, choice)
        for key, expected in after.items():
            got = np.asarray(new[key]).astype(expected.dtype).reshape(expected.shape)
            difference = ulps(got, expected)
            off[key] = max(off.get(key, 0), int(difference.max()))
            equal, total = equal + int((difference == 0).sum()), total + difference.size
            same.append((difference == 0).reshape(-1))
        weights = max(weights, float(weight_ulps(np.asarray(new["w"], np.float32), after["w"], before["w"]).max()))
    return {"off": off, "weights": weights, "equal": equal, "total": total, "choice": choice,
            "same": np.concatenate(same)}


def best(golden, steps, rule):
    """The plain choice, every addition rounded, and the best one."""
    plain = compute(golden, steps, rule, Choice(()))
    sites = plain["choice"].count
    tries = [plain]
    for fused in itertools.product((False, True), repeat=min(sites, 6)):
        if any(fused) and plain["equal"] < plain["total"]:
            tries.append(compute(golden, steps, rule, Choice(fused)))
    return plain, max(tries, key=lambda result: (result["equal"], -result["weights"]))


def equal_if_inexact(golden, steps, rule, chosen):
    """Whether each element is equal where the functions that a system does not round correctly are off by 1 ulp."""
    same, count = chosen["same"].copy(), chosen["choice"].inexact
    for offsets in itertools.product((-1, 0, 1), repeat=count):
        same |= compute(golden, steps, rule, Choice(chosen["choice"].fused, offsets))["same"]
    return bool(same.all()) and count > 0


def verdict(golden, steps, rule, plain, chosen):
    if plain["equal"] == plain["total"]:
        return "equal"
    if chosen["equal"] == chosen["total"]:
        return "equal, fused"
    if equal_if_inexact(golden, steps, rule, chosen):
        return "equal, inexact"
    return "within 2 ulp" if chosen["weights"] <= 2 else "DIFFERENT"


def line(golden, kind, plain, chosen):
    """A row of the table: equal numbers and ulp of the weights with every addition rounded, then the best choice."""
    fused = "".join("f" if f else "-" for f in chosen["choice"].fused) or "-"
    states = " ".join(f"{k} {v}" for k, v in chosen["off"].items() if v) or "-"
    return (f"| `{golden.name}` | {golden.case} | {golden.gradient} | {plain['equal']} of {plain['total']} | "
            f"{plain['weights']:.2g} | {fused} | {chosen['equal']} | {states} | {kind} |")


HEAD = """| section | case | gradient | equal | ulp of w | fused | equal | ulp of a result | verdict |
|---|---|---|---:|---:|---|---:|---|---|"""


def main(arguments):
    everything, names = "--all" in arguments, [a for a in arguments if not a.startswith("-")]
    cases, summary = {}, {}
    print(HEAD)
    texts = {name: text for path in sorted(FOLDER.glob("*.txt")) for name, text in sections(path).items()}
    for name, text in texts.items():
        wanted = not names or name.startswith(tuple(names))
        if not wanted or name.startswith("case_") or name.endswith("_refuses"):
            continue
        golden = Golden(name, text)
        if golden.case not in cases:
            cases[golden.case] = read_case(golden.case)
        steps, rule = cases[golden.case][1], RULES[golden.system][golden.optimizer.split("(")[0]]
        plain, chosen = best(golden, steps, rule)
        kind = verdict(golden, steps, rule, plain, chosen)
        summary[kind] = summary.get(kind, 0) + 1
        if everything or kind not in ("equal", "equal, fused"):
            print(line(golden, kind, plain, chosen), flush=True)
    print("\n" + ", ".join(f"{kind}: {count}" for kind, count in sorted(summary.items())), file=sys.stderr)
    return 1 if "DIFFERENT" in summary else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
