#!/bin/sh
# A user without a home folder, and one whose home cannot be written: where PoCL keeps its programs, and what the message says.
. "$(dirname "$0")/checks.sh"
need_device
[ "${XDG_CACHE_HOME-}" ] && unset XDG_CACHE_HOME
unset POCL_CACHE_DIR

# traces ENVIRONMENT...: the folders that PoCL makes, which is at its start.
probe() { code=0 && env "$@" "$SPARCL" devices --json >"$work/out" 2>"$work/err" || code=$?; }
rm -rf "$work/own"
probe -u HOME SPARCL_CACHE_DIR="$work/own"
check "without HOME there is a device" exits 0
check "PoCL's folder is in SPARCL_CACHE_DIR" [ -d "$work/own/pocl" ]
probe HOME=relative SPARCL_CACHE_DIR="$work/own2"
check "a HOME that is no path is none" [ -d "$work/own2/pocl" ]
check "and no folder is made where the command runs" no_file relative
probe HOME="$work/new" SPARCL_CACHE_DIR="$work/own3"
check "with HOME the folder is there" [ -d "$work/new/.cache/pocl/kcache" ]
check "and only there" no_file "$work/own3/pocl"

# Nobody can make a folder in a file.
probe HOME=/dev/null
check "a home that cannot be written exits 3" exits 3
check "and is the cause" err_has "PoCL, which keeps its programs in /dev/null/.cache/pocl/kcache, cannot write there: Not a directory"
check "and what to set" err_has "set HOME, or POCL_CACHE_DIR"
echo '1 1:1' >"$work/data.svm"
code=0 && HOME=/dev/null "$SPARCL" train "$work/data.svm" --loss squared -o "$work/m" >"$work/out" 2>"$work/err" || code=$?
check "training exits 3, too" exits 3
check "with the cause" err_has "cannot write there: Not a directory"
check "and does not say that PoCL is missing" err_lacks "install one"
finish
