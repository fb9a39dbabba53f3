/* spec_rows_multiply.c: row-sparse arrays times others element by element, in plain C. Variant 0:
 * two row-sparse ones; 1: a dense one; 2: a dense one, with the result in place; of two row-sparse
 * ones + 4: with capacity for the rows of the product only; + 8: for fewer. nnz, cols: the rows
 * that each array has. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { ROWS, DENSE, IN_PLACE, KINDS, FIT = 4, LESS = 8 };

/* Rows of the arrays, rows of each, width. */
static const int64_t sizes[][4] = {{0, 0, 0, 3},    {5, 0, 4, 2},       {4, 9, 0, 1},
                                   {7, 5, 6, 3},    {9, 20, 7, 5},      {50, 30, 40, 17},
                                   {37, 37, 90, 1}, {300, 250, 90, 33}, {9000, 7000, 9000, 64}};

static bool get_case(int i, bool small, spec_case *c) {
    static const int variants[] = {ROWS, ROWS | FIT, DENSE, ROWS | LESS, IN_PLACE};
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int n_variants = (int)(sizeof variants / sizeof variants[0]), number = i / n_variants / 4;
    if (number >= (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0)) return false;
    *c = (spec_case){.kind = (spec_kind)(i / 3 % SPEC_KINDS),
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .cols = sizes[number][2],
                     .n = sizes[number][3],
                     .dtype = dtypes[i / n_variants % 4],
                     .index_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .offset_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32, /* indices of b */
                     .variant = variants[i % n_variants],
                     .seed = (uint64_t)i + 23};
    return true;
}

typedef struct state {
    int kind;
    spec_rowset a, b, want;
    double *truth, *bound; /* of the elements of `want` */
    const double *x;       /* the dense array, with gaps */
    int64_t ld, needed;
    sparcl_rows a_view, b_view, to;
    sparcl_dense dense, v;
    sparcl_buf *needed_buf;
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* Each row once, ascending, or with `as_made` as spec_rowset_make has them; with stored values. */
static spec_rowset make_rows(spec_test *t, spec_kind kind, int64_t nnr, bool as_made,
                             uint64_t seed) {
    const spec_case *const c = t->c;
    spec_rowset made = {0}, x = {0};
    spec_own_rowset(t, &made, spec_rowset_make(&made, kind, c->rows, nnr, c->n, seed));
    if (as_made)
        x = made;
    else
        spec_own_rowset(t, &x, spec_rowset_sum(&x, &made, c->dtype, NULL, NULL));
    if (!as_made && seed % 3) { /* a count, and indices after it that are none */
        x.capacity = made.stored;
        for (int64_t k = x.stored; k < x.capacity; ++k)
            x.ids[k] = c->rows + 1000000;
    }
    spec_store_values(c->dtype, x.values, x.capacity * c->n);
    return x;
}

/* A view, sorted and unique or of unknown order. */
static sparcl_rows put_rows(spec_test *t, const spec_rowset *x, sparcl_itype type, bool sorted) {
    spec_case own = *t->c;
    own.kind = sorted ? SPEC_DIAGONAL : SPEC_UNIFORM;
    own.index_type = type;
    return spec_row_sparse_as(t, &own, x);
}

/* The next row of the product. */
static void answer_row(state *s, sparcl_dtype dtype, int64_t id, const double *a, const double *b) {
    const int64_t u = s->want.stored++;
    s->want.ids[u] = id;
    for (int64_t j = 0; j < s->want.width; ++j) {
        const int64_t at = u * s->want.width + j;
        s->truth[at] = a[j] * b[j];
        s->want.values[at] = spec_store(dtype, spec_round(dtype, a[j] * b[j]));
        s->bound[at] = spec_unit(dtype) * fabs(s->truth[at]) * SPEC_SECOND_ORDER;
        s->bound[at] += spec_store_error(dtype, fabs(s->truth[at]) + s->bound[at]);
    }
}

static void answer(spec_test *t, state *s) {
    const int64_t n = s->a.width, count = s->a.capacity * n;
    int64_t k = 0;
    s->want = spec_rowset_room(t, s->a.limit, s->a.capacity, n);
    s->truth = spec_reals(t, count);
    s->bound = spec_reals(t, count);
    for (int64_t i = 0; i < s->a.stored; ++i) {
        const int64_t id = s->a.ids[i];
        const double *const row = s->a.values + i * n;
        while (s->kind == ROWS && k < s->b.stored && s->b.ids[k] < id)
            ++k;
        if (s->kind != ROWS)
            answer_row(s, t->c->dtype, id, row, s->x + id * s->ld);
        else if (k < s->b.stored && s->b.ids[k] == id)
            answer_row(s, t->c->dtype, id, row, s->b.values + k * n);
    }
    s->needed = s->want.stored;
}

/* As much capacity as any product needs, as this one needs, or less. */
static void make_pair(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t most = s->a.capacity < s->b.capacity ? s->a.capacity : s->b.capacity;
    if (c->variant & LESS) s->want.stored = s->needed * 2 / 3;
    spec_rowset to =
        spec_rowset_room(t, s->a.limit, c->variant & (FIT | LESS) ? s->want.stored : most, c->n);
    to.stored = -1; /* the count is a result */
    s->b_view = put_rows(t, &s->b, t->given ? c->index_type : c->offset_type, true);
    s->to = put_rows(t, &to, t->given ? c->index_type : SPARCL_INDEX64, false);
    s->to.proof.flags = 0;
    if (!t->given) s->needed_buf = spec_result_buf(t, 16);
}

/* The result has the rows of A. */
static void make_values(spec_test *t, state *s) {
    sparcl_dense v = {.rank = s->a_view.rank, .dtype = t->c->dtype, .shape = {s->a_view.nnr}};
    for (int d = 1; d < v.rank; ++d)
        v.shape[d] = s->a_view.shape[d];
    s->dense = spec_table(t, t->c->rows, t->c->n, s->ld, s->x);
    s->v = s->kind == IN_PLACE ? v : spec_dense_of(t, v, s->a.values);
    if (s->kind == IN_PLACE) {
        s->v.values = s->a_view.values;
        s->v.values_at = s->a_view.values_at;
    }
    s->to = s->a_view;
    s->to.values = s->v.values;
    s->to.values_at = s->v.values_at;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->kind = c->variant % FIT;
    const bool both = s->kind == ROWS;
    const spec_kind kind = both && c->kind == SPEC_ONE_ROW ? SPEC_UNIFORM : c->kind;
    s->ld = c->n + (c->seed % 2 ? 2 : 0);
    if (!both) s->x = spec_values(t, c->rows * s->ld, c->seed + 9);
    s->a =
        t->given ? spec_rowset_given(t, 0, 2, true, 6) : make_rows(t, kind, c->nnz, !both, c->seed);
    s->b = t->given ? spec_rowset_given(t, 1, 2, true, 7)
                    : make_rows(t, SPEC_UNIFORM, c->cols, false, c->seed + 1);
    s->a_view = put_rows(t, &s->a, c->index_type, both);
    answer(t, s);
    if (both)
        make_pair(t, s);
    else
        make_values(t, s);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return s->kind == ROWS
               ? sparcl_rows_multiply(ctx, &s->to, &s->a_view, &s->b_view,
                                      &(sparcl_moved){.needed = s->needed_buf, .needed_at = 1})
               : sparcl_rows_multiply_dense(ctx, &s->v, &s->a_view, &s->dense);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    if (s->needed_buf)
        spec_expect_ints(t, "needed", s->needed_buf, 1, SPARCL_INDEX64, &s->needed, 1);
    if (s->kind == ROWS)
        spec_expect_sorted_rows(t, &s->to, &s->want, s->truth, s->bound);
    else
        spec_expect_rows(t, &s->to, &s->want, s->truth, s->bound);
}

/* The ids of both arrays, and three rows for each of the product. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double results = (double)s->want.stored, stored = (double)(s->a.stored + s->b.stored);
    const double width = (double)s->a.width, index = (double)sparcl_itype_size(t->c->index_type);
    (void)number;
    *flops = results * width;
    *bytes =
        3 * results * (index + (double)sparcl_dtype_size(t->c->dtype) * width) + index * stored;
}

extern const spec_op spec_rows_multiply;
static const spec_bench timed[] = {{"rows-multiply",
                                    "the product of the arrays of rows-add, element by element",
                                    SPEC_BENCH_WIDTHS, .op = &spec_rows_multiply},
                                   {0}};

const spec_op spec_rows_multiply = {.name = "rows_multiply",
                                    .get_case = get_case,
                                    .state_size = sizeof(state),
                                    .make = make,
                                    .call = call,
                                    .expect = expect,
                                    .work = work,
                                    .timed = timed};
