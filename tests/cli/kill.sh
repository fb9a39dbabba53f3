#!/bin/sh
# Runs that are killed (SIGKILL) at 62 moments, drawn by a seed, and go on each time: the model has the SHA-256 of a
# run without an interruption.
. "$(dirname "$0")/checks.sh"
need_device
if [ ! -e "$EXAMPLE_DATA/a9a.gz" ]; then
    echo "skipped: no data sets in $EXAMPLE_DATA (a source package has none)"
    exit 77
fi
seed=20

# moment MS: sets $moment to seconds, up to MS milliseconds, by a generator of our own (Lehmer's).
moment() {
    seed=$((seed * 48271 % 2147483647))
    ms=$((seed % $1))
    moment=$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))
}
now() { echo $(($(date +%s%N) / 1000000)); }
sum() { sha256sum <"$1"; }

# killed TIMES OPTIONS...: a run with these options, killed TIMES times.
killed() {
    left=$1
    shift
    rm -f "$work"/run*
    run train "$@" -o "$work/whole" --progress none # builds the kernels
    check "$*: the run exits 0" exits 0
    start=$(now)
    run train "$@" -o "$work/whole" --progress none
    length=$(($(now) - start))
    went_on=0 hits=0
    while [ "$left" -gt 0 ]; do
        moment "$length"
        "$SPARCL" train "$@" -o "$work/part" --checkpoint "$work/run" --checkpoint-every 3 --resume --progress none \
            --json "$work/part.json" >"$work/out" 2>"$work/err" &
        child=$!
        sleep "$moment"
        kill -KILL $child 2>/dev/null
        code=0
        wait $child 2>/dev/null || code=$?
        if [ $code -eq 0 ]; then # it was faster: begin again
            check "the model of a run that went on" [ "$(sum "$work/whole")" = "$(sum "$work/part")" ]
            rm -f "$work"/run*
        else
            left=$((left - 1))
            hits=$((hits + 1))
            grep -q 'going on' "$work/err" && went_on=$((went_on + 1))
        fi
    done
    run train "$@" -o "$work/part" --checkpoint "$work/run" --checkpoint-every 3 --resume --progress none --json -
    check "after $hits kills, $went_on of runs that had gone on, the model is the same" \
        [ "$(sum "$work/whole")" = "$(sum "$work/part")" ]
    check "and no other files are left" [ "$(find "$work" -name 'run*' | wc -l)" -le 3 ]
}

heart=$EXAMPLE_DATA/heart_scale a9a=$EXAMPLE_DATA/a9a.gz
killed 14 "$heart" --model mlp:hidden=16,dropout=0.3 --optimizer adam --batch 8 --epochs 12
killed 9 "$heart" --optimizer momentum --l2 0.01 --batch 4 --epochs 10
killed 9 "$a9a" --optimizer adam --exact --batch 128 --epochs 2
killed 9 "$heart" --model fm:factors=4 --optimizer adagrad --batch 8 --epochs 10 \
    --parameter-optimizers 'weight=sgd:lr=0.1;bias=nadam'
killed 9 "$heart" --model mlp:hidden=8,dropout=0.5 --optimizer nadam --exact --batch 8 --epochs 12 --hold-out 0.2 \
    --patience 12
killed 6 "$a9a" --solver lbfgs --l2 1e-6
killed 6 "$a9a" --solver lbfgs --l2 1e-7 --l1 1e-5 --epochs 300
finish
