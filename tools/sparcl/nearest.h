/* nearest.h: finds the most similar word. */
#ifndef SPARCL_TOOL_NEAREST_H
#define SPARCL_TOOL_NEAREST_H

#include <stddef.h>

/* The best match so far; initialize it with {.word = word}, and call nearest_offer for every
 * candidate. */
typedef struct nearest_word {
    const char *word;
    const char *best; /* NULL: no candidate is similar enough */
    size_t distance;
    char hint[64];
} nearest_word;

void nearest_offer(nearest_word *nearest, const char *candidate);

/* The end of a message: "; did you mean BEST?", between these marks; empty where there is none. */
const char *nearest_hint(nearest_word *nearest, const char *before, const char *after);

#endif
