"""Compares model files."""

from __future__ import annotations

from pathlib import Path

import sparcl


def assert_same_model(tool: Path, python: Path) -> None:
    """Equal bytes, but for what the tool alone notes, such as the file and the options."""
    model = sparcl.Model.load(tool)
    for key in model.notes.keys() - sparcl.Model.load(python).notes.keys():
        model.set_note(key, None)
    model.save(tool)
    assert tool.read_bytes() == python.read_bytes()
