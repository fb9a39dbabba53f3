#!/usr/bin/env python3
"""Draws the times and loss curves that dlrm.py --json wrote as an SVG, legible on light and dark
pages.

    python dlrm_plot.py RESULTS.json OUT.svg
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

TEXT, GRID, COMPUTE = "#747b86", "#808891", "#9a8ac9"
COLORS = {
    "torch": "#d0602a",
    "sparcl": "#2f81d4",
    "sparcl+bags": "#2b9a66",
    "torch64": "#808891",
}
WIDTH, LEFT, BARS, CURVE, ROW, PANEL = 820, 160, 330, 560, 22, 64
PARTS = ("forward and backward", "optimizer")


def text(x: float, y: float, words: str, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" '
        f'fill="{TEXT}">{escape(words)}</text>'
    )


def bars(runs: list[dict[str, Any]], top: float) -> Iterator[str]:
    """The time of a step of each run: forward and backward, then the optimizer."""
    scale = BARS / max(sum(run["parts"][p]["median_ms"] for p in PARTS) for run in runs)
    for i, run in enumerate(runs):
        y, x = top + i * ROW, float(LEFT)
        yield text(LEFT - 8, y + 12, run["whose"], "end")
        for part, color in zip(PARTS, (COMPUTE, COLORS[run["whose"]]), strict=True):
            size = run["parts"][part]["median_ms"] * scale
            yield f'<rect x="{x:.1f}" y="{y}" width="{size:.1f}" height="14" fill="{color}"/>'
            x += size
        optimizer = run["parts"]["optimizer"]
        yield text(x + 5, y + 12, f"{optimizer['median_ms']:.1f} ms", weight="bold")


def curves(runs: list[dict[str, Any]], top: float, height: float) -> Iterator[str]:
    """The losses of each run; curves that are equal lie on each other."""
    losses = [loss for run in runs for loss in run["losses"]]
    low, high = min(losses), max(losses)
    right = WIDTH - 20
    for i, run in enumerate(runs):
        steps = max(len(run["losses"]) - 1, 1)
        points = " ".join(
            f"{CURVE + 60 + k * (right - CURVE - 60) / steps:.1f},"
            f"{top + height - (loss - low) / (high - low or 1) * height:.1f}"
            for k, loss in enumerate(run["losses"])
        )
        yield (
            f'<polyline points="{points}" fill="none" stroke="{COLORS[run["whose"]]}" '
            f'stroke-width="{2 * (len(runs) - i)}"/>'
        )
    yield text(CURVE + 54, top + 10, f"{high:.3f}", "end")
    yield text(CURVE + 54, top + height, f"{low:.3f}", "end")


def draw(found: dict[str, Any]) -> str:
    lines, y = [], 62.0
    for result in found["results"]:
        runs = result["runs"]
        height = max(PANEL, len(runs) * ROW)
        lines.append(text(12, y + 12, result["optimizer"], weight="bold"))
        lines += [*bars(runs, y), *curves(runs, y, height - 8)]
        lines.append(f'<path d="M12 {y + height + 6}H{WIDTH - 12}" stroke="{GRID}"/>')
        y += height + 16
    about = f"{found['date']}, {found.get('device', found['machine'])}, torch {found['torch']}"
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 24:.0f}" '
        f'width="{WIDTH}" height="{y + 24:.0f}" role="img" '
        'font-family="DejaVu Sans, Verdana, sans-serif" font-size="13">',
        f"<title>A DLRM with PyTorch's optimizers and sparcl's, {escape(about)}</title>",
        text(
            12,
            22,
            "Time of a training step: forward and backward, then the optimizer",
            weight="bold",
        ),
        text(WIDTH - 20, 22, "Losses", "end", "bold"),
        text(12, 42, "the number is the time of the optimizer"),
    ]
    return "\n".join([*head, *lines, text(12, y + 12, about), "</svg>"]) + "\n"


def main(arguments: list[str]) -> None:
    if len(arguments) != 2:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as file:
        drawn = draw(json.load(file))
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(drawn)


if __name__ == "__main__":
    main(sys.argv[1:])
