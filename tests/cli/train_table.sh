#!/bin/sh
# Models of tables read other tables with nothing else.
. "$(dirname "$0")/checks.sh"
need_device

# table FIRST ROWS: words, two of which need quotes, numbers, and a label.
table() {
    echo 'city,size,"a ""name""",target'
    awk -v first="$1" -v rows="$2" 'BEGIN {
        split("Rome|Paris|\"New York, NY\"|Oslo", words, "|")
        for (i = first; i < first + rows; i++) print words[i % 4 + 1] "," i % 7 "," (i * 5) % 11 "," (i % 4 < 2) }'
}
table 0 120 >"$work/train.csv"
table 7 40 >"$work/valid.csv"

run train "$work/train.csv" --valid "$work/valid.csv" -o "$work/model"
check "--valid has the columns of the training file" exits 0
check "and learns" out_has "valid accuracy                        1"
run predict "$work/model" "$work/valid.csv"
check "predict needs nothing else" lines_are "$work/out" 40
cp "$work/out" "$work/expected"
# In another order, without a label, with columns that are new.
awk -F, 'BEGIN { OFS = ";" } { n = NF; print "x", $(n - 1), $(n - 2), n == 5 ? $1 "," $2 : $1 }' "$work/valid.csv" |
    sed '1s/^x/note/' >"$work/other.csv"
run predict "$work/model" "$work/other.csv"
check "nor for columns in another order, and without a label" cmp -s "$work/out" "$work/expected"
check "other columns are skipped, which is said" err_has "1 column that the training data does not have is skipped"
"$SPARCL" predict "$work/model" - <"$work/valid.csv" >"$work/piped" 2>"$work/err"
check "nor from a pipe" cmp -s "$work/piped" "$work/expected"
run eval "$work/model" "$work/valid.csv"
check "eval needs nothing else" out_has "accuracy                        1"
cut -d , -f 1 "$work/train.csv" | sed 's/"New York/Bergen/' >"$work/narrow.csv"
run predict "$work/model" "$work/narrow.csv"
check "a column that is missing is named" err_has 'narrow.csv:1:1: expected the column "size", as the training data has it, found none; correct its name in the heading, or add it'
sed '1s/size/Size/' "$work/valid.csv" >"$work/case.csv"
run predict "$work/model" "$work/case.csv"
check "so is one of another case" err_has 'found none; did you mean "Size"? If so, correct its name in the heading, or add it'
check "and exits 5" exits 5
run train "$work/valid.csv" --start "$work/model" --epochs 1 -o "$work/more"
check "--start needs nothing else" exits 0
run train "$work/train.csv" --hold-out 0.2 -o "$work/held"
run predict "$work/held" "$work/valid.csv"
check "a part of the rows has the columns of all" lines_are "$work/out" 40
run train "$work/train.csv" --stream --epochs 2 -o "$work/streamed"
run predict "$work/streamed" "$work/valid.csv"
check "and a stream has them" lines_are "$work/out" 40
printf '%s\n' 'target,label' 'size,buckets,2,5' 'city,dictionary' '*,skip' >"$work/columns"
run train "$work/train.csv" --csv-columns "$work/columns" -o "$work/words"
run predict "$work/words" "$work/valid.csv"
check "words of a dictionary are in the model" lines_are "$work/out" 40
run predict "$work/words" "$work/valid.csv" --csv-columns "$work/columns"
check "which has them for all other data" err_has "--csv-columns has no effect: the model has the columns"
check "and reads them" lines_are "$work/out" 40
printf '%s\n' '1 1:1' '0 2:1' >"$work/data.svm"
run predict "$work/words" "$work/data.svm"
check "text of another format is read as before" exits 0

# ---- numbers and texts --------------------------------------------------------------------------
# A year, a count with a long tail, and a review; the count and the review say what the label is.
awk 'BEGIN { print "year,visits,review,target"
    for (i = 0; i < 200; i++) { y = i % 3 == 0
        print 1990 + i * 7 % 31 "," (y ? 10 ^ (i % 5) : i % 4) ",it was a " (y ? "GOOD" : "bad") " thing to buy," y } }' >"$work/raw.csv"
run train "$work/raw.csv" --hold-out 0.2 -o "$work/raw"
check "numbers are standardized, which is said" err_has "2 columns of numbers are standardized, 1 of them as logarithms: visits (--csv-numbers standardized: without logarithms; raw"
check "a text is recognized" err_has "other columns: 2 numeric, 1 text"
check "and both learned from" out_has "valid accuracy                        1"
printf '%s\n' 'review,year,visits' '"A good, good thing",,' 'bad,2000,2' >"$work/new.csv"
run predict "$work/raw" "$work/new.csv"
check "the model reads others so" [ "$(cut -f 1 "$work/out" | tr '\n' ' ')" = "1 0 " ]
run train "$work/raw.csv" --csv-numbers raw -o "$work/none"
check "--csv-numbers raw leaves numbers alone" err_lacks "standardized"
run train "$work/raw.csv" --stream --optimizer adagrad --lr 0.3 --epochs 30 --valid "$work/raw.csv" -o "$work/streamed"
check "a stream is standardized" err_has "2 columns of numbers are standardized, 1 of them as logarithms: visits"
check "by all rows, and learned from" out_has "valid accuracy                        1"
run train "$work/raw.csv" --csv-numbers standardized -o "$work/none"
check "--csv-numbers standardized takes no logarithms" err_has "2 columns of numbers are standardized (--csv-numbers raw"
run inspect "$work/raw.csv" --csv-numbers auto --save-columns "$work/described"
check "inspect writes what was found" grep -q '^visits,log,[0-9.]*,[0-9.]*$' "$work/described"
run inspect "$work/raw.csv" --save-columns "$work/described"
check "and by default the kinds that train takes" err_has "1 column of counts is as logarithms: visits (--csv-numbers raw: as it is)"
run train "$work/raw.csv" -o "$work/guessed"
run train "$work/raw.csv" --csv-columns "$work/described" -o "$work/none"
run diff "$work/guessed" "$work/none"
check "of which train makes the same model" [ "$(cut -d " " -f 1 "$work/out" | tr '\n' ' ')" = "name note.options " ]

# ---- some columns are described, others guessed ---------------------------------------------------
awk 'BEGIN { print "phone,price,sold"; for (i = 0; i < 60; i++) print "p-" i ",$" 100 + i * 7 % 60 "," (i * 7 % 60 > 30 ? "yes" : "no") }' >"$work/phones.csv"
run train "$work/phones.csv" --label sold -o "$work/phones"
check "a note says how a column is left out" err_has "(phone,skip in a file of --csv-columns, with the line *,auto, leaves it out)"
printf '%s\n' 'phone,skip' '*,auto' >"$work/columns"
run train "$work/phones.csv" --label sold --csv-columns "$work/columns" --hold-out 0.2 -o "$work/phones"
check "which does so" err_lacks "phone,skip"
check "and reads the others as before" err_has "price: \"\$100\" is read as 100"
run show "$work/phones" --top 5
check "the model has them" out_has "price"
printf '%s\n' 'phone,skip' >"$work/columns"
run train "$work/phones.csv" --label sold --csv-columns "$work/columns" -o "$work/none"
check "without it all are to be described" err_has "or *,auto or *,skip for all other columns"

# ---- tf-idf ---------------------------------------------------------------------------------------
run train "$work/raw.csv" --csv-text tfidf --hold-out 0.2 -o "$work/tfidf"
check "words of a text are weighted" out_has "valid accuracy                        1"
run predict "$work/tfidf" "$work/new.csv"
cut -f 1 "$work/out" >"$work/labels"
check "and so are those of other data, as the model has it" [ "$(tr '\n' ' ' <"$work/labels")" = "1 0 " ]
"$SPARCL" predict "$work/tfidf" - <"$work/new.csv" 2>"$work/err" | cut -f 1 >"$work/piped"
check "also from a pipe" same "$work/labels" "$work/piped"
run inspect "$work/raw.csv" --csv-text tfidf --save-columns "$work/described"
check "inspect writes what was found" grep -q '^review,tfidf,2,200,[0-9]*:[0-9]*,' "$work/described"
sed -i 's/^\(review,tfidf,2\).*/\1/' "$work/described"
run train "$work/raw.csv" --csv-columns "$work/described" --csv-numbers standardized -o "$work/again"
check "a description may leave that to the file" exits 0
run train "$work/raw.csv" --csv-columns "$work/described" --stream --epochs 2 --csv-text tfidf -o "$work/none"
check "of which a stream has all" exits 0
check "an option beside a description has no effect" err_has "--csv-text tfidf has no effect: the file of --csv-columns says it, by NAME,tfidf"
"$SPARCL" train - --csv-columns "$work/described" -o "$work/none" <"$work/raw.csv" >"$work/out" 2>"$work/err"
check "standard input cannot be read twice" err_has "expected a file, which tf-idf reads twice, found standard input"
run train "$work/data.svm" --csv-text tfidf -o "$work/none"
check "other formats have no text" err_has "--csv-text tfidf has no effect: only CSV has columns of text"
run train "$work/train.csv" --csv-text tfidf -o "$work/none"
check "nor has every table" err_has "--csv-text tfidf has no effect: no column is text"

# ---- numbers with units and marks, and other values -----------------------------------------------
awk 'BEGIN { print "y;sum;rate"; for (i = 0; i < 60; i++) printf "%d;%d,5 €;%s\n", i % 2, 10 + i % 7 + 5 * (i % 2), i == 7 ? "tbd" : i % 9 }' >"$work/euro.csv"
run train "$work/euro.csv" --hold-out 0.2 -o "$work/euro"
check "a decimal comma and a unit are read, which is said" err_has "sum: \"10,5 €\" is read as 10.5"
check "another value is a missing one" err_has "rate: 1 of the first 60 values is no number, \"tbd\" in line 9: it is a missing value"
printf 'y;sum;rate\n1;21,5 €;3\n0;10,5 €;later\n' >"$work/euro2.csv"
run predict "$work/euro" "$work/euro2.csv"
check "the model reads others so" [ "$(cut -f 1 "$work/out" | tr '\n' ' ')" = "1 0 " ]
run predict "$work/euro" "$work/euro2.csv" --csv-decimal point
check "and says that it does" err_has "--csv-decimal has no effect: the model has the columns of its training data"
run inspect "$work/euro.csv" --csv-decimal point
check "--csv-decimal point leaves no numbers there" out_has "sum    hashed"
run inspect "$work/data.svm" --csv-decimal point
check "other formats have no such marks" err_has "--csv-decimal has no effect: only CSV"

run train "$work/raw.csv" -q -o "$work/none"
check "-q says nothing of all that" err_is_empty

# ---- numbers: the root of the mean squared error, and R2, by hand
printf 'y,a\n' >"$work/numbers.csv"
awk 'BEGIN { for (i = 0; i < 60; i++) printf "%g,%g\n", 3 * (i * 7 % 11) + i % 2, i * 7 % 11 }' >>"$work/numbers.csv"
run train "$work/numbers.csv" -o "$work/numbers" --progress lines --json
check "the lines of the search have the RMSE, beside half of its square" python3 -c "
lines = [l.split() for l in open('$work/err') if l.startswith('C ')]
assert len(lines) > 4
for l in lines:
    assert len(l) == 7 and l[5] == 'RMSE' and abs(float(l[6]) ** 2 / 2 / float(l[4][:-1]) - 1) < 1e-4, l"
check "the result has it, too" python3 -c "
import json
found = json.load(open('$work/out'))
best = min(found['tried'], key=lambda t: t['loss'])
assert abs(best['rmse'] ** 2 / 2 - best['loss']) < 1e-12 and best['rmse'] == found['held_out_rmse'], found"
awk 'BEGIN { for (i = 0; i < 200; i++) print 1e6 * (i % 7) * (i % 3), 1 + i % 7 ":1" }' >"$work/large.svm"
run train "$work/large.svm" --loss squared --epochs 2 --progress lines -o "$work/large"
check "large losses keep the columns" python3 -c "
lines = open('$work/err').read().splitlines()
at = next(i for i, line in enumerate(lines) if line.split()[:2] == ['step', 'pass'])
rows = [line for line in lines[at + 1:] if line.split()[0].isdigit()]
assert 'e+' in rows[0] and {len(row) for row in rows} == {len(lines[at])}, lines"
run eval "$work/numbers" "$work/numbers.csv" --json
check "eval has R2" python3 -c "
import json
m = json.load(open('$work/out'))
assert abs(m['r2'] - (1 - m['loss'] / m['best_constant_loss'])) < 1e-6 and m['r2'] > .99, m"

# ---- words that are no UTF-8
for _ in 1 2 3 4 5 6 7 8; do printf 'M\374ller,1,r\344\nM\366ller,4,b\n'; done >"$work/rows"
{ echo y,a,t && cat "$work/rows"; } >"$work/latin.csv"
run inspect "$work/latin.csv" --json
check "JSON has the labels" out_has '"M\\xfcller": 8'
check "with their bytes" out_has '"M\\xf6ller": 8'
run inspect "$work/latin.csv"
check "a table, too, as bytes that are escaped once" grep -qF 'M\xf6ller (8), M\xfcller (8)' "$work/out"
run train "$work/latin.csv" -o "$work/latin"
run predict "$work/latin" "$work/latin.csv" --to json --proba --tag t
check "and predictions" out_has '{"t": "r\\xe4", "label": "M\\xfcller", "probability_M\\xf6ller"'
{ echo y,a && sed 's/,[rb].*//' "$work/rows" | sed "s/^M/$(printf '%062d' 0)/"; } >"$work/long.csv"
printf '%062d\303\204\303\204,2\n' 0 >>"$work/long.csv"
run inspect "$work/long.csv" --label y
check "a long word is not cut inside a character" grep -qE '0(Ä|\\xc3\\x84) \(1\)' "$work/out"
finish
