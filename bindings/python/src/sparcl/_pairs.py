"""What users have: the words of users and items, and data of models that rank items."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _core, _labels, errors

if TYPE_CHECKING:
    from sparcl._data import Data
    from sparcl._model import Model

Names = npt.NDArray[np.object_]  # of str
Ids = npt.NDArray[np.int64]
Core = _core.Data | _core.Model
KINDS = {"bpr", "lightgcn"}  # of models that rank items


def _array(words: Iterable[bytes]) -> Names:
    found = np.array(_labels.decoded(words), object)
    found.flags.writeable = False
    return found


class Named:
    """What the users and items of data and models are called, by their numbers."""

    _core: Core

    @property
    def user_ids(self) -> Ids | None:
        """The ids of the users of ratings, ascending; None: there are none."""
        return cast("Ids | None", self._core.known_ids[0])

    @property
    def item_ids(self) -> Ids | None:
        """The ids of their items, those that :meth:`Model.recommend` numbers."""
        return cast("Ids | None", self._core.known_ids[1])

    @property
    def user_names(self) -> Names | None:
        """The users of ratings whose users and items are words; None: they are no words."""
        return self._pair_names[0]

    @property
    def item_names(self) -> Names | None:
        """Their items, those that :meth:`Model.recommend` numbers."""
        return self._pair_names[1]

    @functools.cached_property
    def _pair_names(self) -> tuple[Names, Names] | tuple[None, None]:
        description = self._core.csv_description
        columns = self._core.info["columns"]
        words = None if description is None else _core.pair_words(description, columns)
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


def warn_of_known(found: dict[str, float]) -> None:
    """Warn where pairs of a user and an item that were evaluated are known."""
    count, pairs = int(found["known_pairs"]), int(found["pairs"])
    if count:
        remedy = (
            "recall, precision and ndcg are 0; evaluate pairs that were not trained on, such as "
            "those of Data.split"
            if count == pairs
            else "they count as missed; remove pairs that stand twice, or were trained on"
        )
        warnings.warn(
            f"{count} of {pairs} pairs of a user and an item are also in known, whose items are "
            f"never recommended: {remedy}",
            RuntimeWarning,
            stacklevel=4,
        )
