"""Lookups and bags against PyTorch, layers and losses against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from ops_data import CLOSE, REAL, close, near, numbers, same, slope

import sparcl
from sparcl import errors, ops

torch = pytest.importorskip("torch")

INDICES = np.array([3, 0, 3, 7, 2, 2, 5, 0, 1])
OFFSETS = np.array([0, 3, 3, 7])


def tensor(x: npt.ArrayLike) -> Any:
    return torch.tensor(np.array(x), requires_grad=np.asarray(x).dtype == REAL)


def test_lookups() -> None:
    table = numbers(8, 4)
    found = ops.embedding(sparcl.dense(table), INDICES)
    same(found.result, table[INDICES])
    assert found.bad is None
    padded = ops.embedding(sparcl.dense(table), ops.Bags(INDICES, padding_index=3)).result
    expected = table[INDICES].copy()
    expected[INDICES == 3] = 0
    same(padded, expected)
    bad = np.array([1, -4, 99, 0])
    with pytest.raises(sparcl.DataError):
        ops.embedding(sparcl.dense(table), bad)
    clamped = ops.embedding(sparcl.dense(table), ops.Bags(bad, bounds="clamp"))
    same(clamped.result, table[[1, 0, 7, 0]])
    assert clamped.bad is not None
    same(clamped.bad, [2])
    skipped = ops.embedding(sparcl.dense(table), ops.Bags(bad, bounds="skip")).result
    same(skipped, table[[1, 0, 7, 0]] * np.array([[1], [0], [0], [1]]))


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize(
    ("mode", "weighted"), [("sum", False), ("sum", True), ("mean", False), ("max", False)]
)
def test_bags_and_their_gradients_are_those_of_torch(mode: Any, weighted: bool, last: bool) -> None:
    table, weights = tensor(numbers(8, 4)), tensor(numbers(9, seed=1))
    offsets = np.append(OFFSETS, 9) if last else OFFSETS
    expected = torch.nn.functional.embedding_bag(
        tensor(INDICES),
        table,
        tensor(offsets),
        mode=mode,
        per_sample_weights=weights if weighted else None,
        include_last_offset=last,
        padding_idx=2,
    )
    bags = ops.Bags(
        INDICES,
        offsets=offsets,
        weights=weights.detach().numpy() if weighted else None,
        mode=mode,
        include_last=last,
        padding_index=2,
    )
    device = sparcl.dense(table)
    found = ops.embedding_bag(device, bags, positions=mode == "max")
    close(found.result, expected.detach().numpy())
    g = numbers(4, 4, seed=2)
    expected.backward(torch.tensor(g))
    r = ops.embedding_bag_gradient(sparcl.dense(g), bags, 8, positions=found.positions)
    close(r.dense(), table.grad.numpy())
    assert r.nnr == 5
    if weighted:
        gw = ops.embedding_bag_weights_gradient(sparcl.dense(g), device, bags)
        close(gw, weights.grad.numpy())


@pytest.mark.parametrize("mode", ["sum", "mean", "sqrtn"])
def test_weights_of_bags(mode: Any) -> None:
    table, weights = numbers(8, 4), np.abs(numbers(9, seed=1)) + 0.5
    g, ends = numbers(4, 4, seed=2), [*OFFSETS[1:], 9]

    def of(t: npt.NDArray[Any], w: npt.NDArray[Any]) -> npt.NDArray[Any]:
        found = np.zeros((4, 4))
        for i, (begin, end) in enumerate(zip(OFFSETS, ends, strict=True)):
            part = w[begin:end]
            if len(part):
                by = {"sum": 1.0, "mean": part.sum(), "sqrtn": np.sqrt((part**2).sum())}[mode]
                found[i] = part @ t[INDICES[begin:end]] / by
        return found

    device = sparcl.dense(table)
    bags = ops.Bags(INDICES, OFFSETS, weights, mode)
    y = ops.embedding_bag(device, bags).result
    close(y, of(table, weights))
    gw = ops.embedding_bag_weights_gradient(
        sparcl.dense(g), device, bags, y=None if mode == "sum" else y
    )
    near(gw, slope(lambda w: (of(table, w) * g).sum(), weights))
    r = ops.embedding_bag_gradient(sparcl.dense(g), bags, 8)
    near(r.dense(), slope(lambda t: (of(t, weights) * g).sum(), table))
    matrix = ops.embedding_bag_matrix(bags, 8, like=device)
    close(matrix.matrix @ device, of(table, weights))
    same(matrix.source, np.arange(9))


@pytest.mark.parametrize("kind", ["float16", "float64", "int64", "int32", "bool"])
def test_weights_of_another_type_are_refused(kind: str) -> None:
    table = sparcl.dense(np.arange(10, dtype="float32").reshape(5, 2))
    bags = ops.Bags([0, 1, 2, 3], offsets=[0, 2], weights=sparcl.dense(np.ones(4, kind)))
    g = sparcl.dense(np.ones((2, 2), "float32"))
    for call in (
        lambda: ops.embedding_bag(table, bags),
        lambda: ops.embedding_bag_matrix(bags, 5),
        lambda: ops.embedding_bag_gradient(g, bags, 5),
        lambda: ops.embedding_bag_weights_gradient(g, table, bags),
        lambda: ops.embedding_renorm(table, bags, 1.0),
    ):
        with pytest.raises(errors.DTypeError, match=f"weights: expected float32, found {kind}"):
            call()


@pytest.mark.parametrize(
    "offsets", [[1, 2], [0, 3, 1], [0, 5], [0, -1], [0.0, 2.0], [[0, 2]], [0, 2**63]]
)
def test_offsets_ascend_from_0_to_the_number_of_indices(offsets: Any) -> None:
    table = sparcl.dense(np.ones((5, 2), "float32"))
    for last in (False, True):
        with pytest.raises(ValueError, match="offsets: expected"):
            ops.embedding_bag(table, ops.Bags([0, 1, 2, 3], offsets=offsets, include_last=last))


def test_a_matrix_is_bags_of_its_rows() -> None:
    a = scipy.sparse.csr_array(np.where(numbers(5, 8) > 0.3, numbers(5, 8, seed=1), 0))
    table = numbers(8, 3, seed=2)
    found = ops.embedding_bag(sparcl.dense(table), sparcl.csr(a)).result
    close(found, a @ table)
    with pytest.raises(sparcl.ShapeError, match="columns"):
        ops.embedding_bag(sparcl.dense(table[:7]), sparcl.csr(a))


def test_gradients_by_frequency_and_norms() -> None:
    g = numbers(4, 4, seed=2)
    bags = ops.Bags(INDICES, OFFSETS, scale_by_frequency=True)
    found = ops.embedding_bag_gradient(sparcl.dense(g), bags, 8)
    plain = ops.embedding_bag_gradient(sparcl.dense(g), ops.Bags(INDICES, OFFSETS), 8)
    counts = np.bincount(INDICES)[found.indices]
    close(found.values, plain.values / counts[:, None])
    table = numbers(8, 4)
    expected = tensor(table).detach()
    torch.nn.functional.embedding(torch.tensor(INDICES), expected, max_norm=0.5)
    ops.embedding_renorm(on := sparcl.dense(table.copy()), INDICES, 0.5)
    close(on, expected.numpy())
    with pytest.raises(errors.ArgumentError):
        ops.embedding_renorm(on, INDICES, -1.0)
    with pytest.raises(sparcl.ShapeError, match="weights"):
        ops.embedding_bag(on, ops.Bags(INDICES, OFFSETS, weights=[1.0]))
    with pytest.raises(errors.ArgumentError, match="offsets"):
        ops.embedding_bag(on, ops.Bags(INDICES, [0.5]))


# --- layers


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("kind", ["layer", "batch"])
def test_normalisation_is_that_of_torch(kind: str, affine: bool) -> None:
    x, gamma, beta = (tensor(numbers(*s, seed=i)) for i, s in enumerate([(6, 5), (5,), (5,)]))
    given = (gamma, beta) if affine else (None, None)
    running = [np.zeros(5, REAL), np.ones(5, REAL)]
    if kind == "layer":
        expected = torch.nn.functional.layer_norm(x, (5,), *given)
    else:
        kept = [torch.tensor(each) for each in running]
        expected = torch.nn.functional.batch_norm(x, *kept, *given, training=True)
    g = numbers(6, 5, seed=4)
    expected.backward(torch.tensor(g))
    scale, shift = (None if each is None else sparcl.dense(each) for each in given)
    device = sparcl.dense(x)
    if kind == "layer":
        found = ops.layer_norm(device, scale, shift)
        gradient = ops.layer_norm_gradient(sparcl.dense(g), device, found.mean, found.rstd, scale)
    else:
        placed = [sparcl.dense(each) for each in running]
        found = ops.batch_norm(
            device, scale, shift, running_mean=placed[0], running_variance=placed[1]
        )
        for one, other in zip(placed, kept, strict=True):
            close(one, other.numpy())
        gradient = ops.batch_norm_gradient(sparcl.dense(g), device, found.mean, found.rstd, scale)
        still = torch.nn.functional.batch_norm(x, *kept, *given, training=False)
        placed = [sparcl.dense(each) for each in kept]
        close(
            ops.batch_norm_inference(device, *placed, gamma=scale, beta=shift),
            still.detach().numpy(),
        )
    close(found.result, expected.detach().numpy())
    np.testing.assert_allclose(gradient.x.numpy(), x.grad.numpy(), rtol=1e-6, atol=1e-6)
    if affine:
        close(gradient.gamma, gamma.grad.numpy())
        close(gradient.beta, beta.grad.numpy())
    with pytest.raises(sparcl.ShapeError):
        ops.layer_norm(device, sparcl.dense(g[:, 0]))
    with pytest.raises(sparcl.ShapeError, match="matrix"):
        ops.layer_norm(device.reshape(-1))


def test_dropout() -> None:
    x = np.ones((100, 50), REAL)
    y = ops.dropout(sparcl.dense(x), 0.25, seed=3).numpy()
    assert set(np.unique(y)) == {0.0, REAL.type(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.03
    same(ops.dropout(sparcl.dense(x), 0.25, seed=3), y)
    assert (ops.dropout(sparcl.dense(x), 0.25, seed=3, offset=1).numpy() != y).any()
    with pytest.raises(errors.ArgumentError):
        ops.dropout(sparcl.dense(x), 1.5, seed=3)


def test_joins_and_parts() -> None:
    x, y = numbers(4, 3), numbers(2, 3, seed=1)
    same(ops.dense_concat([sparcl.dense(x), sparcl.dense(y)]), np.concatenate([x, y]))
    beside = ops.dense_concat([sparcl.dense(x), sparcl.dense(x)], axis=1)
    same(beside, np.concatenate([x, x], 1))
    parts = ops.dense_split(beside, [2, 3, 1], axis=1)
    for part, expected in zip(parts, np.split(beside.numpy(), [2, 5], 1), strict=True):
        same(part, expected)
    same(ops.dense_concat([sparcl.dense(x[0]), sparcl.dense(y[0])]), np.r_[x[0], y[0]])
    with pytest.raises(sparcl.ShapeError):
        ops.dense_concat([sparcl.dense(x), sparcl.dense(y)], axis=1)
    with pytest.raises(errors.ArgumentError, match="axis"):
        ops.dense_split(beside, [1], axis=2)


LOSSES: dict[str, Any] = {
    "logistic": lambda s, y: np.logaddexp(0, s[:, 0]) - y * s[:, 0],
    "softmax": lambda s, y: np.log(np.exp(s).sum(1)) - s[np.arange(len(s)), y.astype(int)],
    "squared": lambda s, y: (s[:, 0] - y) ** 2 / 2,
    "poisson": lambda s, y: np.exp(s[:, 0]) - y * s[:, 0],
    "hinge": lambda s, y: np.maximum(0, 1 - (2 * y - 1) * s[:, 0]),
}


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_losses_and_their_gradients(loss: Any) -> None:
    width = 3 if loss == "softmax" else 1
    scores, bias = numbers(7, width), numbers(width, seed=1)
    labels = np.random.default_rng(2).integers(0, max(2, width), 7).astype(REAL)
    device = [sparcl.dense(each) for each in (scores, labels, bias)]
    found = ops.loss_gradient(device[0], device[1], loss, bias=device[2], scale=0.5)
    close(found.losses, LOSSES[loss](scores + bias, labels))
    total = slope(lambda s: 0.5 * LOSSES[loss](s + bias, labels).sum(), scores)
    near(found.residual, total)
    label, p = ops.loss_predict(device[0], loss, bias=device[2])
    s = scores + bias
    if loss == "softmax":
        same(label, s.argmax(1).astype(REAL))
        chances = np.exp(s) / np.exp(s).sum(1, keepdims=True)
        close(p, chances.max(1))
    elif loss == "logistic":
        same(label, (s[:, 0] > 0).astype(REAL))
    else:
        value = np.exp(s[:, 0]) if loss == "poisson" else s[:, 0]
        np.testing.assert_allclose(p.numpy(), value, **CLOSE)
    with pytest.raises(sparcl.ShapeError):
        ops.loss_gradient(device[0], sparcl.dense(labels[:3]), loss)
