"""What the tests of sparcl.torch.optim share."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import sparcl.torch  # noqa: E402 (needs torch)

theirs, ours = torch.optim, sparcl.torch.optim

ROWS, WIDTH, STEPS = 30, 5, 25


def weight(dtype: torch.dtype = torch.float32, seed: int = 1) -> torch.nn.Parameter:
    generator = torch.Generator().manual_seed(seed)
    return torch.nn.Parameter(torch.randn(ROWS, WIDTH, generator=generator, dtype=dtype))


def sparse_gradients(dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    """Uncoalesced, with repeated rows, and with steps without some or all rows."""
    generator = torch.Generator().manual_seed(2)
    made = []
    for step in range(STEPS):
        count = 0 if step == 7 else 12
        index = torch.randint(0, ROWS, (1, count), generator=generator)
        values = torch.randn(count, WIDTH, generator=generator, dtype=dtype)
        made.append(torch.sparse_coo_tensor(index, values, (ROWS, WIDTH), check_invariants=True))
    return made


# Rounding: 25 steps of numbers near 1 whose units are 1.2e-7 and 2.2e-16.
BOUNDS = {torch.float32: 3e-6, torch.float64: 5e-14}


def close(a: torch.Tensor, b: torch.Tensor, factor: float = 1.0) -> None:
    bound = BOUNDS.get(a.dtype, 0) * factor
    torch.testing.assert_close(a.detach(), b.detach(), rtol=bound, atol=bound)


class Words(torch.nn.Module):
    """Two tables with sparse gradients and a layer with dense ones."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.words = torch.nn.Embedding(200, 8, sparse=True, dtype=dtype)
        self.bags = torch.nn.EmbeddingBag(300, 8, mode="sum", sparse=True, dtype=dtype)
        self.layer = torch.nn.Linear(8, 1, dtype=dtype)

    def forward(self, words: torch.Tensor, bags: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.layer(torch.tanh(self.words(words).sum(1) + self.bags(input=bags)))
        return y.squeeze(1)


def batches(count: int, size: int = 16) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(4)

    def draw(rows: int, width: int) -> torch.Tensor:  # some rows often, most seldom
        x = torch.rand(size, width, generator=generator)
        return (rows * x**4).long()

    return [
        (draw(200, 3), draw(300, 5), torch.randn(size, generator=generator)) for _ in range(count)
    ]


def loss_of(model: torch.nn.Module, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
    words, bags, y = batch
    return torch.nn.functional.mse_loss(model(words, bags), y)


def fit(
    model: Words, optimizer: Any, data: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
) -> list[float]:
    losses = []
    for batch in data:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def densified() -> Words:
    model = Words()
    model.words.sparse = model.bags.sparse = False
    return model
