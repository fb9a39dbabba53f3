#!/bin/sh
# sparcl inspect: the properties of files, and refused files.
. "$(dirname "$0")/checks.sh"

printf '%s\n' '+1 1:0.5 3:2' '-1 2:1' '# a remark' '-1' '+1 1:1 2:1 3:1 7:-1' >"$work/good.svm"
run inspect "$work/good.svm" --json
check "a good file exits 0" exits 0
check "and nothing on standard error" err_is_empty
check "format" json_is format '"svmlight"'
check "rows" json_is rows 4
check "cols" json_is cols 7
check "nnz" json_is nnz 7
check "density" json_is density 0.25
check "row_nnz_min" json_is row_nnz_min 0
check "row_nnz_max" json_is row_nnz_max 4
check "sorted" json_is sorted true
check "duplicates" json_is duplicates 0
check "nan_values" json_is nan_values 0
check "inf_values" json_is inf_values 0
check "index_base" json_is index_base 1
check "labels: -1" grep -qx '    "-1": 2,' "$work/out"
check "labels: 1" grep -qx '    "1": 2' "$work/out"
for key in format rows cols nnz density row_nnz_min row_nnz_median row_nnz_max sorted duplicates \
    nan_values inf_values index_base labels; do
    check "the key $key is there" grep -q "^  \"$key\": " "$work/out"
    "$SPARCL" inspect --help >"$work/help"
    check "the key $key is in the help" grep -q "^  $key " "$work/help"
done
run inspect "$work/good.svm"
check "as a table: exits 0" exits 0
check "as a table: rows" grep -qE '^rows +4$' "$work/out"
check "as a table: labels" out_has "2 different: -1 (2), 1 (2)"
run inspect "$work/good.svm" --strict
check "--strict accepts a good file" exits 0

gzip -c "$work/good.svm" >"$work/good.svm.gz"
run inspect "$work/good.svm.gz" --json
check "gzip is decompressed" json_is nnz 7
code=0
"$SPARCL" inspect - --json <"$work/good.svm" >"$work/out" 2>"$work/err" || code=$?
check "- is standard input" json_is rows 4

run inspect "$work/good.svm" --columns 10 --json
check "--columns sets the width" json_is cols 10
run inspect "$work/good.svm" --columns 5
check "a file wider than --columns exits 5" exits 5
check "and the position is printed" err_has "good.svm:5:"
run inspect "$work/good.svm" --index-base 0 --json
check "--index-base 0 is used" json_is index_base 0
check "and makes it a column wider" json_is cols 8

printf '%s\n' '1 1:1 2:1' '0 3:1 2:1 2:4' >"$work/disorder.svm"
run inspect "$work/disorder.svm" --json
check "disorder is repaired: exit 0" exits 0
check "sorted is false" json_is sorted false
check "duplicates are counted" json_is duplicates 1
check "the repair is reported" err_has "duplicate indices were added"
run inspect "$work/disorder.svm" --strict --json
check "--strict exits 5 on disorder" exits 5
check "the description is still printed" json_is duplicates 1
check "the position is printed" err_has "disorder.svm:2:"

printf '%s\n' '1 1:1' '0 2:nan' '0 1:inf' >"$work/wild.svm"
run inspect "$work/wild.svm" --json
check "nan and inf are counted: exit 0" exits 0
check "nan_values counts" json_is nan_values 1
check "inf_values counts" json_is inf_values 1
run inspect "$work/wild.svm" --strict
check "--strict exits 5 on nan" exits 5
check "and names line and column" err_has "wild.svm:2:5: expected a finite value, found nan or inf"

printf '1,2 1:1\n3 2:1\n' >"$work/multi.svm"
run inspect "$work/multi.svm"
check "several labels in a row exit 5" exits 5
run inspect "$work/multi.svm" --multilabel --json
check "--multilabel accepts them" exits 0
check "and counts each" grep -qx '    "2": 1,' "$work/out"

refused() { # refused WHAT LINE CONTENT
    printf '%b' "$3" >"$work/bad.svm"
    run inspect "$work/bad.svm"
    check "$1: exits 5" exits 5
    check "$1: the line is named" err_has "bad.svm:$2"
    check "$1: nothing on standard output" out_is_empty
}
refused "a word for a value" 2 '1 1:1\n1 1:x\n'
refused "a label that is no number" 1 'yes 1:1\n'
refused "a negative index" 1 '1 -1:1\n'
refused "a number outside the range of float32" 1 '1 1:1e999\n'
refused "an index above 2^63 - 1" 1 '1 9223372036854775808:1\n'
refused "a NUL byte" 1 '1 1:1\0\n'
: >"$work/empty.svm"
run inspect "$work/empty.svm"
check "an empty file exits 5" exits 5

code=0
head -c 268435456 /dev/zero | tr '\0' ' ' | "$SPARCL" inspect - >"$work/out" 2>"$work/err" || code=$?
check "a line of 256 MiB exits 5" exits 5
check "and says what is expected" err_has "expected a line end within 268435456 bytes"

run inspect "$work/no-such-file"
check "a missing file exits 1" exits 1
check "and is named" err_has "no-such-file"
check "and how to fix it" err_has "to fix it:"
finish
