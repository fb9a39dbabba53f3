/* probe.c: the properties of a device's arithmetic, from the results of cl/probe.cl. */
#include "sparcl/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/ctx.h"
#include "launch/launch.h"
#include "probe/exact.h"

enum { ITERATIONS = 100000, CASES = 4096, SUMMANDS = 1000, INPUTS = 3, RESULTS = 3 };

/* Arrays of CASES numbers, on the host and on the device. */
typedef struct arrays {
    sparcl_ctx *ctx;
    sparcl_probe *found;
    float *in[INPUTS], *out; /* out: RESULTS arrays */
    sparcl_buf *in_buf[INPUTS], *out_buf[RESULTS];
} arrays;

static sparcl_status create_arrays(arrays *b) {
    const sparcl_allocator *allocator = spc_ctx_allocator(b->ctx);
    float *all = spc_alloc_zero(allocator, (INPUTS + RESULTS) * CASES, sizeof *all);
    if (!all) return spc_ctx_fail(b->ctx, SPARCL_E_MEMORY, "probe: no host memory");
    for (int k = 0; k < INPUTS; ++k)
        b->in[k] = all + k * CASES;
    b->out = all + INPUTS * CASES;
    for (int k = 0; k < INPUTS; ++k)
        SPC_TRY(sparcl_buf_create(b->ctx, &b->in_buf[k], CASES * sizeof(float)));
    for (int k = 0; k < RESULTS; ++k)
        SPC_TRY(sparcl_buf_create(b->ctx, &b->out_buf[k], RESULTS * CASES * sizeof(float)));
    return SPARCL_OK;
}

static void free_arrays(arrays *b) {
    for (int k = 0; k < INPUTS; ++k)
        sparcl_buf_free(b->in_buf[k]);
    for (int k = 0; k < RESULTS; ++k)
        sparcl_buf_free(b->out_buf[k]);
    spc_free(spc_ctx_allocator(b->ctx), b->in[0], (INPUTS + RESULTS) * CASES * sizeof(float));
}

static sparcl_status put(arrays *b, int count) {
    for (int k = 0; k < count; ++k)
        SPC_TRY(sparcl_buf_write(b->ctx, b->in_buf[k], 0, CASES * sizeof(float), b->in[k]));
    return SPARCL_OK;
}

static sparcl_status get(arrays *b, int k, int64_t count) {
    return sparcl_buf_read(b->ctx, b->out_buf[k], 0, count * (int64_t)sizeof(float), b->out);
}

static void record_wrong(arrays *b, const char *what, double x, double y, double result) {
    if (!b->found->first_error[0])
        snprintf(b->found->first_error, sizeof b->found->first_error, "%s of %a and %a gave %a",
                 what, x, y, result);
}

/* --- subnormal numbers and contraction ---------------------------------------------------------
 */

static sparcl_status probe_subnormals(arrays *b) {
    const float minimum = ldexpf(1, -126);
    for (int i = 0; i < CASES; ++i) {
        b->in[0][i] = i % 2 ? ldexpf(1, -127) : 1.5f * minimum; /* subnormal; normal */
        b->in[1][i] = i % 2 ? ldexpf(1, 24) : 0.5f;
    }
    SPC_TRY(put(b, 2));
    SPC_TRY(SPC_LAUNCH(b->ctx, "probe", 0, "probe_scale", spc_range_each(b->ctx, CASES),
                       SPC_IN(b->in_buf[0]), SPC_IN(b->in_buf[1]), SPC_OUT(b->out_buf[0]),
                       SPC_I64(CASES)));
    SPC_TRY(get(b, 0, CASES));
    for (int i = 0; i < CASES; ++i) {
        const float expected = i % 2 ? ldexpf(1, -103) : 0.75f * minimum;
        if (b->out[i] == expected) continue;
        *(i % 2 ? &b->found->flushes_inputs : &b->found->flushes_results) = 1;
    }
    /* A difference of normal numbers may be subnormal too, and is exact. */
    for (int i = 0; i < CASES; ++i) {
        b->in[0][i] = (1.5f + (float)i / (4 * CASES)) * minimum;
        b->in[1][i] = minimum;
    }
    SPC_TRY(put(b, 2));
    SPC_TRY(SPC_LAUNCH(b->ctx, "probe", 0, "probe_scale", spc_range_each(b->ctx, CASES),
                       SPC_IN(b->in_buf[0]), SPC_IN(b->in_buf[1]), SPC_OUT(b->out_buf[0]),
                       SPC_I64(CASES)));
    SPC_TRY(get(b, 0, 2 * CASES));
    for (int i = 0; i < CASES; ++i)
        if (b->out[CASES + i] == 0) b->found->flushes_results = 1;
    return SPARCL_OK;
}

/* (1 + e)^2 - (1 + 2 e) is e^2 when rounded once, and 0 when the product is rounded first. */
static sparcl_status probe_contraction(arrays *b) {
    for (int i = 0; i < CASES; ++i) {
        const float e = ldexpf(1, -13 - i % 8);
        b->in[0][i] = b->in[1][i] = 1 + e;
        b->in[2][i] = -(1 + 2 * e);
    }
    SPC_TRY(put(b, 3));
    SPC_TRY(SPC_LAUNCH(b->ctx, "probe", 0, "probe_multiply_add", spc_range_each(b->ctx, CASES),
                       SPC_IN(b->in_buf[0]), SPC_IN(b->in_buf[1]), SPC_IN(b->in_buf[2]),
                       SPC_OUT(b->out_buf[0]), SPC_I64(CASES)));
    SPC_TRY(get(b, 0, 3 * CASES));
    for (int i = 0; i < 3 * CASES; ++i)
        if (b->out[i] != 0) b->found->contracts = 1;
    return SPARCL_OK;
}

/* --- sums --------------------------------------------------------------------------------------
 */

/* A float sum or product computed in double and then rounded equals the float one (Figueroa 1995).
 */
static float sum_in_order(const float *x, const float *y) {
    double sum = 0;
    for (int i = 0; i < SUMMANDS; ++i)
        sum = (float)(sum + (y ? (float)((double)x[i] * y[i]) : x[i]));
    return (float)sum;
}

static sparcl_status probe_sums(arrays *b) {
    for (int i = 0; i < SUMMANDS; ++i) {
        b->in[0][i] = 1 + (float)(i * 7919 % 1009) / 1009;
        b->in[1][i] = 1 - (float)(i * 104729 % 997) / 1993;
    }
    SPC_TRY(put(b, 2));
    SPC_TRY(SPC_LAUNCH(b->ctx, "probe", 0, "probe_sum", spc_range_groups(b->ctx, 1),
                       SPC_IN(b->in_buf[0]), SPC_IN(b->in_buf[1]), SPC_OUT(b->out_buf[0]),
                       SPC_I64(SUMMANDS)));
    SPC_TRY(get(b, 0, 4));
    const float sum = sum_in_order(b->in[0], NULL), dot = sum_in_order(b->in[0], b->in[1]);
    b->found->reorders_sums = b->out[0] != sum || b->out[2] != dot;
    b->found->reorders_in_order = b->out[1] != sum || b->out[3] != dot;
    return SPARCL_OK;
}

/* --- divide, square root, conversions ----------------------------------------------------------
 */

static bool check_divisions(arrays *b, const char *what) {
    for (int i = 0; i < CASES; ++i) {
        if (spc_is_quotient(b->in[0][i], b->in[1][i], b->out[i])) continue;
        if (what) record_wrong(b, what, b->in[0][i], b->in[1][i], b->out[i]);
        return false;
    }
    return true;
}

static bool check_roots(arrays *b, const char *what) {
    for (int i = 0; i < CASES; ++i) {
        if (spc_is_root(b->in[0][i], b->out[i])) continue;
        if (what) record_wrong(b, what, b->in[0][i], 0, b->out[i]);
        return false;
    }
    return true;
}

/* Plain results are in out_buf[0], those of DIVIDE in out_buf[1]. `plain` may be NULL. */
static sparcl_status probe_division(arrays *b, uint32_t options, int *plain, int *used) {
    SPC_TRY(SPC_LAUNCH(b->ctx, "probe", options, "probe_divide", spc_range_each(b->ctx, CASES),
                       SPC_IN(b->in_buf[0]), SPC_IN(b->in_buf[1]), SPC_OUT(b->out_buf[0]),
                       SPC_OUT(b->out_buf[1]), SPC_I64(CASES)));
    if (plain) {
        SPC_TRY(get(b, 0, CASES));
        *plain = check_divisions(b, NULL);
    }
    SPC_TRY(get(b, 1, CASES));
    *used = check_divisions(b, options ? "own division" : "division");
    return SPARCL_OK;
}

static sparcl_status probe_root(arrays *b, uint32_t options, int *plain, int *used) {
    SPC_TRY(SPC_LAUNCH(b->ctx, "probe", options, "probe_root", spc_range_each(b->ctx, CASES),
                       SPC_IN(b->in_buf[0]), SPC_OUT(b->out_buf[0]), SPC_OUT(b->out_buf[1]),
                       SPC_I64(CASES)));
    if (plain) {
        SPC_TRY(get(b, 0, CASES));
        *plain = check_roots(b, NULL);
    }
    SPC_TRY(get(b, 1, CASES));
    *used = check_roots(b, options ? "own root" : "root");
    return SPARCL_OK;
}

static sparcl_status probe_rounding(arrays *b) {
    sparcl_probe *found = b->found;
    const bool subnormal = !found->flushes_inputs && !found->flushes_results;
    for (uint32_t i = 0; i < CASES; ++i)
        spc_hard_division(i, subnormal && i % 4 == 1, &b->in[0][i], &b->in[1][i]);
    SPC_TRY(put(b, 2));
    SPC_TRY(
        probe_division(b, SPC_OWN, &found->plain_divide_correct, &found->software_divide_correct));
    SPC_TRY(probe_division(b, 0, NULL, &found->divide_correct));
    for (uint32_t i = 0; i < CASES; ++i)
        spc_hard_root(i, subnormal, &b->in[0][i]);
    SPC_TRY(put(b, 1));
    SPC_TRY(probe_root(b, SPC_OWN, &found->plain_sqrt_correct, &found->software_sqrt_correct));
    SPC_TRY(probe_root(b, 0, NULL, &found->sqrt_correct));
    found->cases = CASES;
    return SPARCL_OK;
}

static sparcl_status probe_conversions(arrays *b) {
    int32_t number = 0;
    for (int i = 0; i < CASES; ++i) {
        const double size = ldexp(1 + (double)((int64_t)i * 40503 % 4093) / 4093, i % 31);
        b->in[0][i] = (float)(i % 2 ? -size : size);
        number = (int32_t)(b->in[0][i] * 0.999); /* more bits than a float holds */
        memcpy(&b->in[1][i], &number, sizeof number);
    }
    b->in[0][0] = 0.99999994f;
    b->in[0][1] = -0.99999994f;
    SPC_TRY(put(b, 2));
    SPC_TRY(SPC_LAUNCH(b->ctx, "probe", 0, "probe_convert", spc_range_each(b->ctx, CASES),
                       SPC_IN(b->in_buf[0]), SPC_IN(b->in_buf[1]), SPC_OUT(b->out_buf[0]),
                       SPC_OUT(b->out_buf[1]), SPC_I64(CASES)));
    b->found->conversions_correct = 1;
    SPC_TRY(get(b, 0, CASES));
    for (int i = 0; i < CASES; ++i) {
        memcpy(&number, &b->out[i], sizeof number);
        if (number == (int32_t)b->in[0][i]) continue;
        record_wrong(b, "float to int", b->in[0][i], 0, number);
        b->found->conversions_correct = 0;
    }
    SPC_TRY(get(b, 1, CASES));
    for (int i = 0; i < CASES; ++i) {
        memcpy(&number, &b->in[1][i], sizeof number);
        if (b->out[i] == (float)number) continue;
        record_wrong(b, "int to float", number, 0, b->out[i]);
        b->found->conversions_correct = 0;
    }
    return SPARCL_OK;
}

static sparcl_status probe_loops(arrays *b) {
    const int32_t one = 1;
    int32_t iterations = 0;
    for (int i = 0; i < 8; ++i)
        memcpy(&b->in[0][i], &one, sizeof one);
    SPC_TRY(put(b, 1));
    SPC_TRY(SPC_LAUNCH(b->ctx, "probe", 0, "probe_loop", spc_range_groups(b->ctx, 1),
                       SPC_IN(b->in_buf[0]), SPC_OUT(b->out_buf[0]), SPC_I64(ITERATIONS)));
    SPC_TRY(get(b, 0, 1));
    memcpy(&iterations, b->out, sizeof iterations);
    b->found->loop_limit = iterations == ITERATIONS ? 0 : iterations;
    b->found->loops_correct = iterations == ITERATIONS || spc_has_short_loops(b->ctx);
    return SPARCL_OK;
}

sparcl_status sparcl_ctx_probe(sparcl_ctx *ctx, sparcl_probe *probe) {
    arrays b = {.ctx = ctx, .found = probe};
    sparcl_status status = SPARCL_OK;
    if (probe) memset(probe, 0, sizeof *probe);
    if (!ctx) return SPARCL_E_ARG;
    if (!probe) return spc_ctx_fail(ctx, SPARCL_E_ARG, "probe: probe is NULL");
    SPC_GO(create_arrays(&b));
    SPC_GO(probe_subnormals(&b));
    SPC_GO(probe_contraction(&b));
    SPC_GO(probe_sums(&b));
    SPC_GO(probe_rounding(&b));
    SPC_GO(probe_conversions(&b));
    SPC_GO(probe_loops(&b));
done:
    free_arrays(&b);
    if (status != SPARCL_OK) memset(probe, 0, sizeof *probe);
    return status;
}
