"""A graph network of two layers (Kipf and Welling, ICLR 2017) that learns to read digits from ten
labels of each: images are nodes, and each has edges to the images that it is most similar to.

    python examples/python/graph_network.py
"""

from __future__ import annotations

import argparse

import numpy as np
import scipy.sparse
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import kneighbors_graph

from sparcl.graph import Graph, dropout, gather, loss


def normalized(edges: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """D^-1/2 (A + I) D^-1/2 of edges in both directions."""
    both = edges.maximum(edges.T) + scipy.sparse.eye_array(edges.shape[0], format="csr")
    scale = scipy.sparse.diags_array(1 / np.sqrt(both.sum(axis=1)))
    return scipy.sparse.csr_array(scale @ both @ scale).astype(np.float32)


def glorot(random: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    limit = np.sqrt(6 / (rows + columns))
    return random.uniform(-limit, limit, (rows, columns))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", type=int, default=10, help="known labels of each digit")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)

    images, digits = load_digits(return_X_y=True)
    features = scipy.sparse.csr_array(images.astype(np.float32) / 16)
    graph = normalized(scipy.sparse.csr_array(kneighbors_graph(images, 8)))
    known = np.concatenate(
        [
            random.choice(np.flatnonzero(digits == d), options.labels, replace=False)
            for d in range(10)
        ]
    )
    unknown = np.setdiff1d(np.arange(len(digits)), known)

    nodes, hidden = len(digits), 64
    g = Graph("adam", lr=0.01, weight_decay=5e-4)
    adjacency = g.csr("adjacency", (nodes, nodes), graph.nnz)
    x = g.csr("x", (nodes, 64), features.nnz)
    first = g.parameter("first", (64, hidden), init=glorot(random, 64, hidden))
    second = g.parameter("second", (hidden, 10), init=glorot(random, hidden, 10))
    scores = adjacency @ (dropout((adjacency @ (x @ first)).relu(), 0.5) @ second)
    chosen = g.indices("known", len(known), nodes)
    mean = loss("softmax", gather(scores, chosen), g.dense("labels", (len(known),))).mean()
    g.output(scores)
    g.backward(mean)

    print(g)
    g.bind(adjacency=graph, x=features, known=known, labels=digits[known])
    for step in range(options.steps):
        g.step()
        if step % 20 == 0:
            print(f"step {step:3}  loss {g.value(mean)[0]:.4f}")
    g.training = False  # without dropout
    g.forward()
    found = g.value(scores).argmax(axis=1)
    linear = LogisticRegression(max_iter=1000).fit(images[known], digits[known])
    print(f"digits read without the graph  {linear.score(images[unknown], digits[unknown]):.4f}")
    print(f"digits read with the graph     {(found == digits)[unknown].mean():.4f}")


if __name__ == "__main__":
    main()
