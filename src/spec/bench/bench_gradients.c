/* bench_gradients.c: timed operations: limits of each element, and the gradients of operations on
 * elements and of dropout. */
#include "spec/bench/bench_arrays.h"
#include "spec/layers/philox.h"

#define LOW  (-0.5)
#define HIGH 0.5
#define RATE 0.25
#define SEED 7

#define R(x) spec_round(SPARCL_F32, (x))

/* --- elements: arrays with a number for each entry of A --------------------------------------- */

#define ENTRIES(id, operands, results)                                                             \
    static sparcl_status open_##id(sparcl_ctx *ctx, spec_bench_call *call) {                       \
        return spec_bench_open_arrays(ctx, call, operands, results, call->input->matrix->nnz, 0);  \
    }

ENTRIES(clip, 1, 1)
ENTRIES(clip_gradient, 2, 1)
ENTRIES(tanh_gradient, 2, 1)
ENTRIES(multiply_gradient, 3, 2)

static sparcl_status run_clip(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_clip(ctx, &s->to[0], &s->x[0], LOW, HIGH);
}

static bool answer_clip(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t k = 0; k < s->x[0].shape[0]; ++k) {
        const double x = s->host[0][k];
        order[0][k] = x < LOW ? LOW : x > HIGH ? HIGH : x;
    }
    return true;
}

static sparcl_status run_clip_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_clip_gradient(ctx, &s->to[0], &s->x[0], &s->x[1], LOW, HIGH);
}

static bool answer_clip_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t k = 0; k < s->x[0].shape[0]; ++k)
        order[0][k] = s->host[0][k] >= LOW && s->host[0][k] <= HIGH ? s->host[1][k] : 0;
    return true;
}

/* Of the results and their gradient. */
static sparcl_status run_tanh_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_unary_gradient(ctx, SPARCL_UNARY_TANH, &s->to[0], &s->x[0], &s->x[1]);
}

static bool answer_tanh_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t k = 0; k < s->x[0].shape[0]; ++k) {
        const double y = s->host[0][k];
        order[0][k] = R(R(R(1 - y) * R(1 + y)) * s->host[1][k]);
    }
    return true;
}

static sparcl_status run_multiply_gradient(sparcl_ctx *ctx, const spec_bench_call *call) {
    const spec_bench_arrays *const s = call->state;
    return sparcl_binary_gradient(ctx, SPARCL_BINARY_MULTIPLY, &s->to[0], &s->to[1], &s->x[0],
                                  &s->x[1], &s->x[2]);
}

static bool answer_multiply_gradient(const spec_bench_call *call, double *const *order) {
    const spec_bench_arrays *const s = call->state;
    for (int64_t k = 0; k < s->x[0].shape[0]; ++k) {
        order[0][k] = R(s->host[2][k] * s->host[1][k]);
        order[1][k] = R(s->host[2][k] * s->host[0][k]);
    }
    return true;
}

SPEC_BENCH_OF_ARRAYS(clip, "clip", "numbers limited to -0.5 .. 0.5, one for each entry of A", 0)
SPEC_BENCH_OF_ARRAYS(clip_gradient, "clip-gradient", "the gradient of clip", 0)
SPEC_BENCH_OF_ARRAYS(tanh_gradient, "tanh-gradient", "the gradient of tanh", 0)
SPEC_BENCH_OF_ARRAYS(multiply_gradient, "multiply-gradient", "both gradients of multiply", 0)

/* --- dropout: dense arrays with the rows of A --------------------------------------------------
 */

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
