"""The inputs of the golden vectors, and the files that hold them.

Everything is made by one linear congruential generator, so that the inputs are the same everywhere; they are also
stored, in tests/golden/case.txt. Run by itself, this program writes that file.
"""
import os
import pathlib
import re

import numpy as np

FOLDER = pathlib.Path(os.environ.get("GOLDEN", pathlib.Path(__file__).parents[2] / "tests" / "golden"))
ROWS, COLUMNS = 6, 3

# The ids of each step: repeated and unsorted, none at all, all rows. Row 5 occurs in step 9 only, row 4 in step 2, then
# not before step 8.
STEPS = [
    [3, 1, 3, 0],
    [4, 2],
    [1, 1, 1, 2, 0],
    [],
    [3, 0, 1, 3],
    [2],
    [2, 1, 0, 2, 3],
    [3, 4],
    [2, 5, 0, 4, 1, 3],
    [0, 4, 0, 3],
]
ZERO_ROW = (2, 3)  # step 3, its 4th gradient row: only zeros, and -0
CANCELS = (6, 0, 3)  # step 7, its 1st and 4th gradient row: the sum of element 0 is exactly 0
SCALES = [1.0, 1e-3, 3e-7, 0.1]  # of the elements of a gradient row: above, near and below the usual epsilons

# The learning rate of each step is the optimizer's times this, in all files but the "defaults".
SCHEDULE = [1.0, 0.5, 2.0, 1.0, 0.25, 1.5, 0.75, 3.0, 0.125, 1.0]


class Numbers:
    """x = 1664525 x + 1013904223 mod 2^32; its upper 24 bits, as a fraction, times 2, minus 1."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return (self.state >> 8) / 2**23 - 1

    def array(self, rows, columns):
        return np.array([[self.next() for _ in range(columns)] for _ in range(rows)]).reshape(rows, columns)


class Case:
    """A table and the gradients of ten steps: pairs of ids and rows."""

    def __init__(self, name, table, steps):
        self.name, self.table, self.steps = name, table, steps

    def dense(self, step):
        """The gradient as a dense array: rows of one id added in the order stored, +0 elsewhere."""
        ids, rows = self.steps[step]
        result, seen = np.zeros_like(self.table), set()
        for i, row in zip(ids, rows):
            result[i] = result[i] + row if i in seen else row
            seen.add(i)
        return result

    def unique(self, step):
        """The ids, ascending and unique, and the sums of their rows."""
        ids = np.unique(self.steps[step][0])
        return ids, self.dense(step)[ids]


def make(name, columns, seed):
    numbers = Numbers(seed)
    table = numbers.array(ROWS, columns) * 10.0 ** -(np.arange(ROWS)[:, None] % 3)
    table[2, 0], table[3, columns - 1] = 0.0, -0.0
    steps = []
    for s, ids in enumerate(STEPS):
        rows = numbers.array(len(ids), columns) * np.array(SCALES)[:columns] * (50.0 if s == 6 else 1.0)
        steps.append([np.array(ids, np.int64), rows.astype(np.float32)])
    steps[ZERO_ROW[0]][1][ZERO_ROW[1]] = [0.0, -0.0, 0.0, -0.0][:columns]
    steps[CANCELS[0]][1][CANCELS[2], 0] = -steps[CANCELS[0]][1][CANCELS[1], 0]
    return Case(name, table.astype(np.float32), steps)


def with_unique_rows(case, name):
    """The same steps, for systems that ask for ids that are ascending and unique."""
    return Case(name, case.table, [case.unique(s) for s in range(len(case.steps))])


def without_empty(case):
    """Step 4 has the gradient of step 2, for systems that fail when there is none."""
    return Case("filled", case.table, case.steps[:3] + [case.steps[1]] + case.steps[4:])


MAIN = make("main", COLUMNS, 1)
WIDE = make("wide", 4, 3)  # FBGEMM asks for a multiple of 4
VECTOR = make("vector", 1, 2)
UNIQUE = with_unique_rows(MAIN, "unique")
VECTOR_UNIQUE = with_unique_rows(VECTOR, "vector_unique")
FILLED = without_empty(UNIQUE)
ZERO = Case("zero", np.zeros_like(UNIQUE.table), UNIQUE.steps)  # a table whose norm is 0
CASES = {case.name: case for case in (MAIN, WIDE, VECTOR, UNIQUE, VECTOR_UNIQUE, FILLED, ZERO)}


def words(values):
    """Elements as text: float32 as the 8 hexadecimal digits of its bits (every NaN as 7fc00000), without spaces between
    them; integers as such, with spaces."""
    values = np.asarray(values).reshape(-1)
    if values.dtype.kind == "f":
        bits = np.where(np.isnan(values), np.uint32(0x7FC00000), values.astype(np.float32).view(np.uint32))
        return "".join(f"{int(b):08x}" for b in bits)
    return " ".join(str(int(v)) for v in values)


def setting(value):
    """A setting as one word: a number that reads back as the same double, true, false, none, or a name."""
    if value is None or value is True or value is False:
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(setting(v) for v in value) or "none"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return repr(value.item() if isinstance(value, np.generic) else value)
    return str(value).replace(" ", "_") or "none"


def sections(path):
    """The sections of a file of tests/golden, by name."""
    parts = re.split(r"^== (.*)\n", path.read_text() if path.exists() else "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def write_section(name, lines, path=None):
    """Replaces or adds a section of the file of its system, which is the first word of the name."""
    path = path or FOLDER / f"{name.split('_')[0]}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = sections(path) | {name: "\n".join([*lines, ""])}
    path.write_text("".join(f"== {key}\n{text[key]}" for key in sorted(text)))


class Recorder:
    """Collects what a system computes, and writes it to a section of tests/golden: README.md there has the format."""

    def __init__(self, name, system, versions, optimizer, case, gradient, settings, notes=()):
        self.name, self.last, self.numbers = name, {}, {}
        self.lines = ["golden 1", f"system {system}"]
        self.lines += [f"version {package} {number}" for package, number in versions.items()]
        self.lines += [f"optimizer {optimizer}", f"case {case.name}", f"gradient {gradient}"]
        self.lines += [f"note {note}" for note in notes]
        self.lines += [f"setting {key} {setting(value)}" for key, value in settings.items()]

    def arrays(self, arrays):
        """The rows whose bits have changed, of each array; before the first step every element counts as +0."""
        for key, value in arrays.items():
            value = np.asarray(value)
            value = value.astype(np.float32 if value.dtype.kind == "f" else np.int64)
            value = value.reshape(1, 1) if value.ndim == 0 else value.reshape(value.shape[0], -1)
            if key not in self.last:
                kind = "f32" if value.dtype.kind == "f" else "i64"
                self.numbers[key] = len(self.numbers)
                self.lines.append(f"array {self.numbers[key]} {key} {value.shape[0]} {value.shape[1]} {kind}")
                self.last[key] = np.zeros_like(value)
            for r in range(value.shape[0]):
                if value[r].tobytes() != self.last[key][r].tobytes():
                    self.lines.append(f"{self.numbers[key]} {r} {words(value[r])}")
            self.last[key] = value.copy()

    def start(self, **arrays):
        self.arrays(arrays)

    def step(self, number, lr, **arrays):
        self.lines.append(f"step {number} lr {setting(float(lr))}")
        self.arrays(arrays)

    def save(self):
        write_section(self.name, [*self.lines, "end"])


class Refusals:
    """What a system refuses, with the first line of what it says: section SYSTEM_refuses."""

    def __init__(self, system, versions):
        self.system, self.lines = system, [f"version {package} {number}" for package, number in versions.items()]

    def add(self, what, error):
        text = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
        said = [line for line in text if "rror: " in line or "Check failed" in line] + [text[0]]
        self.lines.append(f"refused {what}: {type(error).__name__}: {said[0][:240]}")
        print(self.lines[-1])

    def save(self):
        if any(line.startswith("refused ") for line in self.lines):
            write_section(f"{self.system}_refuses", self.lines)


def schedule(lr, kind):
    """The rate of each step, as the double that is handed to the system: constant with the defaults, else changing."""
    return [lr] * len(SCHEDULE) if kind.startswith("defaults") else [lr * m for m in SCHEDULE]


def write_cases():
    for case in CASES.values():
        lines = ["golden-case 1", f"case {case.name}", f"table {case.table.shape[0]} {case.table.shape[1]}"]
        lines += [f"{r} {words(row)}" for r, row in enumerate(case.table)]
        for s, (ids, rows) in enumerate(case.steps, 1):
            lines.append(f"step {s} rows {len(ids)}")
            lines += [f"{i} {words(row)}" for i, row in zip(ids, rows)]
        write_section(f"case_{case.name}", [*lines, "end"])


if __name__ == "__main__":
    write_cases()
