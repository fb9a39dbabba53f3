"""What users have: the words of users and items, and data of models that rank items."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sparcl import _core, _labels, errors

if TYPE_CHECKING:
    from sparcl._data import Data
    from sparcl._model import Model

Names = npt.NDArray[np.object_]  # of str
PairNames = tuple[Names, Names] | tuple[None, None]
KINDS = {"bpr", "lightgcn"}  # of models that rank items


def _array(words: Iterable[bytes]) -> Names:
    found = np.array(_labels.decoded(words), object)
    found.flags.writeable = False
    return found


def names_of(core: _core.Data | _core.Model) -> PairNames:
    """The words of users and of items; None: they are no words."""
    description = core.csv_description
    words = None if description is None else _core.pair_words(description, core.info["columns"])
    return (None, None) if words is None else (_array(words[0]), _array(words[1]))


def are_ranked(like: Model | Data) -> bool:
    """Whether something is a model that ranks items, or such data: :meth:`Data.pairs`."""
    if isinstance(like._core, _core.Model):
        return like.info["kind"] in KINDS
    return like.info["users"] > 0 and like._core.labels is None


def _called(x: Model | Data) -> list[npt.NDArray[Any]]:
    """What users and items are called; empty: nothing."""
    found = (x.user_names, x.item_names, x.user_ids, x.item_ids)
    return [each for each in found if each is not None]


def check_same(x: Data, like: Model | Data, what: str) -> None:
    """Refuse users and items that have other numbers than in a training."""
    found, expected = _called(x), _called(like)
    same = len(found) == len(expected) and all(map(np.array_equal, found, expected))
    if found and expected and not same:
        raise errors.ArgumentError(
            f"{what}: expected the users and items of the training, in their order, found others; "
            "give the table itself, or read the file with like=, the model or its training data"
        )


def _keys(data: Data, width: int) -> npt.NDArray[np.int64]:
    """A number for each pair."""
    core = data._core
    offsets, items = np.asarray(core.offsets), np.asarray(core.indices, np.int64)
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * width + items


def warn_of_known(data: Data, known: Data) -> None:
    """Warn where pairs of a user and an item that are evaluated are in both."""
    width = max(data.shape[1], known.shape[1])
    count = int(np.isin(_keys(data, width), _keys(known, width), assume_unique=True).sum())
    if count:
        found = (
            "recall, precision and ndcg are 0; evaluate pairs that were not trained on, such as "
            "those of Data.split"
            if count == data.nnz
            else "they count as missed; remove pairs that stand twice, or were trained on"
        )
        warnings.warn(
            f"{count} of {data.nnz} pairs of a user and an item are also in known, whose items are "
            f"never recommended: {found}",
            RuntimeWarning,
            stacklevel=4,
        )
