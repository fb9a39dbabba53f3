#!/bin/sh
# The live line of a terminal: it is there while anything takes long, and goes away before other output.
. "$(dirname "$0")/checks.sh"
need_device
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "skipped: the command script, which makes a terminal, is not installed"
    exit 77
fi
two_classes 200 >"$work/data.svm"
mkdir "$work/cold"

# terminal COMMAND: on a terminal of 100 columns; $work/out is all that was written, $work/screen what is seen at the end.
terminal() {
    code=0
    script -qec "stty cols 100; TERM=xterm $1" /dev/null >"$work/out" 2>&1 || code=$?
    seen "$work/out" >"$work/screen"
}
# What a terminal makes of carriage returns and of erasing to the end of the line.
seen() {
    awk 'BEGIN { RS = "\n" } {
        line = ""; at = 0
        gsub(/\033\[[0-9]*m/, "")
        while (length($0) > 0) {
            if (match($0, /^\r/)) { at = 0; $0 = substr($0, 2) }
            else if (match($0, /^\033\[K/)) { line = substr(line, 1, at); $0 = substr($0, 4) }
            else {
                match($0, /^[^\r\033]+/)
                if (RLENGTH < 1) RLENGTH = 1
                line = substr(line, 1, at) substr($0, 1, RLENGTH) substr(line, at + RLENGTH + 1)
                at += RLENGTH; $0 = substr($0, RLENGTH + 1)
            }
        }
        print line
    }' "$1"
}
# shellcheck disable=SC2317 # called by check
screen_lacks() { ! grep -q -- "$1" "$work/screen"; }
# shellcheck disable=SC2317
screen_has() { grep -q -- "$1" "$work/screen"; }
tool="'$SPARCL'"
cold="SPARCL_CACHE_DIR= POCL_CACHE_DIR='$work/cold'"

# Kernels that are built.
terminal "$cold $tool train '$work/data.svm' --epochs 2 -o '$work/m'" </dev/null
check "a first training is successful" exits 0
check "it says that kernels are built" out_has "building kernels, once per device: 1, "
check "which goes away" screen_lacks "building kernels"
check "and the progress stays" screen_has "^100%.*pass 2/2"
rm -rf "$work/cold"
mkdir "$work/cold"
sh -c "$cold $tool eval '$work/m' '$work/data.svm'" >"$work/out" 2>"$work/err"
check "without a terminal there is no line" err_is_empty
rm -rf "$work/cold"
mkdir "$work/cold"
terminal "$cold $tool eval '$work/m' '$work/data.svm' -q" </dev/null
check "nor with -q" out_lacks "building"
check "but the result" screen_has "^accuracy"

# Files that are read: from a pipe that is slow.
slowly() { # slowly PIPE: a row, and another a second later
    { head -n 100 "$work/data.svm"; sleep 1.5; tail -n 100 "$work/data.svm"; } >"$1"
}
mkfifo "$work/pipe"
slowly "$work/pipe" &
terminal "$tool inspect '$work/pipe'" </dev/null
check "it says what is read, and for how long" grep -q "reading .*pipe.*, 1 s" "$work/out"
check "which goes away" screen_lacks "reading"
check "before the result" screen_has "^rows  *200"
slowly "$work/pipe" &
terminal "$tool predict '$work/m' '$work/pipe'" </dev/null
check "predictions are printed below each other" [ "$(grep -cE '^-?1	0\.[0-9]+' "$work/screen")" -eq 200 ]
check "and no line is left" screen_lacks "predicting"
slowly "$work/pipe" &
terminal "$tool inspect '$work/pipe' --columns 2" </dev/null
check "an error is alone on its line" screen_has "^sparcl: .*expected an index up to 2"
check "and no line is left" screen_lacks "reading"
slowly "$work/pipe" &
terminal "NO_COLOR=1 $tool inspect '$work/pipe'" </dev/null
check "with NO_COLOR it has no color" no_line_matches "$work/out" "$(printf '\033\\[2m')"
check "but is there" out_has "reading"
slowly "$work/pipe" &
terminal "TERM=dumb $tool inspect '$work/pipe'" </dev/null
check "a terminal that cannot go back has none" out_lacks "reading"

terminal "$tool convert '$work/data.svm' -" </dev/null
check "binary data do not go to a terminal" exits 2
check "which says what does" screen_has "use --to svmlight"
terminal "$tool convert '$work/data.svm' - --to svmlight" </dev/null
check "text does" [ "$(wc -l <"$work/screen")" -eq 200 ]
mkfifo "$work/unsorted"
printf '%s\n' '1 2:1 1:1' '1 1:1' >"$work/unsorted" &
run inspect "$work/unsorted" --strict
check "a pipe is not read again" err_has "unsorted"

# Ctrl-C, which the terminal sends.
interrupt_after() { # interrupt_after SECONDS COMMAND
    began=$(date +%s%N)
    { sleep "$1"; printf '\003'; sleep 2; } | terminal "$2"
    seconds=$((($(date +%s%N) - began) / 1000000000))
}
sleep 6 >"$work/pipe" &
interrupt_after 1 "$tool inspect '$work/pipe'"
check "Ctrl-C ends reading" screen_has "^sparcl: interrupted"
check "within two seconds" [ $seconds -lt 4 ]
check "and no line is left" screen_lacks "reading"
rm -rf "$work/cold"
mkdir "$work/cold"
interrupt_after 1 "$cold $tool eval '$work/m' '$work/data.svm'"
check "Ctrl-C ends the building of kernels" screen_has "^sparcl: interrupted"
check "within two seconds" [ $seconds -lt 4 ]
check "and no line is left" screen_lacks "building"
finish
