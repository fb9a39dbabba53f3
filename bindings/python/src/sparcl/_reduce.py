"""Reductions as methods of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparcl import _host
from sparcl._overload import overload

if TYPE_CHECKING:
    from sparcl._dense import Dense
    from sparcl._enums import Reduction


def only_axis(kind: str, numpy: dict[str, None]) -> None:
    """Refuse what NumPy's function of this name takes beside an axis."""
    given = [name for name, value in numpy.items() if value is not None]
    if given:
        raise TypeError(
            f"{kind}: expected no option but axis, found {given[0]}; use a.toarray(), as in "
            f"np.{kind}(a.toarray(), {given[0]}=...)"
        )


class Reductions:
    """Sums, means, maxima, minima and norms: of all elements, which waits for the device and is a
    number, or along an axis: 0 of each column, 1 of each row. Elements that are not stored are 0.
    NumPy's functions (``np.sum(a)``) are these; ``dtype``, ``out`` and the like are refused.

    >>> import sparcl
    >>> a = sparcl.csr([[1.0, 0.0], [-3.0, 4.0]])
    >>> a.sum(), a.max(axis=0).numpy().tolist(), a.norm(axis=1).numpy().tolist()
    (2.0, [1.0, 4.0], [1.0, 5.0])
    """

    def _reduced(self, kind: Reduction, axis: int | None) -> Dense:
        raise NotImplementedError

    def _reduce(self, kind: Reduction, axis: int | None, **numpy: None) -> Dense | float:
        only_axis(kind, numpy)
        found = self._reduced(kind, axis)
        return _host.number(found) if axis is None else found

    @overload
    def sum(self, axis: None = None, **numpy: None) -> float: ...
    @overload
    def sum(self, axis: int, **numpy: None) -> Dense: ...
    def sum(self, axis: int | None = None, **numpy: None) -> Dense | float:
        """The sum."""
        return self._reduce("sum", axis, **numpy)

    @overload
    def mean(self, axis: None = None, **numpy: None) -> float: ...
    @overload
    def mean(self, axis: int, **numpy: None) -> Dense: ...
    def mean(self, axis: int | None = None, **numpy: None) -> Dense | float:
        """The sum divided by the number of elements."""
        return self._reduce("mean", axis, **numpy)

    @overload
    def max(self, axis: None = None, **numpy: None) -> float: ...
    @overload
    def max(self, axis: int, **numpy: None) -> Dense: ...
    def max(self, axis: int | None = None, **numpy: None) -> Dense | float:
        """The largest element; a NaN is larger than all numbers."""
        return self._reduce("max", axis, **numpy)

    @overload
    def min(self, axis: None = None, **numpy: None) -> float: ...
    @overload
    def min(self, axis: int, **numpy: None) -> Dense: ...
    def min(self, axis: int | None = None, **numpy: None) -> Dense | float:
        """The smallest element; a NaN is smaller than all numbers."""
        return self._reduce("min", axis, **numpy)

    @overload
    def norm(self, axis: None = None) -> float: ...
    @overload
    def norm(self, axis: int) -> Dense: ...
    def norm(self, axis: int | None = None) -> Dense | float:
        """The square root of the sum of the squares."""
        return self._reduce("norm", axis)
