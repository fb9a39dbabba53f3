/* nearest.h: which word was meant. */
#ifndef SPARCL_TOOL_NEAREST_H
#define SPARCL_TOOL_NEAREST_H

#include <stddef.h>

/* The best match so far; begin with {word, NULL, 0} and offer every candidate. */
typedef struct nearest_word {
    const char *word;
    const char *best; /* NULL: nothing is near enough */
    size_t distance;
} nearest_word;

void nearest_offer(nearest_word *nearest, const char *candidate);

#endif
