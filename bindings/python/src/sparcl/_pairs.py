"""What users have: the words of users and items, and data of models that rank items."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sparcl import _core, _labels, _warnings, errors

if TYPE_CHECKING:
    from sparcl._data import Data
    from sparcl._model import Model

Names = npt.NDArray[np.object_]  # of str
Ids = npt.NDArray[np.int64]
Core = _core.Data | _core.Model
_LOG = logging.getLogger("sparcl")
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


def numbers_of(users: npt.ArrayLike, known: Data, like: Model) -> Ids:
    """The numbers of users: words or ids of the training, or, without these, numbers from 0."""
    called = like.user_ids if like.user_names is None else like.user_names
    numbers = {
        user: i for i, user in enumerate(range(known.shape[0]) if called is None else called)
    }
    given = np.asarray(users, object)
    if given.ndim != 1:
        raise errors.ArgumentError(f"users: expected a list of users, found {users!r}"[:200])
    wrong = next((user for user in given if user not in numbers), None)
    if wrong is not None:
        raise errors.ArgumentError(
            f"users: expected users of the training, such as {next(iter(numbers))!r}, found "
            f"{wrong!r}; the model knows nothing of others"
        )
    return np.array([numbers[user] for user in given], np.int64)


def log_without_items(known: Data) -> None:
    """Say that a table is not of all users."""
    count = np.count_nonzero(np.diff(cast("Any", known._core.offsets)) == 0)
    if count:
        _LOG.warning(
            "sparcl: the table: %d of %d users of the model are not in it, and count as having "
            "nothing; users= chooses users, such as users=table[USER].unique()",
            *(count, known.shape[0]),
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
        _warnings.warn(
            f"{count} of {pairs} pairs of a user and an item are also in known, whose items are "
            f"never recommended: {remedy}"
        )
