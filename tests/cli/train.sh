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
finish
