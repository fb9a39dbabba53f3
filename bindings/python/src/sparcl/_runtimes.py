"""OpenCL runtimes that come from PyPI: the loader looks in one folder, and finds them with this."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from sparcl import _core

# Distributions, how the name of their library begins, and which extra of this package has them.
_DISTRIBUTIONS = (
    ("pocl-binary-distribution", "libpocl-", "pocl"),
    ("intel-opencl-rt", "libintelocl.so", "intel"),
)
_SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")
_VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")
# The last release of PoCL on PyPI (3.0, of 2022) has LLVM 14, which knows no AMD processor with
# AVX-512: it lists the device, but builds no kernel ("unknown target CPU 'generic'"), or aborts
# ("Cannot select: fsqrt").


class OpeningLock:
    """A lock around what a process does once; free in the child of a fork."""

    def __init__(self) -> None:
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


_lock = OpeningLock()


def _processor_is_unknown() -> bool:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return False
    facts = dict(line.split(":", 1) for line in lines[:30] if ":" in line)
    fields = {key.strip(): value.strip() for key, value in facts.items()}
    has_avx512 = "avx512f" in fields.get("flags", "").split()
    return fields.get("vendor_id") == "AuthenticAMD" and has_avx512


def _installed() -> dict[str, Path]:
    """The libraries of the runtimes that are installed, by extra."""
    found = {}
    for name, begin, extra in _DISTRIBUTIONS:
        try:
            files = metadata.files(name) or []
        except metadata.PackageNotFoundError:
            continue
        paths = [Path(str(file.locate())) for file in files if file.name.startswith(begin)]
        libraries = [path.resolve() for path in paths if ".so" in path.suffixes and path.exists()]
        if libraries:
            found[extra] = min(libraries, key=lambda path: len(path.name))
    return found


def _icds(folder: Path) -> dict[str, str]:
    """The ICD files of a folder, and the libraries that they name."""
    try:
        files = sorted(folder.glob("*.icd"))
        return {file.name: file.read_text().strip() for file in files}
    except OSError:
        return {}


def _chosen() -> tuple[dict[str, str], bool]:
    """What the loader will find by itself; is that what the user has chosen?"""
    named = [os.environ[variable] for variable in _VARIABLES if os.environ.get(variable)]
    if not named:
        return _icds(_SYSTEM_FOLDER), False
    found = _icds(Path(named[0]))
    return found, bool(found) or not Path(named[0]).is_dir()


@contextmanager
def _environment(folder: str) -> Iterator[None]:
    before = {variable: os.environ.get(variable) for variable in _VARIABLES}
    os.environ["OCL_ICD_VENDORS"] = folder
    os.environ.pop("OPENCL_VENDOR_PATH", None)
    try:
        yield
    finally:
        for variable, value in before.items():
            if value is None:
                os.environ.pop(variable, None)
            else:
                os.environ[variable] = value


def _wanted() -> tuple[dict[str, str], dict[str, str], str]:
    """The ICD files that the loader finds, those that are to be added, and what to do where there
    are none."""
    icds, is_chosen = _chosen()
    installed = {} if is_chosen else _installed()
    hint = ""
    if "pocl" in installed and _processor_is_unknown():
        del installed["pocl"]
        hint = (
            "PyPI's PoCL 3.0 was left out: it does not know this AMD processor; "
            "install sparcl[intel], or the PoCL of your system (pocl-opencl-icd)"
        )
    known = " ".join(icds.values())
    added = {
        f"sparcl-{extra}.icd": str(library)
        for extra, library in installed.items()
        if library.name.split(".")[0].split("-")[0] not in known
    }
    if not icds and not added and not hint:
        hint = "install one of your system, or sparcl[intel] or sparcl[pocl], which bring a CPU"
    return icds, added, hint


def _write(folder: str | Path, icds: dict[str, str]) -> None:
    for name, library in icds.items():
        (Path(folder) / name).write_text(f"{library}\n")


@functools.cache
def _add() -> str:
    icds, added, hint = _wanted()
    if added:
        with tempfile.TemporaryDirectory(prefix="sparcl-icd-") as folder:
            _write(folder, icds | added)
            with _environment(folder):
                _core.devices()  # the loader reads the folder once
    return hint


def add_for_program() -> None:
    """The same for a program that this process becomes: in a folder that stays, because nothing is
    left that could remove it."""
    icds, added, _ = _wanted()
    if not added:
        return
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "sparcl" / "icd"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.glob("*.icd"):
            if file.name not in icds | added:
                file.unlink()
        _write(folder, icds | added)
    except OSError as error:
        sys.exit(f"sparcl: {folder} cannot be written, for the devices of PyPI: {error}")
    os.environ["OCL_ICD_VENDORS"] = str(folder)
    os.environ.pop("OPENCL_VENDOR_PATH", None)


def add() -> str:
    """Let the loader find what is installed, once, before its first use. Returns what to do where
    there is no device; empty: nothing is known."""
    with _lock:
        return _add()
