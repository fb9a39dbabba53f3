#!/bin/sh
# lint_tiers.sh [--write | --experimental] LIBRARY...: the functions that the libraries export are those that the headers
# declare, and stable.txt lists those of the stable tier, at most 350: none gets into it, or out of it, without a change
# of the list (--write writes it). A program that uses an experimental function (--experimental prints them) compiles
# with SPARCL_EXPERIMENTAL only.
. "$(dirname "$0")/lint.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# declared MARK: the functions whose declaration begins with it.
declared() {
    for header in include/sparcl/*.h include/sparcl/ops/*.h; do without_comments "$header"; done |
        tr -s '\n ' '  ' | tr ';' '\n' | sed -nE "s/.*\b$1 [^(]*\b(sparcl_[a-z0-9_]+)\(.*/\1/p" | sort -u
}
declared SPARCL_API >"$work/stable"
declared SPARCL_EXPERIMENTAL_API >"$work/experimental"
case ${1-} in
--write) cp "$work/stable" tests/lint/stable.txt && exit ;;
--experimental) cat "$work/experimental" && exit ;;
esac
[ -s "$work/experimental" ] || finding "no header has experimental functions"
diff tests/lint/stable.txt "$work/stable" >"$work/diff" ||
    finding "tests/lint/stable.txt (<) is not what the headers declare (>); tests/lint/lint_tiers.sh --write writes it: $(grep '^[<>]' "$work/diff" | tr '\n' ' ')"
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
