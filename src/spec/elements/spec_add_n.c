/* spec_add_n.c: sums of several arrays, in plain C. Variant 0: of row-sparse arrays; 1: of dense
 * ones; 2: of both; of row-sparse ones + 4: with capacity for the rows of the sum only; + 8: for
 * fewer. cols: the number of terms; nnz: the rows that each stores. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/made.h"
#include "spec/shared/rowset.h"

enum { ROWS, DENSE, MIXED, KINDS, FIT = 4, LESS = 8, MOST = 9 };

/* Rows of the array, rows of a term, width, terms. */
static const int64_t sizes[][4] = {
    {0, 0, 3, 2},   {5, 0, 2, 2},   {4, 9, 1, 0},    {7, 5, 3, 1},    {9, 20, 4, 5},
    {1, 300, 2, 3}, {50, 9, 17, 9}, {37, 37, 16, 2}, {300, 90, 5, 4}, {700, 900, 33, 3}};

/* Dense and row-sparse terms of 16 bits, in each size. */
static bool get_half(int i, int n_sizes, spec_case *c) {
    if (i >= n_sizes) return false;
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = sizes[i][0],
                     .nnz = sizes[i][1],
                     .n = sizes[i][2],
                     .cols = sizes[i][3],
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .index_type = SPARCL_I32,
                     .offset_type = i % 3 ? SPARCL_I32 : SPARCL_I64,
                     .alpha = i % 3 ? 2.5 : 1,
                     .variant = MIXED,
                     .seed = (uint64_t)i + 1013};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F16, SPARCL_F64, SPARCL_BF16};
    static const int variants[] = {ROWS, DENSE, MIXED, ROWS | FIT, DENSE, ROWS | LESS};
    const int n_variants = (int)(sizeof variants / sizeof variants[0]);
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int number = i / n_variants / 4, variant = variants[i % n_variants];
    if (number >= n_sizes) return get_half(i - n_sizes * n_variants * 4, n_sizes, c);
    const sparcl_dtype dtype = dtypes[i / n_variants % 4];
    *c = (spec_case){.kind = (spec_kind)(i / 5 % SPEC_KINDS),
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .n = sizes[number][2],
                     .cols = sizes[number][3],
                     .dtype = variant != MIXED       ? dtype
                              : dtype == SPARCL_BF16 ? SPARCL_F64
                              : dtype == SPARCL_F16  ? SPARCL_F32
                                                     : dtype,
                     .index_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .offset_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32, /* of every second term */
                     .alpha = i % 5 ? 2.5 : 1,
                     .variant = variant,
                     .seed = (uint64_t)i + 13};
    return true;
}

typedef struct arrays {
    spec_rowset sets[MOST], got, order; /* row-sparse terms, and the sum of such */
    double *dense[MOST];
    double factors[MOST];
    int64_t y_ld, x_ld, needed;
    double *y, *want, *truth, *bound;
} arrays;

static void drop(arrays *x) {
    double *const all[] = {x->y, x->want, x->truth, x->bound};
    for (int t = 0; t < MOST; ++t) {
        spec_rowset_free(&x->sets[t]);
        free(x->dense[t]);
    }
    spec_rowset_free(&x->got);
    spec_rowset_free(&x->order);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

static int kind_of(const spec_case *c) {
    return c->variant % FIT;
}

static bool is_dense(const spec_case *c, int t) {
    return kind_of(c) == DENSE || (kind_of(c) == MIXED && t % 3 != (int)(c->seed % 3));
}

static spec_kind kind_of_term(const spec_case *c, int t) {
    return (spec_kind)(((int)c->kind + t) % SPEC_KINDS);
}

static double *stored_numbers(const spec_case *c, int64_t count, uint64_t seed) {
    double *const x = spec_numbers(count, seed);
    for (int64_t i = 0; x && i < count; ++i)
        x[i] = spec_value(c->dtype, x[i]);
    return x;
}

static bool make_term(arrays *x, const spec_case *c, int t) {
    static const double factors[] = {1, -0.5, 2.5, -1};
    const uint64_t seed = c->seed + 7 * (uint64_t)t;
    spec_rowset *const set = &x->sets[t];
    x->factors[t] = c->alpha == 1 ? 1 : factors[(c->seed + (uint64_t)t) % 4];
    if (is_dense(c, t)) {
        x->dense[t] = stored_numbers(c, c->rows * x->x_ld, seed);
        return x->dense[t] != NULL;
    }
    if (!spec_rowset_make(set, kind_of_term(c, t), c->rows, c->nnz, c->n, seed)) return false;
    for (int64_t i = 0; i < set->capacity * c->n; ++i)
        set->values[i] = spec_value(c->dtype, set->values[i]);
    return true;
}

/* --- the sum of row-sparse arrays ------------------------------------------------------------- */

/* The rows of all terms, times their factors; rounded, or exact. */
static bool concatenate(spec_rowset *all, const arrays *x, const spec_case *c, bool is_exact) {
    int64_t total = 0, at = 0;
    for (int t = 0; t < c->cols; ++t)
        total += x->sets[t].stored;
    /* the values and indices are replaced */
    if (!spec_rowset_make(all, SPEC_UNIFORM, c->rows, c->rows ? total : 0, c->n, 1)) return false;
    for (int t = 0; t < c->cols; ++t)
        for (int64_t k = 0; k < x->sets[t].stored; ++k, ++at) {
            all->ids[at] = x->sets[t].ids[k];
            for (int64_t j = 0; j < c->n; ++j) {
                const double exact = x->factors[t] * x->sets[t].values[k * c->n + j];
                all->values[at * c->n + j] = is_exact ? exact : spec_round(c->dtype, exact);
            }
        }
    return true;
}

/* The bound of a sum of terms that are rounded, too: of each one unit more. */
static void add_products(arrays *x, const spec_case *c, const spec_rowset *all) {
    for (int64_t u = 0; u < x->order.stored; ++u)
        for (int64_t k = 0; k < all->stored; ++k)
            for (int64_t j = 0; all->ids[k] == x->order.ids[u] && j < c->n; ++j)
                x->bound[u * c->n + j] +=
                    spec_unit(c->dtype) * fabs(all->values[k * c->n + j]) * SPEC_SECOND_ORDER;
}

static bool answer_rows(arrays *x, const spec_case *c) {
    spec_rowset all = {0}, exact = {0}, ignored = {0};
    bool done = concatenate(&all, x, c, false) && concatenate(&exact, x, c, true);
    x->truth = spec_numbers(all.stored * c->n, 0);
    x->bound = spec_numbers(all.stored * c->n, 0);
    done = done && x->truth && x->bound && spec_rowset_sum(&x->order, &all, c->dtype, NULL, NULL) &&
           spec_rowset_sum(&ignored, &exact, c->dtype, x->truth, x->bound);
    if (done) add_products(x, c, &exact);
    for (int64_t i = 0; done && i < x->order.stored * c->n; ++i) {
        x->order.values[i] = spec_store(c->dtype, x->order.values[i]);
        x->bound[i] += spec_store_error(c->dtype, fabs(x->truth[i]) + x->bound[i]);
    }
    x->needed = x->order.stored;
    spec_rowset_free(&all);
    spec_rowset_free(&exact);
    spec_rowset_free(&ignored);
    return done;
}

/* --- the sum as a dense array ----------------------------------------------------------------- */

static void add_element(arrays *x, const spec_case *c, int64_t at, bool first, double factor,
                        double value) {
    const double product = spec_round(c->dtype, factor * value);
    x->want[at] = first ? product : spec_round(c->dtype, x->want[at] + product);
    x->truth[at] = (first ? 0 : x->truth[at]) + factor * value;
    x->bound[at] = (first ? 0 : x->bound[at]) + fabs(factor * value);
}

static bool add_term(arrays *x, const spec_case *c, int t) {
    spec_rowset sum = {0};
    if (is_dense(c, t)) {
        for (int64_t i = 0; i < c->rows; ++i)
            for (int64_t j = 0; j < c->n; ++j)
                add_element(x, c, i * x->y_ld + j, t == 0, x->factors[t],
                            x->dense[t][i * x->x_ld + j]);
        return true;
    }
    if (!spec_rowset_sum(&sum, &x->sets[t], c->dtype, NULL, NULL)) return false;
    for (int64_t u = 0; u < sum.stored; ++u)
        for (int64_t j = 0; j < c->n; ++j)
            add_element(x, c, sum.ids[u] * x->y_ld + j, false, x->factors[t],
                        sum.values[u * c->n + j]);
    spec_rowset_free(&sum);
    return true;
}

/* Gaps between rows keep what they hold. */
static bool answer_dense(arrays *x, const spec_case *c) {
    const int64_t count = c->rows * x->y_ld;
    x->y = stored_numbers(c, count, c->seed + 1);
    x->want = stored_numbers(c, count, c->seed + 1);
    x->truth = stored_numbers(c, count, c->seed + 1);
    x->bound = calloc((size_t)count + 1, sizeof *x->bound);
    if (!x->y || !x->want || !x->truth || !x->bound) return false;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j)
            x->want[i * x->y_ld + j] = x->truth[i * x->y_ld + j] = 0;
    for (int t = 0; t < c->cols; ++t)
        if (!add_term(x, c, t)) return false;
    /* Sums of a row-sparse term have their own roundings. */
    const double depth = 2 * (double)c->cols + spec_depth_duplicates(c->nnz);
    for (int64_t i = 0; i < count; ++i) {
        x->bound[i] *= depth * spec_unit(c->dtype) * SPEC_SECOND_ORDER;
        x->bound[i] += spec_store_error(c->dtype, fabs(x->truth[i]) + x->bound[i]);
        x->want[i] = spec_store(c->dtype, x->want[i]);
    }
    return true;
}

/* --- the device ------------------------------------------------------------------------------- */

typedef struct views {
    sparcl_rows rows[MOST], to;
    sparcl_dense dense[MOST], y;
    sparcl_term terms[MOST];
    sparcl_buf *needed;
} views;

static void free_views(views *v) {
    for (int t = 0; t < MOST; ++t) {
        sparcl_rows_free(&v->rows[t]);
        sparcl_dense_free(&v->dense[t]);
    }
    sparcl_rows_free(&v->to);
    sparcl_dense_free(&v->y);
    sparcl_buf_free(v->needed);
}

static sparcl_dense shaped(const spec_case *c, int64_t ld) {
    sparcl_dense x = {.dtype = c->dtype, .ld = ld};
    x.rank = spec_shape(x.shape, c->rows, c->n, c->seed);
    return x;
}

static sparcl_status put_term(sparcl_ctx *ctx, const spec_case *c, const arrays *x, views *v,
                              int t) {
    spec_case own = *c;
    v->terms[t].factor = x->factors[t];
    if (is_dense(c, t)) {
        v->dense[t] = shaped(c, x->x_ld);
        v->terms[t].dense = &v->dense[t];
        return spec_put_reals(ctx, &v->dense[t].values, x->dense[t], c->rows * x->x_ld, c->dtype);
    }
    own.kind = kind_of_term(c, t);
    own.index_type = t % 2 ? c->offset_type : SPARCL_I32;
    v->terms[t].rows = &v->rows[t];
    return spec_put_rows(ctx, &v->rows[t], &x->sets[t], &own);
}

static sparcl_status run_dense(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v) {
    const int64_t count = c->rows * x->y_ld;
    v->y = shaped(c, x->y_ld);
    sparcl_status status = spec_put_reals(ctx, &v->y.values, x->y, count, c->dtype);
    if (status == SPARCL_OK) status = sparcl_add_n(ctx, &v->y, v->terms, (int)c->cols);
    return status == SPARCL_OK ? spec_get_reals(ctx, v->y.values, 0, count, c->dtype, x->y)
                               : status;
}

static sparcl_status add_rows(sparcl_ctx *ctx, const spec_case *c, views *v) {
    if (c->cols != 2) return sparcl_rows_add_n(ctx, &v->to, v->terms, (int)c->cols, v->needed, 1);
    return sparcl_rows_add(ctx, &v->to, v->terms[0].factor, v->terms[0].rows, v->terms[1].factor,
                           v->terms[1].rows, v->needed, 1);
}

static int64_t capacity_of(const spec_case *c, const arrays *x) {
    int64_t total = 0;
    for (int t = 0; t < c->cols; ++t)
        total += x->sets[t].capacity;
    return c->variant & LESS ? x->needed * 2 / 3 : c->variant & FIT ? x->needed : total;
}

static sparcl_status run_rows(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v) {
    spec_rowset *const got = &x->got;
    spec_case own = *c;
    int64_t needed = -1;
    own.kind = SPEC_UNIFORM;
    if (!spec_rowset_make(got, SPEC_UNIFORM, 1, capacity_of(c, x), c->n, 1)) return SPARCL_E_MEMORY;
    got->limit = c->rows;
    got->stored = -1; /* the count is a result */
    sparcl_status status = spec_put_rows(ctx, &v->to, got, &own);
    v->to.proof.flags = 0;
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->needed, 16);
    if (status == SPARCL_OK) status = add_rows(ctx, c, v);
    if (status == SPARCL_OK) status = spec_get_ints(ctx, v->needed, 1, 1, SPARCL_I64, &needed);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, v->to.count, 0, 1, SPARCL_I64, &got->stored);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, v->to.indices, 0, got->capacity, c->index_type, got->ids);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->to.values, 0, got->capacity * c->n, c->dtype, got->values);
    if (status == SPARCL_OK &&
        (needed != x->needed ||
         sparcl_rows_flags(&v->to) != (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE)))
        got->stored = -1;
    return status;
}

static void compare(spec_report *report, const spec_case *c, const arrays *x) {
    if (kind_of(c) != ROWS) {
        report->zeros_expected = kind_of(c) == MIXED || c->cols == 0;
        spec_compare(report, "y", x->y, x->want, x->truth, x->bound, c->rows * x->y_ld);
        return;
    }
    const int64_t stored = c->variant & LESS ? x->needed * 2 / 3 : x->needed;
    spec_compare_ints(report, "count", &x->got.stored, &stored, 1);
    if (!report->equal) return;
    spec_compare_ints(report, "indices", x->got.ids, x->order.ids, stored);
    spec_compare(report, "values", x->got.values, x->order.values, x->truth, x->bound,
                 stored * c->n);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.y_ld = c->n + (c->seed % 2 ? 3 : 0), .x_ld = c->n + (c->seed % 4 ? 0 : 1)};
    views v = {.needed = NULL};
    const bool rows = kind_of(c) == ROWS;
    sparcl_status status = SPARCL_OK;
    *report = (spec_report){.equal = true};
    for (int t = 0; status == SPARCL_OK && t < c->cols; ++t)
        status = make_term(&x, c, t) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK && !(rows ? answer_rows : answer_dense)(&x, c))
        status = SPARCL_E_MEMORY;
    for (int t = 0; status == SPARCL_OK && t < c->cols; ++t)
        status = put_term(ctx, c, &x, &v, t);
    if (status == SPARCL_OK) status = (rows ? run_rows : run_dense)(ctx, c, &x, &v);
    if (status == SPARCL_OK) compare(report, c, &x);
    free_views(&v);
    drop(&x);
    return status;
}

const spec_op spec_add_n = {.name = "add_n", .get_case = get_case, .check = check};
