/* doctor_speed.c: measures dense products of the fast class, and the bandwidth of memory. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "doctor.h"
#include "sparcl/sparcl.h"

/* ---- dense products ------------------------------------------------------------------------- */

enum { SMALL_SIDE = 32, SIDE = 256, REPEATS = 3 };

typedef struct products {
    sparcl_dense a, b, c;
    float *numbers;
    int64_t side;
} products;

static sparcl_status multiply(sparcl_ctx *ctx, const products *p, sparcl_math math) {
    sparcl_dense a = p->a, b = p->b, c = p->c; /* their first elements */
    a.shape[0] = a.shape[1] = b.shape[0] = b.shape[1] = c.shape[0] = c.shape[1] = p->side;
    const sparcl_status status = sparcl_gemm(ctx, &c, 1, SPARCL_OP_N, &a, SPARCL_OP_N, &b, 0, math);
    return status == SPARCL_OK ? sparcl_ctx_finish(ctx) : status;
}

/* GFlop/s of the fastest run. The first run is not timed: it builds kernels and checks CLBlast. */
static double time_products(sparcl_ctx *ctx, const products *p, sparcl_math math) {
    double best = INFINITY;
    for (int i = 0; i <= REPEATS; i++) {
        const double begin = spc_clock();
        if (multiply(ctx, p, math) != SPARCL_OK) return NAN;
        const double seconds = spc_clock() - begin;
        if (i > 0 && seconds < best) best = seconds;
    }
    const double side = (double)p->side;
    return 2 * side * side * side / best / 1e9;
}

/* Use SIDE only if the device is fast enough: a simulator would need minutes. */
static void find_side(sparcl_ctx *ctx, products *p) {
    p->side = SMALL_SIDE;
    const double rate = time_products(ctx, p, SPARCL_MATH_EXACT);
    if (rate > 0.1) p->side = SIDE; /* false for NAN */
}

static sparcl_status make_products(sparcl_ctx *ctx, products *p) {
    p->numbers = malloc(sizeof(float) * SIDE * SIDE);
    if (!p->numbers) return SPARCL_E_MEMORY;
    for (int i = 0; i < SIDE * SIDE; i++)
        p->numbers[i] = (float)(i * 37 % 101 - 50) / 64;
    p->a = p->b = p->c = (sparcl_dense){.rank = 2, .shape = {SIDE, SIDE}};
    sparcl_status status = sparcl_dense_upload(ctx, &p->a, p->numbers);
    if (status == SPARCL_OK) status = sparcl_dense_upload(ctx, &p->b, p->numbers);
    if (status == SPARCL_OK) status = sparcl_dense_create(ctx, &p->c);
    return status;
}

void measure_products(sparcl_ctx *ctx, doctor_speed *speed) {
    products p = {0};
    speed->exact = speed->fast = NAN;
    if (make_products(ctx, &p) == SPARCL_OK) {
        find_side(ctx, &p);
        speed->exact = time_products(ctx, &p, SPARCL_MATH_EXACT);
        speed->fast = time_products(ctx, &p, SPARCL_MATH_FAST);
    }
    sparcl_dense_free(&p.a);
    sparcl_dense_free(&p.b);
    sparcl_dense_free(&p.c);
    free(p.numbers);
}

void check_fast(doctor *d, sparcl_ctx *ctx, const char *warned) {
    doctor_speed speed;
    measure_products(ctx, &speed);
    /* If CLBlast is missing, fails or is wrong, the library warns once and uses the exact class. */
    if (isnan(speed.exact) || isnan(speed.fast))
        add_failure(d, EXIT_RUNTIME, "products", "%s", sparcl_ctx_error(ctx)->message);
    else if (warned[0])
        add_finding(d, FINDING_NOTE, "products",
                    "no fast class, the exact class is used: %s (%.1f GFlop/s)", warned,
                    speed.exact);
    else
        add_finding(d, FINDING_OK, "products", "CLBlast is correct; fast %.1f, exact %.1f GFlop/s",
                    speed.fast, speed.exact);
    json_object_set_new(d->facts, "fast_products",
                        json_pack("{s:s, s:o, s:o}", "state", warned[0] ? "refused" : "ok",
                                  "gflops", json_number(speed.fast), "exact_gflops",
                                  json_number(speed.exact)));
}

/* ---- bandwidth ------------------------------------------------------------------------------ */

void check_bandwidth(doctor *d, sparcl_ctx *ctx) {
    limits_memory speed = {0};
    char size[NUMBER_BYTES];
    if (limits_bandwidth(ctx, &speed) != SPARCL_OK) {
        const sparcl_error *const error = sparcl_ctx_error(ctx);
        add_failure(d, exit_code_of(error->status), "bandwidth", "%s", error->message);
        return;
    }
    const double copy = speed.copy.rate / 1e9, read = speed.read.rate / 1e9;
    const double written = speed.write.rate / 1e9;
    add_finding(d, FINDING_OK, "bandwidth",
                "copy %.1f, read by the host %.1f, write %.1f GB/s, with %s", copy, read, written,
                format_bytes(size, speed.bytes));
    json_object_set_new(d->facts, "bandwidth",
                        json_pack("{s:I, s:f, s:f, s:f}", "bytes", (json_int_t)speed.bytes,
                                  "copy_gb_s", copy, "read_gb_s", read, "write_gb_s", written));
}
