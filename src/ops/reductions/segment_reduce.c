/* segment_reduce.c: reductions of segments of rows, and their gradients. */
#include "base/size.h"
#include "ops/shared/fold.h"

/* Segments, checked. */
typedef struct segments {
    int64_t items, count;
    spc_span span;       /* what must not overlap a result */
    spc_segment_ids ids; /* or rows */
    const sparcl_csr *rows;
} segments;

static sparcl_status check_segments(sparcl_ctx *ctx, const char *op, const sparcl_segments *given,
                                    segments *s) {
    if (!given || !given->ids == !given->rows)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: segments have %s, expected ids or rows, and the other one NULL",
                            op,
                            !given       ? "no struct"
                            : given->ids ? "ids and rows"
                                         : "neither");
    if (given->rows) {
        const sparcl_csr *const a = given->rows;
        sparcl_csr shape = *a;
        shape.dtype = SPARCL_F32; /* values are not read */
        SPC_TRY(spc_check_csr_shape(ctx, op, "rows", &shape));
        SPC_TRY(spc_check_buf(ctx, op, "the offsets of rows", a->offsets, a->offsets_at,
                              a->rows + 1, sparcl_itype_size(a->offset_type)));
        SPC_TRY(spc_need_csr(ctx, op, "rows", a, SPARCL_VALID));
        *s = (segments){.items = a->nnz,
                        .count = a->rows,
                        .rows = a,
                        .span = spc_array_span("the offsets of", "rows", a->offsets, a->offsets_at,
                                               a->rows + 1, sparcl_itype_size(a->offset_type))};
        return SPARCL_OK;
    }
    const sparcl_list *const list = given->ids;
    SPC_TRY(spc_check_list(ctx, op, "ids", list));
    SPC_TRY(spc_need_list(ctx, op, "ids", list, SPARCL_VALID));
    *s = (segments){.items = list->count,
                    .count = list->limit,
                    .span = spc_list_span("ids", list),
                    .ids = {list->indices, list->indices_at, list->limit, list->index_type,
                            (sparcl_list_flags(list) & SPARCL_SORTED) != 0}};
    return SPARCL_OK;
}

/* An array of rows like those of `like`, one for each of `count`. */
static sparcl_status check_array(sparcl_ctx *ctx, const char *op, const char *name,
                                 const sparcl_dense *view, int64_t count, const char *like_name,
                                 const sparcl_dense *like) {
    int64_t shape[SPARCL_MAX_RANK];
    SPC_TRY(spc_check_dense_of(ctx, op, name, view, SPC_FLOATS));
    for (int d = 0; d < like->rank; ++d)
        shape[d] = d == 0 ? count : like->shape[d];
    SPC_TRY(
        spc_check_same_shape(ctx, op, name, view->rank, view->shape, like_name, like->rank, shape));
    return spc_check_same_dtype(ctx, op, name, view->dtype, like_name, like->dtype);
}

static sparcl_status find_runs(sparcl_ctx *ctx, const segments *s, spc_item_runs *runs) {
    const spc_items items = {s->items, NULL, 0};
    *runs = (spc_item_runs){.count = 0};
    if (!s->rows) return spc_runs_of_ids(ctx, &s->ids, items, runs);
    *runs = spc_row_runs(s->rows);
    return SPARCL_OK;
}

/* --- forward ---------------------------------------------------------------------------------- */

static sparcl_status check_forward(sparcl_ctx *ctx, const char *op, sparcl_reduction kind,
                                   const sparcl_dense *to, const sparcl_dense *x, const segments *s,
                                   const sparcl_buf *positions, int64_t positions_at) {
    SPC_TRY(spc_check_dense_of(ctx, op, "X", x, SPC_FLOATS));
    SPC_TRY(spc_check_reduction(ctx, op, kind, SPC_ALL_KINDS));
    SPC_TRY(check_array(ctx, op, "X", x, s->items, "the items", x));
    SPC_TRY(check_array(ctx, op, "to", to, s->count, "the result", x));
    const int64_t count = s->count * spc_shape_width(x->rank, x->shape);
    SPC_TRY(spc_check_positions(ctx, op, kind, positions, positions_at, count));
    const spc_spans operands = {2, {spc_dense_span("X", x), s->span}};
    spc_spans results = {1, {spc_dense_span("to", to)}};
    if (positions)
        results.at[results.count++] =
            spc_array_span(NULL, "positions", positions, positions_at, count, sizeof(int64_t));
    return spc_check_spans(ctx, op, &results, &operands);
}

sparcl_status sparcl_segment_reduce(sparcl_ctx *ctx, sparcl_reduction kind, const sparcl_dense *to,
                                    const sparcl_dense *x, const sparcl_segments *given,
                                    sparcl_buf *positions, int64_t positions_at) {
    static const char *const op = "segment_reduce";
    segments s;
    SPC_TRY(check_segments(ctx, op, given, &s));
    SPC_TRY(check_forward(ctx, op, kind, to, x, &s, positions, positions_at));
    const spc_reduction r = spc_reduction_of(kind);
    const int mark = spc_scratch_mark(ctx);
    spc_fold_job job = {.fold = r.fold,
                        .finish = r.finish,
                        .rows = spc_shape_width(x->rank, x->shape),
                        .dtype = x->dtype,
                        .x = spc_values_of(x),
                        .to = to->values,
                        .to_at = to->values_at,
                        .to_ld = spc_dense_ld(to),
                        .positions = positions,
                        .positions_at = positions_at};
    if (job.rows == 0 || s.count == 0) return SPARCL_OK;
    sparcl_status status = SPARCL_OK;
    if (!s.rows && spc_folds_unsorted(ctx, &job, &s.ids)) {
        status = spc_fold_unsorted(ctx, &job, &s.ids, s.items);
    } else {
        status = find_runs(ctx, &s, &job.runs);
        if (status == SPARCL_OK) status = spc_fold_runs(ctx, op, &job);
    }
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- gradient --------------------------------------------------------------------------------- */

/* Maxima whose positions are not given are computed again. */
static bool needs_items(sparcl_reduction kind, const sparcl_buf *positions) {
    return (spc_picks(kind) && !positions) || kind == SPARCL_REDUCE_PROD ||
           kind == SPARCL_REDUCE_SQUARE_SUM || kind == SPARCL_REDUCE_NORM ||
           kind == SPARCL_REDUCE_NORM1;
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const char *op, sparcl_reduction kind,
                                    const sparcl_dense *gx, const sparcl_dense *gy,
                                    const sparcl_dense *x, const segments *s, const sparcl_dense *y,
                                    const sparcl_buf *positions) {
    const spc_span result = spc_dense_span("GX", gx);
    spc_span operands[4] = {s->span, spc_dense_span("GY", gy)};
    size_t count = 2;
    if (needs_items(kind, positions)) {
        SPC_TRY(check_array(ctx, op, "X", x, s->items, "GX", gx));
        operands[count++] = spc_dense_span("X", x);
    }
    if (kind == SPARCL_REDUCE_NORM) {
        SPC_TRY(check_array(ctx, op, "Y", y, s->count, "the result", gx));
        operands[count++] = spc_dense_span("Y", y);
    }
    return spc_check_alias(ctx, op, &result, operands, count);
}

/* What takes the items by segment: counts, products, and positions that are not given. */
static sparcl_status find_sorted(sparcl_ctx *ctx, const char *op, const segments *s,
                                 spc_fold_gradient *g, spc_item_runs *sorted) {
    const sparcl_reduction kind = (sparcl_reduction)g->kind;
    const bool picks = spc_picks(kind) && !g->positions;
    if (!picks && !spc_divides(kind) && kind != SPARCL_REDUCE_PROD) return SPARCL_OK;
    SPC_TRY(find_runs(ctx, s, sorted));
    g->sorted = sorted;
    if (!picks || g->width == 0) return SPARCL_OK;
    const spc_fold_job job = {.fold = spc_reduction_of(kind).fold,
                              .rows = g->width,
                              .dtype = g->dtype,
                              .runs = *sorted,
                              .x = g->x};
    g->positions_at = 0;
    return spc_fold_positions(ctx, op, &job, &g->positions);
}

sparcl_status sparcl_segment_reduce_gradient(sparcl_ctx *ctx, sparcl_reduction kind,
                                             const sparcl_dense *gx, const sparcl_dense *gy,
                                             const sparcl_dense *x, const sparcl_segments *given,
                                             const sparcl_dense *y, const sparcl_buf *positions,
                                             int64_t positions_at) {
    static const char *const op = "segment_reduce_gradient";
    segments s;
    SPC_TRY(check_segments(ctx, op, given, &s));
    SPC_TRY(spc_check_reduction(ctx, op, kind, SPC_SMOOTH_KINDS));
    SPC_TRY(spc_check_dense_of(ctx, op, "GX", gx, SPC_FLOATS));
    SPC_TRY(check_array(ctx, op, "GX", gx, s.items, "the items", gx));
    SPC_TRY(check_array(ctx, op, "GY", gy, s.count, "the result", gx));
    SPC_TRY(check_gradient(ctx, op, kind, gx, gy, x, &s, y, positions));
    const int64_t width = spc_shape_width(gx->rank, gx->shape);
    SPC_TRY(spc_check_positions(ctx, op, kind, positions, positions_at, s.count * width));
    const int mark = spc_scratch_mark(ctx);
    spc_item_runs sorted;
    spc_fold_gradient g = {.kind = (int)kind,
                           .dtype = gx->dtype,
                           .runs = s.rows ? spc_row_runs(s.rows) : spc_equal_runs(1, s.items),
                           .ids = s.rows ? NULL : &s.ids,
                           .items = s.items,
                           .width = width,
                           .by_column = true,
                           .gy = spc_values_of(gy),
                           .to = {.at = gx->values_at, .ld = spc_dense_ld(gx)},
                           .positions = positions,
                           .positions_at = positions_at};
    if (needs_items(kind, positions)) g.x = spc_values_of(x);
    if (kind == SPARCL_REDUCE_NORM) g.y = spc_values_of(y);
    sparcl_status status = find_sorted(ctx, op, &s, &g, &sorted);
    if (status == SPARCL_OK) status = spc_fold_gradient_run(ctx, op, &g, gx->values);
    spc_scratch_release(ctx, mark);
    return status;
}
