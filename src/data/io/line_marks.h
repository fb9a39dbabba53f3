/* line_marks.h: the lines of a file in which rows or entries are, in little memory. */
#ifndef SPC_DATA_LINE_MARKS_H
#define SPC_DATA_LINE_MARKS_H

#include "data/set/dataset.h"

/* From `number` up to the next mark, a line is the number plus `distance`, which comments and blank
 * lines change. */
typedef struct spc_line_mark {
    int64_t number, distance;
} spc_line_mark;

/* The distance of all numbers after the last mark. */
static inline int64_t spc_line_marks_last(const spc_array *marks) {
    const size_t count = marks->used / sizeof(spc_line_mark);
    return count > 0 ? ((const spc_line_mark *)marks->at)[count - 1].distance : 0;
}

/* Remember that `number`, the largest so far, is in this line; `marks` is of spc_line_mark. */
SPARCL_MUST_CHECK static inline sparcl_status spc_line_marks_add(spc_array *marks, int64_t number,
                                                                 int64_t line,
                                                                 const sparcl_allocator *allocator,
                                                                 sparcl_error *error) {
    const spc_line_mark mark = {.number = number, .distance = line - number};
    if (mark.distance == spc_line_marks_last(marks)) return SPARCL_OK;
    return spc_array_add(marks, &mark, sizeof mark, allocator, error);
}

int64_t spc_line_marks_find(const spc_array *marks, int64_t number);

#endif
