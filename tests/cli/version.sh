#!/bin/sh
# The version: three forms of the command, and JSON.
. "$(dirname "$0")/checks.sh"

run version
check "version exits 0" exits 0
check "version prints tool and library" grep -qE '^sparcl [0-9]+\.[0-9]+\.[0-9]+ \(library ' "$work/out"
check "version prints nothing on standard error" err_is_empty
cp "$work/out" "$work/first"
run --version
check "--version is the same" same "$work/out" "$work/first"
run -V
check "-V is the same" same "$work/out" "$work/first"
run version --json
check "version --json exits 0" exits 0
check "version --json has the key version" grep -q '^  "version": "[0-9.]*",$' "$work/out"
check "version --json has the key library" grep -q '^  "library": "' "$work/out"
run version extra
check "an operand is refused" exits 2

if [ -w /dev/full ]; then
    code=0
    "$SPARCL" version >/dev/full 2>"$work/err" || code=$?
    check "a full disk is exit 1" exits 1
    check "and is reported" err_has "standard output: cannot be written"
fi
finish
