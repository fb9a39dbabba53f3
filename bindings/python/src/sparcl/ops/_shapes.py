"""Shapes and axes of operands, and COO arrays like others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparcl import _make, errors

if TYPE_CHECKING:
    from sparcl._array import Array
    from sparcl._coordinates import COO


def matrix(x: Array, what: str = "x") -> tuple[int, int]:
    """The shape of a matrix."""
    if len(x.shape) != 2:
        raise errors.ShapeError(f"{what}: expected a matrix, found an array of the shape {x.shape}")
    return (x.shape[0], x.shape[1])


def axes_of(axes: Sequence[int], dimensions: int) -> list[int]:
    """Different axes, counted from 0."""
    chosen = [axis + dimensions if axis < 0 else axis for axis in axes]
    if any(not 0 <= axis < dimensions for axis in chosen) or len(set(chosen)) != len(chosen):
        raise errors.ArgumentError(
            f"axes: expected different ones from 0 to {dimensions - 1}, found {tuple(axes)}"
        )
    return chosen


def like(
    a: COO, shape: tuple[int, ...] | None = None, nnz: int | None = None, counted: bool = True
) -> COO:
    """A COO array of the types of another, for a result."""
    chosen, room = a.shape if shape is None else shape, a._capacity if nnz is None else nnz
    return _make.coo(a.context, chosen, room, a.dtype, a._indices[0].dtype, counted=counted)
