"""Labels that are words: each is a number in data and models, which have its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sparcl import _warnings, errors
from sparcl._checked import is_utf8

Numbers = dict[str, float]  # of words
UNLABELLED = {"autoencoder", "bpr", "lightgcn"}  # models that learn from rows alone


def decoded(names: Iterable[bytes] | None) -> list[str] | None:
    """Texts of the C library, which may be no UTF-8."""
    return None if names is None else [name.decode(errors="backslashreplace") for name in names]


def is_missing(x: Any) -> bool:
    """None, NaN, an empty text, or what pandas has in their place."""
    if isinstance(x, str):
        return not x
    is_nan = isinstance(x, float | np.floating) and bool(np.isnan(x))
    return x is None or is_nan or type(x).__name__ in {"NAType", "NaTType"}


def _check_there(labels: npt.NDArray[Any]) -> None:
    """Refuse rows without a label: none is made up."""
    if labels.ndim != 1 or labels.dtype.kind not in "fUTO":
        return
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    else:
        missing = np.array([is_missing(x) for x in labels], np.bool_)
    count = int(np.count_nonzero(missing))
    if count:
        raise errors.ArgumentError(
            f"labels: expected one for each row, found none in {count} of {len(labels)} rows, the "
            f"first is row {int(np.argmax(missing))}; leave these rows out: of pandas, "
            "table.dropna(subset=[LABEL])"
        )


def flat(labels: Any) -> Any:
    """A column of a matrix or table as a vector, as scikit-learn takes it."""
    shape: tuple[int, ...] = getattr(labels, "shape", ())
    if len(shape) != 2 or shape[1] != 1 or hasattr(labels, "format"):
        return labels
    _warnings.warn(
        f"labels: expected a vector, found a column of the shape {tuple(shape)}, which is taken "
        "for one; use labels.squeeze()"
    )
    return np.asarray(labels)[:, 0]


def words(labels: Any) -> npt.NDArray[np.str_] | None:
    """Labels that are text; None: they are something else, such as numbers."""
    is_list = isinstance(labels, list | tuple)  # NumPy would make words of numbers in it
    array = np.array([*labels, None], object)[:-1] if is_list else np.asarray(labels)
    _check_there(array)
    if array.dtype.kind not in "UTO" or array.ndim != 1:
        return None
    if array.dtype.kind == "O":
        others = [i for i, each in enumerate(array) if not isinstance(each, str)]
        if len(others) == len(array):
            return None
        if others:
            raise TypeError(
                f"labels: expected text alone, or numbers alone, found {array[others[0]]!r} at "
                f"{others[0]} beside text"
            )
    found = array.astype(np.str_)
    wrong = next((each for each in found if not is_utf8(each)), None)
    if wrong is not None:
        raise errors.ArgumentError(f"labels: expected text that UTF-8 has, found {str(wrong)!r}")
    return found


def numbered(labels: npt.NDArray[np.str_]) -> tuple[npt.NDArray[np.float64], list[str]]:
    """The number of each word, from 0 in their order, and the words."""
    names, numbers = np.unique(labels, return_inverse=True)
    return numbers.astype(np.float64), names.tolist()


def numbers_of(names: list[str] | None) -> Numbers | None:
    """Of the words of a data set."""
    return None if names is None else {name: float(i) for i, name in enumerate(names)}


def not_numbers(word: str, what: str) -> TypeError:
    """The error where a model has numbers as labels, and data have words."""
    return TypeError(
        f"{what}: labels are words, such as {word!r}, but those of the model are numbers"
    )


def check_no_numbers(labels: npt.NDArray[Any], words: Iterable[str], what: str) -> None:
    """Refuse numbers where a model has words, whose own numbers are an order that nobody gave."""
    if labels.size:
        shown = ", ".join([*words][:20])
        raise TypeError(
            f"{what}: labels are numbers, such as {labels[0]:g}, but those of the model are words: "
            f"{shown}; give these words"
        )


def translation(
    names: list[str], numbers: Numbers | None, what: str
) -> npt.NDArray[np.float64] | None:
    """What the labels of a data set with these names are where words have other numbers, and other
    words the ones after these; None: the same."""
    if numbers is None:
        raise not_numbers(names[0], what)
    beyond = max(numbers.values(), default=-1) + 1
    found = [numbers.get(name, beyond + i) for i, name in enumerate(names)]
    return None if found == list(range(len(names))) else np.array(found)


def weights_of(class_weights: Any, numbers: Numbers | None) -> list[tuple[float, float]]:
    """Pairs of a label and its weight, from weights by labels or words."""
    found = []
    for label, weight in class_weights.items():
        if isinstance(label, str) and numbers is not None:
            if label not in numbers:
                raise ValueError(
                    f"class_weights: expected one of the labels {', '.join([*numbers][:20])}, "
                    f"found {label!r}"
                )
            label = numbers[label]  # noqa: PLW2901 (its number)
        try:
            found.append((float(label), float(weight)))
        except (TypeError, ValueError) as error:
            raise TypeError(f"class_weights: expected numbers by labels: {error}") from None
    return found
