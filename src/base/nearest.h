/* nearest.h: finds the most similar word. */
#ifndef SPC_BASE_NEAREST_H
#define SPC_BASE_NEAREST_H

#include <stddef.h>

/* The best match so far; initialize it with {.word = word}, and call spc_nearest_offer for every
 * candidate. */
typedef struct spc_nearest {
    const char *word;
    const char *best; /* NULL: no candidate is similar enough */
    size_t distance;
    char hint[64];
} spc_nearest;

void spc_nearest_offer(spc_nearest *nearest, const char *candidate);

/* The end of a message: "; did you mean BEST?", between these marks; empty where there is none. */
const char *spc_nearest_hint(spc_nearest *nearest, const char *before, const char *after);

#endif
