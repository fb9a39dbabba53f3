/* spec_rows_mask.c: rows of an array with the indices of the stored rows of another, in plain C.
 * Variant 0: of a dense array; 1: of a row-sparse one. nnz: the stored rows of the mask;
 * cols: those of the array. */
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

/* Rows of the arrays, stored rows of each, width. */
static const int64_t sizes[][4] = {{0, 0, 0, 2},       {4, 0, 3, 1},          {4, 3, 0, 3},
                                   {1, 70, 1, 5},      {50, 20, 20, 16},      {370, 300, 11, 1},
                                   {700, 90, 600, 17}, {9000, 3000, 2000, 33}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int number = i / 6;
    if (number >= n_sizes) return false;
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .cols = sizes[number][2],
                     .n = sizes[number][3],
                     .dtype = spec_any_dtype(i + number),
                     .offset_type = i % 4 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32, /* of the array */
                     .index_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 5,
                     .variant = i % 2};
    return true;
}

typedef struct state {
    spec_rowset at, from; /* a dense array is `from` with all rows */
    sparcl_rows at_view, from_view;
    sparcl_dense dense, to;
    int variant;
} state;

/* Of a measurement: the rows that are the columns of the first half of the entries. */
static void make_operands(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t stored = c->variant ? c->cols : c->rows;
    if (t->given) {
        s->at = spec_rowset_given(t, 0, 2, true, 6);
        s->from = spec_rowset_room(t, c->cols, c->cols, c->n);
        s->from.stored = c->cols;
        s->from.values = spec_drawn(t, c->cols * c->n, 7);
    } else {
        s->at = spec_rowset_drawn(t, c->rows, c->nnz, c->n, c->seed);
        spec_own_rowset(
            t, &s->from,
            spec_rowset_make(&s->from, SPEC_UNIFORM, c->rows, stored, c->n, c->seed + 1));
    }
    for (int64_t k = 0; k < s->from.stored; ++k)
        s->from.ids[k] = k * s->from.limit / s->from.stored;
    spec_store_values(c->dtype, s->from.values, s->from.capacity * c->n);
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    spec_case own = *c;
    own.kind = SPEC_UNIFORM;
    if (!t->given) own.index_type = c->offset_type;
    s->variant = c->variant;
    make_operands(t, s);
    s->at_view = spec_row_sparse(t, &s->at);
    if (t->given) s->at_view.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    s->from_view = spec_row_sparse_as(t, &own, &s->from);
    s->from_view.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    s->dense =
        (sparcl_dense){.rank = s->from_view.rank, .dtype = c->dtype, .values = s->from_view.values};
    memcpy(s->dense.shape, s->from_view.shape, sizeof s->dense.shape);
    s->to = (sparcl_dense){.rank = s->at_view.rank, .dtype = c->dtype};
    memcpy(s->to.shape, s->at_view.shape, sizeof s->to.shape);
    s->to.shape[0] = s->at_view.nnr;
    s->to.values = spec_result_buf(t, s->at.capacity * c->n * (int64_t)sparcl_dtype_size(c->dtype));
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return s->variant ? sparcl_rows_retain_gradient(ctx, &s->to, &s->from_view, &s->at_view)
                      : sparcl_rows_mask(ctx, &s->to, &s->dense, &s->at_view);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const int64_t n = t->c->n;
    double *const want = spec_reals(t, s->at.capacity * n);
    int64_t *const after = spec_int64s(t, s->from.limit); /* 1 + the stored row of each id */
    for (int64_t k = 0; k < s->from.stored; ++k)
        after[s->from.ids[k]] = k + 1;
    for (int64_t i = 0; i < s->at.stored; ++i) {
        const int64_t k = after[s->at.ids[i]] - 1;
        if (k >= 0) memcpy(want + i * n, s->from.values + k * n, (size_t)n * sizeof *want);
    }
    t->report->zeros_expected = true;
    spec_expect(t, "rows", s->to.values, 0, s->to.dtype, s->at.capacity * n, want, NULL, NULL);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double index = (double)sparcl_itype_size(s->at_view.index_type);
    (void)number;
    *flops = 0;
    *bytes = (double)s->at.stored * (index + 8 * (double)t->c->n);
}

extern const spec_op spec_rows_mask;
static const spec_bench timed[] = {
    {"rows-mask", "the rows of a dense array with the indices of a row-sparse one",
     SPEC_BENCH_WIDTHS, .op = &spec_rows_mask},
    {0}};

const spec_op spec_rows_mask = {.name = "rows_mask",
                                .get_case = get_case,
                                .state_size = sizeof(state),
                                .make = make,
                                .call = call,
                                .expect = expect,
                                .work = work,
                                .timed = timed};
