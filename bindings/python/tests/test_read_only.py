"""Memory that may only be read: read where it is, and never written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse

import sparcl
from sparcl import ops
from sparcl.errors import ArgumentError

Array = npt.NDArray[Any]
SHAPE = (3, 2)


def _locked(x: Array) -> Array:
    x.flags.writeable = False
    return x


def _mapped(x: Array, folder: Path) -> Array:
    x.tofile(folder / "x")
    return np.memmap(folder / "x", x.dtype, "r", shape=x.shape)


def _column(x: Array) -> Array:
    pandas = pytest.importorskip("pandas")
    column = pandas.Series(x.ravel()).to_numpy()
    return _locked(column).reshape(x.shape)


def _parameter(x: Array) -> Any:
    return pytest.importorskip("torch").nn.Parameter(pytest.importorskip("torch").tensor(x))


SOURCES: dict[str, Callable[[Array, Path], Any]] = {
    "not writeable": lambda x, _: _locked(x.copy()),
    "broadcast": lambda x, _: np.broadcast_to(x, x.shape),
    "bytes": lambda x, _: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    "mapped file": _mapped,
    "DLPack": lambda x, _: np.from_dlpack(_locked(x.copy())),
    "pandas": lambda x, _: _column(x),
    "parameter": lambda x, _: _parameter(x),
}


def _rows() -> sparcl.RowSparse:
    return sparcl.rows([1], np.ones((1, 2), "float32"), SHAPE)


def _vector(x: sparcl.Dense) -> sparcl.Dense:
    return x.reshape(-1)


def _bind_output(x: sparcl.Dense) -> None:
    graph = sparcl.graph.Graph()
    given = graph.dense("x", SHAPE)
    graph.bind_output(given + given, x)


def _batch_norm(x: sparcl.Dense, which: str) -> None:
    own = sparcl.dense(np.zeros(6, "float32"))
    both = {"running_mean": own, "running_variance": own.copy(), which: _vector(x)}
    ops.batch_norm(sparcl.dense(np.ones((2, 6), "float32")), **both)


ONES = np.ones((3, 3), "float32")
WRITES: dict[str, tuple[str, Callable[[sparcl.Dense], Any]]] = {
    "scatter_add": ("table", lambda x: ops.scatter_add(x, _rows())),
    "assign_rows": ("table", lambda x: ops.assign_rows(x, _rows())),
    "embedding_renorm": ("table", lambda x: ops.embedding_renorm(x, [0, 2], 0.1)),
    "optimizer": ("table", lambda x: sparcl.optim.SGD(x, lr=1.0).step(_rows())),
    "exact": ("table", lambda x: sparcl.optim.Adam(x, exact=True).step(_rows())),
    "spmm": ("out", lambda x: ops.spmm(sparcl.csr(ONES), sparcl.dense(ONES[:, :2]), out=x)),
    "spmm_t": ("out", lambda x: ops.spmm_t(sparcl.csr(ONES), sparcl.dense(ONES[:, :2]), out=x)),
    "gemm": ("out", lambda x: ops.gemm(sparcl.dense(ONES), sparcl.dense(ONES[:, :2]), out=x)),
    "matmul": ("out", lambda x: ops.matmul(sparcl.csr(ONES), sparcl.dense(ONES[:, :2]), out=x)),
    "sum_rows": (
        "out",
        lambda x: ops.sum_rows(sparcl.dense(np.ones((2, 6), "float32")), out=_vector(x)),
    ),
    "running_mean": ("running_mean", lambda x: _batch_norm(x, "running_mean")),
    "running_variance": ("running_variance", lambda x: _batch_norm(x, "running_variance")),
    "graph output": ("array", _bind_output),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("write", WRITES)
def test_memory_that_may_only_be_read_is_not_written(
    source: str, write: str, tmp_path: Path
) -> None:
    x = np.arange(6, dtype="float32").reshape(SHAPE)
    given = SOURCES[source](x, tmp_path)
    table = sparcl.dense(given)
    name, call = WRITES[write]
    if sparcl.default_context().shares_memory:
        with pytest.raises(ArgumentError, match=rf"^{name}: expected memory that may be written"):
            call(table)
    else:
        call(table)  # on a copy
    np.testing.assert_array_equal(np.asarray(getattr(given, "detach", lambda: given)()), x)
    call(sparcl.dense(x.copy()))
    call(table.copy())


def test_memory_that_may_only_be_read_is_an_operand() -> None:
    before = sparcl.default_context().bytes_copied
    given = _locked(np.arange(6, dtype="float32").reshape(SHAPE))
    table = sparcl.dense(given)
    if sparcl.default_context().shares_memory:
        assert table.numpy() is given
        assert sparcl.default_context().bytes_copied == before
    np.testing.assert_array_equal((table + table).numpy(), given + given)
    np.testing.assert_array_equal(table.copy().numpy(), given)
    parts = [
        _locked(each) for each in (np.ones(2, "float32"), np.arange(2), np.array([0, 1, 2, 2]))
    ]
    a = scipy.sparse.csr_array(tuple(parts), shape=(3, 3))
    np.testing.assert_array_equal((sparcl.csr(a) @ table).numpy(), a @ given)
    assert np.array_equal(a.data, [1, 1])


def test_the_core_itself_writes_no_such_memory() -> None:
    """Where a function of Python would forget to ask."""
    if not sparcl.default_context().shares_memory:
        pytest.skip("the device has memory of its own")
    given = _locked(np.zeros((3, 2), "float32"))
    table = sparcl.dense(given)
    with pytest.raises(ArgumentError, match=re.escape("memory that may only be read; give a copy")):
        sparcl._core.scatter_add(table.context._core, table._core, 1.0, _rows()._core)
    assert not given.any()
