/* tunings.c: texts of tunings (sparcl/tune.h) that together have each candidate of each tunable,
 * and the limits of what is legal.
 *
 *   tunings    how many there are
 *   tunings K  number K, from 0: each tunable has its candidate K, from the first again where it
 * has fewer; the next two cut work into as many small parts as is legal, also that of small
 * inputs, all others being at their minimum, then at their maximum; the last, also called "large",
 * cuts it into as few large ones */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sparcl/tune.h"

static int max_candidates(void) {
    int maximum = 0;
    for (int t = 0; t < sparcl_tune_count(); ++t)
        if (sparcl_tune_at(t)->candidate_count > maximum)
            maximum = sparcl_tune_at(t)->candidate_count;
    return maximum;
}

static bool is_named(const sparcl_tunable *about, const char *const *names) {
    for (; *names; ++names)
        if (strcmp(about->name, *names) == 0) return true;
    return false;
}

/* After the candidates: small parts, small parts, large parts. */
enum { OTHERS_MIN, OTHERS_MAX, LARGE_PARTS, ENDS };

static int value_of(const sparcl_tunable *about, long k, int maximum) {
    static const char *const counts[] = {"workers", "elementwise.groups", NULL};
    static const char *const sizes[] = {"product.grain",     "rows.grain", "sort.bucket_items",
                                        "sort.serial_items", "scan.grain", "select.grain",
                                        "elementwise.grain", NULL};
    if (k < maximum) return about->candidates[k % about->candidate_count];
    const bool small = k < maximum + LARGE_PARTS;
    if (small && strcmp(about->name, "spmm.pack") == 0) /* or no small B would be packed */
        return k == maximum + OTHERS_MIN ? 7 : 26;
    if (is_named(about, counts)) return small ? about->maximum : about->minimum;
    if (is_named(about, sizes)) return small ? about->minimum : about->maximum;
    return k == maximum + OTHERS_MIN ? about->minimum : about->maximum;
}

int main(int argc, char **argv) {
    const int maximum = max_candidates();
    const bool large = argc > 1 && strcmp(argv[1], "large") == 0;
    const long k = large ? maximum + LARGE_PARTS : argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (k < 0 || k >= maximum + ENDS) return 1;
    if (argc < 2) {
        printf("%d\n", maximum + ENDS);
        return 0;
    }
    puts("sparcl tuning 1");
    for (int t = 0; t < sparcl_tune_count(); ++t) {
        const sparcl_tunable *const about = sparcl_tune_at(t);
        printf("%s * %d\n", about->name, value_of(about, k, maximum));
    }
    return 0;
}
