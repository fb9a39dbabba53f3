#!/bin/sh
# usage: same_output.sh EXPECTED COMMAND...: the command prints what the file holds, without its comments.
expected=$1
shift
got=$("$@") || exit
[ "$(grep -v '^#' "$expected")" = "$got" ] && exit 0
printf '%s\n' "$got" | diff "$expected" -
exit 1
