#!/bin/sh
# Manual pages are rendered without a warning, and their options are shown correctly.
. "$(dirname "$0")/checks.sh"

if ! man --version >/dev/null 2>&1; then # a minimized system has a script of this name
    echo "skipped: man is not installed"
    exit 77
fi
warnings() { { LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$1" >/dev/null; } 2>&1; }
# A page has no date, so that equal sources give equal bytes.
lint() { mandoc -T lint -W warning "$1" | grep -v 'missing date'; }

run help
for command in "" $(sed -nE '/^(Commands|Topics)/,/^$/s/^  ([a-z-]*) .*/\1/p' "$work/out"); do
    page=$work/sparcl${command:+-$command}.page
    # shellcheck disable=SC2086 # none where there is no command
    run help $command --man
    cp "$work/out" "$page"
    check "${page##*/} has no warning" [ -z "$(warnings "$page")" ]
    if command -v mandoc >/dev/null; then check "${page##*/} is clean for mandoc" [ -z "$(lint "$page")" ]; fi
    case $command in "" | *[!a-z]*) continue ;; esac
    run help "$command"
    grep -q '^Options:' "$work/out" || continue # a topic
    run "$command" --help
    sed -n '/^Options:/,/^$/s/^ *\(.*\)/\1/p' "$work/out" | sed -nE 's/^((-[a-zA-Z], )?--[a-z0-9-]+).*/\1/p' >"$work/options"
    LC_ALL=C.UTF-8 MANWIDTH=100 man -E UTF-8 -P cat -l "$page" >"$work/text" 2>"$work/err"
    while read -r option; do
        check "${page##*/} shows $option" grep -qE -- "^ +$option( |\$)" "$work/text"
    done <"$work/options"
done
finish
