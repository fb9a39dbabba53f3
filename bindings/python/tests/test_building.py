"""The line that kernels are built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import logging, sys, time
import numpy as np, sparcl
from sparcl import _context

_context._PATIENCE = float(sys.argv[1])
if sys.argv[2] == "prompt":
    sys.ps1 = ">>> "
if sys.argv[2] == "off":
    sys.ps1 = ">>> "
    logging.getLogger("sparcl").setLevel(logging.ERROR)
a = sparcl.csr(np.eye(3, dtype="f4"))
for _ in range(3):
    (a @ np.ones((3, 2), "f4")).numpy()
time.sleep(0.2)
"""


@pytest.mark.parametrize(
    ("patience", "how", "lines"),
    [("0", "prompt", 1), ("0", "off", 0), ("0", "script", 0), ("60", "prompt", 0)],
)
def test_one_line_says_that_kernels_are_built(
    tmp_path: Path, patience: str, how: str, lines: int
) -> None:
    cold = {"POCL_CACHE_DIR": str(tmp_path / "pocl"), "SPARCL_CACHE_DIR": str(tmp_path / "sparcl")}
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, patience, how],
        env={**os.environ, **cold},
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert found.stderr.count("sparcl: building kernels for ") == lines
    assert found.stderr.count("\n") == lines
