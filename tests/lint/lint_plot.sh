#!/bin/sh
# The plot and the table that README.md shows are those of its results file.
. "$(dirname "$0")/lint.sh"

need python3
results=docs/results/2026-11-22-peers.json
gpu=docs/results/2026-11-26-h100.json
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 -B bench/plot.py "$results" "$gpu" "$work/plot.svg" || finding "$results $gpu: bench/plot.py does not draw them"
cmp -s "$work/plot.svg" "${results%.json}.svg" ||
    finding "${results%.json}.svg: not the plot of $results and $gpu; run bench/plot.py $results $gpu ${results%.json}.svg"
python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "${results%.json}.svg" || finding "${results%.json}.svg: not XML"
python3 -B bench/plot.py --table "$results" >"$work/table" || finding "$results: it has no table"
grep -q '^| .* | [0-9]' "$work/table" || finding "$results: its table is empty"
while IFS= read -r line; do
    grep -qxF "$line" README.md || finding "README.md: this line of $results is not in it: $line"
done <"$work/table"
finish
