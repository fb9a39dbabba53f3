/* printable.c: text of files and drivers as a terminal may show it. */
#include "printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bytes of the character at `at`, which a terminal shows; 0: it controls the terminal, or turns
 * the direction of the text. A byte that is no UTF-8 is as in ISO 8859. */
static size_t shown_bytes(const unsigned char *at) {
    size_t bytes = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    uint32_t code = bytes > 1 ? *at & (0x7fu >> bytes) : *at;
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) bytes = 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (bytes == 0) return *at >= 0xa0;
    const bool controls = (code < ' ' && code != '\n' && code != '\t') || (code - 0x7f) <= 0x20;
    const bool turns = code - 0x202a <= 4 || code - 0x2066 <= 3 || code - 0x2028 <= 1;
    return controls || turns ? 0 : bytes;
}

char *make_printable(char *text) {
    for (unsigned char *at = (unsigned char *)text; *at;) {
        const size_t bytes = shown_bytes(at);
        if (bytes == 0) *at = '?';
        at += bytes > 0 ? bytes : 1;
    }
    return text;
}

int fitting_bytes(const char *text, int most) {
    int bytes = (int)strnlen(text, (size_t)most);
    for (int i = 0; i < 3 && bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80; i++)
        bytes--;
    return bytes;
}
