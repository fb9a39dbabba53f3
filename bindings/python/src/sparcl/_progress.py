"""How far a training is, shown by tqdm where that is installed."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

Progress = Callable[[dict[str, Any]], object]


class Bar(AbstractContextManager["Bar"]):
    """A bar of steps with the last losses; without tqdm nothing is shown."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._has_tqdm = importlib.util.find_spec("tqdm") is not None

    def __call__(self, now: dict[str, Any]) -> bool:
        if not self._has_tqdm:
            return False
        if self._bar is None:
            tqdm = importlib.import_module("tqdm.auto").tqdm
            self._bar = tqdm(total=now["steps"], unit=" steps", desc="training")
        self._bar.update(now["step"] - self._bar.n)
        shown = {"pass": now["epoch"], "loss": now["loss"], "validation": now["valid_loss"]}
        self._bar.set_postfix({k: v for k, v in shown.items() if not math.isnan(v)}, refresh=False)
        return False

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
