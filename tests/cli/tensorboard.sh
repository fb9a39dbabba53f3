#!/bin/sh
# sparcl train --tensorboard: the event file has the numbers of the log, and is as TensorBoard reads it. $READ_EVENTS checks its sums and fields.
. "$(dirname "$0")/checks.sh"
need_device

awk 'BEGIN { for (i = 0; i < 400; i++) print (i % 3 ? 1 : -1) " " i % 7 + 1 ":1 " i % 11 + 8 ":0.5" }' >"$work/data.svm"
data=$work/data.svm folder=$work/events
# train OPTIONS...: four passes of ten steps
train() { run train "$data" -o "$work/model" --optimizer adam --batch 32 --epochs 4 --hold-out 0.2 --progress none "$@"; }
read_events() { # read_events FOLDER: its newest file, into $work/events.txt
    # shellcheck disable=SC2012 # our names have no line feeds
    file=$folder/$(ls "$folder" | tail -n 1)
    read_code=0
    "$READ_EVENTS" "$file" >"$work/events.txt" 2>"$work/err" || read_code=$?
    [ "$read_code" -eq 0 ]
}
# has_columns CSV: the events have the numbers of the log, in float32, and no others but metrics
# shellcheck disable=SC2317 # called by name
has_columns() {
    awk -F, 'NR == 1 {split($0, name, ","); next}
        {for (i = 5; i <= 8; i++) if ($i != "") print $2, name[i], $i}' "$1" | sort >"$work/expected"
    grep -vE '^version|session|_accuracy|_auc' "$work/events.txt" | sort >"$work/found"
    [ "$(wc -l <"$work/found")" -eq "$(wc -l <"$work/expected")" ] && paste "$work/expected" "$work/found" |
        awk '{d = $3 - $6; if (d < 0) d = -d; if ($1 != $4 || $2 != $5 || d > 1e-6 * $3) exit 1}'
}

train --tensorboard "$folder" --log "$work/log.csv"
check "a run with events exits 0" exits 0
check "the folder has one file, which TensorBoard finds by its name" \
    [ "$(find "$folder" -name 'events.out.tfevents.*' | wc -l)" -eq 1 ]
check "its sums and fields are right" read_events
check "it begins with its version" [ "$(head -n 1 "$work/events.txt")" = "version brain.Event:2" ]
check "and a session" [ "$(sed -n 2p "$work/events.txt")" = "0 session 1" ]
check "it has the numbers of the log" has_columns "$work/log.csv"
check "of each pass" [ "$(grep -c ' loss ' "$work/events.txt")" -eq 4 ]
check "and the metrics of the model" grep -qE '^40 valid_accuracy 0\.[0-9]+$' "$work/events.txt"
cp "$file" "$work/good"
for byte in 3 9 40 90 200 -1; do
    size=$(wc -c <"$work/good")
    at=$((byte < 0 ? size + byte : byte))
    other=$(printf '\\0%03o' $((255 - $(od -An -tu1 -j $at -N 1 "$work/good"))))
    { head -c $at "$work/good" && printf '%b' "$other" && tail -c +$((at + 2)) "$work/good"; } >"$work/bad"
    check "a damaged byte $byte is found" [ "$("$READ_EVENTS" "$work/bad" >"$work/out" 2>&1 || echo bad)" = bad ]
done
head -c 150 "$work/good" >"$work/bad"
check "half a file is found" [ "$("$READ_EVENTS" "$work/bad" >"$work/out" 2>&1 || echo bad)" = bad ]

rm -rf "$folder"
train --tensorboard "$folder" --log "$work/log.csv" --log-every 3
check "--log-every exits 0" exits 0
check "the file is good" read_events
check "it has the numbers of the steps" has_columns "$work/log.csv"
check "of steps and passes" [ "$(grep -c ' lr ' "$work/events.txt")" -eq 16 ]
rm -rf "$folder"
train --tensorboard "$folder" --log-every 5
check "--log-every without --log exits 0" exits 0
check "and has steps" [ "$(read_events && grep -c ' lr ' "$work/events.txt")" -eq 8 ]

# Going on, manifests, sweeps.
rm -rf "$folder"
train --checkpoint "$work/k" --checkpoint-every 15
train --checkpoint "$work/k" --resume --tensorboard "$folder" --manifest "$work/run.json"
check "a run that goes on exits 0" exits 0
check "it has the passes of before" [ "$(read_events && grep -c ' loss ' "$work/events.txt")" -eq 4 ]
rm -rf "$folder"
run train --config "$work/run.json" -o "$work/model" --progress none
check "a run from the manifest exits 0" exits 0
check "and writes no events" no_file "$folder"
run sweep "$data" -o "$work/runs" --epochs 2 --tensorboard "$folder" --grid "lr=0.1,0.01" --progress none
check "a sweep exits 0" exits 0
check "and has a folder for each run" [ "$(find "$folder/lr=0.1" "$folder/lr=0.01" -name '*tfevents*' | wc -l)" -eq 2 ]
rm -rf "$folder"
run sweep "$data" -o "$work/runs" --epochs 2 --grid "lr=0.1,0.01" --progress none
check "without the option its runs are those that were done" no_file "$folder"
check "and it exits 0" exits 0

train --tensorboard "$work/some/new/folder/"
check "folders are made" [ "$(find "$work/some/new/folder" -name '*tfevents*' | wc -l)" -eq 1 ]

# What cannot be.
train --tensorboard "$data"
check "a file exits 1" exits 1
check "and is named" err_has "$data"
train --tensorboard "$data/there"
check "a folder in a file exits 1" exits 1
check "with the cause" err_has "--tensorboard: $data/there: cannot be written: Not a directory"
run train "$data" --dry-run --tensorboard "$folder"
check "--dry-run exits 2" exits 2
train --log-every 3
check "--log-every alone exits 2" exits 2
finish
