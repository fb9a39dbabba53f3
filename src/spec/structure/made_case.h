/* made_case.h: CSR matrices that specs make entry by entry, as expected results of operations that
 * move entries, and these results, in cases. */
#ifndef SPC_SPEC_MADE_CASE_H
#define SPC_SPEC_MADE_CASE_H

#include "spec/shared/harness_sparse.h"

/* A matrix that grows by entries, and the position of each in an operand. */
typedef struct spec_made {
    spec_matrix matrix; /* nnz: the entries so far */
    int64_t *source;
    int64_t row; /* the rows that are complete */
} spec_made;

spec_made spec_made_room(spec_test *t, int64_t rows, int64_t cols, int64_t space);
/* An entry of the current row, and the end of that row. */
void spec_made_add(spec_made *made, int64_t column, double value, int64_t source);
void spec_made_end_row(spec_made *made);

/* A result of the capacity (with more entries it must be truncated), whose integers have other
 * types than those of the case; `more`: with a source and a needed count. Of a measurement: of the
 * types of the case. */
typedef struct spec_made_result {
    sparcl_csr to;
    sparcl_moved moved;
} spec_made_result;

spec_made_result spec_made_view(spec_test *t, const spec_made *made, int64_t capacity, bool more);
/* The bytes that are written. */
double spec_made_bytes(const spec_made_result *r, const spec_made *made);
/* Compare a result with the matrix, the source and the needed count. */
void spec_expect_made(spec_test *t, const spec_made_result *r, const spec_made *made);

#endif
