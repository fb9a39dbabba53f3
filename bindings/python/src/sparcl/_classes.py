"""The classes of arrays. Operations make results of them, and they have operations as methods: so
this module is below both, and each class is put here where it is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from sparcl._bsr import BSR
    from sparcl._compressed import CSC, CSR
    from sparcl._coordinates import COO
    from sparcl._dense import Dense
    from sparcl._row_sparse import RowSparse

__all__ = ["BSR", "COO", "CSC", "CSR", "Dense", "RowSparse", "put"]

T = TypeVar("T")


def put(kind: type[T]) -> type[T]:
    """Put a class here, by its name."""
    globals()[kind.__name__] = kind
    return kind
