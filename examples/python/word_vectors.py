"""Word vectors by skip-gram with negative samples (Mikolov et al., 2013), in PyTorch. One import
decides whose optimizer moves the rows of the two tables: PyTorch's, or that of sparcl.

    python examples/python/word_vectors.py [--optimizer torch] [TEXT...]
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import logsigmoid


def read_words(paths: list[Path]) -> list[str]:
    words: list[str] = []
    for path in paths:
        words += re.findall(r"[a-z]{2,}", path.read_text(errors="replace").lower())
    return words


def pairs_of(ids: torch.Tensor, window: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Each word with those that are up to ``window`` places after it, in both directions."""
    near = [(ids[:-d], ids[d:]) for d in range(1, window + 1)]
    left, right = (torch.cat(side) for side in zip(*near, strict=True))
    return torch.cat([left, right]), torch.cat([right, left])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="*", type=Path, help="default: the documentation of sparcl")
    parser.add_argument("--optimizer", choices=["sparcl", "torch"], default="sparcl")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--negatives", type=int, default=5)
    options = parser.parse_args()
    if options.optimizer == "sparcl":
        from sparcl.torch.optim import SparseAdam  # noqa: PLC0415
    else:
        from torch.optim import SparseAdam  # noqa: PLC0415

    torch.manual_seed(1)
    docs = Path(__file__).parents[2] / "docs"
    words = read_words(options.texts or sorted(docs.rglob("*.md")))
    counts = Counter(words)
    vocabulary = [word for word, _ in counts.most_common()]
    number = {word: i for i, word in enumerate(vocabulary)}
    ids = torch.tensor([number[word] for word in words])
    frequency = torch.tensor([counts[word] for word in vocabulary], dtype=torch.float)
    centers, contexts = pairs_of(ids, window=4)
    # Frequent words are kept less often, and drawn as negatives more often.
    share = frequency / len(words)
    kept = torch.rand(len(centers)) < (1e-3 / share[centers]).sqrt().clamp(max=1)
    centers, contexts = centers[kept], contexts[kept]
    print(f"{len(words)} words, {len(vocabulary)} different ones, {len(centers)} pairs")

    tables = nn.ModuleList(nn.Embedding(len(vocabulary), options.dim, sparse=True) for _ in "io")
    nn.init.uniform_(tables[0].weight, -0.5 / options.dim, 0.5 / options.dim)
    nn.init.zeros_(tables[1].weight)
    optimizer = SparseAdam(list(tables.parameters()), lr=0.002)
    of_steps = 0.0
    for epoch in range(options.epochs):
        total, started = 0.0, time.perf_counter()
        for batch in torch.randperm(len(centers)).split(options.batch):
            negatives = torch.multinomial(
                frequency**0.75, len(batch) * options.negatives, replacement=True
            ).view(len(batch), -1)
            others = torch.cat([contexts[batch, None], negatives], dim=1)
            scores = torch.einsum("bd,bkd->bk", tables[0](centers[batch]), tables[1](others))
            scores = torch.cat([scores[:, :1], -scores[:, 1:]], dim=1)
            loss = -logsigmoid(scores).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            before = time.perf_counter()
            optimizer.step()
            of_steps += time.perf_counter() - before
            total += float(loss.detach()) * len(batch)
        seconds = time.perf_counter() - started
        print(f"epoch {epoch}  loss {total / len(centers):.4f}  {seconds:.1f} s")
    print(f"of this, steps of {SparseAdam.__module__}.SparseAdam: {of_steps:.2f} s")

    vectors = nn.functional.normalize(tables[0].weight.detach())
    for word in ("matrix", "gradient", "bits", "device"):
        if word in number:
            near = (vectors @ vectors[number[word]]).topk(6).indices[1:]
            print(f"{word:10} {' '.join(vocabulary[i] for i in near)}")


if __name__ == "__main__":
    main()
