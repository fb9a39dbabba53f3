/* spec.h: specifications in plain C. Each operation has one spec: its test cases, its inputs, its
 * two answers (`truth` in double, `order` with the order of additions of docs/numerics.md) and the
 * comparison with the device's result. Not part of the library; used by the tests, doctor and
 * bench. */
#ifndef SPC_SPEC_SPEC_H
#define SPC_SPEC_SPEC_H

#include <stdbool.h>

#include "sparcl/sparcl.h"

#define SPEC_BLOCK 256

/* How the entries of a generated matrix are distributed. */
typedef enum spec_kind {
    SPEC_UNIFORM,   /* about the same number of entries in each row, random columns */
    SPEC_RAGGED,    /* half of the rows are empty, lengths from 1 to many times the mean */
    SPEC_ONE_ROW,   /* one row has all entries */
    SPEC_ONE_COL,   /* one column has all entries */
    SPEC_DUPLICATE, /* unsorted rows with duplicate columns */
    SPEC_DIAGONAL,
    SPEC_KINDS
} spec_kind;

/* A test case of an operation, which uses the fields that it needs. */
typedef struct spec_case {
    spec_kind kind;
    int64_t rows, cols, nnz, n;
    sparcl_dtype dtype;
    sparcl_itype offset_type, index_type;
    double alpha, beta;
    uint64_t seed;
    int variant;    /* another distinction of the operation, explained in its spec */
    bool subnormal; /* subnormal numbers occur, which some devices flush to 0 */
} spec_case;

/* The result of a case. */
typedef struct spec_report {
    bool equal;    /* all bits are those of `order` */
    double worst;  /* largest error against `truth`, divided by its bound: expected at most 1 */
    char why[512]; /* the first difference, or the error of a call */
    bool zeros_expected; /* set by a spec before it compares: most of the result must be 0; without
                          * it such a case is a bad test case and fails */
} spec_report;

struct spec_bench;
struct spec_test;

typedef struct spec_op {
    const char *name;
    /* Case i of the operation, smallest first; returns false when there are no more. `small` omits
     * cases that take seconds in a simulator. */
    bool (*get_case)(int i, bool small, spec_case *c);
    /* What harness.h runs: */
    size_t state_size;
    /* Create the operands of the case, or of the matrix that is given. */
    void (*make)(struct spec_test *t);
    /* Enqueue call 0, 1, ... of the case. */
    sparcl_status (*call)(sparcl_ctx *ctx, void *state, int call);
    /* Compare the results of all calls with the answers. */
    void (*expect)(struct spec_test *t);
    /* The multiplications and additions of a call, and its bytes: each array is read or written
     * once; of a dense operand only the rows that are used. For operations with measurements. */
    void (*work)(const struct spec_test *t, int call, double *flops, double *bytes);
    const struct spec_bench *timed; /* its measurements, to one without a name; NULL: none */
} spec_op;

/* All operations, NULL at the end. */
extern const spec_op *const spec_ops[];

/* Run a case: its inputs, its calls, the comparison. SPARCL_OK also where bits differ. */
sparcl_status spec_check(sparcl_ctx *ctx, const spec_op *op, const spec_case *c,
                         spec_report *report);

/* Describe a case, for test names and messages. */
void spec_case_text(const spec_op *op, const spec_case *c, char *text, size_t size);

/* --- inputs ------------------------------------------------------------------------------------
 */

/* splitmix64 (Steele, Lea, Flood 2014): random numbers that are the same everywhere. */
uint64_t spec_random(uint64_t *state);
/* In [-1, 1), with 24 significant bits: exact in float. */
double spec_uniform(uint64_t *state);

/* A CSR matrix on the host, in double and int64. */
typedef struct spec_matrix {
    int64_t rows, cols, nnz;
    int64_t *offsets, *indices;
    double *values;
} spec_matrix;

bool spec_matrix_make(spec_matrix *m, spec_kind kind, int64_t rows, int64_t cols, int64_t nnz,
                      uint64_t seed);
/* Sort each row, and keep one entry of each column. */
void spec_matrix_unique(spec_matrix *m);
/* Remove the entries of every fourth row; put those of each row in the reverse order. */
void spec_matrix_empty_rows(spec_matrix *m);
void spec_matrix_reverse_rows(spec_matrix *m);
bool spec_matrix_alloc(spec_matrix *m, int64_t rows, int64_t cols, int64_t nnz);
void spec_matrix_free(spec_matrix *m);
/* The transpose: entries ordered by column, those of a column in the order of rows, as rule S adds
 * them.
 */
bool spec_matrix_transpose(spec_matrix *to, const spec_matrix *from);

/* Sort in ascending order; and keep one of each number: how many there are. */
void spec_sort_ints(int64_t *x, int64_t count);
int64_t spec_distinct_ints(int64_t *x, int64_t count);
/* `count` numbers from spec_uniform; NULL when out of memory. */
double *spec_numbers(int64_t count, uint64_t seed);
/* The same, as they are stored. */
double *spec_stored_numbers(sparcl_dtype dtype, int64_t count, uint64_t seed);

/* --- host arrays to the device and back --------------------------------------------------------
 */

/* Convert doubles to dtype (with spec_store), or int64 to itype, and copy them to a new buffer. */
sparcl_status spec_put_reals(sparcl_ctx *ctx, sparcl_buf **buf, const double *x, int64_t count,
                             sparcl_dtype dtype);
sparcl_status spec_put_ints(sparcl_ctx *ctx, sparcl_buf **buf, const int64_t *x, int64_t count,
                            sparcl_itype itype);
/* The values of a dense array, `count` with its gaps, in a new buffer; half of the arrays begin
 * within it. */
sparcl_status spec_put_dense(sparcl_ctx *ctx, sparcl_dense *view, const double *x, int64_t count);
/* Read elements into arrays of double, or int64. */
sparcl_status spec_get_reals(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t count,
                             sparcl_dtype dtype, double *x);
sparcl_status spec_get_ints(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t count,
                            sparcl_itype itype, int64_t *x);
sparcl_status spec_put_csr(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m,
                           sparcl_dtype dtype, sparcl_itype offset_type, sparcl_itype index_type);
/* The same, but half of the matrices begin within their buffers. */
sparcl_status spec_put_csr_within(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m,
                                  sparcl_dtype dtype, sparcl_itype offset_type,
                                  sparcl_itype index_type);
/* The transpose in the same arrays. */
sparcl_csc spec_as_csc(const sparcl_csr *view);
/* Fill a result with 0xff bytes, which no correct result has; NULL is allowed. */
sparcl_status spec_poison(sparcl_ctx *ctx, sparcl_buf *buf);

/* --- answers -----------------------------------------------------------------------------------
 */

/* Rule S over `length` products a[k] * b[k * b_step] in the given order, rounded to dtype. */
double spec_sum_products(sparcl_dtype dtype, const double *a, const double *b, int64_t b_step,
                         int64_t length, bool one_column);
/* alpha * A * B + beta * C, all elements: order, truth and bound have the layout of C. */
bool spec_product(const spec_case *c, const spec_matrix *a, const double *b, int64_t ldb,
                  const double *old, int64_t ldc, double *order, double *truth, double *bound);
/* Rule R over single elements. */
double spec_sum_duplicates(sparcl_dtype dtype, const double *x, int64_t length);
/* x rounded to the type that values of dtype are computed with: F32 for F16 and BF16. */
double spec_round(sparcl_dtype dtype, double x);
/* x as it is stored: rounded to dtype. */
double spec_store(sparcl_dtype dtype, double x);
/* An F32 rounded to F16 or BF16 by the upper bits of a random word: cl/half_states.cl. */
double spec_store_random(sparcl_dtype dtype, double x, uint32_t word);
/* The largest relative error of spec_store in the normal range: 0 for F32 and F64. */
double spec_store_unit(sparcl_dtype dtype);
/* The largest error of spec_store of numbers up to x, also below the normal range. */
double spec_store_error(sparcl_dtype dtype, double x);
/* An element of an answer, and its bound, once it is stored. */
void spec_store_answer(sparcl_dtype dtype, double *order, double truth, double *bound);
/* The depth of rule S for the error bound of docs/numerics.md, that of rule R, and the increase by
 * alpha and beta.
 */
double spec_depth(int64_t length, bool one_column);
double spec_depth_duplicates(int64_t length);
double spec_depth_scaling(double alpha, double beta);
/* Covers the higher orders that the first-order bound omits, and the rounding of the truth
 * itself. */
#define SPEC_SECOND_ORDER (1 + 1e-4)
/* u of docs/numerics.md. */
double spec_unit(sparcl_dtype dtype);
/* The smallest positive number, a subnormal one. */
double spec_smallest(sparcl_dtype dtype);

/* Compare `count` results with `order`, bit for bit (any NaN equals any NaN), and with truth[i] +-
 * bound[i] where these are not NULL; writes equal, worst and why. An `order` that is 0 for more
 * than half of its elements proves little, and fails: see zeros_expected. */
void spec_compare(spec_report *report, const char *what, const double *got, const double *order,
                  const double *truth, const double *bound, int64_t count);
void spec_compare_ints(spec_report *report, const char *what, const int64_t *got,
                       const int64_t *order, int64_t count);

#endif
