#!/bin/sh
# Every program that the library can request is OpenCL C 1.2, under every build option: the prelude
# and the files of its stem, put together as src/program/build.c does it. No device is needed.
. "$(dirname "$0")/lint.sh"

compiler=clang
need $compiler
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The stems of the library: all texts "a" and "a+b" in the sources that name kernel files.
stems=$(find cl -name '*.cl' | sed 's,cl/,,; s,\.cl$,,' | sort)
is_stem() {
    for part in $(echo "$1" | tr + ' '); do
        echo "$stems" | grep -qx "$part" || return 1
    done
}
programs=$(for text in $(sources src | xargs grep -ohE '"[a-z0-9_]+(\+[a-z0-9_]+)*"' | tr -d '"' | sort -u); do
    is_stem "$text" && echo "$text"
done)
# A file that needs another before it is not a program of its own.
needs_others() { echo "$programs" | grep -qE "\+$1(\+|\$)"; }

for stem in $stems; do
    [ "$stem" = prelude ] && continue
    echo "$programs" | tr + '\n' | grep -qx "$stem" || finding "cl/$stem.cl: no source names it"
done

# One process of the compiler parses all files that it is given. Its driver starts one for each file, which takes five
# times as long, so the command of the driver is taken.
: >"$work/1.cl"
command=$(clang -### -x cl -cl-std=CL1.2 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function -Wno-unused-parameter \
    -Wno-unused-but-set-parameter -Wno-unknown-pragmas "$work/1.cl" 2>&1 | sed -n 's,"[^"]*/1\.cl"$,,p')

count=0
for program in $programs; do
    case $program in prelude | halves | half_states) continue ;; *+*) ;; *) needs_others "$program" && continue ;; esac
    {
        cat cl/prelude.cl
        printf '#if SPC_F16 || SPC_BF16 || SPC_STATES\n#include "%s/cl/halves.cl"\n#endif\n' "$PWD"
        printf '#if SPC_STATES\n#include "%s/cl/philox.cl"\n#include "%s/cl/half_states.cl"\n#endif\n' "$PWD" "$PWD"
        for part in $(echo "$program" | tr + ' '); do cat "cl/$part.cl"; done
    } >"$work/program.cl"
    rm -f "$work"/options_*
    for gpu in 0 1; do for f64 in 0 1; do for index in 0 1; do for variant in 0 1; do
        # 64-bit offsets and payloads go with one of the index types, each way once; groups of lanes are of 64, 128, 256.
        printf '#define %s %s\n' SPC_GPU $gpu SPC_F64 $f64 SPC_INDEX64 $index SPC_VARIANT $variant \
            SPC_OFFSET64 $((index ^ variant)) SPC_VALUE64 $((f64 ^ index)) SPC_OWN_DIVIDE $gpu SPC_HINTS $((1 - gpu)) \
            SPC_GROUP $((64 << (f64 + index))) >"$work/options_$gpu$f64$index$variant.cl"
        echo '#include "program.cl"' >>"$work/options_$gpu$f64$index$variant.cl"
        count=$((count + 1))
    done; done; done; done
    # Kernels that read values with READ_AT or GET also take those of 16 bits.
    # shellcheck disable=SC2046 # file names without spaces
    if grep -qE '\b(READ_AT|GET[0-9#]+)\(' $(echo "$program" | tr + '\n' | grep -v '^panel$' | sed 's,.*,cl/&.cl,'); then
        for gpu in 0 1; do for half in F16 BF16; do
            printf '#define %s %s\n' SPC_GPU $gpu SPC_$half 1 SPC_F64 0 SPC_INDEX64 0 SPC_VARIANT 0 \
                SPC_OFFSET64 0 SPC_VALUE64 0 SPC_HINTS $((1 - gpu)) SPC_GROUP 128 >"$work/options_$gpu$half.cl"
            echo '#include "program.cl"' >>"$work/options_$gpu$half.cl"
            count=$((count + 1))
        done; done
    fi
    # Steps, but not late ones, have states of 16 bits, which they round in two ways.
    case +$program+ in *+step_late+*) ;; *+step+*)
        for gpu in 0 1; do for states in 1 2; do for variant in 0 1; do
            printf '#define %s %s\n' SPC_GPU $gpu SPC_STATES $states SPC_F64 0 SPC_INDEX64 0 SPC_VARIANT $variant \
                SPC_OFFSET64 0 SPC_VALUE64 0 SPC_HINTS $((1 - gpu)) SPC_GROUP 128 >"$work/options_$gpu$states$variant.cl"
            echo '#include "program.cl"' >>"$work/options_$gpu$states$variant.cl"
            count=$((count + 1))
        done; done; done ;;
    esac
    # Programs that convert one element type to another: all pairs of types.
    if grep -q SPC_FROM "cl/${program##*+}.cl"; then
        for gpu in 0 1; do for from in 0 1 2 3 4 5 6; do for to in 0 1 2 3 4 5 6; do
            printf '#define %s %s\n' SPC_GPU $gpu SPC_FROM $from SPC_TO $to SPC_F64 $((from == 1 || to == 1)) \
                SPC_F16 $((from == 2 || to == 2)) SPC_INDEX64 0 SPC_VARIANT 0 SPC_OFFSET64 0 SPC_VALUE64 0 \
                SPC_HINTS $((1 - gpu)) SPC_GROUP 128 >"$work/options_$gpu$from$to.cl"
            echo '#include "program.cl"' >>"$work/options_$gpu$from$to.cl"
            count=$((count + 1))
        done; done; done
    fi
    if ! eval "$command" "$work/options_*" 2>"$work/log"; then
        finding "$program: with the options (GPU, F64, INDEX64, VARIANT) in the name of the file:"
        head -n 6 "$work/log"
    fi
done
echo "$count programs parsed"
[ "$count" -gt 0 ] || finding "no program was found"
finish
