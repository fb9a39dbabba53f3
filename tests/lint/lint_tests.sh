#!/bin/sh
# Every test program and script is a test that CTest knows: what is not registered is never missed. Those that
# use a device do so under the strict layer.
. "$(dirname "$0")/lint.sh"

build=${BUILD_DIR:?set BUILD_DIR to a build folder}
find "$build" -name CTestTestfile.cmake -exec cat {} + | sed -nE 's/^add_test\((\[=*\[)?"?([a-z0-9_]+).*/\2/p' |
    sort -u >"${TMPDIR:-/tmp}/lint_tests.$$"
trap 'rm -f "${TMPDIR:-/tmp}/lint_tests.$$"' EXIT
is_test() { grep -qx "$1" "${TMPDIR:-/tmp}/lint_tests.$$"; }

for file in tests/*/test_*.c tests/*/test_*.sh tests/*/test_*.py; do
    name=${file##*/}
    is_test "${name%.*}" || finding "$file: no test of that name is registered"
done
for file in tests/cli/*.sh; do
    name=${file##*/}
    [ "$name" = checks.sh ] || is_test "cli_${name%.*}" || finding "$file: no test of that name is registered"
done
for file in tests/lint/lint_*.sh; do
    name=${file##*/}
    is_test "${name%.*}" || finding "$file: no test of that name is registered"
done
find "$build" -name CTestTestfile.cmake -exec grep -hE '^add_test.*on_device\.sh' {} + | grep -v 'SPARCL_TEST_LAYER=' |
    sed -E 's/^add_test\((\[=*\[)?"?([a-z0-9_@-]+).*/\2/' >"${TMPDIR:-/tmp}/lint_tests.$$"
while read -r name; do finding "$name: on a device without the strict layer"; done <"${TMPDIR:-/tmp}/lint_tests.$$"
finish
