#!/bin/sh
# Every public function that takes a context and views is among the calls of tests/acceptance/every_call.c, whose
# arguments test_acceptance_arguments makes wrong in each way. Those with an error record are in test_last_error.
. "$(dirname "$0")/lint.sh"

# Those whose arguments are tried elsewhere: tests/views and tests/data (they make, fill and read views), tests/plan,
# tests/ops/products/test_batches.c (it needs batches).
elsewhere='(dense|csr|csc|coo|bsr|rows|list)_(create|zeros|upload|read)|data_upload|data_read|choose|plan_inspect|batches_take'
views='sparcl_(dense|csr|csc|coo|bsr|rows|list|bags|segments|matrix|term)'

# Each declaration on a line; old names call new functions.
declarations=$(for header in include/sparcl/*.h include/sparcl/ops/*.h; do [ "${header##*/}" = deprecated.h ] || without_comments "$header"; done | grep -v '^ *#' | tr -s '\n ' '  ' |
    tr ';' '\n')
declared=$(echo "$declarations" | grep -E "sparcl_status sparcl_[a-z0-9_]+\( ?sparcl_ctx \*ctx,.*$views \*" |
    sed -E 's/.*sparcl_status sparcl_([a-z0-9_]+)\(.*/\1/' | sort -u)
called=$(sed -nE 's/^ *ROW\(([a-z0-9_]+),.*/\1/p' tests/acceptance/every_call.c | sort -u)

count=$(echo "$declared" | wc -l)
[ "$count" -gt 100 ] || finding "include/sparcl: found $count functions with views, expected more than 100"
for name in $(echo "$declared" | grep -vxE "$elsewhere"); do
    echo "$called" | grep -qx "$name" || finding "tests/acceptance/every_call.c: no call of sparcl_$name"
done
for name in $called; do
    grep -qE "\bsparcl_$name\(" include/sparcl/*.h include/sparcl/ops/*.h || finding "tests/acceptance/every_call.c: there is no sparcl_$name"
done

# Every public function that has a context, or a predictor, and an error record is tried there.
test=tests/train/test_last_error.c
records=$(echo "$declarations" | grep -E 'sparcl_(ctx|predictor) \*[a-z]+,.*sparcl_error \*error' | grep -v 'sparcl_ctx_report(' |
    sed -E 's/.*sparcl_status sparcl_([a-z0-9_]+)\(.*/\1/')
[ "$(echo "$records" | wc -l)" -gt 10 ] || finding "include/sparcl: hardly a function with a context and an error record"
for name in $records; do
    grep -q "^    ROW($name," "$test" || finding "$test: no call of sparcl_$name"
done
finish
