"""Hooks on embedding modules, so that rows have all their steps when they are read."""

from __future__ import annotations

import weakref
from typing import Any, Protocol

import torch

EMBEDDINGS = (torch.nn.Embedding, torch.nn.EmbeddingBag)


class Owner(Protocol):
    """An optimizer whose rows catch up."""

    def catch_up(self, parameter: torch.Tensor, indices: torch.Tensor) -> None:
        """Before these rows are read."""

    def flush(self) -> None:
        """Before all rows are read."""


class _Hook:
    """A hook that does not keep its optimizer; a copy, or one that was pickled, does nothing."""

    def __init__(self, owner: Owner | None = None) -> None:
        self._owner = (lambda: None) if owner is None else weakref.ref(owner)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


class BeforeForward(_Hook):
    """Rows that a forward pass reads catch up before it."""

    def __call__(
        self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        owner = self._owner()
        if owner is None:
            return
        indices = args[0] if args else kwargs["input"]
        owner.catch_up(module.weight, indices)  # type: ignore[arg-type]


class BeforeStates(_Hook):
    """All rows catch up before a model's state_dict or load_state_dict reads or writes them."""

    def __call__(self, *_args: Any) -> None:
        owner = self._owner()
        if owner is not None:
            owner.flush()


def install(owner: Owner, module: torch.nn.Module) -> None:
    """Hooks for one embedding module."""
    module.register_forward_pre_hook(BeforeForward(owner), with_kwargs=True)
    module.register_state_dict_pre_hook(BeforeStates(owner))  # type: ignore[no-untyped-call]
    module.register_load_state_dict_pre_hook(BeforeStates(owner))  # type: ignore[no-untyped-call]
