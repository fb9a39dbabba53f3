/* bag_case.c: the arrays of a case of bags. */
#include "spec/layers/bag_case.h"

#include <stdlib.h>

spec_bag_settings spec_bag_settings_of(const spec_case *c) {
    const int v = c->variant;
    return (spec_bag_settings){(sparcl_bag_mode)(v % 4), v / 4 % 2 && v % 4 != SPARCL_BAG_MAX,
                               v / 24 % 2, (sparcl_bounds)(v / 8 % 3), v / 48};
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t values_of(const spec_case *c) {
    return most(most(c->rows, c->cols), c->nnz) * c->n + c->nnz;
}

void spec_bag_drop(spec_bag_arrays *x) {
    void *const all[] = {x->ids, x->source,   x->positions, x->got_positions, x->weights, x->table,
                         x->g,   x->divisors, x->got,       x->order,         x->truth,   x->bound};
    spec_matrix_free(&x->all);
    spec_matrix_free(&x->kept);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

static double *stored_numbers(int64_t count, uint64_t seed, sparcl_dtype dtype) {
    double *const x = spec_numbers(count, seed);
    for (int64_t i = 0; x && i < count; ++i)
        x[i] = spec_store(dtype, x[i]);
    return x;
}

int64_t spec_bag_row(const spec_case *c, const spec_bag_arrays *x, int64_t id) {
    const spec_bag_settings s = spec_bag_settings_of(c);
    if (s.padding && id == x->padding_index) return -1;
    if (id >= 0 && id < c->cols) return id;
    if (s.bounds == SPARCL_BOUNDS_SKIP || c->cols == 0) return -1;
    return id < 0 ? 0 : c->cols - 1;
}

static bool make_bags(spec_bag_arrays *x, spec_case *c) {
    const spec_bag_settings s = spec_bag_settings_of(c);
    if (!spec_matrix_make(&x->all, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    c->nnz = x->all.nnz;
    if (s.offsets == 2) { /* each entry is a bag */
        const spec_matrix entries = x->all;
        c->rows = c->nnz;
        if (!spec_matrix_alloc(&x->all, c->rows, c->cols, c->nnz)) return false;
        for (int64_t k = 0; k < c->nnz; ++k) {
            x->all.indices[k] = entries.indices[k];
            x->all.offsets[k + 1] = k + 1;
        }
        x->all.offsets[0] = 0;
        spec_matrix_free((spec_matrix *)&entries);
    }
    return true;
}

/* Some indices are the padding or bad. */
static void make_ids(spec_bag_arrays *x, const spec_case *c) {
    const spec_bag_settings s = spec_bag_settings_of(c);
    x->padding_index = s.bounds != SPARCL_BOUNDS_ERROR && c->seed % 2 ? -1 : c->cols / 2;
    for (int64_t k = 0; k < c->nnz; ++k) {
        x->ids[k] = x->all.indices[k];
        if (s.padding && k % 5 == 2) x->ids[k] = x->padding_index;
        if (s.bounds != SPARCL_BOUNDS_ERROR && k % 6 == 1)
            x->ids[k] = k % 4 == 1 ? c->cols + k : -7;
        x->bad += (x->ids[k] < 0 || x->ids[k] >= c->cols) &&
                  !(s.padding && x->ids[k] == x->padding_index);
        x->weights[k] = s.weights ? spec_store(c->dtype, 0.75 + 0.5 * x->weights[k]) : 1;
    }
}

/* Entries that count, without their values. */
static bool make_kept(spec_bag_arrays *x, const spec_case *c) {
    int64_t at = 0;
    if (!spec_matrix_alloc(&x->kept, c->rows, c->cols, c->nnz)) return false;
    x->kept.offsets[0] = 0;
    for (int64_t i = 0; i < c->rows; ++i) {
        for (int64_t k = x->all.offsets[i]; k < x->all.offsets[i + 1]; ++k) {
            const int64_t row = spec_bag_row(c, x, x->ids[k]);
            if (row < 0) continue;
            x->kept.indices[at] = row;
            x->kept.values[at] = x->weights[k];
            x->source[at++] = k;
        }
        x->kept.offsets[i + 1] = at;
    }
    x->kept.nnz = at;
    return true;
}

bool spec_bag_make(spec_bag_arrays *x, spec_case *c) {
    if (!make_bags(x, c)) return false;
    const int64_t values = values_of(c), bags = c->rows * c->n;
    x->ids = calloc((size_t)c->nnz + 1, sizeof *x->ids);
    x->source = calloc((size_t)c->nnz + 1, sizeof *x->source);
    x->positions = calloc((size_t)bags + 1, sizeof *x->positions);
    x->got_positions = calloc((size_t)bags + 1, sizeof *x->got_positions);
    x->weights = spec_numbers(c->nnz, c->seed + 1);
    x->table = stored_numbers(c->cols * c->n, c->seed + 2, c->dtype);
    x->g = stored_numbers(bags, c->seed + 3, c->dtype);
    x->divisors = spec_numbers(c->rows, 0);
    x->got = spec_numbers(values, 0);
    x->order = calloc((size_t)values + 1, sizeof(double));
    x->truth = calloc((size_t)values + 1, sizeof(double));
    x->bound = calloc((size_t)values + 1, sizeof(double));
    if (!x->ids || !x->source || !x->positions || !x->got_positions || !x->weights || !x->table ||
        !x->g || !x->divisors || !x->got || !x->order || !x->truth || !x->bound)
        return false;
    make_ids(x, c);
    return make_kept(x, c);
}

/* --- on the device -----------------------------------------------------------------------------
 */

void spec_bag_close(spec_bag_views *v) {
    sparcl_buf *const all[] = {v->bags.indices.indices,
                               v->bags.offsets,
                               v->bags.weights,
                               v->table.values,
                               v->g.values,
                               v->y.values,
                               v->positions.values,
                               v->gw.values,
                               v->bad,
                               v->source};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sparcl_buf_free(all[i]);
    sparcl_csr_free(&v->matrix);
    sparcl_rows_free(&v->rows);
}

static sparcl_status open_bags(sparcl_ctx *ctx, const spec_case *c, const spec_bag_arrays *x,
                               spec_bag_views *v) {
    const spec_bag_settings s = spec_bag_settings_of(c);
    v->bags = (sparcl_bags){.bags = c->rows,
                            .indices = {.count = c->nnz,
                                        .limit = c->cols,
                                        .index_type = c->index_type,
                                        .proof = {.flags = s.bounds ? 0 : SPARCL_TRUSTED}},
                            .offset_type = c->offset_type,
                            .include_last = s.offsets == 0,
                            .mode = s.mode,
                            .bounds = s.bounds,
                            .has_padding = s.padding,
                            .padding_index = x->padding_index};
    sparcl_status status =
        spec_put_ints(ctx, &v->bags.indices.indices, x->ids, c->nnz, c->index_type);
    if (status == SPARCL_OK && s.offsets < 2)
        status = spec_put_ints(ctx, &v->bags.offsets, x->all.offsets, c->rows + (s.offsets == 0),
                               c->offset_type);
    if (status == SPARCL_OK && s.weights)
        status = spec_put_reals(ctx, &v->bags.weights, x->weights, c->nnz, c->dtype);
    return status;
}

/* A matrix [rows, n]; n = 1 and an odd seed: a vector. */
static sparcl_status open_dense(sparcl_ctx *ctx, const spec_case *c, int64_t rows, const double *x,
                                sparcl_dense *view) {
    *view = (sparcl_dense){
        .rank = c->n == 1 && c->seed % 2 ? 1 : 2, .dtype = c->dtype, .shape = {rows, c->n}};
    if (view->rank == 1) view->shape[1] = 0;
    return spec_put_reals(ctx, &view->values, x, rows * c->n, c->dtype);
}

sparcl_status spec_bag_open(sparcl_ctx *ctx, const spec_case *c, const spec_bag_arrays *x,
                            spec_bag_views *v) {
    sparcl_status status = open_bags(ctx, c, x, v);
    if (status == SPARCL_OK) status = open_dense(ctx, c, c->cols, x->table, &v->table);
    if (status == SPARCL_OK) status = open_dense(ctx, c, c->rows, x->g, &v->g);
    if (status == SPARCL_OK) status = open_dense(ctx, c, c->rows, x->g, &v->y);
    v->positions = v->y;
    v->positions.dtype = SPARCL_INT64;
    v->positions.values = NULL;
    if (status == SPARCL_OK)
        status =
            spec_put_ints(ctx, &v->positions.values, x->got_positions, c->rows * c->n, SPARCL_I64);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->bad, 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->source, c->nnz * 8 + 8);
    v->gw = (sparcl_dense){.rank = 1, .dtype = c->dtype, .shape = {c->nnz}};
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->gw.values, c->nnz * 8 + 8);
    return status;
}

void spec_bag_compare(spec_report *report, const char *what, const spec_bag_arrays *x,
                      int64_t count) {
    int64_t zeros = 0;
    for (int64_t i = 0; i < count; ++i)
        zeros += x->order[i] == 0;
    report->zeros_expected = 2 * zeros > count;
    spec_compare(report, what, x->got, x->order, x->truth, x->bound, count);
}
