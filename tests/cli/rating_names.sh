#!/bin/sh
# The names in the heading of ratings say which columns are users, items and ratings, for every command.
# shellcheck disable=SC2016 # awk expands the fields
. "$(dirname "$0")/checks.sh"
need_device

awk 'BEGIN { for (i = 1; i <= 400; i++) { u = i * 7 % 20; v = i * 11 % 13; print u + 5, v + 100, 1 + (u + v) % 5, i } }' >"$work/rows"
table() { # table FILE DELIMITER HEADING FIELDS: columns of the rows
    { echo "$3" && awk -v OFS="$2" "{ print $4 }" "$work/rows"; } >"$work/$1"
}
# Each has what usual.csv has, in other columns.
table usual.csv , userId,movieId,rating,timestamp '$1, $2, $3, $4'
table late.csv , user_id,item_id,timestamp,rating '$1, $2, $4, $3'
table wide.csv , user_id,price,item_id,color,rating '$1, $4, $2, "red", $3'
table index.csv , ,userId,movieId,rating 'NR - 1, $1, $2, $3'
table time.tsv '	' 'timestamp	user	item	rating' '$4, $1, $2, $3'
table swapped.csv , movieId,userId,rating '$2, $1, $3'
tables='late.csv wide.csv index.csv time.tsv swapped.csv'

trained() { # trained FILE MODEL NAME OPTIONS...
    file=$1 model=$2 name=$3
    shift 3
    run train "$work/$file" --model "$model" --epochs 2 --progress none -o "$work/$name" "$@" --json -
}
trained usual.csv fm fm
check "the usual columns need no note" err_lacks "users are the column"
run predict "$work/fm" "$work/usual.csv" -o "$work/expected"
trained usual.csv bpr:factors=4 bpr --valid "$work/usual.csv"
recall=$(json valid_recall)
run predict "$work/bpr" "$work/usual.csv" --k 3 -o "$work/items"
for file in $tables; do
    trained "$file" fm fm_other
    check "$file: a note says what the columns are" err_has "by the names in the heading"
    run predict "$work/fm_other" "$work/usual.csv" -o "$work/found"
    check "$file: the model is that of the usual columns" same "$work/found" "$work/expected"
    run predict "$work/fm" "$work/$file" -o "$work/found"
    check "$file: predict reads it the same way" same "$work/found" "$work/expected"
    run inspect "$work/$file" --json
    check "$file: inspect counts the users" json_is users 20
    trained "$file" bpr:factors=4 bpr_other --valid "$work/$file"
    check "$file: so does a ranking" json_is valid_recall "$recall"
    run predict "$work/bpr" "$work/$file" --k 3 -o "$work/found"
    check "$file: and its predictions" same "$work/found" "$work/items"
done
run inspect "$work/wide.csv"
check "other columns are named" err_has 'not used: "price", "color" (--label NAME reads a table of which all columns are used)'
run inspect "$work/wide.csv" --label rating --json
check "and read by --label" json_is format '"csv"'

table plain.csv , a,b,c,d '$1, $2, $3, $4'
trained plain.csv bpr:factors=4 bpr_other --valid "$work/plain.csv"
check "without known names the first columns are taken" json_is valid_recall "$recall"
check "which is said" err_has 'users are the column "a", items "b", ratings "c", the first ones'
tail -n +2 "$work/plain.csv" >"$work/bare.csv"
trained bare.csv bpr:factors=4 bpr_other
check "also without a heading" err_has "without a heading, the first fields are users, items and ratings"
table named.csv , score,film,user '$3, "film " $2, "u" $1'
trained named.csv fm fm_words --format ratings
check "words are found by names, too" err_has 'users are the column "user", items "film", ratings "score"'
run eval "$work/fm_words" "$work/named.csv"
check "and evaluated" exits 0
table more.csv , user,film,score '"u" $1, "film " $2, $3'
run predict "$work/fm_words" "$work/named.csv" -o "$work/expected"
run predict "$work/fm_words" "$work/more.csv" -o "$work/found"
check "in any columns" same "$work/found" "$work/expected"
finish
