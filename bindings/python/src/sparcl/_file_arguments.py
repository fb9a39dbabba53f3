"""Arguments of :func:`sparcl.read_data` as the compiled module takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np


def path(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(path)


def column(column: str | int | None, what: str) -> str | None:
    is_number = isinstance(column, int | np.integer) and not isinstance(column, bool)
    if column is None or isinstance(column, str):
        return column
    if not is_number:
        raise TypeError(f"{what}: expected the name or the number of a column, found {column!r}")
    return str(column)


def crosses(cross: Literal["all"] | Iterable[tuple[str, str]] | None) -> str | None:
    """Lines ``"A","B"``, as the core takes them."""
    if cross is None or (isinstance(cross, str) and cross == "all"):
        return cross
    wrong = f"cross: expected 'all', or pairs of names such as [('city', 'age')], found {cross!r}"
    is_list = isinstance(cross, Iterable) and not hasattr(cross, "shape")
    if isinstance(cross, str | bytes) or not is_list:
        raise TypeError(wrong)
    lines = []
    for pair in cross:
        if not isinstance(pair, tuple | list) or not all(isinstance(name, str) for name in pair):
            raise TypeError(wrong)
        if len(pair) != 2:
            raise ValueError(wrong)
        lines.append(",".join('"' + name.replace('"', '""') + '"' for name in pair))
    return "\n".join(lines)


def check_labelled_only(labelled_only: bool, beside: dict[str, Any]) -> None:
    """It has no effect beside labels and weights of other files, and several labels of a row."""
    found = next((name for name, x in beside.items() if x is not None), None)
    if labelled_only and found is not None:
        raise ValueError(
            f"labelled_only: expected False beside {found}, found True; remove such rows first"
        )
