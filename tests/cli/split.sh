#!/bin/sh
# sparcl split and sample: which rows are in which file, and what is refused.
. "$(dirname "$0")/checks.sh"

: >"$work/all.svm"
row=1
while [ $row -le 23 ]; do
    echo "$row $row:0.5 30:$row.5" >>"$work/all.svm"
    row=$((row + 1))
done
cd "$work" || exit 1
# shellcheck disable=SC2317  # called by check
rows_of() { [ "$(wc -l <"$1")" -eq "$2" ]; }
# shellcheck disable=SC2317
are_the_whole() { sort -n "$@" | cmp -s - all.svm; }

run split all.svm --fraction 0.3 --seed 4 -o a.svm b.svm --to svmlight
check "a fraction: exit 0" exits 0
check "and nothing is printed" out_is_empty
check "the rest has 16 rows" rows_of a.svm 16
check "7 are held" rows_of b.svm 7
check "each row is in one file" are_the_whole a.svm b.svm
check "in its order" sort -c -n a.svm
run split all.svm --fraction 0.3 --seed 4 -o a2.svm b2.svm --to svmlight
check "the same seed holds the same rows" same b.svm b2.svm
run split all.svm --fraction 0.3 --seed 5 -o a2.svm b2.svm --to svmlight
check "another seed holds others" [ "$(cat b.svm)" != "$(cat b2.svm)" ]
run split all.svm --fraction 0.3 --seed 4 -o a.sparcl b.sparcl
run inspect b.sparcl --json
check "the binary form is the default" json_is format '"sparcl"'
check "rows" json_is rows 7
check "a part keeps the columns" json_is cols 30

run split all.svm --folds 5 --seed 4 -o cv --to svmlight
check "folds: exit 0" exits 0
check "every row is in the test part of one fold" \
    are_the_whole cv-0.test cv-1.test cv-2.test cv-3.test cv-4.test
for fold in 0 1 2 3 4; do
    check "fold $fold has every row once" are_the_whole cv-$fold.train cv-$fold.test
done
check "there are no more folds" no_file cv-5.test

run sample all.svm -n 7 --seed 4 -o s.svm --to svmlight
check "a sample: exit 0" exits 0
check "is what a split with this seed holds" same s.svm b.svm
run sample all.svm -n 24 -o t.svm
check "more rows than there are exit 2" exits 2
check "and the error says how many there are" err_has "24 rows of 23"
check "and nothing is written" no_file t.svm
run sample all.svm -o t.svm
check "the number of rows is required" err_has "-n N is missing"
run sample all.svm -n 1
check "the file is required" err_has "-o OUT is missing"

# Rows of a table stay as they are: words, quotes, line feeds in them, comments and the heading.
printf 'city,rooms,y\n"Oslo, N",3,1\n"a\nb",4,0\nRome,2,1\nBonn,,0\n"\n\nend",7,1' >table.csv
run split table.csv --fraction 0.4 --seed 1 -o t1.csv t2.csv
check "a table: exit 0" exits 0
check "both parts have the heading" [ "$(head -qn 1 t1.csv t2.csv | sort -u)" = "city,rooms,y" ]
{ cat table.csv && echo; } | sort >table.sorted
check "every line of the table is in one of them" \
    [ "$({ tail -n +2 t1.csv && cat t2.csv; } | sort)" = "$(cat table.sorted)" ]
run train t1.csv -o t1.m --epochs 1
run eval t1.m t2.csv --json
check "a part trains a model, the other evaluates it" json_is rows 2
run split table.csv --folds 5 -o table --to csv
cat table-?.test | grep -v ^city | sort >tests.sorted
check "folds have them, too" [ "$(cat tests.sorted)" = "$(grep -v ^city table.sorted)" ]
run sample table.csv -n 2 --seed 1 -o t3.csv
check "and samples" [ "$(cat t3.csv)" = "$(cat t2.csv)" ]
printf '1 |a red:2 |b blue\n-1 |a green\n1 |b red\n' >x.vw
run split x.vw --fraction 0 -o y.vw z.vw
check "so do rows of Vowpal Wabbit" same x.vw y.vw

# Ratings stay as they are: ids and words, with all columns, whatever their order.
awk 'BEGIN { for (i = 1; i <= 60; i++) print i * 7 % 10 + 5 "," i * 11 % 7 + 90 "," i ",when " i }' >rows
for kind in ids words; do
    prefix=$([ $kind = ids ] || echo u)
    { echo userId,movieId,rating,seen && sed "s/^/$prefix/" rows; } >ratings.csv
    run split ratings.csv --format ratings --fraction 0.3 --seed 1 -o r1.csv r2.csv
    check "ratings of $kind: both parts have the heading" \
        [ "$(head -qn 1 r1.csv r2.csv | sort -u)" = userId,movieId,rating,seen ]
    check "ratings of $kind: each row is in one of them" \
        [ "$(grep -hv userId r1.csv r2.csv | sort)" = "$(grep -v userId ratings.csv | sort)" ]
    run train r1.csv --model bpr:factors=2 -o r.m --epochs 1
    run eval r.m r2.csv --known r1.csv --k 3 --json
    check "ratings of $kind: a part ranks the other" json_is k 3
    run sample ratings.csv -n 9 --seed 1 -o r3.csv
    check "ratings of $kind: a sample has the heading and nine rows" lines_are r3.csv 10
done

# The format is that of the ending.
run convert all.svm all.npz
run inspect all.npz --json
check "an ending is a format" json_is format '"npz"'
run convert all.svm all.svm.gz
check "compressed files are not written" exits 2
check "and the message says what to do" err_has "found the ending .gz"
check "and nothing is" no_file all.svm.gz
printf 'w,y\n' >wide.csv
awk 'BEGIN { for (i = 0; i < 600; i++) printf "word%d,%d\n", i, i % 2 }' >>wide.csv
run convert wide.csv out.csv
check "a table of gigabytes is refused" err_has "600 rows of 262144 columns, nearly all of them 0"
check "and nothing of it is written" no_file out.csv

refused() { # refused WHAT MESSAGE ARGS...
    what=$1 message=$2
    shift 2
    run split "$@"
    check "$what exits 2" exits 2
    check "$what: the message" err_has "$message"
}
refused "neither fraction nor folds" "one of --fraction and --folds" all.svm -o x y
refused "both" "one of --fraction and --folds" all.svm --fraction 0.5 --folds 2 -o x y
refused "a fraction above 1" "expected 0 to 1" all.svm --fraction 1.5 -o x y
refused "one fold" "--folds" all.svm --folds 1 -o x
refused "no output" "-o is missing" all.svm --fraction 0.5
refused "one output" "HELD is missing" all.svm --fraction 0.5 -o x
refused "one file for both" "the same file" all.svm --fraction 0.5 -o x x
refused "two outputs of folds" "only -o PREFIX" all.svm --folds 2 -o x y
refused "standard output for folds" "found -, which is standard output" all.svm --folds 2 -o -
check "nothing is written then" no_file x
run split all.svm --fraction 0.5 -o nowhere/x y
check "a folder that is not there exits 1" exits 1
finish
