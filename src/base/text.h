/* text.h: building a text in a buffer of fixed size; what does not fit is cut, never overrun. */
#ifndef SPC_BASE_TEXT_H
#define SPC_BASE_TEXT_H

#include <stdbool.h>

#include "base/macros.h"

typedef struct spc_text {
    char *at; /* always ends in NUL */
    size_t capacity, length;
    bool cut; /* something did not fit */
} spc_text;

/* An empty text in `buffer`, which must hold at least one byte. */
spc_text spc_text_in(char *buffer, size_t capacity);
void spc_text_add(spc_text *text, const char *format, ...) SPC_PRINTF(2, 3);
/* Bytes as they may be shown: printable ASCII as it is, all others as \n, \r, \t or \xNN. */
void spc_text_add_shown(spc_text *text, const char *bytes, size_t length);

#endif
