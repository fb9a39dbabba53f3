"""What users have: the words of users and items, and data of models that rank items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sparcl import _core, _labels

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
