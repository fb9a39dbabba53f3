#!/bin/sh
# What a run says of itself: the manifest, with which it is repeated; options from a file; sparcl diff; and the log.
. "$(dirname "$0")/checks.sh"
need_device

awk 'BEGIN { for (i = 0; i < 400; i++) print (i % 3 ? 1 : -1) " " i % 7 + 1 ":1 " i % 11 + 8 ":0.5" }' >"$work/data.svm"
data=$work/data.svm m=$work/run.json
# value NAME: value and origin of an option in the manifest, as VALUE ORIGIN
value() {
    awk -v name="\"$1\": {" 'index($0, name) {getline v; getline f; sub(/.*: /, "", v); sub(/,$/, "", v); sub(/.*: /, "", f); print v, f}' "$m"
}

run train "$data" -o "$work/a" --optimizer adam --batch 32 --epochs 4 --seed 18446744073709551615 --hold-out 0.2 \
    --no-bias --schedule cosine:warmup=5 --manifest "$m" --progress none
check "a run with a manifest exits 0" exits 0
check "an option of the command line" [ "$(value optimizer)" = '"adam" "command line"' ]
check "a flag" [ "$(value no-bias)" = 'true "command line"' ]
check "a default" [ "$(value loss)" = '"logistic" "default"' ]
check "an option that was not given" [ "$(value svg)" = 'null "default"' ]
check "the seed, to the last digit" [ "$(value seed)" = '"18446744073709551615" "command line"' ]
for part in '"format": "sparcl.run.1"' '"version": "' '"optimizer": "adam"' '"driver": "' '"fingerprint": "' \
    '"valid_loss": ' '"began": "2' "\"sha256\": \"$(sha256sum <"$work/a" | cut -d' ' -f1)\""; do
    check "the manifest has $part" grep -qF -- "$part" "$m"
done
check "and each pass" [ "$(grep -c '"step": ' "$m")" -eq 4 ]

# Again.
run train --config "$m" -o "$work/b" --progress none
check "a run from its manifest exits 0" exits 0
check "it says that the model is the same" err_has "the model is that of the manifest, byte for byte"
check "and it is" same "$work/a" "$work/b"
run train --config "$m" -o "$work/b" --epochs 5 --progress none --manifest "$work/second.json"
check "the command line goes before the manifest" exits 0
check "the model is another one" err_has "the model is not that of the manifest"
check "and differs" differ "$work/a" "$work/b"
cp "$m" "$work/first.json"
m=$work/second.json
check "the second manifest: an option of the first one" [ "$(value optimizer)" = '"adam" "config"' ]
check "the second manifest: an option of the command line" [ "$(value epochs)" = '"5" "command line"' ]
m=$work/first.json
sed '1s/1:1/1:2/' "$data" >"$work/other.svm"
run train "$work/other.svm" --config "$m" -o "$work/b" --progress none
check "other data are named" err_has "the data are not those of the manifest: expected the fingerprint"

# Differences.
run diff "$m" "$m"
check "a manifest does not differ from itself" exits 0
check "and nothing is printed" out_is_empty
run diff "$m" "$work/second.json"
check "two runs differ" exits 1
check "in the passes" grep -qE '^options.epochs\.value +4 +5$' "$work/out"
check "and the model" out_has model.sha256
check "not in times" out_lacks seconds
check "not in origins" out_lacks .from
run diff "$work/a" "$work/b"
check "two models differ" exits 1
check "in the data" out_has data_fingerprint
check "and in values" grep -qE '^tensor weight.*largest difference [0-9.e-]+, in element [0-9]+$' "$work/out"
run diff "$work/a" "$work/a" --json
check "a model does not differ from itself" exits 0
check "also in JSON" json_is equal true
run diff "$work/a" "$m"
check "a model and a manifest exit 5" exits 5
run diff "$work/a" "$data"
check "a data file exits 5" exits 5
run diff "$work/a" "$work/none"
check "a missing file exits 1" exits 1
check "and is named" err_has "$work/none: cannot be read"
printf '\377\377\377\377\377\377\377\177' >"$work/bad"
run diff "$work/bad" "$work/bad"
check "a damaged model exits 5" exits 5

# Options from a file.
config() {
    printf '%s' "$1" >"$work/config.json"
    run train "$data" -o "$work/c" --progress none --json - --config "$work/config.json"
}
config '{"epochs": 3, "optimizer": "sgd:lr=0.5", "batch": "full", "l2": 0.25, "no-bias": true, "bias": false}'
check "a file of options exits 0" exits 0
check "passes are from it" json_is epochs 3
check "and the batch" json_is steps 3
check "and the rest" grep -q '"bias":"0".*"l2":"0.25".*"lr":"0.5"' "$work/c"
printf '{"train": "%s", "epochs": 1}' "$data" >"$work/config.json"
run train -o "$work/c" --config "$work/config.json" --progress none
check "the data may be in it" exits 0
for wrong in '{"epoch": 3}|did you mean "epochs"?' '{"epochs": "x"}|expected an integer of at least 1' \
    '{"epochs": [3]}|"epochs": expected a text or a number' '{"no-bias": 1}|"no-bias": expected true or false' \
    '{"config": "x"}|there is no option "config"' '[1]|expected a JSON object of options' \
    '{"format": "x"}|a file of another format'; do
    config "${wrong%%|*}"
    check "${wrong%%|*} is refused" [ $(((code - 2) * (code - 5))) -eq 0 ]
    check "with ${wrong##*|}" err_has "${wrong##*|}"
done
config '{"epochs": 3,'
check "half a file exits 5" exits 5
check "with its place" err_has "config.json:1:"
run train "$data" -o "$work/c" --config "$work/none"
check "a missing file of options exits 1" exits 1

# The log.
run train "$data" -o "$work/c" --epochs 3 --batch 100 --hold-out 0.1 --log "$work/log.jsonl" --progress none
check "a run with a log exits 0" exits 0
check "it has a line for each pass" lines_are "$work/log.jsonl" 3
check "each with all values" all_lines_match "$work/log.jsonl" \
    '^\{"epoch":[1-3],"step":[0-9]+,"rows":[0-9]+,"seconds":[0-9.e-]+,"loss":0\.[0-9]+,"valid_loss":0\.[0-9]+,"lr":0\.[0-9]+,"rows_per_second":[0-9.]+\}$'
run train "$data" -o "$work/c" --epochs 3 --batch 100 --log "$work/log.csv" --log-every 1 --progress none
check "as CSV it has a heading and a line for each step" lines_are "$work/log.csv" 13
check "the loss of the first pass is that so far" grep -qE '^0,1,100,[0-9.e-]+,0\.69314[0-9]*,,0\.1,' "$work/log.csv"
run train "$data" -o "$work/c" --epochs 9 --batch 100 --checkpoint "$work/k" --checkpoint-every 10 --progress none
run train "$data" -o "$work/c" --epochs 9 --batch 100 --checkpoint "$work/k" --resume --log "$work/log.csv" --progress none
check "a run that goes on has the passes of before" lines_are "$work/log.csv" 10
run train "$data" -o "$work/c" --log-every 3
check "--log-every without --log exits 2" exits 2
run train "$data" --dry-run --log "$work/log.csv"
check "--dry-run with --log exits 2" exits 2
run train "$data" -o "$work/c" --epochs 1 --log /dev/full --progress none
check "a log on a full disk exits 1" exits 1
finish
