#!/bin/sh
# Every Python program is one, and each of its lines fits a screen.
. "$(dirname "$0")/lint.sh"

need python3
for file in tools/dev/check-plans $(find tools tests -name '*.py' | sort); do
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$file" 2>/dev/null ||
        finding "$file: python3 cannot read it"
    awk -v file="$file" 'length > 120 {print file ":" NR ": longer than 120 characters"; bad = 1} END {exit bad}' "$file" ||
        findings=$((findings + 1))
done
finish
