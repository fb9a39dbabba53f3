#!/bin/sh
# sparcl sweep: all combinations of options, once each; interrupts; runs that fail; the table in its forms; the page.
. "$(dirname "$0")/checks.sh"
need_device

awk 'BEGIN { for (i = 0; i < 400; i++) print (i % 3 ? 1 : -1) " " i % 7 + 1 ":1 " i % 11 + 8 ":0.5" }' >"$work/data.svm"
data=$work/data.svm runs=$work/runs
# sweep GRID OPTIONS...: into $runs, with few passes
sweep() {
    grid=$1
    shift
    run sweep "$data" -o "$runs" --epochs 3 --batch 32 --hold-out 0.2 --grid "$grid" "$@"
}
# column N: of the table
column() { awk -v n="$1" 'NR > 1 {print $n}' "$work/out" | tr '\n' ' '; }
# shellcheck disable=SC2317 # called by name
is_sorted() { tail -n +2 "$work/out" | awk -v n="$1" '{print $n}' | sort -"$2" -c; }

# All combinations, once.
sweep "optimizer=sgd,adam:lr=0.01,beta1=0.8 lr=0.1,0.01" --dry-run
check "--dry-run exits 0" exits 0
check "it prints the command of each run" lines_are "$work/out" 4
check "with what varies" out_has " --optimizer=sgd --lr=0.01 --output=$runs/optimizer=sgd,lr=0.01.safetensors"
check "a value with a comma is one value" out_has "--optimizer=adam:lr=0.01,beta1=0.8 "
check "and runs nothing" no_file "$runs"
sweep "optimizer=sgd,adam:lr=0.01,beta1=0.8 lr=0.1,0.01"
check "a sweep exits 0" exits 0
cp "$work/out" "$work/table"
check "the table has a line for each run" lines_are "$work/out" 5
check "its first columns are what varies" [ "$(awk 'NR == 1 {print $1, $2}' "$work/out")" = "optimizer lr" ]
check "it is sorted by the validation loss" is_sorted 3 g
check "each end of a run is reported" [ "$(grep -c ' of 4  optimizer=' "$work/err")" -eq 4 ]
first="$runs/optimizer=sgd,lr=0.1"
for ending in json safetensors txt; do
    check "a run has its $ending" has_file "$first.$ending"
done
check "and no checkpoint, when it is done" no_file "$first.checkpoint"
run train "$data" -o "$work/alone" --epochs 3 --batch 32 --hold-out 0.2 --optimizer sgd --lr 0.1 --progress none
check "its model is that of sparcl train" same "$work/alone" "$first.safetensors"
run train --config "$first.json" -o "$work/alone" --progress none
check "its manifest repeats it" err_has "the model is that of the manifest, byte for byte"

# The page.
page=$runs/report.html
check "the page has a row for each run" [ "$(grep -c '^<tr><th>[1-4]: optimizer=' "$page")" -eq 4 ]
check "and what varies as columns" grep -qF '<tr><th></th><th>optimizer</th><th>lr</th><th>loss</th>' "$page"
check "the best run first" grep -qF "<tr><th>1: optimizer=$(awk 'NR == 2 {sub(":", "_", $1); print $1 ",lr=" $2}' "$work/table").json" "$page"
check "and the curves, with the calibration and those of scores" [ "$(grep -c "<polyline " "$page")" -eq 24 ]

# Nothing to do; a larger grid; other settings.
touch -d 2001-01-01 "$runs"/*.json
sweep "optimizer=sgd,adam:lr=0.01,beta1=0.8 lr=0.1,0.01"
check "with nothing to do it exits 0" exits 0
check "and prints the table" same "$work/out" "$work/table"
check "and has run nothing" [ -z "$(find "$runs" -name '*.json' -newermt 2002-01-01)" ]
sweep "optimizer=sgd,adam:lr=0.01,beta1=0.8 lr=0.1,0.01" --dry-run
check "--dry-run then prints nothing" out_is_empty
sweep "optimizer=sgd lr=0.1,0.01,0.001" --json "$work/table.json" --csv - --sort valid_accuracy
check "a larger grid exits 0" exits 0
check "and runs what is new" [ "$(find "$runs" -name '*.json' -newermt 2002-01-01)" = "$runs/optimizer=sgd,lr=0.001.json" ]
check "CSV has a heading and a line for each run" lines_are "$work/out" 4
check "with all numbers" grep -qE '^name,state,optimizer,lr,rows,.*,valid_loss,.*,valid_accuracy,.*,seconds$' "$work/out"
check "of each run" [ "$(grep -cE '^"optimizer=sgd,lr=0\.[01]*",done,sgd,0\.[01]*,320,18,640,' "$work/out")" -eq 3 ]
# shellcheck disable=SC2016 # awk's
check "an accuracy is sorted from the largest one" awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "valid_accuracy") n = i + 1; next}
    {if (NR > 2 && $n > last) exit 1; last = $n}' "$work/out"
cp "$work/table.json" "$work/out"
check "JSON has the metric" json_is sorted_by '"valid_accuracy"'
check "and each run with its result" [ "$(grep -c '"valid_loss": 0' "$work/out")" -eq 3 ]
check "and its options" grep -q '"optimizer": "sgd"' "$work/out"
check "what is held out orders the runs" err_lacks "rows that they were trained on"
run sweep "$data" -o "$runs" --epochs 4 --batch 32 --hold-out 0.2 --grid "optimizer=sgd lr=0.1"
check "other settings exit 5" exits 5
check "and say which" err_has 'lr=0.1.json: the run is of another sweep: expected epochs "4", found "3"'
run sweep "$data" -o "$work/own" --epochs 1 --batch 32 --grid "optimizer=sgd lr=0.1,0.2"
check "the order by the rows of the training is said" err_has "note: the runs are in the order of the loss on the rows that they were trained on"
run sweep "$data" -o "$work/losses" --epochs 1 --batch 32 --hold-out 0.2 --grid "loss=logistic,hinge lr=0.1"
check "losses that cannot be compared are said" err_has "losses of different functions cannot be compared: --sort valid_rmse"
sed 's/1:1/1:2/' "$data" >"$work/other.svm" && mv "$work/other.svm" "$data"
sweep "optimizer=sgd lr=0.1,0.5"
check "data that have changed are said" err_has "the file has changed between the runs"
echo '{' >"$first.json"
sweep "optimizer=sgd lr=0.1"
check "a damaged manifest exits 5" exits 5
check "and is named" err_has "$first.json"

# Keys of models, flags, several grids, jobs, no validation data, options from a file.
runs=$work/keys
printf '{"train": "%s", "model": "fm:factors=9,init=0.1", "epochs": 2}' "$data" >"$work/config.json"
run sweep -o "$runs" --config "$work/config.json" --grid "model.factors=2,3" --grid "exact=true,false" --jobs 3 --progress none --json -
check "a sweep of keys and flags exits 0" exits 0
check "and prints no progress" no_line_matches "$work/err" ' of '
check "all runs are done" [ "$(grep -c '"state": "done"' "$work/out")" -eq 4 ]
check "a key is set" grep -qF '"value": "fm:factors=9,init=0.1,factors=3"' "$runs/model.factors=3,exact=false.json"
check "the last one counts" [ "$(grep -c '"kind": "fm:factors=3,init=0.1"' "$work/out")" -eq 2 ]
check "a flag is given" grep -A1 '"exact"' "$runs/model.factors=2,exact=true.json" | grep -q 'true'
check "or not" grep -A1 '"exact"' "$runs/model.factors=2,exact=false.json" | grep -q 'false'
check "without validation data the loss is the metric" json_is sorted_by '"loss"'
run sweep "$data" -o "$work/lbfgs" --grid "solver=lbfgs l2=0.1,0.01" --progress none
check "L-BFGS, which has no checkpoints, exits 0" exits 0
run sweep "$data" -o "$work/auto" --grid "loss=logistic,squared" --progress none --json -
check "no settings exit 0" exits 0
check "and are chosen from the data, as without a sweep" [ "$(grep -c '"chosen_c"' "$work/out")" -eq 2 ]
run sweep "$data" -o "$work/models" --grid "model=fm:factors=2,mlp:hidden=4 optimizer=adam,adagrad:lr=0.1" --progress none --json -
check "a rate is chosen where the optimizer has none" [ "$(grep -c '"chosen_lr"' "$work/out")" -eq 2 ]

run sweep "$data" -o "$work/probes" --model autoencoder:units=8 --optimizer adam --epochs 2 --hold-out-last 100 --probe \
    --grid "model.k=1,2,3 exact=true,false" --sort probe_accuracy
check "autoencoders with a classifier of their codes exit 0" exits 0
check "the table has its accuracy, the largest first" awk 'NR == 1 {exit !/exact +probe accuracy +valid loss/}' "$work/out"
check "in order" [ "$(column 3)" = "$(awk 'NR > 1 {print $3}' "$work/out" | sort -gr | tr '\n' ' ')" ]

# Runs that fail.
runs=$work/failing
sweep "l1=0 hold-out=1,0.2 exact=false" --solver steps
check "the exit status is that of the run that failed" exits 2
check "the failure is reported" err_has "sparcl: l1=0,hold-out=1,exact=false: --hold-out is 1, expected a part of the rows from 0 to less than 1"
check "and where all of it is" err_has "note: $runs/l1=0,hold-out=1,exact=false.txt has all"
check "the other run is done" has_file "$runs/l1=0,hold-out=0.2,exact=false.json"
check "the table says which failed" grep -qE '^0 +1 +false .*failed \(2\)$' "$work/out"
check "and has it last" [ "$(column 2)" = "0.2 1 " ]
runs=$work/stopping
sweep "hold-out=1,0.2" --stop-on-failure
check "--stop-on-failure exits with it" exits 2
check "and runs no other" no_file "$runs/hold-out=0.2.json"
check "which the table says" grep -qE '^0\.2 .*not run$' "$work/out"
printf '1 1:x\n' >"$work/bad.svm"
run sweep "$work/bad.svm" -o "$work/bad" --grid lr=1
check "bad data exit 5" exits 5
check "with the message of the reader" err_has "lr=1: $work/bad.svm:1:"
check "and without a page" no_file "$work/bad/report.html"

# What is refused before any run.
runs=$work/refused
refuse() { # refuse GRID MESSAGE
    sweep "$1"
    check "\"$1\" exits 2" exits 2
    check "with $2" err_has "$2"
    check "and runs nothing" no_file "$runs"
}
refuse "" '--grid: expected OPTION=VALUE,VALUE,..., found nothing'
refuse "lr" 'at character 1: expected OPTION=VALUE,VALUE,..., found "lr"'
refuse "=1" 'at character 1: expected OPTION=VALUE'
refuse "batch=1 lr=" 'at character 12: expected a value, found ""'
refuse "lr=0.1,,1" 'at character 8: expected a value'
refuse "lr=0.1 lr=1" 'expected an option that is not in the grid yet'
refuse "lr=0.1,0.1" 'at character 8: expected a value that is not there yet, found "0.1"'
refuse "lr=0.1 epoch=3" 'at character 8: no option "epoch" can vary; did you mean epochs?'
refuse "output=a,b" 'no option "output" can vary'
refuse "config=a,b" 'no option "config" can vary'
refuse "lr=0.1,x" '--lr: expected a number of at least 0, such as 0.1, found "x"'
refuse "exact=1" 'expected true or false, found "1"'
refuse "optimizer=adam,adma" 'did you mean adam?'
refuse "model.k=1,2" '--model: expected KEY=VALUE, with a key of linear'
refuse "lr.k=1" 'expected a key after model., optimizer. or schedule.'
refuse "schedule=cosine:perod=2" '--schedule: '
refuse "seed=$(seq -s, 200) epochs=$(seq -s, 200)" 'at most 10000 points'
refuse "$(printf '\377=1')" 'no option'
refuse "labels=$(printf '\377')" 'expected text in UTF-8'
run sweep "$data" -o "$runs"
check "no grid exits 2" exits 2
run sweep "$data" --grid lr=1
check "no folder exits 2" exits 2
run sweep - -o "$runs" --grid lr=1
check "standard input exits 2" exits 2
run sweep "$data" -o "$runs" --grid lr=1 --jobs 0
check "no jobs exit 2" exits 2
check "--grid, too often, exits 2" [ "$("$SPARCL" sweep "$data" -o "$runs" $(seq -f '--grid lr=%g' 40) 2>&1 | grep -c 'at most 32')" -eq 1 ]
run sweep "$data" -o "$data" --grid lr=1
check "a file as the folder exits 1" exits 1
check "and is named" err_has "$data: is a file, expected a folder"
run sweep "$data" -o "$work/none/there" --grid lr=1
check "a folder in none exits 1" exits 1
runs=$work/keys
run sweep -o "$runs" --config "$work/config.json" --grid "model.factors=2" --sort valid_los
check "an unknown metric exits 2" exits 2
check "and is named" err_has '--sort: no run has a number "valid_los"'
run sweep -o "$runs" --config "$work/config.json" --grid "model.factors=2" --csv /dev/full
check "a full disk exits 1" exits 1
run sweep "$data" -o "$work/long" --epochs 1 --grid "optimizer=adam:$(printf 'lr=%.1f,' $(seq 0 0.1 3))lr=1,adam:$(printf 'lr=%.1f,' $(seq 0 0.1 3))lr=2" --progress none
check "long values exit 0" exits 0
check "and have names of their own" [ "$(find "$work/long" -name '*.json' | wc -l)" -eq 2 ]

# Interrupts. The runs are long enough to be met in the middle.
grid="lr=0.1,0.01 seed=1,2"
long() { # long FOLDER: the arguments of a sweep of four runs
    set -- sweep "$data" -o "$1" --epochs 2500 --batch 32 --optimizer adam --grid "$grid" --jobs 2
    printf '%s\n' "$@"
}
start() { # start FOLDER: in the background, until two runs have made steps
    rm -rf "$1"
    long "$1" >"$work/arguments"
    set --
    while read -r argument; do set -- "$@" "$argument"; done <"$work/arguments"
    "$SPARCL" "$@" >"$work/out" 2>"$work/err" </dev/null &
    child=$!
    tries=0
    while [ $tries -lt 300 ] && [ "$(grep -ls '^ *[0-9][0-9][0-9][0-9] ' "$runs"/*.txt 2>/dev/null | wc -l)" -lt 2 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}
running() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -c "^--[o]utput=$runs/"; } # its runs
again() {
    set --
    while read -r argument; do set -- "$@" "$argument"; done <"$work/arguments"
    run "$@"
}
runs=$work/long_runs
start "$runs"
at_a_time=$(running)
"$SPARCL" sweep "$data" -o "$runs" --epochs 2500 --batch 32 --optimizer adam --grid "$grid" >"$work/second" 2>&1
second=$?
kill -INT $child
end
check "a second sweep in the folder exits 1" [ "$second" -eq 1 ]
check "and says why" grep -q 'another sweep works in this folder' "$work/second"
check "--jobs 2 has two runs at a time" [ "$at_a_time" -eq 2 ]
check "an interrupt exits 9" exits 9
check "and says how much is done" err_has "sparcl: interrupted; 0 of 4 runs are done"
check "and how to go on" err_has "to go on: the same command"
check "and prints no table" out_is_empty
check "each run has a checkpoint" [ "$(find "$runs" -name '*.checkpoint' | wc -l)" -eq 2 ]
check "no process is left" [ "$(running)" -eq 0 ]
again
check "the same command exits 0" exits 0
check "its runs went on" [ "$(grep -l 'going on with' "$runs"/*.txt | wc -l)" -eq 2 ]
check "all are done" lines_are "$work/out" 5
check "the checkpoints are gone" [ -z "$(find "$runs" -name '*.checkpoint*')" ]
run train "$data" -o "$work/alone" --epochs 2500 --batch 32 --optimizer adam --lr 0.1 --seed 1 --progress none
check "the model is that of a run without an interrupt" same "$work/alone" "$runs/lr=0.1,seed=1.safetensors"

start "$runs"
kill -KILL $child
wait $child 2>/dev/null
tries=0
while [ $tries -lt 100 ] && [ "$(running)" -gt 0 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
check "runs end with a sweep that is killed" [ "$(running)" -eq 0 ]
again
check "the same command then exits 0" exits 0
check "and ends with the same model" same "$work/alone" "$runs/lr=0.1,seed=1.safetensors"
finish
