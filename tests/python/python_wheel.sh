#!/bin/sh
# python_wheel.sh: build the wheel of the Python package, install it in a fresh virtual environment with a device of
# PyPI, and try it where the system has no OpenCL: the example of its README, and some of its tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../bindings/python" && pwd)
: "${BUILD_DIR:?}" "${CMAKE:?}"
export SPARCL_PYTHON="${SPARCL_PYTHON:-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/sparcl-test/python}"
python=$SPARCL_PYTHON/bin/python
if ! "$python" -c 'import nanobind, scikit_build_core, auditwheel' 2>/dev/null; then
    echo "skipped: $python and its packages are not there; tools/test --all installs them"
    exit 77
fi
work=$BUILD_DIR/wheel
built=$BUILD_DIR/python # by python_package.sh, if it has run before
rm -rf "$built/prefix" "$work/fresh" "$work/empty" "$work/dist"
mkdir -p "$work/empty" "$built"
"$CMAKE" --install "$BUILD_DIR" --prefix "$built/prefix" >"$work/log" || { cat "$work/log" && exit 1; }
"$here/../../tools/wheel" "$work/dist" -C build-dir="$built/build" -C cmake.define.sparcl_ROOT="$built/prefix"
wheel=$(ls "$work"/dist/sparcl-*.whl)
rm -rf "$work/unpacked"
"$python" -m zipfile -e "$wheel" "$work/unpacked"
"$here/../package/runpath.sh" "$work/unpacked"

# A machine without OpenCL: the loader's folder is empty, and no library of the system is used.
unset LD_LIBRARY_PATH PYTHONPATH
export OCL_ICD_VENDORS="$work/empty" PYTHONDONTWRITEBYTECODE=1
fresh=$work/fresh/bin/python
install() { "$fresh" -m pip install --quiet --disable-pip-version-check "$@"; }
"$python" -m venv "$work/fresh"
if ! install "${wheel}[pocl,test]" 2>"$work/pip"; then
    tail -3 "$work/pip"
    echo "skipped: PyPI cannot be reached"
    exit 77
fi
cd "$work"
"$fresh" -c 'import sparcl; sparcl.Context()' 2>"$work/error" && device=PoCL || device=
if [ -z "$device" ]; then
    # PyPI's PoCL does not know this processor, which the error says, with what to install.
    grep -q "install sparcl\[intel\]" "$work/error" || { cat "$work/error" && exit 1; }
    tail -1 "$work/error"
    install "${wheel}[intel]"
fi
"$fresh" -c 'import sparcl; print(sparcl.__version__, *sparcl.devices(), sep="\n")'
ldd "$("$fresh" -c 'import sparcl._core as core; print(core.__file__)')" | grep -E 'sparcl.libs/libOpenCL' >/dev/null

"$work/fresh/bin/sparcl" doctor >"$work/doctor" || { cat "$work/doctor" && exit 1; }

awk '/^```/ { on = !on; next } on' "$source/README.md" >"$work/example.py"
"$fresh" "$work/example.py"
# What a wheel may lack: each module, the tool's files, PyTorch's and scikit-learn's parts. python_package tries the rest.
"$fresh" -m pytest -q -p no:cacheprovider "$source/tests/test_core.py" "$source/tests/test_training.py" \
    "$source/tests/test_read_only.py" "$source/tests/test_ops_operators.py" "$source/tests/test_torch_interface.py" "$source/tests/test_sklearn.py"
