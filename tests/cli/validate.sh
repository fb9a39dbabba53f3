#!/bin/sh
# sparcl validate: what is wrong with a file, and the file that --fix writes.
. "$(dirname "$0")/checks.sh"

printf '%s\n' '1 1:1 3:2' '-1 2:1' >"$work/good.svm"
run validate "$work/good.svm" --json
check "a good file exits 0" exits 0
check "without problems" json_is problems 0
check "its rows" json_is rows 2
check "and nothing on standard error" err_is_empty
printf '%s\n' '1 1:1 3:2 # kept' '1 x:1' '-1 3:1 1:2 3:1' 'yes 1:1' '0 1:nan' >"$work/bad.svm"
run validate "$work/bad.svm"
check "a bad file exits 5" exits 5
check "every problem has its place" err_has "bad.svm:2:3: expected index:value, found \"x:1\""
check "also the last" err_has "bad.svm:5:1: expected finite values in this row, found nan"
check "and the remedy is named" err_has "--fix OUT"
run validate "$work/bad.svm" --max 2 --json
check "--max: the others are counted" err_has "2 more problems are not shown"
check "all are in the number" json_is problems 4
check "bad rows" json_is bad_rows 2
check "rows with nan" json_is not_finite_rows 1
check "unsorted rows" json_is unsorted_rows 1
check "duplicates" json_is duplicates 1
run validate "$work/bad.svm" --fix "$work/fixed.svm"
check "--fix exits 0" exits 0
check "and says what it did" err_has "2 rows that cannot be read and 1 with nan or inf are left out, 0 without a label, 1 rows are sorted, 1 duplicates added"
check "good rows are as they were" [ "$(tr '\n' ';' <"$work/fixed.svm")" = '1 1:1 3:2 # kept;-1 1:2 3:2;' ]
run validate "$work/fixed.svm"
check "the fixed file is good" exits 0
printf '%s\n' '1 0:nan' '0 1:1' >"$work/zero.svm"
run validate "$work/zero.svm" --fix "$work/one.svm"
check "the only index 0 is not lost silently" err_has "read it with --index-base 0"
printf '%s\n' '1 0:nan' '0 0:1' >"$work/zero.svm"
run validate "$work/zero.svm" --fix "$work/one.svm"
check "and nothing is said where there is another" err_lacks "--index-base"
gzip -c "$work/bad.svm" >"$work/bad.svm.gz"
run validate "$work/bad.svm.gz" --fix "$work/again.svm"
check "a compressed file is fixed too" same "$work/fixed.svm" "$work/again.svm"
printf '\357\273\277user,item,rating\n1,2,3\n' >"$work/mark.csv"
run validate "$work/mark.csv" --fix "$work/plain.csv"
check "a byte order mark is reported" err_has "the byte order mark at its beginning was skipped"
check "and the heading" err_has "the first line was taken for a heading and skipped"
check "the fixed file has no mark" [ "$(head -1 "$work/plain.csv")" = 'user,item,rating' ]
iconv -f UTF-8 -t UTF-16 "$work/good.svm" >"$work/wide.svm"
run validate "$work/wide.svm"
check "UTF-16 exits 5" exits 5
check "and the remedy is named" err_has "write it as UTF-8: iconv -f UTF-16 -t UTF-8"
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '1 1 1' '2 1 1' >"$work/bad.mtx"
run validate "$work/bad.mtx"
check "another format exits 5 with its first problem" exits 5
check "which has its place" err_has "bad.mtx:3:1: "
run validate "$work/bad.mtx" --fix "$work/fixed.mtx"
check "it cannot be fixed" exits 5
check "and nothing is written" no_file "$work/fixed.mtx"
check "the problem is printed once" [ "$(grep -c 'bad.mtx:3:1: ' "$work/err")" -eq 1 ]
check "with what it means for the file" err_has "fixed.mtx is not written: $work/bad.mtx cannot be read to its end"
run validate "$work/bad.mtx" --fix "$work/fixed.mtx" --json
check "also with --json" [ "$(grep -c 'bad.mtx:3:1: ' "$work/err")" -eq 1 ]
awk 'BEGIN { for (i = 0; i < 30000; i++) print i % 2, 1 + i % 7 ":" i / 3 }' | gzip >"$work/whole.svm.gz"
head -c 60000 "$work/whole.svm.gz" >"$work/cut.svm.gz"
run validate "$work/cut.svm.gz" --fix "$work/cut.svm"
check "a truncated file exits 5" exits 5
check "and is not written" no_file "$work/cut.svm"
line=$(sed -n 's/.*cut.svm.gz:\([0-9]*\):.*found truncated gzip input.*/\1/p' "$work/err")
check "the rows before are counted" err_has "cut.svm.gz: $((line - 1)) rows before that can be read"
run validate "$work/cut.svm.gz" --json
check "as a result, too" json_is rows $((line - 1))
run validate "$work/not_there.svm" --fix "$work/fixed.mtx"
check "a file that is not there exits 1" exits 1
check "and is named" err_has "not_there.svm: cannot be opened"
printf '%s\n' '1 1:1' '2:1' '-1 1:nan' '1 x:1' '3:1 # none' '-1 2:1' >"$work/labels.svm"
run validate "$work/labels.svm" --json
check "rows without a label exit 5" exits 5
check "they are counted" json_is unlabelled_rows 2
check "beside what else is wrong" json_is problems 4
check "each has its line" out_has "labels.svm:5:1: expected a label, as other rows have one, found none"
run validate "$work/labels.svm" --fix "$work/labelled.svm"
check "--fix leaves them out" [ "$(tr '\n' ';' <"$work/labelled.svm")" = '1 1:1;-1 2:1;' ]
check "and says it" err_has "2 without a label"
printf '%s\n' 'size,name,kind' '1,"a' 'b",x' '2,c,' '3,d,y' 'NA,e,y' >"$work/labels.csv"
run validate "$work/labels.csv" --label kind --json --fix "$work/labelled.csv"
check "of CSV, too" json_is unlabelled_rows 1
check "at the line where the row begins" out_has "labels.csv:4:1: expected a label"
check "and rows of several lines stay" [ "$(tr '\n' ';' <"$work/labelled.csv")" = 'size,name,kind;1,"a;b",x;3,d,y;NA,e,y;' ]
printf '%s\n' '1:1' '2:1' >"$work/none.svm"
run validate "$work/none.svm"
check "a file without any label is good" exits 0
run validate "$work/good.svm" --fix "$work/nowhere/a.svm"
check "a folder that is not there exits 1" exits 1
finish
