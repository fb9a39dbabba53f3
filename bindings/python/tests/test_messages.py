"""Messages of the C library have the names of Python, and the words of the user as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sparcl
from sparcl._messages import in_python


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            "spmm: A has element type 5 (int64), expected SPARCL_F32, F64, F16 or BF16",
            "spmm: A has element type int64, expected float32, float64, float16 or bfloat16",
        ),
        ("x (sparcl_csr_to_dense) and sparcl_binary", "x (sparcl.ops.csr_to_dense) and sparcl.ops"),
        ("cast it (sparcl_graph_cast)", "cast it (sparcl.graph.cast)"),
        ("call sparcl_graph_backward first", "call Graph.backward first"),
        ("call sparcl_data_upload", "call data_upload"),
        ("use sparcl_encode", "use Model.encode"),
        ("ranks items; use sparcl_rank_eval", "ranks items; use Model.evaluate(known=)"),
        ("none; add it, or remove the row", "add it, or remove the row (labelled_only=True leaves"),
        ("graph_set_rate: call graph_vary_rates", "Graph.set_rate: call Graph.vary_rates"),
        ("graph_gemm: x has", "sparcl.graph.gemm: x has"),
        ("data: hash_bits (--hash-bits) is 40", "data: hash_bits is 40"),
        ("read it with --csv-columns", "read it with csv_columns="),
        ("format (--format csv)", "format (format=csv)"),
        ("map with 'sparcl inspect --save-ids', --id-map", "'sparcl inspect --save-ids', ids="),
        ('found "--label NULL F32"', 'found "--label NULL F32"'),
        ("/data/NULL/F32.npz: bias must be NULL", "/data/NULL/F32.npz: bias must be None"),
        ("expected SPARCL_SUM to SPARCL_LAST", "expected sum to last"),
        ("expected 1, 2 or INFINITY", "expected 1, 2 or inf"),
    ],
)
def test_names_are_those_of_python(found: str, expected: str) -> None:
    assert expected in in_python(found.encode())


def test_words_that_are_no_text_are_shown() -> None:
    assert in_python(b'found "K\xf6ln"') == 'found "K�ln"'


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ('rule: expected sgd, adam or adamw, found "Adam"', "; did you mean adam?"),
        ("loss: expected one of logistic, softmax, hinge, found 'Logistic'", "mean logistic?"),
        ('model: expected one of linear, wide-deep, fm, found "wide_deep"', "mean wide-deep?"),
        ('rule: expected sgd, adam or adamw, found "lbfgs"', ""),
        ("expected finite numbers, found 'adam'", ""),
    ],
)
def test_a_name_like_the_one_found_is_named(found: str, expected: str) -> None:
    assert in_python(found.encode()).removeprefix(found).endswith(expected)
    assert expected or in_python(found.encode()) == found


def test_what_is_expected_of_other_arrays_is_said() -> None:
    w = np.zeros((5, 2), np.float32)
    table: Any = w
    adam = sparcl.optim.Adam(sparcl.dense(w))
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: sparcl.optim.Adam(table), r"table: expected Dense, .* use sparcl.dense\(table\)"),
        (lambda: sparcl.ops.embedding(table, [1]), r"use sparcl.dense\(table\)"),
        (lambda: adam.step(table), r"expected RowSparse \| Dense.* use sparcl.dense\(gradient\)"),
        (lambda: sparcl.csr(w.astype(np.uint8)), "found uint8; use astype"),
    ]
    x = scipy.sparse.eye_array(4, 3, format="csr")
    words = r"x: expected a matrix, .* found tuple; use scipy.sparse.csr_array\(x, shape=shape\)"
    make: Any
    for make in (sparcl.csr, sparcl.csc, sparcl.coo):
        calls.append((lambda make=make: make((x.data, x.indices, x.indptr), shape=x.shape), words))
        calls.append((lambda make=make: make((x.data, x.nonzero())), words))
        for rows in ((w[0], w[1]), (w[0],) * 3, ((1.0, 2.0), (3.0, 4.0)), (w[0], [1.0, 2.0])):
            assert make(rows).shape == (len(rows), 2)
    for call, message in calls:
        with pytest.raises(TypeError, match=message):
            call()


@pytest.mark.filterwarnings("always")
def test_warnings_are_at_the_line_of_the_caller() -> None:
    x, y = np.eye(40, 3), np.arange(40) % 2
    model = sparcl.train(x, y, epochs=1)
    far = y + 1e9
    calls: list[Callable[[], object]] = [
        lambda: sparcl.data(x, y[:, None]),
        lambda: sparcl.train(x, far, loss="squared"),
        lambda: sparcl.train(x, far, loss="squared", solver="lbfgs"),
        lambda: model.evaluate(x, [2, *y[1:]]),
        lambda: model.class_report((x, y[:, None])),
    ]
    for call in calls:
        with pytest.warns(RuntimeWarning) as found:
            call()
        assert {warning.filename for warning in found} == {__file__}


def test_what_operations_and_files_say(tmp_path: Path) -> None:
    numbers = sparcl.csr(scipy.sparse.csr_array(np.eye(3, dtype=np.int64)))
    with pytest.raises(sparcl.DTypeError, match="element type int64, expected float32, float64"):
        sparcl.ops.csr_softmax(numbers)
    file = tmp_path / "a.csv"
    file.write_text("y,a\n1,2\n0,3\n")
    with pytest.raises(sparcl.SparclError, match="with csv_columns="):
        sparcl.read_data(file, label="y", columns=4)
