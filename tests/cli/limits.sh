#!/bin/sh
# sparcl bench limits: the maximum memory throughput of the device.
. "$(dirname "$0")/checks.sh"
need_device

run bench limits
check "limits exits 0" exits 0
for traffic in read write copy triad gather update empty; do
    check "it has a line for $traffic" grep -q "^$traffic " "$work/out"
done

run bench limits --json
check "--json exits 0" exits 0
check "--json: each line is of limits" [ "$(grep -c '^{"op":"limits",' "$work/out")" -eq "$(wc -l <"$work/out")" ]
for key in case n bytes device median_s min_s p95_s repeat gbytes_per_s queued; do
    check "--json has the key $key in each line" [ "$(grep -c "\"$key\":" "$work/out")" -eq "$(wc -l <"$work/out")" ]
done
"$SPARCL" bench --help >"$work/help"
check "the help has the key bytes" grep -qE '^  bytes ' "$work/help"
check "an empty kernel with a wait" grep -q '"case":"empty".*"queued":false' "$work/out"
check "an empty kernel in a queue" grep -q '"case":"empty".*"queued":true' "$work/out"
check "rows of 2 KiB" grep -q '"case":"gather","n":512,' "$work/out"

# No throughput is infinite, and no time is 0.
check "no rate is 0 except that of the empty kernel" \
    [ "$(grep -v '"case":"empty"' "$work/out" | grep -c '"gbytes_per_s":0\.0[,}]')" -eq 0 ]
check "no time is 0" out_lacks '"median_s":0.0,'
finish
