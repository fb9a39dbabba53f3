#!/bin/sh
# sparcl show: what a model is, its largest weights by name, what is near to an id; and models where data are expected, the
# other way round, and in the wrong order.
. "$(dirname "$0")/checks.sh"
need_device

# Column 2 decides: twice as much as column 1, which varies less; column 3 is always 0.
awk 'BEGIN { for (i = 0; i < 200; i++) { a = i % 5 / 10; b = i % 7; print (b > 3) " 1:" a " 2:" b " 4:" (i % 3) } }' >"$work/two.svm"
run train "$work/two.svm" -o "$work/two"
run show "$work/two"
check "a linear model: exits 0" exits 0
check "nothing on standard error" err_is_empty
check "its kind" fact_is "kind" "linear"
check "its loss" fact_is "loss function" "logistic"
check "its labels" fact_is "classes" "2: 0, 1"
check "what the columns are" fact_is "columns are" "numbers from 1"
check "its solver" fact_is solver "lbfgs:.*"
check "its size" fact_is bytes "$(wc -c <"$work/two")"
check "its parameters" grep -qE '^weight +4 x 1 +3 +16 B$' "$work/out"
check "for which label the weights are" out_has "Largest weights (above 0: for the label 1):"
check "the largest weight, by the number in the data" sh -c "sed -n '/^NAME/{n;p}' '$work/out' | grep -qE '^2 +[0-9.]+ +-$'"
check "a weight of 0 is none of them" no_line_matches "$work/out" '^3 '
check "what its settings were chosen by" grep -qE '^held out accuracy +[01](\.[0-9]+)?$' "$work/out"
check "its data, without the folder" grep -qE '^data +two\.svm$' "$work/out"
check "and the rows of them" grep -qE '^rows +200$' "$work/out"
run show "$work/two" --top 1 --json
check "--json: an object" python3 -c "
import json
m = json.load(open('$work/out'))
assert m['kind'] == 'linear' and m['labels'] == [0, 1] and m['cols'] == 4 and m['index_base'] == 1, m
assert [p['shape'] for p in m['parameters']] == [[4, 1], [1]] and m['parameters'][0]['nonzero'] == 3
(w,) = m['weights']
assert w['class'] == '1' and isinstance(w['bias'], float)
(e,) = w['largest']
assert e['name'] == '2' and e['column'] == 1 and e['importance'] is None"
run show "$work/two" --data "$work/two.svm" --json
check "--data: |weight| x standard deviation, with zeros" python3 -c "
import json, statistics
m = json.load(open('$work/out'))
columns = {'1': [i % 5 / 10 for i in range(200)], '2': [i % 7 for i in range(200)], '4': [i % 3 for i in range(200)]}
found = m['weights'][0]['largest']
assert len(found) == 3
for e in found:
    expected = abs(e['weight']) * statistics.pstdev(columns[e['name']])
    assert abs(e['importance'] - expected) < 1e-5 * expected, (e, expected)
assert [e['importance'] for e in found] == sorted((e['importance'] for e in found), reverse=True)"

# Notes: what came of the validation, by which options.
mkdir "$work/there"
cp "$work/two.svm" "$work/there/it's.svm"
run train "$work/there/it's.svm" --valid "$work/there/it's.svm" --epochs 2 --lr 0.5 --no-bias --bias --progress none --device auto \
    --calibrate platt -o "$work/noted" --json "$work/result"
run show "$work/noted" --json
check "the metrics of the validation, and the options, without what changes no model" python3 -c "
import json
notes, result = json.load(open('$work/out'))['notes'], json.load(open('$work/result'))
assert notes['options'] == \"--valid 'it'\\\\''s.svm' --calibrate platt --lr 0.5 --epochs 2 --bias\", notes
assert notes['data'] == \"it's.svm\" and notes['rows'] == 200, notes
metrics = {key: value for key, value in notes.items() if key.startswith('valid_')}
assert metrics == {key: value for key, value in result.items() if key in metrics}, notes
assert {'valid_loss', 'valid_accuracy', 'valid_auc', 'valid_best_constant_loss'} <= set(metrics), notes"
cp "$work/noted" "$work/first"
run train "$work/there/it's.svm" --lr 0.5 --bias --calibrate platt --epochs 2 --valid "$work/there/it's.svm" -o "$work/noted" -q
check "the same options in another order: the same file" same "$work/first" "$work/noted"
run train "$work/there/it's.svm" --lr 0.5 --epochs 2 -o "$work/plain" -q
run show "$work/plain" --json
check "without validation there are no notes" json_is notes '{}'
printf 'weather\ntemperature\n' >"$work/names"
run show "$work/two" --names "$work/names"
check "--names: a name in each line" out_has "temperature "
check "a column without a name has its number" grep -q '^4 ' "$work/out"
check "which is said" err_has "2 names; the other 2 columns have none"
seq 5 >"$work/five"
run show "$work/two" --names "$work/five"
check "more names than columns exit 5" exits 5
check "with the line" err_has "five:5: expected at most 4 names, one for each column of the model, found more"
printf 'a\0b\n' >"$work/nul"
run show "$work/two" --names "$work/nul"
check "names with a NUL byte exit 5" exits 5
printf 'a\033[31m\nb\nc\nd\n' >"$work/colors"
run show "$work/two" --names "$work/colors"
check "names do not control the terminal" out_has "a?[31m"
run show "$work/two" --names "$work/none"
check "names that are not there exit 1" exits 1

# A table: names of all kinds; words of labels.
awk 'BEGIN { print "age,visits,city,answer"; split("Rome|Paris|\"New York, NY\"", city, "|")
    for (i = 0; i < 120; i++) print 20 + i * 7 % 41 "," (i % 4 ? i % 3 : 1000) "," city[i % 3 + 1] "," (i % 3 == 1 ? "yes" : "no") }' >"$work/table.csv"
printf '%s\n' 'answer,label,no,yes' 'age,numeric' 'visits,log' 'city,dictionary' >"$work/columns"
run train "$work/table.csv" --csv-columns "$work/columns" -o "$work/table"
run show "$work/table"
check "a table: what its columns are" fact_is "columns are" "CSV; label answer; numbers: 2; words: 1"
check "a table: words of labels" fact_is classes "2: 0 \\(no\\), 1 \\(yes\\)"
check "for which word the weights are" out_has "(above 0: for the label 1 (yes))"
check "a word of a dictionary" out_has "city=Paris "
check "a logarithm" out_has "log(1 + |visits|) "
check "a standardized column has its importance" grep -qE '^age +(-?)([0-9.e-]+) +\2$' "$work/out"
check "others have none" grep -qE '^city=Paris +[0-9.]+ +-$' "$work/out"
run show "$work/table" --data "$work/table.csv"
check "with --data they have one" grep -qE '^city=Paris +[0-9.]+ +[0-9.]+$' "$work/out"

# Classes.
awk 'BEGIN { for (i = 0; i < 90; i++) print i % 3 + 5 " " i % 3 + 1 ":1 " i % 7 + 4 ":0.5" }' >"$work/three.svm"
run train "$work/three.svm" --loss softmax --epochs 3 -o "$work/three"
run show "$work/three" --top 1
check "classes: the largest of each" sh -c "sed -n '/^LABEL/,\$p' '$work/out' | awk 'NR > 1 { if (\$1 != \$2 + 4) exit 1; n++ } END { exit n != 3 }'"
run show "$work/three" --class 6 --json
check "--class: only that one" python3 -c "
import json
(w,) = json.load(open('$work/out'))['weights']
assert w['class'] == '6' and w['largest'][0]['name'] == '2'"
run show "$work/three" --class 9
check "a class that is not there exits 2" exits 2
check "and is named" err_has "--class 9: the model has no weights of this class"

# Ids.
printf '%s\n' '1 900000000000:1 7:1' '0 12:1' '1 900000000000:2' '0 12:1 7:1' >"$work/ids.svm"
run train "$work/ids.svm" --compact-ids --epochs 2 -o "$work/ids"
run show "$work/ids"
check "ids are as in the data" grep -q '^900000000000 ' "$work/out"
run train "$work/ids.svm" --hash-bits 6 --epochs 2 -o "$work/hashed"
run show "$work/hashed"
check "hashed ids are hashes" grep -qE '^hash [0-9]+ ' "$work/out"
check "with their bits" out_has "hashed ids (--hash-bits 6)"
check "which have their names in the data, as is said" err_has '"hash N" is the column of a word or an id whose name the model does not keep; --data FILE has its name'
run show "$work/hashed" --data "$work/ids.svm"
check "--data: hashed ids have their names" grep -q '^900000000000 ' "$work/out"
check "and need no note" err_lacks "hash N"
printf '%s\n' 'answer,label,no,yes' 'city,hashed' '*,skip' >"$work/hashing"
run train "$work/table.csv" --csv-columns "$work/hashing" -o "$work/cities"
run show "$work/cities"
check "words of a table have their names, which a model keeps" [ "$(sed -n 's/^city=\(.*[^ ]\) *-*[0-9.]* *-$/\1/p' "$work/out" | sed 's/ *-*[0-9.]*$//' | sort | tr '\n' ';')" = 'New York, NY;Paris;Rome;' ]
check "so that no note is needed" err_lacks "hash N"
check "they are no fact" out_lacks column_names
run train "$work/table.csv" --csv-columns "$work/hashing" --hash-bits 4 -o "$work/small"
run show "$work/small"
check "a small model has no room for them" grep -qE '^hash [0-9]+ ' "$work/out"
run train "$work/table.csv" --csv-columns "$work/hashing" --epochs 2 -o "$work/plain"
check "an unvalidated training has no notes" sh -c "! grep -aq note '$work/plain'"
run show "$work/cities" --data "$work/table.csv" --json
check "with --data they have their names" python3 -c "
import json
m = json.load(open('$work/out'))
assert sorted(e['name'] for e in m['weights'][0]['largest']) == ['city=New York, NY', 'city=Paris', 'city=Rome'], m['weights']"
"$SPARCL" show "$work/cities" --data - <"$work/table.csv" >"$work/out" 2>"$work/err"
check "not from a pipe" err_has "names of hashed columns need a file that can be read twice"
printf '%s\n' '1 |place Rome |who Ann' '-1 |place Oslo | plain' '1 |place Rome' >"$work/words.vw"
run train "$work/words.vw" --epochs 3 -o "$work/words"
run show "$work/words" --data "$work/words.vw"
check "names of Vowpal Wabbit text" grep -q '^place^Rome ' "$work/out"
check "and without a namespace" grep -q '^plain ' "$work/out"

# Vectors.
awk 'BEGIN { for (i = 0; i < 120; i++) print i % 2 " " i % 2 + 1 ":1 " i % 2 + 3 ":1 " i % 5 + 5 ":1" }' >"$work/pairs.svm"
run train "$work/pairs.svm" --model fm:factors=4,init=0.1 --optimizer adagrad:lr=0.2 --epochs 20 -o "$work/fm"
run show "$work/fm" --nearest 1 --json
check "--nearest: the cosines of all others" python3 -c "
import json, struct
raw = open('$work/fm', 'rb').read()
n = struct.unpack('<Q', raw[:8])[0]
begin, end = json.loads(raw[8:8 + n])['factors']['data_offsets']
v = struct.unpack('<%df' % ((end - begin) // 4), raw[8 + n + begin:8 + n + end])
rows = [v[i * 4:i * 4 + 4] for i in range(9)]
dot = lambda a, b: sum(x * y for x, y in zip(a, b))
cosine = lambda a, b: dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5
found = json.load(open('$work/out'))['nearest']
assert found['id'] == '1' and found['of'] == 'factors'
expected = sorted(((-cosine(rows[0], rows[i]), str(i + 1)) for i in range(1, 9)))
assert [e['name'] for e in found['nearest']] == [name for _, name in expected]
for e, (c, _) in zip(found['nearest'], expected):
    assert abs(e['cosine'] + c) < 1e-6"
seq 9 | sed 's/^/f/' >"$work/nine"
run show "$work/fm" --nearest f3 --names "$work/nine" --top 2
check "by name" out_has "Nearest to f3, by factors:"
check "as many as --top" sh -c "sed -n '/COSINE/,\$p' '$work/out' | wc -l | grep -qx 3"
run show "$work/fm" --nearest f3
check "a name that is not there exits 2" exits 2
run train "$work/table.csv" --csv-columns "$work/hashing" --model fm --optimizer adagrad --epochs 3 -o "$work/cities-fm"
run show "$work/cities-fm" --nearest city=Paris --data "$work/table.csv" --json
check "a hashed word by name; columns that training did not see are left out" python3 -c "
import json
n = json.load(open('$work/out'))['nearest']
assert n['id'] == 'city=Paris' and sorted(e['name'] for e in n['nearest']) == ['city=New York, NY', 'city=Rome'], n"
run show "$work/cities-fm" --nearest city=Lima
check "a word that training did not see exits 2" exits 2
check "and says why" err_has "--nearest city=Lima: its vector is not trained, as the training data do not have it"
run show "$work/two" --nearest 1
check "a model without vectors exits 2" exits 2
check "and says which have some" err_has "expected a model with vectors of columns, such as fm"
awk 'BEGIN { for (u = 0; u < 8; u++) print u " " (u % 2) " " 2 + (u % 2) }' >"$work/users"
run train "$work/users" --format adjacency --model bpr:factors=4 --epochs 3 -o "$work/bpr"
run show "$work/bpr" --nearest 1
check "a ranking: exits 0" exits 0
check "its users" out_has "users            8"
check "an item is compared with items" sh -c "sed -n '/COSINE/,\$p' '$work/out' | sed 1d | grep -cE '^item [023] ' | grep -qx 3"
run show "$work/bpr" --nearest "user 1" --top 100
check "a user with users" sh -c "sed -n '/COSINE/,\$p' '$work/out' | sed 1d | grep -cE '^user [0-7] ' | grep -qx 7"
run show "$work/bpr" --class 1
check "a ranking has no weights of classes" exits 2

# Options for data that are not there.
run show "$work/two" --format csv
check "--format without --data exits 2" exits 2
check "and says so" err_has "--format is for --data FILE, which is missing"

# What is no model.
run show "$work/two.svm"
check "data: exits 5" exits 5
check "what is expected" err_has "two.svm: expected a model, as 'sparcl train -o' writes it, found another file"
check "and what describes data" err_has "'sparcl inspect' describes a data file"
head -c 100 "$work/two" >"$work/cut"
run show "$work/cut"
check "a model that is cut: exits 5" exits 5
check "and is one" err_has "train the model again"
: >"$work/empty"
run show "$work/empty"
check "an empty file: exits 5" exits 5
for command in inspect validate "train -o $work/x" "sample -n 1 -o $work/x"; do
    # shellcheck disable=SC2086 # words
    run $command "$work/two"
    check "$command of a model: exits 5" exits 5
    check "and names 'sparcl show'" err_has "two: expected data, found a safetensors file, such as a model; 'sparcl show' describes a model"
done
run inspect "$work/two" --format svmlight
check "also where a format is given" err_has "expected data, found a safetensors file"
code=0
"$SPARCL" inspect - <"$work/two" >"$work/out" 2>"$work/err" || code=$?
check "and from a pipe" err_has "standard input: expected data, found a safetensors file"
for command in eval predict; do
    run $command "$work/two.svm" "$work/two"
    check "$command DATA MODEL: exits 5" exits 5
    check "and says that the model comes first" err_has "two.svm: this is a data file, expected a model: the model comes first"
    check "and the right order" err_has "$work/two $work/two.svm"
    run $command "$work/two" "$work/two"
    check "$command MODEL MODEL: names the second" err_has "two: expected data, found a safetensors file"
    run $command "$work/two.svm" "$work/two.svm"
    check "$command DATA DATA: names the first" err_has "two.svm: expected a model, as 'sparcl train -o' writes it"
done
run train "$work/two.svm" --start "$work/two.svm" --epochs 1 -o "$work/x"
check "train --start DATA: expects a model" err_has "two.svm: expected a model"
check "nothing was written" no_file "$work/x"
finish
