#!/bin/sh
# Help: the overview, the help of each command with examples first, topics.
. "$(dirname "$0")/checks.sh"

run --help
check "--help exits 0" exits 0
check "--help is on standard output" err_is_empty
cp "$work/out" "$work/overview"
run -h
check "-h is the same" same "$work/out" "$work/overview"
run help
check "help is the same" same "$work/out" "$work/overview"
check "examples come before the commands" \
    awk '/^Examples:/ {e = NR} /^Commands:/ {c = NR} END {exit !(e && c && e < c)}' "$work/out"

commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/overview")
for command in train sweep eval predict encode infer show inspect convert split sample diff report devices plan bench tune doctor version help; do
    check "$command is listed" grep -qE "^  $command +[a-z]" "$work/overview"
done
for command in $commands; do
    run "$command" --help
    check "$command --help exits 0" exits 0
    check "$command --help has examples before options" \
        awk '/^Examples:/ {e = NR} /^Options:/ {o = NR} END {exit !(e && o && e < o)}' "$work/out"
    check "$command --help has its usage line" out_has "Usage: sparcl $command"
    check "$command --help fits in 100 columns" no_line_matches "$work/out" "^.{101}"
    cp "$work/out" "$work/page"
    run "$command" -h
    check "$command -h is the same" same "$work/out" "$work/page"
    run --help "$command"
    check "--help $command is the same" same "$work/out" "$work/page"
    run "$command" --version
    check "$command --version is that of the tool" out_has "sparcl 0.1"
    run help "$command"
    check "help $command is the same" same "$work/out" "$work/page"
    case $command in
        help) ;;
        predict | convert | report | split | sample) ;;
        *) check "$command --help has the table of JSON keys" out_has "JSON keys:" ;;
    esac
done

topics=$(sed -n '/^Topics/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$work/overview")
check "there are topics" [ -n "$topics" ]
for topic in $topics; do
    run help "$topic"
    check "help $topic exits 0" exits 0
    check "help $topic prints a text" [ "$(wc -l <"$work/out")" -gt 3 ]
done
run help exit-codes
for number in 0 1 2 3 4 5 6 7 8 9; do
    check "help exit-codes has $number" grep -q "^  $number  " "$work/out"
done
run help operations
check "help operations lists operations" [ "$(grep -c '^  [a-z]' "$work/out")" -gt 9 ]
run help optimizers
check "help optimizers has every optimizer" [ "$(grep -c '^    formula   ' "$work/out")" -ge 5 ]
for part in "w -= lr g" "b: 4 bytes for each f32 of a row" "s: 4 bytes for each row" "keras3    lr=0.001 beta1=0.9 beta2=0.999" "adamw" "weight_decay  " "exact     yes, with any decay but a coupled one" "exact     yes, with any decay but a coupled one of tf1, keras3" "exact     no closed form"; do
    check "help optimizers has \"$part\"" out_has "$part"
done
check "help optimizers has a blank after each name" out_has "weight_norm_coefficient a finite"
check "help optimizers says what settings are" out_has "decay of the mean of squared gradients"
check "help optimizers fits in 100 columns" no_line_matches "$work/out" "^.{101}"
run help models
for part in "  linear" "  fm" "    scores    x weight + bias" "    loss      not softmax" "  factors     an integer from 1"; do
    check "help models has \"$part\"" out_has "$part"
done
check "help models fits in 100 columns" no_line_matches "$work/out" "^.{101}"
run help model
for part in "solver (of L-BFGS" "schedule (of the learning rate)" "settings (all of the optimizer" "parameter_settings (of"; do
    check "help model has \"$part\"" out_has "$part"
done
check "the overview leaves the loss to the labels" no_line_matches "$work/overview" '--loss'
run help devise
check "an unknown topic exits 2" exits 2
check "and suggests the most similar one" err_has "did you mean device?"
run help csv
check "help csv: whole numbers that are ids" out_has "the line NAME,hashed in the file of"
finish
