/* column_line.c: reads the description of the columns of a table. */
#include "column_line.h"

#include <string.h>

bool next_column(const char **at, column_line *line) {
    const char *c = *at;
    if (*c == '\0') return false;
    for (bool quoted = false; *c != '\0' && (quoted || *c != ','); c++)
        quoted ^= *c == '"';
    line->name = *at;
    line->name_length = (int)(c - *at);
    line->kind = c += *c == ',';
    line->kind_length = (int)strcspn(c, ",\n");
    line->has_more = c[line->kind_length] == ',';
    for (bool quoted = false; *c != '\0' && (quoted || *c != '\n'); c++)
        quoted ^= *c == '"';
    *at = c + (*c == '\n');
    return true;
}

bool is_kind(const column_line *line, const char *kind) {
    const char *const form = memchr(line->kind, ':', (size_t)line->kind_length); /* numeric:comma */
    const size_t length = form ? (size_t)(form - line->kind) : (size_t)line->kind_length;
    return strlen(kind) == length && memcmp(line->kind, kind, length) == 0;
}
