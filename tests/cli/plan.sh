#!/bin/sh
# sparcl plan: the format of a matrix for a device, which is measured once.
. "$(dirname "$0")/checks.sh"
need_device

# Sparse: 400 rows of 5 entries in 3000 columns.
awk 'BEGIN {
    s = 12345
    for (i = 0; i < 400; i++) {
        line = 1; column = 1
        for (k = 0; k < 5; k++) { s = (s * 1103 + 12345) % 65536; column += 1 + s % 500; line = line " " column ":1.5" }
        print line
    }
}' >"$work/sparse.svm"
# Full: 60 rows with every one of 100 columns.
awk 'BEGIN { for (i = 0; i < 60; i++) { line = 1; for (c = 1; c <= 100; c++) line = line " " c ":2"; print line } }' \
    >"$work/full.svm"

SPARCL_CACHE_DIR="$work/own" run plan "$work/sparse.svm"
check "plan exits 0" exits 0
check "it reports that the device was measured" err_has "was measured in"
check "its first line is the format" grep -qxE 'csr|csc|coo|dense|rows' "$work/out"
for format in dense csr csc coo rows; do
    check "$format has its line" grep -qE "^$format +[0-9.]+ [KMG]?i?B +[0-9.e+-]+ " "$work/out"
done
cp "$work/out" "$work/first"
SPARCL_CACHE_DIR="$work/own" run plan "$work/sparse.svm"
check "a second time it is not measured again" err_lacks "was measured in"
check "and the output is the same" same "$work/first" "$work/out"
SPARCL_CACHE_DIR="$work/own" run plan "$work/sparse.svm" -n 3 --transposed --json
check "--transposed exits 0" exits 0
check "it is for the transpose" json_is product '"At*B"'
check "and for the requested columns" json_is n 3
for key in choice rows cols nnz used_rows used_cols device calibration_seconds; do
    check "the JSON has the key $key" grep -q "^  \"$key\": " "$work/out"
done
check "without a measurement it is null" grep -q '"measured_seconds": null' "$work/out"

SPARCL_CACHE_DIR="$work/own" run plan "$work/sparse.svm" --check --json
check "--check exits 0" exits 0
check "all formats were measured" [ "$(grep -cE '"measured_seconds": [0-9]' "$work/out")" -eq 5 ]
check "it has the error of the predictions" grep -qE '^  "worst_ratio": [0-9.]+' "$work/out"
check "and the ratio of the choice" grep -qE '^  "choice_ratio": [0-9.]+' "$work/out"
SPARCL_CACHE_DIR="$work/own" run plan "$work/full.svm" --transposed --check
check "--check prints a sentence" out_has "predicted and measured times differ by a factor of at most"

if command -v python3 >/dev/null; then
    mkdir "$work/cases"
    cp "$(dirname "$0")/integers.npz" "$work/cases"
    code=0
    SPARCL_CACHE_DIR="$work/own" "$(dirname "$0")/../../tools/dev/check-plans" --cases "$work/cases" -n 1,4 \
        --build "$(dirname "$SPARCL")" >"$work/out" 2>"$work/err" || code=$?
    check "check-plans: one line per plan" [ "$(grep -c '^integers ' "$work/out")" -eq 4 ]
    check "check-plans: the number of good predictions" out_has "4 plans; predicted within 2 times of what was measured"
    if grep -qE 'measured \(<\): 4,.*fastest \(!\): 4,' "$work/out"; then
        check "check-plans exits 0: all are" exits 0
    else
        check "check-plans exits 1: not all are" exits 1
    fi
fi

printf '1 2:1\n' >"$work/one.svm"
SPARCL_CACHE_DIR="$work/own" run plan "$work/one.svm" --columns 2000000000 -n 1
check "a format that does not fit is reported" grep -qE '^(dense|rows) .*does not fit|^dense ' "$work/out"
run plan "$work/no.svm"
check "a missing file exits 1" exits 1
run plan "$work/one.svm" -n 0
check "0 columns are an invalid command line" exits 2
finish
