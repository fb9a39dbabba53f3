#!/bin/sh
# sparcl bench scale: how time and scratch memory grow.
. "$(dirname "$0")/checks.sh"
need_device

run bench scale --max 10000
check "scale exits 0" exits 0
check "each operation has a line" grep -q '^spmm-t ' "$work/out"
check "no more entries than --max" [ "$(awk 'NR > 1 && ($2 > 10000 || $3 > 10000)' "$work/out" | wc -l)" -eq 0 ]

run bench scale spmm-t -n 2 --max 100000 --json --svg "$work/plot.svg"
check "one operation: exit 0" exits 0
check "4 to 5 powers of ten of entries and of ids: 5 lines" [ "$(wc -l <"$work/out")" -eq 5 ]
for key in op case n entries ids device median_s min_s p95_s repeat ns_per_entry scratch_bytes scratch_bytes_per_entry; do
    check "--json has the key $key in each line" [ "$(grep -c "\"$key\":" "$work/out")" -eq 5 ]
done
"$SPARCL" bench --help >"$work/help"
for key in entries ids ns_per_entry scratch_bytes scratch_bytes_per_entry; do
    check "the help has the key $key" grep -qE "^  $key " "$work/help"
done
check "entries and ids grow" [ "$(sed 's/.*"entries":\([0-9]*\),"ids":\([0-9]*\).*/\1:\2/' "$work/out" | tr '\n' ' ')" = \
    "10000:1000 100000:10000 100000:1000 100000:10000 100000:100000 " ]
check "the plot is SVG" grep -q '^<svg xmlns="http://www.w3.org/2000/svg"' "$work/plot.svg"
check "the plot is complete" grep -q '^</svg>' "$work/plot.svg"
check "the plot has the operation" grep -q '>spmm-t</text>' "$work/plot.svg"
if command -v xmllint >/dev/null; then
    check "the plot is XML" xmllint --noout "$work/plot.svg"
fi

run bench scale spmm --max 10000 --svg "$work/no/such/folder.svg"
check "a plot that cannot be written: exit 1" exits 1
run bench scale spmn
check "what is not there: exit 2" exits 2
run bench scale -n 1,2
check "two widths: exit 2" exits 2
finish
