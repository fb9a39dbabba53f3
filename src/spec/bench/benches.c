/* benches.c: the list of operations that 'sparcl bench' times. */
#include "spec/bench/bench.h"

#define BENCHES(M)                                                                                 \
    M(step)                                                                                        \
    M(dedupe_step)                                                                                 \
    M(bag_step)                                                                                    \
    M(lazy_step)                                                                                   \
    M(exact_step)                                                                                  \
    M(gather_rows)

#define DECLARE(name) extern const spec_bench spec_bench_##name;
#define ADDRESS(name) &spec_bench_##name,
BENCHES(DECLARE)

static const spec_bench *const others[] = {BENCHES(ADDRESS) NULL};

const spec_bench *spec_bench_at(int i) {
    for (const spec_op *const *op = spec_ops; *op; ++op)
        for (const spec_bench *b = (*op)->timed; b && b->name; ++b)
            if (i-- == 0) return b;
    return others[i];
}
