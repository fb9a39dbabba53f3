#!/bin/sh
# Each public header compiles alone, as C99 and as C++17, without a warning. In its comments each heading begins
# a line: where one grew too long, clang-format joins those that follow. The errors that it names are in status.h.
. "$(dirname "$0")/lint.sh"

strict='-Iinclude -Wall -Wextra -pedantic -Werror -fsyntax-only'
for header in include/sparcl/*.h; do
    name=sparcl/${header##*/}
    # shellcheck disable=SC2086 # several words
    echo "#include \"$name\"" | "${CC:-cc}" -std=c99 -x c $strict - || finding "$header: as C99"
    # shellcheck disable=SC2086
    echo "#include \"$name\"" | "${CXX:-c++}" -std=c++17 -x c++ $strict - || finding "$header: as C++17"
done
headings='Shapes|Types|Order|Aliasing|Result|Host|Errors|Scratch|Memory|Gradient|Numbers|Width'
places=$(grep -nE "^ \* .*[.;:)] ($headings)  +[^ ]" include/sparcl/*.h | cut -d: -f1,2)
for place in $places; do
    finding "$place: a heading in the middle of a line"
done
statuses=$(grep -ohE '\bE_[A-Z_]+' include/sparcl/*.h | sort -u)
for status in $statuses; do
    grep -q "X(SPARCL_$status," include/sparcl/status.h ||
        finding "$(grep -lw "$status" include/sparcl/*.h | paste -sd ' '): $status is no status"
done
finish
