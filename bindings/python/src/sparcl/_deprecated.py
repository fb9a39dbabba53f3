"""Names of the last release, which the next one does not have."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any


def lookup(
    module: str, names: Mapping[str, tuple[str, Callable[..., Any]]]
) -> Callable[[str], Callable[..., Any]]:
    """The ``__getattr__`` of a module: for each old name what to use instead, and a function."""

    def find(name: str) -> Callable[..., Any]:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        use, function = names[name]
        warnings.warn(f"{module}.{name}: use {use}", DeprecationWarning, stacklevel=2)
        return function

    return find
