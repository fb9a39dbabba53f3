/* spec_retain.c: rows of a row-sparse array, in plain C. Variant 0: retain_all; 1: retain_stored;
 * 2: slice; 3: slice of a sorted array; + 4: less capacity than needed (1 to 3); + 8: with a source
 * and a needed count. n: the width of rows; cols: the length of the list. */
#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { ALL, STORED, SLICE, SORTED_SLICE, KINDS, LESS = 4, MORE = 8 };

/* Rows of the array, stored rows, length of the list. */
static const int64_t sizes[][3] = {{0, 0, 0},      {4, 0, 3},         {4, 3, 0},
                                   {1, 1, 70},     {50, 20, 20},      {370, 300, 11},
                                   {700, 90, 600}, {9000, 3000, 2000}};
static const int64_t widths[] = {1, 3, 16, 70};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]), number = i / KINDS / n_widths;
    if (number >= n_sizes) return false;
    const int kind = i % KINDS;
    *c = (spec_case){.kind = SPEC_UNIFORM,
                     .rows = sizes[number][0],
                     .nnz = sizes[number][1],
                     .cols = sizes[number][2],
                     .n = widths[i / KINDS % n_widths],
                     .dtype = spec_any_dtype(i + number),
                     .offset_type = i % 4 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i,
                     .variant = kind + (kind != ALL && i % 5 == 2 ? LESS : 0) + (i % 2 ? MORE : 0)};
    return true;
}

typedef struct state {
    int kind;
    int64_t first, end; /* rows of a slice */
    spec_rowset all, want;
    int64_t *ids, *source; /* of the list; of the result */
    sparcl_rows from, to;
    sparcl_list list;
    sparcl_moved results;
    const sparcl_moved *moved; /* results, or NULL */
} state;

/* Stored rows are spread over all rows, ascending for what needs it, else descending. */
static void make_operands(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t nnz = c->nnz;
    uint64_t seed = c->seed;
    s->all = spec_rowset_room(t, c->rows, nnz, c->n);
    s->all.stored = nnz;
    s->all.values = spec_own(t, spec_numbers(nnz * c->n, c->seed));
    for (int64_t k = 0; k < nnz; ++k)
        s->all.ids[k] = s->kind == SLICE ? c->rows - 1 - k * c->rows / nnz : k * c->rows / nnz;
    spec_store_values(c->dtype, s->all.values, nnz * c->n);
    s->ids = spec_int64s(t, c->cols);
    for (int64_t i = 0; i < c->cols; ++i)
        s->ids[i] = (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
    s->list = spec_list(t, s->ids, c->cols, c->rows, c->offset_type);
}

/* Of a measurement: the array stores the columns of the first half of the entries, the list has
 * those of the second half. */
static void take_operands(spec_test *t, state *s) {
    s->all = spec_rowset_given(t, 0, 2, true, 6);
    const spec_rowset listed = spec_rowset_given(t, 1, 2, true, 6);
    s->ids = listed.ids;
    s->list = spec_list(t, s->ids, listed.stored, s->all.limit, t->c->index_type);
    s->list.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
}

/* Row `id`: that of stored row k, or zeros where k is negative. */
static void add_row(state *s, int64_t id, int64_t k) {
    const int64_t at = s->want.stored++, width = s->all.width;
    s->want.ids[at] = id;
    s->source[at] = k;
    for (int64_t j = 0; j < width; ++j)
        s->want.values[at * width + j] = k < 0 ? 0 : s->all.values[k * width + j];
}

static void make_expected(spec_test *t, state *s) {
    const int64_t space = s->all.stored + s->list.count;
    s->want = spec_rowset_room(t, s->all.limit, space, s->all.width);
    s->source = spec_int64s(t, space);
    for (int64_t k = 0; k < s->all.stored && s->kind >= SLICE; ++k)
        if (s->all.ids[k] >= s->first && s->all.ids[k] < s->end)
            add_row(s, s->all.ids[k] - s->first, k);
    if (s->kind >= SLICE) return;
    int64_t *const after = spec_int64s(t, s->all.limit); /* 1 + the stored row of each id */
    for (int64_t k = 0; k < s->all.stored; ++k)
        after[s->all.ids[k]] = k + 1;
    for (int64_t i = 0; i < s->list.count; ++i)
        if (after[s->ids[i]] > 0 || s->kind == ALL) add_row(s, s->ids[i], after[s->ids[i]] - 1);
}

static int64_t capacity_of(const spec_test *t, const state *s) {
    if (t->given) return s->kind >= SLICE ? s->all.stored : s->list.count;
    if (t->c->variant & LESS) return s->want.stored * 2 / 3;
    return s->want.stored + (s->kind == ALL ? 0 : 1);
}

static void make_views(spec_test *t, state *s) {
    const uint32_t ordered = s->kind == SLICE ? SPARCL_UNIQUE : SPARCL_SORTED | SPARCL_UNIQUE;
    spec_case types = *t->c;
    spec_rowset room = spec_rowset_room(t, s->all.limit, capacity_of(t, s), s->all.width);
    room.stored = s->kind == ALL ? room.capacity : -1; /* the count is a result */
    types.seed = 0;                                    /* rank 2 */
    s->from = spec_row_sparse_as(t, &types, &s->all);
    s->from.proof.flags |= t->given ? SPARCL_SORTED | SPARCL_UNIQUE : ordered;
    if (!t->given) types.index_type = t->c->offset_type;
    s->to = spec_row_sparse_as(t, &types, &room);
    s->to.proof = (sparcl_proof){0};
    if (s->kind >= SLICE) s->to.shape[0] = s->end - s->first;
    s->results = (sparcl_moved){.source = spec_result_buf(t, (room.capacity + 1) * 8),
                                .needed = spec_result_buf(t, 8)};
    if (t->c->variant & MORE) s->moved = &s->results;
}

static void make(spec_test *t) {
    state *const s = t->state;
    s->kind = t->c->variant % LESS;
    if (t->given)
        take_operands(t, s);
    else
        make_operands(t, s);
    s->first = s->all.limit / 4;
    s->end = s->all.limit - s->all.limit / (t->given ? 4 : 5);
    make_expected(t, s);
    make_views(t, s);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    switch (s->kind) {
    case ALL:
        return sparcl_rows_retain_all(ctx, &s->to, &s->from, &s->list, s->moved);
    case STORED:
        return sparcl_rows_retain_stored(ctx, &s->to, &s->from, &s->list, s->moved);
    default:
        return sparcl_rows_slice(ctx, &s->to, &s->from, s->first, s->moved);
    }
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    spec_rowset filled = s->want;
    if (filled.stored > s->to.nnr) filled.stored = s->to.nnr;
    t->report->zeros_expected = true;
    spec_expect_rows(t, &s->to, &filled, NULL, NULL);
    if (!s->moved) return;
    spec_expect_ints(t, "source", s->moved->source, 0, SPARCL_INDEX64, s->source, filled.stored);
    spec_expect_ints(t, "needed", s->moved->needed, 0, SPARCL_INDEX64, &s->want.stored, 1);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double index = (double)sparcl_itype_size(s->to.index_type);
    const double found = (double)s->want.stored;
    (void)number;
    *flops = 0; /* rows are read, and written */
    *bytes = index * ((double)s->all.stored + found) + 8 * (double)s->all.width * found;
}

extern const spec_op spec_retain;
static const spec_bench timed[] = {
    {"rows-retain-all", "rows in a list of a row-sparse array, zeros where it stores none",
     SPEC_BENCH_WIDTHS, .op = &spec_retain, .setting = {.variant = ALL}},
    {"rows-retain-stored", "the same, only those that are stored", SPEC_BENCH_WIDTHS,
     .op = &spec_retain, .setting = {.variant = STORED}},
    {"rows-slice", "the middle half of the rows of a row-sparse array", SPEC_BENCH_WIDTHS,
     .op = &spec_retain, .setting = {.variant = SORTED_SLICE}},
    {0}};

const spec_op spec_retain = {.name = "retain",
                             .get_case = get_case,
                             .state_size = sizeof(state),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
