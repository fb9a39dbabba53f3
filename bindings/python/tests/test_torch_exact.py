"""Optimizers of PyTorch whose rows catch up when they are read, beside dense ones."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch_cases import (  # noqa: E402 (needs torch)
    ROWS,
    Words,
    batches,
    densified,
    fit,
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


LAZY: list[tuple[str, dict[str, Any]]] = [
    ("Adam", {"lr": 0.01}),
    ("Adam", {"lr": 0.01, "amsgrad": True}),
    ("AdamW", {"lr": 0.01, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.01}),
    ("RMSprop", {"lr": 0.001, "momentum": 0.5}),
    ("Adadelta", {"lr": 1.0}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"lr": 0.05, "weight_decay": 0.01}),
]


@pytest.mark.parametrize(("name", "options"), LAZY, ids=[f"{n}{o}" for n, o in LAZY])
def test_attached_rows_train_as_dense_ones(name: str, options: dict[str, Any]) -> None:
    data = batches(200)
    model, reference = Words(), densified()
    optimizer = getattr(ours, name)(model.parameters(), **options).attach(model)
    dense = getattr(theirs, name)(reference.parameters(), **options)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    dense_schedule = torch.optim.lr_scheduler.StepLR(dense, 2, 0.5)
    for start in range(0, 200, 40):
        found = fit(model, optimizer, data[start : start + 40])
        expected = fit(reference, dense, data[start : start + 40])
        torch.testing.assert_close(found, expected, rtol=2e-4, atol=2e-5)
        schedule.step()
        dense_schedule.step()
    assert optimizer._tables[model.words.weight].is_lazy
    arrays = [model.words.weight, *optimizer.state[model.words.weight].values()]
    behind = [x.detach().clone() for x in arrays]
    optimizer.flush()
    assert not all(torch.equal(x, y) for x, y in zip(behind, arrays, strict=True))
    for p, q in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-3, atol=2e-5)


def test_rows_that_functions_read_catch_up_by_a_call() -> None:
    results = []
    for module in (ours, theirs):
        p = weight()
        optimizer = module.Adam([p], lr=0.05)
        is_sparse = module is ours
        if is_sparse:
            optimizer.attach(p)
        losses = []
        generator = torch.Generator().manual_seed(9)
        for _ in range(40):
            rows = torch.randint(0, ROWS, (2, 2), generator=generator)
            if is_sparse:
                optimizer.catch_up(p, rows)
            optimizer.zero_grad()
            loss = (torch.nn.functional.embedding(rows, p, sparse=is_sparse) ** 2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        results.append(losses)
        if is_sparse:
            with pytest.raises(IndexError, match=f"row {ROWS} at position 1"):
                optimizer.catch_up(p, torch.tensor([0, ROWS]))
            with pytest.raises(TypeError, match=r"torch\.float32"):
                optimizer.catch_up(p, torch.ones(2))
            with pytest.raises(ValueError, match="one of its parameters"):
                optimizer.attach(weight())
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)


def test_a_model_saves_and_loads_rows_with_all_their_steps() -> None:
    data = batches(40)
    model, reference = Words(), densified()
    optimizer = ours.Adam(model.parameters(), lr=0.01).attach(model)
    dense = theirs.Adam(reference.parameters(), lr=0.01)
    fit(model, optimizer, data)
    fit(reference, dense, data)
    saved = {key: value.clone() for key, value in model.state_dict().items()}
    for key, value in reference.state_dict().items():
        torch.testing.assert_close(saved[key], value, rtol=1e-4, atol=1e-5)
    fit(model, optimizer, data[:3])
    model.load_state_dict(saved)
    optimizer.flush()
    torch.testing.assert_close(model.words.weight.detach(), saved["words.weight"], rtol=0, atol=0)
    copied = copy.deepcopy(model)  # its hooks have no optimizer
    copied(*data[0][:2])
    torch.save(model, io.BytesIO())


def test_settings_may_change_while_rows_are_behind() -> None:
    data = batches(60)
    model, reference = Words(), densified()
    optimizer = ours.Adam(model.parameters(), lr=0.01).attach(model)
    dense = theirs.Adam(reference.parameters(), lr=0.01)
    for chosen, network in ((optimizer, model), (dense, reference)):
        fit(network, chosen, data[:20])
        chosen.param_groups[0]["betas"] = (0.8, 0.99)
        fit(network, chosen, data[20:40])
        chosen.param_groups[0]["weight_decay"] = 0.01  # coupled: no closed form, all rows move
        fit(network, chosen, data[40:])
    optimizer.flush()
    for p, q in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-3, atol=2e-5)


def test_dense_and_sparse_gradients_may_alternate() -> None:
    model, reference = Words(), densified()
    optimizer = ours.Adam(model.parameters(), lr=0.01).attach(model)
    dense = theirs.Adam(reference.parameters(), lr=0.01)
    for i, batch in enumerate(batches(30)):
        model.words.sparse = i % 3 != 0
        fit(model, optimizer, [batch])
        fit(reference, dense, [batch])
    optimizer.flush()
    for p, q in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-4, atol=1e-5)


def test_without_attach_a_warning_says_what_a_step_costs() -> None:
    p = weight()
    p.grad = sparse_gradients()[0]
    optimizer = ours.Adam([p])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=r"moves all rows .*Adam\.attach"):
            optimizer.step()
    with pytest.raises(ValueError, match=r"nn\.Embedding"):
        optimizer.attach(torch.nn.Linear(2, 2))


@pytest.mark.parametrize("attached", [False, True])
def test_an_optimizer_is_copied_and_pickled(attached: bool) -> None:
    data = batches(30)
    model = Words()
    optimizer = ours.Adam(model.parameters(), lr=0.01)
    if attached:
        optimizer.attach(model)
    fit(model, optimizer, data[:15])
    optimizer.flush()
    both = copy.deepcopy((model, optimizer))
    file = io.BytesIO()
    torch.save((model, optimizer), file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    expected = fit(model, optimizer, data[15:])
    for twin, its_optimizer in (both, loaded):
        if attached:
            its_optimizer.attach(twin)
        torch.testing.assert_close(fit(twin, its_optimizer, data[15:]), expected)
