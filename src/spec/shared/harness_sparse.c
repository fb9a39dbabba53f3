/* harness_sparse.c: COO and row-sparse arrays, and lists, of cases. */
#include "spec/shared/harness_sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sparcl/ops/products.h"

static sparcl_status done_or_memory(bool done) {
    return done ? SPARCL_OK : SPARCL_E_MEMORY;
}

static void own_some(spec_test *t, void *const *all, int count) {
    for (int i = 0; i < count; ++i)
        if (all[i]) spec_own(t, all[i]);
}

void spec_own_entries(spec_test *t, const spec_entries *e, bool done) {
    if (done) own_some(t, (void *const *)e->indices, e->rank);
    if (done && e->values) spec_own(t, e->values);
    spec_need(t, done_or_memory(done));
}

void spec_own_rowset(spec_test *t, const spec_rowset *s, bool done) {
    void *const all[] = {s->ids, s->values};
    if (done) own_some(t, all, 2);
    spec_need(t, done_or_memory(done));
}

/* --- host ------------------------------------------------------------------------------------- */

spec_entries spec_entries_drawn(spec_test *t, int number, int64_t nnz, bool more, uint64_t seed) {
    spec_entries e = {0};
    spec_own_entries(t, &e,
                     t->given ? spec_entries_of_matrix(&e, t->given, t->given->nnz)
                              : spec_entries_make(&e, t->c->kind, number, nnz, more, seed));
    return e;
}

spec_entries spec_entries_room(spec_test *t, const spec_entries *like) {
    spec_entries e = {0};
    spec_own_entries(t, &e, spec_entries_like(&e, like));
    return e;
}

int64_t spec_run_end(const spec_entries *e, const int64_t *order, int64_t begin) {
    int64_t end = begin + 1;
    while (end < e->stored && spec_entries_compare(e, order[begin], order[end]) == 0)
        ++end;
    return end;
}

double spec_coo_bytes(const sparcl_coo *view, int64_t entries) {
    const size_t entry =
        sparcl_dtype_size(view->dtype) + (size_t)view->rank * sparcl_itype_size(view->index_type);
    return (double)entry * (double)entries;
}

spec_rowset spec_rowset_drawn(spec_test *t, int64_t limit, int64_t nnr, int64_t width,
                              uint64_t seed) {
    spec_rowset s = {0};
    spec_own_rowset(t, &s, spec_rowset_make(&s, t->c->kind, limit, nnr, width, seed));
    return s;
}

spec_rowset spec_rowset_given(spec_test *t, int part, int parts, bool is_distinct, uint64_t seed) {
    const spec_matrix *const m = t->given;
    const int64_t first = m->nnz * part / parts, length = m->nnz * (part + 1) / parts - first;
    spec_rowset s = {.limit = m->cols, .width = t->c->n, .ids = spec_int64s(t, length)};
    memcpy(s.ids, m->indices + first, (size_t)length * sizeof *s.ids);
    s.stored = s.capacity = is_distinct ? spec_distinct_ints(s.ids, length) : length;
    s.values = spec_drawn(t, s.stored * s.width, seed);
    return s;
}

spec_rowset spec_rowset_of_matrix(spec_test *t, const spec_matrix *m) {
    spec_rowset s = spec_rowset_room(t, m->rows, spec_rows_used(m), m->cols);
    for (int64_t r = 0; r < m->rows; ++r) {
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k)
            s.values[s.stored * s.width + m->indices[k]] = m->values[k];
        if (m->offsets[r + 1] > m->offsets[r]) s.ids[s.stored++] = r;
    }
    return s;
}

spec_rowset spec_rowset_room(spec_test *t, int64_t limit, int64_t capacity, int64_t width) {
    return (spec_rowset){.limit = limit,
                         .width = width,
                         .capacity = capacity,
                         .ids = spec_int64s(t, capacity),
                         .values = spec_reals(t, capacity * width)};
}

double *spec_values(spec_test *t, int64_t count, uint64_t seed) {
    double *const x = spec_own(t, spec_numbers(count, seed));
    spec_store_values(t->c->dtype, x, count);
    return x;
}

/* --- device ----------------------------------------------------------------------------------- */

sparcl_coo spec_coo(spec_test *t, const spec_entries *e, int64_t gap, bool count) {
    return spec_coo_as(t, t->c, e, gap, count);
}

sparcl_coo spec_coo_as(spec_test *t, const spec_case *c, const spec_entries *e, int64_t gap,
                       bool count) {
    sparcl_coo view = {0};
    const sparcl_status status = spec_put_entries(t->ctx, &view, e, c, gap, count);
    spec_own_bufs(t, view.indices, view.rank);
    spec_own_bufs(t, (sparcl_buf *[]){view.values, view.count}, 2);
    spec_need(t, status);
    return view;
}

sparcl_rows spec_row_sparse(spec_test *t, const spec_rowset *s) {
    return spec_row_sparse_as(t, t->c, s);
}

sparcl_rows spec_row_sparse_as(spec_test *t, const spec_case *c, const spec_rowset *s) {
    sparcl_rows view = {0};
    const sparcl_status status = spec_put_rows(t->ctx, &view, s, c);
    spec_own_bufs(t, (sparcl_buf *[]){view.indices, view.values, view.count}, 3);
    spec_need(t, status);
    return view;
}

sparcl_list spec_list(spec_test *t, const int64_t *ids, int64_t count, int64_t limit,
                      sparcl_itype type) {
    return (sparcl_list){.count = count,
                         .limit = limit,
                         .index_type = type,
                         .indices = spec_ints_buf(t, ids, count, type),
                         .proof = {.flags = SPARCL_TRUSTED}};
}

double spec_list_bytes(const sparcl_list *list) {
    return (double)sparcl_itype_size(list->index_type) * (double)list->count;
}

sparcl_dense spec_table(spec_test *t, int64_t rows, int64_t width, int64_t ld, const double *x) {
    sparcl_dense view = spec_dense(t, rows, width, ld, x);
    view.rank = spec_shape(view.shape, rows, width, t->c->seed);
    return view;
}

static void free_pattern(void *pattern) {
    sparcl_pattern_free(pattern);
}

sparcl_pattern *spec_pattern(spec_test *t, const sparcl_csr *of) {
    sparcl_pattern *pattern = NULL;
    spec_need(t, sparcl_pattern_create(t->ctx, &pattern));
    spec_own_object(t, pattern, free_pattern);
    if (of) spec_need(t, sparcl_pattern_build(t->ctx, pattern, of));
    return pattern;
}

static void free_lazy(void *lazy) {
    sparcl_lazy_free(lazy);
}

sparcl_lazy *spec_lazy_object(spec_test *t, const sparcl_optim *optim, const sparcl_dense *table) {
    sparcl_lazy *lazy = NULL;
    spec_need(t, sparcl_lazy_create(t->ctx, &lazy, optim, table, 0));
    spec_own_object(t, lazy, free_lazy);
    return lazy;
}

sparcl_csr spec_csr_wide(spec_test *t, const spec_matrix *m, int64_t capacity) {
    spec_matrix wide = *m;
    wide.nnz = capacity;
    wide.indices = spec_int64s(t, capacity);
    wide.values = spec_reals(t, capacity);
    for (int64_t k = 0; k < m->nnz; ++k) {
        wide.indices[k] = m->indices[k];
        wide.values[k] = m->values[k];
    }
    return spec_csr(t, &wide);
}

sparcl_rows spec_rows_result(spec_test *t, int64_t limit, int64_t width, int64_t capacity) {
    const spec_case *const c = t->c;
    const int64_t row = width * (int64_t)sparcl_dtype_size(c->dtype);
    return (sparcl_rows){
        .rank = 2,
        .dtype = c->dtype,
        .index_type = c->index_type,
        .shape = {limit, width},
        .nnr = capacity,
        .indices = spec_result_buf(t, capacity * (int64_t)sparcl_itype_size(c->index_type)),
        .values = spec_result_buf(t, capacity * row),
        .count = spec_result_buf(t, 8)};
}

spec_rowset spec_rows_read(spec_test *t, const sparcl_rows *view) {
    spec_rowset got = {.limit = view->shape[0], .width = 1, .capacity = view->nnr};
    for (int d = 1; d < view->rank; ++d)
        got.width *= view->shape[d];
    spec_need(t,
              spec_get_ints(t->ctx, view->count, view->count_at, 1, SPARCL_INDEX64, &got.stored));
    spec_need(t, got.stored >= 0 && got.stored <= view->nnr ? SPARCL_OK : SPARCL_E_DATA);
    got.ids = spec_int64s(t, got.stored);
    got.values = spec_reals(t, got.stored * got.width);
    spec_need(t, spec_get_ints(t->ctx, view->indices, view->indices_at, got.stored,
                               view->index_type, got.ids));
    spec_need(t, spec_get_reals(t->ctx, view->values, view->values_at, got.stored * got.width,
                                view->dtype, got.values));
    return got;
}

double *spec_rows_dense(spec_test *t, const sparcl_rows *view, double other) {
    const spec_rowset got = spec_rows_read(t, view);
    double *const x = spec_reals(t, got.limit * got.width);
    for (int64_t k = 0; k < got.limit * got.width; ++k)
        x[k] = other;
    for (int64_t k = 0; k < got.stored * got.width; ++k) {
        const int64_t id = got.ids[k / got.width];
        spec_need(t, id >= 0 && id < got.limit ? SPARCL_OK : SPARCL_E_DATA);
        x[id * got.width + k % got.width] = got.values[k];
    }
    return x;
}

/* --- expectations ----------------------------------------------------------------------------- */

void spec_expect_csr(spec_test *t, const sparcl_csr *view, const spec_matrix *want) {
    spec_expect_ints(t, "offsets", view->offsets, view->offsets_at, view->offset_type,
                     want->offsets, want->rows + 1);
    spec_expect_ints(t, "indices", view->indices, view->indices_at, view->index_type, want->indices,
                     want->nnz);
    spec_expect(t, "values", view->values, view->values_at, view->dtype, want->nnz, want->values,
                NULL, NULL);
}

void spec_expect_entries(spec_test *t, const sparcl_coo *view, const spec_entries *want,
                         const double *truth, const double *bound) {
    spec_entries got = spec_entries_room(t, want);
    spec_need(t, spec_get_entries(t->ctx, view, &got));
    spec_compare_entries(t->report, &got, want, truth, bound);
}

void spec_expect_rows(spec_test *t, const sparcl_rows *view, const spec_rowset *want,
                      const double *truth, const double *bound) {
    int64_t stored = view->nnr;
    if (view->count)
        spec_need(t, sparcl_buf_read(t->ctx, view->count, view->count_at * 8, 8, &stored));
    spec_compare_ints(t->report, "count", &stored, &want->stored, 1);
    if (!t->report->equal) return;
    spec_expect_ints(t, "ids", view->indices, view->indices_at, view->index_type, want->ids,
                     stored);
    spec_expect(t, "values", view->values, view->values_at, view->dtype, stored * want->width,
                want->values, truth, bound);
}

void spec_expect_sorted_rows(spec_test *t, const sparcl_rows *view, const spec_rowset *want,
                             const double *truth, const double *bound) {
    spec_report *const r = t->report;
    spec_expect_rows(t, view, want, truth, bound);
    if (sparcl_rows_flags(view) == (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE)) return;
    r->equal = false;
    snprintf(r->why, sizeof r->why, "the rows are not marked valid, sorted and unique");
}
