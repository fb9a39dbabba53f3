#!/bin/sh
# Titles above the heading of a table are skipped by every command that reads one.
. "$(dirname "$0")/checks.sh"
need_device

awk 'BEGIN { print "city,size,target"
    for (i = 0; i < 60; i++) print (i % 3 ? "Rome" : "Oslo") "," i % 7 "," (i % 3 == 0) }' >"$work/plain.csv"
{ printf 'Sales report 2024\n\nof all cities\n' && cat "$work/plain.csv"; } >"$work/title.csv"
gzip -c "$work/title.csv" >"$work/title.csv.gz"
note="the first 3 lines are titles above the heading, which are skipped"

run train "$work/plain.csv" -o "$work/plain"
run train "$work/title.csv" -o "$work/model"
check "a table with a title is trained" exits 0
check "with a note that counts the lines" err_has "title.csv: $note (--csv-heading yes: the first one is the heading; --csv-heading no: a row)"
run train "$work/title.csv" --stream --epochs 2 -o "$work/streamed"
check "also as a stream" err_has "$note"
run predict "$work/plain" "$work/plain.csv" --proba
cp "$work/out" "$work/expected"
run predict "$work/model" "$work/title.csv" --proba
check "the model is that of the table" same "$work/expected" "$work/out"
check "predict says what it skips" err_has "$note"
run predict "$work/plain" "$work/title.csv.gz" --proba
check "compressed text is read so" same "$work/expected" "$work/out"
"$SPARCL" predict "$work/plain" - --proba <"$work/title.csv" >"$work/piped" 2>"$work/err"
check "and a pipe" same "$work/expected" "$work/piped"
check "with its note" grep -qF -- "$note" "$work/err"
run eval "$work/model" "$work/title.csv"
check "eval reads it" out_has "accuracy                        1"
run convert "$work/title.csv" "$work/title.svm"
run convert "$work/plain.csv" "$work/plain.svm"
check "convert, too" same "$work/plain.svm" "$work/title.svm"
run split "$work/title.csv" --fraction 0.5 -o "$work/a.csv" "$work/b.csv"
check "split writes the title to each part" [ "$(head -n 4 "$work/b.csv" | tr '\n' ';')" = 'Sales report 2024;;of all cities;city,size,target;' ]
run inspect "$work/b.csv" --json
check "which is read again" json_is rows 30

run validate "$work/title.csv"
check "validate finds nothing" exits 0
echo 'Bergen,4' >>"$work/title.csv"
run train "$work/title.csv" -o "$work/none"
check "a ragged row exits 5" exits 5
check "and is named with its line" err_has "title.csv:65:8: expected 3 fields as in the heading, found 2: the table is ragged"
run validate "$work/title.csv" --fix "$work/fixed.csv"
check "--fix leaves it out, and no title" [ "$(wc -l <"$work/fixed.csv")" = 64 ]
run inspect "$work/fixed.csv" --csv-heading no
check "--csv-heading no: the first line is a row" err_has "fixed.csv:4:6: expected 1 fields as in the first line"
finish
