#!/bin/sh
# Refused files: the message has file, line and column, and the suggested fix works.
. "$(dirname "$0")/checks.sh"
need_device

fixed() { # fixed WHAT WORDS ARGS...: the message suggests WORDS, and the command ARGS succeeds
    what=$1
    words=$2
    shift 2
    check "$what: the fix is suggested" err_has "$words"
    run "$@"
    check "$what: and it works" exits 0
}
printf '%s\n' '1 1:1' '-1 2:1 13:1' '1 3:1' >"$work/train.svm"
printf '%s\n' '1 1:1' '-1 2:1 30:1' >"$work/wide.svm"
printf '%s\n' '1 0:1' '-1 2:1' >"$work/from_0.svm"
printf '%s\n' '1 1:1' '-1 2:1 2:1' >"$work/twice.svm"
printf '%s\n' '1 1:1' '' '7 2:1' >"$work/label.svm"
printf '%s\n' '1 1:1' '-1 2:1 5:-inf' '1 2:nan' >"$work/nan.svm"
printf '%s\n' '7 1:1' '7 2:1' >"$work/one.svm"
model=$work/model
run train "$work/train.svm" -o "$model" --epochs 1
check "a model is made" exits 0

for command in eval predict; do
    run $command "$model" "$work/wide.svm"
    check "$command, wide: exits 5" exits 5
    check "$command, wide: the position" err_has "wide.svm:2:8: expected an index up to 13, found 30"
    check "$command, wide: the other fix" err_has "--columns 30"
    fixed "$command, wide" "use --widen" $command "$model" "$work/wide.svm" --widen
    run $command "$model" "$work/from_0.svm"
    check "$command, from 0: exits 5" exits 5
    check "$command, from 0: the position" err_has "from_0.svm:1:3: expected an index of at least 1"
    check "$command, from 0: the other fix" err_has "number its features"
    fixed "$command, from 0" "use --index-base 0" $command "$model" "$work/from_0.svm" --index-base 0
    check "$command, --index-base 0 has a note" err_has "read with indices from 0, as requested; the training data counts from 1"
    run $command "$model" "$work/twice.svm" --strict
    check "$command, --strict: exits 5" exits 5
    check "$command, --strict: the position" err_has "twice.svm:2:8: expected an index above 2"
    fixed "$command, --strict" "omit --strict" $command "$model" "$work/twice.svm"
    run $command "$model" "$work/nan.svm"
    check "$command, inf: exits 5" exits 5
    check "$command, inf: the position" err_has "nan.svm:2:10: expected a finite value"
    check "$command, inf: nothing on standard output" out_is_empty
    printf '1 1:1\n1 2:' | gzip -c | head -c 20 >"$work/cut.svm.gz"
    run $command "$model" "$work/cut.svm.gz"
    check "$command, a truncated file: exits 5" exits 5
    check "$command, a truncated file: nothing about widths" err_lacks "columns"
done
run eval "$model" "$work/label.svm"
check "eval, a label that the model does not know is counted" exits 0
check "eval, a label: the position" err_has "label.svm:3:1: 1 of 2 rows have a label that the model does not know, such as 7"
printf '%s\n' '6 1:1' '7 2:1' >"$work/labels.svm"
run eval "$model" "$work/labels.svm"
check "eval, no label that the model knows: exits 5" exits 5
check "eval, no label that the model knows: the file" err_has "labels.svm: expected a label that the model knows, found none in 2 rows"
run predict "$model" "$work/label.svm"
check "predict ignores labels" exits 0

run_train() { run train "$@" -o "$work/m" --epochs 1; }
run_train "$work/nan.svm"
check "train, inf: exits 5" exits 5
check "train, inf: the position" err_has "nan.svm:2:10: expected a finite value"
run_train "$work/one.svm"
check "train, one class: exits 5" exits 5
check "train, one class: the file" err_has "one.svm: expected labels of two classes"
run_train "$work/wide.svm" --columns 13
check "train, wide: exits 5" exits 5
fixed "train, wide" "--columns 30" train "$work/wide.svm" --columns 30 -o "$work/m" --epochs 1
run_train "$work/wide.svm" --columns 13 --widen --json -
check "train --widen: exits 0" exits 0
check "train --widen: uses the file's width" json_is cols 30
run_train "$work/train.svm" --valid "$work/wide.svm"
check "train, wide validation: exits 5" exits 5
check "train, wide validation: the position" err_has "wide.svm:2:8:"
fixed "train, wide validation" "use --columns 30" \
    train "$work/train.svm" --valid "$work/wide.svm" --columns 30 -o "$work/m" --epochs 1
run_train "$work/train.svm" --valid "$work/wide.svm" --widen
check "train --widen, wide validation: exits 5" exits 5
check "train --widen, wide validation: the fix" err_has "use --columns 30"
run_train "$work/train.svm" --valid "$work/from_0.svm"
check "train, validation from 0: exits 5" exits 5
check "train, validation from 0: the position" err_has "from_0.svm:1:3:"
run_train "$work/train.svm" --valid "$work/label.svm"
check "train, a label of the validation is counted" err_has "label.svm:3:1: 1 of 2 rows"
run_train "$work/train.svm" --valid "$work/labels.svm"
check "train, no known label of the validation: exits 5" exits 5
check "train, no known label of the validation: the file" err_has "labels.svm: expected a label that the model knows"
run_train "$work/twice.svm" --strict
check "train --strict: exits 5" exits 5
fixed "train --strict" "omit --strict" train "$work/twice.svm" -o "$work/m" --epochs 1
run_train "$work/from_0.svm" --index-base 1
check "train, --index-base 1: exits 5" exits 5
fixed "train, --index-base 1" "omit --index-base 1" train "$work/from_0.svm" -o "$work/m" --epochs 1

# A model that counts from 0, and a file that may count from 1.
run eval "$work/m" "$work/from_0.svm"
check "a file with an index 0 has no note" err_lacks "no index here is 0"
printf '%s\n' '1 1:1' '-1 2:1' >"$work/doubtful.svm"
run eval "$work/m" "$work/doubtful.svm"
check "a file without an index 0 exits 0" exits 0
check "and has a note" err_has "the model counts features from 0 and no index here is 0"
run eval "$work/m" "$work/doubtful.svm" --index-base 0
check "unless its base is given" err_lacks "no index here is 0"
# The base of a file is named: so text from 1 may be read with a model of arrays, which count from 0.
run eval "$work/m" "$work/doubtful.svm" --index-base 1
check "--index-base 1 is used where it is given" exits 0
check "with a note" err_has "read with indices from 1, as requested; the training data counts from 0"
printf '%s\n' '1 1:1' '-1 3:1' >"$work/shifted.svm"
run predict "$work/m" "$work/shifted.svm"
check "a file that needs it exits 5" exits 5
fixed "a file that counts from 1" "use --index-base 1" predict "$work/m" "$work/shifted.svm" --index-base 1
printf '%s\n' '1 2:1' >"$work/row.svm"
run predict "$work/m" "$work/row.svm"
check "a single row has no note" err_lacks "no index here is 0"

# What nobody requested is no request: the model has it.
printf 'label,a\n1,2\n0,3\n' >"$work/table.csv"
run train "$work/doubtful.svm" --index-base 1 -o "$work/from_1" --epochs 1
run predict "$work/from_1" "$work/table.csv"
check "CSV for a model of text exits 5" exits 5
check "and names what was found" err_has "expected indices from 1, found CSV, whose columns count from 0"
check "and what the model has" err_has "as the model has indices from 1 and 2 columns"
check "which nobody requested" err_lacks "requested"
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 1\n' >"$work/matrix.mtx"
run inspect "$work/matrix.mtx" --index-base 0
check "Matrix Market from 0 exits 5" exits 5
check "and names the option" err_has "omit --index-base 0: the file counts from 1"
run inspect "$work/table.csv" --index-base 1
check "CSV from 1 names the option" err_has "omit --index-base 1: the file counts from 0"
for command in eval predict; do
    run $command --help
    check "$command --help: the default index base" out_has "default: as in the model"
done

# A model file that cannot be written is found before the run.
mkdir "$work/folder"
run train "$work/train.svm" -o "$work/folder"
check "a folder as the model exits 1" exits 1
check "and is named" err_has "folder: is a folder"
check "before the run" err_lacks examples/s
run train "$work/train.svm" -o "$work/m" --json "$work/folder"
check "a folder as the JSON exits 1" exits 1
check "also before the run" err_lacks examples/s
run train "$work/train.svm" -o /dev/null
check "a device as the model exits 1" exits 1
mkfifo "$work/pipe"
code=0
timeout 3600 "$SPARCL" eval "$work/pipe" "$work/train.svm" >"$work/out" 2>"$work/err" </dev/null || code=$?
check "a pipe as the model is refused without waiting" exits 1
check "and is named" err_has "pipe: is not a regular file"
bad=$work/$(printf 'm\377\303\274')
run train "$work/train.svm" -o "$bad" --epochs 1 --json -
check "a path that is not UTF-8 exits 0" exits 0
check "and is printed with its byte" out_has 'm\\xff'
if [ -w /dev/full ]; then
    code=0
    "$SPARCL" train --help >/dev/full 2>"$work/err" || code=$?
    check "help on a full disk exits 1" exits 1
    check "and says so" err_has "standard output: cannot be written"
    for json in --json ''; do
        code=0
        # shellcheck disable=SC2086
        "$SPARCL" inspect "$work/train.svm" $json >/dev/full 2>"$work/err" || code=$?
        check "inspect $json on a full disk exits 1" exits 1
        check "and says so" err_has "standard output: cannot be written"
    done
fi
# A program with rights of its own does nothing; where its libraries are beside it the system does not even start it (127).
if [ "$(id -u)" = 0 ] && cp "$SPARCL" "$work/rights" && chgrp 65534 "$work/rights" && chmod g+s "$work/rights"; then
    code=0
    "$work/rights" devices >"$work/out" 2>"$work/err" || code=$?
    check "a program with rights of its own does nothing" sh -c "[ $code = 127 ] || { [ $code = 2 ] && grep -q 'chmod ug-s' '$work/err'; }"
    check "and prints no result" [ ! -s "$work/out" ]
fi
finish
