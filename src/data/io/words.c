/* words.c: how a message shows a word of a line. */
#include "data/io/words.h"

#include <string.h>

static char small(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool spc_same_word(const char *at, size_t length, const char *name) {
    if (strlen(name) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (small(at[i]) != small(name[i])) return false;
    return true;
}

enum { SHOWN_BYTES = 24 };

void spc_text_add_word(spc_text *text, const char *at, const char *end) {
    if (at >= end || *at == '\n' || (*at == '\r' && at + 1 < end && at[1] == '\n')) {
        spc_text_add(text, "the end of the line");
        return;
    }
    if (spc_is_blank(*at)) {
        spc_text_add(text, "a blank");
        return;
    }
    size_t length = 1;
    while (length < SHOWN_BYTES && at + length < end && !spc_ends_word(at[length]))
        length++;
    const bool cut = length == SHOWN_BYTES && at + length < end && !spc_ends_word(at[length]);
    spc_text_add(text, "\"");
    spc_text_add_shown(text, at, length);
    spc_text_add(text, cut ? "...\"" : "\"");
}
