"""What all tests share: with --own-memory, the device has memory of its own, as most GPUs have."""

from __future__ import annotations

import os

import pytest

import sparcl
from sparcl import _context


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--own-memory", action="store_true", help="arrays are copied to the device and back"
    )


@pytest.fixture(autouse=True, scope="session")
def _memory(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--own-memory"):
        _context._default._opened = (os.getpid(), sparcl.Context(share=False))
