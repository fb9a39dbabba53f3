"""The exceptions of sparcl: one for each status of the C library, with its message. All are
SparclErrors but that of an interrupt."""

from __future__ import annotations


class SparclError(Exception):
    """Any error of the library."""


class ArgumentError(SparclError, ValueError):
    """An argument is wrong."""


class ShapeError(SparclError, ValueError):
    """Shapes do not match."""


class DTypeError(SparclError, TypeError):
    """Element types do not match."""


class AliasError(SparclError, ValueError):
    """A result overlaps an operand."""


class UncheckedError(SparclError, ValueError):
    """A sparse array was neither validated nor trusted."""


class DataError(SparclError, ValueError):
    """Stored data are invalid."""


class UnsupportedError(SparclError, NotImplementedError):
    """Not supported by the device or this build."""


class DeviceError(SparclError, RuntimeError):
    """No such device."""


class OutOfMemoryError(SparclError, MemoryError):
    """Out of memory."""


class BuildError(SparclError, RuntimeError):
    """A kernel did not build."""


class OpenCLError(SparclError, RuntimeError):
    """An OpenCL call failed."""


class FileError(SparclError, OSError):
    """A file could not be read or written."""


class FormatError(SparclError, ValueError):
    """The content of a file is invalid."""


class DivergedError(SparclError, ArithmeticError):
    """Training diverged."""


class InterruptedRunError(KeyboardInterrupt):
    """A run was interrupted. As any KeyboardInterrupt this is no Exception, so that what goes on
    after errors, such as a search for parameters, ends."""


_OF_STATUS: dict[int, type[BaseException]] = {
    -1: ArgumentError,
    -2: ShapeError,
    -3: DTypeError,
    -4: AliasError,
    -5: UncheckedError,
    -6: DataError,
    -7: UnsupportedError,
    -8: DeviceError,
    -9: OutOfMemoryError,
    -10: BuildError,
    -11: OpenCLError,
    -12: FileError,
    -13: FormatError,
    -14: DivergedError,
    -15: InterruptedRunError,
}


def of_status(status: int) -> type[BaseException]:
    """The exception of a status of the C library."""
    return _OF_STATUS.get(status, SparclError)
