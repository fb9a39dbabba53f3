#!/usr/bin/env python3
"""Trains the same logistic model with PyTorch and sparcl, in turns: Adagrad, mini-batches of 1 024, a click
log of 200 000 examples with 39 features each, of 1 000 000. Prints the seconds of a pass, with the data in
memory, and the log loss on a test set. The log is generated if it does not exist."""
import argparse
import json
import os
import statistics
import subprocess
import sys

FIELDS, IDS, ROWS, TEST_ROWS = 39, 1_000_000, 200_000, 40_000
BATCH, LEARNING_RATE = 1024, 0.05


def make_log(folder):
    """Generates the log: the ids of each field follow Zipf's law, the labels are drawn from a hidden logistic model."""
    import numpy as np
    import scipy.sparse as sp
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


def run_torch(folder, epochs):
    """Trains in PyTorch's environment: an embedding with sparse gradients, as users of PyTorch write it."""
    import time
    import numpy as np
    import scipy.sparse as sp
    import torch
    torch.set_num_threads(os.cpu_count())
    torch.manual_seed(0)

    def part(name):
        m = sp.load_npz(os.path.join(folder, name + ".npz"))
        labels = np.load(os.path.join(folder, name + ".y.npy")).astype(np.float32)
        return torch.from_numpy(m.indices.reshape(-1, FIELDS).astype(np.int64)), torch.from_numpy(labels)

    ids, labels = part("clicks")
    table = torch.nn.Embedding(IDS, 1, sparse=True)
    torch.nn.init.zeros_(table.weight)
    bias = torch.zeros(1, requires_grad=True)
    rules = [torch.optim.Adagrad([table.weight], lr=LEARNING_RATE), torch.optim.Adagrad([bias], lr=LEARNING_RATE)]
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    seconds = []
    for _ in range(epochs):
        begin = time.perf_counter()
        order = torch.randperm(len(ids))
        for k in range(0, len(ids), BATCH):
            rows = order[k:k + BATCH]
            for rule in rules:
                rule.zero_grad()
            loss(table(ids[rows]).sum((1, 2)) + bias, labels[rows]).backward()
            for rule in rules:
                rule.step()
        seconds.append(time.perf_counter() - begin)
    with torch.no_grad():
        ids, labels = part("clicks.t")
        test = loss(table(ids).sum((1, 2)) + bias, labels).item()
    print(json.dumps({"seconds": statistics.median(seconds), "loss": test}))


def run_sparcl(options, folder):
    model = os.path.join(folder, "model.safetensors")
    data = [os.path.join(folder, "clicks.npz"), "--labels", os.path.join(folder, "clicks.y.npy")]
    test = [os.path.join(folder, "clicks.t.npz"), "--labels", os.path.join(folder, "clicks.t.y.npy")]
    device = ["--device", options.device]
    train = [options.sparcl, "train", *data, "--optimizer", "adagrad", "--lr", str(LEARNING_RATE), "--batch",
             str(BATCH), "--epochs", str(options.epochs), "-o", model, "--json", "-", "--progress", "none", *device]
    done = json.loads(subprocess.run(train, check=True, capture_output=True, text=True).stdout)
    output = subprocess.run([options.sparcl, "eval", model, *test, "--json", *device], check=True,
                            capture_output=True, text=True).stdout
    return {"seconds": done["seconds_per_pass"], "loss": json.loads(output)["loss"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers-folder", default="out/peers", help="the folder of tools/peers/setup (%(default)s)")
    parser.add_argument("--sparcl", default="build/release/sparcl", help="the tool (%(default)s)")
    parser.add_argument("--device", default="auto", help="OpenCL device of sparcl (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds (%(default)s)")
    parser.add_argument("--epochs", type=int, default=4, help="passes of a run (%(default)s)")
    parser.add_argument("--torch", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--make", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = os.path.join(options.peers_folder, "train")
    if options.torch:
        return run_torch(options.torch, options.epochs)
    if options.make:
        return make_log(options.make)
    python = os.path.join(options.peers_folder, "v", "bin", "python")
    if not os.path.exists(python):
        sys.exit(f"{python} does not exist: run tools/peers/setup {options.peers_folder} first")
    if not os.path.exists(os.path.join(folder, "clicks.t.y.npy")):
        subprocess.run([python, __file__, "--make", folder], check=True)
    ratios = []
    for number in range(options.rounds):
        command = [python, __file__, "--torch", folder, "--epochs", str(options.epochs)]
        peer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        ours = run_sparcl(options, folder)
        ratios.append(peer["seconds"] / ours["seconds"])
        print(f"round {number + 1}: PyTorch {peer['seconds']:.4f} s a pass, log loss {peer['loss']:.6f}; "
              f"sparcl {ours['seconds']:.4f} s, {ours['loss']:.6f}; ratio {ratios[-1]:.2f}", flush=True)
    print(f"ratio {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
