#!/bin/sh
# Every C file is as clang-format leaves it. Version 14, whose rules the tree follows.
. "$(dirname "$0")/lint.sh"

tool=clang-format-14
command -v $tool >/dev/null || tool=clang-format
need $tool
$tool --version | grep -q 'version 14\.' || {
    echo "skipped: $($tool --version), wanted version 14"
    exit 77
}
for file in $(sources include src tools tests examples); do
    $tool --dry-run -Werror "$file" >/dev/null 2>&1 || finding "$file: run $tool -i $file"
done
finish
