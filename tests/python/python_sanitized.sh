#!/bin/sh
# python_sanitized.sh: the tests of the Python package with the address sanitizer, in the package and in the library of
# this build: which object outlives which, and that no wrong argument leaves an array.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../bindings/python" && pwd)
: "${BUILD_DIR:?}" "${CMAKE:?}"
export CXX="${CXX:-c++}"
python=${SPARCL_PYTHON:-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/sparcl-test/python}/bin/python
if ! "$python" -c 'import nanobind, nanobind_backend, scikit_build_core, pytest, scipy' 2>/dev/null; then
    echo "skipped: $python and its packages are not there; tools/test --all installs them"
    exit 77
fi
runtime=$("$CXX" -print-file-name=libasan.so)
case $runtime in
/*) ;;
*)
    echo "skipped: $CXX has no libasan.so, which must be loaded first"
    exit 77
    ;;
esac
work=$BUILD_DIR/python
rm -rf "$work/site" "$work/prefix"
mkdir -p "$work"
"$CMAKE" --install "$BUILD_DIR" --prefix "$work/prefix" >"$work/log" || { cat "$work/log" && exit 1; }
"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation \
    --target "$work/site" -C build-dir="$work/build" -C cmake.define.sparcl_ROOT="$work/prefix" \
    -C cmake.build-type=Debug -C cmake.define.CMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -C install.strip=false \
    -C cmake.define.CMAKE_CXX_FLAGS="-fsanitize=address,undefined -fno-omit-frame-pointer" "$source"

# Of the wrong arguments one in 48. The interpreter's own leaks are not ours; nanobind names what it still has at exit. LLVM, in drivers, replaces the signal stack.
export SPARCL_TEST_EVERY=48 PYTHONPATH="$work/site" PYTHONDONTWRITEBYTECODE=1 PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0
cd "$work"
LD_PRELOAD="$runtime $("$CXX" -print-file-name=libstdc++.so.6)" \
    "$python" -m pytest -q -p no:cacheprovider "$source/tests/test_core.py" "$source/tests/test_optim.py" \
    "$source/tests/test_arguments.py" "$source/tests/test_graph_arguments.py" "$source/tests/test_read_only.py" \
    "$source/tests/test_graph_models.py" "$source/tests/test_ops_exchange.py" "$source/tests/test_ops_formats.py" \
    "$source/tests/test_ops_operators.py" "$source/tests/test_ops_structure.py" "$source/tests/test_training.py" 2>&1 | tee "$work/tests"
if grep -E 'Sanitizer|runtime error|nanobind: leaked' "$work/tests"; then exit 1; fi
tail -1 "$work/tests" | grep -q passed && ! tail -1 "$work/tests" | grep -q failed
