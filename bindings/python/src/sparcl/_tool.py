"""The command ``sparcl``: the tool, which is in the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sparcl import _runtimes

TOOL = Path(__file__).parent / "bin" / "sparcl"


def main() -> None:
    """Become the tool, with the arguments of this process and the devices that the package has."""
    if not TOOL.is_file():
        sys.exit(
            f"sparcl: expected the tool as {TOOL}, found none: this package was built without it; "
            "build it from the source tree by cmake, or install a wheel"
        )
    _runtimes.add_for_program()
    os.execv(TOOL, ["sparcl", *sys.argv[1:]])
