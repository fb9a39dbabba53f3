/* spec_assign_rows.c: rows of a table are replaced by those of a row-sparse array, in plain C. nnz:
 * the stored rows. */
#include "spec/shared/harness_sparse.h"

/* Rows of the table, stored rows, width. */
static const int64_t sizes[][3] = {{0, 0, 2},    {4, 0, 1},    {1, 70, 5},      {50, 20, 16},
                                   {37, 300, 1}, {70, 90, 17}, {9000, 3000, 33}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int number = i / 8;
    if (number >= n_sizes) return false;
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .n = sizes[number][2],
                     .dtype = spec_any_dtype(i + number),
                     .index_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 5};
    return true;
}

typedef struct state {
    spec_rowset from;
    const double *old; /* the table before the call, with its gaps */
    sparcl_rows from_view;
    sparcl_dense table;
} state;

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int64_t ld = c->n + (int64_t)(c->seed % 3);
    s->from = spec_rowset_drawn(t, c->rows, c->nnz, c->n, c->seed);
    spec_store_values(c->dtype, s->from.values, s->from.capacity * c->n);
    s->old = spec_values(t, c->rows * ld, c->seed + 1);
    s->from_view = spec_row_sparse(t, &s->from);
    s->table = spec_table(t, c->rows, c->n, ld, s->old);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return sparcl_assign_rows(ctx, &s->table, &s->from_view);
}

/* The last of the rows of one id stays. */
static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    const int64_t ld = s->table.ld;
    double *const want = spec_copied(t, s->old, c->rows * ld);
    for (int64_t k = 0; k < s->from.stored; ++k)
        for (int64_t j = 0; j < c->n; ++j)
            want[s->from.ids[k] * ld + j] = s->from.values[k * c->n + j];
    t->report->zeros_expected = true;
    spec_expect_dense(t, "table", &s->table, want, NULL, NULL);
}

const spec_op spec_assign_rows = {.name = "assign_rows",
                                  .get_case = get_case,
                                  .state_size = sizeof(state),
                                  .make = make,
                                  .call = call,
                                  .expect = expect};
