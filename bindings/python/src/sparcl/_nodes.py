"""Rows of a data set that are the nodes of a graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparcl import _core, _numbers
from sparcl._data import Data

Rows = npt.NDArray[np.int64]


class Nodes:
    """A graph between the rows of a data set, and some of its rows: for the model gcn.

    Parameters
    ----------
    edges
        [rows, rows]: an entry is an edge, with a weight of at least 0, in one or both directions.
    rows
        Which rows train, or are predicted; each once.
    valid
        Which rows validate a training.
    """

    def __init__(self, edges: Data, rows: npt.ArrayLike, valid: npt.ArrayLike = ()) -> None:
        self.rows = _numbers.integers(rows, np.int64, "rows")
        self.valid = _numbers.integers(valid, np.int64, "valid")
        self._core = _core.Nodes(edges._core, self.rows, self.valid)

    def __repr__(self) -> str:
        return f"<sparcl.Nodes {len(self.rows)} rows, {len(self.valid)} to validate>"


def draw_nodes(
    data: Data, per_class: int = 20, *, valid: int = 0, test: int = 0, seed: int = 0
) -> tuple[Rows, Rows, Rows]:
    """Rows to train, validate and test with, drawn by the seed as ``sparcl train --graph`` does:
    ``per_class`` of each label, then ``valid`` and ``test`` of the rest.

    >>> import numpy, sparcl
    >>> d = sparcl.data(numpy.ones((20, 1)), [0, 1] * 10)
    >>> [len(rows) for rows in sparcl.draw_nodes(d, 3, valid=4, test=5)]
    [6, 4, 5]
    """
    drawn = _core.draw_nodes(data._core, per_class, valid, test, seed)
    first, second, third = (np.array(rows, np.int64) for rows in drawn)
    return first, second, third
