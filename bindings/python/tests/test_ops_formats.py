"""Conversions between all formats, and COO arrays, against SciPy and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from ops_data import REAL, close, near, numbers, same, slope, sparse

import sparcl
from sparcl import errors, ops

FORMATS = ("dense", "csr", "csc", "coo", "rows", "bsr")


def matrix() -> npt.NDArray[Any]:
    """Blocks of 2 x 2, some of them 0, and rows of 0."""
    full = numbers(8, 6)
    full[2:4] = 0
    full[:, 2:4] = 0
    full[5, 0] = 0
    return full


def forms(full: npt.NDArray[Any]) -> dict[str, Any]:
    dense = sparcl.dense(full)
    return {
        "dense": dense,
        "csr": dense.csr(),
        "csc": dense.csc(),
        "coo": dense.coo(),
        "rows": dense.rows(),
        "bsr": dense.bsr((2, 2)),
    }


def as_numpy(x: Any) -> npt.NDArray[Any]:
    return x.dense().numpy()


@pytest.mark.parametrize("of", FORMATS)
@pytest.mark.parametrize("to", FORMATS)
def test_every_format_becomes_every_other(of: Any, to: Any) -> None:
    full = matrix()
    given = forms(full)[of]
    found = ops.convert(given, to, block=(2, 2))
    expected = {"dense": sparcl.Dense, "rows": sparcl.RowSparse}.get(to)
    assert isinstance(found, expected or getattr(sparcl, to.upper()))
    same(as_numpy(found), full)
    if to in {"csr", "csc", "coo"} and of not in {"bsr", "rows"}:
        assert found.nnz == np.count_nonzero(full)
    method = getattr(given, to)((2, 2)) if to == "bsr" and of != "bsr" else None
    if method is None and hasattr(given, to):
        method = getattr(given, to)()
    if method is not None:
        same(as_numpy(method), full)


def test_formats_of_scipy_come_and_go() -> None:
    full = matrix()
    for name in ("csr", "csc", "coo", "bsr"):
        given = getattr(scipy.sparse, f"{name}_array")(full)
        found = getattr(sparcl, name)(given)
        same(found.scipy().toarray(), full)
        assert found.scipy().format == name
        assert found.nnz == given.nnz
    with pytest.raises(TypeError, match="bsr"):
        sparcl.bsr(scipy.sparse.csr_array(full))
    bad = scipy.sparse.bsr_array(full, blocksize=(2, 2))
    bad.indices[0] = 77
    with pytest.raises(sparcl.DataError, match="77"):
        sparcl.bsr(bad)
    for made in (sparcl.csr(full), sparcl.csc(full.tolist()), sparcl.coo(full)):
        same(made.scipy().toarray(), full.astype(made.dtype))


def test_room_that_scipy_has_left_is_not_entries() -> None:
    given = scipy.sparse.csr_array(matrix())
    nnz = given.nnz
    given.data = np.concatenate([given.data, [9.0, 9.0]])
    given.indices = np.concatenate([given.indices, [99, 99]])
    found = sparcl.csr(given)
    assert found.nnz == nnz
    same(found.dense(), matrix())


def test_thresholds_and_blocks() -> None:
    full = matrix()
    dense = sparcl.dense(full)
    large = np.where(abs(full) > 1, full, 0)
    for found in (
        ops.dense_to_csr(dense, 1.0),
        ops.dense_to_coo(dense, 1.0),
        ops.rows_to_csr(dense.rows(), 1.0),
    ):
        same(as_numpy(found), large)
        assert found.nnz == np.count_nonzero(large)
    rows = ops.dense_to_rows(dense, 1.0)
    same(rows.indices, np.flatnonzero((abs(full) > 1).any(1)))
    assert ops.dense_to_csr(dense, -1.0).nnz == full.size
    blocks = dense.csr().bsr((2, 3))
    expected = scipy.sparse.bsr_array(full, blocksize=(2, 3))
    assert blocks.blocksize == (2, 3)
    assert blocks.nnzb <= expected.nnz // 6
    same(blocks.dense(), full)
    with pytest.raises(sparcl.ShapeError, match="whole blocks"):
        dense.bsr((3, 2))
    with pytest.raises(sparcl.ShapeError, match="whole blocks"):
        ops.convert(dense, "bsr", block=(3, 2))
    with pytest.raises(errors.ArgumentError, match="expected one of"):
        ops.convert(dense, "ell")  # type: ignore[arg-type]
    with pytest.raises(sparcl.ShapeError, match="expected a matrix"):
        sparcl.dense(full[0]).csr()


@pytest.mark.parametrize("by", ["value", "magnitude"])
def test_largest_elements_of_rows(by: Any) -> None:
    x = numbers(6, 9)
    key = x if by == "value" else abs(x)
    expected = np.zeros_like(x)
    for i, order in enumerate(np.argsort(-key, axis=1)[:, :3]):
        expected[i, order] = x[i, order]
    found = ops.topk_rows(sparcl.dense(x), 3, by)
    same(found.dense(), expected)
    assert found.nnz == 18
    assert ops.topk_rows(sparcl.dense(x), 100, by).nnz == x.size


def test_elements_at_entries() -> None:
    a, x = sparse(6, 5), numbers(6, 5, seed=1)
    where = a.tocoo().coords
    same(ops.sparse_mask(sparcl.dense(x), sparcl.csr(a)), x[where])
    same(ops.coo_mask(sparcl.dense(x), sparcl.coo(a.tocoo())), x[where])
    g = sparcl.csr(a).rows()
    same(ops.csr_to_rows_gradient(g, sparcl.csr(a)), a.data)


# --- COO


def tensor(seed: int = 0) -> sparcl.COO:
    """3 x 4 x 5."""
    full = numbers(3, 4, 5, seed=seed)
    full[numbers(3, 4, 5, seed=seed + 1) < 0.3] = 0
    return sparcl.coo(full)


def test_coo_arrays_of_any_rank() -> None:
    a = tensor()
    full = a.dense().numpy()
    assert a.shape == (3, 4, 5)
    assert a.nnz == np.count_nonzero(full)
    for axes in ((2, 0, 1), (0, 2, 1), (0, 1, 2)):
        view = ops.coo_permute_view(a, axes)
        same(view.dense(), full.transpose(axes))
        moved = ops.coo_permute(a, axes, source=True)
        same(moved.result.dense(), full.transpose(axes))
        assert moved.source is not None
        same(moved.result.values, a.values.numpy()[moved.source.numpy()])
        assert view._values is a._values
    same(a.T.dense(), full.T)
    same(a.reshape(12, 5).dense(), full.reshape(12, 5))
    same(ops.coo_expand_dims(a, 1).dense(), full[:, None])
    same(ops.coo_squeeze(ops.coo_expand_dims(a, 1)).dense(), full)
    same(ops.coo_squeeze(ops.coo_expand_dims(a, 3), 3).dense(), full)
    close(ops.coo_project(a, (2, 0)).dense(), full.sum(1).T)
    for axes, numpy in ((None, None), (1, 1), ((0, 2), (0, 2))):
        close(ops.coo_reduce(a, "sum", axes), np.atleast_1d(full.sum(numpy)))
    close(a.sum(1), full.sum(1))
    largest = np.where(full == 0, -np.inf, full).max(1)
    close(ops.coo_reduce(a, "max", 1), np.where(np.isinf(largest), 0, largest))
    same(ops.coo_mask(sparcl.dense(full), a), a.values)
    with pytest.raises(errors.ArgumentError, match="axes"):
        ops.coo_permute(a, (0, 0, 1))
    with pytest.raises(errors.ArgumentError, match="axis"):
        ops.coo_expand_dims(a, 4)
    with pytest.raises(sparcl.ShapeError):
        a.reshape(7, 7)
    with pytest.raises(sparcl.ShapeError, match="matrix"):
        a.csr()


def test_parts_and_joins_of_coo_arrays() -> None:
    a, b = tensor(), tensor(2)
    full, other = a.dense().numpy(), b.dense().numpy()
    part = ops.coo_slice(a, [1, 0, 2], [3, 4, 4], source=True)
    same(part.result.dense(), full[1:3, :, 2:4])
    assert part.source is not None
    same(part.result.values, a.values.numpy()[part.source.numpy()])
    same(a[1:, :, 2].dense(), full[1:, :, 2:3])
    for axis in (0, 1, -1):
        joined = ops.coo_concat([a, b], axis, source=True)
        same(joined.result.dense(), np.concatenate([full, other], axis))
        data = np.concatenate([a.values.numpy(), b.values.numpy()])
        assert joined.source is not None
        same(joined.result.values, data[joined.source.numpy()])
    shuffled = scipy.sparse.coo_array(([1.0, 2.0, 3.0], ([2, 0, 2], [1, 1, 0])), shape=(4, 4))
    ordered = ops.coo_sort(sparcl.coo(shuffled), permutation=True)
    same(ordered.source, [1, 2, 0])
    same(ordered.result.values, [2.0, 3.0, 1.0])
    small = ops.coo_reset_shape(sparcl.coo(shuffled))
    assert small.shape == (3, 2)
    same(small.dense(), shuffled.toarray()[:3, :2])
    assert ops.coo_reset_shape(small, (9, 9)).shape == (9, 9)
    with pytest.raises(sparcl.DataError):
        ops.coo_reset_shape(small, (2, 2))
    with pytest.raises(sparcl.ShapeError):
        ops.coo_slice(a, [0, 0, 0], [9, 4, 5])
    filled = ops.coo_fill_empty_rows(sparcl.coo(shuffled), 7.0)
    expected = shuffled.toarray()
    expected[[1, 3], 0] = 7
    same(filled.result.dense(), expected)
    same(filled.is_empty, [False, True, False, True])
    same(filled.source, [1, -1, 2, 0, -1])
    same(filled.inverse, [3, 0, 2])


@pytest.mark.parametrize("how", ["sum", "mean", "max", "min", "first", "last"])
def test_positions_are_combined(how: Any) -> None:
    random = np.random.default_rng(3)
    where = (random.integers(0, 3, 20), random.integers(0, 3, 20))
    values = numbers(20)
    a = sparcl.coo(scipy.sparse.coo_array((values, where), shape=(3, 3)))
    found = ops.coo_coalesce(a, how, inverse=True, counts=True, source=True)
    flat = where[0] * 3 + where[1]
    take: Any = {"first": lambda v: v[0], "last": lambda v: v[-1]}
    combine = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, **take}[how]

    def of(v: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.array([combine(v[flat == i]) for i in np.unique(flat)])

    close(found.result.values, of(values))
    assert found.result.nnz == len(np.unique(flat))
    assert found.inverse is not None
    assert found.counts is not None
    same(found.inverse, np.unique(flat, return_inverse=True)[1])
    same(found.counts, np.unique(flat, return_counts=True)[1])
    g = numbers(found.result.nnz, seed=1)
    gradient = ops.coo_coalesce_gradient(
        sparcl.dense(g), a, how, inverse=found.inverse, counts=found.counts, source=found.source
    )
    near(gradient, slope(lambda v: (of(v) * g).sum(), values))
    close(a.coalesce(how).values, of(values))


def test_sums_and_products_of_coo_arrays_and_their_gradients() -> None:
    a, b = tensor(), tensor(2)
    total = ops.coo_add(a, b, 2.0, -3.0, sources=True)
    full, other = a.dense().numpy(), b.dense().numpy()
    close(total.result.dense(), 2 * full - 3 * other)
    assert total.result.nnz == np.count_nonzero((full != 0) | (other != 0))
    product = ops.coo_multiply(a, b, sources=True)
    close(product.result.dense(), full * other)
    g = numbers(total.result.nnz, seed=5)
    ga, gb = ops.coo_add_gradient(sparcl.dense(g), a, b, total, alpha=2.0, beta=-3.0)
    dense = np.zeros(full.shape)
    where = (full != 0) | (other != 0)
    dense[where] = g
    close(ga, 2 * dense[full != 0])
    close(gb, -3 * dense[other != 0])
    g = numbers(product.result.nnz, seed=6)
    ga, gb = ops.coo_multiply_gradient(sparcl.dense(g), a, b, product)
    dense[:] = 0
    dense[(full != 0) & (other != 0)] = g
    close(ga, (dense * other)[full != 0])
    close(gb, (dense * full)[other != 0])
    with pytest.raises(errors.ArgumentError, match="sources"):
        ops.coo_add_gradient(sparcl.dense(g), a, b, ops.coo_add(a, b))
    doubled = sparcl.coo(scipy.sparse.coo_array(([1.0, 2.0], ([0, 0], [0, 0])), shape=(2, 2)))
    with pytest.raises(errors.UncheckedError):
        ops.coo_add(doubled, doubled)
    assert a.dtype == REAL
