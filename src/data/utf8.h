/* utf8.h: finds bytes of text that are no UTF-8. */
#ifndef SPC_DATA_UTF8_H
#define SPC_DATA_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The lines of text that have any; *first becomes the first of them, from 0, where there is one. */
int64_t spc_count_not_utf8(const char *text, size_t size, int64_t *first);

#endif
