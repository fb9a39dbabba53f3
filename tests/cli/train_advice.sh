#!/bin/sh
# What notes of train and eval advise where a model may be better.
. "$(dirname "$0")/checks.sh"
need_device

# ---- labels that steps reach slowly --------------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 400; i++) { a = (i * 7919) % 101 / 101; print 250000 + 200000 * a + i / 7 " 1:" a " 2:" i % 3 } }' >"$work/far.svm"
run train "$work/far.svm" -o "$work/model" --epochs 3 --optimizer adagrad
check "labels far from 0 are named" err_has "which steps of adagrad reach slowly or not at all: subtract the mean and divide by the standard deviation, or leave out --epochs, so that"
check "with their mean" err_has "the labels have mean 3"
run eval "$work/model" "$work/far.svm"
check "and by eval" err_has "the model is worse than the best constant on these rows"
check "with the cause" err_has "which steps of an optimizer reach slowly"
run train "$work/far.svm" -o "$work/model" --model mlp --epochs 2 --lr 1000
check "a training that diverges" err_has "the loss of pass 1 is"
check "has that remedy, too" err_has "to fix it: the labels have mean 3"
run train "$work/far.svm" -o "$work/model"
check "without steps labels are scaled" err_lacks "the labels have mean"
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
finish
