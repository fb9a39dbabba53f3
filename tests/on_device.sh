#!/bin/sh
# on_device.sh IMPLEMENTATION COMMAND...: run a test with one OpenCL implementation and no other.
# Exit 77, and a sentence that begins with "skipped:", where the implementation is not installed.
#
#   pocl  pocl-gpu-class  pocl-1-thread  rusticl  intel  intel-gpu-class  oclgrind  oclgrind-gpu-class
#   gpu     any GPU of the system, with all that is installed
#   clover  a platform that has no device
#   none    a folder without any implementation
#
# SPARCL_INTEL_OPENCL  folder with libintelocl.so and the libraries that it needs; default: where
#                      tools/test --intel installs it
# SPARCL_TEST_LAYER    the strict layer (tests/strict), which must be loaded and find nothing; default: none
# SPARCL_TEST_EVERY    only one in N cases of tests that have many; default: all, but a part on a simulator
# SPARCL_VENDORS       folder with the .icd files of the system; default /etc/OpenCL/vendors
set -u
implementation=$1
shift
log_reader=
vendors=${SPARCL_VENDORS:-/etc/OpenCL/vendors}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/vendors"

absent() {
    echo "skipped: no OpenCL implementation $implementation: $1"
    exit 77
}

# The loader sees what is copied to $work/vendors, and nothing else.
take() {
    [ -r "$vendors/$1.icd" ] || absent "$vendors/$1.icd is not there"
    cp "$vendors/$1.icd" "$work/vendors/"
}

take_library() {
    echo "$1" >"$work/vendors/$implementation.icd"
}

unset OCL_ICD_FILENAMES RUSTICL_ENABLE POCL_MAX_PTHREAD_COUNT
unset SPARCL_KERNEL_CLASS SPARCL_TEST_CLASS SPARCL_TEST_SMALL
OCL_ICD_VENDORS=$work/vendors
SPARCL_TEST_DEVICE=auto
# It names the leaks of drivers, not ours.
LSAN_OPTIONS="suppressions=$here/leaks.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export OCL_ICD_VENDORS SPARCL_TEST_DEVICE LSAN_OPTIONS

case $implementation in
*-gpu-class)
    export SPARCL_TEST_CLASS=gpu SPARCL_KERNEL_CLASS=gpu
    ;;
esac

case $implementation in
pocl | pocl-gpu-class)
    take pocl
    ;;
pocl-1-thread)
    take pocl
    export POCL_MAX_PTHREAD_COUNT=1
    ;;
rusticl)
    take rusticl
    export RUSTICL_ENABLE=llvmpipe
    ;;
intel | intel-gpu-class)
    folder=${SPARCL_INTEL_OPENCL:-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/sparcl-test/intel/lib}
    [ -r "$folder/libintelocl.so" ] || absent "$folder/libintelocl.so is not there; tools/test --intel installs it"
    take_library "$folder/libintelocl.so"
    # The folder has a loader too, which loads no layers; the system's is found first.
    mkdir "$work/loader"
    ln -s "$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libOpenCL\.so\.1 .*=> //p' | head -n 1)" "$work/loader/libOpenCL.so.1"
    export LD_LIBRARY_PATH="$work/loader:$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    ;;
oclgrind | oclgrind-gpu-class)
    library=
    for folder in /usr/lib/oclgrind /usr/local/lib/oclgrind /usr/lib/*/oclgrind; do
        [ -r "$folder/liboclgrind-rt-icd.so" ] && library=$folder/liboclgrind-rt-icd.so
    done
    [ -n "$library" ] || absent "liboclgrind-rt-icd.so is not there"
    take_library "$library"
    # It claims to be of every type, so auto never takes it.
    export SPARCL_TEST_DEVICE=oclgrind SPARCL_TEST_SMALL=1
    # It looks for races and for what is uninitialised, not for bits; a part of the cases shows that.
    # tools/dev/prove has them all.
    case $implementation in
    oclgrind) SPARCL_TEST_EVERY=${SPARCL_TEST_EVERY:-16} ;;
    *) SPARCL_TEST_EVERY=${SPARCL_TEST_EVERY:-32} ;;
    esac
    # Only tests with tests/support/simulator_buffers.c can be held to what is initialised.
    export OCLGRIND_UNINITIALIZED="${SPARCL_TEST_UNINITIALIZED:-1}"
    # Each context opens the log anew and empties it, so it is a pipe: what one has written stays.
    mkfifo "$work/log_pipe" || exit 1
    cat "$work/log_pipe" >"$work/oclgrind.log" &
    log_reader=$!
    exec 9>"$work/log_pipe"
    export OCLGRIND_DATA_RACES=1 OCLGRIND_LOG="$work/log_pipe"
    ;;
gpu)
    OCL_ICD_VENDORS=$vendors
    export SPARCL_TEST_DEVICE=gpu
    ;;
clover)
    # Mesa has no Clover any more since 25.2; rusticl without a driver is the same case.
    if [ -r "$vendors/mesa.icd" ]; then take mesa; else take rusticl; fi
    ;;
none) ;;
*)
    echo "on_device.sh: there is no implementation $implementation" >&2
    exit 1
    ;;
esac

if [ -n "${SPARCL_TEST_LAYER:-}" ]; then
    export OPENCL_LAYERS="$SPARCL_TEST_LAYER" SPARCL_STRICT_LOG="$work/strict.log"
fi
export SPARCL_DEVICE="$SPARCL_TEST_DEVICE"
if [ -n "${SPARCL_TEST_EVERY:-}" ]; then export SPARCL_TEST_EVERY; fi
"$@" 9>&-
code=$?
if [ -n "$log_reader" ]; then
    exec 9>&-
    wait "$log_reader"
fi
# The loader has no layers where it has no driver.
if [ -n "${SPARCL_TEST_LAYER:-}" ] && [ $code -eq 0 ] && [ ! -e "$work/strict.log" ] &&
    [ "$implementation" != none ] && [ "$implementation" != clover ]; then
    echo "The strict layer was not loaded."
    exit 1
fi
# What is wrong is an error for the caller, who may have another way.
if [ -s "$work/strict.log" ]; then
    echo "The strict layer has found:"
    sort "$work/strict.log" | uniq -c
    exit 1
fi
# Oclgrind finds a race or an uninitialised value, says so in its log, and goes on.
if [ -s "$work/oclgrind.log" ]; then
    echo "Oclgrind has found:"
    head -n 60 "$work/oclgrind.log"
    exit 1
fi
exit $code
