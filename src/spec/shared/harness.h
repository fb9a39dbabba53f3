/* harness.h: runs the cases of operations. It owns the host and device memory of a case. Whatever
 * fails leaves the case, and all is freed: so specs have no error paths. */
#ifndef SPC_SPEC_HARNESS_H
#define SPC_SPEC_HARNESS_H

#include <setjmp.h>

#include "spec/shared/spec.h"

/* A case that runs. */
typedef struct spec_test {
    sparcl_ctx *ctx;
    const spec_case *c;
    const spec_matrix
        *given; /* the matrix of a measurement; NULL: the one that the case describes */
    const sparcl_optim *optim; /* of a measurement of operations with rules */
    void *state;               /* [state_size] of the spec, zeroed */
    int call;                  /* the call that is measured; -1: all are compared */
    int calls;                 /* how many calls the case has; 1 unless `make` sets it */
    spec_report *report;
    /* private */
    struct spec_owned *owned;
    jmp_buf *leave;
    sparcl_status status;
} spec_test;

/* spec_check in steps, for measurements: `make` and the calls before t->call; then as often as
 * wanted that call; the comparison. After an error, and at the end: spec_test_close. */
sparcl_status spec_test_open(spec_test *t, const spec_op *op);
sparcl_status spec_test_compare(spec_test *t, const spec_op *op, spec_report *report);
void spec_test_close(spec_test *t);

/* --- for specs: all that follows leaves the case after an error ------------------------------- */

void spec_need(spec_test *t, sparcl_status status);
/* Memory from malloc, NULL: E_MEMORY; and a buffer. They are freed with the case. */
void *spec_own(spec_test *t, void *memory);
sparcl_buf *spec_own_buf(spec_test *t, sparcl_buf *buf);
/* Those of some buffers that are not NULL. */
void spec_own_bufs(spec_test *t, sparcl_buf *const *all, int count);
/* The arrays of a matrix that was made; `done` is false: E_MEMORY. */
void spec_own_matrix(spec_test *t, const spec_matrix *m, bool done);
/* An object with a function that frees it. */
void spec_own_object(spec_test *t, void *object, void (*release)(void *object));

/* Zeroed memory; numbers that are 0; indices that are 0. */
void *spec_memory(spec_test *t, int64_t count, size_t size);
double *spec_reals(spec_test *t, int64_t count);
int64_t *spec_int64s(spec_test *t, int64_t count);
/* Random numbers as the element type of the case stores them, and a copy of numbers. */
double *spec_drawn(spec_test *t, int64_t count, uint64_t seed);
double *spec_copied(spec_test *t, const double *x, int64_t count);
/* What no result may stay, [rows, ld]: 77, and 0 in the gaps. */
double *spec_unwritten(spec_test *t, int64_t rows, int64_t n, int64_t ld);

/* The matrix that is given, its values as the element type stores them; or one of the kind and
 * shape of the case, with nnz entries. */
spec_matrix spec_matrix_of(spec_test *t, int64_t nnz, uint64_t seed);
/* A matrix of the kind of the case and any shape. */
spec_matrix spec_matrix_drawn(spec_test *t, int64_t rows, int64_t cols, int64_t nnz, uint64_t seed);
/* A matrix without entries, with room for them. */
spec_matrix spec_matrix_room(spec_test *t, int64_t rows, int64_t cols, int64_t nnz);
spec_matrix spec_transposed(spec_test *t, const spec_matrix *m);

/* New buffers: numbers, integers; bytes that no correct result has. */
sparcl_buf *spec_reals_buf(spec_test *t, const double *x, int64_t count, sparcl_dtype dtype);
sparcl_buf *spec_ints_buf(spec_test *t, const int64_t *x, int64_t count, sparcl_itype type);
sparcl_buf *spec_result_buf(spec_test *t, int64_t bytes);
/* Views with new buffers, of the types of the case. Half of the arrays begin within their buffers,
 * but none of a measurement. `x` has the gaps between rows too, [rows, ld]; a result has the
 * numbers of `x` at first. */
sparcl_dense spec_dense(spec_test *t, int64_t rows, int64_t cols, int64_t ld, const double *x);
sparcl_dense spec_vector(spec_test *t, int64_t count, const double *x);
/* The same of a view of any type, shape and order, which has no buffer yet. */
sparcl_dense spec_dense_of(spec_test *t, sparcl_dense view, const double *x);
sparcl_csr spec_csr(spec_test *t, const spec_matrix *m);
/* Of the types of another case. */
sparcl_csr spec_csr_as(spec_test *t, const spec_case *c, const spec_matrix *m);
/* A matrix with room for `capacity` entries, of the types of the case. */
sparcl_csr spec_csr_result(spec_test *t, int64_t rows, int64_t cols, int64_t capacity);
/* The same, of the types of another case. */
sparcl_csr spec_csr_result_as(spec_test *t, const spec_case *c, int64_t rows, int64_t cols,
                              int64_t capacity);

/* The bytes of a matrix; its columns, or rows, that have an entry. */
double spec_csr_bytes(const sparcl_csr *view);
int64_t spec_columns_used(const spec_matrix *m);
int64_t spec_rows_used(const spec_matrix *m);

/* An answer and its error: see spec_compare. */
typedef struct spec_answer {
    double *order, *truth, *bound;
} spec_answer;

/* All are 0; or order and truth are what an array has before, bound is 0. */
spec_answer spec_answer_room(spec_test *t, int64_t count);
spec_answer spec_answer_over(spec_test *t, const double *before, int64_t count);
/* Compare a dense array, with the gaps between its rows. */
void spec_expect_answer(spec_test *t, const char *what, const sparcl_dense *view,
                        const spec_answer *answer);

/* Compare what the device has with the answer; truth and bound may be NULL. See spec_compare. */
void spec_expect(spec_test *t, const char *what, const sparcl_buf *buf, int64_t at,
                 sparcl_dtype dtype, int64_t count, const double *order, const double *truth,
                 const double *bound);
/* All elements of a dense array, with the gaps between its rows. */
void spec_expect_dense(spec_test *t, const char *what, const sparcl_dense *view,
                       const double *order, const double *truth, const double *bound);
void spec_expect_ints(spec_test *t, const char *what, const sparcl_buf *buf, int64_t at,
                      sparcl_itype type, const int64_t *want, int64_t count);

#endif
