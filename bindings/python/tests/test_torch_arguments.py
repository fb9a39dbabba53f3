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


# --- optimizers and modules

OPTIMIZERS = [getattr(sparcl.torch.optim, name) for name in sparcl.torch.optim.__all__]
NAN = float("nan")
SETTINGS: dict[str, list[Any]] = {
    "lr": [-1.0, NAN, "x", None],
    "betas": [(1.5, 0.9), (0.9, -1), (NAN, 0.9), (0.9,), 3, None],
    "eps": [-1.0, NAN, "x"],
    "weight_decay": [-1.0, NAN, "x"],
    "momentum": [-1.0, NAN, "x"],
    "lr_decay": [-1.0, NAN],
    "rho": [-1.0, 2.0, NAN],
    "alpha": [-1.0, NAN],
    "nesterov": [True],
    "momentum_decay": [-1.0, NAN],
    "initial_accumulator_value": [-1.0, NAN],
    "capturable": [True],
    "differentiable": [True],
    "nonsense": [1],
    "context": ["cpu", 3],
}


@pytest.mark.parametrize("kind", OPTIMIZERS, ids=lambda kind: kind.__name__)
def test_optimizers_refuse_what_pytorch_refuses(kind: Any) -> None:
    theirs = getattr(torch.optim, kind.__name__)
    wrong = []
    for name, values in SETTINGS.items():
        for value in values:
            accepted = []
            for make in (kind, theirs):
                parameter = torch.nn.Parameter(torch.ones(3, 2))
                try:
                    make([parameter], **{name: value})
                    accepted.append(True)
                except (TypeError, ValueError, IndexError):
                    accepted.append(False)
            own = {"capturable", "differentiable"}
            if accepted[0] and (not accepted[1] or name in own):
                wrong.append(f"{name}={value!r}")
    assert not wrong
    for parameters in ([], None, 3, [torch.ones(2).to_sparse()], [3]):
        with pytest.raises((TypeError, ValueError)):
            kind(parameters)


def gradients() -> Iterator[tuple[str, Any]]:
    indices, values = torch.tensor([[1]]), torch.ones(1, 2)
    unchecked = torch.sparse_coo_tensor
    yield "row beyond", unchecked(indices + 5, values, (3, 2), check_invariants=False)
    yield "row negative", unchecked(indices - 5, values, (3, 2), check_invariants=False)
    yield "of entries", torch.ones(3, 2).to_sparse()


@pytest.mark.parametrize("kind", OPTIMIZERS, ids=lambda kind: kind.__name__)
@pytest.mark.filterwarnings("ignore")
def test_steps_refuse_wrong_gradients(kind: Any) -> None:
    for label, gradient in gradients():
        parameter = torch.nn.Parameter(torch.ones(3, 2))
        optimizer = kind([parameter], lr=0.5)
        parameter.grad = gradient
        with pytest.raises((TypeError, RuntimeError, ValueError, IndexError)):
            optimizer.step()
        assert torch.equal(parameter.detach(), torch.ones(3, 2)), label
        # The next step is the first.
        rows = torch.sparse_coo_tensor(torch.tensor([[1]]), torch.ones(1, 2), (3, 2))
        parameter.grad = rows
        optimizer.step()
        other = torch.nn.Parameter(torch.ones(3, 2))
        again = kind([other], lr=0.5)
        other.grad = rows
        again.step()
        assert torch.equal(parameter.detach(), other.detach()), label


def test_rows_that_catch_up_are_checked() -> None:
    table = torch.nn.Embedding(5, 2, sparse=True)
    optimizer = sparcl.torch.optim.Adam(table.parameters(), lr=0.1)
    for wrong in (torch.nn.Linear(2, 2), torch.nn.Parameter(torch.ones(2)), None, 3):
        with pytest.raises((TypeError, ValueError), match=r"attach|model"):
            optimizer.attach(wrong)
    optimizer.attach(table.weight)
    for _ in range(2):
        optimizer.zero_grad()
        table(torch.tensor([1, 3])).sum().backward()
        optimizer.step()
    for indices in (torch.tensor([9]), torch.tensor([-1]), torch.tensor([0.5]), [1], None):
        with pytest.raises((TypeError, ValueError, IndexError), match=r"indices|row|parameter"):
            optimizer.catch_up(table.weight, indices)
    for parameter in (None, 3, [1]):
        with pytest.raises((TypeError, ValueError), match="parameter"):
            optimizer.catch_up(parameter, torch.tensor([1]))
    optimizer.catch_up(table.weight, torch.tensor([1]))
    optimizer.flush()


def test_states_of_another_optimizer_are_refused() -> None:
    def stepped(kind: Any, shape: tuple[int, ...] = (3, 2)) -> Any:
        parameter = torch.nn.Parameter(torch.ones(shape))
        optimizer = kind([parameter], lr=0.5)
        parameter.grad = torch.ones(shape)
        optimizer.step()
        return optimizer

    adam, wrong = stepped(sparcl.torch.optim.Adam), []
    good = adam.state_dict()
    shaped = stepped(torch.optim.Adam, (4, 2)).state_dict()
    typed = {**good, "state": {0: {**good["state"][0], "exp_avg": [1.0]}}}
    for label, state in (
        ("shape", shaped),
        ("type", typed),
        ("groups", {**good, "param_groups": []}),
    ):
        try:
            adam.load_state_dict(state)
            adam.step()
        except (TypeError, ValueError, KeyError, AttributeError):
            continue
        wrong.append(label)
    assert not wrong


BAGS: dict[str, list[Any]] = {
    "input": [
        None,
        [1],
        torch.tensor([0.5]),
        torch.tensor([9]),
        torch.tensor([-1]),
        torch.tensor(1),
    ],
    "offsets": [
        [0],
        torch.tensor([1]),
        torch.tensor([0, 9]),
        torch.tensor([0, 2, 1]),
        torch.tensor([0.5]),
        torch.tensor([[0]]),
        None,
    ],
    "per_sample_weights": [[1.0], torch.ones(2), torch.ones(3, 1), torch.ones(3).double(), 3],
}


@pytest.mark.parametrize("name", BAGS)
def test_modules_refuse_what_pytorch_refuses(name: str) -> None:
    own = sparcl.torch.nn.EmbeddingBag(5, 2, mode="sum")
    theirs = torch.nn.EmbeddingBag(5, 2, mode="sum")
    given = {
        "input": torch.tensor([1, 3, 1]),
        "offsets": torch.tensor([0, 2]),
        "per_sample_weights": torch.ones(3),
    }
    expected = own(**given)
    for wrong in BAGS[name]:
        with pytest.raises(
            (TypeError, ValueError, IndexError, RuntimeError), match=r"\w+: |expected"
        ):
            own(**{**given, name: wrong})
        with pytest.raises((TypeError, ValueError, IndexError, RuntimeError, AttributeError)):
            theirs(**{**given, name: wrong})
    assert torch.equal(own(**given), expected)
    for wrong in ({"mode": "nonsense"}, {"padding_idx": 9}, {"num_embeddings": -1}):
        for kind in (sparcl.torch.nn.EmbeddingBag, torch.nn.EmbeddingBag):
            with pytest.raises((ValueError, AssertionError, RuntimeError)):
                kind(**{"num_embeddings": 5, "embedding_dim": 2, **wrong})(torch.tensor([[1]]))
