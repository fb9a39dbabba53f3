#!/bin/sh
# python_package.sh: build the Python package with the library of this build, and try it: its tests, the examples
# in its documentation, mypy and ruff. They are in the virtual environment SPARCL_PYTHON, which tools/test --all makes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../bindings/python" && pwd)
: "${BUILD_DIR:?}" "${CMAKE:?}"
python=${SPARCL_PYTHON:-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/sparcl-test/python}/bin/python
if ! "$python" -c 'import nanobind, nanobind_backend, scikit_build_core, pytest, mypy, ruff, scipy, torch, sklearn, pandas, tqdm' 2>/dev/null; then
    echo "skipped: $python and its packages are not there; tools/test --all installs them"
    exit 77
fi
if [ "${SPARCL_DEVICE:-}" = gpu ]; then
    code=0
    "$BUILD_DIR/sparcl" bench spmm --generate uniform:10x10x2 -n 1 --repeat 5 --device gpu >/dev/null 2>&1 || code=$?
    if [ $code = 3 ]; then echo "skipped: there is no GPU" && exit 77; fi
fi
work=$BUILD_DIR/python
rm -rf "$work/site" "$work/prefix"
mkdir -p "$work"
"$CMAKE" --install "$BUILD_DIR" --prefix "$work/prefix" >"$work/log" || { cat "$work/log" && exit 1; }
"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation \
    --target "$work/site" -C build-dir="$work/build" -C cmake.define.sparcl_ROOT="$work/prefix" "$source"

export PYTHONPATH="$work/site" PYTHONDONTWRITEBYTECODE=1 MYPYPATH="$work/site"
export SPARCL_TOOL="$BUILD_DIR/sparcl"
cd "$work"
# One wrong argument in 48, as python_sanitized; with --own-memory what copies arrays: not files, labels and texts, nor what models
# are trained on, which is uploaded by the library.
SPARCL_TEST_EVERY=48 "$python" -m pytest -q -p no:cacheprovider "$source/tests"
set --
for about in sklearn arguments training labels tables pairs csv_notes building messages host_products wrong_kinds; do
    set -- "$@" --ignore-glob="$source/tests/*$about*"
done
"$python" -m pytest -q -p no:cacheprovider --own-memory "$@" -k "not test_the_example_trains" "$source/tests"
"$python" -m pytest -q -p no:cacheprovider --doctest-modules "$work/site/sparcl"
examples=$source/../../examples/python
"$python" "$examples/scipy_to_model.py"
"$python" "$examples/word_vectors.py" --epochs 1
"$python" "$examples/graph_network.py"
"$python" "$examples/run_notebook.py" "$examples"/*.ipynb
"$python" "$examples/dlrm.py" --optimizer all --rows 2000 --batch 128 --steps 3 --rounds 2 --json dlrm.json
"$python" "$examples/dlrm_plot.py" dlrm.json dlrm.svg
"$python" -m mypy --strict --cache-dir "$work/mypy" -p sparcl
"$python" -m ruff check --no-cache --config "$source/pyproject.toml" "$source" "$examples"
"$python" -m ruff format --no-cache --config "$source/pyproject.toml" --check "$source" "$examples"
