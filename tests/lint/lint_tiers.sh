#!/bin/sh
# lint_tiers.sh [--write] LIBRARY...: the functions that the libraries export are those that the headers declare, and
# stable.txt and experimental.txt list them: no function gets into a tier, or out of it, without a change of its list.
# The stable tier has at most 350. A program that uses an experimental function compiles with SPARCL_EXPERIMENTAL only.
. "$(dirname "$0")/lint.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
lists=tests/lint
[ "${1-}" = --write ] && lists=$work && shift && write=yes

# declared MARK: the functions whose declaration begins with it.
declared() {
    for header in include/sparcl/*.h include/sparcl/ops/*.h; do without_comments "$header"; done |
        tr -s '\n ' '  ' | tr ';' '\n' | sed -nE "s/.*\b$1 [^(]*\b(sparcl_[a-z0-9_]+)\(.*/\1/p" | sort -u
}
declared SPARCL_API >"$work/stable"
declared SPARCL_EXPERIMENTAL_API >"$work/experimental"
if [ "${write-}" = yes ]; then
    cp "$work/stable" tests/lint/stable.txt
    cp "$work/experimental" tests/lint/experimental.txt
    exit
fi
for tier in stable experimental; do
    [ -s "$work/$tier" ] || finding "no header has $tier functions"
    diff "$lists/$tier.txt" "$work/$tier" >"$work/diff" ||
        finding "$lists/$tier.txt (<) is not what the headers declare (>); tests/lint/lint_tiers.sh --write writes it: $(grep '^[<>]' "$work/diff" | tr '\n' ' ')"
done
[ "$(wc -l <"$work/stable")" -le 350 ] || finding "the stable tier has $(wc -l <"$work/stable") functions, at most 350"

sort "$work/stable" "$work/experimental" >"$work/all"
for library in "$@"; do nm -D --defined-only "$library"; done | awk '$3 ~ /^sparcl_/ {print $3}' | sort -u >"$work/exported"
if [ $# -gt 0 ]; then
    for name in $(comm -3 "$work/all" "$work/exported"); do
        finding "$name is declared or exported, not both"
    done
fi

# An experimental function in a program, with and without the macro.
echo '#include "sparcl/sparcl.h"
int main(void) { return sparcl_tune_count() > 0; }' >"$work/program.c"
compile() { "${CC:-cc}" -std=c99 -Iinclude -O1 -Wall -Werror -c -o "$work/program.o" "$@" "$work/program.c" 2>"$work/errors"; }
compile -DSPARCL_EXPERIMENTAL || finding "SPARCL_EXPERIMENTAL: $(cat "$work/errors")"
compile && finding "an experimental function compiles without SPARCL_EXPERIMENTAL"
grep -q 'it is experimental: define SPARCL_EXPERIMENTAL' "$work/errors" || finding "the compiler does not say why: $(cat "$work/errors")"
finish
