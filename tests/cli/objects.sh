#!/bin/sh
# The tool releases all OpenCL objects: a layer counts them ($LAYER, tests/fault/layer_fault.c), and reports
# at exit which were not released.
. "$(dirname "$0")/checks.sh"
need_device

printf '%s\n' '1 1:1 3:2' '-1 2:1' '1 1:2' '-1 2:3 3:1' >"$work/data.svm"
clean() {
    what=$1
    expected=$2
    shift 2
    run "$@"
    check "$what: exit $expected" exits "$expected"
    check "$what: no object is left" err_lacks "layer: objects left"
}
export OPENCL_LAYERS="${OPENCL_LAYERS:+$OPENCL_LAYERS:}$LAYER"

# The layer is loaded and reports leaks.
# shellcheck disable=SC2317 # called by name
run_leak() { "$LEAK" leak >"$work/out" 2>"$work/err"; }
check "a program that leaks a buffer runs" run_leak
if ! err_has "layer: "; then
    echo "skipped: this OpenCL loader loads no layers"
    exit 77
fi
check "and the layer reports it" err_has "layer: objects left: 1 of type memory object"

clean devices 0 devices
clean train 0 train "$work/data.svm" -o "$work/model" --epochs 3
clean "train with validation" 0 train "$work/data.svm" --valid "$work/data.svm" -o "$work/model" --batch 2 --optimizer adam
clean "data on the host" 0 train "$work/data.svm" -o "$work/model" --batch 2 --device-memory 1M
clean eval 0 eval "$work/model" "$work/data.svm"
clean predict 0 predict "$work/model" "$work/data.svm"
clean "a run that diverges" 8 train "$work/data.svm" -o "$work/m" --loss squared --lr 1e30 --epochs 50
finish
