#!/bin/sh
# The model of ratings or edges keeps the ids of users and items, or nodes: no command needs a map.
. "$(dirname "$0")/checks.sh"
need_device

# ratings FIRST LAST SEED: user,item,rating,time with large ids; the rating depends on both
ratings() {
    printf '%s\n' 'userId,movieId,rating,timestamp'
    awk -v first="$1" -v last="$2" 'BEGIN {
        for (i = first; i <= last; i++) {
            user = i * 7 % 20; item = i * 11 % 13
            printf "%d%012d,%.0f,%g,%d\n", user + 1, user, (item + 1) * 99999999999, 1 + (user + item) % 5, i
        }
    }'
}
ratings 1 300 | gzip >"$work/train.csv.gz"
ratings 301 400 >"$work/test.csv"
printf '%s\n' 5,7,3,1 5,99999999999,3,2 1000000000000,7,2,3 >"$work/unknown"
cat "$work/test.csv" "$work/unknown" >"$work/mixed.csv"

# ---- ratings as rows

run train "$work/train.csv.gz" --model fm --optimizer adam --epochs 1 --progress none -o "$work/usual" --json -
check "stars are numbers, not classes" json_is loss_function '"squared"'
gzip -dc "$work/train.csv.gz" | sed '2,$s/^/u/' >"$work/words.csv"
run train "$work/words.csv" --model fm --optimizer adam --epochs 1 --progress none -o "$work/usual" --json -
check "also of users that are words" json_is loss_function '"squared"'

trained() { # trained NAME OPTIONS...
    name=$1
    shift
    run train "$work/train.csv.gz" --model fm --loss squared --optimizer adam --epochs 3 --progress none \
        -o "$work/$name" "$@" --json -
}
run inspect "$work/train.csv.gz" --save-ids "$work/map"
trained m --valid "$work/test.csv"
check "train with --valid exits 0" exits 0
loss=$(json valid_loss)
run eval "$work/m" "$work/test.csv" --json
check "eval needs no map" json_is loss "$loss"
run eval "$work/m" "$work/test.csv" --json --id-map "$work/map"
check "with the map it is the same" json_is loss "$loss"
run predict "$work/m" "$work/test.csv" -o "$work/expected"
check "predict needs no map" exits 0
check "a line for each rating" lines_are "$work/expected" 100
run predict "$work/m" "$work/mixed.csv" -o "$work/found"
check "unknown ids are no error" exits 0
check "but counted" err_has "4 entries were left out: their ids are none of the 20 users and 13 items"
check "a line for each rating again" lines_are "$work/found" 103
head -n 100 "$work/found" >"$work/first"
check "the others are as before" same "$work/first" "$work/expected"
"$SPARCL" predict "$work/m" - <"$work/test.csv" >"$work/found"
check "also of a pipe" same "$work/found" "$work/expected"
run train "$work/test.csv" --start "$work/m" --model fm --loss squared --epochs 1 --progress none -o "$work/more"
check "--start reads as its model" exits 0
run eval "$work/more" "$work/train.csv.gz"
check "and keeps the ids" exits 0
run convert "$work/test.csv" "$work/test.sparcl" --id-map "$work/map"
run predict "$work/m" "$work/test.sparcl" -o "$work/found"
check "the binary form with these ids is read" same "$work/found" "$work/expected"
run convert "$work/mixed.csv" "$work/other.sparcl"
run predict "$work/m" "$work/other.sparcl"
check "with other ids it is refused" err_has "of the training data, found others"
run convert "$work/test.csv" "$work/numbers.svm" --to svmlight --id-map "$work/map"
run predict "$work/m" "$work/numbers.svm" --index-base 1 -o "$work/found"
check "numbers in place of ids are noted" err_has "its numbers are taken for the model's"
check "and are those of the map" same "$work/found" "$work/expected"
trained held --hold-out 0.1
run eval "$work/held" "$work/test.csv"
check "a model of a part has all ids" err_lacks "left out"

run show "$work/m" --nearest "item 99999999999" --top 2
check "show counts users and items" out_has "ids of 20 users and 13 items"
check "and names items by their ids" out_has "Nearest to item 99999999999, by factors"
run show "$work/m" --nearest 99999999999 --json
check "an id alone is an item's" out_has '"id": "item 99999999999"'
run show "$work/m" --nearest 0
check "a number is no id" err_has "the model has no column of this name"

# ---- words

printf '%s\n' alice,matrix,5 bob,matrix,3 alice,alien,4 carol,alien,2 >"$work/words"
{ echo user,item,rating && cat "$work/words"; } >"$work/words.csv"
run train "$work/words.csv" --model fm --loss squared --epochs 3 --progress none -o "$work/w"
check "users and items may be words" exits 0
check "which is said" err_has "users and items are words, 5 together"
printf '%s\n' user,item,rating dave,alien,1 bob,alien,1 17,3,2 >"$work/other.csv"
run predict "$work/w" "$work/other.csv"
check "the model has them" exits 0
check "unknown words are counted" err_has "3 words that the dictionaries of the description do not have"
check "and their rows predicted" lines_are "$work/out" 3
run show "$work/w" --nearest user=alice
check "show names them" out_has "Nearest to user=alice, by factors"
run inspect "$work/words" --format ratings --save-ids "$work/none"
check "inspect counts users" out_has "users          3"
check "and items" out_has "items          2"
check "words are no ids" err_has "use --save-columns FILE, which writes words"
run inspect "$work/words.csv" --json
check "inspect --json has the users" json_is users 3
check "and the items" json_is items 2
run inspect "$work/words.csv" --label rating --json
check "a table has none" json_is users 0
run train "$work/words" --format ratings --model fm --loss squared --epochs 3 --progress none -o "$work/w2"
run eval "$work/w2" "$work/words"
check "without a heading the format is named" exits 0

# ---- rankings

run train "$work/train.csv.gz" --model bpr:factors=4 --optimizer adam:lr=0.01 --epochs 3 --valid "$work/test.csv" \
    --progress none -o "$work/bpr" --json -
check "a ranking is trained with ratings" exits 0
check "its rows are the users" json_is rows 20
check "its columns the items" json_is cols 13
recall=$(json valid_recall)
run eval "$work/bpr" "$work/test.csv" --known "$work/train.csv.gz" --k 13 --json
check "eval reads both files with its ids" json_is recall "$recall"
printf '%s\n' '1000000000000,99999999999,5' '5,99999999999,5' >"$work/have"
run predict "$work/bpr" "$work/have" --format ratings --k 3
check "predict has a line for each known user" lines_are "$work/out" 1
check "by their ids" all_lines_match "$work/out" '^1000000000000	[0-9]{11,13}( [0-9]{11,13}){2}$'
check "unknown users are counted" err_has "1 entry was left out: its id is none of the "
printf '%s\n' 1000000000000,7,5 1000000000000,8,5 5,7,5 >"$work/lost"
run predict "$work/bpr" "$work/lost" --format ratings --k 3
check "known users of unknown items are counted" \
    err_has "1 known user has only items that the training data does not have, and is left out"
run show "$work/bpr" --nearest "user 1000000000000" --top 1
check "show names users by their ids" out_has "Nearest to user 1000000000000, by factors"
run train "$work/train.csv.gz" --model lightgcn:factors=4 --epochs 2 --hold-out 0.1 --progress none -o "$work/gcn"
check "ratings are held out" exits 0

# ---- rankings of words

# as_words FILE: users and items with names of two words, numbered in the order in which they come
as_words() {
    tail -n +2 "$1" | awk -F , -v OFS=, -v ids="${2-}" '
        !($1 in u) { u[$1] = ++users } !($2 in i) { i[$2] = ++items }
        ids { print u[$1], i[$2], $3; next } { print "User " u[$1], "\"Film, " i[$2] "\"", $3 }'
}
gzip -dc "$work/train.csv.gz" >"$work/train.csv"
as_words "$work/train.csv" >"$work/names"
as_words "$work/train.csv" ids >"$work/numbers"
{ echo customer,product,stars && cat "$work/names"; } >"$work/names.csv"
tr , '\t' <"$work/numbers" | sed 's/^/u/' >"$work/names.tsv"
# ranked FILE NAME OPTIONS...
ranked() {
    file=$1 name=$2
    shift 2
    run train "$file" --model bpr:factors=4 --optimizer adam:lr=0.01 --epochs 3 --progress none -o "$work/$name" "$@"
}
ranked "$work/numbers" by_numbers --json -
check "a table without a heading is ratings for a ranking" exits 0
objective=$(json objective)
for file in names names.csv names.tsv; do
    ranked "$work/$file" "of_$file" --json -
    check "$file: users and items are words" exits 0
    check "$file: a row for each user" json_is rows 20
    check "$file: trained as numbers are" json_is objective "$objective"
done
tail -n 60 "$work/names" >"$work/part"
printf '%s\n' customer,product,stars 'User 99,"Film, 1",5' >"$work/valid.csv"
cat "$work/part" >>"$work/valid.csv"
ranked "$work/names.csv" wordy --valid "$work/valid.csv" --json -
check "--valid reads the words of the training data" exits 0
check "and counts others" err_has "1 word is no user or item of the training data: there are no ratings of it"
recall=$(json valid_recall)
check "pairs of --valid that were trained on are counted" err_has "valid.csv: 60 of 60 pairs of a user and an item are also in the training data"
run eval "$work/wordy" "$work/valid.csv" --known "$work/names.csv" --k 13 --json
check "eval reads both files with its words" json_is recall "$recall"
check "pairs that users have are counted" err_has "60 of 60 pairs of a user and an item are also in $work/names.csv"
check "which gives nothing" err_has "recall, precision and ndcg are 0; evaluate pairs that were not trained on"
grep -v '^1,1,' "$work/numbers" >"$work/but_one"
{ echo 1,1,5 && grep -m 1 '^1,' "$work/but_one"; } >"$work/two"
run eval "$work/by_numbers" "$work/two" --known "$work/but_one" --k 13
check "also if they are some" err_has "1 of 2 pairs of a user and an item are also in"
check "which count as missed" err_has "they count as missed"
echo 1,1,5 >"$work/one"
run eval "$work/by_numbers" "$work/one" --format ratings --known "$work/but_one" --k 13
check "others are not noted" err_lacks "also in"
ranked "$work/names.csv" held --hold-out 0.1
check "words are held out" exits 0
ranked "$work/names.csv" last --hold-out-last 20
check "so are the last" exits 0
run train "$work/names.csv" --start "$work/wordy" --model bpr:factors=4 --optimizer adam:lr=0.01 --epochs 1 \
    --progress none -o "$work/more"
check "--start has the words of its model" exits 0
run train "$work/names" --model lightgcn:factors=4 --epochs 2 --hold-out 0.1 --progress none -o "$work/gcn"
check "lightgcn takes words" exits 0
printf '%s\n' customer,product 'User 3,"Film, 2"' 'nobody,"Film, 2"' >"$work/have"
run predict "$work/wordy" "$work/have" --k 2
check "predict prints a line for each known user" lines_are "$work/out" 1
check "with words between tabs" all_lines_match "$work/out" '^User 3	Film, [0-9]+	Film, [0-9]+$'
run predict "$work/by_numbers" "$work/numbers" --k 2
cut -f 2 "$work/out" | tr ' ' '\t' >"$work/expected"
run predict "$work/wordy" "$work/names.csv" --k 2
cut -f 2- "$work/out" | sed 's/Film, //g' >"$work/found"
check "which are those of the numbers" same "$work/found" "$work/expected"
run show "$work/wordy" --nearest "Film, 2" --top 1
check "show counts the words" out_has "words of 20 users and 13 items"
check "and names items by them" out_has "Nearest to item Film, 2, by factors"
run show "$work/wordy" --nearest "user User 3" --json
check "and users" out_has '"id": "user User 3"'
printf '%s\n' 1,2,3,4 5,6,7,8 >"$work/dense.csv"
run train "$work/dense.csv" --label 1 --model bpr --epochs 1 --progress none -o "$work/none"
check "a table of other features is refused" err_has "expected ratings"
check "with the remedy" err_has "describe two columns as dictionary, users and then items"
{ echo day,buyer,film && awk -F , '{ print NR "," $0 }' "$work/numbers" | cut -d , -f 1-3; } >"$work/log.csv"
printf '%s\n' buyer,dictionary film,dictionary '*,skip' >"$work/columns"
ranked "$work/log.csv" described --csv-columns "$work/columns" --json -
check "but one with two dictionaries is taken" json_is objective "$objective"

printf '%s\n' buyer,dictionary film,dictionary day,label >"$work/columns"
run train "$work/log.csv" --format ratings --csv-columns "$work/columns" --model fm --epochs 1 --progress none -o "$work/fm"
check "also by a model of ratings" exits 0
run show "$work/fm" --json
check "whose labels are numbers" json_is loss_function '"squared"'

# ---- ratings of words with other headings, and other tables -----------------------------------------
tail -n 3 "$work/names" | cut -d , -f 1-3 >"$work/bare"
{ echo who,what && cat "$work/bare"; } >"$work/other.csv"
run predict "$work/wordy" "$work/bare" --k 2
check "a file without a heading is read for a model with one" exits 0
check "which is said" err_has "the first fields are taken for users, items and ratings"
cp "$work/out" "$work/expected"
run predict "$work/wordy" "$work/other.csv" --k 2
check "and one with other names" same "$work/out" "$work/expected"
printf '%s\n' 'nobody;nothing;1,5' 'User 3;Film, 2;4' >"$work/unknown"
run predict "$work/wordy" "$work/unknown" --csv-heading no --k 2
check "unknown users and items are counted" err_has "2 words are no users or items of the training data"
check "and have no line" [ "$(wc -l <"$work/out")" -eq 1 ]
printf '%s\n' 'User 3;nothing;1' 'User 4;nothing;1' 'User 3;Film, 2;4' >"$work/unknown"
run predict "$work/wordy" "$work/unknown" --csv-heading no --k 2
check "also users of words" err_has "1 known user has only items that the training data does not have"
printf '%s\n' 'Eva;Wine;4,5' 'Eva;Bread;2' 'Bo;Wine;1,5' >"$work/commas"
run train "$work/commas" --model bpr:factors=2 --epochs 1 --progress none -o "$work/none"
check "decimal commas are read" err_has '"4,5" is read as 4.5'
check "and the first line is a row" fact_is rows 2
printf '%s\n' time,user,ad 1,u1,ad_1 2,u2,ad_2 >"$work/ads"
run train "$work/ads" --model bpr:factors=2 --epochs 1 --progress none -o "$work/none"
check "a third column of words is refused" err_has 'expected a rating, a finite number, in the column "ad", found "ad_1"'
check "with the remedy" err_has "a file of --csv-columns chooses others"

# ---- edges

printf '%s\n' '900000000000 7' '7 35' '35 900000000000' '35 8' '8 7' >"$work/edges"
run train "$work/edges" --format edges --compact-ids --model bpr:factors=2 --epochs 2 --progress none -o "$work/nodes"
check "edges with large ids are trained" exits 0
printf '%s\n' '8 7' '8 36' >"$work/some"
run predict "$work/nodes" "$work/some" --format edges --k 2
check "and read again by their ids" exits 0
check "unknown nodes are counted" err_has "1 edge was left out: its ids are none of the 4 nodes"
check "nodes are named" all_lines_match "$work/out" '^8	(8|35|900000000000) (8|35|900000000000)$'

finish
