# shellcheck shell=sh
# checks.sh: sourced by every test of this folder. $SPARCL is the tool to test.
# run ARGS...         runs the tool; $code, $work/out and $work/err are the results
# begin ARGS..., end  the same in the background: begin waits for its first step, end for its end
# check WHAT TEST...  prints whether the command TEST... succeeds; finish ends the test
set -u
: "${SPARCL:?set SPARCL to the path of the tool}"
unset SPARCL_DEVICE NO_COLOR COLUMNS
export LC_ALL=C
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export SPARCL_CACHE_DIR="${SPARCL_TEST_CACHE:-$work/cache}"
failures=0

run() {
    code=0
    "$SPARCL" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}

begin() { # begin ARGS...: in the background, until it has reported a step
    rm -f "$work/err"
    "$SPARCL" "$@" >"$work/out" 2>"$work/err" &
    child=$!
    while kill -0 "$child" 2>/dev/null && ! grep -qs examples/s "$work/err"; do
        sleep 0.1
    done
}
end() {
    code=0
    wait "$child" || code=$?
}

check() {
    what=$1
    shift
    if "$@"; then
        echo "ok      $what"
    else
        failures=$((failures + 1))
        echo "FAILED  $what"
        echo "  exit code ${code-none}, standard output and error:"
        head -n 20 "$work/out" "$work/err" | sed 's/^/  | /'
    fi
}

# two_classes ROWS: rows of two classes, which a hyperplane separates almost completely, as LIBSVM text.
two_classes() {
    awk -v rows="$1" 'BEGIN {
        s = 12345
        for (i = 0; i < rows; i++) {
            line = ""; sum = 0
            for (c = 1; c <= 30; c++) {
                s = (s * 1103 + 12345) % 65536
                if (s % 5 == 0) { v = (s % 9) / 4; line = line " " c ":" v; sum += c % 2 ? v : -v }
            }
            print (sum > 0 ? "+1" : "-1") line
        }
    }'
}

exits() { [ "$code" -eq "$1" ]; }
out_has() { grep -qF -- "$1" "$work/out"; }
err_has() { grep -qF -- "$1" "$work/err"; }
out_lacks() { ! out_has "$1"; }
err_lacks() { ! err_has "$1"; }
out_is_empty() { [ ! -s "$work/out" ]; }
err_is_empty() { [ ! -s "$work/err" ]; }
# The value of a key of the JSON object on standard output, which has one key per line.
json() { sed -n "s/^  \"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" "$work/out"; }
json_is() { [ "$(json "$1")" = "$2" ]; }
# A line of a table of names and values on standard output; both are expressions.
fact_is() { grep -qE "^$1 +$2\$" "$work/out"; }
has_file() { [ -s "$1" ]; }
no_file() { [ ! -e "$1" ]; }
same() { cmp -s "$1" "$2"; }
# Models whose settings and weights are the same, whatever their notes of the training say.
same_but_notes() { ! "$SPARCL" diff "$1" "$2" 2>&1 | grep -qvE '^(name|note\.)'; }
differ() { ! cmp -s "$1" "$2"; }
lines_are() { [ "$(wc -l <"$1")" -eq "$2" ]; }
no_line_matches() { ! grep -qE -- "$2" "$1"; }
all_lines_match() { ! grep -qvE -- "$2" "$1"; }

# Tests that compute need a device; without one they are skipped.
need_device() {
    run devices
    if [ "$code" -eq 3 ]; then
        echo "skipped: no OpenCL device"
        exit 77
    fi
}

finish() {
    [ "$failures" -eq 0 ] || echo "$failures checks failed"
    [ "$failures" -eq 0 ]
    exit
}
