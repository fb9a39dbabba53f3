#!/bin/sh
# Completion in fish: the completions of command lines.
. "$(dirname "$0")/checks.sh"

if ! command -v fish >/dev/null; then
    echo "skipped: fish is not installed"
    exit 77
fi
mkdir "$work/home" "$work/folder"
: >"$work/folder/rows.svm"
run help --completion fish
check "help --completion fish exits 0" exits 0
cp "$work/out" "$work/sparcl.fish"
check "fish can read it" env HOME="$work/home" fish --no-config --no-execute "$work/sparcl.fish"

offers() { # offers "EXPECTED..." LINE: only these
    (cd "$work/folder" && HOME=$work/home fish --no-config -c "source $work/sparcl.fish; complete -C '$2'") >"$work/out" 2>"$work/err"
    code=$?
    cut -f1 "$work/out" | sort | tr '\n' ' ' | sed 's/ $//' >"$work/found"
    check "$2: $1" [ "$(cat "$work/found")" = "$1" ]
}
offers "train" "sparcl tr"
offers "bench convert devices diff doctor encode eval help infer inspect plan predict report sample show split sweep train tune validate version" "sparcl "
offers "--l1 --l2 --label --labels --log --log-every --loss --lr" "sparcl train --l"
offers "hinge logistic poisson softmax squared" "sparcl train --loss "
offers "--optimizer=adagrad --optimizer=adagrad_da" "sparcl train x.svm --optimizer=adag"
offers "rows.svm" "sparcl train "
offers "rows.svm" "sparcl train --valid r"
offers "spmm-t spmm-t-rows" "sparcl bench spmm-t"
offers "encode environment eval exit-codes" "sparcl help e"
offers "" "sparcl devices "
finish
