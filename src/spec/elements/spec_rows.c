/* spec_rows.c: coalescing rows, and adding rows to a table, in plain C. Variant 0: coalesce; 1:
 * scatter_add. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

static const int64_t widths[] = {1, 2, 3, 5, 8, 16, 17, 32, 64, 100, 128, 300};

/* Rows of the array, stored rows. */
static const int64_t sizes[][2] = {{0, 0},  {4, 0},    {1, 1},       {1, 700},  {9, 20},
                                   {50, 9}, {37, 300}, {700, 90},    {33, 33},  {260, 31},
                                   {5, 6},  {120, 64}, {1000, 3000}, {40, 9000}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int half = n_sizes * n_widths, k = i / 2;
    const int mixed = k + k / n_widths; /* varies kind and alpha for each width */
    if (i >= 2 * half) return false;
    static const double alphas[] = {1, -0.5, 2.5};
    *c = (spec_case){.kind = (spec_kind)(mixed % SPEC_KINDS),
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = k % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = mixed % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = alphas[(mixed + k / n_widths) % 3],
                     .seed = (uint64_t)k + 1,
                     .variant = i % 2};
    return true;
}

typedef struct state {
    spec_rowset from;
    const double *old; /* the table before the call */
    bool scatters;
    double alpha;
    sparcl_rows from_view, to;
    sparcl_dense table;
} state;

/* The table has gaps between its rows, which must stay unchanged. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int64_t ld = c->n + 3;
    s->scatters = c->variant;
    s->alpha = c->alpha;
    s->from = t->given ? spec_rowset_given(t, 0, 1, false, 6)
                       : spec_rowset_drawn(t, c->rows, c->nnz, c->n, c->seed);
    s->from_view = spec_row_sparse(t, &s->from);
    if (s->scatters) {
        s->old = spec_drawn(t, c->rows * ld, c->seed + 1);
        s->table = spec_table(t, c->rows, c->n, ld, s->old);
        return;
    }
    spec_rowset to = spec_rowset_room(t, s->from.limit, s->from.capacity, c->n);
    to.stored = -1; /* the count is a result */
    s->to = spec_row_sparse(t, &to);
    s->to.proof.flags = 0;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return s->scatters ? sparcl_scatter_add(ctx, &s->table, s->alpha, &s->from_view)
                       : sparcl_rows_coalesce(ctx, &s->to, &s->from_view, SPARCL_SUM, NULL);
}

static void expect_table(spec_test *t, const state *s, const spec_rowset *sums, const double *truth,
                         const double *bound) {
    const spec_case *const c = t->c;
    const int64_t count = c->rows * s->table.ld;
    const spec_answer table = spec_answer_over(t, s->old, count);
    for (int64_t u = 0; u < sums->stored; ++u)
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = sums->ids[u] * s->table.ld + j, k = u * c->n + j;
            const double old = s->old[at], sum = sums->values[k];
            table.order[at] = spec_round(c->dtype, old + spec_round(c->dtype, c->alpha * sum));
            table.truth[at] = old + c->alpha * truth[k];
            table.bound[at] = fabs(c->alpha) * bound[k] +
                              spec_unit(c->dtype) * 2.01 * (fabs(c->alpha * sum) + fabs(old));
        }
    spec_expect_answer(t, "table", &s->table, &table);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    spec_rowset sums = {0};
    const int64_t count = s->from.stored * s->from.width;
    double *const truth = spec_reals(t, count), *const bound = spec_reals(t, count);
    spec_own_rowset(t, &sums, spec_rowset_sum(&sums, &s->from, t->c->dtype, truth, bound));
    if (s->scatters)
        expect_table(t, s, &sums, truth, bound);
    else
        spec_expect_sorted_rows(t, &s->to, &sums, truth, bound);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double stored = (double)s->from.stored, results = (double)spec_columns_used(t->given);
    const double width = (double)s->from.width, size = (double)sparcl_dtype_size(t->c->dtype);
    (void)number;
    *flops = (stored - results) * width;
    *bytes = (stored + results) * ((double)sparcl_itype_size(t->c->index_type) + size * width);
}

extern const spec_op spec_rows;
static const spec_bench timed[] = {
    {"rows-coalesce", "row-sparse: a row for each entry; rows of one column are added",
     SPEC_BENCH_WIDTHS, .op = &spec_rows},
    {0}};

const spec_op spec_rows = {.name = "rows",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect,
                           .work = work,
                           .timed = timed};
