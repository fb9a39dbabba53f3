"""Devices and contexts."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from sparcl import _core, _runtimes, errors

_LOG = logging.getLogger("sparcl")
_PATIENCE = 1.0  # seconds of building kernels before a line says so
_CLASSES = {"auto": 0, "cpu": 1, "gpu": 2}


@dataclass(frozen=True)
class Device:
    """A device of an OpenCL platform, and what it reports."""

    name: str
    vendor: str
    platform_name: str
    platform: int
    number: int
    driver: str
    version: str
    device_class: str
    units: int
    memory: int
    max_allocation: int
    has_f64: bool
    has_f16: bool
    host_unified: bool
    usable: bool
    why_not: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.number} {self.name} ({self.platform_name})"


def _device(found: dict[str, Any]) -> Device:
    classes = {number: name for name, number in _CLASSES.items()}
    return Device(**{**found, "device_class": classes[found["device_class"]]})


def devices() -> list[Device]:
    """The devices of all OpenCL platforms, in the order of the loader.

    >>> import sparcl
    >>> all(device.units > 0 for device in sparcl.devices() if device.usable)
    True
    """
    _runtimes.add()
    return [_device(found) for found in _core.devices()]


def _default_cache() -> str:
    """The folder for built kernels, which is made: SPARCL_CACHE_DIR, or that of the tool."""
    named = os.environ.get("SPARCL_CACHE_DIR")
    if named is not None:
        return named
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    try:
        Path(base).mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return os.path.join(base, "sparcl")


def say_building(device: str) -> None:
    """Called by the core when building kernels takes long."""
    is_interactive = hasattr(sys, "ps1") or "ipykernel" in sys.modules or sys.stderr.isatty()
    _LOG.log(
        logging.WARNING if is_interactive else logging.INFO,
        "sparcl: building kernels for %s, once; later programs load them",
        device,
    )


class Context:
    """A device, its queue and its kernels. Threads may share it: one at a time computes.

    Kernels are built when they are first used, once for each device and version. Where that takes
    more than a second in interactive use, the logger "sparcl" says so with the level WARNING, else
    with INFO: ``logging.getLogger("sparcl").setLevel("ERROR")`` keeps it silent.

    As a context manager it is closed at the end: ``with sparcl.Context("gpu") as context:``.

    Parameters
    ----------
    device
        "auto", "gpu", "cpu", "pocl", "0:1", or a part of a name; see ``sparcl devices --help``.
        Default: the environment variable SPARCL_DEVICE, else "auto".
    kernels
        "auto", "cpu" or "gpu": which kernels are used.
    cache
        A folder for built kernels; "" for none, None for the usual one.
    share
        Arrays of the host are used where they are, if the device shares its memory. False: they are
        copied, as for a device with memory of its own, and may change afterwards.

    >>> import sparcl
    >>> context = sparcl.Context()
    >>> context.memory >= 0
    True
    """

    def __init__(
        self,
        device: str | None = None,
        *,
        kernels: str = "auto",
        cache: str | None = None,
        share: bool = True,
    ) -> None:
        if kernels not in _CLASSES:
            raise ValueError(f'kernels: expected "auto", "cpu" or "gpu", found {kernels!r}')
        chosen = os.environ.get("SPARCL_DEVICE", "auto") if device is None else device
        folder = _default_cache() if cache is None else cache
        hint = _runtimes.add()
        try:
            self._core = _core.Context(chosen, _CLASSES[kernels], folder, share, _PATIENCE)
        except errors.DeviceError as error:
            if hint:
                error.add_note(hint)
            raise

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name == "_core":
                raise errors.ArgumentError(
                    "context: expected an open one, found one that was closed; open another"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def close(self) -> None:
        """Wait for all work, and free the memory of its arrays, which are of no use then: what
        is to stay is copied before, by ``numpy()``. The queue, the kernels and scratch memory go
        with the last object that needs them."""
        if not self.closed:
            self._core.close()
            del self._core

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return "_core" not in vars(self)

    @property
    def place(self) -> str:
        """The device in words."""
        return "a closed context" if self.closed else str(self.device)

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a device, and what is on it, cannot be pickled or copied deeply; "
            "pickle what is on the host, such as a.scipy(), x.numpy() or optimizer.state_dict()"
        )

    def __enter__(self) -> Self:
        self._core  # noqa: B018 (refuses a closed one)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def device(self) -> Device:
        """The device."""
        return _device({**self._core.device, "platform_name": self._core.platform})

    @property
    def shares_memory(self) -> bool:
        """Arrays of the host are used where they are."""
        return self._core.shares_memory

    @property
    def memory(self) -> int:
        """Bytes of device memory in use."""
        return self._core.memory

    @property
    def peak_memory(self) -> int:
        """The most bytes of device memory that were in use."""
        return self._core.peak_memory

    @property
    def bytes_copied(self) -> int:
        """Bytes that were copied between arrays of the host and the device so far."""
        return self._core.bytes_copied

    def finish(self) -> None:
        """Wait for all work."""
        self._core.finish()

    def __repr__(self) -> str:
        return "<sparcl.Context, closed>" if self.closed else f"<sparcl.Context on {self.device}>"


class SharedContext:
    """A context that all threads of a process share, opened at first use, by one of them."""

    def __init__(self, device: str | None = None) -> None:
        self._device = device
        self._lock = _runtimes.OpeningLock()
        self._opened: tuple[int, Context] | None = None

    def get(self) -> Context:
        """The context. It is an error after a fork of a process that has opened one."""
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid() or self._opened[1].closed:
                self._opened = (os.getpid(), Context(self._device))
            return self._opened[1]


_default = SharedContext()


def default_context() -> Context:
    """The context of what is called without one, opened at first use, and again after it was
    closed. It is an error after a fork of a process that has opened one."""
    return _default.get()
