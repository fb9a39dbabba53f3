/* column_line.h: reads the description of the columns of a table. */
#ifndef SPARCL_TOOL_COLUMN_LINE_H
#define SPARCL_TOOL_COLUMN_LINE_H

#include <stdbool.h>

/* A line NAME,KIND,... of a description; the name is as it stands there. */
typedef struct column_line {
    const char *name, *kind;
    int name_length, kind_length;
    bool has_more; /* something follows the kind */
} column_line;

/* The line at *at, which becomes the next one; false: there is none. */
bool next_column(const char **at, column_line *line);
bool is_kind(const column_line *line, const char *kind);

#endif
