/* bag_gradients.c: bags as a matrix, and their gradients by the table and by the weights, in plain
 * C. */
#include "spec/layers/bag_gradients.h"

#include <math.h>
#include <stdlib.h>

#include "spec/shared/stored.h"

#define R(x) spec_round(c->dtype, (x))

/* The gradient of the weight of entry k of bag i; y: the result of the bags. */
static void answer_weight(const spec_case *c, spec_bag_arrays *a, const double *y, int64_t i,
                          int64_t e) {
    const double *const row = a->table + a->kept.indices[e] * c->n, *const g = a->g + i * c->n;
    const int64_t k = a->source[e], length = a->kept.offsets[i + 1] - a->kept.offsets[i];
    const sparcl_bag_mode mode = spec_bag_settings_of(c).mode;
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

sparcl_status spec_bag_check_weights(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                     const double *y, spec_bag_views *v, spec_report *report) {
    const spec_bag_settings s = spec_bag_settings_of(c);
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
    if (status == SPARCL_OK) spec_bag_compare(report, "gradient of the weights", x, c->nnz);
    return status;
}

sparcl_status spec_bag_check_matrix(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                    spec_bag_views *v, spec_report *report) {
    spec_matrix got = {0};
    int64_t *const source = calloc((size_t)c->nnz + 1, sizeof *source);
    const bool is_max = spec_bag_settings_of(c).mode == SPARCL_BAG_MAX;
    sparcl_status status =
        spec_matrix_alloc(&got, c->rows, c->cols, c->nnz) && source
            ? spec_put_csr_within(ctx, &v->matrix, &got, c->dtype, c->offset_type, c->index_type)
            : SPARCL_E_MEMORY;
    v->matrix.proof = (sparcl_proof){0};
    if (status == SPARCL_OK)
        status = sparcl_embedding_bag_matrix(ctx, &v->matrix, &v->bags, v->source, 0);
    if (status == SPARCL_OK) status = spec_get_csr(ctx, &v->matrix, &got);
    if (status == SPARCL_OK) status = spec_get_ints(ctx, v->source, 0, c->nnz, SPARCL_I64, source);
    if (status == SPARCL_OK)
        status =
            spec_get_reals(ctx, v->matrix.values, v->matrix.values_at, c->nnz, c->dtype, x->got);
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t e = x->kept.offsets[i]; e < x->kept.offsets[i + 1]; ++e) {
            const double value = is_max ? 1 : x->kept.values[e] / x->divisors[i];
            x->kept.values[e] = R(value);
            x->order[e] = x->truth[e] = spec_store(c->dtype, x->kept.values[e]);
            x->bound[e] = 0;
        }
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offset", got.offsets, x->kept.offsets, c->rows + 1);
        spec_compare_ints(report, "index", got.indices, x->kept.indices, x->kept.nnz);
        spec_compare_ints(report, "source", source, x->source, x->kept.nnz);
        spec_bag_compare(report, "value", x, x->kept.nnz);
    }
    spec_matrix_free(&got);
    free(source);
    return status;
}

/* Dense answers of the gradient by the table, [cols, n]; false when out of memory. */
static bool answer_table(const spec_case *c, spec_bag_arrays *x) {
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

static bool answer_table_max(const spec_case *c, spec_bag_arrays *x) {
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

/* The same, divided by the number of entries of each row. */
static bool divide_table(const spec_case *c, spec_bag_arrays *x) {
    double *const counts = spec_numbers(c->cols, 0);
    for (int64_t i = 0; counts && i < c->cols; ++i)
        counts[i] = 0;
    for (int64_t e = 0; counts && e < x->kept.nnz; ++e)
        counts[x->kept.indices[e]] += 1;
    for (int64_t k = 0; counts && k < c->cols * c->n; ++k) {
        const double count = counts[k / c->n] > 0 ? counts[k / c->n] : 1;
        x->order[k] = R(x->order[k] / count);
        x->truth[k] /= count;
        x->bound[k] = x->bound[k] / count + 1.01 * spec_unit(c->dtype) * fabs(x->truth[k]) +
                      spec_smallest(c->dtype);
    }
    free(counts);
    return counts != NULL;
}

/* Values of 16 bits: the answer in F32, rounded when it is stored. */
static bool answer_rows(const spec_case *c, spec_bag_arrays *x, bool scaled) {
    const bool is_max = spec_bag_settings_of(c).mode == SPARCL_BAG_MAX;
    const bool is_half = c->dtype == SPARCL_F16 || c->dtype == SPARCL_BF16;
    spec_case wide = *c;
    if (is_half) wide.dtype = SPARCL_F32;
    if (!(is_max ? answer_table_max : answer_table)(&wide, x)) return false;
    if (scaled && !divide_table(&wide, x)) return false;
    for (int64_t k = 0; is_half && k < c->cols * c->n; ++k)
        spec_store_answer(c->dtype, &x->order[k], x->truth[k], &x->bound[k]);
    return true;
}

static sparcl_status check_table(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                 spec_bag_views *v, spec_report *report, const char *what) {
    const bool is_max = spec_bag_settings_of(c).mode == SPARCL_BAG_MAX;
    sparcl_status status = sparcl_embedding_bag_gradient(ctx, &v->rows, &v->g, &v->bags,
                                                         is_max ? &v->positions : NULL);
    if (status == SPARCL_OK && !answer_rows(c, x, v->bags.scale_by_frequency))
        status = SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = get_table(ctx, c, &v->rows, x->got);
    if (status == SPARCL_OK) spec_bag_compare(report, what, x, c->cols * c->n);
    return status;
}

sparcl_status spec_bag_check_table(sparcl_ctx *ctx, const spec_case *c, spec_bag_arrays *x,
                                   spec_bag_views *v, spec_report *report) {
    const bool is_max = spec_bag_settings_of(c).mode == SPARCL_BAG_MAX;
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
    if (status == SPARCL_OK) status = check_table(ctx, c, x, v, report, "gradient of the table");
    v->bags.scale_by_frequency = !is_max && c->seed % 3 == 0;
    if (status == SPARCL_OK && v->bags.scale_by_frequency)
        status = check_table(ctx, c, x, v, report, "scaled gradient of the table");
    return status;
}
