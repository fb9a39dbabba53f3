/* line_marks.c: the lines of a file in which rows or entries are, in little memory. */
#include "data/io/line_marks.h"

int64_t spc_line_marks_find(const spc_array *marks, int64_t number) {
    const spc_line_mark *const all = marks->at;
    size_t low = 0, high = marks->used / sizeof *all; /* the last mark at or before the number */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all[middle].number <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return number + (low > 0 ? all[low - 1].distance : 0);
}
