#!/bin/sh
# file_faults.sh LAYER: each call for a file of the tool's commands fails once, and with all after it: the message has the cause, each
# output is the old file or the complete new one, and no other file is left. Reads and writes that are short or interrupted change
# nothing. SPARCL_TEST_EVERY=N: one call in N. $SPARCL is the tool; with "device" as the second argument, its commands that need one.
. "$(dirname "$0")/../cli/checks.sh"
layer=$1 kind=${2-host} hows='once forever short interrupted' checks=stdout every=${SPARCL_TEST_EVERY:-1} begin=0
d=$work/d keep=$work/keep
mkdir "$keep"

# attempt COMMAND...: in a fresh folder, with the outputs of before.
attempt() {
    rm -rf "$d" "$work/log"
    cp -r "$keep" "$d"
    code=0
    LD_PRELOAD=$preload FAULT_FOLDER=$d FAULT_LOG=$work/log FAULT_AT=$at FAULT_HOW=$how \
        "$SPARCL" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}
# The causes of what failed, and what the tool says where memory is short.
names_cause() {
    sed 's/^[a-z]*: //' "$work/log" | sort -u >"$work/causes"
    grep -qFf "$work/causes" "$work/err" || { grep -q '^mmap' "$work/log" && [ "$code" -eq 6 ]; }
}
is_old_or_new() { cmp -s "$d/$1" "$keep/$1" || cmp -s "$d/$1" "$work/ref/$1"; }

# judge: what went wrong; empty for nothing.
judge() {
    [ -z "$(find "$d" -name '*.tmp')" ] || echo "a temporary file is left"
    case $how in short | interrupted) [ "$code" -eq 0 ] || echo "exit $code" ;; esac
    case $code in
    0) ;;
    1 | 5 | 6) names_cause || echo "exit $code without the cause" ;;
    *) echo "exit $code" ;;
    esac
    for file in $outputs; do
        if [ "$code" -eq 0 ]; then
            cmp -s "$d/$file" "$work/ref/$file" || echo "$file is wrong"
        else
            is_old_or_new "$file" || echo "$file is neither the old nor the new file"
        fi
    done
    [ "$code" -ne 0 ] || [ -z "$checks" ] || cmp -s "$work/out" "$work/ref.out" || echo "standard output is wrong"
}

# try OUTPUTS COMMAND...
total=0
try() {
    outputs=$1
    shift
    for file in $outputs; do echo old >"$keep/$file"; done
    preload='' at=0 how=once
    attempt "$@"
    check "$1: without a fault" exits 0
    rm -rf "$work/ref" && cp -r "$d" "$work/ref" && cp "$work/out" "$work/ref.out"
    preload=$layer bad=0 count=0
    for how in $hows; do
        begin=$((begin % every + 1)) # another one each time
        for at in $(seq $begin "$every" 400); do
            attempt "$@"
            [ -s "$work/log" ] || break
            count=$((count + 1)) wrong=$(judge)
            [ -z "$wrong" ] && continue
            bad=$((bad + 1))
            [ $bad -gt 3 ] || check "$*: $how, call $at ($(head -1 "$work/log")): $wrong" false
        done
    done
    total=$((total + count))
    check "$1: $count calls failed" [ $((count * every)) -gt 5 ]
    check "$1: $bad were handled badly" [ $bad -eq 0 ]
    for file in $outputs; do rm "$keep/$file"; done
}

awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 2, i % 7 + 1 ":1", i % 11 + 9 ":0.5" }' >"$keep/a.svm"
gzip -c "$keep/a.svm" >"$keep/a.svm.gz"
printf 'label,x,y\n1,2,a\n0,3,b\n1,4,a\n' >"$keep/a.csv"
printf '1,2,3\n2,2,4\n' >"$keep/r.csv"
for form in npz:npz mtx:mtx sparcl:sparcl npy:npy; do
    "$SPARCL" convert "$keep/a.svm" "$keep/a.${form%:*}" --to "${form#*:}" --labels-to "$keep/labels.npy" 2>/dev/null
done
"$SPARCL" inspect "$keep/a.csv" --save-columns "$keep/columns" >/dev/null 2>&1
"$SPARCL" inspect "$keep/r.csv" --format ratings --save-ids "$keep/ids" >/dev/null 2>&1

if [ "$kind" = host ]; then
    try o convert "$d/a.svm" "$d/o"
    try o convert "$d/a.svm.gz" "$d/o" --to svmlight
    try o convert "$d/a.sparcl" "$d/o" --to svmlight
    try 'o l' convert "$d/a.npz" "$d/o" --labels "$d/a.npz:labels" --to mtx --labels-to "$d/l"
    try o convert "$d/a.mtx" "$d/o" --labels "$d/labels.npy" --weights "$d/labels.npy"
    try o convert "$d/a.npy" "$d/o" --to npz --labels "$d/labels.npy"
    try o convert "$d/a.csv" "$d/o" --csv-columns "$d/columns"
    try o convert "$d/r.csv" "$d/o" --format ratings --id-map "$d/ids"
    try c inspect "$d/a.csv" --save-columns "$d/c"
    try i inspect "$d/r.csv" --format ratings --save-ids "$d/i"
    try o validate "$d/a.svm" --fix "$d/o"
    try 'r h' split "$d/a.svm.gz" --fraction 0.5 -o "$d/r" "$d/h" --to svmlight
    try o sample "$d/a.svm" -n 7 -o "$d/o" --to svmlight
fi
if [ "$kind" = device ]; then
    need_device
    "$SPARCL" train "$keep/a.svm" --loss logistic --epochs 1 --progress none -o "$keep/m" --manifest "$keep/run.json" --log "$keep/log.json" >/dev/null
    hows='once forever'
    try o report "$d/run.json" "$d/log.json" -o "$d/o"
    try '' diff "$d/m" "$d/m"
    try '' diff "$d/run.json" "$d/run.json"
    # A cache that cannot be read or written never is an error.
    export SPARCL_CACHE_DIR="$d/cache"
    mkdir -m 700 "$keep/cache" && SPARCL_CACHE_DIR=$keep/cache "$SPARCL" predict "$keep/m" "$keep/a.svm" >"$work/out"
    try o predict "$d/m" "$d/a.svm" -o "$d/o"
    hows=once
    checks='' # the result has seconds
    try 'm s' train "$d/a.svm" --loss logistic --epochs 2 --batch 512 -o "$d/m" --progress none --svg "$d/s" --log "$d/l" --json "$d/j" \
        --manifest "$d/r" --tensorboard "$d/t" --checkpoint "$d/c" --checkpoint-every 3
fi
check "$total calls failed in all" [ $((total * every)) -gt 50 ]
finish
