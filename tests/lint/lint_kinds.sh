#!/bin/sh
# An operation has one home: what include/sparcl/ops/KIND.h declares is defined in src/ops/KIND, and on the page
# docs/operations/KIND.md (tools/dev/operation-pages --check); Python has it in sparcl/ops/KIND.py, or KIND_FORMAT.py.
. "$(dirname "$0")/lint.sh"

for header in include/sparcl/ops/*.h; do
    kind=$(basename "$header" .h)
    declared=$(without_comments "$header" | tr -s '\n ' '  ' | tr ';' '\n' |
        sed -nE 's/.*SPARCL_(EXPERIMENTAL_)?API [^(]*\b(sparcl_[a-z0-9_]+)\(.*/\2/p' | sort -u)
    [ -n "$declared" ] || finding "$header: no function was found"
    for name in $declared; do
        grep -qE "\b$name\(" "src/ops/$kind"/*.c || finding "$header: $name is not in src/ops/$kind"
        function=${name#sparcl_}
        modules=$(grep -lE "^def $function\(" bindings/python/src/sparcl/ops/*.py | grep -vE "/$kind(_[a-z]+)?\.py$")
        [ -z "$modules" ] || finding "$modules: $function is one of the $kind"
    done
done
finish
