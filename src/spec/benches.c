/* benches.c: what 'sparcl bench' times. */
#include "spec/bench.h"

extern const spec_bench spec_bench_spmm, spec_bench_spmm_t;
extern const spec_bench spec_bench_step, spec_bench_dedupe_step, spec_bench_select_rows,
    spec_bench_bag;

const spec_bench *const spec_benches[] = {&spec_bench_spmm,
                                          &spec_bench_spmm_t,
                                          &spec_bench_step,
                                          &spec_bench_dedupe_step,
                                          &spec_bench_select_rows,
                                          &spec_bench_bag,
                                          NULL};
