/* matmul_case.h: a case of spec_matmul.c: what its variant says, its arrays, and their views. */
#ifndef SPC_SPEC_MATMUL_CASE_H
#define SPC_SPEC_MATMUL_CASE_H

#include "spec/shared/rowset.h"

/* Formats. */
enum { CSR, CSC, COO, BSR };

static inline int spec_matmul_format(const spec_case *c) {
    return c->variant & 3;
}
static inline bool spec_matmul_transposed(const spec_case *c) {
    return c->variant >> 2 & 1;
}
static inline bool spec_matmul_second(const spec_case *c) {
    return c->variant >> 3 & 1;
}
static inline bool spec_matmul_dense_transposed(const spec_case *c) {
    return c->variant >> 4 & 1;
}
static inline bool spec_matmul_dense_by_columns(const spec_case *c) {
    return c->variant >> 5 & 1;
}
static inline bool spec_matmul_c_by_columns(const spec_case *c) {
    return c->variant >> 6 & 1;
}
static inline bool spec_matmul_has_rows(const spec_case *c) {
    return c->variant >> 7 & 1;
}
/* Is each block stored once, in order? */
static inline bool spec_matmul_unique_blocks(const spec_case *c) {
    return c->variant >> 8 & 1;
}
/* Are the arrays of the sparse matrix those of the CSR format of the transpose of E? */
static inline bool spec_matmul_stored_transposed(const spec_case *c) {
    return spec_matmul_transposed(c) != (spec_matmul_format(c) == CSC);
}
static inline bool spec_matmul_has_rows_result(const spec_case *c) {
    return spec_matmul_has_rows(c) && spec_matmul_stored_transposed(c);
}

/* Rows and columns of a block. */
const int64_t *spec_matmul_block(const spec_case *c);

typedef struct spec_matmul_arrays {
    spec_matrix stored, e, met;              /* as stored; E; E without what meets no stored row */
    spec_matrix pattern;                     /* where blocks are, */
    double *blocks;                          /* and their elements */
    spec_rowset rows;                        /* B, where it is row-sparse */
    double *b, *old, *order, *truth, *bound; /* B [k, n]; the others [m, n] */
} spec_matmul_arrays;

/* The two operands and C, in the order of the call. */
typedef struct spec_matmul_call {
    sparcl_matrix sparse, dense, c;
} spec_matmul_call;

sparcl_status spec_matmul_put(sparcl_ctx *ctx, const spec_case *c, const spec_matmul_arrays *x,
                              spec_matmul_call *k);
/* C as [m, n]; a row that is not stored is 0. */
sparcl_status spec_matmul_get(sparcl_ctx *ctx, const spec_case *c, const spec_matmul_call *k,
                              double *got);
void spec_matmul_free(spec_matmul_call *k);

#endif
