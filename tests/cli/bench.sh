#!/bin/sh
# sparcl bench: the operations, the output, refused command lines.
. "$(dirname "$0")/checks.sh"
need_device

small=uniform:300x200x7
# shellcheck disable=SC2317 # called by name
line_has() { sed -n "${1}p" "$work/out" | grep -qF -- "$2"; }
# shellcheck disable=SC2317 # called by name
lines_are() { [ "$(wc -l <"$work/out")" -eq "$1" ]; }

for op in spmm spmm-t spmm-t-rows bag; do
    run bench $op --generate $small -n 1,5 --repeat 3
    check "$op exits 0" exits 0
    check "$op: a heading and one line per width" lines_are 3
    check "$op: the line has the operation" line_has 2 "$op"
    check "$op: the case is the description" line_has 3 "$small"
done
for op in pattern transpose reorder coalesce convert convert-shared; do
    run bench $op --generate $small -n 1,5 --repeat 3
    check "$op exits 0" exits 0
    check "$op: a heading and one line, without widths" lines_are 2
    check "$op: the line has the operation" line_has 2 "$op"
done

for op in step dedupe-step lazy-step exact-step; do
    run bench $op --generate $small -n 1,16 --repeat 3
    check "$op exits 0" exits 0
    check "$op: one line per optimizer and width" lines_are 9
    run bench $op --generate zipf:500x90x3 -n 20 --repeat 3 --optimizer adam --json
    check "$op: one optimizer" lines_are 1
    check "$op: the line has the optimizer" line_has 1 '"optimizer":"adam"'
    run bench $op --generate zipf:500x90x3 -n 20 --repeat 3 --optimizer rowwise_adagrad:preset=fbgemm,lr=0.5 --json
    [ "$op" = exact-step ] && check "$op: without a closed form it exits 2" exits 2 && continue
    check "$op: an optimizer with a number for each row, and settings" exits 0
    check "$op: the line has the settings" line_has 1 '"optimizer":"rowwise_adagrad:preset=fbgemm,lr=0.5"'
done
# Steps that move all rows, where most columns have no entries.
for optimizer in adam:preset=keras3 lamb:preset=keras3 yogi:moves=all lars:preset=mxnet,moves=all,weight_decay=0.01 \
    sgd:preset=keras3,weight_decay=0.01; do
    run bench step --generate uniform:40x200x1 -n 3 --repeat 3 --optimizer $optimizer
    check "step of all rows, $optimizer: exits 0" exits 0
done
# Of the other families one each: their results are compared with plain C.
for op in matmul-csc matmul-dense-csr csr-take-columns csr-sum-duplicates csr-multiply rows-add-n csr-softmax-heads embedding-max-norm \
    scale-columns-gradient csr-softmax-heads-gradient dense-reduce-gradient segment-max-gradient batch-norm-gradient \
    dense-concat-columns csr-fill-empty-rows coo-permute coo-reshape coo-add coo-reduce-max \
    coo-coalesce-max-gradient coo-mask csr-take-rows csr-to-rows dense-to-coo \
    rows-to-csr spmm-max-gradient spgemm-gradient csr-add-gradient csr-multiply-gradient rows-coalesce rows-concat \
    rows-multiply rows-retain-all rows-retain-stored rows-slice rows-mask rows-coalesce-max csr-log-softmax relu gather-rows \
    csr-retain-rows matmul-bsr csr-multiply-dense-gradient embedding-bag-sqrtn \
    rows-reduce rows-reduce-columns add-n add-scalar dense-split dense-split-columns \
    embedding-bag-gradient embedding-bag-mean-gradient embedding-bag-max-gradient; do
    run bench $op --generate $small -n 3 --repeat 3
    check "$op exits 0" exits 0
done
run bench --help
check "the help lists the operations" [ "$(sed -n '/^Operations/,/^$/p' "$work/out" | grep -c '^  [a-z]')" -gt 110 ]
run bench select-rows --generate uniform:5000x200x7 --repeat 3
check "select-rows exits 0" exits 0
check "select-rows: one line for any widths" lines_are 2

run bench spmm --generate rmat:7:4 -n 16 --repeat 3 --json
check "--json exits 0" exits 0
check "--json: one line per width, and nothing else" lines_are 1
for key in op case n device median_s min_s p95_s repeat gflops gbytes_per_s fraction_of_limit variant queued; do
    check "--json has the key $key" grep -q "\"$key\":" "$work/out"
    "$SPARCL" bench --help >"$work/help"
    check "the help has the key $key" grep -qE "^  $key " "$work/help"
done
check "--repeat is the number of measurements" line_has 1 '"repeat":3'
check "a single call is not queued" line_has 1 '"queued":false'
check "the class of kernels is printed" line_has 1 '"variant":"cpu spmm.prefetch=0 '
run bench spmm --generate $small -n 4 --repeat 3 --json --class gpu
check "--class gpu is printed" line_has 1 '"variant":"gpu"'
run bench spmm --generate zipf:64x1000x8 -n 16 --repeat 3 --json --queued
check "--queued is printed" line_has 1 '"queued":true'

run bench reorder --generate $small --repeat 3 --profile
check "--profile exits 0" exits 0
check "--profile: the operation is in the first line" line_has 2 reorder
check "--profile: then kernels, and their number per call" grep -qE '^ +bucket_order +1 per call +[0-9.e-]+ ms +[0-9]+ groups? +[0-9]+ work-items?$' "$work/out"
check "--profile: then what a call needs" grep -qE '^ +1 launch, [0-9]+ groups?, [0-9]+ work-items?, scratch memory of [1-9][0-9]* bytes, [0-9]+ bytes moved at least$' "$work/out"
run bench spmm-t --generate $small -n 4 --repeat 3 --profile --json
check "--profile --json exits 0" exits 0
check "--profile --json: lines with commands" grep -q '"command":"spmm","second_variant":true,"commands_per_call":1.0,"device_s":' "$work/out"
# Kernels for GPUs, of 2000 rows and 30000 entries: launches, and work-items, of which most have something to do.
# shellcheck disable=SC2317 # called by name
at_most() { # at_most KEY NUMBER
    tail -n 1 "$work/out" | awk -F "\"$1\":" -v most="$2" 'NF == 2 {split($2, x, /[,}]/); found = 1; exit !(x[1] > 0 && x[1] <= most)} END {if (!found) exit 1}'
}
while read -r op launches items; do
    run bench "$op" --generate uniform:2000x2000x15 -n 32 --class gpu --repeat 1 --no-check --optimizer sgd --profile --json
    check "$op, class gpu: exits 0" exits 0
    check "$op, class gpu: at most $launches launches" at_most launches "$launches"
    check "$op, class gpu: at most $items work-items" at_most work_items "$items"
done <<'END'
spmm 1 16000
spmm-t 3 28000
reorder 12 30000
step 1 16000
dedupe-step 10 60000
END
run bench limits --profile
check "--profile is refused without an operation" exits 2

printf '0.01\n0.01\n0.01\n' >"$work/turns"
code=0
"$SPARCL" bench spmm --generate $small -n 4 --turns --json <"$work/turns" >"$work/out" 2>"$work/err" || code=$?
check "--turns exits 0" exits 0
check "--turns: one line per turn" lines_are 3

printf '1 1:1 3:2\n-1 2:1\n' >"$work/two.svm"
run bench spmm --matrix "$work/two.svm" -n 4 --repeat 3 --json
check "--matrix exits 0" exits 0
check "--matrix: the case is the stem of the file's name" line_has 1 '"case":"two"'

# A device with wrong results is not timed.
if [ -d "$(dirname "$0")/../../cl" ]; then
    cp -r "$(dirname "$0")/../../cl" "$work/wrong"
    for name in products spmm_lanes; do # each block is added twice
        sed 's/t##i += s##i;/t##i += s##i + s##i;/; s/total += sum;/total += sum + sum;/' \
            "$work/wrong/$name.cl" >"$work/$name.cl" && mv "$work/$name.cl" "$work/wrong/$name.cl"
    done
    SPARCL_KERNEL_DIR=$work/wrong run bench spmm --generate $small -n 16 --repeat 3
    check "a wrong result: exit 4" exits 4
    check "a wrong result is reported" err_has "the result is wrong: C["
    SPARCL_KERNEL_DIR=$work/wrong run bench spmm --generate $small -n 16 --repeat 3 --no-check
    check "--no-check times it anyway" exits 0
fi

for wrong in rmat:7 rmat:31:1 uniform:3x4 uniform:0x1x1 zipf:1x2x3x4 none:1 uniform; do
    run bench spmm --generate $wrong
    check "--generate $wrong: exit 2" exits 2
    check "--generate $wrong: the expected form" err_has "expected uniform:"
done
for wrong in 0 1,x "1," -3; do
    run bench spmm --generate $small -n "$wrong"
    check "-n $wrong: exit 2" exits 2
done
run bench spmn --generate $small
check "an unknown operation: exit 2" exits 2
run bench spmm
check "no matrix: exit 2" exits 2
run bench spmm spmm-t --generate $small
check "two operations: exit 2" exits 2
check "two operations: the second one is named" err_has '"spmm-t" is one too many'
run bench spmm --generate $small --matrix "$work/two.svm"
check "two matrices: exit 2" exits 2
run bench spmm --matrix "$work/not-there.npz"
check "a missing file: exit 1" exits 1
finish
