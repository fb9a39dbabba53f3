#!/usr/bin/env python3
"""LightGCN and the k-sparse autoencoder: seconds a pass of sparcl and of PyTorch, in turns in one run.

    models.py --data FOLDER --sparcl build/release/sparcl [--device pocl] [--rounds 3]

FOLDER has ratings/gowalla and mnist (docs/known-answers.md). PyTorch multiplies LightGCN's adjacency as COO, which was
faster than CSR, and draws negative items without looking whether a user has them; it keeps the k largest units by a
mask.
"""
import argparse
import gzip
import os
import re
import statistics
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse as sp
import torch

USERS, BATCH, SCALE = 29858, 16384, 1 / 255


def sparcl(options, arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = [options.sparcl, "train", *arguments, "--device", options.device, "--progress", "none"]
        out = subprocess.run([*command, "-o", os.path.join(folder, "model")], check=True, capture_output=True,
                             text=True).stdout
    return float(re.search(r"seconds per pass +(\S+)", out).group(1))


def gowalla_of(options):
    return os.path.join(options.data, "ratings/gowalla/s_adj_mat.npz")


def digits_of(options):
    return os.path.join(options.data, "mnist/t10k-images-idx3-ubyte.gz")


def lightgcn(options):
    adjacency = sp.load_npz(gowalla_of(options)).tocsr()
    root = sp.diags(1 / np.sqrt(np.asarray(adjacency.sum(1)).ravel()))
    m = (root @ adjacency @ root).tocoo()
    m = torch.sparse_coo_tensor(np.stack([m.row, m.col]), m.data.astype(np.float32), m.shape).coalesce()
    pairs = adjacency[:USERS, USERS:].tocoo()
    users, items = (torch.tensor(x.astype(np.int64)) for x in (pairs.row, pairs.col + USERS))
    table = torch.nn.Parameter(torch.randn(m.shape[0], 64) * 0.1)
    optimizer = torch.optim.Adam([table], lr=0.01)

    def one_pass(steps=6):
        order, begin = torch.randperm(len(users)), time.perf_counter()
        for i in range(steps):
            chosen = order[i * BATCH:(i + 1) * BATCH]
            user, item = users[chosen], items[chosen]
            other = torch.randint(USERS, m.shape[0], (len(chosen),))
            layers = [table]
            for _ in range(3):
                layers.append(torch.sparse.mm(m, layers[-1]))
            rows = sum(layers) / 4
            margin = (rows[user] * (rows[item] - rows[other])).sum(1)
            own = sum((table[x] ** 2).sum() for x in (user, item, other)) / len(chosen)
            loss = torch.nn.functional.softplus(-margin).mean() + 0.00005 * own
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return (time.perf_counter() - begin) / steps * -(-len(users) // BATCH)

    ours = [gowalla_of(options), "--users", str(USERS), "--model", "lightgcn", "--optimizer", "adam:lr=0.01", "--batch",
            str(BATCH), "--epochs", "3"]
    return one_pass, lambda: sparcl(options, ours)


def autoencoder(options):
    with gzip.open(digits_of(options)) as file:
        x = np.frombuffer(file.read()[16:], dtype=np.uint8).reshape(-1, 784)
    x = torch.tensor(x.astype(np.float32) * SCALE)
    encoder, decoder = torch.nn.Linear(784, 1024), torch.nn.Linear(1024, 784)
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.001)

    def one_pass():
        order, begin = torch.randperm(len(x)), time.perf_counter()
        for i in range(0, len(x), 256):
            rows = x[order[i:i + 256]]
            units = encoder(rows)
            mask = torch.zeros_like(units).scatter_(1, units.topk(25, 1).indices, 1.0)
            loss = ((decoder(units * mask) - rows) ** 2).sum(1).mean() / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return time.perf_counter() - begin

    ours = [digits_of(options), "--scale", repr(SCALE), "--model", "autoencoder:units=1024,k=25", "--optimizer",
            "adam:lr=0.001", "--batch", "256", "--epochs", "5"]
    return one_pass, lambda: sparcl(options, ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--sparcl", required=True)
    parser.add_argument("--device", default="pocl")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(os.cpu_count())
    for make in (lightgcn, autoencoder):
        theirs, ours = make(options)
        theirs()
        times = [(theirs(), ours()) for _ in range(options.rounds)]
        ratios = sorted(a / b for a, b in times)
        print(f"{make.__name__}: PyTorch {statistics.median(a for a, _ in times):.3f} s a pass, sparcl "
              f"{statistics.median(b for _, b in times):.3f} s; ratio {statistics.median(ratios):.2f} "
              f"({ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)


if __name__ == "__main__":
    main()
