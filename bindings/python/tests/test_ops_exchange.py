"""Memory shared with NumPy and PyTorch, bfloat16, devices with their own memory, and lifetimes."""

from __future__ import annotations

import gc
import random
import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from ops_data import REAL, close, numbers, same, sparse

import sparcl
from sparcl import _core, _parts, ops


def copied() -> int:
    """Bytes that were copied so far."""
    return sparcl.default_context().bytes_copied


def test_torch_shares_the_memory_of_dense_arrays() -> None:
    if not sparcl.default_context().shares_memory:
        pytest.skip("the device has memory of its own")
    torch = pytest.importorskip("torch")
    tensor = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    before = copied()
    device = sparcl.dense(tensor, copy="never")
    assert device.numpy().ctypes.data == tensor.data_ptr()
    back = torch.from_dlpack(device)
    assert back.data_ptr() == tensor.data_ptr()
    result = torch.from_dlpack(device @ sparcl.dense(torch.eye(4), copy="never"))
    assert torch.equal(result, tensor)
    assert copied() == before
    parameter = torch.nn.Parameter(torch.ones(2, 3))
    assert sparcl.dense(parameter).numpy().ctypes.data == parameter.data_ptr()
    del device
    gc.collect()
    assert back[2, 3] == 11
    device = sparcl.dense(back)
    assert device.__dlpack_device__() == (1, 0)
    assert np.from_dlpack(device).shape == (3, 4)
    view = torch.from_dlpack(device[1:, 2:])
    assert torch.equal(view, tensor[1:, 2:])
    assert view.data_ptr() == tensor[1:, 2:].data_ptr()


def test_conversions_of_arrays_are_copies() -> None:
    x = np.ones((4, 3), np.float16)
    before = copied()
    same(sparcl.dense(x, dtype="float32"), x.astype(np.float32))
    more = 0 if sparcl.default_context().shares_memory else x.nbytes * 4
    assert copied() == before + x.nbytes * 2 + more
    with pytest.raises(ValueError, match="copy='never'"):
        sparcl.dense(x, dtype="float32", copy="never")
    same(sparcl.dense([1, 2], dtype="float32"), np.array([1, 2], np.float32))


def test_bfloat16() -> None:
    torch = pytest.importorskip("torch")
    x = numbers(5, 4).astype(np.float32)
    tensor = torch.tensor(x).to(torch.bfloat16)
    bits = tensor.view(torch.int16).numpy().view(np.uint16)
    before = copied()
    device = sparcl.dense(tensor)
    assert copied() == before or not sparcl.default_context().shares_memory
    assert device.dtype == sparcl.bfloat16
    assert "bfloat16" in repr(device)
    assert "bfloat16" in device._repr_html_()
    same(device, bits)
    same(sparcl.dense(x).astype("bfloat16"), bits)
    same(sparcl.dense(x, dtype="bfloat16"), bits)
    same(device.astype("float32"), tensor.float().numpy())
    total = device + device
    assert total.dtype == sparcl.bfloat16
    same(total, (tensor + tensor).view(torch.int16).numpy().view(np.uint16))
    same(device[1:3], bits[1:3])
    same(device.T, bits.T)
    back = torch.from_dlpack(device).view(torch.bfloat16)
    assert torch.equal(back, tensor)
    assert device[0, :1].item() == float(tensor[0, 0])
    a = sparcl.csr(sparse(5, 4).astype(np.float32)).astype("bfloat16")
    assert (a.T @ device).dtype == sparcl.bfloat16
    assert a.sum() == pytest.approx(float(a.dense().astype("float32").sum()), rel=0.02)
    with pytest.raises(TypeError, match="dtype"):
        sparcl.dense(np.ones(3, np.uint16))


def on_device(x: npt.NDArray[Any]) -> sparcl.Dense:
    """In memory of the device, also where that of the host is shared."""
    context = sparcl.default_context()
    buffer = _core.Buffer(context._core, x.nbytes)
    buffer.write(x)
    return sparcl.Dense(context, _parts.Part(buffer, x.shape, x.dtype, None))


def test_memory_of_the_device_is_copied_and_counted() -> None:
    x = numbers(6, 4)
    device = on_device(x)
    before = copied()
    same(device, x)
    assert copied() == before + x.nbytes
    same(device[2:5], x[2:5])
    assert copied() == before + 2 * x.nbytes - 3 * x[0].nbytes
    same(device[:, 1:3], x[:, 1:3])
    same(device.T, x.T)
    same(device[1:4, 2:].T, x[1:4, 2:].T)
    close(device @ x.T, x @ x.T)


def test_cut_results_keep_their_values() -> None:
    a = sparse(300, 40, density=0.5)
    device = sparcl.csr(a)
    few = device.prune(2.0)
    assert few.nnz == int((abs(a.data) > 2).sum())
    assert few.nbytes < device.nbytes / 2
    same(few.dense(), np.where(abs(a.toarray()) > 2, a.toarray(), 0))
    most = device.prune(0.1)
    assert most.nnz == int((abs(a.data) > 0.1).sum())
    same(few.scipy().toarray(), few.dense())
    close((few.T @ np.ones((300, 2), REAL)).dense(), few.scipy().T @ np.ones((300, 2)))


def test_results_are_used_before_they_are_there() -> None:
    a = sparse(2000, 300, density=0.1)
    device, b = sparcl.csr(a), numbers(300, 16)
    x: Any = sparcl.dense(b)
    expected = b
    for _ in range(5):
        x = (device.T @ (device @ x)).dense() * 0.01
        expected = (a.T @ (a @ expected)) * 0.01
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-4)


def test_arrays_views_and_results_are_deleted_in_any_order() -> None:
    drawn = random.Random(5)
    alive: list[tuple[Any, npt.NDArray[Any]]] = []
    contexts = [sparcl.Context(share=sparcl.default_context().shares_memory)]

    def new() -> tuple[Any, npt.NDArray[Any]]:
        kind = drawn.randrange(3)
        if kind == 0:
            x = np.arange(24.0, dtype=REAL).reshape(6, 4) + drawn.random()
            return sparcl.dense(x, context=contexts[0]), x.copy()
        a = sparse(6, 4, seed=drawn.randrange(100))
        made = sparcl.csr(a, context=contexts[0])
        return (made if kind == 1 else made.rows()), a.toarray()

    def derived(x: Any, expected: npt.NDArray[Any]) -> tuple[Any, npt.NDArray[Any]]:
        kind = drawn.randrange(6)
        if kind == 0 and expected.shape[0] > 1:
            return x[1:], expected[1:]
        if kind == 1 and isinstance(x, sparcl.Dense):
            return x.T, expected.T
        if kind == 2 and isinstance(x, sparcl.CSR):
            return x.T.T, expected
        if kind == 3:
            return 2 * x, 2 * expected
        if kind == 4 and isinstance(x, sparcl.CSR):
            identity = np.eye(expected.shape[1], dtype=REAL)
            return x @ identity, expected
        return (x if isinstance(x, sparcl.Dense) else x.dense()), expected

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(150):
            alive.append(
                new() if drawn.random() < 0.3 or not alive else derived(*drawn.choice(alive))
            )
            if len(alive) > 12:
                alive.pop(drawn.randrange(len(alive)))
            x, expected = drawn.choice(alive)
            view = x.numpy() if isinstance(x, sparcl.Dense) else x.dense().numpy()
            del x
            close(view, expected)
    finally:
        gc.set_threshold(*threshold)
    contexts.clear()
    drawn.shuffle(alive)
    while alive:
        x, expected = alive.pop()
        close(x.numpy() if isinstance(x, sparcl.Dense) else x.dense(), expected)


def test_threads_may_ask_for_one_size() -> None:
    a, ones = sparse(500, 300, density=0.01), np.ones((500, 2), REAL)
    device = sparcl.csr(a)
    expected = len(np.unique(a.indices))
    for _ in range(10):
        gradient = device.T @ ones
        found: list[tuple[int, int]] = []

        def ask(r: sparcl.RowSparse = gradient, to: list[tuple[int, int]] = found) -> None:
            to.append((r.nnr, (2 * r).nnr))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [(expected, expected)] * 4


def test_trusted_views_are_those_that_were_proven() -> None:
    a = sparcl.csr(sparse(6, 4, density=0.8, unsorted=True))
    assert not a.T.T.has_sorted_indices
    assert a.T._core.flags & 1
    assert ops.csr_unary(a, "abs").has_sorted_indices is False
    assert ops.csr_unary(a.canonical(), "abs").has_canonical_format
    made = scipy.sparse.csr_array(np.eye(3, dtype=REAL))
    assert sparcl.csr(made).T.csr().has_canonical_format
