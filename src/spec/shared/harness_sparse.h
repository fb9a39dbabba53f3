/* harness_sparse.h: COO and row-sparse arrays, and results with capacities, in cases that harness.h
 * runs. */
#ifndef SPC_SPEC_HARNESS_SPARSE_H
#define SPC_SPEC_HARNESS_SPARSE_H

#include "spec/shared/entries.h"
#include "spec/shared/harness.h"
#include "spec/shared/made.h"
#include "spec/shared/rowset.h"

/* The arrays of what was made are freed with the case; `done` is false: E_MEMORY. */
void spec_own_matrix(spec_test *t, const spec_matrix *m, bool done);
void spec_own_entries(spec_test *t, const spec_entries *e, bool done);
void spec_own_rowset(spec_test *t, const spec_rowset *s, bool done);

/* Entries of the kind of the case, of shape `number`; of a measurement those of the given matrix,
 * which need 64-bit indices where the case has them. And the same shape and capacity without
 * entries. */
spec_entries spec_entries_drawn(spec_test *t, int number, int64_t nnz, bool more, uint64_t seed);
spec_entries spec_entries_room(spec_test *t, const spec_entries *like);
/* Rows of the kind of the case. */
spec_rowset spec_rowset_drawn(spec_test *t, int64_t limit, int64_t nnr, int64_t width,
                              uint64_t seed);
spec_rowset spec_rowset_room(spec_test *t, int64_t limit, int64_t capacity, int64_t width);
/* The transpose. */
spec_matrix spec_transposed(spec_test *t, const spec_matrix *m);
/* A matrix that is made entry by entry. */
spec_made spec_made_room(spec_test *t, int64_t rows, int64_t cols, int64_t space);

/* Views with new buffers: see spec_put_entries, spec_put_rows, spec_made_open. */
sparcl_coo spec_coo(spec_test *t, const spec_entries *e, int64_t gap, bool count);
sparcl_rows spec_row_sparse(spec_test *t, const spec_rowset *s);
spec_made_result spec_made_view(spec_test *t, const spec_made *made, int64_t capacity, bool more);
/* The pattern of a matrix; NULL: one that is not built yet. */
sparcl_pattern *spec_pattern(spec_test *t, const sparcl_csr *of);
/* A matrix with more capacity than entries. */
sparcl_csr spec_csr_wide(spec_test *t, const spec_matrix *m, int64_t capacity);
/* A row-sparse result of the types of the case, with room for `capacity` rows of `width` numbers;
 * what one has; and that as a dense array, with `other` in rows that are not stored. */
sparcl_rows spec_rows_result(spec_test *t, int64_t limit, int64_t width, int64_t capacity);
spec_rowset spec_rows_read(spec_test *t, const sparcl_rows *view);
double *spec_rows_dense(spec_test *t, const sparcl_rows *view, double other);

/* Compare a view with the expected contents. */
void spec_expect_csr(spec_test *t, const sparcl_csr *view, const spec_matrix *want);
void spec_expect_entries(spec_test *t, const sparcl_coo *view, const spec_entries *want,
                         const double *truth, const double *bound);
void spec_expect_rows(spec_test *t, const sparcl_rows *view, const spec_rowset *want,
                      const double *truth, const double *bound);
void spec_expect_made(spec_test *t, const spec_made_result *r, const spec_made *made);

#endif
