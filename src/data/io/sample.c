/* sample.c: what a file begins with. */
#include "data/io/sample.h"

#include <string.h>

#include "data/io/words.h"

bool spc_sample_begins(const spc_sample *s, const char *bytes, size_t size) {
    return (size_t)(s->end - s->at) >= size && memcmp(s->at, bytes, size) == 0;
}

bool spc_sample_row(spc_sample *rest, spc_sample *row) {
    while (rest->at < rest->end) {
        const char *stop = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));
        const char *at = rest->at;
        if (!stop) stop = rest->end;
        rest->at = stop + (stop < rest->end);
        const char *const comment = memchr(at, '#', (size_t)(stop - at));
        if (comment) stop = comment;
        while (at < stop && (spc_is_blank(*at) || *at == '\r'))
            at++;
        *row = (spc_sample){.at = at, .end = stop};
        if (at < stop) return true;
    }
    return false;
}

bool spc_sample_has(const spc_sample *s, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = s->at; (size_t)(s->end - at) >= length; at++)
        if (spc_same_word(at, length, word)) return true;
    return false;
}
