"""CSV files: the decimal mark of their numbers, and what is said of their columns."""

from __future__ import annotations

import logging
from typing import Any

from sparcl import _core, _messages

_LOG = logging.getLogger("sparcl")
_VALUES = {
    "--csv-decimal comma": 'csv_decimal=","',
    "--csv-decimal point": 'csv_decimal="."',
    "--csv-heading yes": "heading=True",
    "--csv-heading no": "heading=False",
}


def check_decimal(mark: Any, like: Any) -> None:
    """The argument csv_decimal."""
    if mark is None:
        return
    if not isinstance(mark, str):
        raise TypeError(f"csv_decimal: expected ',' or '.', found {mark!r}")
    if mark not in {",", "."}:
        raise ValueError(f"csv_decimal: expected ',' or '.', found {mark!r}")
    if like is not None:
        raise ValueError(
            f"csv_decimal: expected None beside like, whose columns are taken, found {mark!r}"
        )


def notes(core: _core.Data) -> list[str]:
    """What was guessed that may be wrong, with the names that Python has."""
    text = core.csv_notes or b""
    for option, parameter in _VALUES.items():
        text = text.replace(option.encode(), parameter.encode())
    return [_messages.in_python(line) for line in text.splitlines()]


def log_notes(path: str, core: _core.Data, mark: str | None) -> None:
    """As the tool prints them."""
    if mark is not None and core.info["format"] != "csv":
        _LOG.warning("sparcl: %s: csv_decimal has no effect: only CSV has columns of numbers", path)
    for note in notes(core):
        _LOG.warning("sparcl: %s: %s", path, note)


def log_lost_columns(path: str, core: _core.Data) -> None:
    """The binary form does not have them."""
    if core.csv_description is not None or core.crosses is not None:
        _LOG.warning(
            "sparcl: %s: it does not say how its columns were made of those of the file: read "
            "data for a model of it with like=, and this data set, or train on this data set",
            path,
        )
