#!/bin/sh
# Imports of the Python package go one way: from a floor to itself or to lower ones, and in no circle. Imports inside of
# functions count; those for type checkers alone (TYPE_CHECKING) do not.
. "$(dirname "$0")/lint.sh"

need python3
python3 - bindings/python/src <<'END' || findings=1
import ast, graphlib, pathlib, sys

# From the lowest; a package stands for its modules.
FLOORS = (
    "errors _messages _overload _warnings _progress _class_report _classes _runtimes _enums _checked _deprecated _context _parts",
    "_array _elements _host _reduce _list _numbers _arrow _tables _given _make",
    "ops",
    "_host_products _arithmetic _indexing _bsr _compressed _coordinates _dense _row_sparse",
    "optim graph",
    "_labels _pairs _csv_file _file_arguments _data _table_data _make_data",
    "_nodes _usual_loss _rows _model _training",
    "sklearn torch",
    "_tool",
)
FLOOR = {f"sparcl.{name}": floor for floor, names in enumerate(FLOORS) for name in names.split()}


def modules(root):
    files = {}
    for path in sorted(root.glob("sparcl/**/*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


def statements(node):
    """The imports below a node that are executed."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        below = node.orelse
    else:
        below = ast.iter_child_nodes(node)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield node
    for each in below:
        yield from statements(each)


def named(statement):
    if isinstance(statement, ast.Import):
        return [each.name for each in statement.names]
    return [f"{statement.module}.{each.name}" for each in statement.names]


def imported(module, path, files):
    """The modules that one imports, with the packages that they are in, but not those that it is in itself."""
    found = set()
    for statement in statements(ast.parse(path.read_text())):
        for name in named(statement):
            while name:
                if name in files and not f"{module}.".startswith(f"{name}."):
                    found.add(name)
                name = name.rpartition(".")[0]
    return found


def floor(module):
    return len(FLOORS) if module == "sparcl" else FLOOR.get(".".join(module.split(".")[:2]))


files = modules(pathlib.Path(sys.argv[1]))
graph = {module: imported(module, path, files) for module, path in files.items()}
wrong = [f"{files[module]}: lint_python_layers.sh does not know its floor" for module in files if floor(module) is None]
wrong += [f"{name}: lint_python_layers.sh has a floor for it, but there is no such module" for name in FLOOR if name not in files]
if not wrong:
    wrong += [
        f"{files[module]}: imports {other} of a higher floor"
        for module, others in graph.items() for other in sorted(others) if floor(other) > floor(module)
    ]
if sum(map(len, graph.values())) < 100:
    wrong.append(f"{sys.argv[1]}: hardly an import was found")
try:
    graphlib.TopologicalSorter(graph).prepare()
except graphlib.CycleError as error:
    wrong.append(f"modules that import one another in a circle: {' <- '.join(error.args[1])}")
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
END
finish
