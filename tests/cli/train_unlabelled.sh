#!/bin/sh
# Rows without a label: left out of training, validation and evaluation, in every format of text.
. "$(dirname "$0")/checks.sh"
need_device

# data FORMAT LABELLED: 60 rows, every third one without a label; all the same, but where LABELLED is 1 only the others.
data() {
    awk -v format="$1" -v only="$2" 'BEGIN {
        if (format == "csv") print "y,size,city"
        for (i = 0; i < 60; i++) {
            has = i % 3 != 1
            y = !has ? "" : (i * 7 % 10 > 4 ? "1" : "0")
            if (only && !has) continue
            a = i % 7 + 1; b = i * 7 % 10 + 8
            if (format == "csv") print y "," (has ? b : 17) "," (has ? "c" a : "nowhere")
            if (format == "svm") print y (has ? " " : "") a ":1 " b ":1"
            if (format == "ffm") print y (has ? " " : "") "0:" a ":1 1:" b ":1"
            if (format == "vw") print y (has ? " " : "") "|f a" a " b" b
        }
    }'
}
line_of() { [ "$1" = csv ] && echo 3 || echo 2; }
for format in csv svm ffm vw; do
    data $format 0 >"$work/some.$format"
    data $format 1 >"$work/all.$format"
    note="some.$format:$(line_of $format): 20 of 60 rows have no label and are left out; this line is the first"
    run train "$work/some.$format" -o "$work/some"
    check "$format: rows without a label are left out, and counted" err_has "$note"
    run train "$work/all.$format" -o "$work/all"
    check "$format: the model is that of the other rows" same_but_notes "$work/some" "$work/all"
    run train "$work/some.$format" -o "$work/some" --epochs 3 --stream
    check "$format: --stream leaves them out, too" err_has "$note"
    run train "$work/all.$format" -o "$work/all" --epochs 3 --stream
    check "$format: with the same model" same_but_notes "$work/some" "$work/all"
    run train "$work/some.$format" -o "$work/some" --hold-out 0.25 --json -
    check "$format: --hold-out splits the other rows" json_is valid_rows 10
    run train "$work/all.$format" -o "$work/all" --valid "$work/some.$format" --json -
    check "$format: --valid leaves them out" json_is valid_rows 40
    check "$format: and says it" err_has "$note"
    run eval "$work/all" "$work/some.$format" --json
    check "$format: so does eval" json_is rows 40
    check "$format: and says it, too" err_has "$note"
    cp "$work/out" "$work/metrics"
    run eval "$work/all" "$work/all.$format" --json
    check "$format: the metrics are those of the other rows" same "$work/out" "$work/metrics"
    run predict "$work/all" "$work/some.$format"
    check "$format: predict has all rows" lines_are "$work/out" 60
done
run split "$work/some.csv" --fraction 0.25 -o "$work/rest.csv" "$work/part.csv"
check "other commands leave them out, too" err_has "some.csv:3: 20 of 60 rows have no label and are left out"
check "of what they write" [ "$(cat "$work/part.csv" "$work/rest.csv" | grep -c '^[01],')" = 40 ]
check "completely" no_line_matches "$work/rest.csv" '^,'
run inspect "$work/some.svm" --json
check "inspect describes the others" json_is rows 40
printf '1 1:1\n2:1\n' | "$SPARCL" inspect - >"$work/out" 2>"$work/err"
check "standard input is not read twice" err_has "expected a label, as other rows have one, found none"
printf '%s\n' 'kind,size' 'cat,1' ',2' 'dog,3' 'cat,2' 'dog,4' >"$work/words.csv"
run train "$work/words.csv" --label kind -o "$work/words"
check "labels that are words" err_has "words.csv:3: 1 of 5 rows has no label and is left out"
run show "$work/words"
check "none of them is empty" out_has "2: 0 (cat), 1 (dog)"
printf '%s\n' '1:1' '2:1' >"$work/none.svm"
run train "$work/none.svm" -o "$work/none"
check "no label at all exits 5" exits 5
check "with what to do" err_has "none.svm: expected a label for each row, found none in 2 rows; write one at the beginning of each row"
check "and no model" no_file "$work/none"
run train "$work/none.svm" --model autoencoder:units=4,k=1 --epochs 1 -o "$work/none"
check "an autoencoder needs none" exits 0
finish
