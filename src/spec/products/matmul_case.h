/* matmul_case.h: a case of spec_matmul.c: what its variant says, its arrays and views. */
#ifndef SPC_SPEC_MATMUL_CASE_H
#define SPC_SPEC_MATMUL_CASE_H

#include "spec/shared/harness_sparse.h"

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

typedef struct spec_matmul_case {
    const spec_case *c;
    int64_t m, k;                    /* the sizes of E */
    spec_matrix stored, e, met;      /* as stored; E; E without what meets no stored row */
    spec_matrix pattern;             /* where blocks are, */
    double *blocks;                  /* and their elements */
    spec_rowset rows;                /* B, where it is row-sparse */
    double *b, *old;                 /* B [k, n]; C before the call [m, n] */
    sparcl_matrix sparse, dense, to; /* the two operands and C, in the order of the call */
    sparcl_pattern *built;           /* of the sparse operand, or NULL */
} spec_matmul_case;

/* The views of a case. */
void spec_matmul_put(spec_test *t, spec_matmul_case *x);
/* C as [m, n]; a row that is not stored is 0. */
double *spec_matmul_get(spec_test *t, const spec_matmul_case *x);

#endif
