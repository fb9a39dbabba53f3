/* harness.c: runs the cases of operations, and owns their memory. */
#include "spec/shared/harness.h"

#include <stdlib.h>
#include <string.h>

#include "spec/shared/stored.h"

/* --- ownership -------------------------------------------------------------------------------- */

typedef struct spec_owned {
    struct spec_owned *next;
    void *object;
    void (*release)(void *object);
} spec_owned;

static void release_buf(void *buf) {
    sparcl_buf_free(buf);
}

void spec_need(spec_test *t, sparcl_status status) {
    if (status == SPARCL_OK) return;
    t->status = status;
    longjmp(*t->leave, 1);
}

void spec_own_object(spec_test *t, void *object, void (*release)(void *object)) {
    spec_owned *const entry = object ? malloc(sizeof *entry) : NULL;
    if (!entry && object) release(object);
    if (!entry) spec_need(t, SPARCL_E_MEMORY);
    *entry = (spec_owned){t->owned, object, release};
    t->owned = entry;
}

void *spec_own(spec_test *t, void *memory) {
    spec_own_object(t, memory, free);
    return memory;
}

sparcl_buf *spec_own_buf(spec_test *t, sparcl_buf *buf) {
    spec_own_object(t, buf, release_buf);
    return buf;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Free what was made after `last`. */
static void release_to(spec_test *t, const spec_owned *last) {
    while (t->owned != last) {
        spec_owned *const entry = t->owned;
        t->owned = entry->next;
        entry->release(entry->object);
        free(entry);
    }
}

void spec_test_close(spec_test *t) {
    release_to(t, NULL);
    t->state = NULL;
}

static void make(spec_test *t, const spec_op *op) {
    t->state = spec_memory(t, 1, op->state_size);
    t->calls = 1;
    op->make(t);
}

sparcl_status spec_test_open(spec_test *t, const spec_op *op) {
    jmp_buf leave;
    t->leave = &leave;
    t->status = SPARCL_OK;
    if (setjmp(leave) == 0) {
        make(t, op);
        for (int i = 0; i < t->call; ++i)
            spec_need(t, op->call(t->ctx, t->state, i));
    }
    t->leave = NULL;
    return t->status;
}

sparcl_status spec_test_compare(spec_test *t, const spec_op *op, spec_report *report) {
    jmp_buf leave;
    const spec_owned *const last = t->owned;
    t->leave = &leave;
    t->report = report;
    t->status = SPARCL_OK;
    if (setjmp(leave) == 0) op->expect(t);
    t->leave = NULL;
    release_to(t, last);
    return t->status;
}

sparcl_status spec_check(sparcl_ctx *ctx, const spec_op *op, const spec_case *c,
                         spec_report *report) {
    spec_test t = {.ctx = ctx, .c = c, .report = report, .call = -1};
    *report = (spec_report){.equal = true};
    sparcl_status status = spec_test_open(&t, op);
    for (int i = 0; i < t.calls && status == SPARCL_OK; ++i)
        status = op->call(ctx, t.state, i);
    if (status == SPARCL_OK) status = spec_test_compare(&t, op, report);
    spec_test_close(&t);
    return status;
}

/* --- host memory ------------------------------------------------------------------------------ */

void *spec_memory(spec_test *t, int64_t count, size_t size) {
    return spec_own(t, calloc((size_t)count + 1, size ? size : 1));
}

double *spec_reals(spec_test *t, int64_t count) {
    return spec_memory(t, count, sizeof(double));
}

int64_t *spec_int64s(spec_test *t, int64_t count) {
    return spec_memory(t, count, sizeof(int64_t));
}

double *spec_drawn(spec_test *t, int64_t count, uint64_t seed) {
    return spec_own(t, spec_stored_numbers(t->c->dtype, count, seed));
}

double *spec_copied(spec_test *t, const double *x, int64_t count) {
    double *const copy = spec_reals(t, count);
    if (count) memcpy(copy, x, (size_t)count * sizeof *copy);
    return copy;
}

double *spec_unwritten(spec_test *t, int64_t rows, int64_t n, int64_t ld) {
    double *const x = spec_reals(t, rows * ld);
    for (int64_t i = 0; i < rows * ld; ++i)
        x[i] = i % ld < n ? 77 : 0;
    return x;
}

void spec_own_matrix(spec_test *t, const spec_matrix *m, bool done) {
    if (!done) spec_need(t, SPARCL_E_MEMORY);
    spec_own(t, m->offsets);
    spec_own(t, m->indices);
    spec_own(t, m->values);
}

spec_matrix spec_matrix_room(spec_test *t, int64_t rows, int64_t cols, int64_t nnz) {
    spec_matrix m = {0};
    spec_own_matrix(t, &m, spec_matrix_alloc(&m, rows, cols, nnz));
    return m;
}

static spec_matrix copy_given(spec_test *t, const spec_matrix *given) {
    spec_matrix m = spec_matrix_room(t, given->rows, given->cols, given->nnz);
    memcpy(m.offsets, given->offsets, (size_t)(m.rows + 1) * sizeof *m.offsets);
    memcpy(m.indices, given->indices, (size_t)m.nnz * sizeof *m.indices);
    for (int64_t k = 0; k < m.nnz; ++k)
        m.values[k] = spec_store(t->c->dtype, given->values[k]);
    return m;
}

spec_matrix spec_matrix_drawn(spec_test *t, int64_t rows, int64_t cols, int64_t nnz,
                              uint64_t seed) {
    spec_matrix m = {0};
    spec_own_matrix(t, &m, spec_matrix_make(&m, t->c->kind, rows, cols, nnz, seed));
    return m;
}

spec_matrix spec_transposed(spec_test *t, const spec_matrix *m) {
    spec_matrix to = {0};
    spec_own_matrix(t, &to, spec_matrix_transpose(&to, m));
    return to;
}

spec_matrix spec_matrix_of(spec_test *t, int64_t nnz, uint64_t seed) {
    return t->given ? copy_given(t, t->given)
                    : spec_matrix_drawn(t, t->c->rows, t->c->cols, nnz, seed);
}

/* --- device memory ---------------------------------------------------------------------------- */

sparcl_buf *spec_reals_buf(spec_test *t, const double *x, int64_t count, sparcl_dtype dtype) {
    sparcl_buf *buf = NULL;
    spec_need(t, spec_put_reals(t->ctx, &buf, x, count, dtype));
    return spec_own_buf(t, buf);
}

sparcl_buf *spec_ints_buf(spec_test *t, const int64_t *x, int64_t count, sparcl_itype type) {
    sparcl_buf *buf = NULL;
    spec_need(t, spec_put_ints(t->ctx, &buf, x, count, type));
    return spec_own_buf(t, buf);
}

sparcl_buf *spec_result_buf(spec_test *t, int64_t bytes) {
    sparcl_buf *buf = NULL;
    spec_need(t, sparcl_buf_create(t->ctx, &buf, bytes));
    spec_own_buf(t, buf);
    spec_need(t, spec_poison(t->ctx, buf));
    return buf;
}

/* The elements of a dense array, with the gaps between its rows or columns. */
static int64_t count_of(const sparcl_dense *view) {
    int64_t count = 1;
    if (view->ld) return view->shape[view->order == SPARCL_COLUMN_MAJOR] * view->ld;
    for (int d = 0; d < view->rank; ++d)
        count *= view->shape[d];
    return count;
}

sparcl_dense spec_dense_of(spec_test *t, sparcl_dense view, const double *x) {
    const int64_t count = count_of(&view);
    const sparcl_status status = t->given
                                     ? spec_put_reals(t->ctx, &view.values, x, count, view.dtype)
                                     : spec_put_dense(t->ctx, &view, x, count);
    if (view.values) spec_own_buf(t, view.values);
    spec_need(t, status);
    return view;
}

sparcl_dense spec_dense(spec_test *t, int64_t rows, int64_t cols, int64_t ld, const double *x) {
    return spec_dense_of(
        t, (sparcl_dense){.rank = 2, .dtype = t->c->dtype, .shape = {rows, cols}, .ld = ld}, x);
}

sparcl_dense spec_vector(spec_test *t, int64_t count, const double *x) {
    return spec_dense_of(t, (sparcl_dense){.rank = 1, .dtype = t->c->dtype, .shape = {count}}, x);
}

void spec_own_bufs(spec_test *t, sparcl_buf *const *all, int count) {
    for (int i = 0; i < count; ++i)
        if (all[i]) spec_own_buf(t, all[i]);
}

sparcl_csr spec_csr(spec_test *t, const spec_matrix *m) {
    return spec_csr_as(t, t->c, m);
}

sparcl_csr spec_csr_as(spec_test *t, const spec_case *c, const spec_matrix *m) {
    sparcl_csr view = {0};
    const sparcl_status status = (t->given ? spec_put_csr : spec_put_csr_within)(
        t->ctx, &view, m, c->dtype, c->offset_type, c->index_type);
    spec_own_bufs(t, (sparcl_buf *[]){view.offsets, view.indices, view.values}, 3);
    spec_need(t, status);
    return view;
}

sparcl_csr spec_csr_result(spec_test *t, int64_t rows, int64_t cols, int64_t capacity) {
    return spec_csr_result_as(t, t->c, rows, cols, capacity);
}

sparcl_csr spec_csr_result_as(spec_test *t, const spec_case *c, int64_t rows, int64_t cols,
                              int64_t capacity) {
    return (sparcl_csr){
        .rows = rows,
        .cols = cols,
        .nnz = capacity,
        .dtype = c->dtype,
        .offset_type = c->offset_type,
        .index_type = c->index_type,
        .offsets = spec_result_buf(t, (rows + 1) * (int64_t)sparcl_itype_size(c->offset_type)),
        .indices = spec_result_buf(t, capacity * (int64_t)sparcl_itype_size(c->index_type)),
        .values = spec_result_buf(t, capacity * (int64_t)sparcl_dtype_size(c->dtype))};
}

double spec_csr_bytes(const sparcl_csr *view) {
    const size_t entry = sparcl_itype_size(view->index_type) + sparcl_dtype_size(view->dtype);
    return (double)entry * (double)view->nnz +
           (double)sparcl_itype_size(view->offset_type) * (double)(view->rows + 1);
}

int64_t spec_rows_used(const spec_matrix *m) {
    int64_t count = 0;
    for (int64_t r = 0; r < m->rows; ++r)
        count += m->offsets[r + 1] > m->offsets[r];
    return count;
}

int64_t spec_columns_used(const spec_matrix *m) {
    char *const used = calloc((size_t)m->cols + 1, 1);
    int64_t count = 0;
    if (!used) return m->cols;
    for (int64_t k = 0; k < m->nnz; ++k) {
        count += !used[m->indices[k]];
        used[m->indices[k]] = 1;
    }
    free(used);
    return count;
}

/* --- expectations ----------------------------------------------------------------------------- */

spec_answer spec_answer_room(spec_test *t, int64_t count) {
    return (spec_answer){spec_reals(t, count), spec_reals(t, count), spec_reals(t, count)};
}

spec_answer spec_answer_over(spec_test *t, const double *before, int64_t count) {
    return (spec_answer){spec_copied(t, before, count), spec_copied(t, before, count),
                         spec_reals(t, count)};
}

void spec_expect_answer(spec_test *t, const char *what, const sparcl_dense *view,
                        const spec_answer *answer) {
    spec_expect_dense(t, what, view, answer->order, answer->truth, answer->bound);
}

void spec_expect(spec_test *t, const char *what, const sparcl_buf *buf, int64_t at,
                 sparcl_dtype dtype, int64_t count, const double *order, const double *truth,
                 const double *bound) {
    double *const got = spec_reals(t, count);
    spec_need(t, spec_get_reals(t->ctx, buf, at, count, dtype, got));
    spec_compare(t->report, what, got, order, truth, bound, count);
}

void spec_expect_dense(spec_test *t, const char *what, const sparcl_dense *view,
                       const double *order, const double *truth, const double *bound) {
    spec_expect(t, what, view->values, view->values_at, view->dtype, count_of(view), order, truth,
                bound);
}

void spec_expect_ints(spec_test *t, const char *what, const sparcl_buf *buf, int64_t at,
                      sparcl_itype type, const int64_t *want, int64_t count) {
    int64_t *const got = spec_int64s(t, count);
    spec_need(t, spec_get_ints(t->ctx, buf, at, count, type, got));
    spec_compare_ints(t->report, what, got, want, count);
}
