#!/bin/sh
# eval, class by class: precision, recall, the confusion matrix, and the ROC and precision-recall curves, with numbers by hand.
. "$(dirname "$0")/checks.sh"
need_device

# The score of a row is x, as the weight is 1: labels and scores are known.
weight_1() { # weight_1 LABELS LOSS MODEL: a linear model of one column and as many outputs as classes
    python3 -c "
import json, struct, sys
labels, loss, path = sys.argv[1:]
classes = len(labels.split())
outputs = classes if loss == 'softmax' else 1
weights = [1.0 if loss != 'softmax' or r == c else 0.0 for r in range(outputs) for c in range(outputs)]
meta = dict(format='sparcl.1', kind='linear', labels=labels, loss=loss, optimizer='sgd', columns=str(outputs), outputs=str(outputs),
            classes=str(classes), index_base='1', bias='0', lr='0.1', l2='0', momentum='0', beta1='0', beta2='0', epsilon='0', epochs='1',
            batch='0', seed='0', data_fingerprint='0' * 16)
size = 4 * len(weights)
head = json.dumps({'__metadata__': meta, 'weight': dict(dtype='F32', shape=[outputs, outputs], data_offsets=[0, size])})
head += ' ' * (-len(head) % 8)
open(path, 'wb').write(struct.pack('<Q', len(head)) + head.encode() + struct.pack('<%df' % len(weights), *weights))" "$@"
}
weight_1 '0 1' logistic "$work/two"
# Three rows have the score 0.75, of both classes.
printf '%s\n' '0 1:0.75' '1 1:2' '0 1:-1' '1 1:0.75' '1 1:-3' '1 1:0.75' >"$work/two.svm"
run eval "$work/two" "$work/two.svm"
check "two classes: exits 0" exits 0
check "precision and recall of the lower label" grep -qE '^0 +2 +0\.5 +0\.5 +0\.5$' "$work/out"
check "and of the higher one" grep -qE '^1 +4 +0\.75 +0\.75 +0\.75$' "$work/out"
check "the confusion matrix" sh -c "sed -n '/by the predicted one/,\$p' '$work/out' | tr -s ' \n' ' ' | grep -q 'LABEL 0 1 0 1 1 1 1 3 '"
run eval "$work/two" "$work/two.svm" --json
check "--json has them" python3 -c "
import json, math
m = json.load(open('$work/out'))
assert m['confusion'] == [[1, 1], [1, 3]], m
assert m['class_metrics'] == [dict(label=0, rows=2, predicted=2, precision=.5, recall=.5, f1=.5),
                              dict(label=1, rows=4, predicted=4, precision=.75, recall=.75, f1=.75)], m
curve = m['curve']
assert curve[0] == [None, 0, 0, 1]
p = lambda s: 1 / (1 + math.exp(-s))
expected = [(p(2), 0, .25, 1), (p(.75), .5, .75, .75), (p(-1), 1, .75, .6), (p(-3), 1, 1, 4 / 6)]
assert len(curve) == 5
for found, hand in zip(curve[1:], expected):
    assert all(abs(a - b) < 1e-12 for a, b in zip(found, hand)), (found, hand)"
run eval "$work/two" "$work/two.svm" --svg "$work/curves.svg"
check "--svg: exits 0" exits 0
check "two plots" sh -c "grep -c '<polyline' '$work/curves.svg' | grep -qx 4"
check "the ROC curve through the point of equal scores" grep -q 'points="70.0,340.0 70.0,265.0 350.0,115.0 630.0,115.0 630.0,40.0 "' "$work/curves.svg"
check "the area" grep -q 'AUC 0.6250' "$work/curves.svg"
check "the precision-recall curve" grep -q 'average precision ' "$work/curves.svg"
check "no point is drawn" no_line_matches "$work/curves.svg" '<circle'
# Above 0.68, the probability of the score 0.75, only the row of the score 2 is taken for the higher class.
run eval "$work/two" "$work/two.svm" --threshold 0.7 --json
check "--threshold: accuracy, F1, the classes and the matrix are those of that choice" python3 -c "
import json
m = json.load(open('$work/out'))
assert m['threshold'] == .7
assert m['confusion'] == [[2, 0], [3, 1]], m
assert m['accuracy'] == .5 and m['f1'] == .4, m
assert m['class_metrics'][1] == dict(label=1, rows=4, predicted=1, precision=1, recall=.25, f1=.4), m
assert m['auc'] == .625 and len(m['curve']) == 5"
run eval "$work/two" "$work/two.svm" --threshold 0
check "--threshold 0: all rows are taken for it" grep -qE '^1 +4 +0\.666667 +1 +0\.8$' "$work/out"
run predict "$work/two" "$work/two.svm" --threshold 0.7
check "as predict does" [ "$(cut -f 1 "$work/out" | tr '\n' ' ')" = '0 1 0 0 0 0 ' ]
run eval "$work/two" "$work/two.svm" --threshold 1.5
check "another threshold exits 2" exits 2
check "and is refused" err_has "--threshold is 1.5, expected a probability, 0 to 1"
printf '%s\n' '1 1:1' '1 1:2' >"$work/ones.svm"
run eval "$work/two" "$work/ones.svm" --svg "$work/none.svg"
check "--svg without one class exits 5" exits 5
check "and says why" err_has "none.svg: not written: curves are of two classes, found rows of only one"
check "nothing is written" no_file "$work/none.svg"
run eval "$work/two" "$work/ones.svm"
check "a class without rows has no recall" grep -qE '^0 +0 +- +- +-$' "$work/out"

# Three classes, of which one is never predicted.
weight_1 '5 6 7' softmax "$work/three"
printf '%s\n' '5 1:1' '5 2:1' '6 2:1' '6 2:2' '7 1:3' >"$work/three.svm"
run eval "$work/three" "$work/three.svm" --threshold 0.5
check "--threshold is for two classes" err_has "--threshold is for two classes, the model has 3"
run eval "$work/three" "$work/three.svm" --json
check "three classes" python3 -c "
import json
m = json.load(open('$work/out'))
assert m['confusion'] == [[1, 1, 0], [0, 2, 0], [1, 0, 0]], m
assert [(c['label'], c['precision'], c['recall'], c['f1']) for c in m['class_metrics']] == [(5, .5, .5, .5), (6, 2 / 3, 1, .8), (7, None, 0, 0)], m
assert 'curve' not in m"
run eval "$work/three" "$work/three.svm" --svg "$work/none.svg"
check "--svg of three classes exits 5" exits 5
check "and says what is expected" err_has "curves are of two classes, found a model of more"
# Many classes: bounded.
many() { # many COUNT: a model of so many classes, and data
    weight_1 "$(seq -s ' ' 1 "$1")" softmax "$work/many"
    awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i += 7) print i " " i ":1" }' >"$work/many.svm"
}
many 30
printf '%s\n' '3 5:1' '3 5:2' '9 5:1' >>"$work/many.svm"
run eval "$work/many" "$work/many.svm"
check "of 30 classes the worst are printed" out_has "Lowest F1, of 30 labels (--json has up to 1000):"
check "the worst first" sh -c "sed -n '/^LABEL *ROWS/{n;p}' '$work/out' | grep -qE '^3 +2 +- +0 +0$'"
check "with the pairs that are confused, most often first" sh -c "sed -n '/^LABEL PREDICTED/,\$p' '$work/out' | tr -s ' \n' ' ' | grep -qx 'LABEL PREDICTED ROWS 3 5 2 9 5 1 '"
run eval "$work/many" "$work/many.svm" --json
check "but are in the JSON, with their matrix" python3 -c "
import json
m = json.load(open('$work/out'))
assert len(m['class_metrics']) == 30 and len(m['confusion']) == 30 and m['confusion'][7][7] == 1"
many 1200
run eval "$work/many" "$work/many.svm" --json
check "1200 classes: neither" python3 -c "
import json
m = json.load(open('$work/out'))
assert m['accuracy'] == 1 and m['class_metrics'] is None and m['confusion'] is None"

# Weights of rows, and labels that the model does not know: sums of weights.
printf '%s\n' '0 1:0.75' '1 1:2' '9 1:5' '1 1:-3' >"$work/unknown.svm"
run eval "$work/two" "$work/unknown.svm" --json
check "rows of unknown labels are not counted" python3 -c "
import json
m = json.load(open('$work/out'))
assert m['confusion'] == [[0, 1], [1, 1]] and m['unknown_labels'] == 1, m"
python3 -c "
import struct
head = \"{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }\"
head += ' ' * (-(len(head) + 11) % 64) + chr(10)
open('$work/weights.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack('<6d', 2, .5, 1, 0, 4, 8))"
run eval "$work/two" "$work/two.svm" --weights "$work/weights.npy" --json
check "weights of rows are added" python3 -c "
import json
m = json.load(open('$work/out'))
assert m['confusion'] == [[1, 2], [4, 8.5]], m
assert m['class_metrics'][1]['rows'] == 12.5 and m['class_metrics'][1]['precision'] == 8.5 / 10.5, m"

# What is not for classes.
weight_1 '' squared "$work/number"
run eval "$work/number" "$work/two.svm" --json
check "numbers have no classes" sh -c "! grep -q class_metrics '$work/out'"
run eval "$work/number" "$work/two.svm" --svg "$work/none.svg"
check "--svg of numbers exits 5" exits 5

# Training with validation data has the curve in its manifest, for the report.
two_classes 200 >"$work/train.svm"
run train "$work/train.svm" --hold-out 0.3 --epochs 2 -o "$work/model" --manifest "$work/run.json"
run report "$work/run.json"
check "the report has the ROC curve" out_has 'true positive rate (recall)'
check "and the precision-recall curve" out_has 'precision-recall curve'
run train "$work/train.svm" --hold-out 0.3 --epochs 3 -o "$work/model" --manifest "$work/other.json"
run diff "$work/run.json" "$work/other.json"
check "diff does not list the points of curves" out_lacks valid_curve
check "the bins of the calibration are one line" grep -qE '^result.valid_calibration +[0-9]+ values differ \(--all lists them\)$' "$work/out"
check "and the passes" grep -qE '^passes +[0-9]+ values differ' "$work/out"
run diff "$work/run.json" "$work/other.json" --all
check "--all: each value" grep -qE '^result.valid_calibration\.[0-9]+\.[0-9]+ +[0-9.]+ +[0-9.]+$' "$work/out"
finish
