/* gemm_check.c: are the results of CLBlast right on this device? Checked once per context and type.
 */
#include <math.h>

#include "base/memory.h"
#include "device/ctx.h"
#include "ops/products/gemm.h"

/* Four matrices in one buffer: A, B, C of the exact product, C of CLBlast. */
#define SIDE 70
#define LD   72
#define SIZE (SIDE * LD)
enum { A, B, EXACT, FAST, MATRICES };

static const struct check_case {
    int64_t m, n, k;
    sparcl_op op_a, op_b;
    double alpha, beta;
} cases[] = {
    {70, 70, 70, SPARCL_OP_N, SPARCL_OP_N, 1, 0},    {33, 70, 65, SPARCL_OP_T, SPARCL_OP_N, 0.5, 1},
    {70, 17, 64, SPARCL_OP_N, SPARCL_OP_T, -1, 0.5}, {64, 64, 32, SPARCL_OP_T, SPARCL_OP_T, 2, 0},
    {5, 1, 70, SPARCL_OP_N, SPARCL_OP_N, 1, 0},
};

static void put(sparcl_dtype dtype, void *values, int i, double x) {
    if (dtype == SPARCL_F64)
        ((double *)values)[i] = x;
    else
        ((float *)values)[i] = (float)x;
}

static double get(sparcl_dtype dtype, const void *values, int i) {
    return dtype == SPARCL_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* Numbers in [-1, 1): a linear congruential generator with the constants of Numerical Recipes. Both
 * C are equal; with beta == 0 they are NaN, since C must not be read. */
static void fill(const struct check_case *c, sparcl_dtype dtype, void *values) {
    uint32_t state = 1;
    for (int i = 0; i < MATRICES * SIZE; ++i) {
        state = state * 1664525u + 1013904223u;
        double x = (double)(state >> 8) / (1 << 23) - 1;
        if (i >= EXACT * SIZE && c->beta == 0) x = (double)NAN;
        if (i >= FAST * SIZE) x = get(dtype, values, i - SIZE);
        put(dtype, values, i, x);
    }
}

/* The two sums differ by less than twice the bound of docs/numerics.md for factors below 1;
 * elements outside of C are equal. */
static bool is_near(const struct check_case *c, sparcl_dtype dtype, const void *values) {
    const double u = dtype == SPARCL_F64 ? ldexp(1, -53) : ldexp(1, -24);
    const double k = (double)c->k, bound = 2 * (k + 4) * u * (fabs(c->alpha) * k + fabs(c->beta));
    for (int row = 0; row < SIDE; ++row)
        for (int j = 0; j < LD; ++j) {
            const int at = row * LD + j;
            const double x = get(dtype, values, EXACT * SIZE + at);
            const double y = get(dtype, values, FAST * SIZE + at);
            const bool inside = row < c->m && j < c->n;
            if (inside ? !(fabs(x - y) <= bound) : (x != y && !(isnan(x) && isnan(y))))
                return false;
        }
    return true;
}

static const char *try_case(sparcl_ctx *ctx, const struct check_case *c, sparcl_dtype dtype,
                            sparcl_buf *buf, void *values) {
    const int64_t bytes = MATRICES * SIZE * (int64_t)sparcl_dtype_size(dtype);
    const bool ta = c->op_a == SPARCL_OP_T, tb = c->op_b == SPARCL_OP_T;
    sparcl_dense v[MATRICES];
    for (int i = 0; i < MATRICES; ++i)
        v[i] = (sparcl_dense){
            .rank = 2, .dtype = dtype, .ld = LD, .values = buf, .values_at = i * SIZE};
    v[A].shape[ta] = v[EXACT].shape[0] = v[FAST].shape[0] = c->m;
    v[A].shape[!ta] = v[B].shape[tb] = c->k;
    v[B].shape[!tb] = v[EXACT].shape[1] = v[FAST].shape[1] = c->n;
    const spc_gemm exact = {&v[EXACT], &v[A], &v[B], c->op_a, c->op_b, c->alpha, c->beta};
    const spc_gemm fast = {&v[FAST], &v[A], &v[B], c->op_a, c->op_b, c->alpha, c->beta};
    fill(c, dtype, values);
    if (sparcl_buf_write(ctx, buf, 0, bytes, values) != SPARCL_OK ||
        spc_gemm_exact(ctx, &exact) != SPARCL_OK)
        return "the check of CLBlast failed on the device";
    if (!spc_gemm_fast(ctx, &fast)) return "CLBlast is not available or rejects the product";
    if (sparcl_buf_read(ctx, buf, 0, bytes, values) != SPARCL_OK)
        return "the check of CLBlast failed on the device";
    return is_near(c, dtype, values) ? NULL : "CLBlast gives wrong results";
}

const char *spc_gemm_check(sparcl_ctx *ctx, sparcl_dtype dtype) {
    const sparcl_allocator *allocator = spc_ctx_allocator(ctx);
    const size_t bytes = MATRICES * SIZE * sizeof(double);
    sparcl_buf *buf = NULL;
    const char *why = NULL;
    void *values = spc_alloc(allocator, bytes);
    if (!values || sparcl_buf_create(ctx, &buf, (int64_t)bytes) != SPARCL_OK)
        why = "there is not enough memory to check CLBlast";
    for (size_t i = 0; !why && i < SPC_COUNT(cases); ++i)
        why = try_case(ctx, &cases[i], dtype, buf, values);
    sparcl_buf_free(buf);
    spc_free(allocator, values, bytes);
    return why;
}
