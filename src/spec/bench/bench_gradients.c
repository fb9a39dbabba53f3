/* bench_gradients.c: a timed operation: the gradient of dropout of dense arrays with the rows of A.
 */
#include "spec/bench/bench_arrays.h"
#include "spec/layers/philox.h"

#define RATE 0.25
#define SEED 7

#define R(x) spec_round(SPARCL_F32, (x))

static sparcl_status open_dropout_gradient(sparcl_ctx *ctx, spec_bench_call *call) {
    const int64_t n = call->input->n;
    return spec_bench_open_arrays(ctx, call, 1, 1, call->input->matrix->rows, n);
}

/* The mask is computed again. */
static sparcl_status run_dropout_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_dropout(ctx, &s->to[0], &s->x[0], RATE, SEED, 0);
}

static bool answer_dropout_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    const double scale = R(1 / (1 - RATE));
    for (int64_t e = 0; e < s->x[0].shape[0] * s->x[0].shape[1]; ++e) {
        const bool kept = spec_dropout_word(e, SEED, 0) >= RATE * 0x1p32;
        order[0][e] = kept ? R(s->host[0][e] * scale) : 0;
    }
    return true;
}

SPEC_BENCH_OF_ARRAYS(dropout_gradient, "dropout-gradient", "the gradient of dropout",
                     SPEC_BENCH_WIDTHS)
