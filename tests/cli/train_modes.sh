#!/bin/sh
# Each option of train in each kind of training: it acts, or a note or an error names it. The choice of
# settings, and models that a constant would beat.
. "$(dirname "$0")/checks.sh"
need_device

two_classes 40 >"$work/data.svm"
run train "$work/data.svm" -o "$work/begin" --epochs 1
check "a model to begin with" exits 0

# Option, its value (-: none), and where it acts: search, steps, lbfgs, rate.
cat >"$work/partial" <<'LIST'
optimizer adam steps rate
parameter-optimizers weight=sgd:lr=0.1 steps
lr 0.1 steps
momentum 0.5 steps rate
beta1 0.5 steps rate
beta2 0.5 steps rate
epsilon 1e-3 steps rate
exact - steps rate
batch 32 steps rate
patience 2 steps
schedule cosine steps
clip-value 1 steps rate
clip-norm 1 steps rate
clip-global-norm 1 steps
dry-run - steps
epochs 2 steps lbfgs
l2 0.1 steps lbfgs rate
start BEGIN steps lbfgs
max-hours 1 steps lbfgs
checkpoint STATE steps lbfgs
solver steps steps lbfgs
stream - steps
l1 0.1 lbfgs
tolerance 0.1 lbfgs
gradient-tolerance 0.1 lbfgs
select auc search rate
raw-labels - steps
LIST
# These act in all of them, or need another option or kind of data.
everywhere="output valid hold-out hold-out-last loss model seed bias no-bias checkpoint-every resume overwrite device
device-memory columns labels valid-format valid-labels weights valid-weights class-weights format spill scale users
hash-bits cross compact-ids id-map label csv-columns csv-heading csv-delimiter csv-decimal csv-numbers csv-text index-base strict widen calibrate probe probe-l2 profile graph graph-format
per-class valid-nodes test-nodes svg log tensorboard log-every manifest config json progress help quiet verbose version"

run train --help
sed -nE 's/^ +(-[a-zA-Z], )?--([a-z0-9-]+).*/\2/p' "$work/out" | sort -u >"$work/options"
{ cut -d ' ' -f 1 "$work/partial"; echo "$everywhere" | tr ' ' '\n'; } | sort -u >"$work/known"
check "a new option says in which kind of training it acts" [ -z "$(comm -23 "$work/options" "$work/known")" ]

# with MODE OPTION VALUE: rows are held out for --patience, and steps have a rule with all settings.
with() {
    mode=$1 option=$2 value=$3
    rm -f "$work/state" "$work/state.previous"
    set -- train "$work/data.svm" -o "$work/model" --hold-out 0.2 "--$option"
    case $value in
    -) ;;
    BEGIN) set -- "$@" "$work/begin" ;;
    STATE) set -- "$@" "$work/state" ;;
    *) set -- "$@" "$value" ;;
    esac
    [ "$option" != raw-labels ] || set -- "$@" --loss squared
    case $option,$mode in
    stream,steps | stream,search | stream,rate) set -- train "$work/data.svm" -o "$work/model" --stream ;;
    solver,steps | dry-run,steps | optimizer,rate) ;;
    optimizer,steps) set -- "$@" --lr 0.1 ;;
    momentum,steps) set -- "$@" --optimizer momentum --lr 0.1 ;;
    momentum,rate) set -- "$@" --optimizer momentum ;;
    lr,steps | *,rate) set -- "$@" --optimizer adam ;;
    *,steps) set -- "$@" --optimizer adam --lr 0.1 ;;
    solver,lbfgs) set -- train "$work/data.svm" -o "$work/model" --solver lbfgs ;;
    *,lbfgs) set -- "$@" --solver lbfgs ;;
    esac
    run "$@"
}
# shellcheck disable=SC2317 # called by check
says_so() { [ "$code" -ne 0 ] || err_has "--$option has no effect"; }
# shellcheck disable=SC2317
acts() { [ "$code" -eq 0 ] && ! err_has "has no effect"; }
# Each option alone in a search, and where it excludes others; all others together.
while read -r option value where; do
    for mode in search steps lbfgs rate; do
        case "$mode, $where " in
        *" $mode "*) kind=acting ;;
        rate*" steps "*) kind=other ;;
        *) kind=idle ;;
        esac
        case $mode,$option in
        search,* | *,exact | *,start | *,checkpoint | *,dry-run | *,solver | *,stream | *,raw-labels | *,momentum | *,optimizer | *,lr | *,clip-global-norm | *,l1 | *,parameter-optimizers) ;;
        *)
            [ "$value" != - ] || value=
            echo "--$option $value" >>"$work/$mode.$kind"
            continue
            ;;
        esac
        with $mode "$option" "$value"
        case "$mode $option, $where " in
        "search momentum,"* | "search beta"* | "search epsilon,"*)
            check "sgd, without a search: --$option has no effect" says_so ;;
        *" $mode "*) check "$mode: --$option acts" acts ;;
        search*" steps "* | rate*" steps "*) check "$mode: --$option begins another one" acts ;;
        *) check "$mode: --$option has no effect" says_so ;;
        esac
    done
done <"$work/partial"
for kind in "steps acting --optimizer adam --lr 0.1" "steps idle --optimizer adam --lr 0.1" "lbfgs acting --solver lbfgs" \
    "lbfgs idle --solver lbfgs" "rate acting --optimizer adam" "rate other --optimizer adam" "rate idle --optimizer adam"; do
    # shellcheck disable=SC2086 # several words
    set -- $kind
    group=$work/$1.$2
    name="$1, $2"
    shift 2
    # shellcheck disable=SC2046
    run train "$work/data.svm" -o "$work/model" --hold-out 0.2 "$@" $(cat "$group")
    while read -r option _; do
        case $name in
        *idle) check "$name: $option has no effect" err_has "$option has no effect" ;;
        *) check "$name: $option acts" err_lacks "$option has no effect" ;;
        esac
    done <"$group"
    case $name in *acting) check "$name: all together" exits 0 ;; esac
done

run train "$work/data.svm" -o "$work/model" --patience 2 --hold-out 0.2
check "the end of the search is said" err_has "--patience: steps of sgd with the rate 0.1, 10 passes; without it the settings are searched for"
run train "$work/data.svm" -o "$work/model" --stream --optimizer adagrad --epochs 1
check "and the rate of a stream" err_has "--stream: steps of adagrad with the rate 0.01, 1 pass; a training without it on a part of the rows ('sparcl sample') finds a rate for --lr"
run train "$work/data.svm" -o "$work/model" --stream --lr 0.1
check "unless it is given" err_lacks "finds a rate"
run train "$work/data.svm" -o "$work/model" --optimizer sgd --momentum 0.5
check "a setting that the optimizer lacks is said" err_has "--momentum has no effect: sgd has no such setting"
run train "$work/data.svm" -o "$work/model" --probe-l2 1
check "and an option without the one that it is for" err_has "--probe-l2 has no effect without --probe"

run train "$work/data.svm" -o "$work/model" --batch 32
check "and that of the search for C" err_has "--batch: steps of sgd, whose rate is searched for; without it L-BFGS"
check "which prints rates" err_has "lr 0.01   held-out loss"
run train "$work/data.svm" -o "$work/model" --optimizer adam:preset=keras3
check "a preset has a rate of its own" err_lacks "held-out loss"

# ---- other models than linear --------------------------------------------------------------------
run train "$work/data.svm" -o "$work/model" --model fm:factors=2
check "the rate of another model is searched for" err_has "lr 0.01   held-out loss"
check "which is said" err_has "fm:factors=2: steps of adam, whose rate and passes are searched for; --lr or --epochs ends this"
run train "$work/data.svm" -o "$work/model" --model mlp --optimizer adagrad --class-weights balanced --select auc
check "also of a given optimizer" err_has "mlp: steps of adagrad, whose rate and passes are searched for"
check "by a metric" err_has ", auc 0."
run train "$work/data.svm" -o "$work/model" --model fm --patience 2 --hold-out 0.2
check "the end of this search is said" err_has "--patience: steps of adam with the rate 0.001, 10 passes; without it the settings are searched for"
check "and there is none" err_lacks "held-out loss"
run train "$work/data.svm" -o "$work/model" --model fm --epochs 2
check "with --epochs nothing is" sh -c "! grep -q 'search\\|held-out loss' '$work/err'"
for user in $(seq 0 19); do for item in $(seq $((user % 2)) 2 39); do echo "$user,$item,1"; done; done >"$work/ratings.csv"
run train "$work/ratings.csv" --model bpr:factors=4 -o "$work/model" --json -
check "a ranking has steps of adam" json_is optimizer "\"adam\""
check "of pairs" json_is batch 32
check "and learns" awk "BEGIN { exit !($(json loss) < 0.5) }"

# ---- the choice of settings ---------------------------------------------------------------------
run train "$work/data.svm" -o "$work/model" --json "$work/json"
least=$(sed -n '/"tried"/,$p' "$work/json" | sed -n 's/^.*"loss": \([-0-9.e]*\),*$/\1/p' | sort -g | head -n 1)
check "the lowest loss is chosen" grep -q "\"held_out_loss\": $least,*" "$work/json"
run train "$work/data.svm" -o "$work/model" --select auc --json "$work/json"
check "--select auc" exits 0
check "what is selected by is printed" err_has ", auc 0."
run train "$work/data.svm" -o "$work/model" --loss squared --select auc
check "a metric that the loss lacks is refused" err_has "select is auc, expected loss: squared loss has no such metric"

awk 'BEGIN { for (i = 0; i < 300; i++) print (i % 9 ? 0 : 1) " 1:" (i * 7) % 11 " 2:" (i % 9 ? 0 : (i * 3) % 5) }' >"$work/rare.svm"
run train "$work/rare.svm" -o "$work/plain"
run train "$work/rare.svm" -o "$work/balanced" --class-weights balanced
check "--class-weights acts in the search" exits 0
check "with another model" sh -c "! cmp -s '$work/plain' '$work/balanced'"

# ---- few rows: batches of a fiftieth of the rows, at least 32 ------------------------------------
awk 'BEGIN { for (i = 0; i < 400; i++) { a = (i * 7919) % 101 / 101; b = (i * 104729) % 97 / 97; print (a + b > 1) " 1:" 2 * a - 1 " 2:" 2 * b - 1 } }' >"$work/few.svm"
for options in "--epochs 10 --optimizer adam" "--model fm" "--model mlp --optimizer adam"; do
    # shellcheck disable=SC2086
    run train "$work/few.svm" -o "$work/model" --hold-out 0.2 $options --json -
    check "$options: few rows have steps of 32" json_is batch 32
    check "$options: better than a constant" err_lacks "worse than the best constant"
    check "$options: accuracy $(json valid_accuracy)" awk "BEGIN { exit !($(json valid_accuracy) > 0.8) }"
done
run train "$work/few.svm" -o "$work/model" --epochs 1 --batch full --json -
check "a full batch has no number" json_is batch ""

# ---- worse than a constant ----------------------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 200; i++) print (i % 3 ? 1 : 0) " 1:" 20 + i % 60 " 2:" 30000 + (i * 7919) % 50000 }' >"$work/raw.svm"
run train "$work/raw.svm" -o "$work/model" --epochs 10
check "columns of different sizes are said" err_has "the values of column 2 are about 5.7e+04, those of column 1 about 51: steps learn little"
check "a model that is worse than a constant is said" err_has "the model is worse than the best constant: its loss on the training rows is"
run train "$work/raw.svm" -o "$work/model"
check "without settings it is not" err_lacks "worse than the best constant"
run train "$work/raw.svm" -o "$work/model" --solver lbfgs --l2 1e9 --hold-out 0.2
check "and one class for all rows" err_has "all validation rows get the same class"
finish
