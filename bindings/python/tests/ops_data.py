"""What the tests of operations share: data, and gradients by finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

import sparcl

REAL = np.dtype("float64" if sparcl.Context().device.has_f64 else "float32")
CLOSE = {"rtol": 1e-11, "atol": 1e-12} if np.float64 == REAL else {"rtol": 2e-5, "atol": 2e-5}
SLOPE = {"rtol": 1e-6, "atol": 1e-7} if np.float64 == REAL else {"rtol": 5e-2, "atol": 5e-2}


def numbers(*shape: int, seed: int = 0) -> npt.NDArray[Any]:
    """Normal random numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(REAL)


def sparse(
    rows: int, cols: int, density: float = 0.3, seed: int = 0, unsorted: bool = False
) -> scipy.sparse.csr_array:
    """A random matrix, of which row 1 is empty."""
    random = np.random.default_rng(seed)
    elements = random.standard_normal((rows, cols)) * (random.random((rows, cols)) < density)
    if rows > 1:
        elements[1] = 0
    made = scipy.sparse.csr_array(elements.astype(REAL))
    if unsorted:
        for i in range(rows):
            part = slice(made.indptr[i], made.indptr[i + 1])
            made.indices[part] = made.indices[part][::-1].copy()
            made.data[part] = made.data[part][::-1].copy()
        made.has_sorted_indices = False
    return made


def slope(f: Callable[[Any], Any], at: npt.NDArray[Any], step: float = 1e-6) -> npt.NDArray[Any]:
    """The gradient of a number by central differences in float64; where it is computed on the
    device, and linear, with a large step."""
    found = np.empty(at.shape, np.float64)
    for k in np.ndindex(at.shape):
        changed = at.astype(np.float64)
        changed[k] = at[k] + step
        high = float(f(changed))
        changed[k] = at[k] - step
        found[k] = (high - float(f(changed))) / (2 * step)
    return found


def close(found: Any, expected: Any) -> None:
    """Equal but for rounding."""
    array = found.numpy() if hasattr(found, "numpy") else np.asarray(found)
    np.testing.assert_allclose(array, expected, **CLOSE)


def near(found: Any, expected: Any) -> None:
    """A gradient is that of finite differences."""
    array = found.numpy() if hasattr(found, "numpy") else np.asarray(found)
    np.testing.assert_allclose(array, expected, **SLOPE)


def same(found: Any, expected: Any) -> None:
    """Equal, and of one shape."""
    array = found.numpy() if hasattr(found, "numpy") else np.asarray(found)
    np.testing.assert_array_equal(array, expected)
    assert array.shape == np.shape(expected)


def with_data(a: scipy.sparse.csr_array, data: npt.NDArray[Any]) -> sparcl.CSR:
    """A matrix with the indices of another on the device."""
    values = data.astype(REAL)
    return sparcl.csr(scipy.sparse.csr_array((values, a.indices, a.indptr), shape=a.shape))
