/* spec_reduce.c: reductions of CSR matrices and of dense ones in plain C, with their gradients.
 * Variant: the kind of the reduction, plus 16 for each of the next: the axis plus one (0 to 2);
 * then 64: stored entries only; 128: a pattern is passed; 256: of a dense matrix [rows, n]; 512: of
 * a row-sparse array; 768: dot products of rows. */
#include "spec/bench/bench.h"
#include "spec/shared/folds.h"
#include "spec/shared/harness_sparse.h"

enum { CSR, DENSE, ROWS, DOT, STORED = 64, PATTERN = 128 };

#define VARIANT(source, kind, axis) ((kind) | ((axis) + 1) << 4 | (source) << 8)

/* --- cases ------------------------------------------------------------------------------------ */

static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F16, SPARCL_F32, SPARCL_F64, SPARCL_BF16};

#define MATRICES 180
#define DENSES   90

static bool get_matrix(int i, spec_case *c) {
    static const int64_t sizes[][3] = {{37, 23, 200},  {5, 300, 1500},   {0, 5, 0},
                                       {300, 9, 1200}, {3, 700, 2000},   {4, 3, 0},
                                       {1, 1, 1},      {60, 1000, 5000}, {2, 3000, 4100}};
    static const int kinds[] = {0, 3, 5, 1, 7, 4, 6, 8, 9, 2};
    const int64_t *const size = sizes[i * 7 % 9];
    const int kind = kinds[i % 10], axis = i / 10 % 3;
    *c = (spec_case){.kind = (spec_kind)(i / 3 % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .dtype = types[(i + i / 10) % 5],
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = kind | axis << 4 | (i * 5 / 4 % 2) << 6 | (i / 7 % 2) << 7,
                     .seed = (uint64_t)i + 11};
    return true;
}

static bool get_dense(int i, bool small, spec_case *c) {
    static const int64_t rows[] = {0, 1, 9, 257, 1030, 40}, widths[] = {1, 5, 300, 16, 37, 0};
    static const int kinds[] = {0, 1, 6, 7, 8};
    const int source = i % 3 + DENSE, kind = source == DOT ? SPEC_FOLD_DOT : kinds[i / 3 % 5];
    const int axis = source == DOT ? 2 : i / 2 % 3;
    *c = (spec_case){.rows = rows[i / 6 % 6],
                     .n = widths[i % 6],
                     .dtype = types[i / 4 % 5],
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = kind | axis << 4 | source << 8,
                     .seed = (uint64_t)i + 501};
    return !small || c->rows * c->n < 100000;
}

#define PICKS 2

/* The maximum and the minimum of 1100 rows, some of several blocks: groups of many lanes have three
 * of them. */
static bool get_pick(int i, spec_case *c) {
    *c = (spec_case){.kind = SPEC_RAGGED,
                     .rows = 1100,
                     .cols = 900,
                     .nnz = 80000,
                     .dtype = types[2 + i],
                     .variant = (SPARCL_REDUCE_MAX + i) | 2 << 4 | i << 6,
                     .seed = (uint64_t)i + 701};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    if (i < MATRICES) return get_matrix(i, c);
    if (i >= MATRICES + DENSES)
        return i < MATRICES + DENSES + PICKS && get_pick(i - MATRICES - DENSES, c);
    if (!get_dense(i - MATRICES, small, c)) c->rows = 3; /* a smaller case in its place */
    return true;
}

typedef struct state {
    int source, kind, axis;
    sparcl_reduce_over over;
    spec_matrix m;
    int64_t rows, cols, ld; /* ld: of a dense source */
    int64_t results, items; /* items: elements of x, also in gaps */
    const double *x, *other, *gy;
    sparcl_csr a;
    sparcl_pattern *pattern;
    sparcl_rows stored;
    sparcl_dense x_view, other_view, to, gy_view, gx;
    sparcl_buf *positions;
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* Rows have a gap, except where all elements are reduced, or stored rows. */
static void find_sizes(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const bool has_gap = !t->given && s->source != ROWS && s->axis != -1;
    s->rows = c->rows;
    s->cols = s->source == CSR ? c->cols : c->n;
    if (s->source == CSR) s->m = spec_matrix_of(t, c->nnz, c->seed);
    if (s->source == ROWS && t->given) s->rows = t->given->nnz;
    s->ld = s->cols + (has_gap ? 3 : 0);
    s->items = s->source == CSR ? s->m.nnz : s->rows * s->ld;
    s->results = s->axis == 1 ? s->rows : s->axis == 0 ? s->cols : 1;
}

static double *make_numbers(spec_test *t, int kind, int64_t count, uint64_t more) {
    return spec_own(t, spec_fold_numbers(t->c->dtype, kind, count, t->c->seed + more));
}

/* A row-sparse array of the same rows, with a count and two rows more than that. */
static sparcl_rows make_stored(spec_test *t, const state *s) {
    const spec_case *const c = t->c;
    return (sparcl_rows){.rank = 2,
                         .dtype = c->dtype,
                         .index_type = c->index_type,
                         .shape = {2 * s->rows + 1, s->cols},
                         .nnr = s->rows,
                         .indices =
                             spec_ints_buf(t, spec_int64s(t, s->rows), s->rows, c->index_type),
                         .values = s->x_view.values,
                         .values_at = s->x_view.values_at,
                         .count = t->given ? NULL : spec_ints_buf(t, &s->rows, 1, SPARCL_INDEX64),
                         .proof = {.flags = SPARCL_TRUSTED}};
}

static void make_dense(spec_test *t, state *s) {
    s->x_view = spec_dense(t, s->rows, s->cols, s->ld, s->x);
    s->gx = spec_dense(t, s->rows, s->cols, s->ld, spec_unwritten(t, s->rows, s->cols, s->ld));
    if (s->source == ROWS) s->stored = make_stored(t, s);
    if (s->source == DOT) s->other_view = spec_dense(t, s->rows, s->cols, s->ld, s->other);
}

/* Of a measurement maxima are reduced without their positions, which a gradient needs. */
static void make_matrix(spec_test *t, state *s) {
    const bool picks = s->kind == SPARCL_REDUCE_MAX || s->kind == SPARCL_REDUCE_MIN;
    s->m.values = spec_copied(t, s->x, s->items);
    s->a = spec_csr(t, &s->m);
    s->gx = spec_vector(t, s->items, spec_unwritten(t, s->items, 1, 1));
    if (t->c->variant & PATTERN) s->pattern = spec_pattern(t, &s->a);
    if (picks && !t->given) s->positions = spec_result_buf(t, 8 * s->results);
    t->calls = s->kind == SPARCL_REDUCE_COUNT || (picks && t->given) ? 1 : 2;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->source = c->variant >> 8;
    s->kind = c->variant & 15;
    s->axis = (c->variant >> 4 & 3) - 1;
    s->over = c->variant & STORED ? SPARCL_OVER_STORED : SPARCL_OVER_ALL;
    find_sizes(t, s);
    s->x = make_numbers(t, s->kind, s->items, 1);
    s->other = make_numbers(t, SPARCL_REDUCE_SUM, s->items, 2);
    s->gy = make_numbers(t, SPARCL_REDUCE_SUM, s->results, 3);
    s->to = spec_vector(t, s->results, spec_unwritten(t, s->results, 1, 1));
    s->gy_view = spec_vector(t, s->results, s->gy);
    t->calls = 2;
    if (s->source == CSR)
        make_matrix(t, s);
    else
        make_dense(t, s);
}

/* --- calls ------------------------------------------------------------------------------------ */

static sparcl_status reduce(sparcl_ctx *ctx, const state *s) {
    const sparcl_reduction kind = (sparcl_reduction)s->kind;
    switch (s->source) {
    case CSR:
        return sparcl_csr_reduce(ctx, kind, s->over, &s->to, &s->a, s->axis, s->positions, 0,
                                 s->pattern);
    case DENSE:
        return sparcl_dense_reduce(ctx, kind, &s->to, &s->x_view, s->axis);
    case ROWS:
        return sparcl_rows_reduce(ctx, kind, &s->to, &s->stored, s->axis);
    default:
        return sparcl_dot_rows(ctx, &s->to, &s->x_view, &s->other_view);
    }
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    const sparcl_reduction kind = (sparcl_reduction)s->kind;
    if (number == 0) return reduce(ctx, s);
    switch (s->source) {
    case CSR:
        return sparcl_csr_reduce_gradient(ctx, kind, s->over, &s->gx, &s->gy_view, &s->a, s->axis,
                                          &s->to, s->positions, 0, s->pattern);
    case DENSE:
        return sparcl_dense_reduce_gradient(ctx, kind, &s->gx, &s->gy_view, &s->x_view, s->axis,
                                            &s->to);
    case ROWS:
        return sparcl_rows_reduce_gradient(ctx, kind, &s->gx, &s->gy_view, &s->stored, s->axis,
                                           &s->to);
    default:
        return sparcl_dot_rows_gradient(ctx, &s->gx, &s->gy_view, &s->other_view);
    }
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Runs of items: item k of run u, whose result is number u, is x[items[offsets[u] + k]]. */
typedef struct runs {
    int64_t *offsets, *items;
} runs;

/* The result of each item; -1: a gap. */
static const int64_t *find_results(spec_test *t, const state *s) {
    int64_t *const results = spec_int64s(t, s->items);
    for (int64_t row = 0; row < s->rows; ++row) {
        const int64_t begin = s->source == CSR ? s->m.offsets[row] : row * s->ld;
        const int64_t end = s->source == CSR ? s->m.offsets[row + 1] : begin + s->ld;
        for (int64_t k = begin; k < end; ++k) {
            const int64_t col = s->source == CSR ? s->m.indices[k] : k - begin;
            results[k] = col >= s->cols ? -1 : s->axis == 1 ? row : s->axis == 0 ? col : 0;
        }
    }
    return results;
}

static runs find_runs(spec_test *t, const state *s) {
    const runs r = {spec_int64s(t, s->results + 1), spec_int64s(t, s->items)};
    const int64_t *const results = find_results(t, s);
    int64_t *const next = spec_int64s(t, s->results + 1);
    for (int64_t k = 0; k < s->items; ++k)
        if (results[k] >= 0) ++r.offsets[results[k] + 1];
    for (int64_t u = 0; u < s->results; ++u)
        next[u + 1] = r.offsets[u + 1] += r.offsets[u];
    for (int64_t k = 0; k < s->items; ++k)
        if (results[k] >= 0) r.items[next[results[k]]++] = k;
    return r;
}

/* Items with those that are not stored; 0: only stored ones count. */
static int64_t all_of(const state *s) {
    const int64_t rows = s->source == ROWS ? s->stored.shape[0] : s->rows;
    if (s->over == SPARCL_OVER_STORED) return 0;
    return s->axis == 1 ? s->cols : s->axis == 0 ? rows : rows * s->cols;
}

/* Result u, and its gradients. The buffer has five numbers for each item. */
static void answer(const state *s, sparcl_dtype dtype, const runs *r, int64_t u,
                   const spec_answer *to, const spec_answer *gx, int64_t *position,
                   double *buffer) {
    const spec_folding f = {dtype, s->kind, s->source == CSR || s->axis != 0, all_of(s)};
    const int64_t *const items = r->items + r->offsets[u];
    const int64_t length = r->offsets[u + 1] - r->offsets[u];
    double *const x = buffer, *const y = x + length, *const g = y + length;
    for (int64_t k = 0; k < length; ++k) {
        x[k] = s->x[items[k]];
        y[k] = s->other[items[k]];
    }
    const spec_folded folded = spec_fold(&f, x, y, length);
    to->order[u] = folded.order;
    to->truth[u] = folded.truth;
    to->bound[u] = folded.bound;
    *position = folded.position < 0 ? -1 : items[folded.position];
    /* The gradient of a dot product by x has the other factor. */
    spec_fold_gradient(&f, s->kind == SPEC_FOLD_DOT ? y : x, length, s->gy[u], &folded, g,
                       g + length, g + 2 * length);
    for (int64_t k = 0; k < length; ++k) {
        gx->order[items[k]] = g[k];
        gx->truth[items[k]] = g[length + k];
        gx->bound[items[k]] = g[2 * length + k];
    }
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const runs r = find_runs(t, s);
    const spec_answer to = spec_answer_room(t, s->results), gx = spec_answer_room(t, s->items);
    int64_t *const positions = spec_int64s(t, s->results);
    double *const buffer = spec_reals(t, 5 * s->items);
    for (int64_t u = 0; u < s->results; ++u)
        answer(s, t->c->dtype, &r, u, &to, &gx, &positions[u], buffer);
    /* Not all columns have entries, and the largest element of many rows is a 0. */
    t->report->zeros_expected = s->source == CSR || s->rows * s->cols == 0;
    spec_expect_answer(t, "to", &s->to, &to);
    t->report->zeros_expected = true; /* of maxima, and where gradients do not exist */
    if (s->positions)
        spec_expect_ints(t, "positions", s->positions, 0, SPARCL_INDEX64, positions, s->results);
    if (t->calls == 2) spec_expect_answer(t, "gx", &s->gx, &gx);
}

/* --- measurements ----------------------------------------------------------------------------- */

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double size = (double)sparcl_dtype_size(t->c->dtype), results = (double)s->results;
    const double elements = (double)s->items;
    *flops = s->source == CSR || number ? 0 : (s->source == DOT ? 2 : 1) * elements;
    if (s->source == CSR) /* indices only of columns */
        *bytes = size * (elements + results) +
                 (double)sparcl_itype_size(s->a.offset_type) * (double)(s->rows + 1) +
                 (s->axis == 0 ? (double)sparcl_itype_size(s->a.index_type) * elements : 0);
    else /* the gradient of a dense array has its results, too */
        *bytes = size * ((number || s->source == DOT ? 2 : 1) * elements +
                         (number && s->source == DENSE ? 2 : 1) * results);
}

extern const spec_op spec_reduce;
#define TIMED(text, about, flag_set, number, of)                                                   \
    {                                                                                              \
        (text), (about), (flag_set), .op = &spec_reduce, .call = (number), .setting = {            \
            .variant = (of)                                                                        \
        }                                                                                          \
    }
static const spec_bench timed[] = {
    TIMED("csr-reduce", "sums of the rows of A", 0, 0, VARIANT(CSR, SPARCL_REDUCE_SUM, 1)),
    TIMED("csr-reduce-columns", "sums of the columns of A, with its pattern built before", 0, 0,
          VARIANT(CSR, SPARCL_REDUCE_SUM, 0) | PATTERN),
    TIMED("csr-reduce-max", "maxima of the rows of A", 0, 0, VARIANT(CSR, SPARCL_REDUCE_MAX, 1)),
    TIMED("csr-reduce-norm", "Euclidean norms of the rows of A", 0, 0,
          VARIANT(CSR, SPARCL_REDUCE_NORM, 1)),
    TIMED("csr-reduce-gradient", "the gradient of csr-reduce by the values of A", 0, 1,
          VARIANT(CSR, SPARCL_REDUCE_SUM, 1)),
    TIMED("dense-reduce", "sums of the rows of a dense array with the rows of A", SPEC_BENCH_WIDTHS,
          0, VARIANT(DENSE, SPARCL_REDUCE_SUM, 1)),
    TIMED("dense-reduce-columns", "sums of its columns", SPEC_BENCH_WIDTHS, 0,
          VARIANT(DENSE, SPARCL_REDUCE_SUM, 0)),
    TIMED("dense-reduce-gradient", "the gradient of the norms of the rows of such an array",
          SPEC_BENCH_WIDTHS, 1, VARIANT(DENSE, SPARCL_REDUCE_NORM, 1)),
    TIMED("rows-reduce", "sums of the rows of a row-sparse array, one for each entry",
          SPEC_BENCH_WIDTHS, 0, VARIANT(ROWS, SPARCL_REDUCE_SUM, 1)),
    TIMED("rows-reduce-columns", "sums of its columns", SPEC_BENCH_WIDTHS, 0,
          VARIANT(ROWS, SPARCL_REDUCE_SUM, 0)),
    TIMED("dot-rows", "dot products of the rows of two dense arrays with the rows of A",
          SPEC_BENCH_WIDTHS, 0, VARIANT(DOT, SPEC_FOLD_DOT, 1)),
    TIMED("dot-rows-gradient", "the gradient of dot-rows by one of the arrays", SPEC_BENCH_WIDTHS,
          1, VARIANT(DOT, SPEC_FOLD_DOT, 1)),
    {0}};

const spec_op spec_reduce = {.name = "reduce",
                             .get_case = get_case,
                             .state_size = sizeof(state),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
