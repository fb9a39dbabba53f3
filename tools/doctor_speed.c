/* doctor_speed.c: the fast class of dense products, and how fast the device moves memory. */
#include <math.h>
#include <stdlib.h>

#include "doctor.h"
#include "sparcl/sparcl.h"

/* ---- dense products ------------------------------------------------------------------------- */

enum { SMALL_SIDE = 32, SIDE = 256, REPEATS = 3 };

typedef struct products {
    sparcl_buf *a, *b, *c;
    float *numbers;
    int64_t side;
} products;

static sparcl_status multiply(sparcl_ctx *ctx, const products *p, sparcl_math math) {
    const sparcl_dense a = {.rank = 2, .shape = {p->side, p->side}, .values = p->a};
    const sparcl_dense b = {.rank = 2, .shape = {p->side, p->side}, .values = p->b};
    const sparcl_dense c = {.rank = 2, .shape = {p->side, p->side}, .values = p->c};
    const sparcl_status status = sparcl_gemm(ctx, &c, 1, SPARCL_OP_N, &a, SPARCL_OP_N, &b, 0, math);
    return status == SPARCL_OK ? sparcl_ctx_finish(ctx) : status;
}

/* The best of some runs after a first that is not counted: it builds, and checks CLBlast. */
static double time_products(sparcl_ctx *ctx, const products *p, sparcl_math math) {
    double best = INFINITY;
    for (int i = 0; i <= REPEATS; i++) {
        const double begin = seconds_now();
        if (multiply(ctx, p, math) != SPARCL_OK) return NAN;
        const double seconds = seconds_now() - begin;
        if (i > 0 && seconds < best) best = seconds;
    }
    const double side = (double)p->side;
    return 2 * side * side * side / best / 1e9;
}

/* A simulator would take minutes for the size that tells something of a device. */
static void find_side(sparcl_ctx *ctx, products *p) {
    p->side = SMALL_SIDE;
    const double rate = time_products(ctx, p, SPARCL_MATH_EXACT);
    if (rate > 0.1) p->side = SIDE; /* false for NAN */
}

static sparcl_status make_products(sparcl_ctx *ctx, products *p) {
    const int64_t bytes = (int64_t)sizeof(float) * SIDE * SIDE;
    p->numbers = malloc((size_t)bytes);
    if (!p->numbers) return SPARCL_E_MEMORY;
    for (int i = 0; i < SIDE * SIDE; i++)
        p->numbers[i] = (float)(i * 37 % 101 - 50) / 64;
    sparcl_status status = sparcl_buf_upload(ctx, &p->a, p->numbers, bytes);
    if (status == SPARCL_OK) status = sparcl_buf_upload(ctx, &p->b, p->numbers, bytes);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &p->c, bytes);
    return status;
}

void check_fast(doctor *d, sparcl_ctx *ctx, const char *told) {
    products p = {0};
    double exact = NAN, fast = NAN;
    if (make_products(ctx, &p) == SPARCL_OK) {
        find_side(ctx, &p);
        exact = time_products(ctx, &p, SPARCL_MATH_EXACT);
        fast = time_products(ctx, &p, SPARCL_MATH_FAST);
    }
    /* Where CLBlast is absent, refuses or is wrong, the library warns once and computes exactly. */
    if (isnan(exact) || isnan(fast))
        find_failure(d, EXIT_RUNTIME, "products", "%s", sparcl_ctx_error(ctx)->message);
    else if (told[0])
        find(d, FINDING_NOTE, "products", "no fast class, exact is used: %s (%.1f GFlop/s)", told,
             exact);
    else
        find(d, FINDING_OK, "products", "CLBlast is right; fast %.1f, exact %.1f GFlop/s", fast,
             exact);
    json_object_set_new(d->facts, "fast_products",
                        json_pack("{s:s, s:o, s:o}", "state", told[0] ? "refused" : "ok", "gflops",
                                  json_number(fast), "exact_gflops", json_number(exact)));
    sparcl_buf_free(p.a);
    sparcl_buf_free(p.b);
    sparcl_buf_free(p.c);
    free(p.numbers);
}

/* ---- bandwidth ------------------------------------------------------------------------------ */

typedef struct speeds {
    int64_t bytes;
    double copy, read, write; /* GB/s; a copy counts what is read and what is written */
} speeds;

static double rate(double bytes, double begin) {
    return bytes / (seconds_now() - begin) / 1e9;
}

static sparcl_status measure_once(sparcl_ctx *ctx, sparcl_buf *to, sparcl_buf *from, void *host,
                                  speeds *s) {
    const int64_t n = s->bytes;
    double begin = seconds_now();
    sparcl_status status = sparcl_buf_write(ctx, from, 0, n, host);
    if (status == SPARCL_OK) status = sparcl_ctx_finish(ctx);
    s->write = fmax(s->write, rate((double)n, begin));
    begin = seconds_now();
    if (status == SPARCL_OK) status = sparcl_buf_copy(ctx, to, 0, from, 0, n);
    if (status == SPARCL_OK) status = sparcl_ctx_finish(ctx);
    s->copy = fmax(s->copy, rate(2.0 * (double)n, begin));
    begin = seconds_now();
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, to, 0, n, host);
    s->read = fmax(s->read, rate((double)n, begin));
    return status;
}

static sparcl_status measure(sparcl_ctx *ctx, speeds *s) {
    sparcl_buf *from = NULL, *to = NULL;
    char *const host = calloc(1, (size_t)s->bytes);
    sparcl_status status = host ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &from, s->bytes);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &to, s->bytes);
    for (int i = 0; i < REPEATS && status == SPARCL_OK; i++)
        status = measure_once(ctx, to, from, host, s);
    sparcl_buf_free(from);
    sparcl_buf_free(to);
    free(host);
    return status;
}

/* Larger and larger until a round takes a while: caches do not count, a simulator need not wait. */
void check_bandwidth(doctor *d, sparcl_ctx *ctx) {
    const int64_t most = sparcl_ctx_device(ctx)->max_allocation / 4;
    speeds s = {0};
    char size[NUMBER_BYTES];
    double seconds = 0;
    for (int64_t bytes = 1 << 16; bytes <= 1 << 28 && bytes <= most && seconds < 0.3; bytes *= 4) {
        s = (speeds){.bytes = bytes};
        const double begin = seconds_now();
        if (measure(ctx, &s) != SPARCL_OK) {
            const sparcl_error *const error = sparcl_ctx_error(ctx);
            find_failure(d, exit_code_of(error->status), "bandwidth", "%s", error->message);
            return;
        }
        seconds = seconds_now() - begin;
    }
    find(d, FINDING_OK, "bandwidth", "copy %.1f, read %.1f, write %.1f GB/s, with %s", s.copy,
         s.read, s.write, format_bytes(size, s.bytes));
    json_object_set_new(d->facts, "bandwidth",
                        json_pack("{s:I, s:f, s:f, s:f}", "bytes", (json_int_t)s.bytes, "copy_gb_s",
                                  s.copy, "read_gb_s", s.read, "write_gb_s", s.write));
}
