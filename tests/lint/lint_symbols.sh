#!/bin/sh
# lint_symbols.sh LIBRARY...: a shared library exports sparcl_... and nothing else, and says its ABI; a
# static one has no variable that can change: there is no global state, but for the lock of drivers.
. "$(dirname "$0")/lint.sh"

check_shared() {
    exported=$(nm -D --defined-only "$1" | awk '{print $3}' | grep -vE '^(_init|_fini|__(asan|ubsan|lsan|odr_asan)_.*)$')
    echo "$exported" | grep -q '^sparcl_' || finding "$1: exports nothing"
    for symbol in $(echo "$exported" | grep -v '^sparcl_'); do
        finding "$1: exports $symbol"
    done
    # Before 1.0 a minor version may change the ABI.
    objdump -p "$1" | grep -qE 'SONAME +libsparcl(-train)?\.so\.(0\.[0-9]+|[1-9][0-9]*)$' || finding "$1: no soname"
}

# Tables of constant pointers are in .data.rel.ro, which nobody writes after loading.
check_static() {
    objdump -t "$1" >"$work/symbols" 2>/dev/null || finding "$1: cannot be read"
    grep -q ' \.text' "$work/symbols" || finding "$1: has no code"
    awk '
        /file format/ {object = $1; sub(/:$/, "", object)}
        (/ O / || / \.t(data|bss)/) && !/ d / && $0 ~ / (\.(data|bss|tdata|tbss)|\*COM\*)/ && $0 !~ / \.data\.rel\.ro/ {print object ":" $NF}' \
        "$work/symbols" | grep -vE ':(__|\.L)|^opening\.c\.o:opening$' >"$work/variables"
    while read -r symbol; do
        finding "$1: a variable that can change: $symbol"
    done <"$work/variables"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for library in "$@"; do
    case $library in
    *.a) check_static "$library" ;;
    *) check_shared "$library" ;;
    esac
done
finish
