#!/bin/sh
# Every C file is as clang-format 14 leaves it: the one that tools/test has from PyPI, or that of the system.
. "$(dirname "$0")/lint.sh"

tool=${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/sparcl-test/format/bin/clang-format
[ -x "$tool" ] || tool=clang-format-14
need "$tool"
# shellcheck disable=SC2046 # names without spaces
for file in $("$tool" --dry-run $(sources include src tools tests examples bindings) $(find bindings -name '*.cpp') 2>&1 |
    sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: warning: .*clang-format-violations.*/\1/p' | sort -u); do
    finding "$file: run $tool -i $file"
done
finish
