"""typing.overload without its registry, which would keep modules, and with them the default
context, until after the end of the interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["overload"]

if TYPE_CHECKING:
    from typing import overload
else:

    def overload(function: Any) -> Any:
        return function
