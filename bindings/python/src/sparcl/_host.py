"""Numbers of the device on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparcl import errors
from sparcl._parts import bfloat16

if TYPE_CHECKING:
    from sparcl._dense import Dense


def number(x: Dense) -> float:
    """The number of an array that has one."""
    if x.size != 1:
        raise errors.ShapeError(f"expected one element, found an array of the shape {x.shape}")
    return float((x.astype(np.float32) if x.dtype == bfloat16 else x).numpy().reshape(-1)[0])


def count(x: Dense) -> int:
    """The first of some integers."""
    return int(x.numpy()[0])
