#!/usr/bin/env python3
"""Draws the ratios of results files, a panel for each, as an SVG that is legible on light and dark pages, or
prints the table of README.md.

usage: plot.py RESULTS.json... OUT.svg
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
    "spmm, n >= 16, cuSPARSE": "sparse × dense, cuSPARSE",
    "spmm, n = 1, cuSPARSE": "sparse × vector, cuSPARSE",
    "spmm-t of a pattern, cuSPARSE": "transposed, cuSPARSE",
    "spmm-t-rows, new pattern, PyTorch": "row-sparse gradient, PyTorch",
    "spmm-t-rows, cuSPARSE": "row-sparse gradient, cuSPARSE",
    "step sgd, PyTorch": "optimizer step, SGD, PyTorch",
    "step adagrad, PyTorch": "optimizer step, Adagrad, PyTorch",
    "dedupe-step sgd, PyTorch": "sum duplicates, SGD, PyTorch",
    "dedupe-step adagrad, PyTorch": "sum duplicates, Adagrad, PyTorch",
    "dedupe-step adam, PyTorch": "sum duplicates, Adam, PyTorch",
    "reorder, CUB": "COO to sorted CSR, CUB",
    "coalesce, CUB": "COO, duplicates summed, CUB",
    "transpose, CUB": "CSR to CSC, CUB",
    "bag, PyTorch": "embedding bag, PyTorch",
    "pass over the click log, batch 1024, PyTorch": "a pass, batches of 1 024, PyTorch",
    "pass over the click log, batch 16384, PyTorch": "a pass, batches of 16 384, PyTorch",
}
PARTS_OF_OTHERS = {"spmm, small, n >= 16, queued"}
FIRST_OF_GROUP = {"step sgd", "dedupe-step sgd", "reorder, large", "select-rows, queued", "spgemm", "step sgd, PyTorch",
                  "reorder, CUB", "bag, PyTorch"}
TABLE = ("spmm, n >= 8", "spmm, n = 1", "spmm-t-rows", "step adam", "dedupe-step adam", "reorder, large")

PAGES = {"light": "#ffffff", "dark": "#0d1117"}
TEXT, GRID, FASTER, SLOWER = "#747b86", "#808891", "#2f81d4", "#d0602a"
MARK = 'fill="#ffffff" stroke="#24292f" stroke-width="1.5"'  # two tones: one is visible on either page and on a bar
WIDTH, LEFT, RIGHT, TOP, ROW, GAP = 820, 266, 56, 58, 20, 9
LOWEST, HIGHEST = 0.25, 32  # of an axis, which begins lower where a ratio is less


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


def text(x, y, words, anchor="start", weight="normal", color=TEXT):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill="{color}">'
            f"{escape(words)}</text>")


class Panel:
    """The ratios of a results file, from a height on."""

    def __init__(self, results, top):
        self.results, self.top = results, top
        self.goals = {goal["goal"]: goal for goal in results["goals"]
                      if goal["mean"] is not None and goal["goal"] not in PARTS_OF_OTHERS}
        self.lowest = LOWEST
        while min(goal["minimum"] for goal in self.goals.values()) < self.lowest:
            self.lowest /= 2

    def x_of(self, ratio):
        position = math.log(ratio / self.lowest) / math.log(HIGHEST / self.lowest)
        return LEFT + min(max(position, 0), 1) * (WIDTH - LEFT - RIGHT)

    def bar(self, goal, y):
        mean, minimum = goal["mean"], goal["minimum"]
        one, end, low = self.x_of(1), self.x_of(mean), self.x_of(minimum)
        color = FASTER if mean >= 1 else SLOWER
        return [text(LEFT - 12, y + 14, NAMES.get(goal["goal"], goal["goal"]), "end"),
                f'<rect x="{min(one, end):.1f}" y="{y + 4}" width="{max(abs(end - one), 1.5):.1f}" height="12" '
                f'fill="{color}"/>',
                f'<path d="M{low:.1f} {y + 4}l5 6l-5 6l-5 -6z" {MARK}/>',
                text(max(end, one, low + 5) + 6, y + 14, f"{mean:.3g}", weight="bold")]

    def axis(self, top, bottom):
        ratio = self.lowest
        while ratio <= HIGHEST:
            x, width = self.x_of(ratio), 2 if ratio == 1 else 1
            dash = "" if ratio == 1 else ' stroke-dasharray="2 4"'
            yield f'<path d="M{x:.1f} {top}V{bottom}" stroke="{GRID}" stroke-width="{width}"{dash} fill="none"/>'
            label = f"{ratio:g}" if ratio >= LOWEST else f"1/{1 / ratio:g}"
            yield text(x, bottom + 17, label, "middle", "bold" if ratio == 1 else "normal")
            ratio *= 2

    def draw(self):
        """The lines, and where the next panel begins."""
        head = [text(WIDTH - RIGHT, self.top - 38 + 4, self.results["machine"], "end")] if self.top > TOP else []
        if "note" in self.results:
            head.append(text(WIDTH - RIGHT, self.top - 14, self.results["note"], "end"))
        lines, y = [], self.top + 6
        for name in sorted(self.goals, key=lambda name: list(NAMES).index(name) if name in NAMES else len(NAMES)):
            y += GAP * (name in FIRST_OF_GROUP and bool(lines))
            lines += self.bar(self.goals[name], y)
            y += ROW
        return head + list(self.axis(self.top, y + 6)) + lines, y + 6


def legend(bottom):
    y = bottom + 38
    yield f'<rect x="{LEFT}" y="{y - 10}" width="12" height="12" fill="{FASTER}"/>'
    yield f'<rect x="{LEFT + 14}" y="{y - 10}" width="12" height="12" fill="{SLOWER}"/>'
    yield text(LEFT + 32, y, "geometric mean of the cases")
    yield f'<path d="M{LEFT + 252} {y - 10}l5 6l-5 6l-5 -6z" {MARK}/>'
    yield text(LEFT + 264, y, "the case with the lowest ratio")


def draw(all_results):
    lines, bottom, about = [], 0, []
    title = "Time of the fastest peer / time of sparcl"
    for results in all_results:
        panel = Panel(results, TOP if not lines else bottom + 78)
        drawn, bottom = panel.draw()
        lines += drawn
        about.append(f"{results['date']}, {results['machine']}; peers: {', '.join(results['peers'])}")
        one = panel.x_of(1)
        if panel.top == TOP:
            lines += [text(one + 8, 44, "sparcl is faster →"), text(one - 8, 44, "← slower", "end")]
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 50}" width="{WIDTH}" '
            f'height="{bottom + 50}" role="img" font-family="DejaVu Sans, Verdana, sans-serif" font-size="13">',
            f"<title>{escape(title + ', ' + '; '.join(about))}</title>",
            text(LEFT, 20, title + " (log scale)", weight="bold")]
    return "\n".join(head + lines + list(legend(bottom)) + ["</svg>"]) + "\n"


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
    if len(arguments) < 2 or (arguments[0] == "--table" and len(arguments) > 2):
        sys.exit(__doc__)
    is_table = arguments[0] == "--table"
    all_results = []
    for source in arguments[1:] if is_table else arguments[:-1]:
        with open(source, encoding="utf-8") as file:
            all_results.append(json.load(file))
    if is_table:
        print("\n".join(table(all_results[0])))
        return
    check_colors()
    with open(arguments[-1], "w", encoding="utf-8") as file:
        file.write(draw(all_results))


if __name__ == "__main__":
    main(sys.argv[1:])
