#!/bin/sh
# The list of devices, and the messages without a device.
. "$(dirname "$0")/checks.sh"

run devices
check "devices exits 0" exits 0
check "the table has its heading" out_has "SELECT"
check "the default device is marked" out_has "* the default device"
run devices --json
check "devices --json exits 0" exits 0
check "devices --json counts usable devices" grep -qE '^  "usable": [1-9]' "$work/out"
check "devices --json has the default device" grep -qE '^  "default": "[0-9]+:[0-9]+"' "$work/out"
for key in name vendor types device_class driver units memory max_allocation f64 f16 sub_groups \
    pci usable why_not; do
    check "a device has the key $key" grep -q "^ *\"$key\": " "$work/out"
done
chosen=$(json default | tr -d '"')
SPARCL_DEVICE=no-such-device "$SPARCL" devices --json >"$work/out" 2>"$work/err"
check "SPARCL_DEVICE sets the default" grep -q '^  "default": null' "$work/out"
SPARCL_DEVICE=$chosen "$SPARCL" devices --json >"$work/out" 2>"$work/err"
check "SPARCL_DEVICE accepts platform:device" grep -q "^  \"default\": \"$chosen\"" "$work/out"

mkdir "$work/none"
OCL_ICD_VENDORS="$work/none"
OCL_ICD_FILENAMES=
export OCL_ICD_VENDORS OCL_ICD_FILENAMES
run devices
check "without a platform: exit 3" exits 3
check "without a platform: a sentence" err_has "no OpenCL platform is installed"
check "without a platform: how to fix it" err_has "pocl-opencl-icd"
run devices --json
check "without a platform: --json exits 3" exits 3
check "without a platform: --json is still an object" json_is usable 0
check "without a platform: an empty list" json_is platforms '[]'
check "without a platform: no default" json_is default null
finish
