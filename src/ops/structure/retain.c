/* retain.c: rows of a row-sparse array: those that a list or another array names, and a slice. */
#include <string.h>

#include "base/size.h"
#include "ops/shared/moved.h"
#include "ops/shared/rows.h"

typedef long long ll; /* for %lld */

/* Both arrays, of one row shape, and the optional results. */
static sparcl_status check_rows(sparcl_ctx *ctx, const char *op, const sparcl_rows *to,
                                const sparcl_rows *from, const sparcl_moved **moved,
                                spc_spans *results) {
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    if (to->rank != from->rank)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has rank %d, `from` has %d", op,
                            to->rank, from->rank);
    for (int d = 1; d < to->rank; ++d)
        if (to->shape[d] != from->shape[d])
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                                "%s: dimension %d of `to` is %lld, of `from` %lld", op, d,
                                (ll)to->shape[d], (ll)from->shape[d]);
    const spc_spans operands = spc_rows_spans(SPC_FROM, from);
    *results = spc_rows_spans(SPC_TO, to);
    SPC_TRY(spc_check_moved(ctx, op, moved, to->nnr, results));
    return spc_check_spans(ctx, op, results, &operands);
}

static spc_take_values rows_values(const sparcl_rows *to, const sparcl_rows *from) {
    return (spc_take_values){.dtype = from->dtype,
                             .from = from->values,
                             .from_at = from->values_at,
                             .to = to->values,
                             .to_at = to->values_at};
}

/* Whole rows, and where they come from. */
static sparcl_status take_rows(sparcl_ctx *ctx, spc_places places, const sparcl_rows *to,
                               const sparcl_rows *from, const sparcl_moved *moved) {
    const spc_take_values rows = rows_values(to, from);
    const spc_take_values source = {.source = moved->source, .source_at = moved->source_at};
    SPC_TRY(spc_take_rows(ctx, places, &rows, spc_shape_width(to->rank, to->shape)));
    return spc_take(ctx, places, NULL, &source);
}

/* --- the rows of a list ----------------------------------------------------------------------- */

static sparcl_status check_retain(sparcl_ctx *ctx, const char *op, const sparcl_rows *to,
                                  const sparcl_rows *from, const sparcl_list *list,
                                  const sparcl_moved **moved) {
    spc_spans results;
    SPC_TRY(check_rows(ctx, op, to, from, moved, &results));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, SPC_FROM, from->rank,
                                 from->shape));
    SPC_TRY(spc_check_row_list(ctx, op, list, from->shape[0], &results));
    return spc_need_rows(ctx, op, SPC_FROM, from, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
}

/* Where each row of the list is stored, and whether it is. */
static sparcl_status find_rows(sparcl_ctx *ctx, const sparcl_rows *from, const sparcl_list *list,
                               sparcl_buf **places, sparcl_buf *marks) {
    SPC_TRY(spc_scratch_push(ctx, places, list->count, sizeof(int64_t)));
    if (list->count == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "retain", spc_itype_options(list->index_type, from->index_type),
                      "find_rows", spc_range_each(ctx, list->count), SPC_IN(list->indices),
                      SPC_I64(list->indices_at), SPC_I64(list->count), SPC_IN(from->indices),
                      SPC_I64(from->indices_at), SPC_I64(from->nnr), SPC_IN(from->count),
                      SPC_I64(from->count_at), SPC_OUT(*places), SPC_OUT(marks));
}

static spc_take_ids listed_ids(const sparcl_rows *to, const sparcl_list *list) {
    return (spc_take_ids){list->indices, list->indices_at, list->index_type, 0,
                          to->indices,   to->indices_at,   to->index_type};
}

static sparcl_status retain_all(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *from,
                                const sparcl_list *list, const sparcl_moved *moved) {
    const spc_take_ids ids = listed_ids(to, list);
    sparcl_buf *places = NULL, *marks = NULL;
    SPC_TRY(spc_scratch_push(ctx, &marks, list->count, 1));
    SPC_TRY(find_rows(ctx, from, list, &places, marks));
    SPC_TRY(spc_take(ctx, (spc_places){.capacity = list->count}, &ids, NULL));
    SPC_TRY(take_rows(ctx, (spc_places){SPARCL_INDEX64, places, list->count, NULL, 0}, to, from,
                      moved));
    return moved->needed ? spc_write_count(ctx, moved->needed, moved->needed_at,
                                           (spc_items){.capacity = list->count})
                         : SPARCL_OK;
}

sparcl_status sparcl_rows_retain_all(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *from,
                                     const sparcl_list *list, const sparcl_moved *moved) {
    SPC_TRY(check_retain(ctx, "rows_retain_all", to, from, list, &moved));
    if (to->count || to->nnr != list->count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "rows_retain_all: `to` has %lld stored rows and %s count, expected the "
                            "%lld of the list and no count",
                            (ll)to->nnr, to->count ? "a" : "no", (ll)list->count);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = retain_all(ctx, to, from, list, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(to, sparcl_list_flags(list));
    return status;
}

/* Rows of the list that are stored: their positions in the list, and then in the array. */
static sparcl_status retain_stored(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *from,
                                   const sparcl_list *list, const sparcl_moved *moved) {
    const spc_take_ids ids = listed_ids(to, list);
    sparcl_buf *places = NULL, *rows = NULL;
    spc_kept kept;
    SPC_TRY(spc_kept_open(ctx, &kept, list->count, NULL, 0));
    SPC_TRY(find_rows(ctx, from, list, &places, kept.marks));
    SPC_TRY(spc_kept_find(ctx, &kept));
    SPC_TRY(spc_scratch_push(ctx, &rows, list->count, sizeof(int64_t)));
    const spc_places listed = spc_kept_places(&kept, to->nnr);
    const spc_places stored = {SPARCL_INDEX64, rows, listed.capacity, kept.found, 0};
    const spc_take_ids source = {places, 0, SPARCL_INDEX64, 0, rows, 0, SPARCL_INDEX64};
    SPC_TRY(spc_take(ctx, listed, &ids, NULL));
    SPC_TRY(spc_take(ctx, listed, &source, NULL));
    SPC_TRY(take_rows(ctx, stored, to, from, moved));
    return spc_write_found(ctx, kept.found, to->nnr, to->count, to->count_at, moved);
}

static sparcl_status check_count(sparcl_ctx *ctx, const char *op, const sparcl_rows *to) {
    if (to->count) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has no count, expected one", op);
}

sparcl_status sparcl_rows_retain_stored(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *from,
                                        const sparcl_list *list, const sparcl_moved *moved) {
    SPC_TRY(check_retain(ctx, "rows_retain_stored", to, from, list, &moved));
    SPC_TRY(check_count(ctx, "rows_retain_stored", to));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = retain_stored(ctx, to, from, list, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(to, sparcl_list_flags(list));
    return status;
}

/* --- a slice ---------------------------------------------------------------------------------- */

static sparcl_status slice(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *from,
                           int64_t start, const sparcl_moved *moved) {
    const spc_take_ids ids = {from->indices, from->indices_at, from->index_type, start,
                              to->indices,   to->indices_at,   to->index_type};
    spc_kept kept;
    SPC_TRY(spc_kept_open(ctx, &kept, from->nnr, from->count, from->count_at));
    SPC_TRY(spc_mark_range(ctx, &kept, false, from->indices, from->indices_at, from->index_type,
                           start, start + to->shape[0]));
    SPC_TRY(spc_kept_find(ctx, &kept));
    const spc_places places = spc_kept_places(&kept, to->nnr);
    SPC_TRY(spc_take(ctx, places, &ids, NULL));
    SPC_TRY(take_rows(ctx, places, to, from, moved));
    return spc_write_found(ctx, kept.found, to->nnr, to->count, to->count_at, moved);
}

/* Of ascending indices: the rows are one piece. */
static sparcl_status slice_sorted(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *from,
                                  int64_t start, const sparcl_moved *moved) {
    const int64_t width = spc_shape_width(to->rank, to->shape);
    return SPC_LAUNCH(
        ctx, "panel+words+scan+rows_slice",
        spc_word_options(to->dtype) | spc_itype_options(to->index_type, from->index_type),
        "slice_sorted", spc_range_vectors(ctx, spc_max_i64(to->nnr, 1), width),
        SPC_IN(from->indices), SPC_I64(from->indices_at), SPC_IN(from->values),
        SPC_I64(from->values_at), SPC_I64(from->nnr), SPC_IN(from->count), SPC_I64(from->count_at),
        SPC_I64(start), SPC_I64(to->shape[0]), SPC_I64(to->nnr), SPC_OUT(to->indices),
        SPC_I64(to->indices_at), SPC_OUT(to->values), SPC_I64(to->values_at), SPC_I64(width),
        SPC_OUT(to->count), SPC_I64(to->count_at), SPC_OUT(moved->source),
        SPC_I64(moved->source_at), SPC_OUT(moved->needed), SPC_I64(moved->needed_at));
}

sparcl_status sparcl_rows_slice(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *from,
                                int64_t start, const sparcl_moved *moved) {
    spc_spans results;
    SPC_TRY(check_rows(ctx, "rows_slice", to, from, &moved, &results));
    SPC_TRY(check_count(ctx, "rows_slice", to));
    if (start < 0 || start > from->shape[0] || to->shape[0] > from->shape[0] - start)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "rows_slice: `to` has the %lld rows from %lld on, expected them among "
                            "the %lld of `from`",
                            (ll)to->shape[0], (ll)start, (ll)from->shape[0]);
    SPC_TRY(spc_need_rows(ctx, "rows_slice", SPC_FROM, from, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    const bool is_sorted = sparcl_rows_flags(from) & SPARCL_SORTED;
    const sparcl_status status = (is_sorted ? slice_sorted : slice)(ctx, to, from, start, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(to, sparcl_rows_flags(from));
    return status;
}

/* --- the rows of another array ---------------------------------------------------------------- */

/* The result: a row for each stored row of `at`. */
static sparcl_status check_rows_result(sparcl_ctx *ctx, const char *op, const sparcl_dense *to,
                                       const sparcl_rows *at, const spc_spans *others) {
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_rows_of(ctx, op, "`at`", at, SPC_ALL_TYPES));
    int64_t shape[SPARCL_MAX_RANK];
    memcpy(shape, at->shape, sizeof shape);
    shape[0] = at->nnr;
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, "the stored rows of `at`",
                                 at->rank, shape));
    if (spc_dense_ld(to) != spc_shape_width(to->rank, to->shape))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has gaps between its rows", op);
    spc_spans operands = spc_rows_spans("`at`", at);
    for (size_t i = 0; i < others->count; ++i)
        operands.at[operands.count++] = others->at[i];
    const spc_span result = spc_dense_span(SPC_TO, to);
    SPC_TRY(spc_check_alias(ctx, op, &result, operands.at, operands.count));
    return spc_need_rows(ctx, op, "`at`", at, SPARCL_VALID);
}

sparcl_status spc_find_stored(sparcl_ctx *ctx, const sparcl_rows *from, const sparcl_rows *at,
                              sparcl_buf *places, sparcl_buf *marks) {
    return SPC_LAUNCH(ctx, "retain", spc_itype_options(at->index_type, from->index_type), "rows_of",
                      spc_range_each(ctx, at->nnr), SPC_IN(at->indices), SPC_I64(at->indices_at),
                      SPC_I64(at->nnr), SPC_IN(at->count), SPC_I64(at->count_at),
                      SPC_IN(from->indices), SPC_I64(from->indices_at), SPC_I64(from->nnr),
                      SPC_IN(from->count), SPC_I64(from->count_at), SPC_OUT(places),
                      SPC_OUT(marks));
}

/* Rows of stored values, or of a dense array, for which `from` has no indices. */
static sparcl_status take_at(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_rows *from,
                             const sparcl_rows *at) {
    const int64_t width = spc_shape_width(to->rank, to->shape);
    const spc_take_values rows = {.dtype = to->dtype,
                                  .from = from->values,
                                  .from_at = from->values_at,
                                  .to = to->values,
                                  .to_at = to->values_at};
    sparcl_buf *places = NULL;
    SPC_TRY(spc_scratch_push(ctx, &places, at->nnr, sizeof(int64_t)));
    SPC_TRY(spc_find_stored(ctx, from, at, places, NULL));
    return spc_take_rows(ctx, (spc_places){SPARCL_INDEX64, places, at->nnr, NULL, 0}, &rows, width);
}

static sparcl_status take_checked(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_rows *from,
                                  const sparcl_rows *at) {
    const int mark = spc_scratch_mark(ctx);
    if (at->nnr == 0 || spc_shape_width(to->rank, to->shape) == 0) return SPARCL_OK;
    const sparcl_status status = take_at(ctx, to, from, at);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_rows_mask(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *x,
                               const sparcl_rows *at) {
    static const char op[] = "rows_mask";
    SPC_TRY(spc_check_dense_of(ctx, op, "X", x, SPC_ALL_TYPES));
    const spc_spans operands = {.count = 1, .at = {spc_dense_span("X", x)}};
    SPC_TRY(check_rows_result(ctx, op, to, at, &operands));
    SPC_TRY(spc_check_same_shape(ctx, op, "X", x->rank, x->shape, "`at`", at->rank, at->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, "X", x->dtype));
    if (spc_dense_ld(x) != spc_shape_width(x->rank, x->shape))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: X has gaps between its rows", op);
    const sparcl_rows all = {.values = x->values, .values_at = x->values_at};
    return take_checked(ctx, to, &all, at);
}

sparcl_status sparcl_rows_retain_gradient(sparcl_ctx *ctx, const sparcl_dense *to,
                                          const sparcl_rows *g, const sparcl_rows *at) {
    static const char op[] = "rows_retain_gradient";
    SPC_TRY(spc_check_rows_of(ctx, op, "G", g, SPC_ALL_TYPES));
    const spc_spans operands = spc_rows_spans("G", g);
    SPC_TRY(check_rows_result(ctx, op, to, at, &operands));
    SPC_TRY(spc_check_same_shape(ctx, op, "G", g->rank, g->shape, "`at`", at->rank, at->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, "G", g->dtype));
    SPC_TRY(spc_need_rows(ctx, op, "G", g, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE));
    return take_checked(ctx, to, g, at);
}
