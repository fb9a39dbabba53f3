#!/usr/bin/env python3
"""A recommendation model in the form of DLRM, trained with PyTorch's optimizers and with sparcl's.

The model is PyTorch alone: embedding bags with sparse gradients, layers for the dense features, dot
products of all pairs, and layers on top (Naumov et al. 2019). What differs is one import:

    from torch.optim import SparseAdam, Adam
    from sparcl.torch.optim import SparseAdam, Adam

Both train from the same start on the same batches, in turns, step by step; the rows of a bag are
drawn by Zipf's law, the labels by a model of their own. Printed are the times of a step and of its
parts (medians of rounds, and the lowest
and highest round), and how far the losses are apart.

    python dlrm.py                       # SparseAdam for the tables, Adam for the layers
    python dlrm.py --optimizer Adagrad --json adagrad.json
    python dlrm.py --optimizer all --json dlrm.json && python dlrm_plot.py dlrm.json dlrm.svg
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn

DENSE = 13
PARTS = ("forward and backward", "optimizer", "step")
WHOSE = {
    "torch": "PyTorch's optimizers",
    "sparcl": "sparcl's, nothing else is changed",
    "sparcl+bags": "sparcl's, and sparcl.torch.nn.EmbeddingBag",
    "torch64": "PyTorch's in float64: what the losses are compared with",
}
# How far losses may be apart, relative to their size. Adagrad's first step moves a number by lr
# times the sign of its gradient, however small that is, so roundings become visible: in 55 steps of
# the default sizes PyTorch's losses come as far as 7.2e-3 from those in float64, sparcl's 1.6e-3.
BOUNDS = {"Adagrad": 2e-2}


class Dlrm(nn.Module):
    """Bags of rows of several tables and dense features -> one logit."""

    def __init__(self, tables: int, rows: int, width: int, bag: type[nn.EmbeddingBag]) -> None:
        super().__init__()
        self.tables = nn.ModuleList(
            bag(rows, width, mode="sum", sparse=True) for _ in range(tables)
        )
        for table in self.tables:
            nn.init.uniform_(table.weight, -0.05, 0.05)
        pairs = torch.tril_indices(tables + 1, tables + 1, -1)
        self.register_buffer("pairs", pairs[0] * (tables + 1) + pairs[1])
        self.bottom = nn.Sequential(
            nn.Linear(DENSE, 128), nn.ReLU(), nn.Linear(128, width), nn.ReLU()
        )
        self.top = nn.Sequential(
            nn.Linear(width + pairs.shape[1], 128),
            nn.ReLU(),
            nn.Linear(128, 64),
            nn.ReLU(),
            nn.Linear(64, 1),
        )

    def forward(self, dense: torch.Tensor, bags: list[torch.Tensor]) -> torch.Tensor:
        x = self.bottom(dense)
        features = torch.stack(
            [x, *(table(bag) for table, bag in zip(self.tables, bags, strict=True))], 1
        )
        products = torch.bmm(features, features.transpose(1, 2)).flatten(1)
        return self.top(torch.cat([x, products[:, self.pairs]], 1)).squeeze(1)


class Data:
    """Batches of a seed: rows by Zipf's law, in an order of their own; labels of a hidden model."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.random = np.random.default_rng(options.seed)
        self.options = options
        weights = np.arange(1, options.rows + 1, dtype=np.float64) ** -options.zipf
        self.cumulated = np.cumsum(weights / weights.sum())
        self.orders = [self.random.permutation(options.rows) for _ in range(options.tables)]
        self.scores = self.random.standard_normal((options.tables, options.rows), np.float32)
        self.coefficients = self.random.standard_normal(DENSE, np.float32)

    def batch(self) -> tuple[torch.Tensor, list[torch.Tensor], torch.Tensor]:
        o, random = self.options, self.random
        dense = random.standard_normal((o.batch, DENSE), np.float32)
        logit = dense @ self.coefficients / DENSE**0.5
        bags = []
        for order, scores in zip(self.orders, self.scores, strict=True):
            rank = np.searchsorted(self.cumulated, random.random((o.batch, o.bag)))
            rows = order[np.minimum(rank, o.rows - 1)]
            logit += scores[rows].mean(1)
            bags.append(torch.from_numpy(rows))
        labels = random.random(o.batch) < 1 / (1 + np.exp(-2 * logit))
        return (
            torch.from_numpy(dense),
            bags,
            torch.from_numpy(labels.astype(np.float32)),
        )


def optimizers(module: Any, name: str, model: Dlrm, lr: float | None) -> list[Any]:
    """The optimizers of a module with this name; beside SparseAdam, Adam for the layers."""
    options = {} if lr is None else {"lr": lr}
    if name != "SparseAdam":
        return [getattr(module, name)(model.parameters(), **options)]
    layers = [*model.bottom.parameters(), *model.top.parameters()]
    return [
        module.SparseAdam(model.tables.parameters(), **options),
        module.Adam(layers, **options),
    ]


@dataclass
class Runner:
    """A model and its optimizers, and what each step took."""

    name: str
    model: Dlrm
    optimizers: list[Any]
    losses: list[float] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=lambda: {part: [] for part in PARTS})

    def step(self, batch: tuple[torch.Tensor, list[torch.Tensor], torch.Tensor]) -> None:
        dense, bags, labels = batch
        kind = self.model.top[0].weight.dtype
        dense, labels = dense.to(kind), labels.to(kind)
        begin = time.perf_counter()
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(self.model(dense, bags), labels)
        loss.backward()
        middle = time.perf_counter()
        for optimizer in self.optimizers:
            optimizer.step()
        end = time.perf_counter()
        self.losses.append(loss.item())
        for part, seconds in zip(PARTS, (middle - begin, end - middle, end - begin), strict=True):
            self.times[part].append(seconds)

    def rounds(self, part: str, warm: int, rounds: int) -> list[float]:
        """The median of each round, in milliseconds."""
        pieces = np.array_split(np.array(self.times[part][warm:]) * 1e3, rounds)
        return [float(np.median(piece)) for piece in pieces]


def runners_of(options: argparse.Namespace, name: str) -> list[Runner]:
    made = []
    for who in options.whose:
        torch.manual_seed(options.seed)
        bag = nn.EmbeddingBag
        if who.startswith("torch"):
            module: Any = torch.optim
        else:
            import sparcl.torch  # noqa: PLC0415 (only on request)

            module = sparcl.torch.optim
            if who == "sparcl+bags":
                bag = sparcl.torch.nn.EmbeddingBag
        model = Dlrm(options.tables, options.rows, options.width, bag)
        if who == "torch64":
            model.double()
        made.append(Runner(who, model, optimizers(module, name, model, options.lr)))
    return made


def measure(options: argparse.Namespace, name: str) -> dict[str, Any]:
    data, runners = Data(options), runners_of(options, name)
    for step in range(options.warm + options.steps):
        batch = data.batch()
        for runner in runners if step % 2 == 0 else runners[::-1]:
            runner.step(batch)
    first = runners[0]
    exact = next((runner for runner in runners if runner.name == "torch64"), first)
    result: dict[str, Any] = {
        "optimizer": name,
        "losses_compared_with": exact.name,
        "runs": [],
    }
    for runner in runners:
        parts = {}
        for part in PARTS:
            rounds = runner.rounds(part, options.warm, options.rounds)
            base = statistics.median(first.rounds(part, options.warm, options.rounds))
            parts[part] = {
                "median_ms": statistics.median(rounds),
                "lowest_ms": min(rounds),
                "highest_ms": max(rounds),
                "times_faster": base / statistics.median(rounds),
            }
        apart = [abs(a - b) / abs(b) for a, b in zip(runner.losses, exact.losses, strict=True)]
        result["runs"].append(
            {
                "whose": runner.name,
                "parts": parts,
                "losses": runner.losses,
                "largest_difference": max(apart),
            }
        )
    return result


def report(result: dict[str, Any], given: float | None) -> bool:
    """Print the table of an optimizer; false where losses are further apart than the bound."""
    bound = BOUNDS.get(result["optimizer"], 1e-4) if given is None else given
    print(f"\n{result['optimizer']}: milliseconds, median of rounds (lowest to highest round)\n")
    print(f"| whose | {' | '.join(PARTS)} | last loss | largest difference of a loss |")
    print("|---|" + "---|" * (len(PARTS) + 2))
    within = True
    for run in result["runs"]:
        cells = []
        for part in run["parts"].values():
            spread = f"{part['lowest_ms']:.2f} to {part['highest_ms']:.2f}"
            cells.append(f"{part['median_ms']:.2f} ({spread}), x {part['times_faster']:.2f}")
        apart = run["largest_difference"]
        within = within and apart <= bound
        loss = statistics.mean(run["losses"][-10:])
        print(f"| {run['whose']} | {' | '.join(cells)} | {loss:.6f} | {apart:.1e} |")
    whose = result["losses_compared_with"]
    print(f"\nlosses are those of {whose} within {bound:g} of their size: {within}")
    return within


def about(options: argparse.Namespace) -> dict[str, Any]:
    found = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch_threads": torch.get_num_threads(),
        "options": {k: v for k, v in vars(options).items() if k != "json"},
    }
    if any(who.startswith("sparcl") for who in options.whose):
        import sparcl  # noqa: PLC0415

        found |= {
            "sparcl": sparcl.__version__,
            "device": str(sparcl.default_context().device),
        }
    return found


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = p.add_argument
    add(
        "--optimizer",
        default="SparseAdam",
        help="SparseAdam, Adagrad, SGD, ..., or all",
    )
    add(
        "--whose",
        nargs="+",
        default=["torch", "sparcl"],
        choices=list(WHOSE),
        help="; ".join(f"{who}: {what}" for who, what in WHOSE.items())
        + "; times are compared with the first's",
    )
    add("--batch", type=int, default=2048, help="examples of a batch (%(default)s)")
    add("--steps", type=int, default=50, help="steps that are measured (%(default)s)")
    add("--warm", type=int, default=5, help="steps before them (%(default)s)")
    add("--rounds", type=int, default=5, help="rounds of these steps (%(default)s)")
    add("--tables", type=int, default=8, help="(%(default)s)")
    add("--rows", type=int, default=200_000, help="of each table (%(default)s)")
    add("--width", type=int, default=64, help="numbers of a row (%(default)s)")
    add("--bag", type=int, default=20, help="rows of a bag (%(default)s)")
    add("--zipf", type=float, default=1.05, help="the exponent (%(default)s)")
    add("--lr", type=float, help="the learning rate, default: the optimizer's")
    add("--seed", type=int, default=1)
    add(
        "--bound",
        type=float,
        help="of the difference of losses (Adagrad: 2e-2, others: 1e-4)",
    )
    add("--json", help="write what was measured to this file")
    return p.parse_args()


def main() -> None:
    options = parse()
    warnings.filterwarnings("ignore", message="Sparse invariant checks")  # of PyTorch's Adagrad
    names = ["SparseAdam", "Adagrad", "SGD"] if options.optimizer == "all" else [options.optimizer]
    found = about(options)
    print(", ".join(f"{k} {v}" for k, v in found.items() if k != "options"))
    print(", ".join(f"{k} {v}" for k, v in found["options"].items()))
    results, within = [], True
    for name in names:
        results.append(measure(options, name))
        within = report(results[-1], options.bound) and within
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({**found, "results": results}, file, indent=1)
    if not within:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
