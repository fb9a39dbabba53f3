/* nearest.c: finds the most similar word, by edit distance. */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 31 };

static size_t minimum_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The number of inserted, deleted and changed letters and of swaps of adjacent letters (optimal
 * string alignment). */
static size_t edit_distance(const char *a, const char *b) {
    size_t table[LONGEST + 1][LONGEST + 1];
    const size_t m = strlen(a), n = strlen(b);
    for (size_t i = 0; i <= m; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= n; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        for (size_t j = 1; j <= n; j++) {
            const size_t change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            size_t best = minimum_of(change, minimum_of(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = minimum_of(best, table[i - 2][j - 2] + 1);
            table[i][j] = best;
        }
    }
    return table[m][n];
}

/* A prefix is always similar: "--opt" means "--optimizer". */
static size_t distance_of(const char *word, const char *candidate) {
    const size_t length = strlen(word);
    if (length >= 2 && strncmp(word, candidate, length) == 0) return 1;
    return edit_distance(word, candidate);
}

void spc_nearest_offer(spc_nearest *nearest, const char *candidate) {
    const size_t length = strlen(nearest->word);
    if (length == 0 || length > LONGEST || strlen(candidate) > LONGEST) return;
    const size_t distance = distance_of(nearest->word, candidate);
    const size_t maximum = length < 3 ? 1 : 1 + length / 3;
    if (distance > maximum || (nearest->best && distance >= nearest->distance)) return;
    nearest->best = candidate;
    nearest->distance = distance;
}

const char *spc_nearest_hint(spc_nearest *nearest, const char *before, const char *after) {
    if (nearest->best)
        snprintf(nearest->hint, sizeof nearest->hint, "; did you mean %s%s%s?", before,
                 nearest->best, after);
    return nearest->hint;
}
