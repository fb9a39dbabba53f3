"""The optimizers of sparcl.torch.optim beside PyTorch's: results, states, interface, refusals."""

from __future__ import annotations

import copy
import io
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sparcl

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import sparcl.torch  # noqa: E402 (needs torch)

theirs, ours = torch.optim, sparcl.torch.optim

ROWS, WIDTH, STEPS = 30, 5, 25

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


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse invariant checks")
        warnings.filterwarnings("ignore", message=".*every step moves all rows")
        yield


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


# Rounding: 25 steps of numbers near 1 whose units are 1.2e-7 and 2.2e-16.
BOUNDS = {torch.float32: 3e-6, torch.float64: 5e-14}


def close(a: torch.Tensor, b: torch.Tensor, factor: float = 1.0) -> None:
    bound = BOUNDS.get(a.dtype, 0) * factor
    torch.testing.assert_close(a.detach(), b.detach(), rtol=bound, atol=bound)


def same_states(a: Any, b: Any, factor: float = 1.0) -> None:
    mine, own = a.state_dict(), b.state_dict()
    assert mine["param_groups"] == own["param_groups"]
    for one, two in zip(mine["state"].values(), own["state"].values(), strict=True):
        assert set(one) == set(two)
        for key in one:
            x, y = torch.as_tensor(one[key]), torch.as_tensor(two[key])
            close(x, y.to_dense() if y.is_sparse else y, factor)


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


def test_nothing_is_copied() -> None:
    context = sparcl.default_context()
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


def test_a_step_gives_the_same_bits_each_time() -> None:
    runs = [train(ours.SparseAdam, {}, sparse_gradients())[0] for _ in range(2)]
    assert torch.equal(*runs)


@each_option
@pytest.mark.parametrize("back", [False, True])
def test_states_load_into_the_other(
    name: str, options: dict[str, Any], takes_sparse: bool, back: bool
) -> None:
    if takes_sparse and options.get("nesterov") and not back:
        pytest.skip("PyTorch's Nesterov adds a sparse gradient to a sparse buffer only")
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
