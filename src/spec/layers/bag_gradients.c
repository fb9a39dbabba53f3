/* bag_gradients.c: bags as a matrix, and their gradients by the table and by the weights, in plain
 * C. */
#include "spec/layers/bag_gradients.h"

#include <math.h>

#define R(x) spec_round(c->dtype, (x))

/* The gradient of the weight of entry e that counts, of bag i. */
static void answer_weight(const spec_bag_case *a, int64_t i, int64_t e, const spec_answer *to) {
    const spec_case *const c = &a->c;
    const double *const row = a->table + a->kept.indices[e] * c->n, *const g = a->g + i * c->n;
    const double *const y = a->result.order + i * c->n; /* the result of the bag */
    const int64_t k = a->source[e], length = a->kept.offsets[i + 1] - a->kept.offsets[i];
    const sparcl_bag_mode mode = a->settings.mode;
    const double by = a->divisors[i], w = mode == SPARCL_BAG_SQRTN ? R(a->weights[k] / by) : 1;
    const double product = spec_sum_products(c->dtype, g, row, 1, c->n, true);
    double exact = 0, rest = 0, magnitude = 0;
    for (int64_t j = 0; j < c->n; ++j) {
        exact += g[j] * row[j];
        rest += mode == SPARCL_BAG_SUM ? 0 : g[j] * y[j];
        magnitude += fabs(g[j] * row[j]) + (mode == SPARCL_BAG_SUM ? 0 : fabs(w * g[j] * y[j]));
    }
    to->order[k] = product;
    if (mode != SPARCL_BAG_SUM) {
        const double other = spec_sum_products(c->dtype, g, y, 1, c->n, true);
        to->order[k] = R(R(product - R(w * other)) / by);
    }
    to->order[k] = spec_store(c->dtype, to->order[k]);
    to->truth[k] = (exact - w * rest) / by;
    to->bound[k] = ((spec_depth(c->n, true) + 2 * spec_depth(length, false) + 8) *
                        spec_unit(c->dtype) * magnitude / by +
                    spec_store_unit(c->dtype) * fabs(to->truth[k])) *
                       1.001 +
                   (c->dtype == SPARCL_F16 ? 0x1p-24 : 2 * spec_smallest(c->dtype));
}

void spec_bag_expect_weights(spec_test *t, const spec_bag_case *x) {
    const spec_answer to = spec_answer_room(t, x->c.nnz);
    for (int64_t i = 0; i < x->c.rows; ++i)
        for (int64_t e = x->kept.offsets[i]; e < x->kept.offsets[i + 1]; ++e)
            answer_weight(x, i, e, &to);
    spec_expect_dense(t, "gradient of the weights", &x->gw, to.order, to.truth, to.bound);
}

void spec_bag_divide(spec_bag_case *x) {
    const spec_case *const c = &x->c;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t e = x->kept.offsets[i]; e < x->kept.offsets[i + 1]; ++e)
            x->kept.values[e] =
                x->settings.mode == SPARCL_BAG_MAX ? 1 : R(x->kept.values[e] / x->divisors[i]);
}

void spec_bag_expect_matrix(spec_test *t, const spec_bag_case *x) {
    const spec_case *const c = &x->c;
    const sparcl_csr *const m = &x->matrix;
    const int64_t count = x->kept.nnz;
    double *const values = spec_copied(t, x->kept.values, count);
    for (int64_t e = 0; e < count; ++e)
        values[e] = spec_store(c->dtype, values[e]);
    spec_expect_ints(t, "offset", m->offsets, m->offsets_at, m->offset_type, x->kept.offsets,
                     c->rows + 1);
    spec_expect_ints(t, "index", m->indices, m->indices_at, m->index_type, x->kept.indices, count);
    spec_expect_ints(t, "source", x->source_buf, 0, SPARCL_INDEX64, x->source, count);
    spec_expect(t, "value", m->values, m->values_at, m->dtype, count, values, NULL, NULL);
}

/* --- the gradient of the table ---------------------------------------------------------------- */

/* Dense, [cols, n], in the type of `c`. */
static void answer_table(spec_test *t, const spec_case *c, const spec_bag_case *x,
                         const spec_answer *to) {
    const spec_matrix columns = spec_transposed(t, &x->kept);
    const double *const old = spec_reals(t, c->cols * c->n);
    const bool done =
        spec_product(c, &columns, x->g, c->n, old, c->n, to->order, to->truth, to->bound);
    spec_need(t, done ? SPARCL_OK : SPARCL_E_MEMORY);
    for (int64_t i = 0; i < c->cols; ++i) { /* the truth of a long sum is rounded as well */
        const double length = (double)(columns.offsets[i + 1] - columns.offsets[i]);
        for (int64_t j = 0; j < c->n; ++j)
            to->bound[i * c->n + j] *= c->dtype == SPARCL_F64 ? 1 + length / SPEC_BLOCK : 1;
    }
}

static void answer_table_max(spec_test *t, const spec_case *c, const spec_bag_case *x,
                             const spec_answer *to) {
    spec_rowset sums = {0}, from = {.limit = c->cols,
                                    .width = c->n,
                                    .stored = x->kept.nnz,
                                    .capacity = x->kept.nnz,
                                    .ids = x->kept.indices,
                                    .values = spec_reals(t, c->nnz * c->n)};
    const spec_answer rows = spec_answer_room(t, c->nnz * c->n);
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t e = x->kept.offsets[i]; e < x->kept.offsets[i + 1]; ++e)
            for (int64_t j = 0; j < c->n; ++j)
                from.values[e * c->n + j] =
                    x->positions[i * c->n + j] == x->source[e] ? x->g[i * c->n + j] : 0;
    spec_own_rowset(t, &sums, spec_rowset_sum(&sums, &from, c->dtype, rows.truth, rows.bound));
    for (int64_t k = 0; k < sums.stored * c->n; ++k) {
        const int64_t at = sums.ids[k / c->n] * c->n + k % c->n;
        to->order[at] = sums.values[k];
        to->truth[at] = rows.truth[k];
        to->bound[at] = rows.bound[k];
    }
}

/* The same, divided by the number of entries of each row. */
static void divide_table(spec_test *t, const spec_case *c, const spec_bag_case *x,
                         const spec_answer *to) {
    double *const counts = spec_reals(t, c->cols);
    for (int64_t e = 0; e < x->kept.nnz; ++e)
        counts[x->kept.indices[e]] += 1;
    for (int64_t k = 0; k < c->cols * c->n; ++k) {
        const double count = counts[k / c->n] > 0 ? counts[k / c->n] : 1;
        to->order[k] = R(to->order[k] / count);
        to->truth[k] /= count;
        to->bound[k] = to->bound[k] / count + 1.01 * spec_unit(c->dtype) * fabs(to->truth[k]) +
                       spec_smallest(c->dtype);
    }
}

/* Values of 16 bits: the answer in F32, rounded when it is stored. */
void spec_bag_expect_table(spec_test *t, const spec_bag_case *x, const sparcl_rows *rows,
                           bool scaled, const char *what) {
    const spec_case *const c = &x->c;
    const bool is_half = c->dtype == SPARCL_F16 || c->dtype == SPARCL_BF16;
    const int64_t count = c->cols * c->n;
    const spec_answer to = spec_answer_room(t, count);
    spec_case wide = *c;
    if (is_half) wide.dtype = SPARCL_F32;
    (x->settings.mode == SPARCL_BAG_MAX ? answer_table_max : answer_table)(t, &wide, x, &to);
    if (scaled) divide_table(t, &wide, x, &to);
    for (int64_t k = 0; is_half && k < count; ++k)
        spec_store_answer(c->dtype, &to.order[k], to.truth[k], &to.bound[k]);
    spec_compare(t->report, what, spec_rows_dense(t, rows, 0), to.order, to.truth, to.bound, count);
}
