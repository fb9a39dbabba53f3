#!/bin/sh
# Completion in zsh: an interactive zsh in its own terminal, with simulated keys.
. "$(dirname "$0")/checks.sh"

if ! command -v zsh >/dev/null; then
    echo "skipped: zsh is not installed"
    exit 77
fi
mkdir "$work/functions" "$work/folder"
: >"$work/folder/rows.svm"
run help --completion zsh
check "help --completion zsh exits 0" exits 0
cp "$work/out" "$work/functions/_sparcl"
check "zsh can read it" zsh -n "$work/functions/_sparcl"

# Types a line and a tab, and prints the resulting line and the listed completions.
cat >"$work/type.zsh" <<'END'
zmodload zsh/zpty
zpty -b shell env TERM=dumb COLUMNS=200 zsh -f -i
receive() { # until the terminal shows the text
    local part= all=
    repeat 600; do # at most half a minute
        if zpty -r -t shell part; then all+=$part; else sleep 0.05; fi
        [[ $all == *$1* ]] && break
    done
    print -r -- $all
}
zpty -w shell "cd $1/folder; fpath=($1/functions \$fpath); autoload -U compinit; compinit -u -d $1/dump
    LISTMAX=1000; PS1='> '; setopt noalwayslastprompt; bindkey '^Xq' end-now
    end-now() { print -r -- \"[[\$BUFFER]]\"; print READY-\$((1 + 1)); BUFFER=; zle accept-line }; zle -N end-now
    print BEGIN-\$((1 + 1))"
receive BEGIN-2 >/dev/null
zpty -w -n shell "$2"$'\t\t'
sleep 0.3
zpty -w -n shell $'\x18q'
receive READY-2
zpty -d shell
END
offers() { # offers "EXPECTED..." LINE: each of these is in the line or in the list
    timeout 3600 zsh -f "$work/type.zsh" "$work" "$2" >"$work/out" 2>"$work/err"
    code=$?
    for expected in $1; do
        check "$2: $expected" grep -qE -- "(^|[^a-z-])$expected([^a-z-]|\$)" "$work/out"
    done
}
offers "train" "sparcl tra"
offers "train sweep eval predict encode infer show inspect convert split sample diff report devices plan bench tune doctor version help" "sparcl "
offers "--help --version" "sparcl --"
offers "--loss --lr" "sparcl train --l"
offers "logistic softmax squared" "sparcl train --loss "
offers "sgd momentum adagrad adam nesterov adamw" "sparcl train x.svm --optimizer="
offers "rows.svm" "sparcl train ro"
offers "rows.svm" "sparcl train --valid r"
offers "spmm-t spmm-t-rows" "sparcl bench spmm-t"
offers "none rows.svm" "sparcl bench spmm --tuning "
offers "environment" "sparcl help env"
finish
