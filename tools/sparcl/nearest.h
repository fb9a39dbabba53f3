/* nearest.h: finds the most similar word. */
#ifndef SPARCL_TOOL_NEAREST_H
#define SPARCL_TOOL_NEAREST_H

#include <stddef.h>

/* The best match so far; initialize it with {word, NULL, 0}, and call nearest_offer for every
 * candidate. */
typedef struct nearest_word {
    const char *word;
    const char *best; /* NULL: no candidate is similar enough */
    size_t distance;
} nearest_word;

void nearest_offer(nearest_word *nearest, const char *candidate);

#endif
