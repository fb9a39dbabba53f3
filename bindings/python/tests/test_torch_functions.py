"""The functions of sparcl.torch beside PyTorch's: results, gradients, row-sparse gradients."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sparcl

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import sparcl.torch  # noqa: E402 (needs torch)

ROWS, COLS, WIDTH = 7, 9, 4


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support")
        warnings.filterwarnings("ignore", message="Sparse invariant checks")
        yield


@pytest.fixture(autouse=True)
def _needs_f64() -> None:
    if not sparcl.default_context().device.has_f64:
        pytest.skip("the device has no float64")


def random(*shape: int, seed: int = 1, grad: bool = True) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(*shape, generator=generator, dtype=torch.float64)
    return x.requires_grad_(grad)


def pattern(seed: int = 2, density: float = 0.3) -> torch.Tensor:
    """With an empty row."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(ROWS, COLS, generator=generator) < density
    mask[3] = False
    values = torch.randn(ROWS, COLS, generator=generator, dtype=torch.float64)
    return (mask * values).to_sparse_csr()


def csr_of(values: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    return torch.sparse_csr_tensor(a.crow_indices(), a.col_indices(), values, a.shape)


def check(function: Any, *inputs: Any, **options: Any) -> None:
    assert torch.autograd.gradcheck(function, inputs, **options)


def close(a: torch.Tensor, b: torch.Tensor) -> None:
    torch.testing.assert_close(a.detach(), b.detach(), rtol=1e-12, atol=1e-12)


# Products


@pytest.mark.parametrize("shape", [(COLS, WIDTH), (COLS,)])
def test_spmm(shape: tuple[int, ...]) -> None:
    a, b = pattern(), random(*shape)
    close(sparcl.torch.spmm(a, b), a.to_dense() @ b)
    values = a.values().clone().requires_grad_()
    if len(shape) == 2:
        check(lambda v, x: sparcl.torch.spmm(csr_of(v, a), x), values, b)
    else:
        check(lambda x: sparcl.torch.spmm(a, x), b)


def test_spmm_of_other_formats() -> None:
    a, b = pattern(), random(COLS, WIDTH)
    expected = a.to_dense() @ b
    close(sparcl.torch.spmm(a.to_dense().to_sparse_coo(), b), expected)
    constant = sparcl.csr(scipy.sparse.csr_array(a.to_dense().numpy()))
    close(sparcl.torch.spmm(constant, b), expected)
    check(lambda x: sparcl.torch.spmm(constant, x), b)
    with pytest.raises(TypeError, match=r"CSR or COO format, or sparcl\.CSR, found"):
        sparcl.torch.spmm(a.to_dense(), b)
    with pytest.raises(TypeError, match=r"found torch\.float16"):
        sparcl.torch.spmm(a, b.detach().half())
    with pytest.raises(sparcl.ShapeError):
        sparcl.torch.spmm(a, random(COLS + 1, 2))


@pytest.mark.parametrize("layout", ["csr", "coo"])
def test_the_gradient_of_a_sparse_tensor_has_its_layout(layout: str) -> None:
    b = random(COLS, WIDTH, grad=False)
    found = []
    for multiply in (sparcl.torch.spmm, torch.sparse.mm):
        dense = pattern().to_dense()
        a = dense.to_sparse_csr() if layout == "csr" else dense.to_sparse_coo().coalesce()
        a.requires_grad_()
        (multiply(a, b) ** 2).sum().backward()
        assert a.grad is not None
        found.append(a.grad.to_dense() * (dense != 0))
    close(*found)


def test_gradients_by_sparse_tensors() -> None:
    b = random(COLS, WIDTH)
    a = pattern().requires_grad_()
    # PyTorch cannot compare a CSR tensor with 0, as a check of undefined gradients does.
    options = {"masked": True, "check_undefined_grad": False}
    check(sparcl.torch.spmm, a, b, **options)
    check(lambda x: sparcl.torch.csr_softmax(x).values(), a, **options)


def test_a_row_sparse_gradient_of_a_product() -> None:
    a = pattern()
    gradients = []
    for sparse in (False, True):
        b = random(COLS, WIDTH)
        (sparcl.torch.spmm(a, b, sparse_grad=sparse) ** 2).sum().backward()
        gradients.append(b.grad)
    dense, rows = gradients
    assert rows.is_sparse
    assert rows.sparse_dim() == 1
    assert rows._indices()[0].tolist() == torch.unique(a.col_indices()).tolist()
    close(rows.to_dense(), dense)


def test_sddmm() -> None:
    a, x, y = pattern(), random(ROWS, WIDTH, seed=3), random(COLS, WIDTH, seed=4)
    found = sparcl.torch.sddmm(a, x, y)
    assert found.layout == torch.sparse_csr
    close(found.to_dense(), (x @ y.T) * (a.to_dense() != 0))
    check(lambda p, q: sparcl.torch.sddmm(a, p, q).values(), x, y)
    constant = sparcl.csr(scipy.sparse.csr_array(a.to_dense().numpy()))
    close(sparcl.torch.sddmm(constant, x, y).to_dense(), found.to_dense())


def test_csr_softmax() -> None:
    a = pattern()
    found = sparcl.torch.csr_softmax(a)
    expected = torch.sparse.softmax(a.to_dense().to_sparse_coo(), 1)
    close(found.to_dense(), expected.to_dense())
    values = a.values().clone().requires_grad_()
    check(lambda v: sparcl.torch.csr_softmax(csr_of(v, a)).values(), values)


def test_attention_on_a_graph_is_that_of_dense_matrices() -> None:
    """sddmm, softmax and spmm together, with the gradients of all."""
    a = pattern(density=0.5)
    mask = a.to_dense() != 0
    results = []
    for sparse in (True, False):
        q, k, v = (random(n, WIDTH, seed=s) for n, s in ((ROWS, 5), (COLS, 6), (COLS, 7)))
        if sparse:
            weights = sparcl.torch.csr_softmax(sparcl.torch.sddmm(a, q, k))
            y = sparcl.torch.spmm(weights, v)
        else:
            scores = (q @ k.T).masked_fill(~mask, -torch.inf)
            y = torch.nan_to_num(torch.softmax(scores, 1)) @ v
            y = torch.where(mask.any(1, keepdim=True), (y), 0.0)
        keep = mask.any(1)
        (y[keep] ** 2).sum().backward()
        results.append((y[keep], q.grad[keep], k.grad, v.grad))
    for found, expected in zip(*results, strict=True):
        assert torch.isfinite(found).all()
        if torch.isfinite(expected).all():
            close(found, expected)


# Segments


@pytest.mark.parametrize("shape", [(12, 3), (12,)])
def test_segment_sum(shape: tuple[int, ...]) -> None:
    x = random(*shape)
    ids = torch.tensor([0, 5, 5, 2, 0, 1, 5, 2, 2, 0, 1, 5])
    expected = torch.zeros(7, *shape[1:], dtype=torch.float64).index_add(0, ids, x)
    close(sparcl.torch.segment_sum(x, ids, 7), expected)
    close(sparcl.torch.segment_sum(x, ids.int()), expected[:6])
    check(lambda t: sparcl.torch.segment_sum(t, ids, 7), x)
    with pytest.raises(sparcl.DataError):
        sparcl.torch.segment_sum(x, ids, 5)
    with pytest.raises(sparcl.ShapeError, match="ids"):
        sparcl.torch.segment_sum(x, ids[:3], 7)


# Bags

BAGS: list[tuple[str, dict[str, Any]]] = [
    ("sum", {}),
    ("mean", {}),
    ("max", {}),
    ("sum", {"padding_idx": 2}),
    ("mean", {"padding_idx": -1}),
    ("sum", {"scale_grad_by_freq": True}),
    ("mean", {"include_last_offset": True}),
    ("sum", {"per_sample_weights": True}),
]


def bag_case(
    mode: str, options: dict[str, Any], flat: bool
) -> tuple[torch.Tensor, torch.Tensor, dict[str, Any]]:
    random_state = np.random.default_rng(8)
    rows = torch.from_numpy(random_state.integers(0, COLS, (5, 4)))
    arguments = {**options, "mode": mode}
    if flat or options.get("include_last_offset"):
        rows = rows.reshape(-1)
        ends = [0, 3, 3, 10, 14, *([20] if options.get("include_last_offset") else [])]
        arguments["offsets"] = torch.tensor(ends)
    if options.get("per_sample_weights"):
        arguments["per_sample_weights"] = random(*rows.shape, seed=9)
    return rows, random(COLS, WIDTH), arguments


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("mode", "options"), BAGS, ids=[f"{m}{o}" for m, o in BAGS])
def test_bags_are_those_of_pytorch(
    mode: str, options: dict[str, Any], sparse: bool, flat: bool
) -> None:
    results = []
    for function in (sparcl.torch.embedding_bag, torch.nn.functional.embedding_bag):
        rows, weight, arguments = bag_case(mode, options, flat)
        theirs_refuses = mode == "max" or bool(options.get("scale_grad_by_freq"))
        is_sparse = sparse and not (theirs_refuses and function is not sparcl.torch.embedding_bag)
        y = function(rows, weight, sparse=is_sparse, **arguments)
        (y**2).sum().backward()
        weights = arguments.get("per_sample_weights")
        gradient = weight.grad
        assert gradient.is_sparse == is_sparse
        if function is sparcl.torch.embedding_bag and sparse:
            index = gradient._indices()[0]
            assert torch.equal(index, torch.unique(index))
        results.append((y, gradient.to_dense(), None if weights is None else weights.grad))
    for found, expected in zip(*results, strict=True):
        if expected is not None:
            close(found, expected)


@pytest.mark.parametrize("mode", ["sum", "mean", "sqrtn", "max"])
def test_gradients_of_bags(mode: str) -> None:
    rows, weight, arguments = bag_case(mode, {}, True)
    check(lambda w: sparcl.torch.embedding_bag(rows, w, **arguments), weight)
    if mode != "max":
        weights = (random(*rows.shape, seed=9, grad=False).abs() + 0.1).requires_grad_()
        check(
            lambda w, s: sparcl.torch.embedding_bag(rows, w, per_sample_weights=s, **arguments),
            weight,
            weights,
        )


@pytest.mark.parametrize("padding", [None, 2, -1])
def test_a_limit_of_norms_changes_the_table_as_pytorch_does(padding: int | None) -> None:
    tables = []
    for function in (sparcl.torch.embedding_bag, torch.nn.functional.embedding_bag):
        rows, weight, _ = bag_case("sum", {}, False)
        weight = weight.detach().clone()
        function(rows, weight, max_norm=1.0, mode="sum", padding_idx=padding)
        tables.append(weight)
    torch.testing.assert_close(*tables, rtol=1e-6, atol=0)
    assert float(tables[0][rows.unique()].norm(dim=1).max()) <= 1.0


REFUSED_BAGS: dict[str, tuple[str, dict[str, Any]]] = {
    "first offset": ("offsets", {"offsets": torch.tensor([2, 3])}),
    "descending": ("offsets", {"offsets": torch.tensor([0, 3, 1])}),
    "beyond": ("offsets", {"offsets": torch.tensor([0, 5])}),
    "negative": ("offsets", {"offsets": torch.tensor([0, -1])}),
    "last beyond": ("offsets", {"offsets": torch.tensor([0, 5]), "include_last_offset": True}),
    "no last": ("offsets", {"offsets": torch.tensor([]).long(), "include_last_offset": True}),
    "real offsets": ("offsets", {"offsets": torch.tensor([0.0])}),
    "matrix of offsets": ("offsets", {"offsets": torch.tensor([[0]])}),
    "padding beyond": ("padding_idx", {"padding_idx": COLS}),
    "padding below": ("padding_idx", {"padding_idx": -COLS - 1}),
    "real input": ("input", {"input": torch.ones(4)}),
    "input on no device": ("input", {"input": torch.ones(4, device="meta", dtype=torch.int64)}),
    "vector": ("weight", {"weight": torch.ones(COLS)}),
    "rank 3": ("weight", {"weight": torch.ones(COLS, 2, 2)}),
    "list": ("weight", {"weight": [[1.0]]}),
    "weights in float32": ("per_sample_weights", {"per_sample_weights": torch.ones(4)}),
    "integer weights": ("per_sample_weights", {"per_sample_weights": torch.arange(4)}),
    "short weights": ("per_sample_weights", {"per_sample_weights": torch.ones(3).double()}),
}


@pytest.mark.parametrize("name", REFUSED_BAGS)
def test_bags_name_the_argument_that_is_wrong(name: str) -> None:
    argument, wrong = REFUSED_BAGS[name]
    given = {"input": torch.arange(4), "weight": random(COLS, WIDTH), "offsets": torch.tensor([0])}
    with pytest.raises((ValueError, TypeError), match=f"^{argument}: expected"):
        sparcl.torch.embedding_bag(**{**given, "mode": "sum", **wrong})


def test_what_bags_refuse() -> None:
    weight = random(COLS, WIDTH)
    bag = sparcl.torch.embedding_bag
    with pytest.raises(sparcl.DataError, match=str(COLS)):
        bag(torch.tensor([[1, COLS]]), weight)
    with pytest.raises(sparcl.errors.ArgumentError, match="offsets: expected the offsets"):
        bag(torch.tensor([1, 2]), weight)
    with pytest.raises(sparcl.errors.ArgumentError, match="offsets: expected None"):
        bag(torch.tensor([[1, 2]]), weight, torch.tensor([0]))
    with pytest.raises(sparcl.ShapeError, match="per_sample_weights"):
        bag(torch.tensor([[1, 2]]), weight, per_sample_weights=torch.ones(3))
    rows = torch.tensor([[1, 2]])
    y = bag(rows, weight, mode="sum", sparse=True)
    rows[0, 0] = 3  # the gradient would be that of another row
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    z = bag(torch.tensor([[1, 2]]), weight).sum()
    (g,) = torch.autograd.grad(z, weight, create_graph=True)
    with pytest.raises(RuntimeError, match=r"once_differentiable|does not require grad"):
        torch.autograd.grad(g.sum(), weight)


def test_nothing_is_copied() -> None:
    context = sparcl.default_context()
    if not context.shares_memory:
        pytest.skip("the device has memory of its own")
    a, b, x = pattern(), random(COLS, WIDTH), random(ROWS, WIDTH)
    rows = torch.tensor([[1, 2], [3, 3]])
    before = context.bytes_copied
    y = sparcl.torch.spmm(sparcl.torch.csr_softmax(sparcl.torch.sddmm(a, x, b)), b)
    z = sparcl.torch.embedding_bag(rows, b, mode="sum")
    (y**2).sum().add((z**2).sum()).backward()
    assert context.bytes_copied == before


def test_a_module_of_bags_trains_as_that_of_pytorch() -> None:
    losses = []
    for module in (sparcl.torch.nn.EmbeddingBag, torch.nn.EmbeddingBag):
        torch.manual_seed(10)
        bag = module(50, 8, mode="sum", sparse=True)
        own = sparcl.torch if module is sparcl.torch.nn.EmbeddingBag else torch
        optimizer = own.optim.SparseAdam(bag.parameters(), lr=0.01)
        found = []
        for _ in range(20):
            rows = torch.randint(0, 50, (6, 5))
            optimizer.zero_grad()
            loss = ((bag(rows) - 1) ** 2).mean()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        losses.append(found)
        assert set(bag.state_dict()) == {"weight"}
    torch.testing.assert_close(*losses, rtol=1e-5, atol=1e-6)


def test_matrices_are_validated_again_where_pytorch_wrote_them() -> None:
    a = torch.eye(4).to_sparse_csr()
    b = torch.arange(4.0)
    for _ in range(2):
        torch.testing.assert_close(sparcl.torch.spmm(a, b), b)
    a.values().mul_(2)  # in the memory that is read
    torch.testing.assert_close(sparcl.torch.spmm(a, b), 2 * b)
    a.col_indices()[1] = 3
    torch.testing.assert_close(sparcl.torch.spmm(a, b), 2 * b[[0, 3, 2, 3]])
    a.col_indices()[1] = 4
    with pytest.raises(sparcl.DataError, match="4"):
        sparcl.torch.spmm(a, b)
    proofs = sparcl.torch._arrays._proofs
    count = len(proofs)
    for _ in range(3):
        sparcl.torch.spmm(torch.eye(4).to_sparse_csr(), b)
    assert len(proofs) == count  # nothing of what is gone
    own = sparcl.Context(share=False)
    c = torch.eye(4).to_sparse_csr()
    torch.testing.assert_close(sparcl.torch.spmm(c, b, context=own), b)
    c.values().mul_(3)
    torch.testing.assert_close(sparcl.torch.spmm(c, b, context=own), 3 * b)
    c.values().numpy()[:] = 5  # which PyTorch does not count
    torch.testing.assert_close(sparcl.torch.spmm(c, b, context=own), 5 * b)


def test_products_with_the_transpose_keep_the_count_of_their_rows() -> None:
    a = sparcl.csr([[0.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
    for scale in (1.0, 2.0, 3.0):
        found = a.T @ (scale * np.ones((2, 1), "float32"))
        assert found.indices.tolist() == [1, 2]
        assert found.values.tolist() == [[3 * scale], [3 * scale]]
