"""What a model predicts, class by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, repr=False)
class ClassReport:
    """What a model predicts, class by class, as :meth:`Model.class_report` makes it. Where rows
    have weights, these count in place of rows. ``print`` shows a table."""

    classes: npt.NDArray[Any]
    """[classes]: labels, words where they are"""
    rows: npt.NDArray[np.float64]
    """[classes]: rows of each class"""
    predicted: npt.NDArray[np.float64]
    """[classes]: rows that are taken for it"""
    precision: npt.NDArray[np.float64]
    """[classes]: the part of these that is of it; NaN: none is taken for it"""
    recall: npt.NDArray[np.float64]
    """[classes]: the part of its rows that is taken for it; NaN: it has no rows"""
    f1: npt.NDArray[np.float64]
    """[classes]: the harmonic mean of both"""
    confusion: npt.NDArray[np.float64] | None
    """[classes, classes]: rows of each class, by the predicted one; None: over 1000 classes"""
    metrics: dict[str, float]
    """those of :meth:`Model.evaluate`"""

    @staticmethod
    def of(classes: npt.NDArray[Any], found: dict[str, Any]) -> ClassReport:
        """From what the C library has counted."""
        rows, predicted, right = (np.array(found[key]) for key in ("rows", "predicted", "right"))
        pairs = found.get("confusion")
        with np.errstate(invalid="ignore", divide="ignore"):
            return ClassReport(
                classes,
                rows,
                predicted,
                right / predicted,
                right / rows,
                2 * right / (rows + predicted),
                None if pairs is None else np.array(pairs).reshape(len(rows), len(rows)),
                found["metrics"],
            )

    def __repr__(self) -> str:
        names = [str(each) for each in self.classes.tolist()]
        width = max([5, *map(len, names)])
        lines = [f"{'':{width}} {'rows':>10} {'precision':>10} {'recall':>10} {'f1':>10}"]
        columns = zip(names, self.rows, self.precision, self.recall, self.f1, strict=True)
        lines += [
            f"{name:{width}} {rows:10.6g} {precision:10.4f} {recall:10.4f} {f1:10.4f}"
            for name, rows, precision, recall, f1 in columns
        ]
        return "\n".join(lines)
