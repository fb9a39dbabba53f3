"""Arrays without rows, columns or entries, and of one element."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from ops_data import REAL, close

import sparcl
from sparcl import ops


def full(x: Any) -> npt.NDArray[Any]:
    return x.numpy() if isinstance(x, sparcl.Dense) else x.dense().numpy()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 4), (1, 1)], ids=str)
@pytest.mark.parametrize("value", [0, 1])
def test_operations_of_any_size(shape: tuple[int, int], value: int) -> None:
    m, n = shape
    x = np.full(shape, value, REAL)
    a, d = sparcl.csr(x), sparcl.dense(x)
    right, left = np.ones((n, 2), REAL), np.ones((m, 2), REAL)
    found_and_expected: list[tuple[Any, Any]] = [
        *((getattr(a, form)(), x) for form in ("csr", "csc", "coo", "rows", "dense")),
        *((getattr(d, form)(), x) for form in ("csr", "csc", "coo", "rows", "dense")),
        (a.T, x.T),
        (a.transpose(), x.T),
        (a + a, 2 * x),
        (a * a, x * x),
        (a @ a.T, x @ x.T),
        (a @ right, x @ right),
        (a.T @ left, x.T @ left),
        (a @ right[:, 0], x @ right[:, 0]),
        (a[0:0], x[0:0]),
        (a[:, 0:0], x[:, 0:0]),
        (a[[]], x[:0]),
        (a.sum(0), x.sum(0)),
        (a.sum(1), x.sum(1)),
        (a.max(1), x.max(1, initial=0)),
        (a.prune(2), 0 * x),
        (a.tril(), np.tril(x)),
        (a.sort_indices(), x),
        (a.sum_duplicates(), x),
        (a.softmax(), x / max(n, 1)),
        (a.reshape(n, m), x.reshape(n, m)),
        (a.coo().coalesce(), x),
        (a.coo() + a.coo(), 2 * x),
        (a.coo().T, x.T),
        (a.coo().reshape(n, m), x.reshape(n, m)),
        (a.rows() + a.rows(), 2 * x),
        (a.rows() * a.rows(), x * x),
        (a.rows()[0:], x),
        (ops.csr_concat_rows([a, a]).result, np.vstack([x, x])),
        (ops.csr_concat_columns([a, a]).result, np.hstack([x, x])),
        (d + 1, x + 1),
        (d @ x.T, x @ x.T),
        (d.T, x.T),
        (d.T.contiguous(), x.T),
        (d[:, : n // 2], x[:, : n // 2]),
        (d.sum(0), x.sum(0)),
        (d.sum(1), x.sum(1)),
        (d.reshape(-1), x.reshape(-1)),
        (d * a, x * x),
        (d + a, 2 * x),
    ]
    for found, expected in found_and_expected:
        close(full(found), expected)
        assert full(found).shape == expected.shape
    assert a.sum() == x.sum()
    assert a.nnz == x.sum()
    assert f"nnz {a.nnz}" in repr(a)


def test_arrays_of_one_format_become_others() -> None:
    x = np.array([[1, 0], [0, 2]], REAL)
    for form in ("csr", "csc", "coo", "rows", "dense"):
        given = getattr(sparcl.dense(x), form)()
        for maker in (sparcl.csr, sparcl.csc, sparcl.coo, sparcl.dense):
            close(full(maker(given)), x)
    assert sparcl.dense(sparcl.csr(x), dtype="float16").dtype == np.float16
    with pytest.raises(TypeError, match="expected a matrix"):
        sparcl.csr(sparcl.indices([1], 2))
