#!/bin/bash
# Completion in bash: calls the function that bash would call, with command lines as bash passes them.
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

run help --completion bash
check "help --completion bash exits 0" exits 0
cp "$work/out" "$work/sparcl.bash"
check "bash can read it" bash -n "$work/sparcl.bash"
# shellcheck source=/dev/null
. "$work/sparcl.bash"
check "it completes sparcl" [ "$(complete -p sparcl)" = "complete -F _sparcl sparcl" ]

# The real one may only be called by completion.
# shellcheck disable=SC2317
compopt() { requested="$*"; }
complete_line() { # complete_line WORD...: into $found, and $requested
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    requested=''
    COMPREPLY=()
    _sparcl
    found="${COMPREPLY[*]}"
    echo "$*: $found $requested" >"$work/out"
}
offers() { # offers "EXPECTED..." WORD...: only these, and no files
    local expected=$1
    shift
    complete_line "$@"
    check "$*: $expected" [ "$found" = "$expected" ]
    check "$*: no files" [ -z "$requested" ]
}
offers_files() {
    complete_line "$@"
    check "$*: files" [ "$found$requested" = "-o default" ]
}

offers "train" sparcl tr
offers "diff devices doctor" sparcl d
offers "--help --version" sparcl --
run help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/out")
for command in $commands; do
    complete_line sparcl "$command"
    check "the command $command is offered" [ "$found" = "$command" ]
    "$SPARCL" "$command" --help | sed -n '/^Options:/,/^$/p' | grep -oE -- '^ *(-[a-zA-Z], )?--[a-z0-9-]+' |
        grep -oE -- '--[a-z0-9-]+' | sort | tr '\n' ' ' >"$work/expected"
    complete_line sparcl "$command" --
    tr ' ' '\n' <<<"$found" | sort | tr '\n' ' ' >"$work/found"
    check "the options of $command are those of its help" same "$work/expected" "$work/found"
done
offers "--loss --log --log-every" sparcl train --lo
offers "logistic softmax squared poisson hinge" sparcl train --loss ""
offers "softmax squared" sparcl train x.svm --loss s
offers "softmax squared" sparcl train --loss = s
offers "logistic softmax squared poisson hinge" sparcl train --loss =
offers "momentum" sparcl bench step --optimizer m
offers "full" sparcl train --batch f
offers "" sparcl train --lr ""
offers "auto gpu cpu pocl" sparcl eval --device ""
offers "spmm-t spmm-t-rows" sparcl bench spmm-t
offers "sort.buckets sort.bucket_items" sparcl tune sort.bu
offers "devices device" sparcl help device
offers "bash" sparcl help --completion b
offers_files sparcl train ""
offers_files sparcl train --valid ""
offers_files sparcl train x.svm -o mod
offers_files sparcl eval model.safetensors = t
offers "" sparcl devices ""
offers "" sparcl nothing ""
finish
