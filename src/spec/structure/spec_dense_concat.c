/* spec_dense_concat.c: dense arrays one below the other or side by side, and their parts again, in
 * plain C. Variant: + 1 for columns (axis 1), + 2 for gaps between the rows of all arrays, + 4 for
 * arrays of rank 1, which have axis 0. `nnz`: the number of parts. */
#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { MOST = 5, GAP = 3 };

static bool get_case(int i, bool small, spec_case *c) {
    /* From 1024 rows on CPU workers have whole ones. */
    static const int64_t sizes[][2] = {{7, 5},   {1, 70},   {40, 1},     {0, 9},
                                       {130, 6}, {1030, 9}, {1200, 150}, {1100, 32}};
    const int n_sizes = small ? 6 : 8, variant = i % 5;
    if (i >= n_sizes * MOST * 5) return false;
    const int64_t *const size = sizes[i / 5 / MOST];
    *c = (spec_case){.rows = size[0],
                     .cols = size[1],
                     .nnz = 1 + i / 5 % MOST,
                     .n = 1,
                     .dtype = spec_any_dtype(i + i / 25),
                     .variant = variant,
                     .seed = (uint64_t)i + 11};
    return true;
}

/* An array of m rows of n elements, each row followed by the gap. */
typedef struct array {
    int64_t m, n, ld;
    const double *x;
    sparcl_dense view;
} array;

typedef struct state {
    int axis, count;
    array whole, parts[MOST]; /* what is split is a copy of the whole before it is written */
    sparcl_dense copy;
    const sparcl_dense *list[MOST];
} state;

static array make_array(spec_test *t, int64_t m, int64_t n, uint64_t seed) {
    const bool is_vector = t->c->variant & 4;
    array a = {.m = m, .n = is_vector ? 1 : n};
    a.ld = a.n + (t->c->variant & 2 ? GAP : 0);
    double *const x = spec_own(t, spec_numbers(m * a.ld, seed));
    for (int64_t k = 0; k < m * a.ld; ++k)
        x[k] = spec_moved_value(t->c->dtype, x[k]);
    a.x = x;
    a.view = is_vector ? spec_vector(t, m, x) : spec_dense(t, m, n, a.ld, x);
    return a;
}

/* Of a measurement: two parts with the rows of the matrix. Else cut at random places; a part may be
 * empty. 32 are cut in the middle: CPUs move 16 at once. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int axis = s->axis = c->variant & 1;
    const int64_t rows = (t->given && !axis ? 2 : 1) * c->rows;
    const int64_t cols = t->given ? (axis ? 2 : 1) * c->n : c->cols;
    uint64_t seed = c->seed;
    int64_t left = axis ? cols : rows;
    s->count = t->given ? 2 : (int)c->nnz;
    s->whole = make_array(t, rows, cols, c->seed + 1);
    s->copy = c->variant & 4 ? spec_vector(t, rows, s->whole.x)
                             : spec_dense(t, rows, cols, s->whole.ld, s->whole.x);
    for (int i = 0; i < s->count; ++i) {
        const bool is_last = i == s->count - 1;
        const int64_t half = (int64_t)(spec_random(&seed) % (uint64_t)(left + 1)) / 2;
        const int64_t size = is_last ? left : t->given || (axis && left == 32) ? left / 2 : half;
        left -= size;
        s->parts[i] =
            make_array(t, axis ? rows : size, axis ? size : cols, c->seed + 20 + (uint64_t)i);
        s->list[i] = &s->parts[i].view;
    }
    t->calls = 2;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    return number ? sparcl_dense_split(ctx, s->list, s->count, &s->copy, s->axis)
                  : sparcl_dense_concat(ctx, &s->whole.view, s->list, s->count, s->axis);
}

/* Element (r, j) of a part is element (r, j + at) or (r + at, j) of the whole. */
static void answer(const state *s, int i, int64_t at, double *whole, double *split) {
    const array *const part = &s->parts[i];
    for (int64_t r = 0; r < part->m; ++r)
        for (int64_t j = 0; j < part->n; ++j) {
            const int64_t here = r * part->ld + j;
            const int64_t there = s->axis ? r * s->whole.ld + j + at : (r + at) * s->whole.ld + j;
            whole[there] = part->x[here];
            split[here] = s->whole.x[there];
        }
}

/* Of a measurement of the concatenation, the split changes its operands afterwards. */
static void expect(spec_test *t) {
    const state *const s = t->state;
    double *const whole = spec_copied(t, s->whole.x, s->whole.m * s->whole.ld), *parts[MOST];
    int64_t at = 0;
    t->report->zeros_expected = t->given || t->c->dtype == SPARCL_BOOL;
    for (int i = 0; i < s->count; at += s->axis ? s->parts[i].n : s->parts[i].m, ++i) {
        parts[i] = spec_copied(t, s->parts[i].x, s->parts[i].m * s->parts[i].ld);
        answer(s, i, at, whole, parts[i]);
    }
    spec_expect_dense(t, "whole", &s->whole.view, whole, NULL, NULL);
    for (int i = 0; i < s->count; ++i)
        spec_expect_dense(t, "part", &s->parts[i].view, parts[i], NULL, NULL);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    (void)number;
    *flops = 0;
    *bytes = 2 * (double)(s->whole.m * s->whole.n) * (double)sparcl_dtype_size(t->c->dtype);
}

extern const spec_op spec_dense_concat;
static const spec_bench timed[] = {
    {"dense-concat", "two dense arrays with the rows of A, one below the other", SPEC_BENCH_WIDTHS,
     .op = &spec_dense_concat},
    {"dense-concat-columns", "the same, side by side", SPEC_BENCH_WIDTHS, .op = &spec_dense_concat,
     .setting = {.variant = 1}},
    {"dense-split", "two such arrays of one in which they are below each other", SPEC_BENCH_WIDTHS,
     .op = &spec_dense_concat, .call = 1},
    {"dense-split-columns", "the same of one with both side by side", SPEC_BENCH_WIDTHS,
     .op = &spec_dense_concat, .call = 1, .setting = {.variant = 1}},
    {0}};

const spec_op spec_dense_concat = {.name = "dense_concat",
                                   .get_case = get_case,
                                   .state_size = sizeof(state),
                                   .make = make,
                                   .call = call,
                                   .expect = expect,
                                   .work = work,
                                   .timed = timed};
