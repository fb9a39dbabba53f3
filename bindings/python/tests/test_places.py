"""Messages say where in a matrix or table something is wrong, not where in a temporary file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sparcl

X = np.arange(1.0, 41).reshape(8, 5)
Y = [0, 1] * 4


def test_a_number_that_is_not_finite_has_a_row_and_a_column() -> None:
    model = sparcl.train(X, Y, epochs=1)
    for value in (np.nan, np.inf):
        x = X.copy()
        x[3, 4] = x[5, 1] = value
        for rows in (x, scipy.sparse.csc_array(x), scipy.sparse.csr_array(x)):
            for call in (lambda x: sparcl.train(x, Y), model.predict, sparcl.data):
                found = rf"found {value} at row 3, column 4, and 2 in all; fill or remove"
                with pytest.raises(sparcl.errors.FormatError, match=found):
                    call(rows)


def test_a_table_is_named_as_one() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abcde")).assign(text="x\ny", y=Y)
    model = sparcl.train(table, "y", epochs=1)
    calls: list[tuple[Any, str]] = [
        (lambda: model.predict(table.drop(columns="c")), '^the table: expected the column "c"'),
        (lambda: sparcl.train(table[:0], "y"), "^the table: expected rows"),
        (lambda: model.predict(table.assign(b=[1] * 6 + ["no", 2])), "^the table, row 6: expected"),
        (lambda: sparcl.data(table, "y", weights=[-1.0] * 8), r"^weights.npy\[0\]: expected"),
    ]
    for call, message in calls:
        with pytest.raises(sparcl.errors.FormatError, match=message) as found:
            call()
        assert "/" not in str(found.value).partition("expected")[0]


def test_what_is_no_matrix_is_named() -> None:
    for make in (sparcl.csr, sparcl.csc):
        with pytest.raises(TypeError, match=r"in the format cs[rc], found str$"):
            make("x")
