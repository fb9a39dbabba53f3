/* harness_sparse.h: COO and row-sparse arrays, and lists, in cases that harness.h runs. */
#ifndef SPC_SPEC_HARNESS_SPARSE_H
#define SPC_SPEC_HARNESS_SPARSE_H

#include "spec/shared/entries.h"
#include "spec/shared/harness.h"
#include "spec/shared/made.h"
#include "spec/shared/rowset.h"

/* The arrays of what was made are freed with the case; `done` is false: E_MEMORY. */
void spec_own_entries(spec_test *t, const spec_entries *e, bool done);
void spec_own_rowset(spec_test *t, const spec_rowset *s, bool done);

/* Entries of the kind of the case, of shape `number`; of a measurement those of the given matrix,
 * which need 64-bit indices where the case has them. And the same shape and capacity without
 * entries. */
spec_entries spec_entries_drawn(spec_test *t, int number, int64_t nnz, bool more, uint64_t seed);
spec_entries spec_entries_room(spec_test *t, const spec_entries *like);
/* Where the next entry begins that has other indices than entry order[begin]. */
int64_t spec_run_end(const spec_entries *e, const int64_t *order, int64_t begin);
/* The bytes of that many entries of a view. */
double spec_coo_bytes(const sparcl_coo *view, int64_t entries);
/* Rows of the kind of the case. */
spec_rowset spec_rowset_drawn(spec_test *t, int64_t limit, int64_t nnr, int64_t width,
                              uint64_t seed);
/* Of a measurement: rows of the width of the case, whose ids are the columns of a part of the
 * entries, as they are stored or each one once. */
spec_rowset spec_rowset_given(spec_test *t, int part, int parts, bool is_distinct, uint64_t seed);
/* The rows of a matrix that have entries, with their elements. */
spec_rowset spec_rowset_of_matrix(spec_test *t, const spec_matrix *m);
spec_rowset spec_rowset_room(spec_test *t, int64_t limit, int64_t capacity, int64_t width);
/* Random numbers as values of the element type of the case, which may be an integer. */
double *spec_values(spec_test *t, int64_t count, uint64_t seed);

/* Views with new buffers: see spec_put_entries, spec_put_rows. A list has no known order. */
sparcl_coo spec_coo(spec_test *t, const spec_entries *e, int64_t gap, bool count);
sparcl_rows spec_row_sparse(spec_test *t, const spec_rowset *s);
/* Of the types, and so on, of another case. */
sparcl_coo spec_coo_as(spec_test *t, const spec_case *c, const spec_entries *e, int64_t gap,
                       bool count);
sparcl_rows spec_row_sparse_as(spec_test *t, const spec_case *c, const spec_rowset *s);
sparcl_list spec_list(spec_test *t, const int64_t *ids, int64_t count, int64_t limit,
                      sparcl_itype type);
/* A dense array with the shape of such rows: see spec_shape. */
sparcl_dense spec_table(spec_test *t, int64_t rows, int64_t width, int64_t ld, const double *x);

/* The bytes of a list. */
double spec_list_bytes(const sparcl_list *list);

/* The pattern of a matrix; NULL: one that is not built yet. */
sparcl_pattern *spec_pattern(spec_test *t, const sparcl_csr *of);
/* The object of an exact lazy optimizer. */
sparcl_lazy *spec_lazy_object(spec_test *t, const sparcl_optim *optim, const sparcl_dense *table);
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
/* The same of rows that are marked valid, sorted and unique. */
void spec_expect_sorted_rows(spec_test *t, const sparcl_rows *view, const spec_rowset *want,
                             const double *truth, const double *bound);

#endif
