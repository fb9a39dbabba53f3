#!/bin/sh
# Every C file is as clang-format leaves it. Version 14, whose rules the tree follows.
. "$(dirname "$0")/lint.sh"

tool=clang-format-14
command -v $tool >/dev/null || tool=clang-format
need $tool
$tool --version | grep -q 'version 14\.' || {
    echo "skipped: $($tool --version), expected version 14"
    exit 77
}
# shellcheck disable=SC2046 # names without spaces
for file in $($tool --dry-run $(sources include src tools tests examples bindings) $(find bindings -name '*.cpp') 2>&1 |
    sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: warning: .*clang-format-violations.*/\1/p' | sort -u); do
    finding "$file: run $tool -i $file"
done
finish
