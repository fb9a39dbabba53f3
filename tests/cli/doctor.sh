#!/bin/sh
# sparcl doctor: a good device, and broken OpenCL installations.
. "$(dirname "$0")/checks.sh"
need_device

# shellcheck disable=SC2317 # called by name
first_line() { head -n 1 "$work/out" | grep -qF -- "$1"; }
# shellcheck disable=SC2317 # called by name
finds() { grep -E "^$1 +$2 " "$work/out" | grep -qF -- "$3"; }
# vendors: a folder for .icd files, in place of the system's folder.
vendors() {
    rm -rf "$work/vendors"
    mkdir "$work/vendors"
    OCL_ICD_VENDORS=$work/vendors
    export OCL_ICD_VENDORS
}

run doctor
check "a good device: exit 0" exits 0
check "a good device: the verdict is the first line" first_line "computes correctly"
check "the loader is named" finds ok loader "libOpenCL"
check "the vendor's library is named" finds ok vendors ".icd"
check "it reports what was built" finds ok kernels "--full builds every program"
check "every operation is compared" finds ok operations "equal to plain C, bit for bit"
check "contraction is explained in words" finds ok arithmetic "a * b + c is rounded twice"
check "bandwidth is measured" finds ok bandwidth "GB/s"
check "the cache folder is named" finds ok cache "$SPARCL_CACHE_DIR"
check "its progress is on standard error, in lines" err_has "testing the OpenCL libraries"
check "its progress names operations" err_has "checking spmm_t"

run doctor --full copy sum
check "operations: only these" finds ok operations "2 operations, "
check "operations, --full: all cases" sh -c "grep -q '2 operations, \\([0-9]*\\) of their \\1 test cases' '$work/out'"
check "operations, --full: again as large inputs" finds ok operations "divided as large inputs are"
check "operations, --full: how every program is built" finds ok kernels "without OP --full builds every program"
check "operations: no bandwidth" sh -c "! grep -q bandwidth '$work/out'"
run doctor spm
check "an operation that does not exist: exit 2" exits 2
check "an operation that does not exist: the nearest" err_has 'no operation "spm"; did you mean "spmm"?'

run doctor --device no-such-device --progress none
check "--progress none: nothing on standard error" err_is_empty
run doctor --device no-such-device --progress live
check "--progress live: one line, which is redrawn" lines_are "$work/err" 0
check "--progress live: it prints the current work" err_has "testing the OpenCL libraries"

run doctor --json spmm
check "--json exits 0" exits 0
check "--json has the exit code" json_is exit_code 0
for key in verdict notes vendors loader cache device kernels operations findings; do
    check "--json has the key $key" grep -q "^  \"$key\": " "$work/out"
    "$SPARCL" doctor --help >"$work/help"
    check "the help has the key $key" grep -qE "^  $key " "$work/help"
done
check "--json: no result is wrong" sh -c "! grep '\"wrong\": ' '$work/out' | grep -qv '\"wrong\": 0'"

run doctor --device no-such-device
check "a device that does not exist: exit 3" exits 3
check "a device that does not exist: the verdict" first_line "FAILED: device: "

mkdir -p "$work/open" && chmod 777 "$work/open"
kept=$SPARCL_CACHE_DIR
SPARCL_CACHE_DIR=$work/open
run doctor --device no-such-device
check "a cache folder that others may write is reported" finds note cache "others may write"
SPARCL_CACHE_DIR=
run doctor --device no-such-device
check "a missing cache folder is reported" finds note cache "compiled again"
SPARCL_CACHE_DIR=$kept

# From here on what is installed matters, so that one operation is enough.
good=$(find "$OCL_ICD_VENDORS" -name '*.icd' | head -n 1)
library=$(cat "$good")
vendors
run doctor copy
check "an empty folder: exit 3" exits 3
check "an empty folder: the verdict" first_line "FAILED: vendors: no OpenCL implementation"
check "an empty folder: how to install one" out_has "apt install pocl-opencl-icd"
check "an empty folder: on Fedora" out_has "dnf install pocl"

OCL_ICD_VENDORS=$work/nowhere
run doctor copy --json
check "no folder: exit 3" exits 3
check "no folder: an empty list" json_is vendors '[]'
check "no folder: no device" json_is device null

vendors
echo /nowhere/libnothing.so >"$work/vendors/broken.icd"
run doctor copy
check "a library that is missing: exit 3" exits 3
check "a library that is missing: a note" finds note vendors "cannot be loaded"
check "a library that is missing: its name" out_has "/nowhere/libnothing.so"
: >"$work/vendors/empty.icd"
run doctor copy
check "an entry that names nothing" finds note vendors "names no library"

if [ -r /etc/OpenCL/vendors/mesa.icd ] && PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q libMesaOpenCL; then
    vendors
    cp /etc/OpenCL/vendors/mesa.icd "$work/vendors/"
    run doctor copy
    check "a platform without a device: exit 3" exits 3
    check "a platform without a device: a note" finds note vendors "has no device"
fi

make_library() { # make_library NAME STATEMENT
    echo "#include <stdlib.h>
#include <time.h>
#include <unistd.h>
void *clGetExtensionFunctionAddress(const char *name);
static int platforms(unsigned n, void *p, unsigned *count) { (void)n, (void)p; *count = 0; $2 return 0; }
void *clGetExtensionFunctionAddress(const char *name) { (void)name; return (void *)platforms; }" \
        >"$work/$1.c"
    "${CC:-cc}" -shared -fPIC -o "$work/lib$1.so" "$work/$1.c" || exit 1
    vendors
    echo "$library" >"$work/vendors/good.icd"
    echo "$work/lib$1.so" >"$work/vendors/$1.icd"
}
make_library crash 'abort();'
run doctor copy
check "a library that crashes: exit 3" exits 3
check "a library that crashes: the verdict names it" first_line "libcrash.so crashes (Aborted)"
check "a library that crashes: the good one is still tested" finds ok vendors good.icd
check "a library that crashes: the device is not used" finds note device "not tested"
run doctor copy --json
check "a library that crashes: JSON says so" grep -q '"state": "crashes"' "$work/out"
make_library hang 'sleep(60);'
run doctor copy --timeout 5
check "a library that hangs: exit 3" exits 3
check "a library that hangs: the verdict names it" first_line "libhang.so hangs"
# Half a second of work on a core that four other processes want too takes 2.5 s.
make_library slow 'for (clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 2;) {}'
others=
for _ in 1 2 3 4; do
    taskset -c 0 sh -c 'while :; do :; done' &
    others="$others $!"
done
taskset -c 0 "$SPARCL" doctor --device no-such-device --timeout 1 >"$work/out" 2>"$work/err"
# shellcheck disable=SC2086 # several words
kill $others
check "a library on a busy machine does not hang" sh -c "! grep -q hangs '$work/out'"
make_library nothing '(void)0;'
run doctor --device no-such-device
check "a library without a platform is reported" finds note vendors "offers no platform"
echo 'int x;' >"$work/other.c"
"${CC:-cc}" -shared -fPIC -o "$work/libother.so" "$work/other.c" || exit 1
vendors
echo "$work/libother.so" >"$work/vendors/other.icd"
run doctor copy
check "a library that is not OpenCL is reported" finds note vendors "not an OpenCL library"

# A device with wrong results: sums that begin at 1.
vendors
echo "$library" >"$work/vendors/good.icd"
cp -r "$(dirname "$0")/../../cl" "$work/wrong"
sed 's/ sum = 0;/ sum = 1;/' "$work/wrong/sum.cl" >"$work/sum.cl" && mv "$work/sum.cl" "$work/wrong/"
SPARCL_KERNEL_DIR=$work/wrong run doctor binary copy sum
check "a wrong sum: exit 4" exits 4
check "a wrong sum: the verdict names an operation that adds" first_line "FAILED: operations: binary"
check "a wrong sum: all others that add are listed" finds FAILED operations "sum: uniform"
# Only inputs that are large have buckets which are split.
cp "$(dirname "$0")/../../cl/sum.cl" "$work/wrong/"
sed 's/ - bits, size/ - bits + 1, size/' "$work/wrong/bucket_split.cl" >"$work/split.cl" && mv "$work/split.cl" "$work/wrong/bucket_split.cl"
SPARCL_KERNEL_DIR=$work/wrong run doctor --full coalesce
check "a wrong sort of large inputs, --full: exit 4" exits 4
check "a wrong sort of large inputs, --full: the verdict says so" first_line "divided as large inputs are"

run doctor --timeout 0
check "--timeout 0 is refused" exits 2
finish
