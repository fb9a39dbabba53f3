/* text.c: build a string in a buffer of fixed size. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

spc_text spc_text_in(char *buffer, size_t capacity) {
    buffer[0] = '\0';
    return (spc_text){.at = buffer, .capacity = capacity};
}

void spc_text_add(spc_text *text, const char *format, ...) {
    const size_t left = text->capacity - text->length;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text->at + text->length, left, format, args);
    va_end(args);
    if (length < 0) {
        text->at[text->length] = '\0';
        text->cut = true;
    } else if ((size_t)length < left) {
        text->length += (size_t)length;
    } else {
        text->length = text->capacity - 1;
        text->cut = true;
    }
}

static void add_shown_byte(spc_text *text, unsigned char byte) {
    switch (byte) {
    case '\n':
        spc_text_add(text, "\\n");
        return;
    case '\r':
        spc_text_add(text, "\\r");
        return;
    case '\t':
        spc_text_add(text, "\\t");
        return;
    default:
        spc_text_add(text, byte >= 0x20 && byte < 0x7f ? "%c" : "\\x%02x", byte);
    }
}

void spc_text_add_shown(spc_text *text, const char *bytes, size_t length) {
    for (size_t i = 0; i < length && !text->cut; i++)
        add_shown_byte(text, (unsigned char)bytes[i]);
}
