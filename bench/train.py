#!/usr/bin/env python3
"""Trains the same model with PyTorch and sparcl, in turns: a logistic one with Adagrad and Adam, and a factorization
machine with 16 factors with Adagrad; mini-batches of 1 024 (--batches), a click log of 200 000 examples with 39
features each, of 1 000 000; the first pass and later ones, with the data in memory.
Then one pass from text: sparcl as a whole process, and Vowpal Wabbit without the start of its process. The log is
generated if it does not exist. With --gpu PyTorch trains on the GPU, and has the data there."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import run

FIELDS, IDS, ROWS, TEST_ROWS = 39, 1_000_000, 200_000, 40_000
# The model, the optimizer, and their arguments for sparcl train.
FACTORS, FACTOR_RATE, FACTOR_INIT = 16, 0.01, 0.01
MODELS = {"adagrad": ("linear", "adagrad", 0.05, []), "adam": ("linear", "adam", 0.005, []),
          "fm": ("fm", "adagrad", 0.05, ["--model", f"fm:factors={FACTORS},init={FACTOR_INIT}",
                                         "--parameter-optimizers", f"factors=adagrad:lr={FACTOR_RATE}"])}
# With --hash all, Vowpal Wabbit hashes the names of features; without it, numbers are indices, as in sparcl.
WABBIT = {"numbers as indices": "", "all names hashed": "--hash all "}


def make_log(folder, with_text=True):
    """Generates the log: the ids of each field follow Zipf's law, the labels are drawn from a hidden logistic model."""
    import numpy as np
    from cases import sp
    rng = np.random.default_rng(11)
    rows = ROWS + TEST_ROWS
    sizes = np.maximum(4, (IDS * rng.dirichlet(np.full(FIELDS, 0.3))).astype(int))
    sizes[-1] += IDS - sizes.sum()
    ids, first = np.empty((rows, FIELDS), np.int32), 0
    for field, size in enumerate(sizes):
        ends = np.cumsum(np.arange(1, size + 1) ** -1.1)
        ids[:, field] = first + np.searchsorted(ends / ends[-1], rng.random(rows))
        first += size
    margin = rng.normal(0, 0.5, IDS)[ids].sum(1) - 1.5
    labels = (rng.random(rows) < 1 / (1 + np.exp(-margin))).astype(np.int8)
    os.makedirs(folder, exist_ok=True)
    for name, part in (("clicks", slice(0, ROWS)), ("clicks.t", slice(ROWS, rows))):
        i = ids[part]
        offsets = np.arange(0, i.size + 1, FIELDS, dtype=np.int32)
        m = sp.csr_matrix((np.ones(i.size, np.float32), i.ravel(), offsets), shape=(len(i), IDS))
        sp.save_npz(os.path.join(folder, name + ".npz"), m, compressed=False)
        np.save(os.path.join(folder, name + ".y.npy"), labels[part])
        if not with_text:
            continue
        with open(os.path.join(folder, name + ".svm"), "w") as svm, open(os.path.join(folder, name + ".vw"), "w") as vw:
            for label, row in zip(labels[part], i):
                features = " ".join(f"{k + 1}:1" for k in row)
                svm.write(f"{label} {features}\n")
                vw.write(f"{1 if label else -1} | {features}\n")


def run_torch(folder, which, epochs, batch, device):
    """Trains in PyTorch's environment: embeddings with sparse gradients, as users of PyTorch write them."""
    import numpy as np
    import torch
    from cases import sp
    torch.set_num_threads(os.cpu_count())
    torch.manual_seed(0)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def part(name):
        m = sp.load_npz(os.path.join(folder, name + ".npz"))
        labels = np.load(os.path.join(folder, name + ".y.npy")).astype(np.float32)
        ids = torch.from_numpy(m.indices.reshape(-1, FIELDS).astype(np.int64))
        return ids.to(device), torch.from_numpy(labels).to(device)

    model, rule, rate, _ = MODELS[which]
    ids, labels = part("clicks")
    table = torch.nn.Embedding(IDS, 1, sparse=True, device=device)
    torch.nn.init.zeros_(table.weight)
    bias = torch.zeros(1, requires_grad=True, device=device)
    factors = torch.nn.Embedding(IDS, FACTORS, sparse=True, device=device) if model == "fm" else None

    def scores(rows):
        linear = table(rows).sum((1, 2)) + bias
        if not factors:
            return linear
        e = factors(rows)
        return linear + 0.5 * ((e.sum(1) ** 2).sum(1) - (e ** 2).sum((1, 2)))
    dense = {"adagrad": torch.optim.Adagrad, "adam": torch.optim.Adam}[rule]
    sparse = {"adagrad": torch.optim.Adagrad, "adam": torch.optim.SparseAdam}[rule]
    rules = [sparse([table.weight], lr=rate), dense([bias], lr=rate)]
    if factors:
        torch.nn.init.normal_(factors.weight, std=FACTOR_INIT)
        rules.append(sparse([factors.weight], lr=FACTOR_RATE))
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    seconds = []
    for _ in range(epochs):
        begin = time.perf_counter()
        order = torch.randperm(len(ids), device=device)
        for k in range(0, len(ids), batch):
            rows = order[k:k + batch]
            for each in rules:
                each.zero_grad()
            loss(scores(ids[rows]), labels[rows]).backward()
            for each in rules:
                each.step()
        wait()
        seconds.append(time.perf_counter() - begin)
    with torch.no_grad():
        ids, labels = part("clicks.t")
        test = loss(scores(ids), labels).item()
    print(json.dumps({"first": seconds[0], "later": statistics.median(seconds[1:]), "loss": test}))


def run_wabbit(folder, options):
    import vowpalwabbit
    begin = time.perf_counter()
    log = os.path.join(folder, "clicks.vw")
    vowpalwabbit.Workspace(f"-b 22 --loss_function logistic {options}--quiet --noconstant -d {log}").finish()
    print(json.dumps(time.perf_counter() - begin))


def train(options, data, which, epochs, batch):
    """The JSON of sparcl train; the seconds of the process are added."""
    _, rule, rate, more = MODELS[which]
    model = os.path.join(options.peers_folder, "train.safetensors")
    command = [options.sparcl, "train", *data, "--optimizer", rule, "--lr", str(rate), "--batch", str(batch), *more,
               "--epochs", str(epochs), "-o", model, "--json", "-", "--progress", "none", "--device", options.device]
    begin = time.perf_counter()
    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {**done, "process": time.perf_counter() - begin}


def run_sparcl(options, folder, which, batch):
    """The first pass of a process, the median of others, and the loss on the test set."""
    model = os.path.join(options.peers_folder, "train.safetensors")
    part = lambda name: [os.path.join(folder, name + ".npz"), "--labels", os.path.join(folder, name + ".y.npy")]
    first = train(options, part("clicks"), which, 1, batch)["seconds_per_pass"]
    later = train(options, part("clicks"), which, options.epochs, batch)["seconds_per_pass"]
    output = subprocess.run([options.sparcl, "eval", model, *part("clicks.t"), "--json", "--device", options.device],
                            check=True, capture_output=True, text=True).stdout
    return {"first": first, "later": later, "loss": json.loads(output)["loss"]}


def spread(ratios):
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def record_of(options, which, batch, turns):
    """Later passes, as a record for goals.py."""
    peers = {"whole/torch-gpu" if options.gpu else "whole/torch": {
        "part": "whole", "seconds": [peer["later"] for peer, _ in turns], "ours": [ours["later"] for _, ours in turns]}}
    return {"op": "pass", "case": which, "n": batch, "optimizer": "-", "queued": False, "peers": peers, "declined": {},
            "ours": [ours["later"] for _, ours in turns], "device": options.device, "gpu": options.gpu}


def compare_passes(options, folder, python):
    """In rounds over the models and sizes of batches; what has been measured when the time is used counts."""
    pairs, begin = [(which, batch) for batch in options.batches for which in options.models], time.monotonic()
    turns = {pair: [] for pair in pairs}
    for number in range(options.rounds):
        for which, batch in pairs:
            if options.limit is not None and time.monotonic() - begin > options.limit:
                print(f"Round {number + 1} was not completed: the {options.limit:.0f} s are used", flush=True)
                break
            command = [python, __file__, "--torch", folder, "--model", which, "--epochs", str(options.epochs),
                       "--batches", str(batch), *["--gpu"] * options.gpu]
            peer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            ours = run_sparcl(options, folder, which, batch)
            turns[which, batch].append((peer, ours))
            print(f"{which}, batch {batch}, round {number + 1}: seconds of the first pass, later, log loss: "
                  f"PyTorch {peer['first']:.4f}, {peer['later']:.4f}, {peer['loss']:.5f}; "
                  f"sparcl {ours['first']:.4f}, {ours['later']:.4f}, {ours['loss']:.5f}", flush=True)
            if options.out:
                with open(options.out, "a", encoding="utf-8") as file:
                    print(json.dumps(record_of(options, which, batch, turns[which, batch])), file=file)
    for (which, batch), both in turns.items():
        if both:
            first, later = (spread([peer[when] / ours[when] for peer, ours in both]) for when in ("first", "later"))
            print(f"{which}, batch {batch}: ratio {first} in the first pass, {later} later", flush=True)


def compare_text(options, folder, python):
    ratios = {what: [] for what in WABBIT}
    for number in range(options.rounds):
        for what, hashing in WABBIT.items():
            command = [python, __file__, "--wabbit", folder, "--hashing", hashing]
            peer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            ours = train(options, [os.path.join(folder, "clicks.svm")], "adagrad", 1, options.batches[0])["process"]
            ratios[what].append(peer / ours)
            print(f"text, round {number + 1}: Vowpal Wabbit, {what}, {peer:.3f} s; sparcl {ours:.3f} s", flush=True)
    for what, all_ratios in ratios.items():
        print(f"text: ratio {spread(all_ratios)} to Vowpal Wabbit, {what}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers-folder", default="out/peers", help="the folder of bench/setup (%(default)s)")
    parser.add_argument("--log", help="a folder with clicks.npz, .y.npy, .svm, .vw and clicks.t.npz, .t.y.npy; "
                        "default: the generated log")
    parser.add_argument("--sparcl", default="build/release/sparcl", help="the tool (%(default)s)")
    parser.add_argument("--device", default="auto", help="OpenCL device of sparcl (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds (%(default)s)")
    parser.add_argument("--epochs", type=int, default=4, help="passes of a run, at least 2 (%(default)s)")
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=list(MODELS), help="models (%(default)s)")
    parser.add_argument("--batches", nargs="*", type=int, default=[1024], help="sizes of a batch (%(default)s)")
    parser.add_argument("--gpu", action="store_true", help="PyTorch trains on its GPU; give --device too")
    parser.add_argument("--limit", type=float, help="begin no training after so many seconds")
    parser.add_argument("--out", help="append the seconds of later passes to this file, as JSON lines for goals.py")
    parser.add_argument("--no-text", action="store_true", help="leave out the passes from text")
    for hidden in ("--torch", "--model", "--wabbit", "--hashing", "--make"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.log or os.path.join(options.peers_folder, "train")
    if options.torch:
        return run_torch(options.torch, options.model, options.epochs, options.batches[0],
                         "cuda" if options.gpu else "cpu")
    if options.wabbit:
        return run_wabbit(options.wabbit, options.hashing)
    if options.make:
        return make_log(options.make, not options.no_text)
    python = os.path.join(options.peers_folder, "v", "bin", "python")
    if options.gpu:
        python = run.python_with_gpu(options.peers_folder)
        if not python:
            sys.exit("No Python here has a PyTorch that sees a GPU: nothing to compare with")
    elif not os.path.exists(python):
        sys.exit(f"{python} does not exist: run bench/setup {options.peers_folder} first")
    if not os.path.exists(os.path.join(folder, "clicks.t.y.npy" if options.no_text else "clicks.t.vw")):
        subprocess.run([python, __file__, "--make", folder, *["--no-text"] * options.no_text], check=True)
    compare_passes(options, folder, python)
    if not options.no_text:
        compare_text(options, folder, python)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
