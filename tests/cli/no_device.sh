#!/bin/sh
# no_device.sh clover|none: the messages of the tool where the only platform has no device, or without a
# platform.
. "$(dirname "$0")/checks.sh"
case $1 in
clover) sentence="no installed OpenCL platform has a device" ;;
none) sentence="no OpenCL platform is installed" ;;
esac

run devices
check "devices exits 3" exits 3
check "devices prints the reason" err_has "$sentence"
check "devices prints how to fix it" err_has "pocl-opencl-icd"
run devices --json
check "devices --json exits 3" exits 3
check "devices --json counts none" json_is usable 0
if [ "$1" = clover ]; then
    run devices
    check "devices lists the platform" out_has "PLATFORM"
    check "devices prints that it has no device" err_has "it has no device"
fi

printf '%s\n' '1 1:1' '0 2:1' '1 1:2' '0 2:3' >"$work/data.svm"
run train "$work/data.svm" -o "$work/model"
check "train exits 3" exits 3
check "train prints how to fix it" err_has "to fix it"
check "train writes no model" no_file "$work/model"
check "train leaves standard output empty" out_is_empty
for selector in cpu gpu pocl 0:0 pci:01:00.0 no-such-device; do
    run train "$work/data.svm" -o "$work/model" --device $selector
    check "--device $selector exits 3" exits 3
done
run inspect "$work/data.svm"
check "inspect needs no device" exits 0
run doctor
check "doctor exits 3" exits 3
check "doctor gives its verdict in the first line" grep -qm 1 '^FAILED: [a-z]*: ' "$work/out"
finish
