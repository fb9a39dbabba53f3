#!/bin/sh
# What notes of train and eval advise where a model may be better.
. "$(dirname "$0")/checks.sh"
need_device

# ---- labels of any scale -------------------------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 400; i++) { a = (i * 7919) % 101 / 101; print 250000 + 200000 * a + i / 7 " 1:" a " 2:" i % 3 } }' >"$work/far.svm"
# r2 FILE: of the result of eval.
r2() { sed -n 's/.*"r2": \([-0-9.e]*\).*/\1/p' "$1"; }
for kind in linear fm mlp wide-deep; do
    run train "$work/far.svm" -o "$work/model" --model $kind --epochs 40 --optimizer adam --lr 0.02
    check "$kind: labels of 250000 are learned" err_lacks "worse than the best constant"
    run eval "$work/model" "$work/far.svm" --json
    check "$kind: nearly all of their variance" awk -v r2="$(r2 "$work/out")" 'BEGIN { exit !(r2 > 0.95) }'
done
run train "$work/far.svm" -o "$work/model" --epochs 3 --optimizer adagrad --raw-labels
check "labels as they are take other rates" err_has "worse than the best constant"
check "with the remedy" err_has "; leave out --raw-labels"
run eval "$work/model" "$work/far.svm"
check "and by eval" err_has "the model is worse than the best constant on these rows"
run train "$work/far.svm" -o "$work/model" --model mlp --epochs 2 --optimizer sgd --lr 1000 --raw-labels
check "a training that diverges" err_has "the loss of pass 1 is"
check "has that remedy, too" err_has "to fix it: leave out --raw-labels"
run train "$work/far.svm" -o "$work/model"
check "the result of a search has the error" out_has "held out rmse"
check "but no accuracy of numbers" out_lacks "held out accuracy"
run eval "$work/model" "$work/far.svm"
check "which is better than a constant" err_lacks "worse than the best constant"

# ---- passes after which the loss still falls -----------------------------------------------------
awk 'BEGIN { for (i = 0; i < 400; i++) { a = (i * 7919) % 101 / 101; b = (i * 104729) % 97 / 97; print (a + b > 1) " 1:" 2 * a - 1 " 2:" 2 * b - 1 } }' >"$work/two.svm"
run train "$work/two.svm" -o "$work/model" --epochs 2 --lr 0.3
check "a loss that still falls is said" err_has " % in the last pass: more --epochs than 2 may help"
run train "$work/two.svm" -o "$work/model" --epochs 300 --batch 32 --l2 0.1
check "but not one that is at its end" err_lacks "in the last pass"
run train "$work/two.svm" -o "$work/model" --epochs 2 --patience 1 --hold-out 0.2 --lr 0.3
check "nor where --patience decides" err_lacks "in the last pass"
run train "$work/two.svm" -o "$work/model"
check "nor in a search" err_lacks "in the last pass"

# ---- a row far from all others -------------------------------------------------------------------
awk 'function u() { state = state * 16807 % 2147483647; return state / 2147483647 }
    BEGIN { state = 5; for (k = 0; k < 2500; k++) { a = 2 * u() - 1; b = 2 * u() - 1; if (k == 17) a = 120
        printf "%.6f 1:%.6f 2:%.6f\n", a + 2 * b + 0.3 * (u() - 0.5), a, b } }' >"$work/one.svm"
run train "$work/one.svm" --optimizer sgd --l2 1e-6 --seed 6 -o "$work/model" --json -
check "a rate that is too large with all rows is said" err_has "note: lr 1 was the best where rows were held out, but not with all rows: a smaller one was taken"
check "and that smaller one learns" [ "$(json loss | cut -c1-6)" = 0.0038 ]
check "which is chosen" [ "$(json chosen_lr | cut -c1-3)" = 0.1 ]

# ---- rows of one label ---------------------------------------------------------------------------
grep '^1' "$work/two.svm" >"$work/ones.svm"
run train "$work/two.svm" -o "$work/model" --epochs 2 --valid "$work/ones.svm"
check "validation rows of one label are said" err_has "all validation rows have the same label: they say little about the model"
run eval "$work/model" "$work/ones.svm"
check "and evaluated ones" err_has "all rows have the same label: the metrics say little about the model"
check "without another note" err_lacks "worse than the best constant"

# ---- remedies of refusals ------------------------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 60; i++) print i % 3 " 1:" i % 7 }' >"$work/three.svm"
run train "$work/three.svm" -o "$work/model" --model fm --epochs 1
check "whole numbers of a model with one score are numbers" err_has "3 different whole numbers are taken for numbers: squared loss, as a model of the kind fm has one score"
run train "$work/three.svm" -o "$work/none" --model fm --loss softmax
check "not as classes" err_has "has one score; use squared loss for labels that are numbers"
check "without another remedy" err_lacks "see 'sparcl help'"
run train "$work/far.svm" -o "$work/none" --class-weights balanced
check "class weights of numbers" err_has "has no classes; use none, or weights of rows"
run sample "$work/three.svm" -n 61 -o "$work/none"
check "more rows than there are" err_has "sample: 61 rows of 60, expected 0 to all of them; use at most 60"
check "none of them writes a file" [ ! -e "$work/none" ]
run "$work/three.svm" train
check "a file before the command" err_has "three.svm is a file, expected a command first: sparcl train "
run "$work/three.svm"
check "a file without a command" err_has "expected a command first: sparcl inspect "
run report "$work/model" -o "$work/none"
check "a report of a model" err_has "found a model"
check "how to get one" err_has "give the file of --manifest of its training; 'sparcl show "
finish
