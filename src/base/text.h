/* text.h: build a string in a buffer of fixed size; a string that does not fit is truncated. */
#ifndef SPC_BASE_TEXT_H
#define SPC_BASE_TEXT_H

#include <stdbool.h>

#include "base/macros.h"

typedef struct spc_text {
    char *at; /* always ends in NUL */
    size_t capacity, length;
    bool cut; /* the string was truncated */
} spc_text;

/* An empty string in `buffer`, which must have at least one byte. */
spc_text spc_text_in(char *buffer, size_t capacity);
void spc_text_add(spc_text *text, const char *format, ...) SPC_PRINTF(2, 3);
/* Bytes with escapes: printable ASCII unchanged, all others as \n, \r, \t or \xNN. */
void spc_text_add_shown(spc_text *text, const char *bytes, size_t length);

#endif
