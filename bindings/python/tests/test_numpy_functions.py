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
