"""Optimizers: formulas, exact lazy steps, states, and what is refused."""

from __future__ import annotations

import inspect
import pydoc

import numpy as np
import numpy.typing as npt
import pytest

import sparcl


@pytest.fixture(scope="module")
def context() -> sparcl.Context:
    return sparcl.default_context()


Gradient = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]


def gradients(steps: int, rows: int, width: int) -> list[Gradient]:
    random = np.random.default_rng(7)
    return [
        (
            random.choice(rows, 3, replace=False),
            random.standard_normal((3, width)).astype(np.float32),
        )
        for _ in range(steps)
    ]


def adam(
    table: npt.NDArray[np.float64], steps: list[Gradient], lazy: bool
) -> npt.NDArray[np.float64]:
    """Kingma and Ba 2015; lazy: only the rows of a gradient and their moments move."""
    m, v = np.zeros_like(table), np.zeros_like(table)
    for t, (index, values) in enumerate(steps, 1):
        g = np.zeros_like(table)
        g[index] = values
        moved = index if lazy else np.arange(len(table))
        m[moved] = 0.9 * m[moved] + 0.1 * g[moved]
        v[moved] = 0.999 * v[moved] + 0.001 * g[moved] ** 2
        root = np.sqrt(v[moved] / (1 - 0.999**t)) + 1e-8
        table[moved] -= 0.01 * m[moved] / (1 - 0.9**t) / root
    return table


@pytest.mark.parametrize("exact", [False, True])
def test_adam_is_the_formula(context: sparcl.Context, exact: bool) -> None:
    steps = gradients(30, 20, 4)
    start = np.random.default_rng(8).standard_normal((20, 4)).astype(np.float32)
    weights = start.copy()
    table = sparcl.dense(weights, context=context)
    optimizer = sparcl.optim.Adam(table, exact=exact, lr=0.01)
    for index, values in steps:
        optimizer.step(sparcl.rows(index, values, (20, 4), context=context))
    optimizer.flush()
    assert optimizer.step_number == 30
    expected = adam(start.astype(np.float64), steps, lazy=not exact)
    np.testing.assert_allclose(table.numpy(), expected, atol=2e-6)
    if context.shares_memory:
        assert table.numpy() is weights


RULES = ["sgd", "adagrad", "adam", "rmsprop", "ftrl", "lion", "yogi"]


@pytest.mark.parametrize(
    ("rule", "exact"), [(rule, False) for rule in RULES] + [("adam", True), ("ftrl", True)]
)
def test_a_state_is_loaded(context: sparcl.Context, rule: str, exact: bool) -> None:
    steps = [
        sparcl.rows(index, values, (20, 4), context=context)
        for index, values in gradients(10, 20, 4)
    ]
    one = sparcl.dense(np.ones((20, 4), np.float32), context=context)
    whole = sparcl.optim.Optimizer(one, rule, exact=exact)
    for gradient in steps:
        whole.step(gradient)
    two = sparcl.dense(np.ones((20, 4), np.float32), context=context)
    first = sparcl.optim.Optimizer(two, rule, exact=exact)
    for gradient in steps[:5]:
        first.step(gradient)
    rest = sparcl.optim.Optimizer(two, rule, exact=exact)
    rest.load_state_dict(first.state_dict())
    for gradient in steps[5:]:
        rest.step(gradient)
    whole.flush()
    rest.flush()
    if exact:  # a flush in between rounds once more
        np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-6)
    else:
        np.testing.assert_array_equal(one.numpy(), two.numpy())


def test_dense_and_row_sparse_steps_of_all_rows_are_equal(context: sparcl.Context) -> None:
    g = np.random.default_rng(9).standard_normal((6, 3)).astype(np.float32)
    tables = [sparcl.dense(np.ones((6, 3), np.float32), context=context) for _ in range(2)]
    sparcl.optim.Adagrad(tables[0], lr=0.1).step(sparcl.dense(g, context=context))
    rows = sparcl.rows(np.arange(6), g, (6, 3), context=context)
    sparcl.optim.Adagrad(tables[1], lr=0.1).step(rows)
    np.testing.assert_array_equal(tables[0].numpy(), tables[1].numpy())


def test_settings_are_checked(context: sparcl.Context) -> None:
    table = sparcl.dense(np.ones((6, 3), np.float32), context=context)
    with pytest.raises(sparcl.errors.ArgumentError, match="beta1"):
        sparcl.optim.Adam(table, beta1=2)
    with pytest.raises(sparcl.errors.ArgumentError, match="no_such"):
        sparcl.optim.SGD(table, no_such=1)
    with pytest.raises(sparcl.errors.ArgumentError, match=r'use "momentum:momentum=0\.9"'):
        sparcl.optim.SGD(table, momentum=0.9)
    with pytest.raises(sparcl.errors.ArgumentError, match="sgd has no setting nesterov"):
        sparcl.optim.SGD(table)["nesterov"] = 1
    with pytest.raises(sparcl.errors.ArgumentError, match="nesterov or adamw"):
        sparcl.optim.Optimizer(table, "sdg")
    with pytest.raises(sparcl.errors.ArgumentError, match="adagrad"):
        sparcl.optim.Optimizer(table, "no such rule")
    optimizer = sparcl.optim.SGD(table, lr=0.5)
    optimizer["lr"] = 0.25
    assert float(optimizer["lr"]) == 0.25
    with pytest.raises(sparcl.ShapeError):  # noqa: PT012
        wide = np.ones((1, 4), np.float32)
        optimizer.step(sparcl.rows(np.array([1]), wide, (6, 4), context=context))
    assert optimizer.step_number == 0
    state = sparcl.optim.Adam(table).state_dict()
    with pytest.raises(ValueError, match="expected the state of the optimizer sgd"):
        optimizer.load_state_dict(state)


def test_each_rule_has_a_class() -> None:
    classes = sparcl.optim.Optimizer.__subclasses__()
    names = {kind._rule for kind in classes if kind.__module__ == "sparcl.optim"}
    assert names == {*sparcl.optim.rules(), "adamw", "nesterov"}
    for kind in classes:
        table = sparcl.dense(np.ones((4, 2), "float32"))
        optimizer = kind(table)
        optimizer.step(sparcl.rows(np.array([1]), np.ones((1, 2), "float32"), (4, 2)))
        assert optimizer.table.numpy()[1, 0] != 1, kind
        assert kind._rule.split(":")[0] in repr(optimizer) or kind in (
            sparcl.optim.AdamW,
            sparcl.optim.Nesterov,
        )


def test_help_lists_the_settings() -> None:
    """With the defaults that the class has, and what the signature says."""
    shown = pydoc.render_doc(sparcl.optim.Adam, renderer=pydoc.plaintext)
    assert "Adam(table, *, preset=None, exact=False, lr=0.001," in shown
    assert "beta1 : a number from 0 to less than 1, default 0.9" in shown
    assert "decay of the mean of gradients" in shown
    table = sparcl.dense(np.ones((4, 2), "float32"))
    for kind in sparcl.optim.Optimizer.__subclasses__():
        if kind.__module__ != "sparcl.optim":
            continue
        optimizer = kind(table)
        parameters = inspect.signature(kind).parameters
        given = {name: parameters[name].default for name in list(parameters)[3:]}
        assert repr(kind(table, **given)) == repr(optimizer)
        for name in given:
            assert f", default {optimizer[name]}\n" in (kind.__doc__ or "").split(f"\n{name} : ")[1]

    class Own(sparcl.optim.Adam):
        """One of a user."""

        def __init__(self, table: sparcl.Dense, steps: int) -> None:
            super().__init__(table, lr=1 / steps)

    assert list(inspect.signature(Own).parameters) == ["table", "steps"]
    assert Own.__doc__ == "One of a user."
    with pytest.raises(ValueError, match="lr: expected a finite number from 0, found"):
        sparcl.optim.SGD(table, lr=-1)
