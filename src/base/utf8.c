/* utf8.c: finds bytes of text that are no UTF-8, and shows them. */
#include "base/utf8.h"

#include <string.h>

/* Bytes of the character at `at`; 0: it is none, overlong, a surrogate or above U+10FFFF. */
static size_t character(const unsigned char *at, size_t left) {
    const unsigned char a = at[0];
    if (a < 0x80) return 1;
    const size_t size = a >= 0xc2 && a <= 0xdf   ? 2
                        : a >= 0xe0 && a <= 0xef ? 3
                        : a >= 0xf0 && a <= 0xf4 ? 4
                                                 : 0;
    if (size == 0 || size > left) return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if ((a == 0xe0 && at[1] < 0xa0) || (a == 0xed && at[1] > 0x9f)) return 0;
    return (a == 0xf0 && at[1] < 0x90) || (a == 0xf4 && at[1] > 0x8f) ? 0 : size;
}

/* The first byte that is none, or the size. Most text is ASCII. */
static size_t find_bad(const unsigned char *text, size_t at, size_t size) {
    while (at < size) {
        uint64_t bytes;
        if (size - at >= sizeof bytes) {
            memcpy(&bytes, text + at, sizeof bytes);
            if (!(bytes & 0x8080808080808080u)) {
                at += sizeof bytes;
                continue;
            }
        }
        const size_t length = character(text + at, size - at);
        if (length == 0) return at;
        at += length;
    }
    return size;
}

static int64_t count_lines(const char *text, size_t size) {
    int64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

int64_t spc_count_not_utf8(const char *text, size_t size, int64_t *first) {
    int64_t count = 0;
    for (size_t at = 0; at < size;) {
        at = find_bad((const unsigned char *)text, at, size);
        if (at == size) break;
        if (count++ == 0) *first = count_lines(text, at);
        const char *const end = memchr(text + at, '\n', size - at);
        at = end ? (size_t)(end - text) + 1 : size;
    }
    return count;
}

void spc_text_add_beginning(spc_text *text, const char *at, size_t length) {
    enum { SHOWN_BYTES = 40 };
    size_t i = 0;
    while (i < length) {
        const size_t bytes = character((const unsigned char *)at + i, length - i);
        if (i + (bytes > 0 ? bytes : 1) > SHOWN_BYTES) break;
        if (bytes > 1)
            spc_text_add(text, "%.*s", (int)bytes, at + i);
        else
            spc_text_add_shown(text, at + i, 1);
        i += bytes > 0 ? bytes : 1;
    }
    if (i < length) spc_text_add(text, "...");
}

void spc_text_add_quoted(spc_text *text, const char *at, size_t length) {
    spc_text_add(text, "\"");
    spc_text_add_beginning(text, at, length);
    spc_text_add(text, "\"");
}
