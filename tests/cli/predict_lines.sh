#!/bin/sh
# The lines of predict: probabilities, scores, the best classes, a threshold; TSV, CSV and JSON.
. "$(dirname "$0")/checks.sh"
need_device

two_classes 60 >"$work/two.svm"
awk 'BEGIN { for (i = 0; i < 90; i++) print i % 3 - 1 " " i % 3 + 1 ":" 1 + i % 2 " 4:" (i * 7) % 5 }' >"$work/three.svm"
run train "$work/two.svm" --epochs 3 -o "$work/two"
run train "$work/three.svm" --loss softmax --epochs 3 -o "$work/three"
run train "$work/two.svm" --loss squared --epochs 1 -o "$work/squared"
run train "$work/two.svm" --loss hinge --epochs 1 -o "$work/hinge"

# sums FIRST LAST: whether the fields of each line from FIRST to LAST have the sum 1.
# shellcheck disable=SC2317 # called by check
sums() { awk -v a="$1" -v b="$2" '{ s = 0; for (i = a; i <= b; i++) s += $i; if (s < 0.999999 || s > 1.000001) exit 1 }' "$work/out"; }
# largest LABEL FIRST LAST: whether the label is that of the largest field.
# shellcheck disable=SC2317
largest() { awk -v a="$1" -v b="$2" '{ m = a; for (i = a; i <= b; i++) if ($i > $m) m = i; if ($1 != m - a - 1) exit 1 }' "$work/out"; }
# shellcheck disable=SC2317
descends() { awk '$2 < $4 { exit 1 }' "$work/out"; }

run predict "$work/three" "$work/three.svm"
cut -f 1 "$work/out" >"$work/labels"
run predict "$work/three" "$work/three.svm" --proba
check "--proba: a line has the label and each class" awk 'NF != 4 { exit 1 }' "$work/out"
check "with the sum 1" sums 2 4
check "the label is that of the largest" largest 2 4
cut -f 1 "$work/out" >"$work/found"
check "and the same as without" cmp -s "$work/labels" "$work/found"
run predict "$work/three" "$work/three.svm" --scores --to csv
check "--to csv has a heading, --scores a score for each output" sh -c "head -n 1 '$work/out' | grep -qx 'label,probability,score_-1,score_0,score_1'"
check "and a line for each row" lines_are "$work/out" 91
run predict "$work/three" "$work/three.svm" --top 2
check "--top: the first is the label" sh -c "cut -f 1 '$work/out' | cmp -s - '$work/labels'"
check "in the order of their probabilities" descends

# the probability of the label is the same text with any option
run predict "$work/three" "$work/three.svm" --proba
awk '{ m = 2; for (i = 3; i <= 4; i++) if ($i > $m) m = i; print $1 "\t" $m }' "$work/out" >"$work/largest"
run predict "$work/three" "$work/three.svm" --top 1
check "--top has the digits of --proba" same "$work/out" "$work/largest"
for how in "" --widen "--spill $work"; do
    # shellcheck disable=SC2086 # options or none
    run predict "$work/three" "$work/three.svm" $how
    check "so has predict without options${how:+, with $how}" same "$work/out" "$work/largest"
done
run predict "$work/two" "$work/two.svm" --proba
awk '{ print $1 "\t" ($2 > $3 ? $2 : $3) }' "$work/out" >"$work/largest"
run predict "$work/two" "$work/two.svm"
check "also of two classes" same "$work/out" "$work/largest"

run predict "$work/three" "$work/three.svm" --top 9 --to json
check "there are not more than the model has" sh -c "head -n 1 '$work/out' | grep -q '\"top3\": ' && ! grep -q top4 '$work/out'"
check "each line is JSON" sh -c "while read -r l; do echo \"\$l\" | python3 -c 'import json, sys; json.load(sys.stdin)' || exit 1; done <'$work/out'"

run predict "$work/two" "$work/two.svm" --proba
cp "$work/out" "$work/proba"
check "two classes have two probabilities" sums 2 3
for x in 0 0.3 0.7 1; do
    run predict "$work/two" "$work/two.svm" --threshold $x
    check "--threshold $x" sh -c "paste '$work/proba' '$work/out' | awk -v x=$x '{ if ((\$4 == 1) != (\$3 >= x)) exit 1 }'"
done
"$SPARCL" predict "$work/two" - --proba <"$work/two.svm" >"$work/piped"
check "the same from a pipe" cmp -s "$work/piped" "$work/proba"
run predict "$work/two" "$work/two.svm" --proba --widen
check "and from data in memory" cmp -s "$work/out" "$work/proba"
run predict "$work/two" "$work/two.svm" --to csv -o "$work/file.csv"
check "a file has the heading" sh -c "head -n 1 '$work/file.csv' | grep -qx label,probability"

run predict "$work/two" "$work/two.svm" --to json
cp "$work/out" "$work/objects"
run predict "$work/two" "$work/two.svm" --json
check "--json is --to json" same "$work/out" "$work/objects"

run predict "$work/hinge" "$work/two.svm" --to csv
check "hinge loss has scores" sh -c "head -n 1 '$work/out' | grep -qx label,score"
run predict "$work/hinge" "$work/two.svm" --proba
check "and no probabilities" err_has "--proba: hinge loss has no probabilities"
check "which exits 2" exits 2
run predict "$work/squared" "$work/two.svm" --to json
check "squared loss has a prediction" sh -c "head -n 1 '$work/out' | grep -q '^{\"prediction\": '"
run predict "$work/squared" "$work/two.svm" --top 1
check "and no classes" err_has "--top: squared loss has no probabilities"
run predict "$work/three" "$work/three.svm" --threshold 0.5
check "a threshold is for two classes" err_has "--threshold is for two classes, the model has 3"
run predict "$work/two" "$work/two.svm" --threshold 0.5 --top 1
check "and not together with --top" err_has "use one"
run predict "$work/two" "$work/two.svm" --threshold 1.5 -o "$work/none"
check "it is a probability" err_has "--threshold is 1.5, expected a probability"
check "without a file" [ ! -e "$work/none" ]
run train "$work/three.svm" --model autoencoder:units=4,k=2 --optimizer adam --epochs 1 -o "$work/rows"
run predict "$work/rows" "$work/three.svm" --proba
check "a model of rows has no labels" err_has "the model predicts no labels"
run predict "$work/rows" "$work/three.svm" --json
check "which names the option" err_has "--to, --json, or as -o ends: the model predicts no labels, but rows"

# ---- rankings

numbers() { tr -cs '0-9\n' ' ' | sed 's/^ *//; s/ *$//'; }
awk 'BEGIN { for (i = 0; i < 60; i++) { u = i % 10; v = (i * 7 + u) % 11; print u + 3 "," v + 50 ",1" } }' >"$work/ids"
awk -F , '{ print "u " $1 ",\"film, " $2 "\",1" }' "$work/ids" >"$work/words"
for kind in ids words; do
    run train "$work/$kind" --format ratings --model bpr:factors=3 --epochs 2 --progress none -o "$work/$kind.m"
    run predict "$work/$kind.m" "$work/$kind" --format ratings --k 3
    cp "$work/out" "$work/lines"
    run predict "$work/$kind.m" "$work/$kind" --format ratings --k 3 --json
    check "$kind: JSON has an object for each user" all_lines_match "$work/out" '^\{"user": .*, "items": \[.*\]\}$'
    check "$kind: as many as lines" lines_are "$work/out" "$(wc -l <"$work/lines")"
    numbers <"$work/lines" >"$work/expected"
    numbers <"$work/out" >"$work/found"
    check "$kind: with the same items" same "$work/found" "$work/expected"
    run predict "$work/$kind.m" "$work/$kind" --format ratings --k 3 --scores --json
    check "$kind: --scores adds their scores" all_lines_match "$work/out" ', "scores": \[-?[0-9.e-]+(, -?[0-9.e-]+){2}\]\}$'
    run predict "$work/$kind.m" "$work/$kind" --format ratings --k 3 -o "$work/recs.csv"
    check "$kind: CSV as -o ends" [ "$(head -n 1 "$work/recs.csv")" = user,item1,item2,item3 ]
    check "$kind: a line for each user" lines_are "$work/recs.csv" 11
    run predict "$work/$kind.m" "$work/$kind" --format ratings --k 11 --scores --to csv
    check "$kind: all lines of CSV have as many fields" \
        [ "$(sed 's/film, /film /g' "$work/out" | awk -F , '{ print NF }' | sort -u)" = 23 ]
    run predict "$work/$kind.m" "$work/$kind" --format ratings --k 3 --scores
    check "$kind: TSV has a score behind each item" [ "$(awk -F '\t' '{ print NF }' "$work/out" | sort -u)" = 7 ]
done
check "words are quoted in CSV" grep -qE '^u [0-9]+,"film, [0-9]+",' "$work/recs.csv"
for option in '--top 2' --proba '--threshold 0.5'; do
    # shellcheck disable=SC2086
    run predict "$work/ids.m" "$work/ids" --format ratings $option
    check "$option is refused" err_has "${option%% *}: the model ranks items, which have no probabilities; use --k"
done
# ---- tags, and rows without labels

printf 'id,size,y\n' >"$work/table.csv"
awk 'BEGIN { for (i = 0; i < 40; i++) printf "\"row, %d\",%d,%d\n", i, i, (i > 20) }' >>"$work/table.csv"
run train "$work/table.csv" --epochs 2 -o "$work/table"
run predict "$work/table" "$work/table.csv" --tag id
check "--tag: the column comes first" sh -c "head -n 1 '$work/out' | grep -q '^row, 0	[01]	'"
check "of each row" lines_are "$work/out" 40
run predict "$work/table" "$work/table.csv" --tag 1 --to csv
check "as CSV in quotes, under the name that was given" sh -c "head -n 2 '$work/out' | tr '\n' ' ' | grep -q '^1,label,probability \"row, 0\",'"
run predict "$work/table" "$work/table.csv" --tag id --to json
check "as JSON" sh -c "head -n 1 '$work/out' | grep -q '^{\"id\": \"row, 0\", \"label\": '"
printf '%s\n' 'text,y' '"A Text, of 5 words: it stays",1' 'Another Text - as it was,0' 'What  blanks and ÄÖ are,1' >"$work/texts.csv"
run train "$work/texts.csv" --epochs 1 -o "$work/texts"
check "a text" err_has "other columns: 1 text"
run predict "$work/texts" "$work/texts.csv" --tag text
check "is a tag as it is in the file" [ "$(cut -f 1 "$work/out")" = "A Text, of 5 words: it stays
Another Text - as it was
What  blanks and ÄÖ are" ]
run predict "$work/table" "$work/table.csv" --tag ID
check "another column exits 5" exits 5
check "and is refused, with the one that was meant" err_has 'did you mean "id"?'
run predict "$work/two" "$work/two.svm" --tag id
check "LIBSVM text has none" err_has "expected CSV or Vowpal Wabbit text, for the tags of rows, found svmlight"
awk '{ print $1 " '"'"'row" NR "|f a" $2 }' "$work/two.svm" >"$work/two.vw"
run train "$work/two.vw" --epochs 1 -o "$work/words"
run predict "$work/words" "$work/two.vw" --tag tag
check "Vowpal Wabbit text has" sh -c "tail -n 1 '$work/out' | grep -q '^row60	'"
cut -d ' ' -f 2- "$work/two.svm" >"$work/unlabelled.svm"
run predict "$work/two" "$work/two.svm"
cp "$work/out" "$work/labelled"
run predict "$work/two" "$work/unlabelled.svm"
check "rows without labels have the same predictions" cmp -s "$work/out" "$work/labelled"
run eval "$work/two" "$work/unlabelled.svm"
check "but are not evaluated" err_has "expected a label for each row, found none"

# ---- calibration

for loss in logistic hinge; do
    run train "$work/two.svm" --loss $loss --epochs 3 --hold-out 0.4 --calibrate platt -o "$work/calibrated"
    check "--calibrate with $loss loss" exits 0
    check "what the metrics are of is said" err_has "the validation metrics are those of the rows that the calibration was fitted to; 'sparcl eval' has"
    run predict "$work/calibrated" "$work/two.svm" --proba
    check "gives probabilities" sums 2 3
    run show "$work/calibrated"
    check "and is shown" out_has "platt"
done
cp "$work/calibrated" "$work/hinge-platt"
run train "$work/two.svm" --epochs 3 --hold-out 0.4 --calibrate isotonic -o "$work/calibrated"
check "isotonic needs more rows" err_has "too few of one class for isotonic; use --calibrate platt"
run predict "$work/calibrated" "$work/two.svm" --proba
cut -f 2- "$work/out" | awk '{ print ($1 > $2 ? $1 : $2) }' >"$work/larger"
run predict "$work/calibrated" "$work/two.svm"
check "the probability of the label is the larger one" sh -c "cut -f 2 '$work/out' | paste - '$work/larger' | awk '(\$1 - \$2)^2 > 1e-12 { exit 1 }'"
run train "$work/two.svm" --calibrate platt -o "$work/none"
check "it needs rows that are held out" err_has "--calibrate needs rows that are not trained on"
run train "$work/three.svm" --loss squared --hold-out 0.2 --calibrate platt -o "$work/none"
check "and classes" err_has "--calibrate is for classes, with logistic, softmax or hinge loss, not for linear with squared loss"
check "before anything is trained" [ ! -e "$work/none" ]
for method in platt isotonic temperature; do
    run train "$work/three.svm" --epochs 3 --hold-out 0.4 --calibrate $method -o "$work/calibrated"
    check "--calibrate $method of three classes" exits 0
    run predict "$work/calibrated" "$work/three.svm" --proba
    check "gives probabilities" sums 2 4
    cut -f 1 "$work/out" >"$work/chosen"
    cut -f 2- "$work/out" | awk '{ print ($1 > $2 ? ($1 > $3 ? $1 : $3) : ($2 > $3 ? $2 : $3)) }' >"$work/larger"
    run predict "$work/calibrated" "$work/three.svm"
    check "the label is the same" sh -c "cut -f 1 '$work/out' | cmp -s - '$work/chosen'"
    check "with the largest one" sh -c "cut -f 2 '$work/out' | paste - '$work/larger' | awk '(\$1 - \$2)^2 > 1e-12 { exit 1 }'"
    run show "$work/calibrated"
    check "and it is shown" fact_is "calibrated by" $method
done

finish
