#!/bin/sh
# Checkpoints: signals write them, --resume goes on, other settings, other data and damaged files are refused, and a full
# disk destroys nothing.
. "$(dirname "$0")/checks.sh"
need_device

awk 'BEGIN { for (i = 0; i < 400; i++) print (i % 3 ? 1 : -1) " " i % 7 + 1 ":1 " i % 11 + 8 ":0.5" }' >"$work/data.svm"
# shellcheck disable=SC2086 # words
train() { run train "$work/data.svm" -o "$work/part" --batch 4 --optimizer adam --progress none "$@"; }
checkpoint=$work/c

train --epochs 30
cp "$work/part" "$work/whole"
train --epochs 30 --checkpoint "$checkpoint" --checkpoint-every 70 --resume --json -
check "a run with checkpoints exits 0" exits 0
check "it says that it begins" err_has "does not exist yet"
check "and resumed no step" json_is resumed_step 0
check "its model is the same" same "$work/whole" "$work/part"
check "there is a checkpoint" has_file "$checkpoint"
check "and the one before it" has_file "$checkpoint.previous"
train --epochs 30 --checkpoint "$checkpoint" --resume --json -
check "a run that is over goes on from its last checkpoint" json_is resumed_step 2940
check "with the same model" same "$work/whole" "$work/part"

# Columns of very different sizes, with which the end of a search is far away.
awk 'BEGIN { for (i = 1; i <= 2000; i++) { s = i % 2 ? 1 : -1; line = s
    for (j = 1; j <= 20; j++) line = line " " j ":" (i * (i + j * j) * 7919 % 1009 / 1009 - 0.5 + 0.1 * s) / 1.7 ^ j
    print line } }' >"$work/hard.svm"
steps='--batch 4 --optimizer adam --epochs 20000' lbfgs='--solver lbfgs --l2 0 --tolerance 0 --epochs 100000000'
for signal in INT TERM USR1 lbfgs-INT lbfgs-USR1; do
    rm -f "$checkpoint" "$checkpoint.previous" "$work/part"
    how=$steps data=$work/data.svm
    [ "${signal#lbfgs-}" = "$signal" ] || how=$lbfgs data=$work/hard.svm
    # shellcheck disable=SC2086 # words
    begin train "$data" -o "$work/part" $how --checkpoint "$checkpoint"
    kill -"${signal#lbfgs-}" $child
    end
    check "SIG$signal exits 9" exits 9
    check "and says where the checkpoint is" err_has "interrupted; no model was written, but the checkpoint $checkpoint"
    check "and how to go on" err_has "--resume"
    check "and writes the checkpoint" has_file "$checkpoint"
    check "and no model" no_file "$work/part"
    check "and no temporary file" no_file "$checkpoint".*.tmp
done

# Damaged files: a byte at the end, of the parameters or the checksum.
damage() { printf x | dd of="$checkpoint" bs=1 seek=$(($(wc -c <"$checkpoint") - 9)) conv=notrunc 2>/dev/null; }
rm -f "$checkpoint" "$checkpoint.previous"
train --epochs 30 --checkpoint "$checkpoint" --checkpoint-every 70
damage
train --epochs 30 --checkpoint "$checkpoint" --resume --json -
check "a damaged checkpoint is named" err_has "$checkpoint: the checkpoint is damaged"
check "the one before it is used" json_is resumed_step 2870
check "with the same model" same "$work/whole" "$work/part"
damage
: >"$checkpoint.previous"
train --epochs 30 --checkpoint "$checkpoint" --resume
check "two damaged checkpoints exit 5" exits 5
check "and name the file" err_has "$checkpoint: the checkpoint is damaged"
check "and how to begin again" err_has "remove it"

# Other settings and data.
rm -f "$checkpoint" "$checkpoint.previous"
train --epochs 30 --checkpoint "$checkpoint" --checkpoint-every 70
cp "$checkpoint" "$work/kept"
train --epochs 30 --checkpoint "$checkpoint" --resume --seed 4
check "another seed exits 2" exits 2
check "and says what was expected" err_has 'expected seed "4", found "0"'
sed '1s/1:1/1:2/' "$work/data.svm" >"$work/other" && mv "$work/other" "$work/data.svm"
train --epochs 30 --checkpoint "$checkpoint" --resume
check "other data exit 2" exits 2
check "and are named" err_has 'expected data "'
check "the checkpoint stays" same "$work/kept" "$checkpoint"

# L-BFGS.
search() { run train "$work/data.svm" -o "$work/part" --solver lbfgs --l2 0.0001 --progress none "$@"; }
rm -f "$checkpoint" "$checkpoint.previous"
search
cp "$work/part" "$work/whole"
search --checkpoint "$checkpoint" --checkpoint-every 3 --resume --max-hours 1e-12 --json -
check "a search ends at its limit of time" json_is ended_early true
check "after an iteration" json_is steps 1
search --checkpoint "$checkpoint" --checkpoint-every 3 --resume --json -
check "it goes on" json_is resumed_step 1
check "and says so" err_has "1 iterations were done"
check "and ends with the same model" same "$work/whole" "$work/part"
search --checkpoint "$checkpoint" --resume --l1 0.1
check "other settings exit 2" exits 2
check "and are named" err_has 'expected solver "lbfgs:l1=0.1,tolerance=1e-06", found "lbfgs:l1=0,tolerance=1e-06"'
train --checkpoint "$checkpoint" --resume
check "and so is another solver" err_has 'expected solver "steps", found "lbfgs:'

# A limit of time, and schedules.
rm -f "$checkpoint" "$checkpoint.previous"
train --epochs 1000000 --max-hours 0.00001 --checkpoint "$checkpoint" --json -
check "a run at its limit of time exits 0" exits 0
check "and says so" err_has "1e-05 hours are over: the model is that of step"
check "also in JSON" json_is ended_early true
check "with a model" has_file "$work/part"
check "and a checkpoint" has_file "$checkpoint"
train --epochs 2 --schedule cosine:warmup=10,end=0.1 --clip-norm 1 --clip-value 0.5
check "a schedule and clipping exit 0" exits 0
check "the model has the schedule" grep -q '"schedule":"cosine:warmup=10,end=0.1"' "$work/part"
check "and the clipping" grep -q 'clip_value=0.5,clip_norm=1' "$work/part"
train --epochs 2 --clip-global-norm 0.25
check "clipping of all gradients exits 0" exits 0
check "the model has it" grep -q '"clip_global_norm":"0.25"' "$work/part"
train --clip-global-norm 0
check "a limit of 0 exits 2" exits 2
check "and says what is expected" err_has "--clip-global-norm is 0, expected a number above 0"
search --clip-global-norm 1
check "L-BFGS with it exits 2" exits 2
check "and says why" err_has "a line search finds how long its steps are"
train --epochs 2 --schedule cosine:warm=10
check "an unknown key of a schedule exits 2" exits 2
check "and keys are named" err_has "--schedule: schedule: expected KEY=VALUE, with warmup"

# The command line.
train --resume
check "--resume without --checkpoint exits 2" exits 2
train --checkpoint "$checkpoint" --checkpoint-every 10x
check "another unit exits 2" exits 2
check "and the units are named" err_has "90s, 10m or 2h"
for every in 0 -1 0s 1e3 m ''; do
    train --checkpoint "$checkpoint" --checkpoint-every "$every"
    check "--checkpoint-every '$every' exits 2" exits 2
done
train --epochs 1 --checkpoint "$checkpoint" --checkpoint-every 0.5h --overwrite
check "half an hour is a time" exits 0

# What an earlier run has saved is not replaced by chance.
cp "$checkpoint" "$work/kept"
train --epochs 1 --checkpoint "$checkpoint"
check "a checkpoint that is there exits 2" exits 2
check "and is named, with both remedies" err_has "$checkpoint is there"
check "to go on" err_has "go on with it by --resume"
check "or to replace it" err_has "or replace it by --overwrite"
check "it stays" same "$work/kept" "$checkpoint"
mv "$checkpoint" "$checkpoint.previous"
train --epochs 1 --checkpoint "$checkpoint"
check "so does one that only FILE.previous has" err_has "$checkpoint.previous is there"
echo 'rows of somebody, who meant another file' >"$work/rows"
train --epochs 1 --checkpoint "$work/rows"
check "what is no checkpoint exits 5" exits 5
check "with the remedy first that loses nothing" err_has "use another file; to begin again, use --overwrite"
check "and stays" grep -q somebody "$work/rows"
train --epochs 1 --checkpoint "$checkpoint" --resume --overwrite
check "both together exit 2" exits 2
train --overwrite
check "--overwrite without --checkpoint exits 2" exits 2
train --epochs 2 --seed 5 --checkpoint "$checkpoint" --checkpoint-every 10 --overwrite --json -
check "--overwrite begins anew" json_is resumed_step 0
check "and replaces it" differ "$work/kept" "$checkpoint"
ln -s "$checkpoint" "$work/link"
train --epochs 2 --seed 5 --checkpoint "$work/link"
check "a link to a checkpoint is one" exits 2
train --epochs 3 --seed 5 --checkpoint "$work/link" --resume --json -
check "and is gone on with" json_is resumed_step 200
check "the link stays" [ -L "$work/link" ]
train --checkpoint "$work/no/folder"
check "a missing folder exits 1" exits 1

# A full disk: the limit of a file's size, 4 MiB, is less than that of a checkpoint, but enough for the model, and for PoCL, which
# writes the sources of programs that it has built before, too.
awk 'BEGIN { for (i = 0; i < 400; i++) print (i % 3 ? 1 : -1) " " i * 1500 + 1 ":1" }' >"$work/data.svm"
rm -f "$checkpoint" "$checkpoint.previous"
train --epochs 30 --checkpoint "$checkpoint" --checkpoint-every 70
cp "$checkpoint" "$work/kept"
mv "$work/part" "$work/whole"
(
    ulimit -f 8192 # of 512 bytes
    train --epochs 30 --checkpoint "$checkpoint" --checkpoint-every 70 --overwrite
    echo "$code" >"$work/code"
)
code=$(cat "$work/code")
check "a run without room for checkpoints exits 0" exits 0
check "and says why" err_has "cannot be written: File too large; the run goes on"
check "once" [ "$(grep -c 'too large' "$work/err")" -eq 1 ]
check "its model is the same" same "$work/whole" "$work/part"
check "the older checkpoint stays" same "$work/kept" "$checkpoint"
check "and no temporary file" no_file "$checkpoint".*.tmp
finish
