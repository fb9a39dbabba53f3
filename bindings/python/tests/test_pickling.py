"""What is on a device, and data sets, are not pickled: the error says what to do; copies of names
share what they have."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sparcl

X = np.eye(6, 4)


def table() -> sparcl.Dense:
    return sparcl.dense(np.ones((3, 2), "float32"))


DEVICE: dict[str, Callable[[], Any]] = {
    "csr": lambda: sparcl.csr(X),
    "csc": lambda: sparcl.csc(X),
    "coo": lambda: sparcl.coo(X),
    "dense": table,
    "optimizer": lambda: sparcl.optim.SGD(table()),
    "graph": sparcl.Graph,
    "context": sparcl.default_context,
}


@pytest.mark.parametrize("name", DEVICE)
def test_what_is_on_a_device_is_not_pickled(name: str) -> None:
    x = DEVICE[name]()
    for make in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match=r"cannot be pickled .* such as a.scipy\(\)"):
            make(x)
    assert type(copy.copy(x)) is type(x)


def test_data_are_not_pickled_but_what_they_have_is() -> None:
    data = sparcl.data(X, ["a", "b"] * 3)
    for make in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match=r"save\(path\) and read_data\(path\)"):
            make(data)
    assert copy.copy(data).label_names == data.label_names
    again, labels = pickle.loads(pickle.dumps((data.scipy(), data.labels)))
    assert (again.toarray() == X).all()
    assert labels.tolist() == [0, 1] * 3
