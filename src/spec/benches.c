/* benches.c: what 'sparcl bench' times. */
#include "spec/bench.h"

extern const spec_bench spec_bench_spmm, spec_bench_spmm_t;

const spec_bench *const spec_benches[] = {&spec_bench_spmm, &spec_bench_spmm_t, NULL};
