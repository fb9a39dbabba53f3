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
    """A bar of settings that are tried, or of steps with the last losses; without tqdm nothing is
    shown."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._is_search = False
        self._has_tqdm = importlib.util.find_spec("tqdm") is not None

    def __call__(self, now: dict[str, Any]) -> bool:
        if not self._has_tqdm:
            return False
        is_search = now["setting"] is not None
        if self._bar is None or is_search != self._is_search:
            self._open(now, is_search)
        self._bar.update((now["tried"] if is_search else now["step"]) - self._bar.n)
        shown = (
            {now["setting"]: now["value"], "step": now["step"], "held-out loss": now["valid_loss"]}
            if is_search
            else {"pass": now["epoch"], "loss": now["loss"], "validation": now["valid_loss"]}
        )
        self._bar.set_postfix({k: v for k, v in shown.items() if not math.isnan(v)}, refresh=False)
        return False

    def _open(self, now: dict[str, Any], is_search: bool) -> None:
        self.__exit__()
        tqdm = importlib.import_module("tqdm.auto").tqdm
        self._is_search = is_search
        self._bar = (
            tqdm(total=now["most"], unit=" settings", desc="searching")
            if is_search
            else tqdm(total=now["steps"], unit=" steps", desc="training")
        )

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
