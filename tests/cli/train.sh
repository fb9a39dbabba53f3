#!/bin/sh
# sparcl train, eval and predict: a model from a data file, its evaluation and its predictions.
. "$(dirname "$0")/checks.sh"
need_device

two_classes 600 >"$work/data.svm"
model="$work/model.safetensors"

run train "$work/data.svm" -o "$model" --epochs 5 --batch 64 --columns 40 --json "$work/run.json"
check "train exits 0" exits 0
check "the model is there" has_file "$model"
check "progress is on standard error" err_has "examples/s"
check "and not on standard output" out_lacks examples/s
for step in 1 2 4 8 16 32 50; do
    check "there is a line at step $step" grep -qE "^ +$step " "$work/err"
done
check "and none between" no_line_matches "$work/err" "^ +(3|5|9|33|49) "
cp "$work/run.json" "$work/out"
for key in rows loss objective epochs seconds_per_pass device platform model; do
    check "the JSON has the key $key" grep -q "^  \"$key\": " "$work/out"
done
check "rows" json_is rows 600
check "epochs" json_is epochs 5

run train "$work/data.svm" -o "$work/again" --epochs 5 --batch 64 --columns 40 --progress none
check "the same run makes the same file" same "$model" "$work/again"
check "--progress none is silent" err_lacks examples/s
run train "$work/data.svm" -o "$work/again" --epochs 5 --batch 64 --columns 40 --profile --json "$work/profile.json"
check "--profile exits 0" exits 0
check "and makes the same file" same "$model" "$work/again"
for what in "(spmm|product_loss)" "spmm \(variant\)" "building kernels" "host and waiting" total; do
    check "its table has $what" grep -qE "^$what +[0-9]" "$work/out"
done
check "and a table of nodes" grep -qE '^node +operation +of +runs +us per run +fraction +GB/s +of the limit$' "$work/out"
check "with steps of parameters" grep -qE '^ +[0-9]+ +step +weight, bias +50 ' "$work/out"
check "and a limit" grep -qE '^The limit: a copy of large arrays, [0-9.]+ GB/s$' "$work/out"
check "it prints the launches per step" grep -qE '^[0-9.]+ kernels launched per step$' "$work/out"
for key in seconds device_seconds build_seconds host_seconds launches_per_step; do
    check "its JSON has $key" grep -qE "^    \"$key\": [0-9]" "$work/profile.json"
done
check "and kernels with their launches" grep -qE '"launches": 50,?$' "$work/profile.json"
check "and nodes with what they read" grep -qE '"of": "weight, bias"' "$work/profile.json"
# A rate of a cache depends on the device: what is above the limit is explained where it is there.
# shellcheck disable=SC2317 # called by name
explains_caches() {
    above=$(awk '/ of the limit$/ { inside = 1; next } /^$/ { inside = 0 } inside && $(NF - 1) > 100 && NF > 8' "$work/out" | wc -l)
    notes=$(grep -c 'what is above the limit came from caches' "$work/out")
    [ "$notes" -eq $((above > 0)) ]
}
check "rates above the limit, and only these, are explained" explains_caches
check "and the limit" grep -qE '"copy_gb_s": [0-9]' "$work/profile.json"
check "and transfers with their bytes" grep -qE '"bytes": [1-9]' "$work/profile.json"
run train "$work/data.svm" -o "$work/again" --epochs 5 --batch 64 --columns 40 --profile --json -
check "with --json - there is only JSON" grep -q '^{$' "$work/out"
check "and no table" out_lacks "host and waiting"
run train "$work/data.svm" -o "$work/again" --epochs 2 --batch full --profile
check "a pass of one step also has launches per step" grep -qE '^[0-9.]+ kernels launched per step$' "$work/out"
run train "$work/data.svm" -o "$work/again" --epochs 1 --batch full --profile
check "one step in all does not, and says why" out_has "the first step, which builds kernels, is the only one"

# A dry run counts the same memory as the run, with and without validation data.
for options in "--batch 64" "--batch full --optimizer adam" "--batch 64 --optimizer momentum --valid $work/data.svm --device-memory 1"; do
    # shellcheck disable=SC2086 # options are words
    run train "$work/data.svm" -o "$work/again" --epochs 3 --columns 40 --json "$work/plan.json" --progress none $options
    cp "$work/plan.json" "$work/out"
    peak=$(json peak_bytes)
    rm "$work/again"
    # shellcheck disable=SC2086
    run train "$work/data.svm" -o "$work/again" --epochs 3 --columns 40 --json "$work/plan.json" --dry-run $options
    check "--dry-run $options exits 0" exits 0
    check "and shows no progress" err_lacks examples/s
    check "and writes no model" [ ! -e "$work/again" ]
    check "and prints the nodes" grep -qE '^ +2 weight +parameter +dense +40 x 1 ' "$work/out"
    cp "$work/plan.json" "$work/out"
    check "and its peak is that of the run" json_is peak_bytes "$peak"
    for key in batch_rows batch_entries parameter_bytes value_bytes unshared_value_bytes evaluation_bytes data_bytes \
        valid_bytes batch_bytes other_bytes data_on_host nodes; do
        check "its JSON has the key $key" grep -q "^  \"$key\": " "$work/out"
    done
done
check "the data are on the host" json_is data_on_host true
check "and take no device memory" json_is data_bytes 0
check "momentum: 40 weights, their states and last steps, and a bias" json_is parameter_bytes 648
run train "$work/data.svm" --dry-run --json -
check "--dry-run needs no model" exits 0
check "and with --json - there is only JSON" grep -q '^{$' "$work/out"
run train "$work/data.svm" --dry-run --profile
check "--dry-run --profile is refused" exits 2
run train "$work/data.svm" --dry-run --svg "$work/curve.svg"
check "--dry-run --svg is refused" exits 2
run train "$work/data.svm" --dry-run --batch full --device-memory 100
check "a run that would not fit is refused" err_has "a batch of all 600 rows needs"

# shellcheck disable=SC2317 # called by name
circles_are() { [ "$(grep -o '<circle' "$work/curve.svg" | wc -l)" -eq "$1" ]; }
run train "$work/data.svm" -o "$work/again" --epochs 5 --batch 64 --columns 40 --svg "$work/curve.svg"
check "--svg exits 0" exits 0
check "and makes the same file" same "$model" "$work/again"
check "--svg draws the training loss after each pass" circles_are 5
run train "$work/data.svm" --valid "$work/data.svm" -o "$work/again" --epochs 7 --svg "$work/curve.svg"
check "--svg draws the validation loss too" circles_are 14
check "--svg names the loss" grep -q '>logistic loss<' "$work/curve.svg"
run train "$work/data.svm" -o "$work/again" --svg "$work/no/curve.svg"
check "--svg in a folder that is not there exits 1" exits 1
check "before anything is trained" err_lacks examples/s

run train "$work/data.svm" -o "$work/other" --epochs 5 --batch 64 --columns 40 --seed 1
check "another seed makes another file" differ "$model" "$work/other"
check "no path is in the model" no_line_matches "$model" "$work"

# A hyper-parameter of 0 means 0: with a learning rate of 0 no weight changes, momentum 0 is sgd.
run train "$work/data.svm" -o "$work/zero" --epochs 1 --batch 64 --lr 0 --json -
check "--lr 0 exits 0" exits 0
check "and the loss is that of weights of 0" [ "$(json loss | cut -c 1-8)" = 0.693147 ]
run train "$work/data.svm" -o "$work/sgd" --epochs 2 --batch 64 --json -
sgd=$(json loss)
run train "$work/data.svm" -o "$work/zero" --epochs 2 --batch 64 --optimizer momentum --momentum 0 --json -
check "--momentum 0 is sgd" [ "$(json loss | cut -c 1-7)" = "$(echo "$sgd" | cut -c 1-7)" ]
hyper() { grep -aoE "\"$2\":\"[^\"]*\"" "$1"; }
for option in momentum beta1 beta2 epsilon; do
    case $option in momentum) rule=momentum ;; *) rule=adam ;; esac
    for value in 0 0.25; do
        run train "$work/data.svm" -o "$work/hyper" --epochs 1 --batch full --optimizer $rule --$option $value
        check "--$option $value is in the model" [ "$(hyper "$work/hyper" $option)" = "\"$option\":\"$value\"" ]
    done
done
# has OPTIMIZER KEY=VALUE...: the default hyper-parameters in a model
has() {
    run train "$work/data.svm" -o "$work/hyper" --optimizer "$1" --clip-global-norm 1e9
    rule=$1
    shift
    for pair in "$@"; do
        check "$rule has by default $pair" \
            [ "$(hyper "$work/hyper" "${pair%=*}")" = "\"${pair%=*}\":\"${pair#*=}\"" ]
    done
}
has sgd lr=0.1 momentum=0 beta1=0 beta2=0 epsilon=0 l2=0 epochs=10 batch=32 seed=0
has momentum lr=0.1 momentum=0.9 beta1=0 beta2=0 epsilon=0
has adagrad lr=0.01 momentum=0 beta1=0 beta2=0 epsilon=1e-10
has adam lr=0.001 momentum=0 beta1=0.9 beta2=0.999 epsilon=1e-08
# Settings in --optimizer are the same as options, and those that the file had no key for are in "settings".
run train "$work/data.svm" -o "$work/hyper" --epochs 1 --optimizer adam --lr 0.5 --beta1 0.25
run train "$work/data.svm" -o "$work/again" --epochs 1 --optimizer adam:beta1=0.25,lr=0.5
check "--optimizer NAME:KEY=VALUE is an option" same "$work/again" "$work/hyper"
check "such a file has no settings" [ -z "$(hyper "$work/hyper" settings)" ]
run train "$work/data.svm" -o "$work/hyper" --epochs 1 --optimizer nesterov:momentum=0.5 --json -
check "an alias exits 0" exits 0
check "an alias is a rule" json_is optimizer '"momentum"'
check "its settings are in the file" \
    [ "$(hyper "$work/hyper" settings)" = '"settings":"momentum:lr=0.1,momentum=0.5,nesterov=1"' ]
run eval "$work/hyper" "$work/data.svm"
check "and the file is read" exits 0
run train "$work/data.svm" -o "$work/hyper" --epochs 2 --optimizer adam:preset=keras3 --json -
check "a preset exits 0" exits 0
check "a preset is in the file" [ "$(hyper "$work/hyper" settings)" = '"settings":"adam:preset=keras3"' ]
check "and has its own defaults" [ "$(hyper "$work/hyper" epsilon)" = '"epsilon":"1e-07"' ]
run train "$work/data.svm" -o "$work/again" --epochs 2 --optimizer adam --epsilon 1e-7 --json -
check "and moves all rows" differ "$work/again" "$work/hyper"
for optimizer in $("$SPARCL" help optimizers | sed -n '/^  [a-z]*$/s/ //gp') nesterov adamw; do
    run train "$work/data.svm" -o "$work/hyper" --epochs 1 --optimizer "$optimizer"
    check "--optimizer $optimizer trains" exits 0
done
# --exact is moves=exact: nearly the loss of moves=all, and not that of the rows of the batch.
run train "$work/data.svm" -o "$work/hyper" --epochs 2 --optimizer adam --exact --json -
check "--exact exits 0" exits 0
exact=$(json loss | cut -c 1-7)
check "it is in the file" [ "$(hyper "$work/hyper" settings)" = '"settings":"adam:moves=exact"' ]
run train "$work/data.svm" -o "$work/again" --epochs 2 --optimizer adam:moves=exact
check "and a setting" same "$work/again" "$work/hyper"
run train "$work/data.svm" -o "$work/again" --epochs 2 --optimizer adam:moves=all --json -
check "--exact has the loss of all rows" [ "$(json loss | cut -c 1-7)" = "$exact" ]
for optimizer in nadam:lr=0.01 nadam:preset=keras3 ftrl:preset=tf1,lr=0.1; do
    run train "$work/data.svm" -o "$work/hyper" --epochs 2 --optimizer $optimizer --exact --json -
    check "--exact of $optimizer exits 0" exits 0
    exact=$(json loss | cut -c 1-7)
    run train "$work/data.svm" -o "$work/again" --epochs 2 --optimizer $optimizer,moves=all --json -
    check "--exact of $optimizer has the loss of all rows" [ "$(json loss | cut -c 1-7)" = "$exact" ]
done
run train "$work/data.svm" -o "$work/again" --epochs 2 --optimizer adam --exact --l2 0.1
check "--exact without a closed form exits 2" exits 2
check "and says what has none" err_has "adam has no closed form with a coupled weight_decay"
run train "$work/data.svm" -o "$work/hyper" --epochs 2 --optimizer momentum --l2 0.1 --json -
exact=$(json loss)
run train "$work/data.svm" -o "$work/again" --epochs 2 --optimizer momentum --l2 0.1 --exact --json -
check "momentum with l2 is exact without --exact" [ "$(json loss)" = "$exact" ]
run train "$work/data.svm" -o "$work/hyper" --optimizer adam:weight_decay=0.1 --l2 0.1
check "l2 and weight_decay exit 2" exits 2
check "and both are named" err_has "l2 is 0.1 and weight_decay is 0.1"
run train "$work/data.svm" -o "$work/hyper" --epochs 1 --lr 0 --lr 0.5
check "the last of two --lr is used" [ "$(hyper "$work/hyper" lr)" = '"lr":"0.5"' ]

run eval "$model" "$work/data.svm" --json
check "eval exits 0" exits 0
for key in rows loss objective accuracy auc best_constant_loss; do
    check "eval has the key $key" grep -q "^  \"$key\": [0-9]" "$work/out"
done
run eval "$model" "$work/data.svm"
check "eval prints a table" grep -qE '^rows +600$' "$work/out"

run predict "$model" "$work/data.svm"
check "predict exits 0" exits 0
check "a line per row" lines_are "$work/out" 600
check "label, tab, probability" all_lines_match "$work/out" '^(-1|1)	(0\.[0-9]+|1|[0-9.]+e-[0-9]+)$'
cp "$work/out" "$work/lines"
run predict "$model" "$work/data.svm" -o "$work/predictions.tsv"
check "predict -o writes the same" same "$work/lines" "$work/predictions.tsv"
check "and nothing on standard output" out_is_empty
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
