#!/bin/sh
# sparcl train, eval and encode with models that are not linear, and linear models without settings.
. "$(dirname "$0")/checks.sh"
need_device

two_classes 300 >"$work/data.svm"

# ---- without settings

run train "$work/data.svm" -o "$work/auto" --json "$work/auto.json"
check "without settings: exits 0" exits 0
check "it says what it tried" err_has "C 0.01 "
cp "$work/auto.json" "$work/out"
check "it found the loss" json_is loss_function '"logistic"'
check "it is solved by lbfgs" json_is solver '"lbfgs"'
check "in five folds" json_is folds 5
run train "$work/data.svm" -o "$work/again" --progress none
check "the same run makes the same file" same "$work/auto" "$work/again"
check "--progress none says nothing" err_lacks "C 0.01"

run train "$work/data.svm" --solver lbfgs --l2 0.01 --l1 0.001 -o "$work/lbfgs" --progress none --json -
check "lbfgs exits 0" exits 0
check "and converges" json_is converged true
run train "$work/data.svm" --solver lbfgs -o "$work/none" --profile --progress none
check "lbfgs has a preset" exits 0
check "with its kernels" out_has loss_gradient
run train "$work/data.svm" --optimizer adam --epochs 50 --patience 1 --hold-out 0.5 --profile -o "$work/none" --progress none
check "so has a run that ends early" exits 0
run train "$work/data.svm" --solver lbfgs --dry-run
check "lbfgs has no plan" exits 2
run train "$work/data.svm" --solver lbfgs --model fm -o "$work/none"
check "lbfgs is for linear models" exits 2
check "which it says" err_has "lbfgs is for linear models"

# ---- an autoencoder

run train "$work/data.svm" --model autoencoder:units=16,k=3 --optimizer adam --epochs 3 -o "$work/ae" --progress none --json -
check "an autoencoder is trained" exits 0
check "with squared loss" json_is loss_function '"squared"'
run encode "$work/ae" "$work/data.svm" -o "$work/codes.sparcl" --json
check "encode exits 0" exits 0
check "3 units of each row" json_is nnz 900
check "of 16" json_is units 16
run train "$work/codes.sparcl" -o "$work/classifier" --progress none
check "codes are data to train with" exits 0
run predict "$work/ae" "$work/data.svm"
check "it predicts no labels" err_has "use sparcl_encode"
run encode "$work/auto" "$work/data.svm" -o "$work/none"
check "a linear model has no codes" err_has "has no codes"
run encode "$work/ae" "$work/data.svm"
check "encode needs -o" exits 2

# ---- a linear classifier on the codes, as a metric of the run

head -n 200 "$work/data.svm" >"$work/first.svm"
tail -n 100 "$work/data.svm" >"$work/last.svm"
probed() { # probed DATA OPTIONS...: an autoencoder with --probe; the result into $work/out
    run train "$@" --columns 30 --model autoencoder:units=16,k=3 --optimizer adam --epochs 3 -o "$work/ae" --probe --progress none --json -
}
probed "$work/first.svm" --valid "$work/last.svm"
check "--probe exits 0" exits 0
accuracy=$(json probe_accuracy) loss=$(json probe_loss) dead=$(json dead_units) train_loss=$(json probe_train_loss)
cp "$work/ae" "$work/ae.valid"
run encode "$work/ae" "$work/last.svm" -o "$work/last.sparcl"
run encode "$work/ae" "$work/first.svm" -o "$work/codes.sparcl" --json
check "it counts dead units as encode does" json_is dead_units "$dead"
run train "$work/codes.sparcl" --valid "$work/last.sparcl" --solver lbfgs --l2 0.001 -o "$work/classifier" --progress none --json -
check "its accuracy is that of encode and train" json_is valid_accuracy "$accuracy"
check "and the loss" json_is valid_loss "$loss"
check "and that of the training data" [ "$(printf %.6f "$(json loss)")" = "$(printf %.6f "$train_loss")" ]
probed "$work/data.svm" --hold-out-last 100
check "--hold-out-last validates with the last rows" json_is probe_loss "$loss"
check "and trains with the others" same_but_notes "$work/ae" "$work/ae.valid"
probed "$work/first.svm" --valid "$work/last.svm" --probe-l2 1
check "--probe-l2 is used" [ "$(json probe_loss)" != "$loss" ]
probed "$work/first.svm"
check "without validation data it exits 0" exits 0
check "and has the loss of the training data" [ -n "$(json probe_train_loss)$(json probe_loss)" ]
run train "$work/first.svm" --model fm --probe -o "$work/not"
check "a model without codes exits 2" exits 2
check "and says what was expected" err_has "--probe: expected a model with codes, such as --model autoencoder, found fm"
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 2 3\n1 1\n2 2\n3 1\n' >"$work/unlabelled.mtx"
run train "$work/unlabelled.mtx" --model autoencoder:units=4,k=1 --optimizer adam --probe -o "$work/not"
check "no labels exit 5" exits 5
check "with what to do" err_has "use --labels FILE"
sed 's/^[^ ]*/0.5/;2s/^[^ ]*/1.5/;3s/^[^ ]*/2.5/' "$work/first.svm" >"$work/real.svm"
run train "$work/real.svm" --model autoencoder:units=4,k=1 --optimizer adam --probe -o "$work/not"
check "labels that are no classes exit 5" exits 5
check "and are said to be" err_has "the labels are no classes"
check "nothing was trained" no_file "$work/not"
run train "$work/first.svm" --hold-out-last 200 -o "$work/not"
check "holding out all rows exits 2" exits 2
check "with the number of rows" err_has "--hold-out-last is 200, expected less than the 200 rows"
run train "$work/first.svm" --hold-out-last 20 --hold-out 0.1 -o "$work/not"
check "--hold-out-last with --hold-out exits 2" exits 2
run train "$work/first.svm" --hold-out-last 20 --valid "$work/last.svm" -o "$work/not"
check "and with --valid" exits 2
run train "$work/first.svm" --model autoencoder --probe --dry-run
check "--dry-run with --probe exits 2" exits 2

# ---- a graph network: a row is like its neighbours

awk 'BEGIN { for (i = 0; i < 300; i++) print i, (i * 7 + 3) % 300 }' >"$work/edges.txt"
run train "$work/data.svm" --graph "$work/edges.txt" --model gcn:hidden=8 --optimizer adam:lr=0.01 --epochs 20 \
    --per-class 20 --valid-nodes 50 --test-nodes 100 -o "$work/gcn" --progress none --json "$work/gcn.json"
check "without --graph-format this graph is refused" exits 5
run train "$work/data.svm" --graph "$work/edges.txt" --model gcn:hidden=8 --optimizer adam:lr=0.01 --epochs 20 \
    --graph-format edges --per-class 20 --valid-nodes 50 --test-nodes 100 -o "$work/gcn" --progress none --json "$work/gcn.json"
check "a graph network is trained" exits 0
cp "$work/gcn.json" "$work/out"
check "on 40 rows" json_is train_rows 40
check "and tested on 100" json_is test_rows 100
run eval "$work/gcn" "$work/data.svm" --graph "$work/edges.txt" --graph-format edges --json
check "it is evaluated on all rows" json_is rows 300
run predict "$work/gcn" "$work/data.svm" --graph "$work/edges.txt" --graph-format edges
check "and predicts them" [ "$(wc -l <"$work/out")" -eq 300 ]
cp "$work/out" "$work/labels"
run predict "$work/gcn" "$work/data.svm" --graph "$work/edges.txt" --graph-format edges --proba
awk '{ print $1 "\t" ($2 > $3 ? $2 : $3) }' "$work/out" >"$work/largest"
check "with the probability of each class" same "$work/labels" "$work/largest"
run predict "$work/gcn" "$work/data.svm"
check "predict needs --graph" err_has "--graph FILE is missing"
run train "$work/data.svm" --model gcn -o "$work/none"
check "gcn needs --graph" err_has "--graph FILE is missing"
run train "$work/data.svm" --graph "$work/edges.txt" -o "$work/none"
check "a linear model reads no graph" err_has "linear does not read a graph"

# ---- rankings

awk 'BEGIN { for (u = 0; u < 40; u++) { line = u; for (i = u % 4; i < 40; i += 4 + u % 3) line = line " " i; print line } }' >"$work/have.txt"
awk 'BEGIN { for (u = 0; u < 40; u++) print u, (u * 5 + 1) % 40 }' >"$work/test.txt"
for model in bpr lightgcn:layers=2; do
    run train "$work/have.txt" --format adjacency --columns 40 --model "$model" --optimizer adam --epochs 3 -o "$work/rank" --progress none
    check "$model is trained" exits 0
    run eval "$work/rank" "$work/test.txt" --format adjacency --known "$work/have.txt" --known-format adjacency --k 5 --json
    check "$model is evaluated" exits 0
    check "$model: for 40 users" json_is users 40
done
for passes in 'bpr 50' 'lightgcn 20'; do
    run train "$work/have.txt" --format adjacency --columns 40 --model "${passes% *}" -o "$work/rank" --progress none --json -
    check "$passes passes where nothing else is said" json_is epochs "${passes#* }"
done
run help models
check "which the help has" out_has "adam:lr=0.005, where no --optimizer is given; 50 passes"
# A run that goes on ends with the same bits.
for model in bpr:factors=8 lightgcn:factors=8; do
    rank() { # rank FILE OPTIONS...
        file=$1; shift
        run train "$work/have.txt" --format adjacency --columns 40 --model "$model" --optimizer adam --batch 50 --progress none -o "$work/$file" "$@"
    }
    rank whole --epochs 6
    rank part --epochs 4 --checkpoint "$work/$model.checkpoint"
    rank resumed --epochs 6 --checkpoint "$work/$model.checkpoint" --resume
    check "$model goes on with the same bits" same "$work/whole" "$work/resumed"
    check "$model was not begun anew" differ "$work/part" "$work/resumed"
done
run predict "$work/rank" "$work/have.txt" --format adjacency --k 3
check "items are recommended to 40 users" [ "$(wc -l <"$work/out")" -eq 40 ]
check "three of them" [ "$(head -1 "$work/out" | wc -w)" -eq 3 ]
run eval "$work/rank" "$work/test.txt" --format adjacency
check "eval needs --known" err_has "--known FILE is missing"

# ---- a deep network with sparse weights

printf '%%%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n2 2 1\n3 1 0.25\n' >"$work/y.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 0.5\n2 2 9\n' >"$work/w.mtx"
run infer "$work/y.mtx" "$work/w.mtx" --threshold 0.3 --cap 4 -o "$work/categories" --json
check "infer exits 0" exits 0
check "two rows have entries" json_is categories 2
check "three entries" json_is nnz 3
check "their numbers" [ "$(tr '\n' ' ' <"$work/categories")" = "1 2 " ]
run infer "$work/y.mtx" "$work/y.mtx"
check "layers must fit" err_has "layer 1 has 3 inputs, expected 2"
printf '%%%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 1e10\n1 2 1e10\n' >"$work/y.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n2 1 2\n1 1 3e38\n2 1 -3e38\n' >"$work/w.mtx"
run infer "$work/y.mtx" "$work/w.mtx"
check "results that are not finite are counted" err_has "1 of 1 rows have results that are not finite"

# ---- fields from the columns of CSV

printf 'y,a,b\n1,x,2\n0,z,0\n1,x,3\n' >"$work/t.csv"
printf 'y,label\na,hashed\nb,numeric\n' >"$work/t.columns"
run train "$work/t.csv" --csv-columns "$work/t.columns" --hash-bits 4 --model ffm:factors=2 --optimizer adagrad --epochs 2 -o "$work/t.model" --progress none
check "ffm reads the columns of CSV as fields" exits 0
run eval "$work/t.model" "$work/t.csv" --csv-columns "$work/t.columns"
check "also when the model is applied" exits 0

# ---- finite weights whose sums are outside of float32

printf '1e18 1:1e-20\n-1e18 2:1e-20\n%.0s' 1 2 3 >"$work/steep.svm"
run train "$work/steep.svm" --loss squared --solver lbfgs --no-bias -o "$work/steep" --progress none
check "weights of 1e38 are trained" exits 0
printf '0 1:5 2:5\n0 1:1e-20\n0 1:9\n0 2:9\n' >"$work/sums.svm"
for how in "" --widen; do # part by part, and at once
    run predict "$work/steep" "$work/sums.svm" $how
    check "infinity less infinity is computed $how" [ "$(sed -n 1p "$work/out")" = 0 ]
    check "rows that are not finite are counted $how" err_has "2 of 4 rows have predictions that are not finite: sums are outside of float32; the largest parameter of the model is 1e+38, in weight; scale the data"
done
run eval "$work/steep" "$work/sums.svm"
check "also by eval" err_has "2 of 4 rows have scores or losses that are not finite"
run train "$work/steep.svm" --valid "$work/sums.svm" --loss squared --solver lbfgs --no-bias -o "$work/steep" --progress none
check "also by train" err_has "2 of 4 rows have scores or losses that are not finite"
run predict "$work/steep" "$work/steep.svm"
check "others say nothing" err_lacks finite
finish
