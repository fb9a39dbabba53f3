"""The core of the package: devices, arrays without copies, products, errors, forks and threads."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import sparcl


@pytest.fixture(scope="module")
def context() -> sparcl.Context:
    return sparcl.default_context()


def matrix(
    rows: int = 50, cols: int = 40, dtype: str = "float32", seed: int = 1
) -> scipy.sparse.csr_array:
    random = np.random.default_rng(seed)
    dense = np.where(random.random((rows, cols)) < 0.1, random.standard_normal((rows, cols)), 0)
    return scipy.sparse.csr_array(dense.astype(dtype))


def test_devices_are_listed() -> None:
    assert any(device.usable for device in sparcl.devices())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_are_those_of_scipy(context: sparcl.Context, dtype: str) -> None:
    if dtype == "float64" and not context.device.has_f64:
        pytest.skip("no float64")
    a = matrix(dtype=dtype)
    b = np.random.default_rng(2).standard_normal((40, 7)).astype(dtype)
    on_device = sparcl.csr(a, context=context)
    bound = {"float32": 1e-5, "float64": 1e-13}[dtype]
    np.testing.assert_allclose((on_device @ b).numpy(), a @ b, atol=bound)
    g = np.random.default_rng(3).standard_normal((50, 7)).astype(dtype)
    gradient = on_device.T @ g
    assert isinstance(gradient, sparcl.RowSparse)
    np.testing.assert_array_equal(gradient.indices, np.unique(a.indices))
    np.testing.assert_allclose(gradient.dense().numpy(), a.T @ g, atol=bound)


def test_nothing_is_copied_where_memory_is_shared(context: sparcl.Context) -> None:
    if not context.shares_memory:
        pytest.skip("the device has memory of its own")
    a, b = matrix(), np.ones((40, 3), np.float32)
    before = context.bytes_copied
    on_device = sparcl.csr(a, context=context, copy="never")
    dense = sparcl.dense(b, context=context, copy="never")
    result = on_device @ dense
    assert np.shares_memory(result.numpy(), result.numpy())
    assert np.shares_memory(on_device.scipy().data, a.data)
    assert np.shares_memory(dense.numpy(), b)
    assert context.bytes_copied == before
    strided = np.ones((40, 6), np.float32)[:, ::2]
    with pytest.raises(ValueError, match="without gaps"):
        sparcl.dense(strided, context=context, copy="never")
    sparcl.dense(strided, context=context)
    assert context.bytes_copied == before + strided.nbytes


def test_arrays_may_be_deleted_in_any_order() -> None:
    context = sparcl.Context()
    result = sparcl.csr(matrix(), context=context) @ np.ones((40, 3), np.float32)
    values = result.numpy()
    expected = values.copy()
    del context
    gc.collect()
    np.testing.assert_array_equal(result.numpy(), expected)
    del result
    gc.collect()
    np.testing.assert_array_equal(values, expected)


def test_errors_have_the_message_of_the_library(context: sparcl.Context) -> None:
    a = sparcl.csr(matrix(), context=context)
    with pytest.raises(sparcl.ShapeError, match="spmm"):
        a @ np.ones((41, 3), np.float32)
    with pytest.raises(sparcl.DTypeError):
        sparcl.spmm(a, sparcl.dense(np.ones((40, 3), np.float64), context=context))
    bad = matrix()
    bad.indices[3] = 1000
    with pytest.raises(sparcl.DataError, match="1000"):
        sparcl.csr(bad, context=context)
    with pytest.raises(TypeError, match="tocsr"):
        sparcl.csr(matrix().tocoo(), context=context, copy="never")
    with pytest.raises(sparcl.errors.DeviceError):
        sparcl.Context("no-such-device")
    (a @ np.ones((40, 3), np.float32)).numpy()  # the context is still usable


def test_threads_share_a_context(context: sparcl.Context) -> None:
    a = matrix(500, 400)
    b = np.random.default_rng(4).standard_normal((400, 8)).astype(np.float32)
    on_device = sparcl.csr(a, context=context)
    expected = (on_device @ b).numpy().copy()
    found: list[bool] = []

    def compute() -> None:
        for _ in range(20):
            found.append(np.array_equal((on_device @ b).numpy(), expected))

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 80


FIRST_USE = """
import os, sys, threading, sparcl
count, failures = int(sys.argv[2]), []
barrier = threading.Barrier(count)
def use():
    barrier.wait()
    try:
        opened.append(getattr(sparcl, sys.argv[1])())
    except Exception as error:
        failures.append(error)
opened = []
threads = [threading.Thread(target=use) for _ in range(count)]
for thread in threads: thread.start()
for thread in threads: thread.join()
if sys.argv[1] == "default_context": assert all(context is opened[0] for context in opened)
child = os.fork()
if child == 0:
    try:
        sparcl.default_context()
    except sparcl.errors.UnsupportedError as error:
        os._exit(3 if "fork" in str(error) else 4)
    os._exit(5)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
sys.exit(repr(failures) if failures or len(opened) != count else 0)
"""


@pytest.mark.parametrize("mode", ["default_context", "Context", "devices"])
@pytest.mark.parametrize("count", [2, 8])
def test_threads_may_be_the_first_to_use_a_device_at_the_same_time(mode: str, count: int) -> None:
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", FIRST_USE, mode, str(count)],
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr


FORK = """
import os, numpy as np, scipy.sparse, sparcl
if {early}: context = sparcl.Context()
child = os.fork()
if child == 0:
    try:
        a = sparcl.csr(scipy.sparse.csr_array(np.eye(3, dtype=np.float32)), {argument})
        (a @ np.ones((3, 1), np.float32)).numpy()
    except sparcl.errors.UnsupportedError as error:
        os._exit(3 if "before" in str(error) and "fork" in str(error) else 4)
    os._exit(0)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize(
    ("early", "argument"), [(True, "context=context"), (True, ""), (False, "")]
)
def test_a_fork_is_an_error_only_after_a_context_was_opened(early: bool, argument: str) -> None:
    program = FORK.format(early=early, argument=argument)
    done = subprocess.run([sys.executable, "-c", program], timeout=3600, check=False)
    assert done.returncode == (3 if early else 0)


def test_nothing_is_opened_at_import() -> None:
    program = "import os, sparcl; print(len(os.listdir('/proc/self/task')))"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == "1"


def test_every_format_comes_and_goes(context: sparcl.Context) -> None:
    a = matrix()
    on_device = sparcl.csr(a, context=context)
    for found in (
        on_device.scipy(),
        on_device.csc().scipy(),
        on_device.csc().csr().scipy(),
        on_device.coo().scipy(),
        on_device.coo().csr().scipy(),
        sparcl.csc(a.tocsc(), context=context).csr().scipy(),
        sparcl.coo(a.tocoo(), context=context).csr().scipy(),
        on_device.dense().csr().scipy(),
    ):
        np.testing.assert_array_equal(found.toarray(), a.toarray())
    for dense in (on_device.dense(), on_device.csc().dense(), on_device.coo().dense()):
        np.testing.assert_array_equal(dense.numpy(), a.toarray())
    assert on_device.dense().csr(threshold=1.0).nnz == int((abs(a.data) > 1).sum())


def test_positions_that_stand_twice_are_added(context: sparcl.Context) -> None:
    random = np.random.default_rng(5)
    rows, cols = random.integers(0, 6, 100), random.integers(0, 7, 100)
    values = random.integers(-9, 9, 100).astype(np.float32)
    a = scipy.sparse.coo_array((values, (rows, cols)), shape=(6, 7))
    summed = sparcl.coo(a, context=context).coalesce()
    np.testing.assert_array_equal(summed.scipy().toarray(), a.toarray())
    assert summed.nnz == len(set(zip(rows.tolist(), cols.tolist(), strict=True)))
    gradient = sparcl.rows(rows, np.repeat(values[:, None], 3, 1), (6, 3), context=context)
    expected = np.zeros((6, 3), np.float32)
    np.add.at(expected, rows, values[:, None])
    np.testing.assert_array_equal(gradient.dense().numpy(), expected)
    np.testing.assert_array_equal(gradient.coalesce().indices, np.unique(rows))
    with pytest.raises(ValueError, match="values: expected the shape"):
        sparcl.rows(rows, values, (6, 3), context=context)
    with pytest.raises(sparcl.DataError):
        sparcl.rows(rows + 1, np.ones((100, 3), np.float32), (6, 3), context=context)


def test_lists_are_taken_and_all_elements_given(context: sparcl.Context) -> None:
    made = sparcl.rows([2, 0], [[1.0, 2.0], [3.0, 4.0]], (3, 2), context=context)
    np.testing.assert_array_equal(made.toarray(), [[3, 4], [0, 0], [1, 2]])
    a = matrix()
    np.testing.assert_array_equal(sparcl.csr(a, context=context).toarray(), a.toarray())
    np.testing.assert_array_equal(sparcl.dense([1.0, 2.0], context=context).toarray(), [1, 2])
    with pytest.raises(ValueError, match="expected a vector"):
        sparcl.rows([[2]], [[1.0, 2.0]], (3, 2), context=context)


def test_the_command_is_the_tool_with_the_devices_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sparcl import _runtimes, _tool  # noqa: PLC0415 (not loaded by the package)

    if _tool.TOOL.is_file():
        command = [sys.executable, "-c", "import sparcl._tool; sparcl._tool.main()", "--version"]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
        assert found.stdout.startswith(f"sparcl {sparcl.__version__}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("OCL_ICD_VENDORS", "before")
    folder = tmp_path / "sparcl" / "icd"
    folder.mkdir(parents=True)
    (folder / "gone.icd").write_text("libgone.so\n")
    monkeypatch.setattr(_runtimes, "_wanted", lambda: ({"a.icd": "a.so"}, {"b.icd": "b.so"}, ""))
    _runtimes.add_for_program()
    assert os.environ["OCL_ICD_VENDORS"] == str(folder)
    assert {x.name: x.read_text() for x in folder.iterdir()} == {
        "a.icd": "a.so\n",
        "b.icd": "b.so\n",
    }
    monkeypatch.setattr(_tool, "TOOL", tmp_path / "none")
    with pytest.raises(SystemExit, match=r"expected the tool as .*none, found none"):
        _tool.main()
