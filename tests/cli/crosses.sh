#!/bin/sh
# Crosses of columns and of namespaces: they are learned, and a model keeps them.
. "$(dirname "$0")/checks.sh"
need_device

# Only both words together say what the label is.
rows() { awk -v n="$1" -v form="$2" 'BEGIN {
    split("red|blue", colors, "|"); split("cat|dog", animals, "|")
    if (form == "csv") print "color,\"a, kind\",size,target"
    for (i = 0; i < n; i++) { a = i % 2; b = int(i / 2) % 2; y = a != b; x = (i * 7) % 13
        if (form == "csv") print colors[a + 1] "," animals[b + 1] "," x "," y
        else print (y ? 1 : -1) " |color " colors[a + 1] " |kind " animals[b + 1] " |s size:" x } }'; }
rows 400 csv >"$work/t.csv"
rows 90 csv >"$work/new.csv"
rows 400 vw >"$work/t.vw"
rows 90 vw >"$work/new.vw"

run train "$work/t.csv" --hold-out 0.2 -o "$work/plain"
check "a linear model of the columns does not learn it" out_lacks "valid accuracy                        1"
run train "$work/t.csv" --cross 'color,"a, kind"' --hold-out 0.2 -o "$work/crossed" --manifest "$work/m.json"
check "one with a cross does" out_has "valid accuracy                        1"
check "how many is said" err_has "1 pair of columns is crossed: 400 entries in 2^18 hashed columns"
run eval "$work/crossed" "$work/new.csv"
check "eval needs nothing else" out_has "accuracy                        1"
"$SPARCL" predict "$work/crossed" - <"$work/new.csv" >"$work/piped" 2>"$work/err"
check "nor predict, from a pipe" lines_are "$work/piped" 90
run train --config "$work/m.json" -o "$work/again"
check "a manifest repeats it" cmp -s "$work/crossed" "$work/again"
run show "$work/crossed" --data "$work/new.csv"
check "show counts crosses" out_has "crosses: 1"
check "and has their names" out_has "color=red^a, kind=cat"
run train "$work/t.csv" --cross 1,2 --cross size,size --cross 'size,color' --valid "$work/new.csv" -o "$work/more"
check "it may be repeated, with numbers of columns" err_has "3 pairs of columns are crossed"
check "--valid is read with the crosses" out_has "valid accuracy                        1"
run show "$work/more"
check "show has each as it was given" out_has "--cross 1,2 --cross size,size --cross size,color"
run train "$work/t.csv" --cross all --hash-bits 12 --hold-out 0.2 -o "$work/all"
check "all has all pairs, and the squares of numbers" err_has "4 pairs of columns are crossed: 1600 entries in 2^12"
check "and learns" out_has "valid accuracy                        1"
run train "$work/new.csv" --start "$work/crossed" --cross all --epochs 1 -o "$work/went_on"
check "--start has those of the model" err_has "--cross has no effect: the model has the crosses of its training data"
awk -F, 'NR == 1 { print "color,kind,target" } NR > 1 { print $1 "," $2 "," $4 }' "$work/t.csv" >"$work/words.csv"
run train "$work/words.csv" --stream --cross color,kind --epochs 3 -o "$work/streamed"
run eval "$work/streamed" "$work/words.csv"
check "a stream has them" out_has "accuracy                        1"
run inspect "$work/words.csv" --cross color,kind --save-columns "$work/columns"
run inspect "$work/words.csv" --cross color,kind --json
check "inspect counts pairs" json_is crosses 1
check "and their entries" json_is cross_entries 400
check "the description has them" grep -qxF "color^kind,cross,color,kind" "$work/columns"
run train "$work/words.csv" --csv-columns "$work/columns" --hold-out 0.2 -o "$work/described"
check "and is read" out_has "valid accuracy                        1"
run convert "$work/words.csv" "$work/words.svm" --to svmlight --cross color,kind --hash-bits 8
run train "$work/words.svm" --hold-out 0.2 -o "$work/converted"
check "convert writes them" out_has "valid accuracy                        1"

run train "$work/t.csv" --cross colour,size -o "$work/none"
check "an unknown name is named" err_has 'expected the column "colour" for the cross, found none of this name or number; did you mean "color"?'
check "and exits 5" exits 5
run train "$work/t.csv" --cross color,target -o "$work/none"
check "the label is no feature" err_has 'found "target", which is the label'
run train "$work/t.csv" --cross size,color --cross color,size -o "$work/none"
check "a pair is crossed once" err_has 'the pair "color,size" twice'
check "nothing is written" [ ! -e "$work/none" ]
printf '%s\n' '1 1:1' '0 2:1' >"$work/data.svm"
run train "$work/data.svm" --cross 1,2 -o "$work/none"
check "other formats have none" err_has "expected CSV or Vowpal Wabbit text, for crosses (--cross)"

# ---- namespaces ---------------------------------------------------------------------------------
run train "$work/t.vw" --cross color,kind --hold-out 0.2 -o "$work/vw"
check "namespaces are crossed" out_has "valid accuracy                        1"
check "which is said" err_has "1 pair of namespaces is crossed: 400 entries in 2^18 hashed columns"
run eval "$work/vw" "$work/new.vw"
check "the model has them" out_has "accuracy                        1"
run show "$work/vw" --data "$work/new.vw"
check "show says which" out_has "names, crossed: color,kind"
check "and their names" out_has "color^red*kind^cat"
run train "$work/t.vw" --cross all --hold-out 0.2 -o "$work/vw_all"
check "all features are" err_has "all features of a row are crossed"
run eval "$work/vw_all" "$work/new.vw"
check "and kept" out_has "accuracy                        1"
run train "$work/t.vw" --stream --cross color,kind --epochs 3 -o "$work/vw_streamed"
run eval "$work/vw_streamed" "$work/new.vw"
check "a stream has them, too" out_has "accuracy                        1"
run train "$work/new.vw" --start "$work/vw" --epochs 1 -o "$work/vw_more"
run eval "$work/vw_more" "$work/new.vw"
check "--start as well" out_has "accuracy                        1"
run train "$work/t.vw" --cross color,kid -o "$work/none"
check "a pair that no row has is refused" err_has 'both namespaces of the cross "color,kid", found none'
check "without a model" [ ! -e "$work/none" ]
finish
