/* spec_concat.c: the rows of two row-sparse arrays, one after the other, in plain C. Variant: + 1
 * where the result has I64 indices, + 2 where the second array has. */
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

static const int64_t widths[] = {1, 2, 3, 16, 17, 64, 300};

/* Rows of the array, stored rows of the first and of the second. */
static const int64_t sizes[][3] = {{0, 0, 0},   {4, 0, 3},     {4, 3, 0},      {1, 1, 700},
                                   {50, 9, 20}, {37, 300, 11}, {700, 90, 600}, {1000, 3000, 2000}};

/* Other element types: two sizes with each width. */
static bool get_other(int i, int n_widths, spec_case *c) {
    if (i >= 2 * n_widths) return false;
    const int64_t *const size = sizes[4 + i % 2];
    *c = (spec_case){.kind = (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = size[0],
                     .nnz = size[1],
                     .cols = size[2],
                     .n = widths[i / 2],
                     .dtype = spec_other_dtype(i / 2 + i % 2),
                     .index_type = i % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 3001,
                     .variant = i % 4};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int k = i / 4;
    if (k >= n_sizes * n_widths) return get_other(i - 4 * n_sizes * n_widths, n_widths, c);
    *c = (spec_case){.kind = (spec_kind)((k + k / n_widths) % SPEC_KINDS),
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .cols = sizes[k / n_widths][2],
                     .n = widths[k % n_widths],
                     .dtype = k % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = (k + i) % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 1,
                     .variant = i % 4};
    return true;
}

typedef struct state {
    spec_rowset a, b;
    sparcl_rows a_view, b_view, to;
} state;

static spec_rowset make_rows(spec_test *t, spec_kind kind, int64_t nnr, uint64_t seed) {
    const spec_case *const c = t->c;
    spec_rowset x = {0};
    spec_own_rowset(t, &x, spec_rowset_make(&x, kind, c->rows, nnr, c->n, seed));
    for (int64_t i = 0; i < x.stored * x.width; ++i)
        x.values[i] = spec_moved_value(c->dtype, x.values[i]);
    return x;
}

/* Of a measurement: the columns of the halves of the entries. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    spec_case of_b = *c, of_to = *c;
    of_b.kind = of_to.kind = SPEC_UNIFORM;
    if (!t->given) {
        of_b.index_type = c->variant & 2 ? SPARCL_INDEX64 : SPARCL_INDEX32;
        of_to.index_type = c->variant & 1 ? SPARCL_INDEX64 : SPARCL_INDEX32;
    }
    s->a = t->given ? spec_rowset_given(t, 0, 2, false, 6) : make_rows(t, c->kind, c->nnz, c->seed);
    s->b = t->given ? spec_rowset_given(t, 1, 2, false, 7)
                    : make_rows(t, SPEC_UNIFORM, c->cols, c->seed + 1);
    spec_rowset room = spec_rowset_room(t, s->a.limit, s->a.capacity + s->b.capacity, c->n);
    room.stored = -1; /* the count is a result */
    s->a_view = spec_row_sparse(t, &s->a);
    s->b_view = spec_row_sparse_as(t, &of_b, &s->b);
    s->to = spec_row_sparse_as(t, &of_to, &room);
    s->to.rank = s->b_view.rank = s->a_view.rank;
    memcpy(s->b_view.shape, s->a_view.shape, sizeof s->a_view.shape);
    memcpy(s->to.shape, s->a_view.shape, sizeof s->a_view.shape);
    s->to.proof.flags = 0;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return sparcl_rows_concat(ctx, &s->to, &s->a_view, &s->b_view);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const int64_t n = t->c->n, stored = s->a.stored + s->b.stored;
    if (sparcl_rows_flags(&s->to) != SPARCL_VALID) spec_need(t, SPARCL_E_DATA);
    t->report->zeros_expected = t->c->dtype == SPARCL_BOOL;
    spec_expect_ints(t, "count", s->to.count, 0, SPARCL_INDEX64, &stored, 1);
    spec_expect_ints(t, "indices of a", s->to.indices, 0, s->to.index_type, s->a.ids, s->a.stored);
    spec_expect_ints(t, "indices of b", s->to.indices, s->a.stored, s->to.index_type, s->b.ids,
                     s->b.stored);
    spec_expect(t, "values of a", s->to.values, 0, s->to.dtype, s->a.stored * n, s->a.values, NULL,
                NULL);
    spec_expect(t, "values of b", s->to.values, s->a.stored * n, s->to.dtype, s->b.stored * n,
                s->b.values, NULL, NULL);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double row = (double)sparcl_itype_size(s->to.index_type) + 4 * (double)t->c->n;
    (void)number;
    *flops = 0;
    *bytes = 2 * row * (double)(s->a.stored + s->b.stored);
}

extern const spec_op spec_concat;
static const spec_bench timed[] = {{"rows-concat",
                                    "two row-sparse arrays, rows for the halves of the entries",
                                    SPEC_BENCH_WIDTHS, .op = &spec_concat},
                                   {0}};

const spec_op spec_concat = {.name = "concat",
                             .get_case = get_case,
                             .state_size = sizeof(state),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
