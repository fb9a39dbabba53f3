/* words.h: the words of a line of text: blanks between them, and how a message shows one. */
#ifndef SPC_DATA_WORDS_H
#define SPC_DATA_WORDS_H

#include <stdbool.h>

#include "base/text.h"

static inline bool spc_is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* True for characters that may follow a number. */
static inline bool spc_ends_word(char c) {
    return spc_is_blank(c) || c == '\n' || c == '\r' || c == '#';
}

static inline const char *spc_skip_blanks(const char *at) {
    while (spc_is_blank(*at))
        at++;
    return at;
}

/* True at the line feed that ends a line, and at the carriage return before it. */
static inline bool spc_at_line_end(const char *at) {
    return *at == '\n' || (*at == '\r' && at[1] == '\n');
}

/* True when these bytes are `name`, in capital or small letters of ASCII, whatever the locale. */
bool spc_same_word(const char *at, size_t length, const char *name);

/* Add the word at `at`, shortened and in quotes, or what stands there instead of one. `end` is the
 * end of the text. */
void spc_text_add_word(spc_text *text, const char *at, const char *end);

#endif
