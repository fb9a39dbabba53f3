"""Several results of one operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from sparcl._compressed import CSR
    from sparcl._dense import Dense
    from sparcl._list import List

T = TypeVar("T")


class Moved(NamedTuple, Generic[T]):
    """A result whose values were moved from an operand."""

    result: T
    source: Dense | None
    """int64: the position of each value in the values of the operand; -1 for none. The gradient of
    the operand's values is that of the result's, added at these positions."""


class Sum(NamedTuple, Generic[T]):
    """A sum or product of two sparse arrays element by element."""

    result: T
    a: Dense | None
    """int64: for each entry its position in the first operand, or -1."""
    b: Dense | None
    """int64: for each entry its position in the second operand, or -1."""


class Filled(NamedTuple, Generic[T]):
    """An array whose empty rows got an entry."""

    result: T
    is_empty: Dense
    """bool: the row had no entry."""
    inverse: Dense
    """int64: which entry of the result an entry of the operand is."""
    source: Dense
    """int64: which entry of the operand an entry of the result is; -1 for a new one."""


class Coalesced(NamedTuple, Generic[T]):
    """An array whose duplicates were combined, and where they were; None where not wanted."""

    result: T
    inverse: Dense | None
    """int64: the entry of the result that an entry of the operand is in."""
    counts: Dense | None
    """int64: how many entries of the operand are in it."""
    source: Dense | None
    """int64: which of them was chosen, or the first of them."""


class Unique(NamedTuple):
    """The distinct indices of a list."""

    indices: List
    """Ascending."""
    inverse: Dense
    """int64: where each index of the list is in them."""
    counts: Dense
    """int64: how often each occurs."""
    first: Dense
    """int64: where each occurs first."""


class Reduced(NamedTuple):
    """A reduction."""

    result: Dense
    positions: Dense | None
    """int64, of "max" and "min": where each result is from; -1 for none."""


class Bags(NamedTuple):
    """What bags of rows of a table give."""

    result: Dense
    positions: Dense | None
    """int64, of the mode "max": the entry that each maximum is from; -1 in empty bags."""
    bad: Dense | None
    """int64: the number of bad indices; None with the bounds "error"."""


class SpmmReduced(NamedTuple):
    """A product with another reduction than the sum."""

    result: Dense
    chosen: Dense | None
    """int64, of "max" and "min": the entry whose term was chosen; -1 in empty rows."""


class ProductGradient(NamedTuple):
    """The gradients of spmm_reduce."""

    b: Dense
    """By B."""
    values: Dense
    """By the values of A."""


class Gradients(NamedTuple):
    """The gradients by two operands."""

    a: Dense
    b: Dense


class BinaryGradient(NamedTuple):
    """The gradients by both operands."""

    x: Dense
    y: Dense


class Norm(NamedTuple):
    """A normalised array, and its statistics for the gradient."""

    result: Dense
    mean: Dense
    rstd: Dense
    """1 / sqrt(variance + epsilon)."""


class NormGradient(NamedTuple):
    """The gradients of a normalisation; None without gamma or beta."""

    x: Dense
    gamma: Dense
    beta: Dense


class LossGradient(NamedTuple):
    """The loss of each row, and its gradient."""

    residual: Dense
    """scale times the gradient by the scores [m, k]."""
    losses: Dense
    """[m]."""


class Prediction(NamedTuple):
    """The prediction of each row."""

    label: Dense
    p: Dense


class BagMatrix(NamedTuple):
    """Bags as a CSR matrix."""

    matrix: CSR
    source: Dense
    """int64: the position in the list of each entry."""
