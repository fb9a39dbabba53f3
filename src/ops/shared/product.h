/* product.h: products of a sparse matrix or its transpose with a dense one: checks and launches. */
#ifndef SPC_OPS_PRODUCT_H
#define SPC_OPS_PRODUCT_H

#include "ops/shared/check.h"

/* A result [outer, n] of a sparse matrix and B [inner, n]. */
typedef struct spc_product {
    int rank; /* of the result */
    const int64_t *shape;
    const sparcl_dense *b;
    int64_t n, inner, outer;
    const char *inner_name, *outer_name; /* "rows" or "columns" of A */
} spc_product;

/* `result` is its name in messages: C or R. */
sparcl_status spc_product_shapes(sparcl_ctx *ctx, const char *op, const char *result,
                                 const spc_product *p);
sparcl_status spc_product_types(sparcl_ctx *ctx, const char *op, const char *result, sparcl_dtype a,
                                sparcl_dtype b, sparcl_dtype c);
sparcl_status spc_product_alias(sparcl_ctx *ctx, const char *op, const spc_span *result,
                                const sparcl_csr *a, const sparcl_dense *b);

/* to := alpha * A * B + beta * to for checked operands, or with the transpose of A, if `pattern` is
 * not NULL: then rows that the pattern does not have are not changed. */
typedef struct spc_multiply_job {
    const sparcl_csr *a;
    const sparcl_pattern *pattern; /* with its values; or NULL */
    int64_t all_rows; /* of `to`, where a row of the pattern is the row of `to` with the number of
                         its column in A; 0: the rows of the result are packed */
    bool fill_empty; /* other rows of `to` become alpha * 0; not on many lanes, and not with beta */
    const sparcl_dense *b;
    sparcl_buf *to;
    int64_t to_at, to_ld, n;
    double alpha, beta;
    int64_t carry_bytes; /* maximum scratch memory; 0: SPC_CARRY_BYTES */
} spc_multiply_job;

/* The value of rows without entries. Computed on the host: Mesa's compiler takes it for 0, also
 * where it is -0 or NaN. */
static inline double spc_times_zero(sparcl_dtype dtype, double alpha) {
    return dtype == SPARCL_F64 ? alpha * 0.0 : (float)alpha * 0.0f;
}

/* The minimum of CL_DEVICE_MAX_MEM_ALLOC_SIZE in OpenCL 1.2. */
#define SPC_CARRY_BYTES ((int64_t)128 << 20)

/* The caller releases the scratch memory. */
sparcl_status spc_multiply(sparcl_ctx *ctx, const spc_multiply_job *job);

/* GPU class: the long rows of `to`, from the sums of their blocks, which another kernel has stored.
 */
struct spc_units;
sparcl_status spc_fold_units(sparcl_ctx *ctx, const spc_multiply_job *job,
                             const struct spc_units *units);

#endif
