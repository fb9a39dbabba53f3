/* tunings.c: texts of tunings (sparcl/tune.h) that together have each candidate of each tunable.
 *
 *   tunings    how many there are
 *   tunings K  number K, from 0: each tunable has its candidate K, from the first again where it
 * has fewer */
#include <stdio.h>
#include <stdlib.h>

#include "sparcl/tune.h"

int main(int argc, char **argv) {
    const long k = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    int most = 0;
    if (k < 0) return 1;
    for (int t = 0; t < sparcl_tune_count(); ++t)
        if (sparcl_tune_at(t)->candidate_count > most) most = sparcl_tune_at(t)->candidate_count;
    if (argc < 2) {
        printf("%d\n", most);
        return 0;
    }
    puts("sparcl tuning 1");
    for (int t = 0; t < sparcl_tune_count(); ++t) {
        const sparcl_tunable *const about = sparcl_tune_at(t);
        printf("%s * %d\n", about->name, (int)about->candidates[k % about->candidate_count]);
    }
    return 0;
}
