#!/bin/sh
# sparcl train, eval and predict on files of several parts, with options that exclude each other, on rows without labels and files that change.
. "$(dirname "$0")/checks.sh"
need_device

two_classes 600 >"$work/data.svm"
model="$work/model.safetensors"
run train "$work/data.svm" -o "$model" --epochs 5 --batch 64 --columns 40

# ---- files of several parts

i=0
while [ $i -lt 400 ]; do
    cat "$work/data.svm"
    i=$((i + 1))
done >"$work/large.svm"
large=$(wc -c <"$work/large.svm")
check "the file has several parts" [ "$large" -gt 9000000 ]
run predict "$model" "$work/large.svm" -o "$work/parts.tsv"
check "it is predicted part by part" exits 0
run predict "$model" "$work/large.svm" --widen -o "$work/whole.tsv"
check "with the lines of the whole file" same "$work/parts.tsv" "$work/whole.tsv"
"$SPARCL" predict "$model" - <"$work/large.svm" >"$work/piped.tsv" 2>"$work/err"
check "also from a pipe" same "$work/parts.tsv" "$work/piped.tsv"
rows=$(wc -l <"$work/large.svm")
echo "1 1:x" >>"$work/large.svm"
run predict "$model" "$work/large.svm" -o "$work/refused.tsv"
check "a bad last row exits 5" exits 5
check "and is named with its line" err_has "large.svm:$((rows + 1)):"
check "and nothing is written" [ ! -e "$work/refused.tsv" ]
run predict "$model" "$work/large.svm"
check "also to standard output" exits 5
check "which has the lines of the parts before" [ "$(wc -l <"$work/out")" -gt 1000 ]
sed -i '$d' "$work/large.svm"
run train "$work/large.svm" --stream --batch 256 --epochs 1 -o "$work/streamed" --json "$work/streamed.json" --progress none
check "train --stream exits 0" exits 0
cp "$work/streamed.json" "$work/out"
check "with the rows of the file" json_is rows "$rows"
check "which are not on the device" json_is data_on_host true
run eval "$work/streamed" "$work/large.svm"
cp "$work/out" "$work/whole.txt"
run eval "$work/streamed" "$work/large.svm" --stream
check "eval --stream prints the same" same "$work/whole.txt" "$work/out"
run inspect "$work/large.svm" --stream
check "inspect --stream exits 0" exits 0
run train "$work/large.svm" --stream --hold-out 0.2 -o "$work/no-model" --progress none
check "a stream cannot be split" exits 2
check "and the remedy is named" err_has "read the file without stream"
run train - --stream -o "$work/no-model" --progress none
check "nor read from a pipe" exits 2
check "which is said" err_has "expected a file, which a stream reads several times"

run predict "$model" "$work/data.svm" -o "$work/no/folder"
check "a file that cannot be written exits 1" exits 1

printf '1 41:1\n' >"$work/wide.svm"
run eval "$model" "$work/wide.svm"
check "a file wider than the model exits 5" exits 5
check "and the position is printed" err_has "wide.svm:1:"
check "and the model's width" err_has "40 columns"
printf '1 0:1\n' >"$work/zero.svm"
run eval "$model" "$work/zero.svm"
check "an index base against the model's exits 5" exits 5
printf '7 1:1\n' >"$work/label.svm"
run eval "$model" "$work/label.svm"
check "an unknown label exits 5" exits 5
run eval "$work/data.svm" "$work/data.svm"
check "a file that is not a model exits 5" exits 5
run eval "$work/none" "$work/data.svm"
check "a missing model exits 1" exits 1
printf '1 1:nan\n-1 2:1\n' >"$work/nan.svm"
run train "$work/nan.svm" -o "$work/m"
check "nan in the data exits 5" exits 5
check "and writes no model" no_file "$work/m"

for kind in fm:factors=4,init=0.1 mlp:hidden=16-8 wide-deep:hidden=8,activation=tanh; do
    run train "$work/data.svm" -o "$work/kind" --model $kind --optimizer adam --lr 0.02 --epochs 60 --json "$work/kind.json"
    check "train --model $kind exits 0" exits 0
    check "--model $kind: the result says which model it is" grep -q "\"kind\": \"$kind" "$work/kind.json"
    run eval "$work/kind" "$work/data.svm" --json
    check "eval of it exits 0" exits 0
    check "--model $kind: nearly all rows are right" awk -v a="$(json accuracy)" 'BEGIN { exit !(a > 0.97) }'
    run predict "$work/kind" "$work/data.svm"
    check "predict with it exits 0" exits 0
    check "and has a line for each row" lines_are "$work/out" 600
done
run train "$work/data.svm" -o "$work/held" --hold-out 0.25 --seed 3 --epochs 2 --json -
check "--hold-out exits 0" exits 0
check "--hold-out: the rows that are left" json_is rows 450
check "--hold-out: the rows that are held out" json_is valid_rows 150
run train "$work/data.svm" -o "$work/best" --hold-out 0.25 --patience 2 --epochs 200 --batch 16 --model mlp --optimizer adam --lr 0.03 --json -
check "--patience exits 0" exits 0
best=$(json best_epoch)
check "--patience: it ends two passes after the best one" json_is epochs $((best + 2))
run train "$work/data.svm" -o "$work/again" --hold-out 0.25 --epochs "$best" --batch 16 --model mlp --optimizer adam --lr 0.03
check "--patience: the model of a training with that many passes" same_but_notes "$work/best" "$work/again"
run train "$work/data.svm" -o "$work/m" --patience 2
check "--patience without validation data exits 2" exits 2
run train "$work/data.svm" -o "$work/m" --hold-out 0.25 --valid "$work/data.svm"
check "--hold-out and --valid exit 2" exits 2
run train "$work/data.svm" -o "$work/m" --hold-out 1
check "--hold-out 1 exits 2" exits 2
run train "$work/data.svm" -o "$work/m" --model fm:init=0.1 --optimizer adam --parameter-optimizers "factors=adagrad:lr=0.1;bias=sgd"
check "--parameter-optimizers exits 0" exits 0
check "and they are in the model file" grep -aq '"parameter_settings":"factors=adagrad:[^"]*;bias=sgd:lr=0.1' "$work/m"
rm -f "$work/m"
run train "$work/data.svm" -o "$work/m" --parameter-optimizers "factors=adagrad"
check "a parameter that the model does not have exits 2" exits 2
check "and one that it has is named" err_has "expected a parameter of a linear model, such as weight"
run train "$work/data.svm" -o "$work/m" --parameter-optimizers "weight"
check "a parameter without an optimizer exits 2" exits 2
run train "$work/data.svm" -o "$work/one" --batch full --epochs 1
run train "$work/data.svm" -o "$work/longer" --start "$work/one" --batch full --epochs 2
check "--start exits 0" exits 0
run predict "$work/longer" "$work/data.svm"
cp "$work/out" "$work/with_start"
run train "$work/data.svm" -o "$work/longer" --batch full --epochs 3
run predict "$work/longer" "$work/data.svm"
check "a pass and two from there on are three" cmp -s "$work/out" "$work/with_start"
run train "$work/data.svm" -o "$work/longer" --start "$work/one" --model fm
check "--start with a model of another kind exits 2" exits 2
check "and says what is expected" err_has "start is a model of the kind linear"
run train "$work/data.svm" -o "$work/longer" --start "$work/absent"
check "--start without a file exits 1" exits 1
run train "$work/data.svm" -o "$work/m" --model fm --loss softmax
check "a model with one score refuses softmax" exits 2
check "and says why" err_has "a model of the kind fm has one score"
run train "$work/data.svm" -o "$work/m" --model mpl
check "an unknown model exits 2" exits 2
check "and the most similar one is named" err_has "did you mean mlp?"
run train "$work/data.svm" -o "$work/m" --model fm:factor=3
check "an unknown setting exits 2" exits 2
check "and it is named" err_has "with a key of fm"
check "no model was written" no_file "$work/m"

run train "$work/data.svm" -o "$work/m" --device no-such-device
check "an unknown device exits 3" exits 3
check "and how to fix it" err_has "sparcl devices"
SPARCL_DEVICE=no-such-device
export SPARCL_DEVICE
run train "$work/data.svm" -o "$work/m"
check "SPARCL_DEVICE is read" exits 3
unset SPARCL_DEVICE
run train "$work/data.svm" -o "$work/no/folder/m"
check "a missing folder exits 1" exits 1
check "before the training" err_lacks examples/s
run train "$work/data.svm" -o "$work/m" --loss squared --lr 1e6 --epochs 50
check "a run that diverges exits 8" exits 8
check "and writes no model" no_file "$work/m"
check "and how to fix it" err_has "smaller --lr"

begin train "$work/data.svm" -o "$work/m" --epochs 1000 --batch 1
kill -INT $child
end
check "an interrupt exits 9" exits 9
check "and writes no model" no_file "$work/m"
check "and prints it" err_has "interrupted; $work/m was not written"
check "and leaves no file behind" no_file "$work"/*.tmp

# ---- rows without labels, few rows, no features
printf '%s\n' '1 |f a b' '-1 |f c' '1 |f a' '-1 |f d c' >"$work/train.vw"
run train "$work/train.vw" -o "$work/vw" --loss logistic --epochs 5 --progress none
printf '%s\n' '|f a' "'tag |f c" >"$work/test.vw"
run predict "$work/vw" "$work/test.vw"
check "rows without labels are predicted" lines_are "$work/out" 2
printf '%s\n' '1 |f a' '|f c' >"$work/mixed.vw"
run predict "$work/vw" "$work/mixed.vw"
check "also where some have one" lines_are "$work/out" 2
run eval "$work/vw" "$work/mixed.vw"
check "but left out of an evaluation" err_has "mixed.vw:2: 1 of 2 rows has no label and is left out"
check "of the others" fact_is rows 1
printf '%s\n' 'city,y,age' 'Paris,1,30' 'Rome,0,20' >"$work/people.csv"
printf '%s\n' 'y,label' 'city,dictionary,Paris,Rome' 'age,numeric' >"$work/columns"
run train "$work/people.csv" --csv-columns "$work/columns" -o "$work/table" --progress none
check "two rows are enough for training without settings" exits 0
printf '%s\n' 'city,age' 'Oslo,30' 'Rome,NA' >"$work/new.csv"
run predict "$work/table" "$work/new.csv"
check "the model has the columns of a table, and words that the dictionary lacks are missing" lines_are "$work/out" 2
check "and counted" err_has "1 word that the dictionaries of the description do not have is a missing value"
check "with the others" err_has "2 missing values are no entries"
printf '%s\n' 1 0 >"$work/labels.svm"
run train "$work/labels.svm" -o "$work/bias" --loss logistic --epochs 2 --progress none
run predict "$work/bias" "$work/labels.svm"
check "rows without features have the bias" lines_are "$work/out" 2
run predict "$work/bias" "$work/data.svm"
check "and others are refused" err_has "expected rows without features, as the model has none"
check "which exits 5" exits 5

# ---- a file that is mapped becomes shorter while it is used
i=0
while [ $i -lt 40 ]; do
    cat "$work/data.svm"
    i=$((i + 1))
done >"$work/long.svm"
run convert "$work/long.svm" "$work/long.sparcl"
"$SPARCL" train "$work/long.sparcl" -o "$work/lost" --loss logistic --epochs 100000 --batch 256 --device-memory 64K >/dev/null 2>"$work/err" &
process=$!
until grep -q "examples/s" "$work/err" || ! kill -0 $process 2>/dev/null; do sleep 0.1; done
truncate -s 10000 "$work/long.sparcl"
wait $process
code=$?
check "a mapped file that becomes shorter: exit 1" exits 1
check "and is named" err_has "long.sparcl: the file became shorter while it was used"
check "and not the cache of a driver" err_lacks kcache

finish
