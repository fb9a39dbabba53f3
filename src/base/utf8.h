/* utf8.h: finds bytes of text that are no UTF-8, and shows them. */
#ifndef SPC_BASE_UTF8_H
#define SPC_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The lines of text that have any; *first becomes the first of them, from 0, where there is one. */
int64_t spc_count_not_utf8(const char *text, size_t size, int64_t *first);

/* The beginning of a text in a message: characters of UTF-8 as they are, control characters and
 * other bytes as spc_text_add_shown has them; "..." where it is cut. */
void spc_text_add_beginning(spc_text *text, const char *at, size_t length);
/* The same in double quotes. */
void spc_text_add_quoted(spc_text *text, const char *at, size_t length);

#endif
