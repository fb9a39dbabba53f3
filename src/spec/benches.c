/* benches.c: what 'sparcl bench' times. */
#include "spec/bench.h"

extern const spec_bench spec_bench_spmm, spec_bench_spmm_t;
extern const spec_bench spec_bench_spmm_t_rows, spec_bench_pattern, spec_bench_transpose;
extern const spec_bench spec_bench_reorder, spec_bench_coalesce, spec_bench_convert;

const spec_bench *const spec_benches[] = {
    &spec_bench_spmm,     &spec_bench_spmm_t,    &spec_bench_spmm_t_rows,
    &spec_bench_pattern,  &spec_bench_transpose, &spec_bench_reorder,
    &spec_bench_coalesce, &spec_bench_convert,   NULL};
