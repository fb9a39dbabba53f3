"""Numbers of the host in the types that the C library reads: refused where they would become
others."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sparcl import _list, errors


def plain(x: Any, what: str) -> npt.NDArray[Any]:
    """What NumPy understands, of real numbers."""
    try:
        array = np.asarray(x)
    except ValueError as error:  # lists of different lengths
        raise errors.ArgumentError(f"{what}: expected an array of numbers: {error}") from None
    if array.dtype.kind not in "biufO":
        raise TypeError(f"{what}: expected real numbers, found {array.dtype}")
    return array


def check_whole(x: npt.NDArray[Any], kind: np.dtype[Any], remedy: str) -> None:
    """Refuse whole numbers that floats of a type do not have."""
    wrong = np.flatnonzero(x.astype(kind).astype(x.dtype) != x)
    if wrong.size:
        raise errors.DTypeError(
            f"expected whole numbers that {kind} has, found {x.flat[wrong[0]]}; use {remedy}, or "
            "scale them"
        )


def _largest(x: npt.NDArray[Any]) -> int:
    return max(1, int(x.max()), -int(x.min())) if x.size else 1


def product_type(terms: int, a: npt.NDArray[Any], b: npt.NDArray[Any]) -> np.dtype[Any]:
    """The smallest floats that have all sums of some products of whole numbers, or a DTypeError."""
    found = terms * _largest(a) * _largest(b)
    for kind in (np.dtype(np.float32), np.dtype(np.float64)):
        if found <= 1 << (np.finfo(kind).nmant + 1):
            return kind
    raise errors.DTypeError(
        f"expected a product of whole numbers up to 2**53, which float64 has, found up to {terms} "
        f"terms of up to {_largest(a)} * {_largest(b)}; use sparcl.csr(x.astype('float64')) and an "
        "operand of float64, which are rounded, or scale them"
    )


LOST = 1e-3  # of a standard deviation, by which numbers may be rounded


def rounding(x: npt.NDArray[Any]) -> str | None:
    """Why float32 is too coarse for how numbers differ, with the remedy; None: it is not."""
    finite = x[np.isfinite(x)].astype(np.float64)
    largest = np.abs(finite).max(initial=0.0)
    if largest > np.finfo(np.float32).max or finite.size == 0 or finite.min() == finite.max():
        return None
    deviation = finite.std()
    if np.abs(finite - finite.astype(np.float32)).max() <= LOST * deviation:
        return None
    return (
        f"float32 has numbers near {largest:.3g} in steps of {np.spacing(np.float32(largest)):g}, "
        f"but the standard deviation of these is {deviation:.3g}; subtract a number from them, "
        "such as their mean"
    )


def _place(array: npt.NDArray[Any], wrong: npt.NDArray[np.bool_]) -> str:
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{array[at]} at {at[0] if len(at) == 1 else list(at)}"


def real(x: Any, dtype: npt.DTypeLike, what: str) -> npt.NDArray[Any]:
    """Real numbers in a type of floats, in the order of C. Infinite ones and NaN stay.

    Raises
    ------
    TypeError, ArgumentError
        They are not real numbers; a finite one is outside of the type.
    """
    array, kind = plain(x, what), np.dtype(dtype)
    if array.dtype.kind == "O" and any(each is None for each in array.flat):
        raise TypeError(f"{what}: expected real numbers, found None")
    try:
        with np.errstate(over="ignore"):
            found = np.ascontiguousarray(array, kind)
    except (TypeError, ValueError):
        wrong = next((each for each in array.flat if not isinstance(each, numbers.Real)), x)
        raise TypeError(f"{what}: expected real numbers, found {type(wrong).__name__}") from None
    if array.dtype != kind and np.isinf(found).any():
        outside = np.isinf(found) & np.isfinite(array.astype(np.longdouble))
        if outside.any():
            raise errors.ArgumentError(
                f"{what}: expected numbers of {kind}, up to {np.finfo(kind).max:.4g}, found "
                f"{_place(array, outside)}; scale them"
            )
    return found


def finite(x: Any, dtype: npt.DTypeLike, what: str) -> npt.NDArray[Any]:
    """The same, without infinite ones and NaN."""
    found = real(x, dtype, what)
    wrong = ~np.isfinite(found)
    if wrong.any():
        raise errors.ArgumentError(f"{what}: expected finite numbers, found {_place(found, wrong)}")
    return found


def integers(x: npt.ArrayLike, dtype: npt.DTypeLike, what: str) -> npt.NDArray[Any]:
    """Integers in a type of integers, in the order of C."""
    array, kind = _list.integers(x, what), np.dtype(dtype)
    limits = np.iinfo(kind)
    outside = (array < limits.min) | (array > limits.max)
    if outside.any():
        raise errors.ArgumentError(
            f"{what}: expected {limits.min} to {limits.max}, found {_place(array, outside)}"
        )
    return np.ascontiguousarray(array, kind)


def _within(x: npt.NDArray[Any], limit: int, what: str) -> None:
    if x.dtype.kind not in "iu":
        raise errors.FormatError(f"{what}: expected integers, found {x.dtype}")
    if x.size and (x.min() < 0 or x.max() >= limit):
        raise errors.FormatError(
            f"{what}: expected 0 to {limit - 1}, found {_place(x, (x < 0) | (x >= limit))}"
        )


def _check_compressed(x: Any, what: str, indices: bool) -> None:
    rows, columns = (
        int(n) // int(b) for n, b in zip(x.shape, getattr(x, "blocksize", (1, 1)), strict=True)
    )
    major, minor = (columns, rows) if x.format == "csc" else (rows, columns)
    offsets = x.indptr
    if offsets.dtype.kind not in "iu":
        raise errors.FormatError(f"{what}: expected integers as offsets, found {offsets.dtype}")
    if offsets.shape != (major + 1,) or offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any():
        raise errors.FormatError(
            f"{what}: expected {major + 1} offsets (indptr) that ascend from 0, found "
            f"{len(offsets)}, the first {offsets[:1].tolist()}"
        )
    room = min(len(x.indices), len(x.data))
    if offsets[-1] > room:
        raise errors.FormatError(f"{what}: the offsets end at {offsets[-1]}, of {room} entries")
    if indices:
        _within(x.indices[: int(offsets[-1])], minor, f"{what}: indices")


def check_sparse(x: Any, what: str = "x", *, indices: bool = True) -> None:
    """Refuse a matrix of SciPy whose arrays contradict each other: SciPy does not look, and its
    functions would read and write outside of them. ``indices``: those of entries, too."""
    if len(x.shape) != 2:
        raise ValueError(f"{what}: expected a matrix, found an array of the shape {x.shape}")
    if x.format in {"csr", "csc", "bsr"}:
        _check_compressed(x, what, indices)
    elif x.format == "coo":
        coordinates = x.coords if hasattr(x, "coords") else (x.row, x.col)
        for axis, (limit, each) in enumerate(zip(x.shape, coordinates, strict=True)):
            if len(each) != len(x.data):
                raise errors.FormatError(
                    f"{what}: expected {len(x.data)} indices of axis {axis}, found {len(each)}"
                )
            _within(each, int(limit), f"{what}: indices of axis {axis}")


def of_rows(
    make: Callable[..., npt.NDArray[Any]],
    x: npt.ArrayLike | None,
    rows: int,
    dtype: npt.DTypeLike,
    what: str,
) -> npt.NDArray[Any] | None:
    """One for each row, or none."""
    if x is None:
        return None
    array = make(x, dtype, what)
    if array.shape != (rows,):
        raise ValueError(f"{what}: expected one for each of {rows} rows, found {array.shape}")
    return array
