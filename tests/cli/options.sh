#!/bin/sh
# Options that other tests do not use, and the environment variables of the tool.
. "$(dirname "$0")/checks.sh"
need_device

awk 'BEGIN {
    for (i = 0; i < 400; i++) {
        s = (s * 1103 + 12345) % 65536
        print (s % 3 ? 1 : -1) " " 1 + s % 7 ":" (s % 9) / 4 " " 9 + s % 11 ":1"
    }
}' >"$work/data.svm"
head -n 100 "$work/data.svm" >"$work/valid.svm"
train() { run train "$@" -o "$work/model" --epochs 2 --batch 64; }

# integers.npz: 40 rows with one entry each, 2^24 + column as int64; labels.npy: 0.1 or 1 as float64.
here=$(cd "$(dirname "$0")" && pwd)
cp "$here/integers.npz" "$work/x.npz"
cp "$here/labels.npy" "$work/y.npy"
train "$work/x.npz" --labels "$work/y.npy" --json -
check "--labels gives a .npz file its labels" exits 0
check "rows" json_is rows 40
check "integers that float32 does not represent are counted" json_is narrowed_values 20
check "and reported" err_has "x.npz: its values are integers, the model is float32: 20 of 40 were rounded"
train "$work/x.npz" --labels "$work/y.npy" --valid "$work/x.npz" --valid-labels "$work/y.npy" --json -
check "--valid-labels gives those of --valid" json_is valid_rows 40
run eval "$work/model" "$work/x.npz" --labels "$work/y.npy" --json
check "eval --labels" json_is rows 40
train "$work/x.npz" --labels "$work/y.npy" --json
check "--json without a file prints JSON" json_is rows 40
check "and no table" out_lacks "loss function"
train "$work/x.npz" --json --labels "$work/y.npy"
check "also before another option" json_is rows 40
for spelling in --json=$work/result "--json $work/result"; do
    rm -f "$work/result"
    # shellcheck disable=SC2086 # two words
    train "$work/x.npz" --labels "$work/y.npy" $spelling
    check "$spelling: writes it" grep -q '"rows": 40' "$work/result"
    check "$spelling: beside the table" fact_is rows 40
done
run train --json "$work/x.npz" -o "$work/none"
check "a file that --json takes is none of data" err_has "an operand is missing (the word after --json is a file to write; put --json last)"
run eval "$work/model" --json="$work/result" "$work/x.npz"
check "what only prints JSON writes no file" err_has "the option takes no value; > FILE writes what is printed"
run eval "$work/model" "$work/x.npz"
check "eval without labels exits 5" exits 5
check "and suggests the option" err_has "--labels FILE"
train "$work/x.npz"
check "train without labels exits 5" exits 5
check "and suggests the option" err_has "--labels FILE"
train "$work/x.npz" --labels "$work/y.npy" --valid "$work/x.npz"
check "validation without labels exits 5" exits 5
check "and suggests the option" err_has "--valid-labels FILE"
# The labels as weights: those with the label 0.1 count a tenth.
run eval "$work/model" "$work/x.npz" --labels "$work/y.npy" --json
plain=$(json best_constant_accuracy)
run eval "$work/model" "$work/x.npz" --labels "$work/y.npy" --weights "$work/y.npy" --json
check "eval --weights" [ "$plain" = 0.5 ]
check "rows count with their weight" awk -v a="$(json best_constant_accuracy)" 'BEGIN { exit !(a > 0.909 && a < 0.9091) }'
train "$work/x.npz" --labels "$work/y.npy" --weights "$work/y.npy" --json -
check "train --weights" exits 0
weighted=$(json loss)
train "$work/x.npz" --labels "$work/y.npy" --class-weights 0.1=0.1 --json -
check "--class-weights gives rows of a label the same weight" [ "$(json loss)" = "$weighted" ]
train "$work/x.npz" --labels "$work/y.npy" --class-weights 0.1=2,1=20 --json -
check "only ratios matter" [ "$(json loss)" = "$weighted" ]
train "$work/x.npz" --labels "$work/y.npy" --class-weights balanced
check "balanced" exits 0
train "$work/x.npz" --labels "$work/y.npy" --class-weights 7=1
check "a label that there is not is refused" err_has "class_weights[0] is of the label 7"
train "$work/x.npz" --labels "$work/y.npy" --class-weights 1:2
check "other words are refused" err_has 'expected "balanced" or LABEL=W'
train "$work/x.npz" --labels "$work/y.npy" --weights "$work/x.npz:shape"
check "weights of another number of rows are refused" err_has "expected 40 weights, one per row of the data, found 2"
train "$work/x.npz" --labels "$work/y.npy" --loss squared
check "targets that float32 does not represent are reported" err_has "20 of 40 labels were rounded"
run inspect "$work/x.npz" --json
check "inspect counts narrowed values" json_is narrowed_values 20
train "$work/data.svm"
run predict "$work/model" "$work/x.npz"
check "a .npz file for a model that counts from 1 exits 5" exits 5
check "and says which option reads it" err_has "use --index-base 0 if its first feature is 0"
run predict "$work/model" "$work/x.npz" --index-base 0
check "which does" exits 0
check "with a note" err_has "read with indices from 0, as requested; the training data counts from 1"

train "$work/data.svm" --valid "$work/valid.svm" --json -
check "--json - is on standard output" exits 0
for key in rows cols nnz loss_function optimizer batch epochs steps loss objective seconds_per_pass \
    data_on_host peak_bytes narrowed_values device platform model valid_rows valid_loss valid_accuracy valid_f1 \
    valid_auc valid_average_precision valid_calibration_error valid_calibration valid_best_constant_loss \
    valid_best_constant_accuracy valid_best_constant_f1 valid_best_constant_average_precision; do
    check "the key $key" grep -q "^  \"$key\": " "$work/out"
done
check "loss_function" json_is loss_function '"logistic"'
check "optimizer" json_is optimizer '"sgd"'
check "data_on_host" json_is data_on_host false
check "valid_rows" json_is valid_rows 100
check "model" json_is model "\"$work/model\""
check "it is the only output" [ "$(grep -c '^{' "$work/out")" -eq 1 ]
run eval "$work/model" "$work/valid.svm" --json
valid=$(json loss)
train "$work/data.svm" --valid "$work/valid.svm" --json "$work/file"
check "--json FILE leaves the table on standard output" grep -qE '^rows +400$' "$work/out"
cp "$work/file" "$work/out"
check "valid_loss is that of eval" json_is valid_loss "$valid"

cp "$work/model" "$work/biased"
train "$work/data.svm" --no-bias
check "--no-bias makes another model" differ "$work/model" "$work/biased"
train "$work/data.svm" --no-bias --bias
check "--bias overrides it" same_but_notes "$work/model" "$work/biased"
train "$work/data.svm" --optimizer adagrad --l2 0.01
check "the cost of l2 with adagrad is reported" err_has "adagrad updates the complete table in every step"
train "$work/data.svm" --optimizer sgd --l2 0.01
check "and not with sgd" err_lacks "complete table"
printf '%s\n' '1 2:1 1:1' '-1 2:1' >"$work/disorder.svm"
run inspect "$work/disorder.svm" --json
check "unsorted_rows" json_is unsorted_rows 1
run inspect "$work/disorder.svm" --columns 1
check "inspect, wide: exits 5" exits 5
check "inspect, wide: the fix" err_has "--widen"
run inspect "$work/disorder.svm" --columns 1 --widen --json
check "inspect --widen works" json_is cols 2

# Kernels of another class, and kernels from a folder.
train "$work/data.svm"
cp "$work/model" "$work/first"
for class in cpu gpu; do
    SPARCL_KERNEL_CLASS=$class
    export SPARCL_KERNEL_CLASS
    train "$work/data.svm"
    check "SPARCL_KERNEL_CLASS=$class gives the same model" same "$work/model" "$work/first"
done
unset SPARCL_KERNEL_CLASS
cp -r "$here/../../cl" "$work/cl"
export SPARCL_KERNEL_DIR="$work/cl"
train "$work/data.svm"
check "SPARCL_KERNEL_DIR gives the same model" same "$work/model" "$work/first"
echo 'this is no kernel;' >>"$work/cl/spmm.cl"
train "$work/data.svm"
check "a kernel that does not build exits 7" exits 7
check "and prints the compiler's output" err_has "the compiler of"
unset SPARCL_KERNEL_DIR
train "$work/data.svm" --columns 9223372036854775807
check "a table larger than any memory exits 6" exits 6

# What -v prints, and that -q is its opposite.
train "$work/data.svm" -v
check "-v names the device" err_has "sparcl: device "
check "and the seconds of opening it" grep -qE '^sparcl: .* s  opening the device$' "$work/err"
check "of training" grep -qE '^sparcl: .* s  training$' "$work/err"
check "of all" grep -qE '^sparcl: .* s  in all$' "$work/err"
check "and of kernels" grep -qE '^sparcl: .* s  of it for [0-9]+ kernels' "$work/err"
train "$work/data.svm" --quiet --verbose
check "-q and -v exit 2" exits 2
check "and both are named" err_has "--quiet and --verbose"

# The live line.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    live() { # live WIDTH COMMAND...
        width=$1
        shift
        script -qec "stty cols $width; TERM=xterm $*" /dev/null </dev/null >"$work/out" 2>&1
    }
    command="'$SPARCL' train '$work/data.svm' -o '$work/model' --epochs 3"
    live 100 "$command"
    check "a terminal has a live line" grep -q "$(printf '\r')" "$work/out"
    check "which ends at 100 %" grep -q '100%' "$work/out"
    check "in color" grep -q "$(printf '\033\\[2m')" "$work/out"
    live 100 "NO_COLOR=1 $command"
    check "NO_COLOR removes the color" no_line_matches "$work/out" "$(printf '\033\\[2m')"
    check "but not the line" grep -q '100%' "$work/out"
    live 30 "$command"
    check "a narrow terminal truncates the line" grep -q 'ETA' "$work/out"
    check "before the examples" out_lacks "examples/s"
    live 100 "$command --progress lines"
    check "--progress lines prints lines there" no_line_matches "$work/out" '100%'
else
    echo "skipped: the command script, which makes a terminal, is not installed"
fi
export COLUMNS=40
train "$work/data.svm" --progress live
check "--progress live works in a pipe" grep -q 'ETA' "$work/err"
check "COLUMNS truncates its line" err_lacks "pass 2/2"
unset COLUMNS
finish
