"""What the parameters of estimators may be."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.utils._param_validation import (  # type: ignore[import-untyped]
    InvalidParameterError,
)

from sparcl._checked import is_utf8

Rule = tuple[Callable[[Any], bool], str]

_MOST = 2**31 - 1
_SEEDS = 2**64


def require(condition: bool, name: str, expected: str, found: object) -> None:
    """Raise scikit-learn's exception of a parameter that is wrong, a ValueError and TypeError."""
    if not condition:
        raise InvalidParameterError(f"{name}: expected {expected}, found {found!r}")


def is_whole(x: Any, least: int = 1, most: int = _MOST) -> bool:
    """An int from 1."""
    return isinstance(x, numbers.Integral) and least <= int(x) <= most


def _is_number(x: Any, low: float = 0.0, high: float = math.inf) -> bool:
    """A number between two others, or the first one."""
    return isinstance(x, numbers.Real) and low <= float(x) < high


def _is_flag(x: Any) -> bool:
    return isinstance(x, (bool, np.bool_))


def _is_text(x: Any) -> bool:
    return isinstance(x, str) and is_utf8(x)


def _is_class_weight(x: Any) -> bool:
    if isinstance(x, Mapping):
        return all(_is_number(each) for each in x.values())
    return x is None or (isinstance(x, str) and x == "balanced")


_WHOLE: Rule = (is_whole, "an int from 1")
_NUMBER: Rule = (_is_number, "a number from 0")
_FLAG: Rule = (_is_flag, "True or False")

RULES: dict[str, Rule] = {
    "C": (lambda x: isinstance(x, numbers.Real) and float(x) > 0, "a number above 0"),
    "alpha": _NUMBER,
    "batch_size": (
        lambda x: x in ("full", "auto") if isinstance(x, str) else is_whole(x),
        'an int from 1, "full" or "auto"',
    ),
    "class_weight": (
        _is_class_weight,
        'None, "balanced" or a dictionary of numbers from 0',
    ),
    "device": (lambda x: x is None or _is_text(x), "None or a str"),
    "early_stopping": _FLAG,
    "fit_intercept": _FLAG,
    "index_base": (lambda x: is_whole(x, 0, 1), "0 or 1"),
    "init_scale": _NUMBER,
    "k": _WHOLE,
    "l1_ratio": (
        lambda x: _is_number(x) and float(x) <= 1,
        "a number from 0 to 1",
    ),
    "learning_rate": (lambda x: x is None or _is_number(x), "None or a number from 0"),
    "max_iter": _WHOLE,
    "n_components": _WHOLE,
    "n_factors": _WHOLE,
    "n_iter_no_change": _WHOLE,
    "optimizer": (_is_text, "a str"),
    "penalty": _NUMBER,
    "random_state": (
        lambda x: x is None or isinstance(x, np.random.RandomState) or is_whole(x, 0, _SEEDS - 1),
        "None, an int from 0 or a RandomState",
    ),
    "solver": (lambda x: isinstance(x, str) and x in {"lbfgs", "steps"}, '"lbfgs" or "steps"'),
    "sparse_output": _FLAG,
    "tol": _NUMBER,
    "validation_fraction": (
        lambda x: _is_number(x, math.ulp(0.0), 1.0),
        "a number between 0 and 1",
    ),
    "verbose": (lambda x: is_whole(x, -_MOST), "an int"),
    "warm_start": _FLAG,
}


def or_none(name: str) -> Rule:
    """The rule of a parameter that may be None."""
    is_right, expected = RULES[name]
    return (lambda x: x is None or is_right(x), f"None or {expected}")


def check(given: dict[str, Any], also: dict[str, Rule]) -> None:
    """Check parameters by these rules, and by others of an estimator."""
    rules = RULES | also
    for name, value in given.items():
        is_right, expected = rules[name]
        require(is_right(value), name, expected, value)
