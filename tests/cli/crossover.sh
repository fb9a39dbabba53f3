#!/bin/sh
# sparcl bench crossover: the density above which a dense product is faster.
. "$(dirname "$0")/checks.sh"
need_device

run bench crossover -n 2 --svg "$work/plot.svg"
check "crossover exits 0" exits 0
check "it has a line for the width" grep -qE '^ +2 +[0-9.e+-]+ +[0-9.e+-]+ +(< )?[0-9a-z. %]+$' "$work/out"
check "the plot is complete" [ "$(tail -n 1 "$work/plot.svg")" = "</svg>" ]
check "and has the dense products" grep -q CLBlast "$work/plot.svg"
run bench crossover -n 1 --json
check "--json exits 0" exits 0
for key in op side n device variant crossover_exact crossover_fast exact_s fast_s density sparse_s; do
    check "the JSON has the key $key" out_has "\"$key\":"
done
run bench crossover -n 0
check "0 columns are an invalid command line" exits 2
finish
