"""Modules of PyTorch that compute with the C library."""

from __future__ import annotations

import torch

from sparcl.torch._embedding_bag import embedding_bag


class EmbeddingBag(torch.nn.EmbeddingBag):
    """``torch.nn.EmbeddingBag``, with its arguments, parameters and ``state_dict``.

    Results and gradients are those of :func:`sparcl.torch.embedding_bag`: with ``sparse=True`` a
    gradient has each row once, so that it is smaller, and a step has nothing to add.

    >>> import torch, sparcl.torch
    >>> bag = sparcl.torch.nn.EmbeddingBag(10, 3, mode="sum", sparse=True)
    >>> bag(torch.tensor([[1, 2], [2, 2]])).sum().backward()
    >>> bag.weight.grad._indices().tolist(), bag.weight.grad._values().tolist()
    ([[1, 2]], [[1.0, 1.0, 1.0], [3.0, 3.0, 3.0]])
    """

    def forward(
        self,
        input: torch.Tensor,  # noqa: A002 (PyTorch's name)
        offsets: torch.Tensor | None = None,
        per_sample_weights: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """[bags, embedding_dim]; the arguments are those of ``torch.nn.EmbeddingBag``."""
        return embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,  # type: ignore[arg-type]
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )
