/* spec_segment_reduce.c: reductions of segments of rows in plain C, with their gradients. Variant:
 * the kind of the reduction, plus 16: ids in any order; 32: segments are the rows of a CSR matrix.
 * `kind` says how items are distributed over the segments: rows are segments, nnz items, of n
 * elements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/folds.h"

enum { SORTED_IDS, IDS, MATRIX };

/* Each kind by ids in any order, and half of the segments without items. */
#define SPARSE 20

static bool get_sparse(int i, spec_case *c) {
    *c = (spec_case){.kind = SPEC_RAGGED,
                     .rows = 50,
                     .nnz = 60,
                     .n = i % 3 ? 5 : 1,
                     .dtype = i / 10 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i % 10 | IDS << 4,
                     .seed = (uint64_t)i + 971};
    return true;
}

/* Maxima and minima of 1100 segments, some of several blocks: groups of many lanes have three of
 * them. */
#define PICKS 6

static bool get_pick(int i, spec_case *c) {
    *c = (spec_case){.kind = SPEC_RAGGED,
                     .rows = 1100,
                     .nnz = 80000,
                     .n = i / 3 ? 1 : 3,
                     .dtype = i % 2 ? SPARCL_F64 : SPARCL_F32,
                     .variant = (SPARCL_REDUCE_MAX + i % 2) | (i % 3) << 4,
                     .seed = (uint64_t)i + 991};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t sizes[][2] = {{9, 40},  {0, 0},    {3, 1100}, {50, 30},
                                       {5, 700}, {40, 900}, {1, 600},  {20, 0}};
    static const int64_t widths[] = {1, 5, 16, 37, 1, 70};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F16, SPARCL_F32, SPARCL_F64,
                                         SPARCL_BF16};
    const int64_t *const size = sizes[i % 8];
    if (i >= 160 + SPARSE + PICKS) return false;
    if (i >= 160 + SPARSE) return get_pick(i - 160 - SPARSE, c);
    if (i >= 160) return get_sparse(i - 160, c);
    *c = (spec_case){.kind = (spec_kind)(i / 5 % SPEC_KINDS),
                     .rows = size[0],
                     .nnz = small ? size[1] / 2 : size[1],
                     .n = widths[i / 2 % 6],
                     .dtype = types[i / 3 % 5],
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i * 7 % 10 | (i / 10 % 3) << 4,
                     .seed = (uint64_t)i + 71};
    return true;
}

static int kind_of(const spec_case *c) {
    return c->variant & 15;
}

static bool picks(const spec_case *c) {
    return kind_of(c) == SPARCL_REDUCE_MAX || kind_of(c) == SPARCL_REDUCE_MIN;
}

/* The items have gaps of one element between their rows, results of two. */
typedef struct arrays {
    int64_t *ids, *order; /* the segment of each item; items by segment */
    double *x, *gy, *got, *want, *truth, *bound;
    double *gx_got, *gx_want, *gx_truth, *gx_bound;
    int64_t *positions, *positions_got;
} arrays;

static void free_arrays(arrays *a) {
    void *const all[] = {a->ids,      a->order,    a->x,         a->gy,           a->got,
                         a->want,     a->truth,    a->bound,     a->gx_got,       a->gx_want,
                         a->gx_truth, a->gx_bound, a->positions, a->positions_got};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

/* What no result is, but for the gaps. */
static void poison(double *x, int64_t rows, int64_t n, int64_t gap) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < n; ++j)
            x[i * (n + gap) + j] = 77;
}

static bool make_arrays(arrays *a, const spec_case *c) {
    const int64_t items = c->nnz * (c->n + 1), results = c->rows * (c->n + 2);
    double **const numbers[] = {&a->got,    &a->want,    &a->truth,    &a->bound,
                                &a->gx_got, &a->gx_want, &a->gx_truth, &a->gx_bound};
    int64_t **const ints[] = {&a->ids, &a->order, &a->positions, &a->positions_got};
    *a = (arrays){.x = spec_fold_numbers(c->dtype, kind_of(c), items, c->seed + 1),
                  .gy = spec_fold_numbers(c->dtype, 0, results, c->seed + 2)};
    bool done = a->x && a->gy;
    for (int i = 0; i < 8; ++i) {
        *numbers[i] = calloc((size_t)(i < 4 ? results : items) + 1, sizeof(double));
        done = done && *numbers[i];
    }
    for (int i = 0; i < 4; ++i) {
        *ints[i] = calloc((size_t)(i < 2 ? c->nnz : c->rows * c->n) + 1, sizeof(int64_t));
        done = done && *ints[i];
    }
    if (!done) return false;
    poison(a->got, c->rows, c->n, 2);
    poison(a->gx_got, c->nnz, c->n, 1);
    return true;
}

/* Ids of a matrix whose entries are the items; then in another order where the variant says so. */
static void make_ids(const spec_case *c, const spec_matrix *m, arrays *a) {
    uint64_t seed = c->seed + 3;
    int64_t at = 0;
    for (int64_t s = 0; s < m->rows; ++s)
        for (int64_t k = m->offsets[s]; k < m->offsets[s + 1]; ++k)
            a->ids[k] = s;
    for (int64_t k = c->nnz - 1; c->variant >> 4 == IDS && k > 0; --k) {
        const int64_t i = (int64_t)(spec_random(&seed) % (uint64_t)(k + 1)), id = a->ids[k];
        a->ids[k] = a->ids[i];
        a->ids[i] = id;
    }
    for (int64_t s = 0; s < m->rows; ++s)
        for (int64_t k = 0; k < c->nnz; ++k)
            if (a->ids[k] == s) a->order[at++] = k;
}

/* Column j of a segment, which has `count` items. */
static void answer_column(const spec_case *c, arrays *a, const int64_t *items, int64_t count,
                          int64_t s, int64_t j, double *buffer) {
    const spec_folding f = {c->dtype, kind_of(c), false, 0};
    const int64_t at = s * (c->n + 2) + j;
    double *const x = buffer, *const g = buffer + count;
    for (int64_t k = 0; k < count; ++k)
        x[k] = a->x[items[k] * (c->n + 1) + j];
    const spec_folded r = spec_fold(&f, x, NULL, count);
    a->want[at] = r.order;
    a->truth[at] = r.truth;
    a->bound[at] = r.bound;
    a->positions[s * c->n + j] = r.position < 0 ? -1 : items[r.position];
    spec_fold_gradient(&f, x, count, a->gy[at], &r, g, g + count, g + 2 * count);
    for (int64_t k = 0; k < count; ++k) {
        a->gx_want[items[k] * (c->n + 1) + j] = g[k];
        a->gx_truth[items[k] * (c->n + 1) + j] = g[count + k];
        a->gx_bound[items[k] * (c->n + 1) + j] = g[2 * count + k];
    }
}

static bool answer(const spec_case *c, const spec_matrix *m, arrays *a) {
    double *const buffer = calloc((size_t)(4 * c->nnz) + 1, sizeof *buffer);
    for (int64_t s = 0; buffer && s < c->rows; ++s)
        for (int64_t j = 0; j < c->n; ++j)
            answer_column(c, a, a->order + m->offsets[s], m->offsets[s + 1] - m->offsets[s], s, j,
                          buffer);
    free(buffer);
    return buffer != NULL;
}

/* --- calls ------------------------------------------------------------------------------------ */

static sparcl_status put_array(sparcl_ctx *ctx, sparcl_dense *view, const double *x, int64_t rows,
                               int64_t gap, const spec_case *c) {
    *view = (sparcl_dense){.rank = 2, .dtype = c->dtype, .shape = {rows, c->n}, .ld = c->n + gap};
    return spec_put_dense(ctx, view, x, rows * (c->n + gap));
}

typedef struct views {
    sparcl_list ids;
    sparcl_csr rows;
    sparcl_dense x, to, gy, gx;
    sparcl_buf *positions;
} views;

static void free_views(views *v) {
    sparcl_buf *const all[] = {v->ids.indices, v->x.values,  v->to.values,
                               v->gy.values,   v->gx.values, v->positions};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sparcl_buf_free(all[i]);
    sparcl_csr_free(&v->rows);
}

static sparcl_status put_views(sparcl_ctx *ctx, const spec_case *c, const spec_matrix *m,
                               const arrays *a, views *v) {
    const uint32_t sorted = c->variant >> 4 == SORTED_IDS ? SPARCL_SORTED : 0;
    v->ids = (sparcl_list){.count = c->nnz,
                           .limit = c->rows,
                           .index_type = c->index_type,
                           .proof = {.flags = SPARCL_TRUSTED | sorted}};
    sparcl_status status = spec_put_ints(ctx, &v->ids.indices, a->ids, c->nnz, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_csr_within(ctx, &v->rows, m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = put_array(ctx, &v->x, a->x, c->nnz, 1, c);
    if (status == SPARCL_OK) status = put_array(ctx, &v->gx, a->gx_got, c->nnz, 1, c);
    if (status == SPARCL_OK) status = put_array(ctx, &v->to, a->got, c->rows, 2, c);
    if (status == SPARCL_OK) status = put_array(ctx, &v->gy, a->gy, c->rows, 2, c);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &v->positions, a->positions_got, c->rows * c->n, SPARCL_I64);
    return status;
}

static sparcl_segments segments_of(const spec_case *c, const views *v) {
    const bool by_rows = c->variant >> 4 == MATRIX;
    return (sparcl_segments){by_rows ? NULL : &v->ids, by_rows ? &v->rows : NULL};
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, const views *v) {
    const sparcl_segments segments = segments_of(c, v);
    const sparcl_reduction kind = (sparcl_reduction)kind_of(c);
    sparcl_buf *const positions = picks(c) ? v->positions : NULL;
    const sparcl_status status =
        sparcl_segment_reduce(ctx, kind, &v->to, &v->x, &segments, positions, 0);
    if (status != SPARCL_OK || kind == SPARCL_REDUCE_COUNT) return status;
    return sparcl_segment_reduce_gradient(ctx, kind, &v->gx, &v->gy, &v->x, &segments, &v->to,
                                          positions, 0);
}

/* Maxima and minima again, without their positions. */
static sparcl_status run_without_positions(sparcl_ctx *ctx, const spec_case *c, const views *v) {
    const sparcl_segments segments = segments_of(c, v);
    if (!picks(c)) return SPARCL_OK;
    const sparcl_status status =
        sparcl_buf_fill(ctx, v->to.values, 0, sparcl_buf_bytes(v->to.values), 0);
    return status != SPARCL_OK ? status
                               : sparcl_segment_reduce(ctx, (sparcl_reduction)kind_of(c), &v->to,
                                                       &v->x, &segments, NULL, 0);
}

/* What lies between rows stays 0. */
static sparcl_status compare(sparcl_ctx *ctx, const spec_case *c, const views *v, arrays *a,
                             spec_report *report) {
    const int64_t items = c->nnz * (c->n + 1), results = c->rows * (c->n + 2);
    sparcl_status status =
        spec_get_reals(ctx, v->to.values, v->to.values_at, results, c->dtype, a->got);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->gx.values, v->gx.values_at, items, c->dtype, a->gx_got);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, v->positions, 0, c->rows * c->n, SPARCL_I64, a->positions_got);
    if (status != SPARCL_OK) return status;
    spec_compare(report, "to", a->got, a->want, a->truth, a->bound, results);
    if (picks(c))
        spec_compare_ints(report, "positions", a->positions_got, a->positions, c->rows * c->n);
    if (kind_of(c) != SPARCL_REDUCE_COUNT)
        spec_compare(report, "gx", a->gx_got, a->gx_want, a->gx_truth, a->gx_bound, items);
    return SPARCL_OK;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    spec_matrix m = {0};
    arrays a = {0};
    views v = {.positions = NULL};
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true,
                            .zeros_expected = true, /* gaps, empty segments, maxima */
                            .flops = (double)(c->nnz * c->n),
                            .bytes = (double)(c->nnz * c->n) * (double)sparcl_dtype_size(c->dtype)};
    if (spec_matrix_make(&m, c->kind, c->rows, 1, c->nnz, c->seed) && make_arrays(&a, c)) {
        make_ids(c, &m, &a);
        if (answer(c, &m, &a)) status = put_views(ctx, c, &m, &a, &v);
        if (status == SPARCL_OK) status = run(ctx, c, &v);
        if (status == SPARCL_OK) status = run_without_positions(ctx, c, &v);
        if (status == SPARCL_OK) status = compare(ctx, c, &v, &a, report);
    }
    free_views(&v);
    free_arrays(&a);
    spec_matrix_free(&m);
    return status;
}

const spec_op spec_segment_reduce = {
    .name = "segment_reduce", .get_case = get_case, .check = check};
