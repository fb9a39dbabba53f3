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
finish
