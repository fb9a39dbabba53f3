"""Products of sparse and dense matrices, against SciPy and finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from ops_data import REAL, close, near, numbers, same, slope, sparse, with_data

import sparcl
from sparcl import errors, ops


def test_products_with_dense_matrices() -> None:
    a, b, v = sparse(8, 6), numbers(6, 3), numbers(6)
    device = sparcl.csr(a)
    close(ops.spmm(device, sparcl.dense(b), 2.0), 2 * (a @ b))
    close(ops.spmm(device, sparcl.dense(v)), a @ v)
    g = numbers(8, 3, seed=1)
    close(ops.spmm_t(device, sparcl.dense(g), 2.0), 2 * (a.T @ g))
    close(ops.spmm_t_rows(device, sparcl.dense(g)).dense(), a.T @ g)
    close(ops.spmm_t(ops.pattern_build(device), sparcl.dense(g[:, 0])), a.T @ g[:, 0])
    close(ops.spmm(device, sparcl.dense(np.asfortranarray(b).T.copy()).T), a @ b)
    with pytest.raises(sparcl.ShapeError):
        ops.spmm(device, sparcl.dense(g))
    with pytest.raises(sparcl.DTypeError):
        ops.spmm(device, sparcl.dense(np.ones((6, 1), np.float16)))
    with pytest.raises(errors.ArgumentError, match="one context"):
        ops.spmm(device, sparcl.dense(b, context=sparcl.Context()))


def test_products_are_added_to_what_is_there() -> None:
    a, b, x = sparse(8, 6), numbers(6, 3), numbers(8, 3, seed=1)
    device, dense = sparcl.csr(a), sparcl.dense(b)

    def place(y: npt.NDArray[Any]) -> sparcl.Dense:
        return sparcl.dense(y.copy())

    out = place(x)
    assert ops.spmm(device, dense, 2.0, beta=0.5, out=out) is out
    close(out, 2 * (a @ b) + 0.5 * x)
    found = ops.spmm_t(device, sparcl.dense(x), beta=-1.0, out=place(b))
    close(found, a.T @ x - b)
    product = x @ b.T
    found = ops.gemm(sparcl.dense(x), dense, op_b="T", beta=1.0, out=place(product))
    close(found, 2 * product)
    found = ops.matmul(device.coo(), dense, beta=1.0, out=place(x))
    close(found, a @ b + x)
    entries = numbers(a.nnz, seed=2)
    found = ops.sddmm(device, sparcl.dense(x), dense, beta=3.0, out=place(entries))
    close(found, product[a.tocoo().coords] + 3 * entries)
    close(ops.sum_rows(sparcl.dense(x), beta=1.0, out=place(x[0])), x.sum(0) + x[0])
    with pytest.raises(errors.ArgumentError, match="beta"):
        ops.spmm(device, dense, beta=1.0)
    with pytest.raises(sparcl.ShapeError):
        ops.spmm(device, dense, out=place(b))
    with pytest.raises(errors.AliasError):
        ops.spmm(sparcl.csr(sparse(6, 6)), dense, out=dense)


@pytest.mark.parametrize("op_a", ["N", "T"])
@pytest.mark.parametrize("op_b", ["N", "T"])
def test_products_of_dense_matrices(op_a: Any, op_b: Any) -> None:
    a, b = numbers(5, 4), numbers(4, 3, seed=1)
    x, y = a.T.copy() if op_a == "T" else a, b.T.copy() if op_b == "T" else b
    found = ops.gemm(sparcl.dense(x), sparcl.dense(y), op_a=op_a, op_b=op_b, alpha=0.5)
    close(found, 0.5 * (a @ b))
    with pytest.raises(errors.ArgumentError, match="expected one of N, T"):
        ops.gemm(sparcl.dense(x), sparcl.dense(y), op_a="H")  # type: ignore[arg-type]
    with pytest.raises(sparcl.ShapeError):
        ops.gemm(sparcl.dense(x), sparcl.dense(numbers(7, 7)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_products_of_any_formats(form: str) -> None:
    full = sparse(8, 6).toarray()
    block = ((2, 2),) if form == "bsr" else ()
    a = getattr(sparcl.dense(full), form)(*block)
    b, left = numbers(6, 3), numbers(4, 8, seed=1)
    close(ops.matmul(a, sparcl.dense(b), alpha=2.0), 2 * full @ b)
    close(ops.matmul(sparcl.dense(left), a), left @ full)
    g = numbers(8, 3, seed=2)
    close(ops.matmul(a, sparcl.dense(g), op_a="T"), full.T @ g)
    rows = sparcl.rows(np.array([4, 1, 4]), numbers(3, 3, seed=3), (6, 3))
    close(ops.matmul(a, rows), full @ rows.dense().numpy())
    if form != "csc":
        found = ops.matmul(a, sparcl.dense(g), op_a="T", row_sparse=True)
        close(found.dense(), full.T @ g)
    with pytest.raises(errors.UnsupportedError):
        ops.matmul(a, a, op_a="T")


KINDS: dict[str, Any] = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_products_with_other_reductions(kind: Any) -> None:
    a, b, g = sparse(8, 6), numbers(6, 3), numbers(8, 3, seed=1)

    def of(data: npt.NDArray[Any], dense: npt.NDArray[Any]) -> npt.NDArray[Any]:
        found = np.zeros((8, 3))
        for i in range(8):
            part = slice(a.indptr[i], a.indptr[i + 1])
            if part.stop > part.start:
                terms = data[part, None] * dense[a.indices[part]]
                found[i] = KINDS[kind](terms, axis=0)
        return found

    device, choosing = sparcl.csr(a), kind in {"max", "min"}
    found = ops.spmm_reduce(device, sparcl.dense(b), kind, chosen=choosing)
    close(found.result, of(a.data, b))
    if choosing:
        assert found.chosen is not None
        where = found.chosen.numpy()
        terms = a.data[where] * b[a.indices[where], np.arange(3)]
        close(np.where(where < 0, 0, terms), of(a.data, b))
    gradient = ops.spmm_reduce_gradient(
        sparcl.dense(g), device, sparcl.dense(b), kind, chosen=found.chosen
    )
    near(gradient.values, slope(lambda v: (of(v, b) * g).sum(), a.data))
    near(gradient.b, slope(lambda v: (of(a.data, v) * g).sum(), b))


def test_dense_products_at_entries() -> None:
    a, x, y = sparse(8, 6), numbers(8, 3), numbers(6, 3, seed=1)
    where = a.tocoo().coords
    device = sparcl.csr(a)
    close(ops.sddmm(device, sparcl.dense(x), sparcl.dense(y), 2.0), 2 * (x @ y.T)[where])
    found = ops.sddmm(device, sparcl.dense(x[:, 0]), sparcl.dense(y[:, 0]))
    close(found, np.outer(x[:, 0], y[:, 0])[where])
    with pytest.raises(sparcl.ShapeError):
        ops.sddmm(device, sparcl.dense(y), sparcl.dense(x))


def test_sums_and_products_of_matrices() -> None:
    a, b = sparse(8, 6), sparse(8, 6, seed=1)
    one, two = sparcl.csr(a), sparcl.csr(b)
    total = ops.csr_add(one, two, 2.0, -1.0, sources=True)
    close(total.result.dense(), 2 * a.toarray() - b.toarray())
    assert total.result.nnz == np.count_nonzero((a.toarray() != 0) | (b.toarray() != 0))
    g = numbers(total.result.nnz, seed=2)
    ga, gb = ops.csr_add_gradient(sparcl.dense(g), one, two, total, alpha=2.0, beta=-1.0)

    def sum_of(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float:
        c = ops.csr_add(with_data(a, x), with_data(b, y), 2.0, -1.0).result
        return float((c.values.numpy() * g).sum())

    near(ga, slope(lambda v: sum_of(v, b.data), a.data, 1e-2))
    near(gb, slope(lambda v: sum_of(a.data, v), b.data, 1e-2))
    product = ops.csr_multiply(one, two, sources=True)
    close(product.result.dense(), a.toarray() * b.toarray())
    h = numbers(product.result.nnz, seed=3)
    ga, gb = ops.csr_multiply_gradient(sparcl.dense(h), one, two, product)

    def product_of(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float:
        c = ops.csr_multiply(with_data(a, x), with_data(b, y)).result
        return float((c.values.numpy() * h).sum())

    near(ga, slope(lambda v: product_of(v, b.data), a.data, 1e-2))
    near(gb, slope(lambda v: product_of(a.data, v), b.data, 1e-2))
    with pytest.raises(errors.UncheckedError):
        ops.csr_add(sparcl.csr(sparse(8, 6, unsorted=True)), two)
    with pytest.raises(sparcl.ShapeError):
        ops.csr_add(one, sparcl.csr(sparse(8, 5)))


def test_products_of_a_sparse_and_a_dense_matrix_by_element() -> None:
    a, x = sparse(8, 6), numbers(8, 6, seed=1)
    device, dense = sparcl.csr(a), sparcl.dense(x)
    close(ops.csr_multiply_dense(device, dense).dense(), a.toarray() * x)
    g, where = numbers(a.nnz, seed=2), a.tocoo().coords
    gv, gx = ops.csr_multiply_dense_gradient(sparcl.dense(g), device, dense)
    near(gv, slope(lambda v: (v * x[where] * g).sum(), a.data))
    near(gx, slope(lambda v: (a.data * v[where] * g).sum(), x))


def test_products_of_sparse_matrices() -> None:
    a, b = sparse(8, 6), sparse(6, 7, seed=1)
    one, two = sparcl.csr(a), sparcl.csr(b)
    plan = ops.spgemm_symbolic(one, two)
    c = ops.spgemm_numeric(plan, one, two)
    close(c.dense(), (a @ b).toarray())
    assert c.nnz == plan.entries == (a @ b).nnz
    doubled = ops.csr_binary_scalar(one, "multiply", 2.0)
    close(ops.spgemm_numeric(plan, doubled, two).dense(), 2 * (a @ b).toarray())
    g = numbers(c.nnz, seed=2)
    ga, gb = ops.spgemm_gradient(sparcl.dense(g), c, one, two)

    def of(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float:
        return float((ops.spgemm(with_data(a, x), with_data(b, y)).values.numpy() * g).sum())

    near(ga, slope(lambda v: of(v, b.data), a.data, 1e-2))
    near(gb, slope(lambda v: of(a.data, v), b.data, 1e-2))
    with pytest.raises(errors.UncheckedError):
        ops.spgemm(one, sparcl.csr(sparse(6, 7, unsorted=True)))
    with pytest.raises(sparcl.ShapeError):
        ops.spgemm(one, one)
    with pytest.raises(errors.ArgumentError):
        ops.spgemm_numeric(plan, one, sparcl.csr(sparse(6, 7, seed=5)))


def pairs(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
    sums = a @ b
    return 0.5 * (sums**2 - (a**2) @ (b**2)).sum(1)


def test_interactions_of_features() -> None:
    a, b, g = sparse(8, 6), numbers(6, 3), numbers(8, seed=1)
    device, dense = sparcl.csr(a), sparcl.dense(b)
    sums = device @ dense
    close(ops.interactions(device, dense, sums), pairs(a.toarray(), b))
    gradient = ops.interactions_rows(device, dense, sums, sparcl.dense(g))
    near(gradient.dense(), slope(lambda v: (pairs(a.toarray(), v) * g).sum(), b))


def test_interactions_of_fields() -> None:
    a, fields = sparse(5, 6, density=0.5), np.random.default_rng(1).integers(0, 3, 99)
    fields = fields[: a.nnz]
    e, g = numbers(a.nnz, 3 * 2), numbers(a.nnz, seed=1)

    def of(v: npt.NDArray[Any]) -> npt.NDArray[Any]:
        blocks, found = v.reshape(a.nnz, 3, 2), np.zeros(a.nnz)
        for begin, end in zip(a.indptr[:-1], a.indptr[1:], strict=True):
            for p in range(begin, end):
                for q in range(p + 1, end):
                    dot = blocks[p, fields[q]] @ blocks[q, fields[p]]
                    found[p] += a.data[p] * a.data[q] * dot
        return found

    device, dense = sparcl.csr(a), sparcl.dense(e)
    close(ops.field_interactions(device, fields, dense, 3), of(e))
    gradient = ops.field_interactions_gradient(device, fields, dense, sparcl.dense(g), 3)
    near(gradient, slope(lambda v: (of(v) * g).sum(), e))


def test_negative_samples_are_not_stored() -> None:
    a = scipy.sparse.csr_array((np.random.default_rng(1).random((9, 30)) < 0.7).astype(REAL))
    rows = np.random.default_rng(2).integers(0, 9, 500)
    device = sparcl.csr(a)
    found = ops.negative_samples(device, rows, seed=3)
    assert not a.toarray()[rows, found.numpy()].any()
    same(ops.negative_samples(device, rows, seed=3), found)
    assert (ops.negative_samples(device, rows, seed=3, offset=1).numpy() != found.numpy()).any()
    assert (ops.negative_samples(device, rows, seed=3, first=20).numpy() >= 20).all()
    assert found.limit == 30
