/* spec_add_n.c: sums of several arrays, in plain C. Variant 0: of row-sparse arrays; 1: of dense
 * ones; 2: of both; of row-sparse ones + 4: with capacity for the rows of the sum only; + 8: for
 * fewer. cols: the number of terms; nnz: the rows that each stores. Of a measurement: + 16 for each
 * term. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { ROWS, DENSE, MIXED, FIT = 4, LESS = 8, TERMS = 16, MOST = 9 };

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
                     .index_type = SPARCL_INDEX32,
                     .offset_type = i % 3 ? SPARCL_INDEX32 : SPARCL_INDEX64,
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
                     .index_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .offset_type =
                         i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32, /* of every second term */
                     .alpha = i % 5 ? 2.5 : 1,
                     .variant = variant,
                     .seed = (uint64_t)i + 13};
    return true;
}

typedef struct state {
    int kind, count; /* of terms */
    int64_t rows, y_ld, x_ld, needed, room;
    spec_rowset sets[MOST]; /* row-sparse terms */
    const double *dense[MOST], *old;
    sparcl_term terms[MOST];
    sparcl_rows views[MOST], to;
    sparcl_dense dense_views[MOST], y;
    sparcl_buf *needed_buf;
} state;

static bool is_dense(const state *s, const spec_case *c, int i) {
    return s->kind == DENSE || (s->kind == MIXED && i % 3 != (int)(c->seed % 3));
}

/* --- operands --------------------------------------------------------------------------------- */

/* A row-sparse term; every second one has its own type of indices. */
static void make_rows(spec_test *t, state *s, int i, uint64_t seed) {
    const spec_case *const c = t->c;
    spec_rowset *const set = &s->sets[i];
    spec_case own = *c;
    own.kind = t->given ? SPEC_DIAGONAL : (spec_kind)(((int)c->kind + i) % SPEC_KINDS);
    own.index_type = i % 2 ? c->offset_type : SPARCL_INDEX32;
    if (t->given) {
        own.index_type = c->index_type;
        *set = spec_rowset_given(t, i, s->count, true, seed);
    } else
        spec_own_rowset(t, set, spec_rowset_make(set, own.kind, c->rows, c->nnz, c->n, seed));
    spec_store_values(c->dtype, set->values, set->capacity * set->width);
    s->views[i] = spec_row_sparse_as(t, &own, set);
    s->terms[i].rows = &s->views[i];
}

static void make_term(spec_test *t, state *s, int i) {
    static const double factors[] = {1, -0.5, 2.5, -1};
    const spec_case *const c = t->c;
    const uint64_t seed = c->seed + 7 * (uint64_t)i;
    s->terms[i].factor = c->alpha == 1 ? 1 : factors[(c->seed + (uint64_t)i) % 4];
    if (!is_dense(s, c, i)) {
        make_rows(t, s, i, seed);
        return;
    }
    s->dense[i] = spec_values(t, s->rows * s->x_ld, seed);
    s->dense_views[i] = spec_table(t, s->rows, c->n, s->x_ld, s->dense[i]);
    s->terms[i].dense = &s->dense_views[i];
}

/* How many rows the terms store, and how many different ones. */
static int64_t count_rows(spec_test *t, const state *s, int64_t *different) {
    int64_t stored = 0, at = 0;
    for (int i = 0; i < s->count; ++i)
        stored += s->sets[i].stored;
    int64_t *const ids = spec_int64s(t, stored);
    for (int i = 0; i < s->count; at += s->sets[i++].stored)
        memcpy(ids + at, s->sets[i].ids, (size_t)s->sets[i].stored * sizeof *ids);
    *different = spec_distinct_ints(ids, stored);
    return stored;
}

/* The sum of row-sparse terms, with room for all rows, for those of the sum, or for fewer. */
static void make_sum(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    spec_case own = *c;
    own.kind = SPEC_UNIFORM;
    (void)count_rows(t, s, &s->needed);
    for (int i = 0; i < s->count; ++i)
        s->room += s->sets[i].capacity;
    if (c->variant & (FIT | LESS)) s->room = c->variant & LESS ? s->needed * 2 / 3 : s->needed;
    spec_rowset to = spec_rowset_room(t, t->given ? c->cols : c->rows, s->room, c->n);
    to.stored = -1; /* the count is a result */
    s->to = spec_row_sparse_as(t, &own, &to);
    s->to.proof.flags = 0;
    if (!t->given) s->needed_buf = spec_result_buf(t, 16);
}

/* Of a measurement dense terms have a number for each entry. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->kind = c->variant % FIT;
    s->count = t->given ? c->variant / TERMS : (int)c->cols;
    s->rows = t->given ? c->nnz : c->rows;
    s->y_ld = c->n + (c->seed % 2 && !t->given ? 3 : 0);
    s->x_ld = c->n + (c->seed % 4 || t->given ? 0 : 1);
    for (int i = 0; i < s->count; ++i)
        make_term(t, s, i);
    if (s->kind == ROWS) {
        make_sum(t, s);
        return;
    }
    s->old = spec_values(t, s->rows * s->y_ld, c->seed + 1);
    s->y = spec_table(t, s->rows, c->n, s->y_ld, s->old);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    if (s->kind != ROWS) return sparcl_add_n(ctx, &s->y, s->terms, s->count);
    return sparcl_rows_add_n(ctx, &s->to, s->terms, s->count,
                             &(sparcl_moved){.needed = s->needed_buf, .needed_at = 1});
}

/* --- the sum of row-sparse arrays ------------------------------------------------------------- */

/* The rows of all terms, times their factors; rounded, or exact. */
static spec_rowset concatenate(spec_test *t, const state *s, bool is_exact) {
    int64_t different = 0, at = 0;
    const int64_t stored = count_rows(t, s, &different), n = t->c->n;
    spec_rowset all = spec_rowset_room(t, s->to.shape[0], stored, n);
    all.stored = stored;
    for (int i = 0; i < s->count; ++i)
        for (int64_t k = 0; k < s->sets[i].stored; ++k, ++at) {
            all.ids[at] = s->sets[i].ids[k];
            for (int64_t j = 0; j < n; ++j) {
                const double exact = s->terms[i].factor * s->sets[i].values[k * n + j];
                all.values[at * n + j] = is_exact ? exact : spec_round(t->c->dtype, exact);
            }
        }
    return all;
}

/* The bound of a sum of terms that are rounded, too: of each one unit more. */
static void add_products(spec_test *t, const spec_rowset *sum, const spec_rowset *all,
                         double *bound) {
    const int64_t n = all->width;
    int64_t *const places = spec_int64s(t, all->limit);
    for (int64_t u = 0; u < sum->stored; ++u)
        places[sum->ids[u]] = u;
    for (int64_t k = 0; k < all->stored * n; ++k)
        bound[places[all->ids[k / n]] * n + k % n] +=
            spec_unit(t->c->dtype) * fabs(all->values[k]) * SPEC_SECOND_ORDER;
}

static void expect_rows(spec_test *t, const state *s) {
    const sparcl_dtype dtype = t->c->dtype;
    const spec_rowset all = concatenate(t, s, false), exact = concatenate(t, s, true);
    const int64_t n = t->c->n;
    double *const truth = spec_reals(t, all.stored * n), *const bound =
                                                             spec_reals(t, all.stored * n);
    spec_rowset sum = {0}, ignored = {0};
    int64_t needed = s->needed;
    spec_own_rowset(t, &sum, spec_rowset_sum(&sum, &all, dtype, NULL, NULL));
    spec_own_rowset(t, &ignored, spec_rowset_sum(&ignored, &exact, dtype, truth, bound));
    add_products(t, &sum, &exact, bound);
    for (int64_t i = 0; i < sum.stored * n; ++i) {
        sum.values[i] = spec_store(dtype, sum.values[i]);
        bound[i] += spec_store_error(dtype, fabs(truth[i]) + bound[i]);
    }
    if (sum.stored > s->room) sum.stored = s->room;
    spec_expect_sorted_rows(t, &s->to, &sum, truth, bound);
    if (s->needed_buf)
        spec_need(t, spec_get_ints(t->ctx, s->needed_buf, 1, 1, SPARCL_INDEX64, &needed));
    if (needed == s->needed) return;
    t->report->equal = false;
    snprintf(t->report->why, sizeof t->report->why, "needed is not the number of rows");
}

/* --- the sum as a dense array ----------------------------------------------------------------- */

static void add_element(const spec_answer *y, sparcl_dtype dtype, int64_t at, bool first,
                        double factor, double value) {
    const double product = spec_round(dtype, factor * value);
    y->order[at] = first ? product : spec_round(dtype, y->order[at] + product);
    y->truth[at] = (first ? 0 : y->truth[at]) + factor * value;
    y->bound[at] = (first ? 0 : y->bound[at]) + fabs(factor * value);
}

static void add_term(spec_test *t, const state *s, const spec_answer *y, int i) {
    const spec_case *const c = t->c;
    const double factor = s->terms[i].factor;
    spec_rowset sum = {0};
    if (is_dense(s, c, i)) {
        for (int64_t k = 0; k < s->rows * c->n; ++k)
            add_element(y, c->dtype, k / c->n * s->y_ld + k % c->n, i == 0, factor,
                        s->dense[i][k / c->n * s->x_ld + k % c->n]);
        return;
    }
    spec_own_rowset(t, &sum, spec_rowset_sum(&sum, &s->sets[i], c->dtype, NULL, NULL));
    for (int64_t k = 0; k < sum.stored * c->n; ++k)
        add_element(y, c->dtype, sum.ids[k / c->n] * s->y_ld + k % c->n, false, factor,
                    sum.values[k]);
}

/* Gaps between rows keep what they hold. */
static void expect_dense(spec_test *t, const state *s) {
    const spec_case *const c = t->c;
    const int64_t count = s->rows * s->y_ld;
    const spec_answer y = spec_answer_over(t, s->old, count);
    for (int64_t k = 0; k < count; ++k)
        if (k % s->y_ld < c->n) y.order[k] = y.truth[k] = 0;
    for (int i = 0; i < s->count; ++i)
        add_term(t, s, &y, i);
    /* Sums of a row-sparse term have their own roundings. */
    const double depth = 2 * (double)s->count + spec_depth_duplicates(c->nnz);
    for (int64_t k = 0; k < count; ++k) {
        y.bound[k] *= depth * spec_unit(c->dtype) * SPEC_SECOND_ORDER;
        y.bound[k] += spec_store_error(c->dtype, fabs(y.truth[k]) + y.bound[k]);
        y.order[k] = spec_store(c->dtype, y.order[k]);
    }
    t->report->zeros_expected = s->kind == MIXED || s->count == 0;
    spec_expect(t, "y", s->y.values, s->y.values_at, c->dtype, count, y.order, y.truth, y.bound);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    if (s->kind == ROWS)
        expect_rows(t, s);
    else
        expect_dense(t, s);
}

/* --- measurements ----------------------------------------------------------------------------- */

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double width = (double)t->c->n, size = (double)sparcl_dtype_size(t->c->dtype);
    const double results = (double)(s->kind == ROWS ? s->needed : s->rows);
    double stored = 0;
    (void)number;
    for (int i = 0; i < s->count; ++i)
        stored += (double)(s->kind == ROWS ? s->sets[i].stored : s->rows);
    *flops = (stored - results) * width;
    *bytes = (stored + results) *
             ((s->kind == ROWS ? (double)sparcl_itype_size(t->c->index_type) : 0) + size * width);
}

extern const spec_op spec_add_n;
static const spec_bench timed[] = {
    {"rows-add", "the sum of two row-sparse arrays: columns of the halves of the entries",
     SPEC_BENCH_WIDTHS, .op = &spec_add_n, .setting = {.alpha = 1, .variant = ROWS + 2 * TERMS}},
    {"rows-add-n", "the same of four, of the quarters of the entries", SPEC_BENCH_WIDTHS,
     .op = &spec_add_n, .setting = {.alpha = 1, .variant = ROWS + 4 * TERMS}},
    {"add-n", "the sum of four arrays, each with a number for each entry of A",
     .op = &spec_add_n, /* the seed: of rank 1 */
     .setting = {.alpha = 1, .seed = 1, .variant = DENSE + 4 * TERMS}},
    {0}};

const spec_op spec_add_n = {.name = "add_n",
                            .get_case = get_case,
                            .state_size = sizeof(state),
                            .make = make,
                            .call = call,
                            .expect = expect,
                            .work = work,
                            .timed = timed};
