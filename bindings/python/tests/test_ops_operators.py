"""Operators and slices of all classes, against NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from ops_data import REAL, close, numbers, same, sparse

import sparcl
from sparcl import errors, ops


def full(x: Any) -> npt.NDArray[Any]:
    return x.numpy() if isinstance(x, sparcl.Dense) else x.dense().numpy()


FORMS = ("csr", "csc", "coo")


def form(name: str, elements: npt.NDArray[Any]) -> Any:
    return getattr(sparcl, name)(elements)


@pytest.mark.parametrize("name", FORMS)
def test_sparse_arithmetic(name: str) -> None:
    x, y = sparse(8, 6).toarray(), sparse(8, 6, seed=1).toarray()
    a, b = form(name, x), form(name, y)
    for found, expected in (
        (a + b, x + y),
        (a - b, x - y),
        (a * b, x * y),
        (2 * a, 2 * x),
        (a * 2, x * 2),
        (a / 4, x / 4),
        (-a, -x),
        (abs(a), abs(x)),
        (a.astype("float32"), x.astype("float32")),
    ):
        close(full(found), expected)
        assert type(found) is type(a)
    with pytest.raises(sparcl.ShapeError):
        a + form(name, y[:, :5])


@pytest.mark.parametrize("name", [*FORMS, "bsr"])
def test_products(name: str) -> None:
    x, b, v = sparse(8, 6).toarray(), numbers(6, 3), numbers(6, seed=1)
    a = sparcl.csr(x).bsr((2, 2)) if name == "bsr" else form(name, x)
    found = a @ b
    close(full(found), x @ b)
    assert isinstance(found, sparcl.RowSparse if name == "csc" else sparcl.Dense)
    close(full(a @ sparcl.dense(v)), x @ v)
    close(b.T @ a.csr().transpose(), b.T @ x.T)
    left = numbers(4, 8, seed=2)
    close(left @ a, left @ x)
    close(sparcl.dense(left) @ a, left @ x)
    other = sparse(6, 5, seed=3).toarray()
    if name != "bsr":
        for second in FORMS:
            product = a @ form(second, other)
            assert isinstance(product, sparcl.CSR)
            close(full(product), x @ other)
    rows = sparcl.rows(np.array([4, 1]), b[:2], (6, 3))
    close(full(a @ rows), x @ full(rows))
    with pytest.raises(sparcl.ShapeError):
        a @ b[:5]


def test_sums_and_products_with_dense_arrays() -> None:
    x, y = sparse(8, 6).toarray(), numbers(8, 6, seed=1) + 3
    for name in FORMS[::2]:
        a = form(name, x)
        for other in (y, sparcl.dense(y)):
            close(a + other, x + y)
            close(a - other, x - y)
            close(full(a * other), x * y)
            close(other + a, x + y)
            close(other - a, y - x)
            close(full(other * a), x * y)
    a = sparcl.csr(x)
    close(full(a / y), x / y)
    close(full(a * y[0]), x * y[0])
    close(full(a * y[:, :1]), x * y[:, :1])
    close(full(a / y[:1]), x / y[:1])
    for mixed in (a.coo(), a.csc()):
        close(full(a + mixed), 2 * x)
        close(full(a * mixed), x * x)
    with pytest.raises(errors.ArgumentError):
        a + 1
    close(full(a + 0), x)
    with pytest.raises(sparcl.ShapeError, match="expected the shape"):
        a * y[:3]


def test_dense_arithmetic_broadcasts_either_side() -> None:
    x = numbers(4, 3)
    others = [numbers(4, 3, seed=1), numbers(3), numbers(4, 1), numbers(1, 3), numbers(1), 2.5]
    for other in others:
        y: Any = other
        for found, expected in (
            (sparcl.dense(x) + y, x + y),
            (sparcl.dense(x) - y, x - y),
            (sparcl.dense(x) * y, x * y),
            (sparcl.dense(x) / y, x / y),
            (y + sparcl.dense(x), y + x),
            (y - sparcl.dense(x), y - x),
            (y * sparcl.dense(x), y * x),
            (y / sparcl.dense(x), y / x),
        ):
            close(found, expected)
            assert isinstance(found, sparcl.Dense)
        if not isinstance(y, float):
            close(sparcl.dense(y) - sparcl.dense(x), y - x)
            close(sparcl.dense(x) / sparcl.dense(y), x / y)
    close(-sparcl.dense(x), -x)
    close(abs(sparcl.dense(x)), abs(x))
    close(sparcl.dense(x).T + x.T, 2 * x.T)
    close(sparcl.dense(x) @ x.T, x @ x.T)
    close(sparcl.dense(x[0]) @ x.T, x[0] @ x.T)
    close(sparcl.dense(x) @ x[0], x @ x[0])
    close(sparcl.dense(x[0]) @ x[0], [x[0] @ x[0]])
    close(x.T @ sparcl.dense(x), x.T @ x)
    assert (sparcl.dense(x[0]) @ x[0]).item() == pytest.approx(float(x[0] @ x[0]), rel=1e-6)
    with pytest.raises(sparcl.ShapeError):
        sparcl.dense(x) + numbers(2)
    with pytest.raises(errors.ArgumentError, match="one context"):
        sparcl.dense(x) + sparcl.dense(x, context=sparcl.Context())


def test_types_of_indices_may_differ() -> None:
    x, y, z = (sparse(*size, seed=i) for i, size in enumerate([(8, 6), (8, 6), (6, 4)]))
    for each in (y, z):
        each.indices, each.indptr = each.indices.astype(np.int64), each.indptr.astype(np.int64)
    a, b, c = sparcl.csr(x), sparcl.csr(y), sparcl.csr(z)
    assert a._indices.dtype != b._indices.dtype
    close(full(a + b), (x + y).toarray())
    close(full(b * a), x.toarray() * y.toarray())
    close(full(a @ c), (x @ z).toarray())
    close(full(a.coo() - b.coo()), (x - y).toarray())
    close(full(a.coo() * b.coo()), x.toarray() * y.toarray())
    with pytest.raises(sparcl.DTypeError):
        ops.csr_add(a, b)


def test_numbers_of_numpy() -> None:
    x = sparse(8, 6).toarray()
    for made in (sparcl.dense(x), sparcl.csr(x), sparcl.coo(x), sparcl.csr(x).rows()):
        for two in (np.float32(2), np.float64(2), np.int64(2), np.array(2.0)):
            close(full(two * made), 2 * x)
            close(full(made * two), 2 * x)


def test_row_sparse_arithmetic() -> None:
    a = sparcl.rows(np.array([0, 2, 5]), numbers(3, 4), (7, 4))
    b = sparcl.rows(np.array([5, 1, 5]), numbers(3, 4, seed=1), (7, 4))
    x, y, z = full(a), full(b), numbers(7, 4, seed=2)
    for found, expected in (
        (a + b, x + y),
        (a - b, x - y),
        (a * b, x * y),
        (2 * a, 2 * x),
        (a / 2, x / 2),
        (-a, -x),
        (abs(b), abs(y)),
        (a * z, x * z),
        (sparcl.dense(z) * a, x * z),
    ):
        assert isinstance(found, sparcl.RowSparse)
        close(full(found), expected)
    for found, expected in (
        (a + z, x + z),
        (a - z, x - z),
        (z - a, z - x),
        (sparcl.dense(z) + a, z + x),
        (sparcl.dense(z) - b, z - y),
    ):
        assert isinstance(found, sparcl.Dense)
        close(found, expected)
    product = b @ z.T
    assert isinstance(product, sparcl.RowSparse)
    close(full(product), y @ z.T)
    close(z.T @ b, z.T @ y)
    with pytest.raises(sparcl.ShapeError):
        b @ z
    same(full(a[1:6]), x[1:6])
    same(a[[5, 0, 3]], x[[5, 0, 3]])
    same(full(a[2]), x[2:3])
    with pytest.raises(TypeError, match="convert"):
        a + sparcl.csr(x)


KEYS: list[Any] = [
    slice(2, 6),
    slice(None),
    slice(None, None, 2),
    slice(5, 2),
    slice(-3, None),
    [6, 0, 6],
    np.array([-1, 2]),
    [],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_slices_of_rows(key: Any) -> None:
    x = sparse(8, 6).toarray()
    chosen = np.array(key, int) if isinstance(key, list) else key
    for name in ("csr", "dense"):
        found = form(name, x)[key]
        same(full(found), x[chosen])
    same(
        full(sparcl.csr(x)[:, key if not isinstance(key, list) or not key else [5, 0]]),
        x[:, chosen if not isinstance(key, list) or not key else [5, 0]],
    )


def test_slices_of_both() -> None:
    x = sparse(8, 6).toarray()
    a, d = sparcl.csr(x), sparcl.dense(x)
    mask = x[:, 0] > 0
    same(full(a[mask]), x[mask])
    same(d[mask], x[mask])
    same(full(a[1:5, 2:4]), x[1:5, 2:4])
    same(full(a[..., 2:4]), x[:, 2:4])
    same(full(a[3]), x[3:4])
    same(full(a[[3, 1], 2:]), x[[3, 1], 2:])
    same(full(a[-1, -2]), x[-1:, -2:-1])
    same(full(sparcl.csc(x)[1:5, 2:4]), x[1:5, 2:4])
    same(full(sparcl.coo(x)[1:5, 2:4]), x[1:5, 2:4])
    same(d[1:5, 2:4], x[1:5, 2:4])
    same(d[3], x[3])
    same(d[3, 2], x[3, 2:3])
    same(d[:, 2], x[:, 2])
    same(d[:, [2, 0]], x[:, [2, 0]])
    same(d.T[1:3, 4:], x.T[1:3, 4:])
    same(d.T[2], x.T[2])
    same(d[2:6][1:3][:, 1:][0], x[3, 1:])
    same(d.reshape(4, -1), x.reshape(4, -1))
    same(d[:, 1:4].reshape(-1), x[:, 1:4].reshape(-1))
    same(sparcl.dense(numbers(3, 4, 5))[1:], numbers(3, 4, 5)[1:])
    close(d[2:6, 1:4] @ np.eye(3, dtype=REAL), x[2:6, 1:4])
    close(d[2:6, 1:4] + 1, x[2:6, 1:4] + 1)
    with pytest.raises(IndexError):
        a[8]
    with pytest.raises(IndexError):
        d[0, 0, 0]
    with pytest.raises(sparcl.DataError):
        a[[8]]
    with pytest.raises(IndexError, match="mask"):
        a[mask[:3]]
    with pytest.raises(errors.UnsupportedError):
        sparcl.dense(numbers(3, 4, 5))[:, 1]


def test_slices_of_dense_arrays_are_views() -> None:
    x = numbers(8, 6)
    d = sparcl.dense(x)
    if not d.context.shares_memory:
        pytest.skip("the device has memory of its own")
    before = d.context.bytes_copied
    for found in (d[2:5], d[:, 1:3], d[1:4, 2:], d.T, d[3], d.reshape(6, 8), d.T[1:, 2:].T):
        assert np.shares_memory(found.numpy(), x)
    same(d[2:5].numpy(), x[2:5])
    assert d.context.bytes_copied == before
    ops.scatter_add(d[2:5], sparcl.rows(np.array([1]), np.ones((1, 6), REAL), (3, 6)))
    expected = numbers(8, 6)
    expected[3] += 1
    same(d, expected)


def test_structure_of_matrices() -> None:
    x = sparse(8, 6)
    a = sparcl.csr(sparse(8, 6, unsorted=True))
    assert not a.has_sorted_indices
    assert a.sort_indices().has_sorted_indices
    assert a.canonical().has_canonical_format
    same(full(a.tril(1)), np.tril(x.toarray(), 1))
    same(full(a.triu()), np.triu(x.toarray()))
    same(full(a.reshape(6, 8)), x.toarray().reshape(6, 8))
    same(full(a.transpose()), x.toarray().T)
    assert isinstance(a.transpose(), sparcl.CSR)
    assert a.prune(0.5).nnz == int((abs(x.data) > 0.5).sum())
    close(full(a + a), 2 * x.toarray())
    close(full(a @ a.T), x.toarray() @ x.toarray().T)
    assert len(a.values) == a.nnz
    c = a.csc()
    for k in (-1, 0, 2):
        same(full(c.tril(k)), np.tril(x.toarray(), k))
        same(full(c.triu(k)), np.triu(x.toarray(), k))
    assert c.prune(0.5).nnz == a.prune(0.5).nnz
    assert (0 * c).eliminate_zeros().nnz == 0
    for found in (c.sort_indices(), c.sum_duplicates(), c.canonical()):
        same(full(found), x.toarray())


def test_scaled_blocks() -> None:
    x = sparse(8, 6).toarray()
    a = sparcl.csr(x).bsr((2, 2))
    for found, expected in ((2 * a, 2 * x), (a / 4, x / 4), (-a, -x)):
        assert isinstance(found, sparcl.BSR)
        close(full(found), expected)
    same(full(a.bsr((4, 3))), x)


def test_objects_describe_themselves() -> None:
    x = sparse(8, 6).toarray()
    a = sparcl.csr(x)
    some: list[Any] = [
        a,
        a.csc(),
        a.coo(),
        a.bsr((2, 2)),
        a.rows(),
        sparcl.dense(x),
        sparcl.indices([1, 2], 5),
    ]
    for each in some:
        words = repr(each)
        assert words.startswith(f"<sparcl.{type(each).__name__} {each.shape}")
        table = each._repr_html_()
        for fact in (str(each.shape), each.dtype.name, f"{each.nbytes:,}", type(each).__name__):
            assert fact in table
        assert str(each.nbytes) in words
        assert str(each.context.device) in words
    assert f"nnz {a.nnz}" in repr(a)
    assert str(x) in repr(sparcl.dense(x))  # the values as NumPy shows them
    large = sparcl.dense(np.arange(6000, dtype=REAL).reshape(2000, 3))
    assert repr(large).endswith("[[0. 1. 2.]\n [3. 4. 5.]\n [6. 7. 8.]\n ...]")
    assert "<pre>[[0. 1. 2.]" in large._repr_html_()
    assert a.nbytes == a.nnz * (REAL.itemsize + 4) + 9 * 4


def test_entries_that_stand_twice_count_as_their_sum() -> None:
    twice = scipy.sparse.csr_array((np.array([3, -5, 1], REAL), [2, 2, 0], [0, 2, 3]), shape=(2, 3))
    a, x = sparcl.csr(twice), twice.toarray()
    for made in (a, a.csc(), a.coo()):
        close(full(abs(made)), abs(x))
        close(full(made * made), x * x)
        close(full(made + made), 2 * x)
        assert made.sum() == -1
        assert made.max() == 1
        assert made.min() == -2
        assert made.norm() == pytest.approx(5**0.5)


def test_products_of_whole_numbers_are_equal() -> None:
    x = np.array([[1, 1, 0], [0, 2, 3]])
    a: Any = sparcl.csr(x)
    for v, kind in (
        ([2**21, 1, 1], np.float32),
        ([2**24, 1, 1], np.float64),
        ([2**50, 1, -1], np.float64),
    ):
        for found, expected in (
            (a @ np.array(v), x @ v),
            (a.csc() @ v, x @ v),
            (np.array(v) @ a.T, x @ v),
            (v @ sparcl.csr(x.T), x @ v),
        ):
            assert found.dtype == kind
            np.testing.assert_array_equal(found.toarray(), expected)
    many: Any = sparcl.csr(np.ones((1, 3), np.bool_))
    assert (many @ np.full(3, 2**23)).toarray() == [3 * 2**23]
    for matrix, v in ((a, [2**52, 1, 1]), (a.T, [2**52, 1])):
        with pytest.raises(sparcl.DTypeError, match="up to 2 terms of up to 3 "):
            matrix @ v
    assert (a @ np.ones(3, np.float32)).dtype == np.float32


def test_products_with_a_number_say_which_operator_has_them() -> None:
    x: Any = sparse(8, 6).toarray()
    a: Any = sparcl.csr(x)
    rows = a.T @ numbers(8)
    for left in (a, a.csc(), a.coo(), a.bsr((2, 2)), sparcl.dense(x), rows):
        for number in (3.0, np.float32(3)):
            with pytest.raises(sparcl.ShapeError, match=r"y: .* found a number; use x \* 3\.0"):
                left @ number
            with pytest.raises(sparcl.ShapeError, match=r"x: .* found a number; use 3\.0 \* y"):
                number @ left


def test_row_sparse_arrays_and_numbers_are_dense() -> None:
    rows: Any = sparcl.csr(sparse(8, 6).toarray()).T @ numbers(8)
    for found, expected in (
        (rows + 1, rows.numpy() + 1),
        (rows - np.float32(2), rows.numpy() - 2),
        (1 - rows, 1 - rows.numpy()),
    ):
        assert isinstance(found, sparcl.Dense)
        close(found, expected)
