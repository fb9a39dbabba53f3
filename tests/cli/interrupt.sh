#!/bin/sh
# Interrupts: SIGTERM is one, a second one ends immediately, and predict leaves no incomplete file.
. "$(dirname "$0")/checks.sh"
need_device

printf '%s\n' '1 1:1' '-1 2:1' '1 3:1' >"$work/data.svm"
begin train "$work/data.svm" -o "$work/m" --epochs 100000000 --batch 1
kill -TERM $child
end
check "SIGTERM exits 9" exits 9
check "and is reported once" [ "$(grep -c interrupted "$work/err")" -eq 1 ]
check "and writes no model" no_file "$work/m"

# The process is stopped while both signals are sent, so that no step can end between them.
begin train "$work/data.svm" -o "$work/m" --epochs 100000000 --batch 1
kill -STOP $child
kill -INT $child
kill -TERM $child
kill -CONT $child
end
check "two interrupts exit 9" exits 9
check "and write no model" no_file "$work/m"

run train "$work/data.svm" -o "$work/model" --epochs 1 --progress none
awk 'BEGIN { for (i = 0; i < 600000; i++) print "1 1:" i }' >"$work/many.svm"
mkdir "$work/lines"
"$SPARCL" predict "$work/model" "$work/many.svm" -o "$work/lines/file" >"$work/out" 2>"$work/err" &
child=$!
while kill -0 $child 2>/dev/null && [ -z "$(ls "$work/lines")" ]; do :; done
kill -STOP $child 2>/dev/null
kill -INT $child 2>/dev/null
kill -CONT $child 2>/dev/null
end
check "an interrupted predict exits 9" exits 9
check "and names the file that was not written" err_has "lines/file was not written"
check "and leaves nothing" [ -z "$(ls "$work/lines")" ]
finish
