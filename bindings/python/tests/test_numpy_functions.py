"""Functions of NumPy, and its arrays, beside arrays of the package."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from ops_data import close, numbers, sparse

import sparcl

X = sparse(8, 6).toarray()


def arrays() -> tuple[Any, Any, npt.NDArray[Any], npt.NDArray[Any]]:
    """A dense and a row-sparse product, and what they are in NumPy."""
    a, v, r = sparcl.csr(X), numbers(6), numbers(8, seed=1)
    return a @ v, a.T @ r, X @ v, X.T @ r


def test_updates_in_place_are_of_the_array() -> None:
    dense, rows, y, g = arrays()
    for own, found in ((dense, y), (rows, g)):
        for kind in (np.float32, np.float64):
            w = np.full(found.shape, 2, kind)
            alias = w
            w -= np.float32(0.5) * own
            w += own
            w *= own
            assert w is alias
            np.testing.assert_allclose(w, (2 + 0.5 * found) * found, rtol=1e-5)
        w = np.zeros(found.shape)
        np.subtract(w, own, out=w)
        close(w, -found)
        w[:] = own
        close(w, found)
    w = np.zeros((8, 6), np.float32)
    with pytest.raises(TypeError, match=r"a\.toarray\(\)"):
        w -= sparcl.csr(X)
    assert not w.any()


def test_operators_of_functions_and_of_arrays_are_the_same() -> None:
    dense, rows, y, g = arrays()
    for found, expected in (
        (np.add(dense, 1), y + 1),
        (np.subtract(y, dense), 0 * y),
        (np.multiply(rows, np.float32(2)), 2 * g),
        (np.matmul(sparcl.csr(X), numbers(6)), y),
    ):
        assert isinstance(found, (sparcl.Dense, sparcl.RowSparse))
        close(found, expected)
    a: Any = sparcl.csr(X)
    for each in (np.absolute(a), np.negative(a)):
        assert isinstance(each, sparcl.CSR)


def test_other_functions_are_of_the_elements() -> None:
    dense, rows, y, g = arrays()
    a: Any = sparcl.csr(X)
    for own, elements in ((dense, y), (rows, g)):
        for found, expected in (
            (np.exp(own), np.exp(elements)),
            (np.abs(own), np.abs(elements)),
            (np.maximum(own, 0), np.maximum(elements, 0)),
            (np.add.reduce(own), np.add.reduce(elements)),
            (np.add(own, 1, dtype=np.float64), elements + 1),
        ):
            assert not isinstance(found, (sparcl.Dense, sparcl.RowSparse))
            close(found, expected)
    halves: Any = sparcl.dense([0.0, 2.0], dtype="bfloat16")
    close(np.square(halves), [0.0, 4.0])
    with pytest.raises(TypeError, match=r"found a sparcl.CSR; use a\.toarray\(\)"):
        np.sqrt(a)
    with pytest.raises(TypeError, match="out: expected an array of NumPy"):
        np.add(dense, 1, out=dense)


def test_row_sparse_arrays_are_read_whole() -> None:
    _, rows, _, g = arrays()
    assert np.asarray(rows).shape == g.shape
    assert np.array(rows, np.float64).dtype == np.float64
    assert np.allclose(rows, g, atol=1e-5)
    close(rows.numpy(), g)
    w = numbers(6, seed=2)
    close(w @ rows, [w @ g])
    close(np.dot(w, rows), w @ g)


@pytest.mark.parametrize("name", ["csr", "csc", "coo"])
def test_sparse_matrices_are_not_read_whole(name: str) -> None:
    a = getattr(sparcl, name)(X)
    for function in (np.asarray, np.array):
        with pytest.raises(TypeError, match=r"use a\.toarray\(\) or a\.dense\(\)\.numpy\(\)"):
            function(a)


def test_comparisons_are_of_the_elements() -> None:
    dense, rows, y, g = arrays()
    for own, elements in ((dense, y), (rows, g)):
        for found, expected in (
            (own == 0, elements == 0),
            (own != elements, [False] * len(elements)),
            (own < 0, elements < 0),
            (own <= elements[:1], elements <= elements[:1]),
            (own > sparcl.dense(elements), [False] * len(elements)),
            (own >= 0, elements >= 0),
            (elements == own, [True] * len(elements)),
        ):
            assert found.dtype == np.bool_
            np.testing.assert_array_equal(found, expected)
        assert own in [own]
        assert {own: 1}[own] == 1
    with pytest.raises(TypeError, match="CSR"):
        dense == sparcl.csr(X)  # noqa: B015


def test_an_array_of_one_element_is_a_number() -> None:
    dense, rows, y, g = arrays()
    assert float(dense[0]) == pytest.approx(y[0])
    assert int(sparcl.dense([2**53 + 1, 0])[0]) == 2**53 + 1
    assert not bool(sparcl.dense([0.0]))
    assert bool(rows[:1]) == bool(g[0])
    close(dense.tolist(), y)
    for several in (dense, rows):
        for kind in (bool, float, int):
            with pytest.raises(ValueError, match="expected one element, found"):
                kind(several)


def test_reductions_of_numpy_are_those_of_arrays() -> None:
    dense, rows, y, g = arrays()
    a: Any = sparcl.csr(X)
    for own, elements in ((dense, y), (rows, g), (a, X), (a.coo(), X)):
        for function in (np.sum, np.mean, np.max, np.min):
            close(function(own), function(elements))
    close(np.sum(a, axis=1), X.sum(axis=1))
    for each in (dense, a, a.coo()):
        with pytest.raises(TypeError, match=r"keepdims; use a\.toarray\(\)"):
            np.sum(each, keepdims=True)
