/* spec_spmm_t.c: products with the transpose in plain C. Variant 0: dense; 1: dense, with a
 * pattern; 2: row-sparse; 3: row-sparse, with a pattern. */
#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"
#include "spec/shared/stored.h"

static const int64_t widths[] = {1, 2, 3, 5, 8, 17, 32, 64, 100, 128, 300};

/* Rows, cols, nnz of A; many entries in few columns make sums of several blocks. */
static const int64_t sizes[][3] = {
    {0, 0, 0},   {0, 5, 0},     {4, 0, 0},      {3, 3, 0},        {1, 1, 1},
    {9, 14, 20}, {37, 23, 200}, {300, 5, 1500}, {50, 70000, 900}, {2000, 300, 20000}};

/* Long ranges of columns without entries, longer than the loop limit of any device: C is written,
 * and mostly 0. */
#define MORE 6

static bool get_more(int i, bool small, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_ONE_COL, SPEC_DIAGONAL, SPEC_UNIFORM};
    if (i >= MORE) return false;
    *c = (spec_case){.kind = kinds[i % 3],
                     .rows = 40 + i,
                     .cols = small ? 700 : 150000 + i,
                     .nnz = 100,
                     .n = 1 + i / 3,
                     .alpha = 1,
                     .variant = i / 2 % 2,
                     .seed = (uint64_t)i + 5001};
    return true;
}

/* Small matrices with a row-sparse product without a pattern, every second one with one column. */
#define UNPREPARED 56

static bool get_unprepared(int i, spec_case *c) {
    static const int64_t some[] = {2, 3, 4, 8, 16, 17, 31, 32};
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_RAGGED, SPEC_DUPLICATE, SPEC_UNIFORM,
                                      SPEC_ONE_COL};
    if (i >= UNPREPARED) return false;
    *c = (spec_case){.kind = kinds[i % 5],
                     .rows = 3 + i * 11 % 47,
                     .cols = 4 + i * 7 % 61,
                     .nnz = 70 + i * 29 % 300,
                     .n = i % 2 ? 1 : some[i / 2 % 8],
                     .dtype = i % 9 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 7 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 11 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = i % 3 ? 1 : -0.5,
                     .variant = 2,
                     .seed = (uint64_t)i + 6001};
    return true;
}

/* F16 and BF16: all variants and widths. */
#define HALVES 22

static bool get_half(int i, spec_case *c) {
    static const int64_t shapes[][3] = {{37, 23, 200}, {300, 9, 2500}, {50, 120, 900}};
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_ONE_COL, SPEC_RAGGED, SPEC_DUPLICATE};
    const int64_t *const shape = shapes[i % 3];
    if (i >= HALVES) return false;
    *c = (spec_case){.kind = kinds[i / 2 % 4],
                     .rows = shape[0],
                     .cols = shape[1],
                     .nnz = shape[2],
                     .n = widths[i / 2 % 11],
                     .dtype = i % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .alpha = i % 5 ? 1 : -0.5,
                     .variant = i / 2 % 4,
                     .seed = (uint64_t)i + 7001};
    if (c->variant < 2 && (i % 5 == 1 || kinds[i / 2 % 4] == SPEC_ONE_COL)) c->beta = 0.25;
    return true;
}

/* Enough entries for CPUs to add them without a pattern. */
#define LARGE 7

static bool get_large(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F32, SPARCL_F16};
    if (small || i >= LARGE) return false;
    *c = (spec_case){.kind = i % 3 == 1 ? SPEC_RAGGED : SPEC_UNIFORM,
                     .rows = 250,
                     .cols = 900,
                     .nnz = 70000 + i,
                     .n = INT64_C(1) << i % 5,
                     .dtype = dtypes[i % 4],
                     .offset_type = i % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 3 ? SPARCL_INDEX32 : SPARCL_INDEX64,
                     .alpha = i % 3 ? 1 : -0.5,
                     .beta = i % 2 ? 0.25 : 0,
                     .seed = (uint64_t)i + 8001};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int more = i - n_sizes * n_widths * 2;
    if (more >= 0)
        return get_more(more, small, c) || get_unprepared(more - MORE, c) ||
               get_half(more - MORE - UNPREPARED, c) ||
               get_large(more - MORE - UNPREPARED - HALVES, small, c);
    const int64_t *size = sizes[i / 2 / n_widths];
    static const double alphas[] = {1, -2, 0.5}, betas[] = {0, 0.5, 1, 0};
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i / 2 % n_widths],
                     .dtype = i % 7 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 5 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = alphas[i % 3],
                     .beta = i % 2 ? 0 : betas[i / 2 % 4],
                     .variant = i % 2 * 2 + i / 2 % 2,
                     .seed = (uint64_t)i + 9};
    if (c->variant < 2 && c->nnz > 0 && c->cols > 2 * c->nnz)
        c->beta = 0.5; /* otherwise most of C would be 0 */
    return true;
}

enum { PATTERN = 1, ROWS = 2 };

typedef struct state {
    const spec_case *c;
    spec_matrix a, t;      /* t: the transpose */
    const double *b, *old; /* C before the call */
    sparcl_csr a_view;
    sparcl_dense b_view, to;
    sparcl_rows rows;
    sparcl_pattern *pattern; /* built by call 0 */
} state;

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->c = c;
    s->a = spec_matrix_of(t, c->nnz, c->seed);
    spec_make_storable(c->dtype, s->a.values, s->a.nnz);
    s->t = spec_transposed(t, &s->a);
    s->b = spec_drawn(t, c->rows * c->n, c->seed + 1);
    s->old = spec_drawn(t, c->cols * c->n, c->seed + 2);
    s->a_view = spec_csr(t, &s->a);
    s->b_view = spec_dense(t, c->rows, c->n, c->n, s->b);
    if (c->variant & PATTERN) s->pattern = spec_pattern(t, NULL);
    if (c->variant & ROWS)
        s->rows = spec_rows_result(t, c->cols, c->n, c->cols < s->a.nnz ? c->cols : s->a.nnz);
    else
        s->to = spec_dense(t, c->cols, c->n, c->n, s->old);
    t->calls = c->variant & PATTERN ? 2 : 1;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    const spec_case *const c = s->c;
    if (number == 0 && s->pattern) return sparcl_pattern_build(ctx, s->pattern, &s->a_view);
    return c->variant & ROWS
               ? sparcl_spmm_t_rows(ctx, &s->rows, c->alpha, &s->a_view, &s->b_view, s->pattern)
               : sparcl_spmm_t(ctx, &s->to, c->alpha, &s->a_view, &s->b_view, c->beta, s->pattern);
}

/* The result's rows must be the columns of A that have entries, in order; the rest of the capacity
 * stays unused. */
static void expect_rows(spec_test *t, const spec_answer *to) {
    const state *const s = t->state;
    const int64_t n = t->c->n, expected = spec_rows_used(&s->t);
    const spec_rowset got = spec_rows_read(t, &s->rows);
    spec_compare_ints(t->report, "count", &got.stored, &expected, 1);
    for (int64_t row = 0, u = 0; row < s->t.rows && t->report->equal; ++row) {
        if (s->t.offsets[row + 1] == s->t.offsets[row]) continue;
        spec_compare_ints(t->report, "index", &got.ids[u], &row, 1);
        spec_compare(t->report, "row", got.values + u * n, to->order + row * n, to->truth + row * n,
                     to->bound + row * n, n);
        ++u;
    }
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    const int64_t count = c->cols * c->n;
    const spec_answer to = spec_answer_room(t, count);
    const bool done =
        spec_product(c, &s->t, s->b, c->n, s->old, c->n, to.order, to.truth, to.bound);
    spec_need(t, done ? SPARCL_OK : SPARCL_E_MEMORY);
    t->report->zeros_expected = t->given || c->nnz == 0 || (c->beta == 0 && c->cols > 2 * c->nnz);
    if (c->variant & ROWS)
        expect_rows(t, &to);
    else
        spec_expect_dense(t, "C", &s->to, to.order, to.truth, to.bound);
}

/* Of a pattern: the entries, and its own arrays; how many columns are empty only affects those. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double n = (double)t->c->n, entries = (double)s->a.nnz;
    const double size = (double)sparcl_dtype_size(t->c->dtype);
    const double index = (double)sparcl_itype_size(t->c->index_type);
    const double used = (double)spec_rows_used(&s->t), read = (double)spec_rows_used(&s->a);
    const bool is_product = number == 1 || !s->pattern;
    *flops = is_product ? 2 * entries * n : 0;
    *bytes = spec_csr_bytes(&s->a_view);
    if (!is_product)
        *bytes += (8 - size) * entries + 8 * used;
    else if (t->c->variant & ROWS)
        *bytes += index * used + size * n * (read + used);
    else
        *bytes += size * n * (read + (double)s->t.rows);
}

extern const spec_op spec_spmm_t;
static const spec_bench timed[] = {
    {"spmm-t", "C := transpose(A) B, with the pattern of A built before", SPEC_BENCH_WIDTHS,
     .op = &spec_spmm_t, .call = 1, .setting = {.alpha = 1, .variant = PATTERN}},
    {"spmm-t-rows", "R := transpose(A) B, row-sparse, without a pattern", SPEC_BENCH_WIDTHS,
     .op = &spec_spmm_t, .setting = {.alpha = 1, .variant = ROWS}},
    {"pattern", "build the pattern of A", .op = &spec_spmm_t,
     .setting = {.alpha = 1, .variant = PATTERN | ROWS}},
    {0}};

const spec_op spec_spmm_t = {.name = "spmm_t",
                             .get_case = get_case,
                             .state_size = sizeof(state),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
