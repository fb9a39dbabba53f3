#!/bin/sh
# sparcl split and sparcl sample: which rows the parts have, and what is refused.
. "$(dirname "$0")/checks.sh"

awk 'BEGIN { for (i = 0; i < 100; i++) print i, i % 7 + 1 ":1.5", i % 5 + 9 ":" i }' >"$work/all.svm"
label() { cut -d " " -f 1 "$1" | sort -n; }

run split "$work/all.svm" "$work/rest.svm" "$work/held.svm" --fraction 0.25 --seed 3 --to svmlight
check "split exits 0" exits 0
check "a quarter is held" [ "$(wc -l <"$work/held.svm")" -eq 25 ]
cat "$work/rest.svm" "$work/held.svm" >"$work/both"
label "$work/all.svm" >"$work/labels"
label "$work/both" >"$work/found"
check "both parts have all rows" same "$work/labels" "$work/found"
cut -d " " -f 1 "$work/held.svm" | sort -n -c
check "in the order of the file" [ "$?" -eq 0 ]
run split "$work/all.svm" "$work/rest2.svm" "$work/held2.svm" --fraction 0.25 --seed 3 --to svmlight
check "the same seed holds the same rows" same "$work/held.svm" "$work/held2.svm"
run split "$work/all.svm" "$work/rest2.svm" "$work/held2.svm" --fraction 0.25 --seed 4 --to svmlight
check "another seed does not" differ "$work/held.svm" "$work/held2.svm"

: >"$work/both"
for fold in 0 1 2; do
    run split "$work/all.svm" "$work/rest.svm" "$work/held.svm" --folds 3 --fold "$fold" --to svmlight
    check "fold $fold exits 0" exits 0
    cat "$work/held.svm" >>"$work/both"
done
label "$work/both" >"$work/found"
check "the folds have each row once" same "$work/labels" "$work/found"

run sample "$work/all.svm" "$work/some.svm" --rows 10 --to svmlight
check "sample exits 0" exits 0
check "ten rows" [ "$(wc -l <"$work/some.svm")" -eq 10 ]
run sample "$work/all.svm" "$work/some.sparcl" --rows 1000
check "or all" out_has "100"
run inspect "$work/some.sparcl"
check "in the binary form" exits 0

run split "$work/all.svm" "$work/a" "$work/b" --folds 3 --fold 3
check "there is no fold 3 of 3" exits 2
run split "$work/all.svm" "$work/a" "$work/b" --fraction 1.5
check "a fraction is at most 1" exits 2
run sample "$work/all.svm" "$work/a"
check "sample needs --rows" err_has "--rows N is missing"
run split "$work/nothing" "$work/a" "$work/b"
check "a file that is not there is refused" exits 1
check "and nothing is written" no_file "$work/a"
finish
