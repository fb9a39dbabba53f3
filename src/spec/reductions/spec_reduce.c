/* spec_reduce.c: reductions of CSR matrices and of dense ones in plain C, with their gradients.
 * Variant: the kind of the reduction, plus 16 for each of the next: the axis plus one (0 to 2);
 * then 64: stored entries only; 128: a pattern is passed; 256: of a dense matrix [rows, n]; 512: of
 * a row-sparse array; 768: dot products of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/folds.h"

enum { CSR, DENSE, ROWS, DOT };

typedef struct choice {
    int kind, axis, source;
    bool stored, pattern;
} choice;

static choice choice_of(const spec_case *c) {
    return (choice){c->variant & 15, (c->variant >> 4 & 3) - 1, c->variant >> 8,
                    (c->variant & 64) != 0, (c->variant & 128) != 0};
}

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
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
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
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
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

/* --- what a case computes --------------------------------------------------------------------- */

/* Runs of items: item k of run u is x[items[offsets[u] + k]]. */
typedef struct runs {
    int64_t count, total;
    int64_t *offsets, *items;
} runs;

typedef struct arrays {
    double *x, *other, *gy;
    double *got, *order, *truth, *bound;             /* of the results */
    double *gx_got, *gx_order, *gx_truth, *gx_bound; /* of the gradients */
    int64_t *positions, *positions_got;
    spec_folded *folded;
    int64_t results, items; /* results; elements of x */
} arrays;

static void free_arrays(arrays *a) {
    void *const all[] = {a->x,
                         a->other,
                         a->gy,
                         a->got,
                         a->order,
                         a->truth,
                         a->bound,
                         a->gx_got,
                         a->gx_order,
                         a->gx_truth,
                         a->gx_bound,
                         a->positions,
                         a->positions_got,
                         a->folded};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

static bool make_arrays(arrays *a, const spec_case *c, int64_t results, int64_t items) {
    const int kind = choice_of(c).kind;
    *a = (arrays){.results = results, .items = items};
    a->x = spec_fold_numbers(c->dtype, kind, items, c->seed + 1);
    a->other = spec_fold_numbers(c->dtype, 0, items, c->seed + 2);
    a->gy = spec_fold_numbers(c->dtype, 0, results, c->seed + 3);
    double **const numbers[] = {&a->got,    &a->order,    &a->truth,    &a->bound,
                                &a->gx_got, &a->gx_order, &a->gx_truth, &a->gx_bound};
    bool done = a->x && a->other && a->gy;
    for (int i = 0; i < 8; ++i) {
        *numbers[i] = calloc((size_t)(i < 4 ? results : items) + 1, sizeof(double));
        done = done && *numbers[i];
    }
    for (int64_t i = 0; done && i < results; ++i)
        a->got[i] = 77;
    for (int64_t i = 0; done && i < items; ++i)
        a->gx_got[i] = 77;
    a->positions = calloc((size_t)results + 1, sizeof *a->positions);
    a->positions_got = calloc((size_t)results + 1, sizeof *a->positions_got);
    a->folded = calloc((size_t)results + 1, sizeof *a->folded);
    return done && a->positions && a->positions_got && a->folded;
}

/* All results and gradients of the runs. */
static bool answer(arrays *a, const spec_folding *f, const runs *r) {
    double *const buffer = calloc((size_t)(5 * r->total) + 1, sizeof *buffer);
    if (!buffer) return false;
    for (int64_t u = 0; u < r->count; ++u) {
        const int64_t *const items = r->items + r->offsets[u];
        const int64_t length = r->offsets[u + 1] - r->offsets[u];
        double *const x = buffer, *const y = x + length, *const g = y + length;
        for (int64_t k = 0; k < length; ++k) {
            x[k] = a->x[items[k]];
            y[k] = a->other[items[k]];
        }
        a->folded[u] = spec_fold(f, x, y, length);
        a->order[u] = a->folded[u].order;
        a->truth[u] = a->folded[u].truth;
        a->bound[u] = a->folded[u].bound;
        a->positions[u] = a->folded[u].position < 0 ? -1 : items[a->folded[u].position];
        /* The gradient of a dot product by x has the other factor. */
        const double *const factor = f->kind == SPEC_FOLD_DOT ? y : x;
        spec_fold_gradient(f, factor, length, a->gy[u], &a->folded[u], g, g + length,
                           g + 2 * length);
        for (int64_t k = 0; k < length; ++k) {
            a->gx_order[items[k]] = g[k];
            a->gx_truth[items[k]] = g[length + k];
            a->gx_bound[items[k]] = g[2 * length + k];
        }
    }
    free(buffer);
    return true;
}

static bool make_runs(runs *r, int64_t count, int64_t total) {
    *r = (runs){.count = count, .total = total};
    r->offsets = calloc((size_t)count + 1, sizeof *r->offsets);
    r->items = calloc((size_t)total + 1, sizeof *r->items);
    return r->offsets && r->items;
}

static void free_runs(runs *r) {
    free(r->offsets);
    free(r->items);
}

/* --- CSR matrices ----------------------------------------------------------------------------- */

static void find_matrix_runs(runs *r, const spec_matrix *m, int axis) {
    int64_t at = 0;
    for (int64_t u = 0; u < r->count; ++u) {
        for (int64_t k = 0; k < m->offsets[m->rows]; ++k)
            if (axis == -1 || (axis == 0 && m->indices[k] == u) ||
                (axis == 1 && k >= m->offsets[u] && k < m->offsets[u + 1]))
                r->items[at++] = k;
        r->offsets[u + 1] = at;
    }
}

/* Buffers of one call and of its gradient. */
typedef struct buffers {
    sparcl_dense to, gy, gx;
    sparcl_buf *positions;
} buffers;

static void free_buffers(buffers *b) {
    sparcl_buf_free(b->to.values);
    sparcl_buf_free(b->gy.values);
    sparcl_buf_free(b->gx.values);
    sparcl_buf_free(b->positions);
}

static sparcl_status put_vector(sparcl_ctx *ctx, sparcl_dense *view, const double *x, int64_t count,
                                sparcl_dtype dtype) {
    *view = (sparcl_dense){.rank = 1, .dtype = dtype, .shape = {count}};
    return spec_put_dense(ctx, view, x, count);
}

/* Results begin as they must not stay. */
static sparcl_status put_buffers(sparcl_ctx *ctx, buffers *b, const arrays *a, sparcl_dtype dtype) {
    sparcl_status status = put_vector(ctx, &b->to, a->got, a->results, dtype);
    if (status == SPARCL_OK) status = put_vector(ctx, &b->gy, a->gy, a->results, dtype);
    if (status == SPARCL_OK) status = put_vector(ctx, &b->gx, a->gx_got, a->items, dtype);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &b->positions, a->positions_got, a->results, SPARCL_I64);
    return status;
}

static sparcl_status run_matrix(sparcl_ctx *ctx, const spec_case *c, const spec_matrix *m,
                                buffers *b) {
    const choice s = choice_of(c);
    const bool picks = s.kind == SPARCL_REDUCE_MAX || s.kind == SPARCL_REDUCE_MIN;
    sparcl_csr view = {0};
    sparcl_pattern *pattern = NULL;
    sparcl_buf *const positions = picks ? b->positions : NULL;
    sparcl_status status =
        spec_put_csr_within(ctx, &view, m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK && s.pattern) status = sparcl_pattern_create(ctx, &pattern);
    if (status == SPARCL_OK && s.pattern) status = sparcl_pattern_build(ctx, pattern, &view);
    if (status == SPARCL_OK)
        status = sparcl_csr_reduce(ctx, (sparcl_reduction)s.kind, (sparcl_reduce_over)s.stored,
                                   &b->to, &view, s.axis, positions, 0, pattern);
    if (status == SPARCL_OK && s.kind != SPARCL_REDUCE_COUNT)
        status = sparcl_csr_reduce_gradient(ctx, (sparcl_reduction)s.kind,
                                            (sparcl_reduce_over)s.stored, &b->gx, &b->gy, &view,
                                            s.axis, &b->to, positions, 0, pattern);
    sparcl_pattern_free(pattern);
    sparcl_csr_free(&view);
    return status;
}

static sparcl_status compare(sparcl_ctx *ctx, const spec_case *c, const buffers *b, arrays *a,
                             spec_report *report) {
    const int kind = choice_of(c).kind;
    sparcl_status status =
        spec_get_reals(ctx, b->to.values, b->to.values_at, a->results, c->dtype, a->got);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, b->gx.values, b->gx.values_at, a->items, c->dtype, a->gx_got);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, b->positions, 0, a->results, SPARCL_I64, a->positions_got);
    if (status != SPARCL_OK) return status;
    spec_compare(report, "to", a->got, a->order, a->truth, a->bound, a->results);
    report->zeros_expected = true; /* of maxima, and where gradients do not exist */
    if (kind == SPARCL_REDUCE_MAX || kind == SPARCL_REDUCE_MIN)
        spec_compare_ints(report, "positions", a->positions_got, a->positions, a->results);
    if (kind != SPARCL_REDUCE_COUNT)
        spec_compare(report, "gx", a->gx_got, a->gx_order, a->gx_truth, a->gx_bound, a->items);
    return SPARCL_OK;
}

static int64_t all_of(const choice *s, int64_t rows, int64_t cols) {
    return s->stored ? 0 : s->axis == 1 ? cols : s->axis == 0 ? rows : rows * cols;
}

static sparcl_status check_matrix(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    const choice s = choice_of(c);
    const int64_t results = s.axis == 1 ? c->rows : s.axis == 0 ? c->cols : 1;
    const spec_folding f = {c->dtype, s.kind, true, all_of(&s, c->rows, c->cols)};
    spec_matrix m = {0};
    arrays a = {0};
    buffers b = {.positions = NULL};
    runs r = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    /* Not all columns have entries, and the largest element of many rows is a 0. */
    report->zeros_expected = true;
    if (spec_matrix_make(&m, c->kind, c->rows, c->cols, c->nnz, c->seed) &&
        make_arrays(&a, c, results, m.nnz) && make_runs(&r, results, m.nnz)) {
        memcpy(m.values, a.x, (size_t)m.nnz * sizeof *m.values);
        find_matrix_runs(&r, &m, s.axis);
        if (answer(&a, &f, &r)) status = put_buffers(ctx, &b, &a, c->dtype);
        if (status == SPARCL_OK) status = run_matrix(ctx, c, &m, &b);
        if (status == SPARCL_OK) status = compare(ctx, c, &b, &a, report);
    }
    free_buffers(&b);
    free_runs(&r);
    free_arrays(&a);
    spec_matrix_free(&m);
    return status;
}

/* --- dense matrices --------------------------------------------------------------------------- */

/* Rows have a gap, except where all elements are reduced, or stored rows. */
static int64_t gap_of(const spec_case *c) {
    const choice s = choice_of(c);
    return s.source != ROWS && s.axis != -1 ? 3 : 0;
}

static void find_dense_runs(runs *r, const spec_case *c, int axis) {
    const int64_t ld = c->n + gap_of(c);
    int64_t at = 0;
    for (int64_t u = 0; u < r->count; ++u) {
        for (int64_t i = axis == 1 ? u : 0; i < (axis == 1 ? u + 1 : c->rows); ++i)
            for (int64_t j = axis == 0 ? u : 0; j < (axis == 0 ? u + 1 : c->n); ++j)
                r->items[at++] = i * ld + j;
        r->offsets[u + 1] = at;
    }
}

static sparcl_dense as_matrix(const spec_case *c, const sparcl_dense *vector) {
    return (sparcl_dense){.rank = 2,
                          .dtype = c->dtype,
                          .shape = {c->rows, c->n},
                          .ld = c->n + gap_of(c),
                          .values = vector->values,
                          .values_at = vector->values_at};
}

/* A row-sparse array of the same rows, with a count and two rows more than that. */
static sparcl_status run_rows(sparcl_ctx *ctx, const spec_case *c, const sparcl_dense *x,
                              const buffers *b) {
    const choice s = choice_of(c);
    sparcl_rows view = {.rank = 2,
                        .dtype = c->dtype,
                        .index_type = c->index_type,
                        .shape = {2 * c->rows + 1, c->n},
                        .nnr = c->rows,
                        .values = x->values,
                        .values_at = x->values_at,
                        .proof = {.flags = SPARCL_TRUSTED}};
    sparcl_status status = spec_put_ints(ctx, &view.count, &c->rows, 1, SPARCL_I64);
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &view.indices,
                                   (c->rows + 1) * (int64_t)sparcl_itype_size(c->index_type));
    if (status == SPARCL_OK)
        status = sparcl_rows_reduce(ctx, (sparcl_reduction)s.kind, &b->to, &view, s.axis);
    const sparcl_dense gx = as_matrix(c, &b->gx);
    if (status == SPARCL_OK)
        status = sparcl_rows_reduce_gradient(ctx, (sparcl_reduction)s.kind, &gx, &b->gy, &view,
                                             s.axis, &b->to);
    sparcl_buf_free(view.indices);
    sparcl_buf_free(view.count);
    return status;
}

static sparcl_status run_dense(sparcl_ctx *ctx, const spec_case *c, const arrays *a,
                               const buffers *b) {
    const choice s = choice_of(c);
    const sparcl_reduction kind = (sparcl_reduction)s.kind;
    sparcl_dense x = {0}, other = {0};
    sparcl_status status = put_vector(ctx, &x, a->x, a->items, c->dtype);
    if (status == SPARCL_OK) status = put_vector(ctx, &other, a->other, a->items, c->dtype);
    const sparcl_dense view = as_matrix(c, &x), second = as_matrix(c, &other);
    const sparcl_dense gx = as_matrix(c, &b->gx);
    if (status == SPARCL_OK && s.source == ROWS) status = run_rows(ctx, c, &x, b);
    if (status == SPARCL_OK && s.source == DENSE)
        status = sparcl_dense_reduce(ctx, kind, &b->to, &view, s.axis);
    if (status == SPARCL_OK && s.source == DENSE)
        status = sparcl_dense_reduce_gradient(ctx, kind, &gx, &b->gy, &view, s.axis, &b->to);
    if (status == SPARCL_OK && s.source == DOT)
        status = sparcl_dot_rows(ctx, &b->to, &view, &second);
    if (status == SPARCL_OK && s.source == DOT)
        status = sparcl_dot_rows_gradient(ctx, &gx, &b->gy, &second);
    sparcl_buf_free(x.values);
    sparcl_buf_free(other.values);
    return status;
}

/* The gradient writes no gap. */
static void forget_gaps(const spec_case *c, arrays *a) {
    const int64_t ld = c->n + gap_of(c);
    for (int64_t i = 0; i < a->items; ++i)
        if (i % ld >= c->n) a->gx_got[i] = a->gx_order[i] = a->gx_truth[i] = a->gx_bound[i] = 0;
}

static sparcl_status check_dense(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    const choice s = choice_of(c);
    const int64_t results = s.axis == 1 ? c->rows : s.axis == 0 ? c->n : 1;
    const int64_t rows = s.source == ROWS ? 2 * c->rows + 1 : c->rows;
    const spec_folding f = {c->dtype, s.kind, s.axis != 0, all_of(&s, rows, c->n)};
    arrays a = {0};
    buffers b = {.positions = NULL};
    runs r = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    report->zeros_expected = c->rows * c->n == 0;
    if (make_arrays(&a, c, results, c->rows * (c->n + gap_of(c))) &&
        make_runs(&r, results, c->rows * c->n)) {
        find_dense_runs(&r, c, s.axis);
        if (answer(&a, &f, &r)) status = put_buffers(ctx, &b, &a, c->dtype);
        if (status == SPARCL_OK) status = run_dense(ctx, c, &a, &b);
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, b.to.values, b.to.values_at, a.results, c->dtype, a.got);
        if (status == SPARCL_OK)
            status = spec_get_reals(ctx, b.gx.values, b.gx.values_at, a.items, c->dtype, a.gx_got);
        if (status == SPARCL_OK) {
            forget_gaps(c, &a);
            spec_compare(report, "to", a.got, a.order, a.truth, a.bound, a.results);
            report->zeros_expected = true;
            spec_compare(report, "gx", a.gx_got, a.gx_order, a.gx_truth, a.gx_bound, a.items);
        }
    }
    free_buffers(&b);
    free_runs(&r);
    free_arrays(&a);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    *report = (spec_report){.equal = true,
                            .flops = (double)(c->nnz + c->rows * c->n),
                            .bytes = (double)(c->nnz + c->rows * c->n) *
                                     (double)sparcl_dtype_size(c->dtype)};
    return choice_of(c).source == CSR ? check_matrix(ctx, c, report) : check_dense(ctx, c, report);
}

const spec_op spec_reduce = {.name = "reduce", .get_case = get_case, .check = check};
