"""The optimizers of sparcl.torch.optim beside PyTorch's: results and states."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch_cases import (  # noqa: E402 (needs torch)
    close,
    ours,
    sparse_gradients,
    theirs,
    weight,
)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse invariant checks")
        warnings.filterwarnings("ignore", message=".*every step moves all rows")
        yield


# The options of each class, and whether PyTorch takes sparse gradients with them.
OPTIONS: list[tuple[str, dict[str, Any], bool]] = [
    ("SparseAdam", {}, True),
    ("SparseAdam", {"lr": 0.01, "betas": (0.8, 0.95), "eps": 1e-4, "maximize": True}, True),
    ("Adam", {}, False),
    ("Adam", {"lr": 0.01, "amsgrad": True, "weight_decay": 0.1, "maximize": True}, False),
    ("Adam", {"betas": (0.8, 0.95), "eps": 1e-4}, False),
    ("Adam", {"weight_decay": 0.1, "decoupled_weight_decay": True}, False),
    ("AdamW", {}, False),
    ("AdamW", {"lr": 0.01, "amsgrad": True, "weight_decay": 0.2, "maximize": True}, False),
    ("NAdam", {}, False),
    ("NAdam", {"weight_decay": 0.1, "momentum_decay": 0.01, "maximize": True}, False),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}, False),
    ("Adamax", {}, False),
    ("Adamax", {"weight_decay": 0.1, "betas": (0.8, 0.95), "maximize": True}, False),
    ("Adagrad", {}, True),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5, "eps": 1e-4}, True),
    ("Adagrad", {"maximize": True}, True),
    ("Adagrad", {"weight_decay": 0.1}, False),
    ("Adadelta", {}, False),
    ("Adadelta", {"lr": 0.5, "rho": 0.8, "eps": 1e-4, "weight_decay": 0.1}, False),
    ("RMSprop", {}, False),
    ("RMSprop", {"centered": True, "weight_decay": 0.1, "maximize": True}, False),
    ("RMSprop", {"momentum": 0.9, "alpha": 0.9, "eps": 1e-4}, False),
    ("RMSprop", {"momentum": 0.5, "centered": True}, False),
    ("SGD", {}, True),
    ("SGD", {"lr": 0.1, "maximize": True}, True),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1}, False),
    ("SGD", {"lr": 0.1, "momentum": 0.9}, True),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}, True),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}, True),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, False),
]


NAMES = [f"{name}-{'-'.join(options) or 'defaults'}" for name, options, _ in OPTIONS]


each_option = pytest.mark.parametrize(("name", "options", "takes_sparse"), OPTIONS, ids=NAMES)


def train(
    cls: Callable[..., Any],
    options: dict[str, Any],
    gradients: list[torch.Tensor],
    dtype: torch.dtype = torch.float32,
) -> tuple[torch.nn.Parameter, Any]:
    p = weight(dtype)
    optimizer = cls([p], **options)
    for gradient in gradients:
        p.grad = gradient.clone()
        optimizer.step()
    return p, optimizer


def same_states(a: Any, b: Any, factor: float = 1.0) -> None:
    mine, own = a.state_dict(), b.state_dict()
    assert mine["param_groups"] == own["param_groups"]
    for one, two in zip(mine["state"].values(), own["state"].values(), strict=True):
        assert set(one) == set(two)
        for key in one:
            x, y = (torch.as_tensor(each[key]) for each in (one, two))
            close(*(each.to_dense() if each.is_sparse else each for each in (x, y)), factor)


@each_option
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dense_steps_are_those_of_pytorch(
    name: str, options: dict[str, Any], takes_sparse: bool, dtype: torch.dtype
) -> None:
    if name == "SparseAdam":
        pytest.skip("SparseAdam refuses dense gradients, as PyTorch's does")
    gradients = [g.to_dense() for g in sparse_gradients(dtype)]
    p, optimizer = train(getattr(ours, name), options, gradients, dtype)
    q, reference = train(getattr(theirs, name), options, gradients, dtype)
    close(p, q)
    same_states(optimizer, reference)


@each_option
def test_sparse_steps_are_those_of_pytorch(
    name: str, options: dict[str, Any], takes_sparse: bool
) -> None:
    gradients = sparse_gradients()
    p, optimizer = train(getattr(ours, name), options, gradients)
    if not takes_sparse:  # PyTorch refuses them; the results are those of dense gradients
        gradients = [g.to_dense() for g in gradients]
    q, reference = train(getattr(theirs, name), options, gradients)
    close(p, q)
    same_states(optimizer, reference)


def test_a_step_gives_the_same_bits_each_time() -> None:
    runs = [train(ours.SparseAdam, {}, sparse_gradients())[0] for _ in range(2)]
    assert torch.equal(*runs)


@each_option
@pytest.mark.parametrize("back", [False, True])
def test_states_load_into_the_other(
    name: str, options: dict[str, Any], takes_sparse: bool, back: bool
) -> None:
    one, two = (theirs, ours) if back else (ours, theirs)
    gradients = sparse_gradients()
    if not takes_sparse:
        gradients = [g.to_dense() for g in gradients]
    p, first = train(getattr(one, name), options, gradients[:12])
    second = getattr(two, name)([p], **options)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    for gradient in gradients[12:]:
        p.grad = gradient.clone()
        second.step()
    q, reference = train(getattr(theirs, name), options, gradients)
    close(p, q)
    same_states(second, reference)


def test_parameters_without_a_gradient_stay() -> None:
    p, q = weight(seed=6), weight(seed=7)
    before = q.detach().clone()
    p.grad = torch.ones_like(p)
    optimizer = ours.Adam([p, q])
    optimizer.step()
    assert torch.equal(q, before)
    assert "step" not in optimizer.state[q]
    optimizer.zero_grad()
    assert p.grad is None


@pytest.mark.parametrize("shape", [(), (7,), (0, 3), (2, 3, 4), (2, 3, 2, 2)])
def test_shapes_and_layouts_of_dense_parameters(shape: tuple[int, ...]) -> None:
    start, gradient = torch.randn(shape), torch.randn(shape)
    if len(shape) == 4:
        start = start.contiguous(memory_format=torch.channels_last)
    found = []
    for module in (ours, theirs):
        p = torch.nn.Parameter(start.clone())
        p.grad = gradient.clone()
        optimizer = module.AdamW([p], lr=0.1)
        optimizer.step()
        optimizer.step()
        found.append(p)
    close(*found)


def test_a_vector_with_rows_of_one_number() -> None:
    found = []
    for module in (ours, theirs):
        p = torch.nn.Parameter(torch.ones(6))
        p.grad = torch.sparse_coo_tensor([[4, 1, 4]], [1.0, 2.0, 3.0], (6,), check_invariants=True)
        module.SparseAdam([p], lr=0.1).step()
        found.append(p)
    close(*found)


@pytest.mark.parametrize("copied", [False, True])
def test_the_momentum_of_nesterov_is_as_its_last_gradient(copied: bool) -> None:
    """PyTorch steps only with both sparse or both dense; so the state that it loads is either."""
    options = {"lr": 0.1, "momentum": 0.9, "nesterov": True}
    gradients = sparse_gradients()
    p, first = train(ours.SGD, options, gradients[:3])
    if copied:
        p, first = copy.deepcopy((p, first))
    assert first.state[p]["momentum_buffer"].layout == torch.strided
    for _ in range(2):  # also of a state that was loaded, before its first step
        assert first.state_dict()["state"][0]["momentum_buffer"].is_sparse
        first.load_state_dict(first.state_dict())
    p.grad = gradients[3].to_dense()
    first.step()
    assert not first.state_dict()["state"][0]["momentum_buffer"].is_sparse
    second = theirs.SGD([p], **options)
    second.load_state_dict(first.state_dict())
    p.grad = gradients[4].to_dense()
    second.step()
    q, _ = train(theirs.SGD, options, [g.to_dense() for g in gradients[:5]])
    close(p, q)
