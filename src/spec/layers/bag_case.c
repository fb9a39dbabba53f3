/* bag_case.c: the arrays of a case of bags. */
#include "spec/layers/bag_case.h"

static spec_bag_settings settings_of(const spec_case *c) {
    const int v = c->variant;
    return (spec_bag_settings){(sparcl_bag_mode)(v % 4), v / 4 % 2 && v % 4 != SPARCL_BAG_MAX,
                               v / 24 % 2, (sparcl_bounds)(v / 8 % 3), v / 48};
}

int64_t spec_bag_row(const spec_bag_case *x, int64_t id) {
    if (x->settings.padding && id == x->padding_index) return -1;
    if (id >= 0 && id < x->c.cols) return id;
    if (x->settings.bounds == SPARCL_BOUNDS_SKIP || x->c.cols == 0) return -1;
    return id < 0 ? 0 : x->c.cols - 1;
}

static void make_bags(spec_test *t, spec_bag_case *x) {
    spec_case *const c = &x->c;
    x->all = spec_matrix_of(t, c->nnz, c->seed);
    c->nnz = x->all.nnz;
    if (x->settings.offsets < 2) return;
    const spec_matrix entries = x->all; /* each of which is a bag */
    c->rows = c->nnz;
    x->all = spec_matrix_room(t, c->rows, c->cols, c->nnz);
    for (int64_t k = 0; k < c->nnz; ++k) {
        x->all.indices[k] = entries.indices[k];
        x->all.offsets[k + 1] = k + 1;
    }
}

/* Some indices are the padding or bad. */
static void make_ids(spec_bag_case *x) {
    const spec_case *const c = &x->c;
    const spec_bag_settings s = x->settings;
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
static void make_kept(spec_test *t, spec_bag_case *x) {
    int64_t at = 0;
    x->kept = spec_matrix_room(t, x->c.rows, x->c.cols, x->c.nnz);
    for (int64_t i = 0; i < x->c.rows; ++i) {
        for (int64_t k = x->all.offsets[i]; k < x->all.offsets[i + 1]; ++k) {
            const int64_t row = spec_bag_row(x, x->ids[k]);
            if (row < 0) continue;
            x->kept.indices[at] = row;
            x->kept.values[at] = x->weights[k];
            x->source[at++] = k;
        }
        x->kept.offsets[i + 1] = at;
    }
    x->kept.nnz = at;
}

/* The calls of a test are made where they are possible. */
static void choose_calls(const spec_test *t, spec_bag_case *x) {
    const spec_case *const c = &x->c;
    const bool is_max = x->settings.mode == SPARCL_BAG_MAX;
    x->is_measured = t->given;
    if (x->is_measured) {
        x->has_call[t->call] = true;
        return;
    }
    x->has_call[SPEC_BAG_RESULT] = x->has_call[SPEC_BAG_MATRIX] = x->has_call[SPEC_BAG_TABLE] =
        true;
    x->has_call[SPEC_BAG_WEIGHTS] = !is_max;
    x->has_call[SPEC_BAG_SCALED] = !is_max && c->seed % 3 == 0;
    x->has_call[SPEC_BAG_LOOKUP] = x->settings.offsets == 2;
    x->has_call[SPEC_BAG_RENORM] = c->seed % 4 == 1;
}

void spec_bag_make(spec_test *t, spec_bag_case *x) {
    spec_case *const c = &x->c;
    *c = *t->c;
    x->settings = settings_of(c);
    choose_calls(t, x);
    make_bags(t, x);
    x->ids = spec_int64s(t, c->nnz);
    x->source = spec_int64s(t, c->nnz);
    if (x->settings.mode == SPARCL_BAG_MAX) x->positions = spec_int64s(t, c->rows * c->n);
    x->weights = spec_own(t, spec_numbers(c->nnz, c->seed + 1));
    x->table = spec_drawn(t, c->cols * c->n, c->seed + 2);
    if (x->has_call[SPEC_BAG_WEIGHTS] || x->has_call[SPEC_BAG_TABLE])
        x->g = spec_drawn(t, c->rows * c->n, c->seed + 3);
    x->divisors = spec_reals(t, c->rows);
    make_ids(x);
    make_kept(t, x);
}

/* --- on the device ---------------------------------------------------------------------------- */

static void put_bags(spec_test *t, spec_bag_case *x) {
    const spec_case *const c = &x->c;
    const spec_bag_settings s = x->settings;
    x->bags = (sparcl_bags){.bags = c->rows,
                            .indices = {.count = c->nnz,
                                        .limit = c->cols,
                                        .index_type = c->index_type,
                                        .indices = spec_ints_buf(t, x->ids, c->nnz, c->index_type),
                                        .proof = {.flags = s.bounds ? 0 : SPARCL_TRUSTED}},
                            .offset_type = c->offset_type,
                            .include_last = s.offsets == 0,
                            .mode = s.mode,
                            .bounds = s.bounds,
                            .has_padding = s.padding,
                            .padding_index = x->padding_index};
    if (s.offsets < 2)
        x->bags.offsets =
            spec_ints_buf(t, x->all.offsets, c->rows + (s.offsets == 0), c->offset_type);
    if (s.weights) x->bags.weights = spec_reals_buf(t, x->weights, c->nnz, c->dtype);
}

/* A matrix [rows, n]; n = 1 and an odd seed: a vector. */
static sparcl_dense shape_of(const spec_case *c, int64_t rows) {
    if (c->n == 1 && c->seed % 2)
        return (sparcl_dense){.rank = 1, .dtype = c->dtype, .shape = {rows}};
    return (sparcl_dense){.rank = 2, .dtype = c->dtype, .shape = {rows, c->n}};
}

static sparcl_dense make_result(spec_test *t, const spec_case *c) {
    sparcl_dense view = shape_of(c, c->rows);
    view.values = spec_result_buf(t, c->rows * c->n * (int64_t)sparcl_dtype_size(c->dtype));
    return view;
}

/* The positions of maxima: written with the result, or of a gradient by itself the right ones. */
static void put_positions(spec_test *t, spec_bag_case *x) {
    x->positions_view = shape_of(&x->c, x->c.rows);
    x->positions_view.dtype = SPARCL_INT64;
    x->positions_view.values = spec_ints_buf(t, x->positions, x->c.rows * x->c.n, SPARCL_INDEX64);
}

/* Each entry has space; of a measurement each row, where they are fewer. */
static sparcl_rows put_rows(spec_test *t, const spec_bag_case *x) {
    const spec_case *const c = &x->c;
    const bool by_entry = !x->is_measured || x->settings.mode == SPARCL_BAG_MAX || c->nnz < c->cols;
    sparcl_rows rows = spec_rows_result(t, c->cols, c->n, by_entry ? c->nnz : c->cols);
    rows.rank = x->table_view.rank;
    rows.shape[1] = x->table_view.shape[1];
    return rows;
}

void spec_bag_put(spec_test *t, spec_bag_case *x) {
    const spec_case *const c = &x->c;
    const bool *const has = x->has_call;
    put_bags(t, x);
    x->table_view = spec_dense_of(t, shape_of(c, c->cols), x->table);
    if (x->g) x->g_view = spec_dense_of(t, shape_of(c, c->rows), x->g);
    if (x->settings.mode == SPARCL_BAG_MAX && (!x->is_measured || has[SPEC_BAG_TABLE]))
        put_positions(t, x);
    if (x->settings.bounds) x->bad_buf = spec_result_buf(t, 8);
    if (has[SPEC_BAG_RESULT]) x->y = make_result(t, c);
    if (has[SPEC_BAG_LOOKUP] || (x->is_measured && has[SPEC_BAG_RENORM]))
        x->looked_up = make_result(t, c);
    if (has[SPEC_BAG_WEIGHTS]) x->gw = spec_vector(t, c->nnz, x->weights);
    if (has[SPEC_BAG_TABLE]) x->rows = put_rows(t, x);
    if (has[SPEC_BAG_SCALED]) x->scaled = put_rows(t, x);
    if (!has[SPEC_BAG_MATRIX]) return;
    const spec_matrix empty = spec_matrix_room(t, c->rows, c->cols, c->nnz);
    x->matrix = spec_csr(t, &empty);
    x->matrix.proof = (sparcl_proof){0};
    x->source_buf = spec_result_buf(t, c->nnz * 8 + 8);
}
