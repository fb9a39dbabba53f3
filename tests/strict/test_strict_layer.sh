#!/bin/sh
# test_strict_layer.sh PROGRAM FILE...: on_device.sh fails where the strict layer ($SPARCL_TEST_LAYER) has
# found something, and where it was not loaded; it checks every OpenCL function that the FILEs call.
# PROGRAM is goes_wrong.c, which itself exits 0.
set -u
on_device=$(dirname "$0")/../on_device.sh
program=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE WHAT WORDS COMMAND...
expect() {
    expected=$1 what=$2 words=$3
    shift 3
    "$on_device" pocl "$@" >"$work/out" 2>&1
    code=$?
    if [ $code -eq 77 ]; then
        cat "$work/out"
        exit 77
    fi
    echo >>"$work/out" # so that no words are found too
    if [ $code -eq "$expected" ] && grep -qF -- "$words" "$work/out"; then
        echo "ok      $what"
    else
        echo "FAILED  $what: exit code $code, expected $expected and the words \"$words\"; it said:"
        sed 's/^/  | /' "$work/out"
        failures=$((failures + 1))
    fi
}

expect 0 "nothing is wrong" '' "$program" nothing
expect 1 "an error that the program ignores" 'The strict layer has found:' "$program" empty
expect 1 "which is named" 'clEnqueueReadBuffer: CL_INVALID_VALUE (-30), as this does not hold: n > 0' "$program" empty
expect 1 "a layer that is not loaded" 'The strict layer was not loaded' env -u OPENCL_LAYERS "$program" nothing

nm "$SPARCL_TEST_LAYER" | sed -n 's/.* layer_\(cl[A-Z][A-Za-z]*\).*/\1/p' >"$work/checked"
for file in "$@"; do
    for call in $(nm -D --undefined-only "$file" | sed -n 's/.* \(cl[A-Z][A-Za-z]*\).*/\1/p'); do
        grep -qx "$call" "$work/checked" && continue
        echo "FAILED  $file calls $call, which the layer does not check"
        failures=$((failures + 1))
    done
done
[ -s "$work/checked" ] && [ $failures -eq 0 ]
