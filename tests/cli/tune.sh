#!/bin/sh
# sparcl tune: measuring, storing and explaining; interrupting and continuing; and bench --tuning.
. "$(dirname "$0")/checks.sh"
need_device
export SPARCL_CACHE_DIR="$work/tuned" # nothing is stored for other tests

mkdir -m 700 "$work/tuned"
# shellcheck disable=SC2317 # called by name
out_lines_are() { [ "$(wc -l <"$work/out")" -eq "$1" ]; }
# shellcheck disable=SC2317 # called by name
out_matches() { grep -qE -- "$1" "$work/out"; }

run tune --explain
check "--explain exits 0" exits 0
check "--explain: a tunable and its description" out_matches '^spmm.prefetch .*rows of B in a sparse product'
check "--explain: nothing was measured yet" out_matches '^product.grain +tiny +32768 +32768 +- +- +- '
check "--explain: nothing for GPUs here" out_lacks elementwise.groups
run tune --explain --class gpu
check "--explain --class gpu: another list" out_has elementwise.groups
run tune --explain --json
check "--explain --json exits 0" exits 0
check "--explain --json: the class of kernels" json_is kernels '"cpu"'
for key in device driver tunables tunable description minimum maximum candidates classes class default value gain spread when; do
    check "--explain --json has the key $key" grep -q "\"$key\":" "$work/out"
done

# Each tunable has a case; otherwise it would be skipped silently.
grep -l '^const sparcl_tunable' "$(dirname "$0")/../../src"/*/*.c | xargs grep -ho '^ *\.name = "[^"]*"' | cut -d'"' -f2 >"$work/names"
while read -r name; do
    check "$name has a case" grep -q "{\"$name\"," "$(dirname "$0")/../../tools/sparcl/tune_case.c"
done <"$work/names"
check "there are tunables" [ -s "$work/names" ]

run tune product.grain select.grain --seconds 0
check "tune exits 0" exits 0
check "tune: one line per class, and a sum" out_lines_are 5
check "tune: the class" out_matches '^ +1/4 +product.grain +tiny '
check "tune: the number" out_has "4 measured now"
run tune product.grain select.grain --seconds 0
check "again: nothing to measure" out_has "0 measured now"
check "again: prints it" err_has "4 were measured before"
run tune --explain
check "--explain: the time" out_matches '^product.grain +tiny .* 20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] '
run tune product.grain --reset --seconds 0 --json
check "--reset measures again" out_lines_are 3
for key in tunable class op case n default value gain spread used trials refused median_s; do
    check "--json has the key $key" grep -q "\"$key\":" "$work/out"
done
check "the operation uses it" no_line_matches "$work/out" '"used":false'
run tune select-rows --seconds 0
check "the name of an operation selects its tunables" err_has "1 were measured before"

# Interrupted after the first lines, it can continue.
run tune --reset --explain
: >"$work/out"
"$SPARCL" tune product.grain rows.grain select.grain elementwise.grain workers --seconds 0.3 >"$work/out" 2>"$work/err" </dev/null &
child=$!
tries=0
while [ $tries -lt 600 ] && [ "$(wc -l <"$work/out")" -lt 2 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -INT $child
end
first=$(wc -l <"$work/out")
check "an interrupted run exits 9" exits 9
check "and prints that it can continue" err_has "the same command continues"
all=$(sed -n 's,^ *1/\([0-9]*\) .*,\1,p' "$work/out")
check "it was not complete" [ "$first" -lt "$all" ]
run tune product.grain rows.grain select.grain elementwise.grain workers --seconds 0
check "it continues" exits 0
check "from there" err_has "$first were measured before"
check "with the rest" out_has "$((all - first)) measured now"

# bench uses the stored tuning, which can be printed and passed by an option.
run tune --text
check "--text exits 0" exits 0
check "--text: the first line" grep -qx "sparcl tuning 1" "$work/out"
check "--text: the measurements" out_matches '^product.grain tiny [0-9]+ gain=[0-9.]+ spread=[0-9.]+ when=[0-9]+$'
cp "$work/out" "$work/tuning"
run bench reorder --generate uniform:50000x1000x8 --repeat 3 --json --tuning "$work/tuning"
check "bench --tuning FILE exits 0" exits 0
check "bench: the variant has the class and the used tunables" out_matches '"variant":"cpu sort.buckets=[01] '
run bench reorder --generate uniform:50000x1000x8 --repeat 3 --json \
    --tuning sort.bucket_items=1024,sort.digit_bits:machine=9,sort.digit_bits:core=10
check "bench --tuning: settings" out_matches 'sort.bucket_items=1024 sort.digit_bits=(9|10) '
run bench reorder --generate uniform:50000x1000x8 --repeat 3 --json --tuning none
check "bench --tuning none: the defaults" out_has "sort.bucket_items=8192 sort.digit_bits=11 "
for wrong in spmm.behind=1 spmm.prefetch=257 spmm.prefetch:n3.core=1 spmm.prefetch=1,x; do
    run bench spmm --generate uniform:10x10x1 --tuning "$wrong"
    check "bench --tuning $wrong: exit 2" exits 2
    check "bench --tuning $wrong: the expected form" grep -qE "expected|there is no tunable" "$work/err"
done
run bench spmm --generate uniform:10x10x1 --tuning "$work/not-there"
check "bench --tuning with no such file: exit 1" exits 1
printf 'sparcl tuning 1\nspmm.prefetch * 1\nspmm.prefetch * 2\n' >"$work/wrong"
run bench spmm --generate uniform:10x10x1 --tuning "$work/wrong"
check "a wrong file: exit 2" exits 2
check "a wrong file: the line" err_has "line 3: spmm.prefetch n2.core was set in line 2"
run bench limits --tuning none
check "--tuning is for operations: exit 2" exits 2

# A damaged file of a stored tuning is ignored.
run tune --reset --explain
run tune elementwise.grain --seconds 0
for file in "$work"/tuned/*.clbin; do
    if grep -qa "sparcl tuning 1" "$file"; then printf 'X' >>"$file"; fi
done
run tune --explain
check "a damaged file exits 0" exits 0
check "a damaged file: nothing was measured" out_matches '^elementwise.grain +any +4096 +4096 +- '

# A value that gives a wrong result is refused; if it is the default, nothing is stored.
if [ -d "$(dirname "$0")/../../cl" ]; then
    cp -r "$(dirname "$0")/../../cl" "$work/kernels"
    for wrong in "> 3" "== 1"; do
        sed "s/return group < evens ?/return groups $wrong ? 1 : group < evens ?/" \
            "$(dirname "$0")/../../cl/partition.cl" >"$work/kernels/partition.cl"
        run tune product.grain --reset --explain
        SPARCL_KERNEL_DIR=$work/kernels run tune product.grain --seconds 0
        check "wrong results: exit 4" exits 4
        if [ "$wrong" = "> 3" ]; then
            check "wrong results are reported" err_has "product.grain = 256 for tiny: the result is wrong, and the value is rejected"
            check "others are timed" out_matches "product.grain +tiny +(stays 32768|32768 to 8192)"
        else
            check "a wrong default is reported" err_has "product.grain = 32768 for tiny: the result is wrong"
            check "a wrong default is not stored" out_lacks " tiny "
        fi
    done
fi

run tune spmn
check "an unknown name: exit 2" exits 2
check "an unknown name: is printed" err_has '"spmn"'
SPARCL_CACHE_DIR='' run tune product.grain --seconds 0
check "without a cache: exit 1" exits 1
check "without a cache: the reason" err_has "no cache folder"
finish
