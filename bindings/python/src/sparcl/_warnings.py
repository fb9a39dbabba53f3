"""Warnings of the package, at the line of the program that calls it."""

from __future__ import annotations

import sys
import warnings
from types import FrameType


def _is_own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == __package__


def warn(text: str) -> None:
    """A RuntimeWarning."""
    level, frame = 1, sys._getframe()
    while _is_own(frame) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, RuntimeWarning, stacklevel=level)
