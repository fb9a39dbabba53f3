#!/bin/sh
# test_prove.sh BUILD: a few cases of each part of tools/dev/prove, and that its report shows a
# sum that differs.
build=$1
here=$(dirname "$0")
SPARCL=$build/sparcl
. "$here/../cli/checks.sh"
export SPARCL_PROVE_CASES=
prove() {
    code=0
    "$here/../../tools/dev/prove" "$@" --build "$build" --out "$work/prove" >"$work/out" 2>"$work/err" || code=$?
}

prove sums --on "pocl pocl-1-thread" --tunings "default 6" --operations "spmm rows" --runs 2 --repeat 3 --every 240
check "sums: all cases pass" exits 0
prove sums --on pocl --tunings 6 --operations "rows sum" --runs 1 --every 20
check "sums: all cases of two other operations pass" exits 0
prove simulator --on oclgrind --tunings 6 --operations "spmm rows" --every 800
check "simulator: nothing is found" exits 0
prove cases
check "cases: without a folder they are skipped" exits 0
check "cases: that is reported" out_has "skipped: no matrices"
prove cases --cases "$here/../cli" --on "pocl pocl-1-thread" --tunings default --runs 2 -n 1,3
check "cases: all pass" exits 0
prove report
check "report: repeats are runs" out_has "| pocl | 6 default | spmm+rows | 240 | 6 |"
check "report: operations and their combinations are distinguished" out_has "| pocl | 6 | rows+sum | 20 | 1 |"
check "report: all sums are equal" [ "$(grep -c ': 0 differ' "$work/out")" = 2 ]
check "report: none is shown to differ" out_lacks DIFFERENT

# One digit of a sum.
sums=$(find "$work/prove" -name 'sums.pocl.6.*.sums' | head -n 1)
awk -F '\t' -v OFS='\t' 'NR == 1 { $3 = ($3 ~ /^0/ ? "1" : "0") substr($3, 2) } { print }' "$sums" >"$work/changed"
cp "$work/changed" "$sums"
prove report
check "report: a sum that differs is shown, with its case" out_has DIFFERENT

prove sums --evry 3
check "options: an unknown one is refused" exits 2
finish
