/* spec_embedding.c: bags of rows of a table in plain C: the result, the matrix, and the gradients
 * by the table and by the weights (bag_gradients.c). bag_case.h says what a variant is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/layers/bag_gradients.h"

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
                     .variant = i * 55 % SPEC_BAG_VARIANTS,
                     .seed = (uint64_t)i + 17};
    if (small && c->n > 33) c->nnz /= 4;
    return true;
}

/* --- answers -----------------------------------------------------------------------------------
 */

#define R(x) spec_round(c->dtype, (x))

static double divisor_of(const spec_case *c, const double *weights, int64_t length, double *ones) {
    const sparcl_bag_mode mode = spec_bag_settings_of(c).mode;
    if (length == 0 || (mode != SPARCL_BAG_MEAN && mode != SPARCL_BAG_SQRTN)) return 1;
    const bool squares = mode == SPARCL_BAG_SQRTN;
    const double sum =
        spec_sum_products(c->dtype, weights, squares ? weights : ones, 1, length, false);
    return squares ? R(sqrt(sum)) : sum;
}

/* Result element (i, j) from the terms x of the bag. */
static void answer_sum(const spec_case *c, spec_bag_arrays *a, int64_t i, int64_t j,
                       const double *x) {
    const int64_t begin = a->kept.offsets[i], length = a->kept.offsets[i + 1] - begin;
    const int64_t at = i * c->n + j;
    const double *const w = a->kept.values + begin, divisor = a->divisors[i];
    const sparcl_bag_mode mode = spec_bag_settings_of(c).mode;
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

static void answer_max(const spec_case *c, spec_bag_arrays *a, int64_t i, int64_t j,
                       const double *x) {
    const int64_t begin = a->kept.offsets[i], length = a->kept.offsets[i + 1] - begin;
    double best = 0;
    int64_t where = -1;
    for (int64_t k = 0; k < length; ++k)
        if (where < 0 || x[k] > best) best = x[k], where = a->source[begin + k];
    a->order[i * c->n + j] = a->truth[i * c->n + j] = best;
    a->bound[i * c->n + j] = 0;
    a->positions[i * c->n + j] = where;
}

static bool answer_bags(const spec_case *c, spec_bag_arrays *a) {
    double *const x = spec_numbers(a->kept.nnz, 0), *const ones = spec_numbers(a->kept.nnz, 0);
    const bool is_max = spec_bag_settings_of(c).mode == SPARCL_BAG_MAX;
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

/* --- calls -------------------------------------------------------------------------------------
 */

static sparcl_status check_result(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                  spec_bag_views *v, spec_report *report) {
    const spec_bag_settings s = spec_bag_settings_of(c);
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
    spec_bag_compare(report, "result", x, c->rows * c->n);
    if (is_max)
        spec_compare_ints(report, "position", x->got_positions, x->positions, c->rows * c->n);
    if (counted) spec_compare_ints(report, "bad", &bad, &x->bad, 1);
    return status;
}

/* Where there are no offsets: the same rows, each by itself. */
static sparcl_status check_lookup(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                  spec_bag_views *v, spec_report *report) {
    if (spec_bag_settings_of(c).offsets < 2) return SPARCL_OK;
    for (int64_t i = 0; i < c->rows; ++i) {
        const int64_t row = spec_bag_row(c, x, x->ids[i]);
        for (int64_t j = 0; j < c->n; ++j) {
            x->order[i * c->n + j] = row < 0 ? 0 : x->table[row * c->n + j];
            x->truth[i * c->n + j] = x->order[i * c->n + j];
            x->bound[i * c->n + j] = 0;
        }
    }
    sparcl_status status = sparcl_embedding(ctx, &v->y, &v->table, &v->bags, NULL, 0);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->y.values, 0, c->rows * c->n, c->dtype, x->got);
    if (status == SPARCL_OK) spec_bag_compare(report, "lookup", x, c->rows * c->n);
    return status;
}

/* --- norms -------------------------------------------------------------------------------------
 */

/* The norm of a row by rule S with one column, or exactly; `terms` and `factors` are of its width.
 */
static double norm_of(const spec_case *c, const double *x, double norm_type, bool exact,
                      double *terms, double *factors) {
    double sum = 0, largest = 0;
    for (int64_t j = 0; j < c->n; ++j) {
        terms[j] = fabs(x[j]);
        factors[j] = norm_type == 1 ? 1 : terms[j];
        sum += terms[j] * factors[j];
        largest = fmax(largest, terms[j]);
    }
    if (isinf(norm_type)) return largest;
    if (!exact) sum = spec_sum_products(c->dtype, terms, factors, 1, c->n, true);
    return norm_type == 1 ? sum : exact ? sqrt(sum) : R(sqrt(sum));
}

/* The table after rows of the bags were made shorter. */
static bool answer_renorm(const spec_case *c, spec_bag_arrays *x, double max_norm,
                          double norm_type) {
    bool *const used = calloc((size_t)c->cols + 1, sizeof *used);
    double *const terms = spec_numbers(2 * c->n, 0), most = R(max_norm);
    for (int64_t e = 0; used && e < x->kept.nnz; ++e)
        used[x->kept.indices[e]] = true;
    for (int64_t i = 0; used && terms && i < c->cols; ++i) {
        const double *const row = x->table + i * c->n;
        const double norm = norm_of(c, row, norm_type, false, terms, terms + c->n);
        const double exact = norm_of(c, row, norm_type, true, terms, terms + c->n);
        const bool shorter = used[i] && norm > most;
        const double scale = shorter ? R(most / R(norm + R(1e-7))) : 1;
        const double error = shorter ? spec_depth(c->n, true) + 6 : 0;
        for (int64_t j = 0, k = i * c->n; j < c->n; ++j, ++k) {
            x->order[k] = spec_store(c->dtype, shorter ? R(row[j] * scale) : row[j]);
            x->truth[k] = shorter ? row[j] * (max_norm / (exact + 1e-7)) : row[j];
            x->bound[k] = 1.01 * (error * spec_unit(c->dtype) + spec_store_unit(c->dtype)) *
                              fabs(x->truth[k]) +
                          (c->dtype == SPARCL_F16 ? 0x1p-24 : 2 * spec_smallest(c->dtype));
        }
    }
    free(used);
    free(terms);
    return used && terms;
}

/* The last check: the table changes. */
static sparcl_status check_renorm(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                  spec_bag_views *v, spec_report *report) {
    static const double types[] = {1, 2, INFINITY};
    const double norm_type = types[c->seed / 4 % 3], n = (double)c->n;
    const double max_norm = 0.5 * (norm_type == 1 ? n : norm_type == 2 ? sqrt(n) : 1.8);
    if (c->seed % 4 != 1) return SPARCL_OK;
    if (!answer_renorm(c, x, max_norm, norm_type)) return SPARCL_E_MEMORY;
    sparcl_status status = sparcl_embedding_renorm(ctx, &v->table, &v->bags, max_norm, norm_type);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->table.values, 0, c->cols * c->n, c->dtype, x->got);
    if (status == SPARCL_OK) spec_bag_compare(report, "renormalised table", x, c->cols * c->n);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *given, spec_report *report) {
    spec_bag_arrays x = {.bad = 0};
    spec_bag_views v = {.bad = NULL};
    spec_case kind = *given, *const c = &kind; /* its sizes become those of the matrix */
    const double item = (double)sparcl_dtype_size(c->dtype);
    sparcl_status status = spec_bag_make(&x, c) && answer_bags(c, &x) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true,
                            .flops = 2.0 * (double)c->nnz * (double)c->n,
                            .bytes = (double)(c->nnz + c->rows) * (double)c->n * item};
    double *const y = spec_numbers(c->rows * c->n, 0);
    if (status == SPARCL_OK && y) memcpy(y, x.order, (size_t)(c->rows * c->n) * sizeof *y);
    if (status == SPARCL_OK) status = y ? spec_bag_open(ctx, c, &x, &v) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = check_result(ctx, c, &x, &v, report);
    if (status == SPARCL_OK) status = spec_bag_check_weights(ctx, c, &x, y, &v, report);
    if (status == SPARCL_OK) status = spec_bag_check_matrix(ctx, c, &x, &v, report);
    if (status == SPARCL_OK) status = spec_bag_check_table(ctx, c, &x, &v, report);
    if (status == SPARCL_OK) status = check_lookup(ctx, c, &x, &v, report);
    if (status == SPARCL_OK) status = check_renorm(ctx, c, &x, &v, report);
    spec_bag_close(&v);
    spec_bag_drop(&x);
    free(y);
    return status;
}

const spec_op spec_embedding = {.name = "embedding", .get_case = get_case, .check = check};
