/* spec.h: the plain-C answers. Each op has one spec: its cases, its inputs, its two answers
 * (`truth` in double, `order` with the additions of docs/numerics.md) and the comparison with the
 * device. Not in the library: the tests, doctor and bench are made from it. */
#ifndef SPC_SPEC_SPEC_H
#define SPC_SPEC_SPEC_H

#include <stdbool.h>

#include "sparcl/sparcl.h"

#define SPEC_BLOCK 256

/* What the entries of a generated matrix look like. */
typedef enum spec_kind {
    SPEC_UNIFORM,   /* each row about the same number of entries, columns anywhere */
    SPEC_RAGGED,    /* half the rows empty, lengths from 1 to many times the mean */
    SPEC_ONE_ROW,   /* one row has everything */
    SPEC_ONE_COL,   /* every entry is in one column */
    SPEC_DUPLICATE, /* rows unsorted, with repeated columns */
    SPEC_DIAGONAL,
    SPEC_KINDS
} spec_kind;

/* One case of an op. Ops use the fields that they need. */
typedef struct spec_case {
    spec_kind kind;
    int64_t rows, cols, nnz, n;
    sparcl_dtype dtype;
    sparcl_itype offset_type, index_type;
    double alpha, beta;
    uint64_t seed;
    int variant;    /* what else an op tells apart; its spec says what */
    bool subnormal; /* numbers below the normal range come up, which some devices take for 0 */
} spec_case;

/* What came out of a case. */
typedef struct spec_report {
    bool equal;    /* every bit as `order` */
    double worst;  /* largest error against `truth`, as a part of the bound: at most 1 */
    char why[512]; /* the first difference, or the error of a call */
    double flops, bytes;
    bool zeros_are_right; /* set by a spec before it compares: most of this answer is 0, and that is
                             what the case is about; else such a case is a bad one and fails */
} spec_report;

typedef struct spec_op {
    const char *name;
    /* Case number i of the op, smallest first; false when there are no more. `small` leaves out all
     * that a simulator would take seconds for. */
    bool (*get_case)(int i, bool small, spec_case *c);
    /* Make the inputs, run on the device, compare. SPARCL_OK also when the bits differ. */
    sparcl_status (*check)(sparcl_ctx *ctx, const spec_case *c, spec_report *report);
} spec_op;

/* All ops, NULL at the end. */
extern const spec_op *const spec_ops[];

/* A text for a case, for test names and messages. */
void spec_case_text(const spec_op *op, const spec_case *c, char *text, size_t size);

/* --- inputs ------------------------------------------------------------------------------------
 */

/* splitmix64 (Steele, Lea, Flood 2014): the tests' own numbers, the same everywhere. */
uint64_t spec_random(uint64_t *state);
/* In [-1, 1), with 24 significant bits: exact in float. */
double spec_uniform(uint64_t *state);

/* A CSR matrix on the host, in the widest types. */
typedef struct spec_matrix {
    int64_t rows, cols, nnz;
    int64_t *offsets, *indices;
    double *values;
} spec_matrix;

bool spec_matrix_make(spec_matrix *m, spec_kind kind, int64_t rows, int64_t cols, int64_t nnz,
                      uint64_t seed);
bool spec_matrix_alloc(spec_matrix *m, int64_t rows, int64_t cols, int64_t nnz);
void spec_matrix_free(spec_matrix *m);
/* Entries by columns, those of a column in the order of rows: what rule S sums for the transpose.
 */
bool spec_matrix_transpose(spec_matrix *to, const spec_matrix *from);

/* Ascending. */
void spec_sort_ints(int64_t *x, int64_t count);
/* count numbers from spec_uniform; NULL without memory. */
double *spec_numbers(int64_t count, uint64_t seed);

/* --- host arrays to the device and back --------------------------------------------------------
 */

/* An array of double as dtype, of int64 as itype, in a new buffer. */
sparcl_status spec_put_reals(sparcl_ctx *ctx, sparcl_buf **buf, const double *x, int64_t count,
                             sparcl_dtype dtype);
sparcl_status spec_put_ints(sparcl_ctx *ctx, sparcl_buf **buf, const int64_t *x, int64_t count,
                            sparcl_itype itype);
/* Back as double and int64; the caller's arrays. */
sparcl_status spec_get_reals(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t count,
                             sparcl_dtype dtype, double *x);
sparcl_status spec_get_ints(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t count,
                            sparcl_itype itype, int64_t *x);
sparcl_status spec_put_csr(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m,
                           sparcl_dtype dtype, sparcl_itype offset_type, sparcl_itype index_type);
/* Overwrite a result with what no result is; NULL is allowed. */
sparcl_status spec_spoil(sparcl_ctx *ctx, sparcl_buf *buf);

/* --- answers -----------------------------------------------------------------------------------
 */

/* Rule S over `length` products a[k] * b[k * b_step] in the order given, rounded as dtype. */
double spec_sum_products(sparcl_dtype dtype, const double *a, const double *b, int64_t b_step,
                         int64_t length, bool one_column);
/* alpha * A * B + beta * C, all elements: order, truth and bound have the places of C. */
bool spec_product(const spec_case *c, const spec_matrix *a, const double *b, int64_t ldb,
                  const double *old, int64_t ldc, double *order, double *truth, double *bound);
/* Rule R over rows of one element. */
double spec_sum_duplicates(sparcl_dtype dtype, const double *x, int64_t length);
/* x rounded as dtype. */
double spec_round(sparcl_dtype dtype, double x);
/* Depth of rule S for the error bound of docs/numerics.md, of rule R, and what alpha and beta add.
 */
double spec_depth(int64_t length, bool one_column);
double spec_depth_duplicates(int64_t length);
double spec_depth_scaling(double alpha, double beta);
/* What the bound to first order leaves out, and the rounding of the truth itself. */
#define SPEC_SECOND_ORDER (1 + 1e-4)
/* u of docs/numerics.md. */
double spec_unit(sparcl_dtype dtype);

/* Compare `count` results with `order`, bit for bit (any NaN equals any NaN), and with
 * truth[i] +- bound[i] where these are not NULL; writes equal, worst and why. An `order` of zeros
 * for more than a half proves little, and fails: see zeros_are_right. */
void spec_compare(spec_report *report, const char *what, const double *got, const double *order,
                  const double *truth, const double *bound, int64_t count);
void spec_compare_ints(spec_report *report, const char *what, const int64_t *got,
                       const int64_t *order, int64_t count);

#endif
