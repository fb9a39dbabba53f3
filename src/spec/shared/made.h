/* made.h: CSR matrices that specs make entry by entry, as expected results of operations that move
 * entries. */
#ifndef SPC_SPEC_MADE_H
#define SPC_SPEC_MADE_H

#include "spec/shared/spec.h"

/* A random number in [-1, 1) as a value of any element type: integers up to 1000, three of four
 * bools set. */
double spec_value(sparcl_dtype dtype, double x);
/* The same, with bits in both words of INT64. */
double spec_moved_value(sparcl_dtype dtype, double x);
/* The values of a matrix as such values. */
void spec_matrix_store(spec_matrix *m, sparcl_dtype dtype);
/* The element type number i: all of them in turn, and those but F32 and F64. */
sparcl_dtype spec_any_dtype(int i);
sparcl_dtype spec_other_dtype(int i);

/* A matrix that grows by entries, and the position of each in an operand. */
typedef struct spec_made {
    spec_matrix matrix; /* nnz: the entries so far */
    int64_t *source;
    int64_t row; /* the rows that are complete */
} spec_made;

bool spec_made_alloc(spec_made *made, int64_t rows, int64_t cols, int64_t space);
void spec_made_free(spec_made *made);
/* An entry of the current row, and the end of that row. */
void spec_made_add(spec_made *made, int64_t column, double value, int64_t source);
void spec_made_end_row(spec_made *made);

/* A result for the device, of the capacity (with more entries it must be truncated); its integers
 * have other types than those of the case. With poison in all arrays. */
typedef struct spec_made_result {
    sparcl_csr to;
    sparcl_moved moved;
} spec_made_result;

sparcl_status spec_made_open(sparcl_ctx *ctx, spec_made_result *r, const spec_case *c,
                             const spec_made *made, int64_t capacity, bool more);
void spec_made_close(spec_made_result *r);
/* Compare the result of an operation with the made matrix, the source and the needed count. */
sparcl_status spec_made_compare(sparcl_ctx *ctx, const spec_made_result *r, const spec_made *made,
                                spec_report *report);

#endif
