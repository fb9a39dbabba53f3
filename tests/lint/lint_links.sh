#!/bin/sh
# In Markdown files each relative link leads to a file, and each path of ours in backticks exists.
. "$(dirname "$0")/lint.sh"

pages=$(find . \( -name .git -o -path ./build -o -path ./out -o -path ./docs/progress \) -prune -o -name '*.md' -print | sort)

# Lines outside of fenced code; there, text is an example.
prose() { awk '/^ *```/ {fenced = !fenced; next} !fenced' "$1"; }

# The targets of [text](target) and ![text](target), without #section; not those of other sites.
links() { prose "$1" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\(//; s/\)$//; s/#.*//' | grep -vE '^([a-z]+:.*|)$'; }

# Words in backticks that begin with a folder of ours and are one plain path.
# shellcheck disable=SC2016 # no commands
paths() {
    prose "$1" | grep -oE '`[^`]+`' | tr -d '`' |
        grep -E '^(\.ci|\.github|bindings|cl|docs|examples|include|src|tests|tools)/[A-Za-z0-9_./-]*$' |
        grep -vE '[/_]x\.[a-z]+$' # docs/adding-an-operation.md: the operation x
}

# A source package is without examples/data.
is_there() {
    [ -e "$1" ] && return
    case $1 in *examples/data/*) [ ! -e examples/data ] ;; *) false ;; esac
}

found=0
for page in $pages; do
    folder=${page%/*}
    for link in $(links "$page"); do
        found=$((found + 1))
        is_there "$folder/$link" || finding "$page: the link $link leads to no file"
    done
    case $page in ./CHANGELOG.md | ./docs/results/*-proof.md) continue ;; esac # of what was at its time
    for path in $(paths "$page"); do
        found=$((found + 1))
        is_there "$path" || finding "$page: there is no $path"
    done
done
[ "$found" -gt 50 ] || finding "only $found links and paths were found: the search is broken"

# Sections that are linked to exist: a heading in lower case, spaces as hyphens, other signs left out.
for page in $pages; do
    folder=${page%/*}
    for link in $(prose "$page" | grep -oE '\]\([^) :]*#[^) ]+\)' | sed -E 's/^\]\(//; s/\)$//'); do
        target=$page
        [ -z "${link%%#*}" ] || target=$folder/${link%%#*}
        sed -nE 's/^#+ +//p' "$target" 2>/dev/null | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g' |
            grep -qxF "${link#*#}" || finding "$page: there is no section $link"
    done
done
finish
