#!/bin/sh
# Each public header compiles alone, as C99 and as C++17, without a warning. In its comments each heading begins
# a line: where one grew too long, clang-format joins those that follow. The errors that it names are in status.h.
. "$(dirname "$0")/lint.sh"

strict='-Iinclude -Wall -Wextra -pedantic -Werror -fsyntax-only'
headers=$(echo include/sparcl/*.h include/sparcl/ops/*.h)
for header in $headers; do
    name=${header#include/}
    # shellcheck disable=SC2086 # several words
    echo "#include \"$name\"" | "${CC:-cc}" -std=c99 -x c $strict - || finding "$header: as C99"
    # shellcheck disable=SC2086
    echo "#include \"$name\"" | "${CXX:-c++}" -std=c++17 -x c++ $strict - || finding "$header: as C++17"
done
headings='Shapes|Types|Order|Aliasing|Result|Host|Errors|Scratch|Memory|Gradient|Numbers|Width'
places=$(grep -rnE "^ \* .*[.;:)] ($headings)  +[^ ]" include | cut -d: -f1,2)
for place in $places; do
    finding "$place: a heading in the middle of a line"
done
statuses=$(grep -rohE '\bE_[A-Z_]+' include | sort -u)
for status in $statuses; do
    grep -q "X(SPARCL_$status," include/sparcl/status.h ||
        finding "$(grep -rlw "$status" include | paste -sd ' '): $status is no status"
done
finish
