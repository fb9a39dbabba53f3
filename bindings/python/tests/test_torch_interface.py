"""What optimizers of PyTorch are used with: copies, groups, autocast, refusals."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sparcl

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch_cases import (  # noqa: E402 (needs torch)
    ROWS,
    WIDTH,
    Words,
    batches,
    close,
    loss_of,
    ours,
    theirs,
    weight,
)

from sparcl.torch import _tensors  # noqa: E402 (needs torch)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse invariant checks")
        warnings.filterwarnings("ignore", message=".*every step moves all rows")
        yield


def test_nothing_is_copied() -> None:
    context = _tensors.context_of(None)
    model = Words()
    tables = ours.SparseAdam([model.words.weight, model.bags.weight])
    layers = ours.AdamW(model.layer.parameters())
    places = [p.data_ptr() for p in model.parameters()]
    before = context.bytes_copied
    for batch in batches(5):
        loss_of(model, batch).backward()
        for optimizer in (tables, layers):
            optimizer.step()
            optimizer.zero_grad()
    assert context.bytes_copied == before
    assert [p.data_ptr() for p in model.parameters()] == places
    moments = [tables.state[model.words.weight]["exp_avg"]]
    kept = moments[0].data_ptr()
    loss_of(model, batches(1)[0]).backward()
    tables.step()
    assert tables.state[model.words.weight]["exp_avg"].data_ptr() == kept
    p = weight()
    p.grad = torch.ones(WIDTH, ROWS).T  # in another order: a copy, which is counted
    ours.SGD([p]).step()
    assert context.bytes_copied == before + p.numel() * 4


def test_groups_schedules_closures_and_hooks() -> None:
    results = []
    for module in (ours, theirs):
        torch.manual_seed(5)
        one, two = torch.nn.Linear(4, 3), torch.nn.Linear(3, 1)
        optimizer = module.SGD([{"params": one.parameters(), "lr": 0.2}], lr=0.1, momentum=0.5)
        optimizer.add_param_group({"params": two.parameters(), "momentum": 0.0})
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [0.5, 0.2], total_steps=20)
        seen: list[int] = []
        optimizer.register_step_post_hook(lambda *_, seen=seen: seen.append(1))
        x = torch.randn(8, 4)
        losses = []
        for _ in range(15):

            def closure(
                optimizer: Any = optimizer,
                x: torch.Tensor = x,
                one: torch.nn.Module = one,
                two: torch.nn.Module = two,
            ) -> torch.Tensor:
                optimizer.zero_grad()
                loss: torch.Tensor = (two(one(x).tanh()) ** 2).mean()
                loss.backward()
                return loss

            losses.append(optimizer.step(closure).item())
            schedule.step()
        assert len(seen) == 15
        results.append(losses)
        assert losses[-1] < losses[0]
    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-7)


def test_autograd_sees_that_a_parameter_was_changed() -> None:
    p = weight()
    y = (p * p).sum()
    p.grad = torch.ones_like(p)
    ours.SGD([p]).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_autocast_trains_float32_parameters() -> None:
    results = []
    for module in (ours, theirs):
        model = Words()
        tables = module.SparseAdam([model.words.weight, model.bags.weight], lr=0.01)
        layers = module.AdamW(model.layer.parameters(), lr=0.01)
        losses = []
        for batch in batches(20):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = loss_of(model, batch)
            loss.backward()
            for optimizer in (tables, layers):
                optimizer.step()
                optimizer.zero_grad()
            losses.append(loss.item())
        assert model.layer.weight.dtype == torch.float32
        results.append(losses)
    torch.testing.assert_close(*results, rtol=2e-2, atol=2e-3)  # 8 binary digits in the layers


def test_a_scaler_of_gradients_skips_steps_that_are_not_finite() -> None:
    found = []
    for module in (ours, theirs):
        p = weight()
        optimizer = module.SGD([p], lr=0.1, momentum=0.9)
        scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        for factor in (1.0, float("inf"), 2.0):
            optimizer.zero_grad()
            scaler.scale((p * p).sum() * factor).backward()
            scaler.step(optimizer)
            scaler.update()
        found.append(p)
    close(*found)
    assert not torch.equal(found[0], weight())


def test_what_is_refused() -> None:
    p = weight()
    for key in ("capturable", "differentiable"):
        with pytest.raises(ValueError, match=f"{key}=True: expected False"):
            ours.Adam([p], **{key: True})
    for key in ("foreach", "fused"):
        with pytest.warns(UserWarning, match=f"{key}=True is ignored"):
            assert ours.Adam([p], **{key: True}).param_groups[0][key] is None
    with pytest.raises(TypeError, match="expected a tensor on the CPU, found one on meta"):
        ours.Adam([torch.nn.Parameter(torch.ones(3, device="meta"))])
    with pytest.raises(TypeError, match=r"float32 or torch\.float64, found torch\.bfloat16"):
        ours.Adam([torch.nn.Parameter(torch.ones(3, dtype=torch.bfloat16))])
    with pytest.raises(ValueError, match="learning rate"):
        ours.Adam([p], lr=-1)
    p.grad = torch.ones_like(p)
    with pytest.raises(RuntimeError, match="SparseAdam: expected a sparse gradient"):
        ours.SparseAdam([p]).step()
    optimizer = ours.SparseAdam([p])
    before = p.detach().clone()
    bad = torch.tensor([[1, ROWS]])
    p.grad = torch.sparse_coo_tensor(
        bad, torch.ones(2, WIDTH), (ROWS, WIDTH), check_invariants=False
    )
    with pytest.raises(sparcl.DataError, match=f"row {ROWS} at position 1"):
        optimizer.step()
    assert torch.equal(p, before)
    assert optimizer.state[p]["step"] == 0
    both = torch.sparse_coo_tensor([[0], [0]], [1.0], (ROWS, WIDTH), check_invariants=True)
    p.grad = both
    with pytest.raises(TypeError, match="sparse_dim 2"):
        optimizer.step()
    wide = torch.nn.Parameter(torch.ones(4, 6)[:, ::2])
    wide.grad = torch.ones(4, 3)
    with pytest.raises(TypeError, match="fill its memory"):
        ours.SGD([wide]).step()


def test_pytorch_is_not_imported_by_sparcl() -> None:
    program = "import sys, sparcl; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_example_trains_with_both_to_the_same_losses() -> None:
    """A small run of examples/python/dlrm.py, which ends with an error where losses differ."""
    program = Path(__file__).parents[3] / "examples" / "python" / "dlrm.py"
    if not program.exists():
        pytest.skip("the examples are not here")
    sizes = "--rows 500 --batch 64 --tables 3 --width 8 --bag 5 --steps 20 --warm 2 --rounds 2"
    whose = "--whose torch sparcl sparcl+bags torch64"
    done = subprocess.run(
        [sys.executable, str(program), "--optimizer", "all", *whose.split(), *sizes.split()],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.count("of their size: True") == 3
