#!/bin/sh
# lint_symbols.sh LIBRARY...: a shared library exports sparcl_... and nothing else, and says its ABI.
. "$(dirname "$0")/lint.sh"

for library in "$@"; do
    exported=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -vE '^(_init|_fini|__(asan|ubsan|lsan|odr_asan)_.*)$')
    echo "$exported" | grep -q '^sparcl_' || finding "$library: exports nothing"
    for symbol in $(echo "$exported" | grep -v '^sparcl_'); do
        finding "$library: exports $symbol"
    done
    objdump -p "$library" | grep -qE 'SONAME +libsparcl(-train)?\.so\.[0-9]+$' || finding "$library: no soname"
done
finish
