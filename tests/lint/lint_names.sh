#!/bin/sh
# File names are lower snake case and unique in the whole tree, so that a name says which file is meant. Modules of the
# Python package are named by their package, too: sparcl.optim, sparcl.torch.optim.
. "$(dirname "$0")/lint.sh"

list() {
    find . \( -name .git -o -path ./build -o -path ./out -o -path './tests/fuzz/corpus_*' \
        -o -path ./examples/data -o -path ./docs/progress \) -prune -o -type f -print |
        grep -vE '/(CMakeLists\.txt|README\.md)$|^\./bindings/python/src/.*\.py$'
}

for name in $(list | sed 's,.*/,,' | sort | uniq -d); do
    finding "$name: there is more than one: $(list | grep "/$name\$" | tr '\n' ' ')"
done
for file in $(list | grep -E '\.(c|h|cl|cpp|cmake|sh)(\.in)?$'); do
    case ${file##*/} in
    *[!a-z0-9_.]*) finding "$file: not lower snake case" ;;
    esac
done
finish
