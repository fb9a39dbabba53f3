#!/bin/sh
# sparcl doctor --full: every kernel and every case.
. "$(dirname "$0")/checks.sh"
need_device

run doctor --full --json
check "--full --json exits 0" exits 0
check "--full: every kernel is built" grep -qE '"text": "[0-9]+ programs built' "$work/out"
check "--full: dense products are checked" grep -q '"gflops": [0-9]' "$work/out"
check "--json: no kernel failed" grep -q '"failed": 0' "$work/out"
check "--json: no result is wrong" sh -c "! grep '\"wrong\": ' '$work/out' | grep -qv '\"wrong\": 0'"
for key in arithmetic fast_products bandwidth; do
    check "--json has the key $key" grep -q "^  \"$key\": " "$work/out"
done
"$SPARCL" doctor --help >"$work/out"
for key in arithmetic fast_products bandwidth; do
    check "the help has the key $key" grep -qE "^  $key " "$work/out"
done
finish
