/* spec_segment_reduce.c: reductions of segments of rows in plain C, with their gradients. Variant:
 * the kind of the reduction, plus 16: ids in any order; 32: segments are the rows of a CSR matrix.
 * `kind` says how items are distributed over the segments: rows are segments, nnz items, of n
 * elements. Of a measurement the items are the entries of the matrix, in segments by row, or with
 * ids in any order by column. */
#include "spec/bench/bench.h"
#include "spec/shared/folds.h"
#include "spec/shared/harness_sparse.h"

enum { SORTED_IDS, IDS, MATRIX };

/* Each kind by ids in any order, and half of the segments without items. */
#define SPARSE 20

static bool get_sparse(int i, spec_case *c) {
    *c = (spec_case){.kind = SPEC_RAGGED,
                     .rows = 50,
                     .nnz = 60,
                     .n = i % 3 ? 5 : 1,
                     .dtype = i / 10 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = i % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
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
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i * 7 % 10 | (i / 10 % 3) << 4,
                     .seed = (uint64_t)i + 71};
    return true;
}

typedef struct state {
    spec_matrix m;
    int64_t count, items, n, x_ld, to_ld; /* segments; x and gx, and results have gaps */
    const int64_t *ids;
    const double *x, *gy;
    sparcl_reduction kind;
    sparcl_list list;
    sparcl_csr rows; /* without offsets: the list is used */
    sparcl_dense x_view, to, gy_view, gx;
    sparcl_buf *positions;
} state;

static bool picks(const state *s) {
    return s->kind == SPARCL_REDUCE_MAX || s->kind == SPARCL_REDUCE_MIN;
}

/* --- operands --------------------------------------------------------------------------------- */

/* The rows of the entries; then in another order where the variant says so, or the columns. */
static const int64_t *make_ids(spec_test *t, const state *s) {
    const bool in_order = t->c->variant >> 4 != IDS;
    int64_t *const ids = spec_int64s(t, s->items);
    uint64_t seed = t->c->seed + 3;
    if (t->given && !in_order) return s->m.indices;
    for (int64_t row = 0; row < s->m.rows; ++row)
        for (int64_t k = s->m.offsets[row]; k < s->m.offsets[row + 1]; ++k)
            ids[k] = row;
    for (int64_t k = s->items - 1; !in_order && k > 0; --k) {
        const int64_t i = (int64_t)(spec_random(&seed) % (uint64_t)(k + 1)), id = ids[k];
        ids[k] = ids[i];
        ids[i] = id;
    }
    return ids;
}

static void make_segments(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int by = c->variant >> 4;
    if (t->given)
        s->m = spec_matrix_of(t, c->nnz, c->seed);
    else
        spec_own_matrix(t, &s->m, spec_matrix_make(&s->m, c->kind, c->rows, 1, c->nnz, c->seed));
    s->items = s->m.nnz;
    s->count = t->given && by == IDS ? c->cols : c->rows;
    s->ids = make_ids(t, s);
    if (by == MATRIX)
        s->rows = spec_csr(t, &s->m);
    else
        s->list = (sparcl_list){
            .count = s->items,
            .limit = s->count,
            .index_type = c->index_type,
            .indices = spec_ints_buf(t, s->ids, s->items, c->index_type),
            .proof = {.flags = SPARCL_TRUSTED | (by == SORTED_IDS ? SPARCL_SORTED : 0)}};
}

/* Of a measurement maxima are reduced without their positions, which a gradient needs. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->kind = (sparcl_reduction)(c->variant & 15);
    s->n = c->n;
    make_segments(t, s);
    s->x_ld = s->n + (t->given ? 0 : 1);
    s->to_ld = s->n + (t->given ? 0 : 2);
    s->x = spec_own(t, spec_fold_numbers(c->dtype, s->kind, s->items * s->x_ld, c->seed + 1));
    s->gy = spec_own(t, spec_fold_numbers(c->dtype, 0, s->count * s->to_ld, c->seed + 2));
    s->x_view = spec_dense(t, s->items, s->n, s->x_ld, s->x);
    s->gx = spec_dense(t, s->items, s->n, s->x_ld, spec_unwritten(t, s->items, s->n, s->x_ld));
    s->to = spec_dense(t, s->count, s->n, s->to_ld, spec_unwritten(t, s->count, s->n, s->to_ld));
    s->gy_view = spec_dense(t, s->count, s->n, s->to_ld, s->gy);
    if (picks(s) && (!t->given || t->call == 1))
        s->positions = spec_result_buf(t, 8 * s->count * s->n);
    t->calls = s->kind == SPARCL_REDUCE_COUNT ? 1 : !picks(s) ? 2 : t->given ? t->call + 1 : 3;
}

/* The reduction, its gradient, and maxima and minima again without their positions. */
static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    const sparcl_segments segments = {s->rows.offsets ? NULL : &s->list,
                                      s->rows.offsets ? &s->rows : NULL};
    if (number == 1)
        return sparcl_segment_reduce_gradient(ctx, s->kind, &s->gx, &s->gy_view, &s->x_view,
                                              &segments, &s->to, s->positions, 0);
    const sparcl_status status =
        number == 2 ? sparcl_buf_fill(ctx, s->to.values, 0, sparcl_buf_bytes(s->to.values), 0)
                    : SPARCL_OK;
    return status == SPARCL_OK ? sparcl_segment_reduce(ctx, s->kind, &s->to, &s->x_view, &segments,
                                                       number == 2 ? NULL : s->positions, 0)
                               : status;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Items by segment: those of segment i are items[offsets[i]] and so on. */
static int64_t *sort_items(spec_test *t, const state *s, int64_t *offsets) {
    int64_t *const items = spec_int64s(t, s->items), *const next = spec_int64s(t, s->count + 1);
    for (int64_t k = 0; k < s->items; ++k)
        ++offsets[s->ids[k] + 1];
    for (int64_t i = 0; i < s->count; ++i)
        next[i + 1] = offsets[i + 1] += offsets[i];
    for (int64_t k = 0; k < s->items; ++k)
        items[next[s->ids[k]]++] = k;
    return items;
}

/* Column j of a segment, which has `length` items; the position of its maximum. */
static int64_t answer_column(const state *s, sparcl_dtype dtype, const int64_t *items,
                             int64_t length, int64_t segment, int64_t j, double *buffer,
                             const spec_answer *to, const spec_answer *gx) {
    const spec_folding f = {dtype, s->kind, false, 0};
    const int64_t at = segment * s->to_ld + j;
    double *const x = buffer, *const g = buffer + length;
    for (int64_t k = 0; k < length; ++k)
        x[k] = s->x[items[k] * s->x_ld + j];
    const spec_folded r = spec_fold(&f, x, NULL, length);
    to->order[at] = r.order;
    to->truth[at] = r.truth;
    to->bound[at] = r.bound;
    spec_fold_gradient(&f, x, length, s->gy[at], &r, g, g + length, g + 2 * length);
    for (int64_t k = 0; k < length; ++k) {
        gx->order[items[k] * s->x_ld + j] = g[k];
        gx->truth[items[k] * s->x_ld + j] = g[length + k];
        gx->bound[items[k] * s->x_ld + j] = g[2 * length + k];
    }
    return r.position < 0 ? -1 : items[r.position];
}

/* What lies between rows stays 0. */
static void expect(spec_test *t) {
    const state *const s = t->state;
    const spec_answer to = spec_answer_room(t, s->count * s->to_ld);
    const spec_answer gx = spec_answer_room(t, s->items * s->x_ld);
    int64_t *const positions = spec_int64s(t, s->count * s->n);
    int64_t *const offsets = spec_int64s(t, s->count + 1), *const items = sort_items(t, s, offsets);
    double *const buffer = spec_reals(t, 4 * s->items);
    for (int64_t i = 0; i < s->count; ++i)
        for (int64_t j = 0; j < s->n; ++j)
            positions[i * s->n + j] =
                answer_column(s, t->c->dtype, items + offsets[i], offsets[i + 1] - offsets[i], i, j,
                              buffer, &to, &gx);
    t->report->zeros_expected = true; /* gaps, empty segments, maxima */
    spec_expect_answer(t, "to", &s->to, &to);
    if (s->positions)
        spec_expect_ints(t, "positions", s->positions, 0, SPARCL_INDEX64, positions,
                         s->count * s->n);
    if (t->calls > 1) spec_expect_answer(t, "gx", &s->gx, &gx);
}

/* --- measurements ----------------------------------------------------------------------------- */

/* Items, results, and offsets or ids; of a gradient of maxima their positions, too. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double n = (double)s->n, items = (double)s->items, count = (double)s->count;
    *flops = number ? 0 : items * n;
    *bytes = (double)sparcl_dtype_size(t->c->dtype) * n * (items + count) +
             (number && s->positions ? 8 * count * n : 0) +
             (s->rows.offsets ? (double)sparcl_itype_size(s->rows.offset_type) * (count + 1)
                              : (double)sparcl_itype_size(s->list.index_type) * items);
}

extern const spec_op spec_segment_reduce;
#define TIMED(text, about, number, kind, by)                                                       \
    {                                                                                              \
        (text), (about), SPEC_BENCH_WIDTHS, .op = &spec_segment_reduce, .call = (number),          \
                                            .setting = {                                           \
                                                .variant = SPARCL_REDUCE_##kind | (by) << 4        \
                                            }                                                      \
    }
static const spec_bench timed[] = {
    TIMED("segment-sum", "sums of rows, one for each entry of A, by the row of the entry", 0, SUM,
          MATRIX),
    TIMED("segment-sum-sorted", "the same by the number of its row, ascending", 0, SUM, SORTED_IDS),
    TIMED("segment-sum-unsorted", "the same by its column, in no order", 0, SUM, IDS),
    TIMED("segment-max", "maxima of rows, one for each entry of A, by the row of the entry", 0, MAX,
          MATRIX),
    TIMED("segment-sum-gradient", "the gradient of segment-sum", 1, SUM, MATRIX),
    TIMED("segment-max-gradient", "the gradient of segment-max, of maxima whose items are given", 1,
          MAX, MATRIX),
    {0}};

const spec_op spec_segment_reduce = {.name = "segment_reduce",
                                     .get_case = get_case,
                                     .state_size = sizeof(state),
                                     .make = make,
                                     .call = call,
                                     .expect = expect,
                                     .work = work,
                                     .timed = timed};
