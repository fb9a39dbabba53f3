"""Every operation that the C headers declare is in sparcl.ops, or here with a reason."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import get_args

import pytest

import sparcl
from sparcl import _enums

KINDS = ("conversions", "elements", "layers", "losses", "products", "reductions", "structure")
DECLARATION = re.compile(r"SPARCL_(?:EXPERIMENTAL_)?API[^;(]*?\bsparcl_(\w+)\s*\(")
HEADERS = tuple(f"ops/{kind}" for kind in KINDS)

ELSEWHERE = {
    "batches_create": "of loops in C; Graph.step and sparcl.train have theirs",
    "batches_fit": "as batches_create",
    "batches_free": "as batches_create",
    "batches_select": "as batches_create",
    "batches_take": "as batches_create",
    "pattern_columns": "RowSparse.indices of spmm_t_rows",
    "pattern_create": "made by pattern_build",
    "pattern_free": "freed with its matrix",
    "spgemm_create": "made by spgemm_symbolic",
    "spgemm_entries": "SpGEMMPlan.entries",
    "spgemm_free": "freed with its SpGEMMPlan",
}

folder = Path(*Path(__file__).resolve().parts[:-4], "include", "sparcl")
needs_headers = pytest.mark.skipif(not folder.is_dir(), reason="no source tree")


def text_of(header: str) -> str:
    return re.sub(r"/\*.*?\*/", "", (folder / f"{header}.h").read_text(), flags=re.DOTALL)


@needs_headers
def test_every_function_of_the_headers_is_here() -> None:
    declared = {name for header in HEADERS for name in DECLARATION.findall(text_of(header))}
    assert len(declared) > 150
    missing = declared - set(sparcl.ops.__all__)
    assert missing == set(ELSEWHERE)
    assert sparcl.ops.SpGEMMPlan.entries.fget is not None


@needs_headers
# dtype: some have other names.
@pytest.mark.parametrize("name", sorted(set(_enums.ENUMERATIONS) - {"dtype"}))
def test_names_have_the_numbers_of_the_headers(name: str) -> None:
    texts = "".join(text_of(header) for header in (*HEADERS, "auto"))
    found = re.search(rf"typedef enum sparcl_{name} \{{([^}}]*)\}}", texts)
    assert found is not None
    pairs = re.findall(r"SPARCL_(\w+)\s*=\s*(\d+)", found[1])
    assert len(pairs) == len(_enums.ENUMERATIONS[name])
    for constant, number in pairs:
        assert constant.lower().endswith(_enums.ENUMERATIONS[name][int(number)])


def test_names_of_functions_are_those_of_the_library() -> None:
    for number, name in enumerate(get_args(_enums.Unary)):
        assert sparcl.ops.unary_name(number) == name
    with pytest.raises(ValueError, match="number of a function"):
        sparcl.ops.unary_name(1000)


@pytest.mark.parametrize("name", sparcl.ops.__all__)
def test_every_operation_has_an_example(name: str) -> None:
    text = inspect.getdoc(getattr(sparcl.ops, name))
    assert text is not None
    assert ">>> " in text
