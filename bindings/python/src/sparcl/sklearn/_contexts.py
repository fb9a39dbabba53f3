"""A context for each device that an estimator names."""

from __future__ import annotations

import threading

from sparcl._context import Context, default_context

_lock = threading.Lock()
_contexts: dict[str, Context] = {}


def context_of(device: str | None) -> Context:
    """The context of a device, which all estimators of this process share. None: the usual one."""
    with _lock:
        if device is None:
            return default_context()
        if device not in _contexts:
            _contexts[device] = Context(device)
        return _contexts[device]
