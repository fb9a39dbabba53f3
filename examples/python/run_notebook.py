"""Runs a notebook without Jupyter: its cells in their order, in one process. What they show is to
be what the notebook stores; with --write it is stored.

    python examples/python/run_notebook.py [--write] examples/python/click_log.ipynb
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def run(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a cell: what it prints, and its last expression."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, found = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if last is not None:
            found = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if found is not None:
        data = {"text/plain": repr(found).splitlines(keepends=True)}
        result = {"data": data, "execution_count": None, "metadata": {}}
        outputs.append({**result, "output_type": "execute_result"})
    return outputs


def run_cells(path: Path, write: bool) -> int:
    """The number of cells that show something else than the notebook stores."""
    notebook = json.loads(path.read_text())
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    wrong = 0
    for number, cell in enumerate(cells, 1):
        outputs = run("".join(cell["source"]), names)
        if not write and json.dumps(outputs) != json.dumps(
            [
                {**each, "execution_count": None} if "execution_count" in each else each
                for each in cell["outputs"]
            ]
        ):
            print(
                f"{path}: cell {number} shows\n{json.dumps(outputs, indent=1)}\nexpected\n"
                f"{json.dumps(cell['outputs'], indent=1)}",
                file=sys.stderr,
            )
            wrong += 1
        cell["outputs"], cell["execution_count"] = outputs, number
        for each in outputs:
            if "execution_count" in each:
                each["execution_count"] = number
    if write:
        path.write_text(json.dumps(notebook, indent=1) + "\n")
    print(f"{path.name}: {len(cells)} cells, {wrong} with other results")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store what the cells show")
    parser.add_argument("notebooks", nargs="+", type=Path)
    given = parser.parse_args()
    sys.exit(sum(run_cells(path, given.write) for path in given.notebooks) > 0)


if __name__ == "__main__":
    main()
