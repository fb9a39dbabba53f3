#!/bin/sh
# test_simulator.sh PROGRAM: what Oclgrind finds in the first of two contexts makes on_device.sh fail.
# PROGRAM is goes_wrong.c, which itself exits 0.
set -u
on_device=$(dirname "$0")/../on_device.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE WHAT WORDS
expect() {
    "$on_device" oclgrind "$program" "$2" >"$work/out" 2>&1
    code=$?
    if [ $code -eq 77 ]; then
        cat "$work/out"
        exit 77
    fi
    echo >>"$work/out" # so that no words are found too
    if [ $code -eq "$1" ] && grep -qiF -- "$3" "$work/out"; then
        echo "ok      $2"
    else
        echo "FAILED  $2: exit code $code, expected $1 and the words \"$3\"; it said:"
        sed 's/^/  | /' "$work/out"
        failures=$((failures + 1))
    fi
}

program=$1
expect 1 race 'data race'
expect 1 outside 'invalid write'
expect 1 uninitialised 'uninitialized'
expect 0 nothing ''
[ $failures -eq 0 ]
