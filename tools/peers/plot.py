#!/usr/bin/env python3
"""Draws the ratios of a results file as an SVG that is legible on light and dark pages, or prints the
table of README.md.

usage: plot.py RESULTS.json OUT.svg
       plot.py --table RESULTS.json

RESULTS.json is the output of `goals.py --json`, such as docs/results/2026-11-22-peers.json. The background
is transparent. Each color has a contrast of at least 3 with white and with GitHub's dark page, the color of
text one of at least 4.2."""
import json
import math
import sys
from xml.sax.saxutils import escape

# Labels for the goals of goals.py, in the order of the plot. Other goals follow, with their own names.
NAMES = {
    "spmm, n >= 8": "sparse × dense, 8 columns and more",
    "spmm, n = 1": "sparse × vector",
    "spmm, small, alone (no goal)": "small matrices, a wait after each",
    "spmm-t, n >= 8": "transposed, 8 columns and more",
    "spmm-t, n = 1": "transposed, vector",
    "spmm-t-rows": "transposed, row-sparse gradient",
    "spmm-t-rows, best transpose + best product": "best transpose + best product",
    "step sgd": "optimizer step, SGD",
    "step momentum": "optimizer step, momentum",
    "step adagrad": "optimizer step, Adagrad",
    "step adam": "optimizer step, Adam",
    "dedupe-step sgd": "sum duplicates and step, SGD",
    "dedupe-step adagrad": "sum duplicates and step, Adagrad",
    "dedupe-step adam": "sum duplicates and step, Adam",
    "reorder, large": "COO to sorted CSR",
    "coalesce, large": "COO, duplicates summed",
    "transpose, large": "CSR to CSC",
    "reorder, small": "COO to sorted CSR, small",
    "coalesce, small": "COO, duplicates summed, small",
    "transpose, small": "CSR to CSC, small",
    "select-rows, queued": "selection of 4 096 rows",
    "bag": "embedding bag",
    "spgemm": "sparse × sparse",
    "csr-add": "sparse + sparse",
    "to-dense": "CSR to dense",
    "from-dense": "dense to CSR",
    "to-bsr": "CSR to blocks",
    "topk": "k largest of each row",
    "csr-concat": "concatenation of rows",
    "csr-slice-columns": "slice of columns",
    "coo-coalesce-max": "COO, largest of duplicates",
    "unique": "distinct ids",
    "multiply": "product of arrays",
    "scale-rows": "rows times a vector",
    "scale-columns": "columns times a vector",
}
PARTS_OF_OTHERS = {"spmm, small, n >= 16, queued"}
FIRST_OF_GROUP = {"step sgd", "dedupe-step sgd", "reorder, large", "select-rows, queued", "spgemm"}
TABLE = ("spmm, n >= 8", "spmm, n = 1", "spmm-t-rows", "step adam", "dedupe-step adam", "reorder, large")

PAGES = {"light": "#ffffff", "dark": "#0d1117"}
TEXT, GRID, FASTER, SLOWER = "#747b86", "#808891", "#2f81d4", "#d0602a"
MARK = 'fill="#ffffff" stroke="#24292f" stroke-width="1.5"'  # two tones: one is visible on either page and on a bar
WIDTH, LEFT, RIGHT, TOP, ROW, GAP = 820, 266, 56, 58, 20, 9
LOWEST, HIGHEST = 0.25, 32


def luminance(color):
    def linear(c):
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
    r, g, b = (linear(int(color[i:i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    """The contrast ratio as WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check_colors():
    for color, lowest in ((TEXT, 4.2), (GRID, 3), (FASTER, 3), (SLOWER, 3)):
        for name, page in PAGES.items():
            if contrast(color, page) < lowest:
                sys.exit(f"plot.py: {color} has a contrast of {contrast(color, page):.2f} with the {name} page, "
                         f"expected {lowest}")


def x_of(ratio):
    position = math.log(ratio / LOWEST) / math.log(HIGHEST / LOWEST)
    return LEFT + min(max(position, 0), 1) * (WIDTH - LEFT - RIGHT)


def text(x, y, words, anchor="start", weight="normal", color=TEXT):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill="{color}">'
            f"{escape(words)}</text>")


def bar(goal, y):
    mean, minimum = goal["mean"], goal["minimum"]
    one, end, low = x_of(1), x_of(mean), x_of(minimum)
    color = FASTER if mean >= 1 else SLOWER
    return [text(LEFT - 12, y + 14, NAMES.get(goal["goal"], goal["goal"]), "end"),
            f'<rect x="{min(one, end):.1f}" y="{y + 4}" width="{max(abs(end - one), 1.5):.1f}" height="12" '
            f'fill="{color}"/>',
            f'<path d="M{low:.1f} {y + 4}l5 6l-5 6l-5 -6z" {MARK}/>',
            text(max(end, one, low + 5) + 6, y + 14, f"{mean:.3g}", weight="bold")]


def axis(bottom):
    ratio = LOWEST
    while ratio <= HIGHEST:
        x, width = x_of(ratio), 2 if ratio == 1 else 1
        dash = "" if ratio == 1 else ' stroke-dasharray="2 4"'
        yield f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="{GRID}" stroke-width="{width}"{dash} fill="none"/>'
        yield text(x, bottom + 17, f"{ratio:g}", "middle", "bold" if ratio == 1 else "normal")
        ratio *= 2


def legend(bottom):
    y = bottom + 38
    yield f'<rect x="{LEFT}" y="{y - 10}" width="12" height="12" fill="{FASTER}"/>'
    yield f'<rect x="{LEFT + 14}" y="{y - 10}" width="12" height="12" fill="{SLOWER}"/>'
    yield text(LEFT + 32, y, "geometric mean of the cases")
    yield f'<path d="M{LEFT + 252} {y - 10}l5 6l-5 6l-5 -6z" {MARK}/>'
    yield text(LEFT + 264, y, "the case with the lowest ratio")


def draw(results):
    goals = {goal["goal"]: goal for goal in results["goals"] if goal["mean"] is not None}
    for name in PARTS_OF_OTHERS:
        goals.pop(name, None)
    lines, y = [], TOP + 6
    for name in sorted(goals, key=lambda name: list(NAMES).index(name) if name in NAMES else len(NAMES)):
        y += GAP * (name in FIRST_OF_GROUP and bool(lines))
        lines += bar(goals[name], y)
        y += ROW
    bottom = y + 6
    title = "Time of the fastest peer / time of sparcl"
    about = f"{title}, {results['date']}, {results['machine']}; peers: {', '.join(results['peers'])}"
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 50}" width="{WIDTH}" '
            f'height="{bottom + 50}" role="img" font-family="DejaVu Sans, Verdana, sans-serif" font-size="13">',
            f"<title>{escape(about)}</title>",
            text(LEFT, 20, title + " (log scale)", weight="bold"),
            text(x_of(1) + 8, 44, "sparcl is faster →"), text(x_of(1) - 8, 44, "← slower", "end")]
    return "\n".join(head + list(axis(bottom)) + lines + list(legend(bottom)) + ["</svg>"]) + "\n"


def table(results):
    goals = {goal["goal"]: goal for goal in results["goals"]}
    yield "| operation | cases | geometric mean | lowest case |"
    yield "|---|---|---|---|"
    for name in TABLE:
        goal = goals[name]
        where = f" (`{goal['minimum_at'].split()[0]}`)" if goal["minimum_at"] else ""
        yield f"| {NAMES[name]} | {goal['jobs']} | {goal['mean']:.3g} | {goal['minimum']:.3g}{where} |"


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(arguments) != 2:
        sys.exit(__doc__)
    source = arguments[1] if arguments[0] == "--table" else arguments[0]
    with open(source, encoding="utf-8") as file:
        results = json.load(file)
    if arguments[0] == "--table":
        print("\n".join(table(results)))
        return
    check_colors()
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(draw(results))


if __name__ == "__main__":
    main(sys.argv[1:])
