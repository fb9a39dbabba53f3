/* tunings.c: texts of tunings (sparcl/tune.h) that together have each candidate of each tunable,
 * and the ends of what is legal.
 *
 *   tunings    how many there are
 *   tunings K  number K, from 0: each tunable has its candidate K, from the first again where it
 * has fewer; the last but one cuts work into as many small parts as is legal, also that of small
 * inputs; the last, also called "large", into as few large ones */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sparcl/tune.h"

static int most_candidates(void) {
    int most = 0;
    for (int t = 0; t < sparcl_tune_count(); ++t)
        if (sparcl_tune_at(t)->candidate_count > most) most = sparcl_tune_at(t)->candidate_count;
    return most;
}

/* More of them are more parts; more of the others are larger parts, or something else. */
static bool counts_parts(const sparcl_tunable *about) {
    static const char *const names[] = {"workers", "each.groups", "sort.buckets"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(about->name, names[i]) == 0) return true;
    return false;
}

static int value_of(const sparcl_tunable *about, long k, int most) {
    if (k < most) return about->candidates[k % about->candidate_count];
    return (k == most) == counts_parts(about) ? about->most : about->least;
}

int main(int argc, char **argv) {
    const int most = most_candidates();
    const bool large = argc > 1 && strcmp(argv[1], "large") == 0;
    const long k = large ? most + 1 : argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (k < 0 || k >= most + 2) return 1;
    if (argc < 2) {
        printf("%d\n", most + 2);
        return 0;
    }
    puts("sparcl tuning 1");
    for (int t = 0; t < sparcl_tune_count(); ++t) {
        const sparcl_tunable *const about = sparcl_tune_at(t);
        printf("%s * %d\n", about->name, value_of(about, k, most));
    }
    return 0;
}
