#!/bin/sh
# sparcl report: a page with the curves and the table of two runs. (report_browser.sh looks at it in a browser.)
. "$(dirname "$0")/checks.sh"
need_device

awk 'BEGIN { for (i = 0; i < 400; i++) print (i % 3 ? 1 : -1) " " i % 7 + 1 ":1 " i % 11 + 8 ":0.5" }' >"$work/data.svm"
train() { # train NAME LOG OPTIONS...
    name=$1 log=$2
    shift 2
    run train "$work/data.svm" -o "$work/model" --batch 32 --epochs 4 --hold-out 0.2 --manifest "$work/$name.json" \
        --log "$work/$log" --progress none "$@"
    check "the run $name exits 0" exits 0
}
train 'a<b' first.log --optimizer adam --lr 0.02 --profile
train second second.csv --optimizer adagrad --lr 0.1
page=$work/page.html
# has TEXT: the page has it; counts N TEXT: on N lines
# shellcheck disable=SC2317 # called by name
has() { grep -qF -- "$1" "$page"; }
# shellcheck disable=SC2317 # called by name
counts() { [ "$(grep -cF -- "$2" "$page")" -eq "$1" ]; }
# shellcheck disable=SC2317 # called by name
lacks() { ! has "$1"; }
row() { # row NAME: the cells of a row of the table
    sed -n "s/^<tr><th>$1<\/th>//p" "$page" | sed 's/<\/td><td[^>]*>/ /g; s/<[^>]*>//g'
}
fact() { sed -n "s/^ *\"$2\": \([0-9.e-]*\),\{0,1\}\$/\1/p" "$work/$1.json" | head -n 1; }

run report "$work/a<b.json" "$work/second.json" -o "$page"
check "a report exits 0" exits 0
check "and prints nothing" out_is_empty
check "six plots: of passes, the calibration, and two of the scores" counts 6 '<svg '
check "of two curves each" counts 12 '<polyline '
bins=$(sed -n '/"valid_calibration"/,/^    \]/p' "$work/a<b.json" "$work/second.json" | grep -c '^      \[')
check "with a point for each pass, and each bin" counts $((24 + bins)) '<circle '
check "names are escaped" has '1: a&lt;b.json'
check "the calibration" has 'observed fraction'
check "a point has its values" grep -q '<title>2: second.json: [0-9.]* at 320</title>' "$page"
check "an option that differs" [ "$(row optimizer)" = "adam adagrad" ]
check "another" [ "$(row lr)" = "0.02 0.1" ]
check "an option that does not differ has no row" [ -z "$(row hold-out)" ]
check "the batch, which may be chosen, is a result" [ "$(row batch)" = "32 32" ]
check "files of results have no row" [ -z "$(row manifest)$(row log)$(row output)" ]
check "options are before metrics" [ "$(grep -n '<th>lr</th>' "$page" | cut -d: -f1)" -lt "$(grep -n '<th>loss</th>' "$page" | cut -d: -f1)" ]
check "the passes" [ "$(row epochs)" = "4 4" ]
loss=$(printf '%.5g %.5g' "$(fact 'a<b' loss)" "$(fact second loss)")
check "the loss is that of the manifests" [ "$(row loss)" = "$loss" ]
check "seconds" grep -qE '<th>seconds</th>(<td title="[0-9.e-]+">[0-9.e-]+</td>){2}' "$page"
check "times of the run with a profile" counts 1 '<h2>Times of run 1</h2>'
check "but not of the other" lacks 'Times of run 2'
check "device use" grep -q 'The device worked for [0-9.]* % of [0-9.]* s' "$page"
check "phases" grep -q '<td>host and waiting</td><td>[0-9.]*</td>' "$page"
check "uPlot is in the page, with its licence" has 'Copyright (c) 2021 Leon Sorokin'
check "nothing is loaded" [ -z "$(grep -oE '(src|href)="?(https?:|//)|@import|url\(' "$page")" ]

check "no row is there twice" [ -z "$(sed -n 's/^<tr><th>\([^<]*\).*/\1/p' "$page" | sort | uniq -d)" ]
best=$(awk -v a="$(fact 'a<b' valid_loss)" -v b="$(fact second valid_loss)" 'BEGIN { printf "%.5g", a < b ? a : b }')
check "the ranking begins with the best run" has "<tr class=\"best\"><td>1</td>"
check "by the loss of validation" has 'Ranking by valid_loss'
check "which is marked in the table" [ "$(sed -n 's/^<tr><th>valid_loss<\/th>.*class="best"[^>]*>\([^<]*\).*/\1/p' "$page")" = "$best" ]
check "the exact loss is in its title" has "title=\"$(printf %.17g "$(fact second loss)")\""
check "one data set needs no warning" lacks 'class="warning"'
sed 's/+1 /-1 /; s/:0.5/:0.25/' "$work/data.svm" | sed 5d >"$work/other.svm"
run train "$work/other.svm" -o "$work/model" --epochs 2 --optimizer adam:lr=0.02 --manifest "$work/other.json" --progress none
run report "$work/a<b.json" "$work/other.json" "$work/second.json" -o "$page"
check "runs of different data exit 0" exits 0
check "with a warning" has 'not all of the same data'
check "that names both" has 'other.svm (399 rows)'
check "each set has a ranking" counts 2 '<tr class="best"><td>1</td>'
check "and nothing is marked as the best of all" lacks '<td class="best"'
run train "$work/data.svm" -o "$work/model" --batch 32 --epochs 4 --hold-out 0.2 --seed 9 --optimizer adam:lr=0.02 --manifest "$work/seed.json" --progress none
run report "$work/a<b.json" "$work/seed.json" -o "$page"
check "other rows held out of a file are of the same data" lacks 'class="warning"'

for limit in 1e-6 1e6; do
    sed "s/\"copy_gb_s\": [0-9.e+-]*/\"copy_gb_s\": $limit/" "$work/a<b.json" >"$work/limit$limit.json"
    run report "$work/limit$limit.json" -o "$work/limit$limit.html"
done
page=$work/limit1e-6.html
check "rates above the limit of memory are explained" has 'what is above the limit came from caches'
page=$work/limit1e6.html
check "others are not" lacks 'came from caches'
page=$work/page.html

run report "$work/first.log" "$work/second.csv" -o "$page"
check "logs exit 0" exits 0
check "and have the same curves" counts 24 '<circle '
check "and the last metrics" [ "$(row epochs)" = "4 4" ]
run report "$work/second.json"
check "without -o the page is on standard output" out_has '</html>'

echo old >"$page"
run report "$work/second.json" "$work/none" -o "$page"
check "a missing file exits 1" exits 1
check "and is named" err_has "$work/none: cannot be read"
check "and the page that was there stays" [ "$(cat "$page")" = old ]
run report "$work/data.svm" -o "$page"
check "a data file exits 5" exits 5
check "with its line" err_has "data.svm:1: expected a manifest"
printf 'x,y\n' >>"$work/second.csv"
run report "$work/second.csv" -o "$page"
check "a damaged log exits 5" exits 5
check "with the line" err_has 'second.csv:6: expected'
: >"$work/empty"
run report "$work/empty" -o "$page"
check "an empty file exits 5" exits 5
run report "$work" -o "$page"
check "a folder exits 1" exits 1
finish
