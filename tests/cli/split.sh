#!/bin/sh
# sparcl split and sample: which rows are in which file, and what is refused.
. "$(dirname "$0")/checks.sh"

: >"$work/all.svm"
row=1
while [ $row -le 23 ]; do
    echo "$row $row:0.5 30:$row.5" >>"$work/all.svm"
    row=$((row + 1))
done
cd "$work" || exit 1
# shellcheck disable=SC2317  # called by check
rows_of() { [ "$(wc -l <"$1")" -eq "$2" ]; }
# shellcheck disable=SC2317
are_the_whole() { sort -n "$@" | cmp -s - all.svm; }

run split all.svm --fraction 0.3 --seed 4 -o a.svm b.svm --to svmlight
check "a fraction: exit 0" exits 0
check "and nothing is printed" out_is_empty
check "the rest has 16 rows" rows_of a.svm 16
check "7 are held" rows_of b.svm 7
check "each row is in one file" are_the_whole a.svm b.svm
check "in its order" sort -c -n a.svm
run split all.svm --fraction 0.3 --seed 4 -o a2.svm b2.svm --to svmlight
check "the same seed holds the same rows" same b.svm b2.svm
run split all.svm --fraction 0.3 --seed 5 -o a2.svm b2.svm --to svmlight
check "another seed holds others" [ "$(cat b.svm)" != "$(cat b2.svm)" ]
run split all.svm --fraction 0.3 --seed 4 -o a.sparcl b.sparcl
run inspect b.sparcl --json
check "the binary form is the default" json_is format '"sparcl"'
check "rows" json_is rows 7
check "a part keeps the columns" json_is cols 30

run split all.svm --folds 5 --seed 4 -o cv --to svmlight
check "folds: exit 0" exits 0
check "every row is in the test part of one fold" \
    are_the_whole cv-0.test cv-1.test cv-2.test cv-3.test cv-4.test
for fold in 0 1 2 3 4; do
    check "fold $fold has every row once" are_the_whole cv-$fold.train cv-$fold.test
done
check "there are no more folds" no_file cv-5.test

run sample all.svm -n 7 --seed 4 -o s.svm --to svmlight
check "a sample: exit 0" exits 0
check "is what a split with this seed holds" same s.svm b.svm
run sample all.svm -n 24 -o t.svm
check "more rows than there are exit 2" exits 2
check "and the error says how many there are" err_has "24 rows of 23"
check "and nothing is written" no_file t.svm
run sample all.svm -o t.svm
check "the number of rows is required" err_has "-n N is missing"
run sample all.svm -n 1
check "the file is required" err_has "-o OUT is missing"

refused() { # refused WHAT MESSAGE ARGS...
    what=$1 message=$2
    shift 2
    run split "$@"
    check "$what exits 2" exits 2
    check "$what: the message" err_has "$message"
}
refused "neither fraction nor folds" "one of --fraction and --folds" all.svm -o x y
refused "both" "one of --fraction and --folds" all.svm --fraction 0.5 --folds 2 -o x y
refused "a fraction above 1" "expected 0 to 1" all.svm --fraction 1.5 -o x y
refused "one fold" "--folds" all.svm --folds 1 -o x
refused "no output" "-o is missing" all.svm --fraction 0.5
refused "one output" "HELD is missing" all.svm --fraction 0.5 -o x
refused "one file for both" "the same file" all.svm --fraction 0.5 -o x x
refused "two outputs of folds" "only -o PREFIX" all.svm --folds 2 -o x y
refused "standard output for folds" "found -, which is standard output" all.svm --folds 2 -o -
check "nothing is written then" no_file x
run split all.svm --fraction 0.5 -o nowhere/x y
check "a folder that is not there exits 1" exits 1
finish
