/* product.h: products of a sparse matrix or its transpose with a dense one: checks and launches. */
#ifndef SPC_OPS_PRODUCT_H
#define SPC_OPS_PRODUCT_H

#include "ops/check.h"

/* A result [outer, n] from a sparse matrix with `inner` and B [inner, n]. */
typedef struct spc_product {
    int rank; /* of the result */
    const int64_t *shape;
    const sparcl_dense *b;
    int64_t n, inner, outer;
    const char *inner_name, *outer_name; /* what A calls them */
} spc_product;

/* `result` is what the op calls it: C or R. */
sparcl_status spc_product_shapes(sparcl_ctx *ctx, const char *op, const char *result,
                                 const spc_product *p);
sparcl_status spc_product_types(sparcl_ctx *ctx, const char *op, const char *result, sparcl_dtype a,
                                sparcl_dtype b, sparcl_dtype c);
sparcl_status spc_product_alias(sparcl_ctx *ctx, const char *op, const spc_span *result,
                                const sparcl_csr *a, const sparcl_dense *b);

/* to := alpha * A * B + beta * to for checked operands, or with the transpose of A, which `pattern`
 * has: then rows that it does not have are left as they are. */
typedef struct spc_multiply_job {
    const sparcl_csr *a;
    const sparcl_pattern *pattern; /* with its values; or NULL */
    int64_t all_rows; /* of `to`, where rows of a pattern go to row `column of A`; 0: they lie one
                         after the other */
    bool fills; /* other rows of `to` become alpha * 0; not on many lanes, and not with beta */
    const sparcl_dense *b;
    sparcl_buf *to;
    int64_t to_at, to_ld, n;
    double alpha, beta;
    int64_t carry_bytes; /* at most so much scratch memory; 0: SPC_CARRY_BYTES */
} spc_multiply_job;

/* What rows without an entry become. Made here: Mesa's compiler takes it for 0, also where it is -0
 * or NaN. */
static inline double spc_times_zero(sparcl_dtype dtype, double alpha) {
    return dtype == SPARCL_F32 ? (float)alpha * 0.0f : alpha * 0.0;
}

/* OpenCL 1.2 promises that a buffer may be so large. */
#define SPC_CARRY_BYTES ((int64_t)128 << 20)

/* Is a result to be written past the caches, because its first rows would be gone from them before
 * the last is written? */
int32_t spc_result_streams(const sparcl_ctx *ctx, int64_t rows, int64_t columns,
                           sparcl_dtype dtype);

/* Takes scratch memory that the caller gives back. */
sparcl_status spc_multiply(sparcl_ctx *ctx, const spc_multiply_job *job);

#endif
