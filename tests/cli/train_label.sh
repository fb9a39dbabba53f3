#!/bin/sh
# The label of raw tables: which column it is, and what is trained with it.
. "$(dirname "$0")/checks.sh"
need_device

# A table with 60 rows; the label of row i is 1 where i % 3 is 0.
{
    echo 'a,click,b,Target'
    awk 'BEGIN { for (i = 0; i < 60; i++) print i % 7 "," (i % 3 == 0) "," (i * 5) % 11 "," i % 2 }'
} >"$work/two.csv"

# ---- the column ---------------------------------------------------------------------------------
run inspect "$work/two.csv"
check "of two names for a label one is taken, which is said" \
    err_has "2 columns have a name that labels usually have; the label is the column Target (--label names another)"
for label in click 2; do
    run train "$work/two.csv" --label $label -o "$work/$label"
    check "--label $label" exits 0
    check "is that column" err_has "its label is the column click, other columns: 3 numeric"
done
check "by name and by number the model is the same" same_but_notes "$work/click" "$work/2"
run train "$work/two.csv" --label clik -o "$work/none"
check "--label that is not there exits 5" exits 5
check "with the nearest name and all columns" err_has 'two.csv:1:1: expected the column "clik" for the label, found none of this name or number; did you mean "click"? Name one of the 4 columns: a, click, b, Target'
check "and no model" [ ! -e "$work/none" ]
run train "$work/two.csv" --labels click -o "$work/none"
check "--labels with a column names --label" err_has "found no file click, but a column of this name; use --label click for the column"
check "--labels with a column exits 5" exits 5
two_classes 10 >"$work/data.svm"
run train "$work/data.svm" --label click -o "$work/none"
check "--label for LIBSVM text exits 5" exits 5
check "with the format" err_has "expected CSV, for the label"

printf '%s\n' user,item,rating,ts 'u1,i1,4,1' 'u2,i1,3,2' 'u1,i2,5,3' >"$work/stars.csv"
printf '%s\n' 'a|b|y' '0.5|2|1' '1.5|3|0' >"$work/bar.csv"
run inspect "$work/stars.csv" --json
check "a file of ratings is one" json_is format '"ratings"'
printf '%s\n' 'rating,label' '*,hashed' >"$work/stars.txt"
for option in --label=rating --csv-heading=yes --csv-delimiter=comma "--csv-columns=$work/stars.txt"; do
    run inspect "$work/stars.csv" "$option" --json
    check "$option makes it CSV" json_is format '"csv"'
done
run inspect "$work/stars.csv" --label rating --format ratings
check "--format ratings does not" err_has "expected CSV, for the label"
run inspect "$work/bar.csv" --csv-delimiter bar --json
check "--csv-delimiter bar is not Vowpal Wabbit text" json_is format '"csv"'
run train "$work/stars.csv" --label rating --csv-columns "$work/stars.txt" --loss squared -o "$work/stars" --progress none
check "a model of it" exits 0
run eval "$work/stars" "$work/stars.csv"
check "reads it again as CSV" exits 0

printf '%s\n' 'a,numeric' 'click,label' '*,skip' >"$work/columns"
for command in inspect validate; do
    run "$command" "$work/two.csv" --csv-columns "$work/columns" --label click
    check "$command: a description and --label that agree" exits 0
done
run inspect "$work/two.csv" --csv-columns "$work/columns" --label b
check "that do not" err_has "columns:2:1: expected the label b, as given by --label, found the column \"click\" as label"
run train "$work/two.csv" --csv-columns "$work/columns" -o "$work/model"
run eval "$work/model" "$work/two.csv" --csv-columns "$work/columns" --label click
check "eval --label" exits 0
run predict "$work/model" "$work/two.csv" --csv-columns "$work/columns" --label click
check "predict --label" exits 0
run convert "$work/two.csv" "$work/two.svm" --to svmlight --label b
check "convert --label" exits 0
check "writes that label" [ "$(sed -n '3s/ .*//p' "$work/two.svm")" = 10 ]
printf '%s\n' 'click,a' ',3' ',4' >"$work/empty.csv"
run train "$work/empty.csv" --label click -o "$work/none"
check "an empty column is no label" err_has "empty.csv: expected a label for each row, found none in the column click in 2 rows"
check "with the option that names another" err_has "use --label NAME for another column, or --labels FILE for labels of another file"

printf '%s\n' 'x, y' '1, 0' '2, 1' '4, 1' >"$work/blanks.csv"
run inspect "$work/blanks.csv"
check "blanks around names do not matter" err_has "its label is the column y, other columns: 1 numeric"
for name in address moment id; do
    awk -v "name=$name" 'BEGIN { print name ",y"; for (i = 0; i < 60; i++) print \
        (name == "address" ? "https://a.b/c/d?e=" i % 5 "&f=g" : \
        name == "moment" ? "2024-05-23T11:29:5" i % 9 : "50f7b168-0f4d-ad88-11-" i % 9) "," i % 2 }' >"$work/no_text.csv"
    run inspect "$work/no_text.csv"
    check "an $name is no text" err_has "other columns: 1 hashed"
done

# ---- words ---------------------------------------------------------------------------------------
awk 'BEGIN { print "size,kind"; for (i = 0; i < 60; i++) { n = i * 7 % 60; print n "," (n < 20 ? "small" : n < 40 ? "\"fairly, large\"" : "large") } }' >"$work/words.csv"
run train "$work/words.csv" --label kind -o "$work/model"
check "labels that are words are trained" exits 0
run predict "$work/model" "$work/words.csv"
check "and predicted as words" sh -c "head -n 1 '$work/out' | grep -q '^small	' && tail -n 1 '$work/out' | grep -q '^large	'"
run predict "$work/model" "$work/words.csv" --proba --to csv
check "as CSV with the name of each class" sh -c "head -n 1 '$work/out' | grep -qx 'label,\"probability_fairly, large\",probability_large,probability_small'"
run predict "$work/model" "$work/words.csv" --top 2 --to json
check "as JSON" sh -c "head -n 1 '$work/out' | grep -q '^{\"top1\": \"small\", '"
run eval "$work/model" "$work/words.csv"
check "eval needs nothing else" exits 0
check "and names each class" grep -Eq '^fairly, large +[0-9]+ +0 +0$' "$work/out"
run inspect "$work/words.csv" --label kind
check "inspect counts each word" out_has "3 different: fairly, large (20), large (20), small (20)"
run convert "$work/words.csv" "$work/words.svm" --to svmlight --label kind
check "convert says which numbers they become" err_has "words.svm: its labels are words, which are written as 0 to 2, in this order: fairly, large, large, ..."
run train "$work/words.csv" --label kind --hold-out 0.2 --epochs 2 -o "$work/steps"
check "also where some are held out, by steps" exits 0
run train "$work/words.csv" --label kind --epochs 3 -o "$work/weighted" --class-weights 'small=5,fairly, large=0.5,"large"=2' -q
check "--class-weights has words" exits 0
sed 's/"fairly, large"/0/; s/,large/,1/; s/,small/,2/' "$work/words.csv" >"$work/numbers.csv"
run train "$work/numbers.csv" --label kind --epochs 3 -o "$work/numbered" --class-weights 2=5,0=0.5,1=2 --loss softmax -q
run diff "$work/weighted" "$work/numbered"
check "which weigh as their numbers do" no_line_matches "$work/out" '^tensor (weight|bias) '
refused_word() { # refused_word WEIGHTS MESSAGE
    run train "$work/words.csv" --label kind --epochs 3 -o "$work/none" --class-weights "$1"
    check "--class-weights $1 exits 2" exits 2
    check "and says why" err_has "$2"
}
refused_word smal=2 'words.csv; did you mean "small"? (labels: "fairly, large", "large", "small")'
refused_word 0=2 '--class-weights: "0" is no label of'
refused_word '"small=2' 'expected "balanced" or LABEL=W,...'
refused_word small=-2 'expected "balanced" or LABEL=W,...'
refused_word small=2,small=3 'expected each once'
run train "$work/two.csv" --label click --epochs 3 -o "$work/none" --class-weights yes=2
check "labels that are numbers have no words" err_has '--class-weights: expected numbers, which the labels of'
run show "$work/model" --json
check "show --json has the words" sh -c "tr -d ' \n' <'$work/out' | grep -qF '\"label_names\":[\"fairly,large\",\"large\",\"small\"]'"
echo '5,tiny' >>"$work/words.csv"
run eval "$work/model" "$work/words.csv"
check "another word is counted" err_has "words.csv:62:1: 1 of 61 rows have a label that the model does not know: they are wrong in the accuracy"
run predict "$work/model" "$work/words.csv"
check "and does not end predict" lines_are "$work/out" 61
run train "$work/words.csv" --label kind --loss squared -o "$work/none"
check "words are no numbers" err_has "expected numbers as labels, as squared loss needs, found 4 words; use softmax loss for classes"

# ---- numbers and classes ------------------------------------------------------------------------
# 25 ages, rare at both ends; 25 classes of 11 rows; 25 numbers with few rows.
awk 'BEGIN { print "y,a"; for (c = 0; c < 25; c++) { m = c < 12 ? c : 24 - c; for (i = 0; i <= 2 * m; i++) print 20 + c "," c % 7 } }' >"$work/ages.csv"
awk 'BEGIN { print "y,a"; for (i = 0; i < 275; i++) print i % 25 "," i % 7 }' >"$work/classes.csv"
awk 'BEGIN { print "y,a"; for (i = 0; i < 60; i++) print i % 25 "," i % 7 }' >"$work/few.csv"
run train "$work/ages.csv" -o "$work/model"
check "ages are numbers" err_has "ages.csv: 25 different whole numbers, as frequent as their neighbours, as ages are, are taken for numbers: squared loss (--loss softmax takes them for classes)"
check "with squared loss" grep -q "^loss function *squared" "$work/out"
run train "$work/classes.csv" -o "$work/model"
check "many classes are said" err_has "classes.csv: 25 different whole numbers are taken for classes: softmax loss (--loss squared or poisson takes them for numbers)"
run train "$work/few.csv" -o "$work/model"
check "and few rows" err_has "25 different whole numbers, with less than ten rows each, are taken for numbers: squared loss"
run train "$work/ages.csv" -o "$work/model" --loss softmax --epochs 1
check "a loss that is given has no note" err_lacks "different whole numbers"

# A few words among numbers are no labels.
awk 'BEGIN { print "a,price"; for (i = 0; i < 60; i++) print i % 7 "," (i == 9 ? "sold out" : i * 7 % 60 + 0.5) }' >"$work/prices.csv"
run train "$work/prices.csv" --label price --epochs 2 -o "$work/prices"
check "a word among numbers is no label" err_has 'price: 1 of the first 60 values is no number, "sold out" in line 11: it is a missing label (in'
check "its row is left out" err_has "prices.csv:11: 1 of 60 rows has no label and is left out"
check "the others are numbers" grep -q "^loss function *squared" "$work/out"
grep -v sold "$work/prices.csv" >"$work/numbers.csv"
run train "$work/numbers.csv" --label price --epochs 2 -o "$work/numbers"
run predict "$work/numbers" "$work/prices.csv"
check "predict needs no label" lines_are "$work/out" 60

# Words are classes where they are few.
words() { awk -v n="$1" -v rows="$2" 'BEGIN { print "a,day"; for (i = 0; i < rows; i++) print i % 7 ",day" i % n }' >"$work/days.csv"; }
words 49 98
run train "$work/days.csv" --label day --epochs 1 -o "$work/model"
check "some words are classes without a note" err_lacks "different words"
words 50 100
run train "$work/days.csv" --label day --epochs 1 -o "$work/model"
check "many are trained" exits 0
check "and counted" err_has 'days.csv: its labels are 50 different words, of which each is a class: "day0", "day1", "day10", ...'
for rows in 99 2002; do
    words $((rows > 99 ? 1001 : 50)) $rows
    run train "$work/days.csv" --label day --epochs 1 -o "$work/none"
    check "more are refused: $rows rows" exits 5
    check "with examples" err_has "different words in $rows rows: \"day0\", \"day1\", \"day10"
    check "and the remedies" err_has "use --label NAME for another column, or --loss softmax to train these classes"
    check "without a model" [ ! -e "$work/none" ]
done
run train "$work/days.csv" --label day --epochs 1 --loss softmax -o "$work/model"
check "--loss softmax trains them" exits 0
check "and counts them" err_has "its labels are 1001 different words"

printf 'y,a\nyes,1\nyes,2\n' >"$work/one.csv"
run train "$work/one.csv" -o "$work/none"
check "one class is named by its word" err_has 'expected labels of two classes, as logistic loss needs, found only "yes" in 2 rows'

# ---- a guess ------------------------------------------------------------------------------------
# Between named columns nothing is guessed.
awk 'BEGIN { print "size,a"; for (i = 0; i < 30; i++) print i % 2 "," i % 5 }' >"$work/class.csv"
for options in "" "--loss squared" "--loss softmax --epochs 1" "--loss logistic"; do
    # shellcheck disable=SC2086 # words
    run train "$work/class.csv" -o "$work/none" $options
    check "train $options: no column with the name of a label exits 5" exits 5
    check "train $options: with the remedy" err_has "expected a column with the label, found no name that labels usually have (label, target, y, click, clicked, is_click, class); name it by --label NAME, also if it is the first one"
    check "train $options: only that is said" err_lacks "note:"
    check "train $options: no model" [ ! -e "$work/none" ]
done
run inspect "$work/class.csv"
check "the guess of other commands is said" err_has "its label is the column size, for want of a known name: train and convert ask for --label NAME"
check "inspect reads it" exits 0
run convert "$work/class.csv" "$work/none.svm" -q
check "convert does not write a guess" exits 5
check "which it says, as train" err_has "expected a column with the label, found no name that labels usually have"
check "with the remedy" err_has "to fix it: name it by --label NAME, also if it is the first one"
check "and writes no file" [ ! -e "$work/none.svm" ]
run convert "$work/class.csv" "$work/named.svm" --label size
check "convert --label" exits 0
run train "$work/class.csv" --label 1 -o "$work/model"
check "--label says that it is the label" exits 0
check "without a guess" err_lacks "for want of"
# Without a heading it is the first column, if that is no id; numbers with a point may all differ.
awk 'BEGIN { for (i = 0; i < 30; i++) print (i * 7) % 31 "," i % 5 }' >"$work/id.csv"
awk 'BEGIN { for (i = 0; i < 30; i++) print i % 2 "," i % 5 }' >"$work/class.csv"
awk 'BEGIN { for (i = 0; i < 30; i++) print (i * 7) % 31 + 0.5 "," i % 5 }' >"$work/price.csv"
for file in class price; do
    run train "$work/$file.csv" -o "$work/model"
    check "a first column that is no id is a label: $file" exits 0
done
for options in "" "--loss squared" "--loss softmax --epochs 1"; do
    # shellcheck disable=SC2086 # words
    run train "$work/id.csv" -o "$work/none" $options
    check "train $options: an id that was taken for the label exits 5" exits 5
    check "train $options: which is said" err_has "found a different value in each of 30 rows of the first column, which was taken for the label because nothing names one: an id; name the label by --label NUMBER, also if it is that column"
done
run train "$work/price.csv" --loss softmax --epochs 1 -o "$work/none"
check "as many classes as rows are ids" exits 5
check "which is said" err_has "found a different value in each of 30 rows"

# ---- labels that the model does not know --------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 40; i++) print (i < 37 ? i % 2 : 7) " 1:" (i % 2) + i / 100 " 2:" i % 5 }' >"$work/seven.svm"
sed 38,40d "$work/seven.svm" >"$work/train.svm"
run train "$work/train.svm" -o "$work/two.model" --epochs 3
run eval "$work/two.model" "$work/seven.svm" --json
check "rows with another label are evaluated" exits 0
check "and counted" json_is unknown_labels 3
check "which is said, with the first one" err_has "seven.svm:38:1: 3 of 40 rows have a label that the model does not know, such as 7: they are wrong in the accuracy, and left out of the loss and all else"
loss=$(sed -n 's/^ *"loss": \([0-9.e-]*\),*$/\1/p' "$work/out" | cut -c 1-7)
run eval "$work/two.model" "$work/train.svm" --json
check "the loss is that of the others" [ "$(sed -n 's/^ *"loss": \([0-9.e-]*\),*$/\1/p' "$work/out" | cut -c 1-7)" = "$loss" ]
for options in "" "--epochs 3" "--solver lbfgs" "--model fm:factors=4 --optimizer adagrad --epochs 3 --patience 2"; do
    # shellcheck disable=SC2086 # words
    run train "$work/train.svm" --valid "$work/train.svm" -o "$work/known.model" $options
    # shellcheck disable=SC2086
    run train "$work/train.svm" --valid "$work/seven.svm" -o "$work/unknown.model" $options
    check "train $options: they are no error in --valid" exits 0
    check "train $options: and counted" err_has "3 of 40 rows have a label that the model does not know"
    check "train $options: without a change of the model" same_but_notes "$work/known.model" "$work/unknown.model"
done
run train "$work/seven.svm" --hold-out-last 5 --epochs 2 -o "$work/model"
check "train --hold-out-last" err_has "3 of 5 rows have a label that the model does not know"

# ---- ids of rows --------------------------------------------------------------------------------
{
    echo 'Id,a,click,user'
    awk 'BEGIN { for (i = 0; i < 60; i++) print i + 7 "," i % 7 "," i % 2 ",9223372036854775807" i * 31 }'
} >"$work/ids.csv"
run inspect "$work/ids.csv" --save-columns "$work/ids.columns"
check "ids of rows are skipped" err_has "ids.csv: Id, user are skipped: whole numbers that count up, or all differ beyond 2^53, are ids of rows; in a file of --csv-columns, with the line *,auto, Id,numeric or Id,hashed keeps one"
check "and not counted as without a name" err_lacks "without a name"
check "which is what --save-columns writes" [ "$(tr '\n' ';' <"$work/ids.columns")" = 'Id,skip;a,numeric;click,label;user,skip;' ]
sed -i 's/Id,skip/Id,numeric/' "$work/ids.columns"
run inspect "$work/ids.csv" --csv-columns "$work/ids.columns" --json
check "a description keeps them" json_is cols 2
check "without a note" err_lacks "skipped"
finish
