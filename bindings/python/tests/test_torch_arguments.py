"""Every function of sparcl.torch is given every wrong tensor for every argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from test_arguments import Arguments, Variant, check, of_number  # noqa: E402 (needs torch)

import sparcl.torch  # noqa: E402 (needs torch)

FUNCTIONS = [x for x in sparcl.torch.__all__ if inspect.isfunction(getattr(sparcl.torch, x))]


def _matrix() -> torch.Tensor:
    return torch.tensor([[0.0, 2.0, 1.0], [4.0, 0.0, 0.0]]).to_sparse_csr()


VALID: dict[str, Callable[[], Arguments]] = {
    "spmm": lambda: {"a": _matrix(), "b": torch.ones(3, 2)},
    "sddmm": lambda: {"a": _matrix(), "x": torch.ones(2, 2), "y": torch.ones(3, 2)},
    "csr_softmax": lambda: {"a": _matrix()},
    "segment_sum": lambda: {"x": torch.ones(3, 2), "ids": torch.tensor([1, 0, 1]), "segments": 2},
    "embedding_bag": lambda: {
        "input": torch.tensor([0, 2, 1]),
        "weight": torch.arange(6.0).reshape(3, 2),
        "offsets": torch.tensor([0, 1]),
        "max_norm": 100.0,
        "norm_type": 2.0,
        "mode": "sum",
        "per_sample_weights": torch.ones(3),
        "padding_idx": -1,
    },
}


def of_tensor(x: torch.Tensor) -> Iterator[Variant]:
    """Tensors of other types, places, layouts, orders and shapes."""
    dense = x.to_dense()
    for label, wrong in (("list", dense.tolist()), ("NumPy", dense.numpy()), ("text", "x")):
        yield label, lambda _, wrong=wrong: wrong, True
    for kind in (torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.bool):
        if kind != x.dtype:
            keeps = bool((dense.to(kind).to(x.dtype) == dense).all())
            yield f"{kind}", lambda _, kind=kind: x.to(kind), keeps
    yield "no memory", lambda _: dense.to("meta"), True
    yield "COO", lambda _: dense.to_sparse(), True
    if x.layout != torch.strided:
        yield "dense", lambda _: dense, True
        return
    yield (
        "order",
        lambda _: x.T.contiguous().T if x.dim() == 2 else x.repeat_interleave(2)[::2],
        True,
    )
    if x.is_floating_point():
        yield "complex", lambda _: x.to(torch.complex64), True
    shapes = {
        "shorter": x[:-1],
        "longer": torch.cat([x, x[:1]]),
        "rank": x[..., None],
        "scalar": x.reshape(-1)[0],
        "empty": x[:0],
    }
    for label, wrong in shapes.items():
        yield label, lambda _, wrong=wrong: wrong, False
    if not x.is_floating_point():
        for label, wrong in (
            ("negative", x - 1),
            ("too large", x + 10**6),
            ("reversed", x.flip(0)),
        ):
            yield label, lambda _, wrong=wrong: wrong, False


def variants(x: Any) -> Iterator[Variant]:
    """Wrong things in place of a valid argument."""
    yield "None", lambda _: None, True
    yield "object", lambda _: object(), True
    if isinstance(x, torch.Tensor):
        yield from of_tensor(x)
    elif isinstance(x, str):
        yield "nonsense", lambda _: "nonsense", True
    else:
        yield from of_number(x)


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_refuse_what_is_wrong(name: str) -> None:
    check(getattr(sparcl.torch, name), VALID[name](), variants)
