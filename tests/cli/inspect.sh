#!/bin/sh
# sparcl inspect: the properties of files, and refused files.
. "$(dirname "$0")/checks.sh"

printf '%s\n' '+1 1:0.5 3:2' '-1 2:1' '# a remark' '-1' '+1 1:1 2:1 3:1 7:-1' >"$work/good.svm"
run inspect "$work/good.svm" --json
check "a good file exits 0" exits 0
check "and nothing on standard error" err_is_empty
check "format" json_is format '"svmlight"'
check "rows" json_is rows 4
check "cols" json_is cols 7
check "nnz" json_is nnz 7
check "density" json_is density 0.25
check "row_nnz_min" json_is row_nnz_min 0
check "row_nnz_max" json_is row_nnz_max 4
check "sorted" json_is sorted true
check "duplicates" json_is duplicates 0
check "nan_values" json_is nan_values 0
check "inf_values" json_is inf_values 0
check "index_base" json_is index_base 1
check "labels: -1" grep -qx '    "-1": 2,' "$work/out"
check "labels: 1" grep -qx '    "1": 2' "$work/out"
for key in format rows cols nnz density row_nnz_min row_nnz_median row_nnz_max sorted duplicates \
    nan_values inf_values index_base labels; do
    check "the key $key is there" grep -q "^  \"$key\": " "$work/out"
    "$SPARCL" inspect --help >"$work/help"
    check "the key $key is in the help" grep -q "^  $key " "$work/help"
done
run inspect "$work/good.svm"
check "as a table: exits 0" exits 0
check "as a table: rows" grep -qE '^rows +4$' "$work/out"
check "as a table: labels" out_has "2 different: -1 (2), 1 (2)"
check "what the file does not have is left out" [ "$(grep -cE '^(fields|users|query rows|weights|duplicates) ' "$work/out")" = 0 ]
run inspect "$work/good.svm" --strict
check "--strict accepts a good file" exits 0

gzip -c "$work/good.svm" >"$work/good.svm.gz"
run inspect "$work/good.svm.gz" --json
check "gzip is decompressed" json_is nnz 7
code=0
"$SPARCL" inspect - --json <"$work/good.svm" >"$work/out" 2>"$work/err" || code=$?
check "- is standard input" json_is rows 4

run inspect "$work/good.svm" --columns 10 --json
check "--columns sets the width" json_is cols 10
run inspect "$work/good.svm" --columns 5
check "a file wider than --columns exits 5" exits 5
check "and the position is printed" err_has "good.svm:5:"
run inspect "$work/good.svm" --index-base 0 --json
check "--index-base 0 is used" json_is index_base 0
check "and makes it a column wider" json_is cols 8

printf '%s\n' '1 1:1 2:1' '0 3:1 2:1 2:4' >"$work/disorder.svm"
run inspect "$work/disorder.svm" --json
check "disorder is repaired: exit 0" exits 0
check "sorted is false" json_is sorted false
check "duplicates are counted" json_is duplicates 1
check "the repair is reported" err_has "1 duplicate index was added"
run inspect "$work/disorder.svm" --strict --json
check "--strict exits 5 on disorder" exits 5
check "the description is still printed" json_is duplicates 1
check "the position is printed" err_has "disorder.svm:2:"

printf '%s\n' '1 1:1' '0 2:nan' '0 1:inf' >"$work/wild.svm"
run inspect "$work/wild.svm" --json
check "nan and inf are counted: exit 0" exits 0
check "nan_values counts" json_is nan_values 1
check "inf_values counts" json_is inf_values 1
run inspect "$work/wild.svm" --strict
check "--strict exits 5 on nan" exits 5
check "and names line and column" err_has "wild.svm:2:5: expected a finite value, found nan or inf"

printf '1,2 1:1\n3 2:1\n' >"$work/multi.svm"
run inspect "$work/multi.svm"
check "several labels in a row exit 5" exits 5
run inspect "$work/multi.svm" --multilabel --json
check "--multilabel accepts them" exits 0
check "and counts each" grep -qx '    "2": 1,' "$work/out"

# Other formats.
printf '%s\n' '1 0:1:0.5 3:2:1' >"$work/fields.ffm"
run inspect "$work/fields.ffm" --json
check "libFFM text: its format" json_is format '"libffm"'
check "and its fields" json_is fields 4
printf '%s\n' "1 2 'tag |f a b:2" '-1 |f c' >"$work/names.vw"
run inspect "$work/names.vw" --json --hash-bits 12 --strict
check "Vowpal Wabbit text: exits 0" exits 0
check "its format" json_is format '"vw"'
check "its bits" json_is hash_bits 12
check "its width" json_is cols 4096
check "its weights" json_is weights true
printf '%s\n' '| 0 4' | sed 's/^/1 /' >"$work/shared.vw"
run inspect "$work/shared.vw" --json --hash-bits 2
check "columns with two names are counted" json_is shared_columns 1
check "and reported" err_has "1 of 2^2 columns has more than one name"
printf '%s\n' '1 3 5' >"$work/bare.txt"
run inspect "$work/bare.txt"
check "indices without values exit 5" exits 5
run inspect "$work/bare.txt" --format indices --json
check "--format indices accepts them" json_is nnz 2
printf '%s\n' 'source,target' '7,900' '900,35' >"$work/graph.csv"
run inspect "$work/graph.csv" --format edges --compact-ids --symmetric --save-ids "$work/map" --json
check "edges: nodes" json_is rows 3
check "both directions" json_is nnz 4
check "the heading is reported" err_has "the first line was taken for a heading"
check "--save-ids writes the map" [ "$(tr '\t\n' ' ;' <"$work/map")" = 'node 7;node 35;node 900;' ]
run inspect "$work/graph.csv" --format edges --id-map "$work/map" --json
check "--id-map reads it" json_is cols 3
run inspect "$work/good.svm" --save-ids "$work/map2"
check "--save-ids without ids exits 2" exits 2
check "and says how to have some" err_has "use --compact-ids, or --format ratings"
run inspect "$work/good.svm" --symmetric
check "--symmetric for LIBSVM text exits 5" exits 5
printf '%s\n' 'userId,movieId,rating' '1,31,2.5' '2,31,4' >"$work/ratings.csv"
run inspect "$work/ratings.csv" --json
check "ratings: users" json_is users 2
check "items" json_is items 1
check "a row for each" json_is rows 2
printf '%s\n' 'city,y,age' 'Paris,1,30' ',0,20' 'Rome,1,x' >"$work/people.csv"
run inspect "$work/people.csv" --json
check "CSV: its format" json_is format '"csv"'
check "missing values" json_is missing_values 1
check "what the columns are is reported" err_has "its label is the column y, other columns: 2 hashed"
printf '%s\n' ',age,y' '0,NA,1' '1,20,0' >"$work/pandas.csv"
run inspect "$work/pandas.csv"
check "a table of pandas is read" grep -qE '^rows +2$' "$work/out"
check "what was skipped is reported" err_has "other columns: 1 numeric, 1 without a name, skipped"
check "and the options that settle it" err_has "--csv-heading no"
check "as a table the kinds of its columns" grep -qE '^age +numeric$' "$work/out"
check "and missing values" grep -qE '^missing values +1$' "$work/out"
seq -s, 1 60 | sed 's/[0-9]*/c&/g; s/$/,y/' >"$work/wide.csv"
for row in 0 1; do seq -s, 1 60 | sed "s/\$/,$row/"; done >>"$work/wide.csv"
run inspect "$work/wide.csv"
check "of many columns the first 50" [ "$(grep -cE '^c[0-9]+ +numeric$' "$work/out")" = 50 ]
check "and a count of the others" grep -qE '^\.\.\. +11 more: --save-columns FILE has all *$' "$work/out"
run inspect "$work/pandas.csv"
check "missing values name their column" err_has "1 missing value (empty, NA, nan, null, ?) is no entry: of column age 1"
printf '%s\n' '1,0.5,0.3' '0,0.8,0.1' >"$work/bare.csv"
run inspect "$work/bare.csv"
check "a table without a heading is read" grep -qE '^rows +2$' "$work/out"
check "which is reported with the options that settle it" err_has "read as CSV without a heading (--csv-heading yes"
printf '%s\n' 'a,b,y' '1,2,0' '3,4' >"$work/ragged.csv"
run inspect "$work/ragged.csv"
check "a ragged table exits 5" exits 5
check "and is named with its line" err_has "ragged.csv:3:3: expected 3 fields as in the heading, found 2: the table is ragged"
printf '%s\n' 'y,label' '*,dictionary' >"$work/columns"
run inspect "$work/people.csv" --json --csv-columns "$work/columns" --save-columns "$work/saved"
check "--csv-columns is read" json_is cols 5
check "--save-columns writes the words" [ "$(tr '\n' ';' <"$work/saved")" = \
    'y,label;city,dictionary,Paris,Rome;age,dictionary,30,20,x;' ]
printf '%s\n' 'age;city' '20;Rome' >"$work/other.csv"
run inspect "$work/other.csv" --json --csv-columns "$work/saved" --csv-delimiter semicolon --csv-heading yes
check "another file has the same columns" json_is cols 5
run inspect "$work/good.svm" --save-columns "$work/saved"
check "--save-columns without CSV exits 2" exits 2
check "and says what to do" err_has "use --format csv"
run inspect "$work/good.svm" --csv-columns "$work/columns"
check "--csv-columns for LIBSVM text exits 5" exits 5

refused() { # refused WHAT LINE CONTENT
    printf '%b' "$3" >"$work/bad.svm"
    run inspect "$work/bad.svm"
    check "$1: exits 5" exits 5
    check "$1: the line is named" err_has "bad.svm:$2"
    check "$1: nothing on standard output" out_is_empty
}
refused "a word for a value" 2 '1 1:1\n1 1:x\n'
refused "a label that is no number" 1 'yes 1:1\n'
refused "a negative index" 1 '1 -1:1\n'
refused "a number outside the range of float32" 1 '1 1:1e999\n'
refused "an index above 2^63 - 1" 1 '1 9223372036854775808:1\n'
refused "a NUL byte" 1 '1 1:1\0\n'
: >"$work/empty.svm"
run inspect "$work/empty.svm"
check "an empty file exits 5" exits 5

code=0
head -c 268435456 /dev/zero | tr '\0' ' ' | "$SPARCL" inspect - >"$work/out" 2>"$work/err" || code=$?
check "a line of 256 MiB exits 5" exits 5
check "and says what is expected" err_has "expected a line end within 268435456 bytes"

run inspect "$work/no-such-file"
check "a missing file exits 1" exits 1
check "and is named" err_has "no-such-file"
check "and how to fix it" err_has "to fix it: check the name of the file and its permissions"
run inspect "$work/good.svm" --hash-bits 40
check "too many bits name the option and its range" err_has "hash_bits (--hash-bits) is 40, expected 0 to 31"
finish
