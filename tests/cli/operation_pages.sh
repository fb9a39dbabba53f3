#!/bin/sh
# The pages of docs/operations have the table of operations that the tool prints, the examples as they are in
# examples/operations, and every function of the headers of operations.
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
exec python3 "$(dirname "$0")/../../tools/dev/operation-pages" --check --tool "${SPARCL:?set SPARCL to the path of the tool}"
