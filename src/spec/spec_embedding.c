/* spec_embedding.c: bags of rows of a table in plain C: the result, the matrix, and the gradients
 * by the table and by the weights.
 *
 * Variant: mode + 4 with weights + 8 * bounds + 24 with a padding index + 48 * offsets: with the
 * last one, without it, none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/rowset.h"

#define VARIANTS 144

typedef struct settings {
    sparcl_bag_mode mode;
    bool weights, padding;
    sparcl_bounds bounds;
    int offsets; /* 0: bags + 1; 1: bags; 2: none */
} settings;

static settings settings_of(const spec_case *c) {
    const int v = c->variant;
    return (settings){(sparcl_bag_mode)(v % 4), v / 4 % 2 && v % 4 != SPARCL_BAG_MAX, v / 24 % 2,
                      (sparcl_bounds)(v / 8 % 3), v / 48};
}

/* Bags, rows of the table, entries. */
static const int64_t sizes[][3] = {{0, 0, 0},   {3, 5, 0},     {1, 1, 1},         {9, 20, 60},
                                   {4, 7, 900}, {70, 30, 700}, {300, 2000, 4000}, {40, 9, 4500}};
static const int64_t widths[] = {1, 2, 7, 16, 33, 64, 100, 128};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_F32,
                                         SPARCL_BF16};
    if (i >= n_sizes * n_widths * 9) return false;
    const int64_t *const size = sizes[i / 9 / n_widths];
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_ONE_COL),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i / 9 % n_widths],
                     .dtype = types[i % 5],
                     .index_type = i % 7 == 3 ? SPARCL_I64 : SPARCL_I32,
                     .offset_type = i % 4 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = 1,
                     .variant = i * 55 % VARIANTS,
                     .seed = (uint64_t)i + 17};
    return true;
}

/* What a case has on the host. `kept` is the matrix of the entries that count; `source` their
 * positions in the list. */
typedef struct arrays {
    spec_matrix all, kept;
    int64_t *ids, *source, *positions, *got_positions;
    int64_t bad, padding_index;
    double *weights, *table, *g, *divisors;
    double *got, *order, *truth, *bound; /* of one result after the other */
} arrays;

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t values_of(const spec_case *c) {
    return most(most(c->rows, c->cols), c->nnz) * c->n + c->nnz;
}

static void drop(arrays *x) {
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

/* The row of an entry; -1: it is left out. */
static int64_t row_of(const spec_case *c, const arrays *x, int64_t id) {
    const settings s = settings_of(c);
    if (s.padding && id == x->padding_index) return -1;
    if (id >= 0 && id < c->cols) return id;
    if (s.bounds == SPARCL_BOUNDS_SKIP || c->cols == 0) return -1;
    return id < 0 ? 0 : c->cols - 1;
}

static bool make_bags(arrays *x, spec_case *c) {
    const settings s = settings_of(c);
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
static void make_ids(arrays *x, const spec_case *c) {
    const settings s = settings_of(c);
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
static bool make_kept(arrays *x, const spec_case *c) {
    int64_t at = 0;
    if (!spec_matrix_alloc(&x->kept, c->rows, c->cols, c->nnz)) return false;
    x->kept.offsets[0] = 0;
    for (int64_t i = 0; i < c->rows; ++i) {
        for (int64_t k = x->all.offsets[i]; k < x->all.offsets[i + 1]; ++k) {
            const int64_t row = row_of(c, x, x->ids[k]);
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

static bool make(arrays *x, spec_case *c) {
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

/* --- answers -----------------------------------------------------------------------------------
 */

#define R(x) spec_round(c->dtype, (x))

static double divisor_of(const spec_case *c, const double *weights, int64_t length, double *ones) {
    const sparcl_bag_mode mode = settings_of(c).mode;
    if (length == 0 || (mode != SPARCL_BAG_MEAN && mode != SPARCL_BAG_SQRTN)) return 1;
    const bool squares = mode == SPARCL_BAG_SQRTN;
    const double sum =
        spec_sum_products(c->dtype, weights, squares ? weights : ones, 1, length, false);
    return squares ? R(sqrt(sum)) : sum;
}

/* Result element (i, j) from the terms x of the bag. */
static void answer_sum(const spec_case *c, arrays *a, int64_t i, int64_t j, const double *x) {
    const int64_t begin = a->kept.offsets[i], length = a->kept.offsets[i + 1] - begin;
    const int64_t at = i * c->n + j;
    const double *const w = a->kept.values + begin, divisor = a->divisors[i];
    const sparcl_bag_mode mode = settings_of(c).mode;
    double exact = 0, magnitude = 0, total = 0;
    for (int64_t k = 0; k < length; ++k) {
        exact += w[k] * x[k];
        magnitude += fabs(w[k] * x[k]);
        total += mode == SPARCL_BAG_MEAN ? w[k] : w[k] * w[k];
    }
    const double by = mode == SPARCL_BAG_SUM || length == 0 ? 1
                      : mode == SPARCL_BAG_MEAN             ? total
                                                            : sqrt(total);
    const double depth = spec_depth(length, c->n == 1) + spec_depth(length, false) + 3;
    const double sum = spec_sum_products(c->dtype, w, x, 1, length, c->n == 1);
    a->order[at] = spec_store(c->dtype, mode == SPARCL_BAG_SUM ? sum : R(sum / divisor));
    a->truth[at] = exact / by;
    a->bound[at] = (depth * spec_unit(c->dtype) * magnitude / by +
                    spec_store_unit(c->dtype) * fabs(exact / by)) *
                       1.001 +
                   (c->dtype == SPARCL_F16 ? 0x1p-24 : 2 * spec_smallest(c->dtype));
}

static void answer_max(const spec_case *c, arrays *a, int64_t i, int64_t j, const double *x) {
    const int64_t begin = a->kept.offsets[i], length = a->kept.offsets[i + 1] - begin;
    double best = 0;
    int64_t where = -1;
    for (int64_t k = 0; k < length; ++k)
        if (where < 0 || x[k] > best) best = x[k], where = a->source[begin + k];
    a->order[i * c->n + j] = a->truth[i * c->n + j] = best;
    a->bound[i * c->n + j] = 0;
    a->positions[i * c->n + j] = where;
}

static bool answer_bags(const spec_case *c, arrays *a) {
    double *const x = spec_numbers(a->kept.nnz, 0), *const ones = spec_numbers(a->kept.nnz, 0);
    const bool is_max = settings_of(c).mode == SPARCL_BAG_MAX;
    for (int64_t k = 0; x && ones && k < a->kept.nnz; ++k)
        ones[k] = 1;
    for (int64_t i = 0; x && ones && i < c->rows; ++i) {
        const int64_t begin = a->kept.offsets[i], length = a->kept.offsets[i + 1] - begin;
        a->divisors[i] = divisor_of(c, a->kept.values + begin, length, ones);
        for (int64_t j = 0; j < c->n; ++j) {
            for (int64_t k = 0; k < length; ++k)
                x[k] = a->table[a->kept.indices[begin + k] * c->n + j];
            (is_max ? answer_max : answer_sum)(c, a, i, j, x);
        }
    }
    free(x);
    free(ones);
    return x && ones;
}

/* The gradient of the weight of entry k of bag i; y: the result of the bags. */
static void answer_weight(const spec_case *c, arrays *a, const double *y, int64_t i, int64_t e) {
    const double *const row = a->table + a->kept.indices[e] * c->n, *const g = a->g + i * c->n;
    const int64_t k = a->source[e], length = a->kept.offsets[i + 1] - a->kept.offsets[i];
    const sparcl_bag_mode mode = settings_of(c).mode;
    const double by = a->divisors[i], w = mode == SPARCL_BAG_SQRTN ? R(a->weights[k] / by) : 1;
    const double product = spec_sum_products(c->dtype, g, row, 1, c->n, true);
    double exact = 0, rest = 0, magnitude = 0;
    for (int64_t j = 0; j < c->n; ++j) {
        exact += g[j] * row[j];
        rest += mode == SPARCL_BAG_SUM ? 0 : g[j] * y[i * c->n + j];
        magnitude +=
            fabs(g[j] * row[j]) + (mode == SPARCL_BAG_SUM ? 0 : fabs(w * g[j] * y[i * c->n + j]));
    }
    a->order[k] = product;
    if (mode != SPARCL_BAG_SUM) {
        const double other = spec_sum_products(c->dtype, g, y + i * c->n, 1, c->n, true);
        a->order[k] = R(R(product - R(w * other)) / by);
    }
    a->order[k] = spec_store(c->dtype, a->order[k]);
    a->truth[k] = (exact - w * rest) / by;
    a->bound[k] = ((spec_depth(c->n, true) + 2 * spec_depth(length, false) + 8) *
                       spec_unit(c->dtype) * magnitude / by +
                   spec_store_unit(c->dtype) * fabs(a->truth[k])) *
                      1.001 +
                  (c->dtype == SPARCL_F16 ? 0x1p-24 : 2 * spec_smallest(c->dtype));
}

/* --- calls -------------------------------------------------------------------------------------
 */

/* The views of a case. */
typedef struct views {
    sparcl_bags bags;
    sparcl_dense table, g, y, positions, gw;
    sparcl_csr matrix;
    sparcl_rows rows;
    sparcl_buf *bad, *source;
} views;

static void close_views(views *v) {
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

static sparcl_status open_bags(sparcl_ctx *ctx, const spec_case *c, const arrays *x, views *v) {
    const settings s = settings_of(c);
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

static sparcl_status open_views(sparcl_ctx *ctx, const spec_case *c, const arrays *x, views *v) {
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

/* Results that are mostly 0 are right where most bags are empty or most entries do not count. */
static void compare(spec_report *report, const char *what, const arrays *x, int64_t count) {
    int64_t zeros = 0;
    for (int64_t i = 0; i < count; ++i)
        zeros += x->order[i] == 0;
    report->zeros_expected = 2 * zeros > count;
    spec_compare(report, what, x->got, x->order, x->truth, x->bound, count);
}

static sparcl_status check_result(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v,
                                  spec_report *report) {
    const settings s = settings_of(c);
    const bool is_max = s.mode == SPARCL_BAG_MAX;
    int64_t bad = 0;
    sparcl_buf *const counted = s.bounds ? v->bad : NULL;
    sparcl_status status = sparcl_embedding_bag(ctx, &v->y, &v->table, &v->bags,
                                                is_max ? &v->positions : NULL, counted, 0);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->y.values, 0, c->rows * c->n, c->dtype, x->got);
    if (status == SPARCL_OK && is_max)
        status = spec_get_ints(ctx, v->positions.values, 0, c->rows * c->n, SPARCL_I64,
                               x->got_positions);
    if (status == SPARCL_OK && counted)
        status = spec_get_ints(ctx, counted, 0, 1, SPARCL_I64, &bad);
    if (status != SPARCL_OK) return status;
    compare(report, "result", x, c->rows * c->n);
    if (is_max)
        spec_compare_ints(report, "position", x->got_positions, x->positions, c->rows * c->n);
    if (counted) spec_compare_ints(report, "bad", &bad, &x->bad, 1);
    return status;
}

/* Where there are no offsets: the same rows, each by itself. */
static sparcl_status check_lookup(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v,
                                  spec_report *report) {
    if (settings_of(c).offsets < 2) return SPARCL_OK;
    for (int64_t i = 0; i < c->rows; ++i) {
        const int64_t row = row_of(c, x, x->ids[i]);
        for (int64_t j = 0; j < c->n; ++j) {
            x->order[i * c->n + j] = row < 0 ? 0 : x->table[row * c->n + j];
            x->truth[i * c->n + j] = x->order[i * c->n + j];
            x->bound[i * c->n + j] = 0;
        }
    }
    sparcl_status status = sparcl_embedding(ctx, &v->y, &v->table, &v->bags, NULL, 0);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->y.values, 0, c->rows * c->n, c->dtype, x->got);
    if (status == SPARCL_OK) compare(report, "lookup", x, c->rows * c->n);
    return status;
}

static sparcl_status check_matrix(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v,
                                  spec_report *report) {
    spec_matrix got = {0};
    int64_t *const source = calloc((size_t)c->nnz + 1, sizeof *source);
    const bool is_max = settings_of(c).mode == SPARCL_BAG_MAX;
    sparcl_status status =
        spec_matrix_alloc(&got, c->rows, c->cols, c->nnz) && source
            ? spec_put_csr(ctx, &v->matrix, &got, c->dtype, c->offset_type, c->index_type)
            : SPARCL_E_MEMORY;
    v->matrix.proof = (sparcl_proof){0};
    if (status == SPARCL_OK)
        status = sparcl_embedding_bag_matrix(ctx, &v->matrix, &v->bags, v->source, 0);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, v->matrix.offsets, 0, c->rows + 1, c->offset_type, got.offsets);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, v->matrix.indices, 0, c->nnz, c->index_type, got.indices);
    if (status == SPARCL_OK) status = spec_get_ints(ctx, v->source, 0, c->nnz, SPARCL_I64, source);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->matrix.values, 0, c->nnz, c->dtype, x->got);
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t e = x->kept.offsets[i]; e < x->kept.offsets[i + 1]; ++e) {
            const double value = is_max ? 1 : x->kept.values[e] / x->divisors[i];
            x->kept.values[e] = x->order[e] = x->truth[e] = spec_store(c->dtype, R(value));
            x->bound[e] = 0;
        }
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offset", got.offsets, x->kept.offsets, c->rows + 1);
        spec_compare_ints(report, "index", got.indices, x->kept.indices, x->kept.nnz);
        spec_compare_ints(report, "source", source, x->source, x->kept.nnz);
        compare(report, "value", x, x->kept.nnz);
    }
    spec_matrix_free(&got);
    free(source);
    return status;
}

/* Dense answers of the gradient by the table, [cols, n]; false when out of memory. */
static bool answer_table(const spec_case *c, arrays *x) {
    spec_matrix t = {0};
    double *const old = spec_numbers(c->cols * c->n, 0);
    const bool ok = old && spec_matrix_transpose(&t, &x->kept) &&
                    spec_product(c, &t, x->g, c->n, old, c->n, x->order, x->truth, x->bound);
    for (int64_t i = 0; ok && i < c->cols; ++i) { /* the truth of a long sum is rounded as well */
        const double factor = 1 + (double)(t.offsets[i + 1] - t.offsets[i]) / SPEC_BLOCK;
        for (int64_t j = 0; j < c->n; ++j)
            x->bound[i * c->n + j] *= c->dtype == SPARCL_F64 ? factor : 1;
    }
    spec_matrix_free(&t);
    free(old);
    return ok;
}

static bool answer_table_max(const spec_case *c, arrays *x) {
    spec_rowset from = {.limit = c->cols,
                        .width = c->n,
                        .stored = x->kept.nnz,
                        .capacity = x->kept.nnz,
                        .ids = x->kept.indices,
                        .values = spec_numbers(c->nnz * c->n, 0)};
    spec_rowset sums = {0};
    double *const truth = spec_numbers(c->nnz * c->n, 0), *const bound =
                                                              spec_numbers(c->nnz * c->n, 0);
    const int64_t count = c->cols * c->n;
    for (int64_t i = 0; from.values && i < c->rows; ++i)
        for (int64_t e = x->kept.offsets[i]; e < x->kept.offsets[i + 1]; ++e)
            for (int64_t j = 0; j < c->n; ++j)
                from.values[e * c->n + j] =
                    x->positions[i * c->n + j] == x->source[e] ? x->g[i * c->n + j] : 0;
    const bool ok =
        from.values && truth && bound && spec_rowset_sum(&sums, &from, c->dtype, truth, bound);
    for (int64_t k = 0; k < count; ++k)
        x->order[k] = x->truth[k] = x->bound[k] = 0;
    for (int64_t u = 0; ok && u < sums.stored; ++u)
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = sums.ids[u] * c->n + j, k = u * c->n + j;
            x->order[at] = sums.values[k];
            x->truth[at] = truth[k];
            x->bound[at] = bound[k];
        }
    free(from.values);
    spec_rowset_free(&sums);
    free(truth);
    free(bound);
    return ok;
}

/* The stored rows, as a dense matrix. */
static sparcl_status get_table(sparcl_ctx *ctx, const spec_case *c, const sparcl_rows *r,
                               double *got) {
    int64_t stored = 0;
    sparcl_status status = spec_get_ints(ctx, r->count, 0, 1, SPARCL_I64, &stored);
    if (status == SPARCL_OK && (stored < 0 || stored > r->nnr)) return SPARCL_E_DATA;
    int64_t *const ids = calloc((size_t)stored + 1, sizeof *ids);
    double *const values = spec_numbers(stored * c->n, 0);
    if (!ids || !values) status = SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = spec_get_ints(ctx, r->indices, 0, stored, r->index_type, ids);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, r->values, 0, stored * c->n, c->dtype, values);
    for (int64_t k = 0; k < c->cols * c->n; ++k)
        got[k] = 0;
    for (int64_t u = 0; status == SPARCL_OK && u < stored; ++u)
        for (int64_t j = 0; j < c->n && ids[u] >= 0 && ids[u] < c->cols; ++j)
            got[ids[u] * c->n + j] = values[u * c->n + j];
    free(ids);
    free(values);
    return status;
}

static sparcl_status check_table(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v,
                                 spec_report *report) {
    const bool is_max = settings_of(c).mode == SPARCL_BAG_MAX;
    if (c->dtype != SPARCL_F32 && c->dtype != SPARCL_F64) return SPARCL_OK;
    v->rows = (sparcl_rows){.rank = v->table.rank,
                            .dtype = c->dtype,
                            .index_type = c->index_type,
                            .shape = {c->cols, c->n},
                            .nnr = c->nnz};
    if (v->rows.rank == 1) v->rows.shape[1] = 0;
    sparcl_status status = sparcl_buf_create(ctx, &v->rows.indices, c->nnz * 8 + 8);
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &v->rows.values, c->nnz * c->n * 8 + 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->rows.count, 8);
    if (status == SPARCL_OK)
        status = sparcl_embedding_bag_gradient(ctx, &v->rows, &v->g, &v->bags,
                                               is_max ? &v->positions : NULL);
    if (status == SPARCL_OK && !(is_max ? answer_table_max : answer_table)(c, x))
        status = SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = get_table(ctx, c, &v->rows, x->got);
    if (status == SPARCL_OK) compare(report, "gradient of the table", x, c->cols * c->n);
    return status;
}

static sparcl_status check_weights(sparcl_ctx *ctx, const spec_case *c, arrays *x, const double *y,
                                   views *v, spec_report *report) {
    const settings s = settings_of(c);
    if (s.mode == SPARCL_BAG_MAX) return SPARCL_OK;
    for (int64_t k = 0; k < c->nnz; ++k)
        x->order[k] = x->truth[k] = x->bound[k] = 0;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t e = x->kept.offsets[i]; e < x->kept.offsets[i + 1]; ++e)
            answer_weight(c, x, y, i, e);
    sparcl_status status = sparcl_embedding_bag_weights_gradient(
        ctx, &v->gw, &v->g, &v->table, s.mode == SPARCL_BAG_SUM ? NULL : &v->y, &v->bags);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->gw.values, 0, c->nnz, c->dtype, x->got);
    if (status == SPARCL_OK) compare(report, "gradient of the weights", x, c->nnz);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *given, spec_report *report) {
    arrays x = {.bad = 0};
    views v = {.bad = NULL};
    spec_case kind = *given, *const c = &kind; /* its sizes become those of the matrix */
    const double item = (double)sparcl_dtype_size(c->dtype);
    sparcl_status status = make(&x, c) && answer_bags(c, &x) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true,
                            .flops = 2.0 * (double)c->nnz * (double)c->n,
                            .bytes = (double)(c->nnz + c->rows) * (double)c->n * item};
    double *const y = spec_numbers(c->rows * c->n, 0);
    if (status == SPARCL_OK && y) memcpy(y, x.order, (size_t)(c->rows * c->n) * sizeof *y);
    if (status == SPARCL_OK) status = y ? open_views(ctx, c, &x, &v) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = check_result(ctx, c, &x, &v, report);
    if (status == SPARCL_OK) status = check_weights(ctx, c, &x, y, &v, report);
    if (status == SPARCL_OK) status = check_matrix(ctx, c, &x, &v, report);
    if (status == SPARCL_OK) status = check_table(ctx, c, &x, &v, report);
    if (status == SPARCL_OK) status = check_lookup(ctx, c, &x, &v, report);
    close_views(&v);
    drop(&x);
    free(y);
    return status;
}

const spec_op spec_embedding = {"embedding", get_case, check};
