/* bench_arrays.h: the frame of timed operations whose results are dense arrays. Their other
 * operands are dense arrays, and A, its offsets or its pattern. */
#ifndef SPC_SPEC_BENCH_ARRAYS_H
#define SPC_SPEC_BENCH_ARRAYS_H

#include "spec/bench/bench.h"

enum { SPEC_BENCH_OPERANDS = 5, SPEC_BENCH_RESULTS = 3 };

/* The state of such an operation, or its first member. */
typedef struct spec_bench_arrays {
    sparcl_csr a;
    sparcl_pattern *pattern; /* of a */
    sparcl_dense x[SPEC_BENCH_OPERANDS], to[SPEC_BENCH_RESULTS];
    double *host[SPEC_BENCH_OPERANDS]; /* x */
    sparcl_dense places;               /* int64, chosen entries */
    int64_t *places_host;
} spec_bench_arrays;

/* x[i] := numbers, [rows, n], or a vector where n is 0. */
sparcl_status spec_bench_put_array(sparcl_ctx *ctx, spec_bench_arrays *s, int i, int64_t rows,
                                   int64_t n);
/* The same with the numbers of an array that is made; it is freed with the state, also after an
 * error. NULL: E_MEMORY. */
sparcl_status spec_bench_put_made(sparcl_ctx *ctx, spec_bench_arrays *s, int i, int64_t rows,
                                  int64_t n, double *made);
/* places := the same, positions. */
sparcl_status spec_bench_put_places(sparcl_ctx *ctx, spec_bench_arrays *s, int64_t rows, int64_t n,
                                    int64_t *made);
sparcl_status spec_bench_add_result(sparcl_ctx *ctx, spec_bench_arrays *s, int i, int64_t rows,
                                    int64_t n);
/* As many of both, all of one shape. */
sparcl_status spec_bench_open_arrays(sparcl_ctx *ctx, spec_bench_call *call, int operands,
                                     int results, int64_t rows, int64_t n);
/* The bytes of all dense arrays of the state. */
double spec_bench_array_bytes(const spec_bench_arrays *s);

/* Write the answers of all results; false when out of memory. */
typedef bool (*spec_bench_answer)(const spec_bench_call *call, double *const *order);

sparcl_status spec_bench_check_arrays(sparcl_ctx *ctx, const spec_bench_call *call,
                                      spec_bench_answer answer, spec_report *report);
sparcl_status spec_bench_poison_arrays(sparcl_ctx *ctx, const spec_bench_call *call);
void spec_bench_close_arrays(void *state);

/* The operation `id` with the functions open_id, run_id and answer_id. The state is of a type whose
 * first member is spec_bench_arrays, which `closer` closes. */
#define SPEC_BENCH_AS_ARRAYS(id, text, about, flag_set, type, closer)                              \
    static sparcl_status check_##id(sparcl_ctx *ctx, const spec_bench_call *call,                  \
                                    spec_report *report) {                                         \
        return spec_bench_check_arrays(ctx, call, answer_##id, report);                            \
    }                                                                                              \
    const spec_bench spec_bench_##id = {.name = (text),                                            \
                                        .what = (about),                                           \
                                        .flags = (flag_set),                                       \
                                        .state_size = sizeof(type),                                \
                                        .open = open_##id,                                         \
                                        .run = run_##id,                                           \
                                        .check = check_##id,                                       \
                                        .close = closer,                                           \
                                        .reset = spec_bench_poison_arrays};
/* The same, where the state is spec_bench_arrays. */
#define SPEC_BENCH_OF_ARRAYS(id, text, about, flag_set)                                            \
    SPEC_BENCH_AS_ARRAYS(id, text, about, flag_set, spec_bench_arrays, spec_bench_close_arrays)

#endif
