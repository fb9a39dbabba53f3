#!/bin/sh
# sparcl convert: the binary form, text, and what is refused.
. "$(dirname "$0")/checks.sh"

printf '%s\n' '+1 1:0.5 3:2' '-1 2:1' '+1 7:-1e-30' >"$work/a.svm"
run convert "$work/a.svm" "$work/a.sparcl"
check "the binary form is written: exit 0" exits 0
check "and nothing is printed" out_is_empty
run inspect "$work/a.sparcl" --json
check "and read" exits 0
check "format" json_is format '"sparcl"'
check "rows" json_is rows 3
check "cols" json_is cols 7
check "index_base" json_is index_base 1
run convert "$work/a.sparcl" "$work/b.svm" --to svmlight
check "text is written: exit 0" exits 0
check "with the same numbers" [ "$(tr '\n' ';' <"$work/b.svm")" = '1 1:0.5 3:2;-1 2:1;1 7:-1e-30;' ]
printf '%s\n' '1 0:1:0.5 3:2:1' >"$work/f.ffm"
run convert "$work/f.ffm" "$work/g.ffm" --to libffm
check "libFFM text is written" cmp -s "$work/f.ffm" "$work/g.ffm"
run convert "$work/f.ffm" "$work/h.svm" --to svmlight
check "fields are not lost silently" exits 2
check "and the remedy is named" err_has "use libffm"
check "and nothing is written" [ ! -e "$work/h.svm" ]
printf '%s\n' '1 3:2 1:0.5' '0 2:1 2:0.5' >"$work/u.svm"
run inspect "$work/u.svm" --strict
check "a file that needs repair exits 5 with --strict" exits 5
run convert "$work/u.svm" "$work/v.svm" --to svmlight
check "and is written repaired" [ "$(tr '\n' ';' <"$work/v.svm")" = '1 1:0.5 3:2;0 2:1.5;' ]
run inspect "$work/v.svm" --strict
check "which needs no repair" exits 0
printf '%s\n' '1,31,2.5' '2,31,4' >"$work/r.csv"
run convert "$work/r.csv" "$work/r.sparcl" --format ratings
check "ratings are converted" exits 0
run inspect "$work/r.sparcl" --json --save-ids "$work/map"
check "with their users" json_is users 2
check "and their ids" grep -qx 'item	31' "$work/map"
run convert "$work/a.svm" "$work/a.mtx" --to mtx
check "labels are not lost silently" exits 2
check "and the remedy is named" err_has "--labels-to"
check "and nothing is written" [ ! -e "$work/a.mtx" ]
run convert "$work/a.svm" "$work/a.mtx" --to mtx --labels-to "$work/y.npy"
check "Matrix Market is written, and the labels" exits 0
run convert "$work/a.mtx" "$work/c.svm" --to svmlight --labels "$work/y.npy"
check "and both read back as the same" cmp -s "$work/b.svm" "$work/c.svm"
run convert "$work/a.svm" "$work/a.npz" --to npz
check "a SciPy archive is written" exits 0
run convert "$work/a.npz" "$work/d.svm" --to svmlight --labels "$work/a.npz:labels"
check "and reads back with its labels" cmp -s "$work/b.svm" "$work/d.svm"
run convert "$work/a.mtx" "$work/e.npz" --to npz --labels-to "$work/none.npy"
check "labels that are not there cannot be written" exits 2
check "and nothing is written then" [ ! -e "$work/e.npz" ]
last=$(($(wc -c <"$work/a.sparcl") - 1))
printf 'x' | dd of="$work/a.sparcl" bs=1 seek="$last" conv=notrunc 2>/dev/null
run inspect "$work/a.sparcl"
check "a changed byte exits 5" exits 5
check "and says what is damaged" err_has "found another checksum than its own"
run convert "$work/a.svm" "$work/nowhere/a.sparcl"
check "a folder that is not there exits 1" exits 1
# ---- the index base
printf '%s\n' '1 0:1 3:1' '0 1:1 2:1' >"$work/zero.svm"
for format in svmlight sparcl; do
    run convert "$work/zero.svm" "$work/copy.$format" --to $format
    run convert "$work/copy.$format" "$work/copy.svm" --to svmlight
    check "$format: text from 0 stays so" cmp -s "$work/zero.svm" "$work/copy.svm"
done
printf '%s\n' '1 1:1' '0 2:1' >"$work/part.svm"
run convert "$work/part.svm" "$work/copy.svm" --to svmlight --index-base 0
check "also without an index 0" cmp -s "$work/part.svm" "$work/copy.svm"
check "which is reported with the remedy" err_has "no index in it is 0: read it with --index-base 0"
run convert "$work/zero.svm" "$work/zero.npz" --to npz
run convert "$work/zero.npz" "$work/copy.svm" --to svmlight --labels "$work/zero.npz:labels"
check "arrays have no base: text of them counts from 1" [ "$(tr '\n' ';' <"$work/copy.svm")" = '1 1:1 4:1;0 2:1 3:1;' ]
printf '%s\n' '1 qid:7 1:1' '0 2:1' >"$work/query.svm"
run convert "$work/query.svm" "$work/copy.svm" --to svmlight
check "the loss of qid is reported" err_has "1 row has a qid, which is neither used nor written"
run inspect "$work/query.svm"
check "inspect counts rows with a qid" grep -qE '^query rows  *1$' "$work/out"
printf '%s\n' '1 1:16777217 2:0.1' >"$work/digits.svm"
run convert "$work/digits.svm" "$work/copy.svm" --to svmlight
check "rounded numbers are reported" err_has "its values are numbers with more digits, the model is float32: 1 of 2 was rounded"
run convert "$work/copy.svm" "$work/copy2.svm" --to svmlight
check "and only once" err_is_empty

# ---- text formats

for to in vw csv; do
    run convert "$work/a.svm" "$work/a.$to" --to $to
    check "--to $to exits 0" exits 0
    run inspect "$work/a.$to" --json
    check "which is read" exits 0
done
run convert "$work/a.svm" "$work/a.edges" --to edges
check "edges have no labels" exits 2
check "which it says" err_has "edges files have no labels, which the data has"
printf 'y,a,b\n1,x,2\n0,z,0\n1,x,3\n' >"$work/t.csv"
run convert "$work/t.csv" "$work/t.ffm" --to libffm --hash-bits 4
check "a column of CSV is a field" exits 0
check "of each entry" grep -qE '^1 0:[0-9]+:1 1:[0-9]+:2$' "$work/t.ffm"
check "which does not say what the columns of the table were" err_has "how its columns were made of those of the table"
run inspect "$work/t.csv" --save-columns "$work/t.columns"
run convert "$work/t.csv" "$work/t.ffm" --to libffm --csv-columns "$work/t.columns"
check "nor with a description, which has it" err_lacks "how its columns were made"
printf '1 |a x |b y\n-1 |a z |b y\n' >"$work/t.vw"
run convert "$work/t.vw" "$work/t.sparcl" --cross a,b
check "crosses of namespaces are not in the binary form" err_has "it does not say what is crossed"
run convert "$work/t.csv" -o "$work/o.sparcl"
check "-o OUT is OUT: exit 0" exits 0
run convert "$work/t.csv" "$work/p.sparcl"
check "with the same bytes" cmp -s "$work/o.sparcl" "$work/p.sparcl"
run convert "$work/t.csv" "$work/q.sparcl" -o "$work/q.svm"
check "both are refused" err_has "OUT and -o are both given, expected one"
check "and nothing is written" [ ! -e "$work/q.sparcl" ]
run convert "$work/t.csv"
check "neither exits 2" exits 2
check "with what is missing" err_has "expected OUT, or -o OUT"
finish
