/* moved.c: entries moved by their positions, and the checks of operations that do so. */
#include "ops/shared/moved.h"

#include "base/size.h"
#include "ops/shared/rows.h"
#include "prim/compact.h"
#include "prim/sort.h"

typedef long long ll; /* for %lld */

/* --- checks ----------------------------------------------------------------------------------- */

sparcl_status spc_check_int64s(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_buf *buf, int64_t at, int64_t count,
                               spc_spans *results) {
    if (!buf) return SPARCL_OK;
    SPC_TRY(spc_check_buf(ctx, op, name, buf, at, count, sizeof(int64_t)));
    results->at[results->count++] = spc_array_span(NULL, name, buf, at, count, sizeof(int64_t));
    return SPARCL_OK;
}

sparcl_status spc_check_moved(sparcl_ctx *ctx, const char *op, const sparcl_moved **moved,
                              int64_t capacity, spc_spans *results) {
    static const sparcl_moved nothing = {.source = NULL};
    if (!*moved) *moved = &nothing;
    const sparcl_moved *const m = *moved;
    if (m->reserved[0] || m->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved fields of moved are not zero", op);
    SPC_TRY(spc_check_int64s(ctx, op, "the source", m->source, m->source_at, capacity, results));
    return spc_check_int64s(ctx, op, "the needed count", m->needed, m->needed_at, 1, results);
}

sparcl_status spc_check_needed(sparcl_ctx *ctx, const char *op, const sparcl_moved **moved,
                               spc_spans *results) {
    if (*moved && (*moved)->source)
        return spc_ctx_fail(
            ctx, SPARCL_E_ARG,
            "%s: a source is wanted, expected none: only `needed` is a result of it", op);
    return spc_check_moved(ctx, op, moved, 0, results);
}

sparcl_status spc_check_csr_moved(sparcl_ctx *ctx, const char *op, const sparcl_csr *to,
                                  const sparcl_csr *from, const sparcl_moved **moved) {
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    spc_spans results = spc_csr_spans(SPC_TO, to);
    const spc_spans operands = spc_csr_spans(SPC_FROM, from);
    SPC_TRY(spc_check_moved(ctx, op, moved, to->nnz, &results));
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    return spc_need_csr(ctx, op, SPC_FROM, from, SPARCL_VALID);
}

sparcl_status spc_check_coo_moved(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                  const sparcl_coo *from, const sparcl_moved **moved) {
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    spc_spans results = spc_coo_spans(SPC_TO, to);
    const spc_spans operands = spc_coo_spans(SPC_FROM, from);
    SPC_TRY(spc_check_moved(ctx, op, moved, to->nnz, &results));
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    return spc_need_coo(ctx, op, SPC_FROM, from, SPARCL_VALID);
}

sparcl_status spc_check_coo_count(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                  const sparcl_coo *from) {
    SPC_TRY(spc_check_capacity(ctx, op, to->nnz, from->nnz));
    if (to->count || (!from->count && to->nnz == from->nnz)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: `to` has no count, expected one because `from` has %s", op,
                        from->count ? "one" : "fewer entries");
}

sparcl_status spc_check_row_list(sparcl_ctx *ctx, const char *op, const sparcl_list *list,
                                 int64_t limit, const spc_spans *results) {
    SPC_TRY(spc_check_list(ctx, op, "the list", list));
    if (list->limit != limit)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: the list has indices below %lld, expected %lld as its limit", op,
                            (ll)list->limit, (ll)limit);
    const spc_spans operand = {.count = 1, .at = {spc_list_span("the list", list)}};
    SPC_TRY(spc_check_spans(ctx, op, results, &operand));
    return spc_need_list(ctx, op, "the list", list, SPARCL_VALID);
}

/* --- entries by their positions --------------------------------------------------------------- */

#define PLACE_ARGS(p)                                                                              \
    SPC_IN((p).at), SPC_I64((p).capacity), SPC_IN((p).count), SPC_I64((p).count_at)

sparcl_status spc_take(sparcl_ctx *ctx, spc_places p, const spc_take_ids *ids,
                       const spc_take_values *values) {
    static const spc_take_ids no_ids = {.to = NULL};
    static const spc_take_values no_values = {.dtype = SPARCL_F32};
    const spc_take_ids *const i = ids ? ids : &no_ids;
    const spc_take_values *const v = values ? values : &no_values;
    if (p.capacity == 0 || (!i->to && !v->to && !v->source)) return SPARCL_OK;
    return SPC_LAUNCH(
        ctx, "words+take", spc_word_options(v->dtype) | spc_itype_options(p.type, i->from_type),
        "take_entries", spc_range_each(ctx, p.capacity), PLACE_ARGS(p), SPC_IN(i->from),
        SPC_I64(i->from_at), SPC_I64(i->shift), SPC_OUT(i->to), SPC_I64(i->to_at),
        SPC_I32(i->to_type == SPARCL_INDEX64), SPC_IN(v->from), SPC_I64(v->from_at), SPC_OUT(v->to),
        SPC_I64(v->to_at), SPC_OUT(v->source), SPC_I64(v->source_at), SPC_I64(v->base));
}

sparcl_status spc_take_rows(sparcl_ctx *ctx, spc_places p, const spc_take_values *v,
                            int64_t width) {
    if (p.capacity == 0 || width == 0) return SPARCL_OK;
    const spc_range range = spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, p.capacity * width)
                                                : spc_range_rows(ctx, p.capacity, width);
    return SPC_LAUNCH(ctx, "words+take",
                      spc_word_options(v->dtype) | spc_itype_options(p.type, SPARCL_INDEX32),
                      "take_rows", range, PLACE_ARGS(p), SPC_IN(v->from), SPC_I64(v->from_at),
                      SPC_OUT(v->to), SPC_I64(v->to_at), SPC_I64(width));
}

sparcl_status spc_take_coo(sparcl_ctx *ctx, spc_places p, const sparcl_coo *to,
                           const sparcl_coo *from, const int64_t *start,
                           const sparcl_moved *moved) {
    const spc_take_values values = {.dtype = from->dtype,
                                    .from = from->values,
                                    .from_at = from->values_at,
                                    .to = to->values,
                                    .to_at = to->values_at,
                                    .source = moved->source,
                                    .source_at = moved->source_at};
    for (int d = 0; d < from->rank; ++d) {
        const spc_take_ids ids = {from->indices[d],     from->indices_at[d], from->index_type,
                                  start ? start[d] : 0, to->indices[d],      to->indices_at[d],
                                  to->index_type};
        SPC_TRY(spc_take(ctx, p, &ids, d == 0 ? &values : NULL));
    }
    return SPARCL_OK;
}

sparcl_status spc_push_positions(sparcl_ctx *ctx, int64_t n, sparcl_buf **positions) {
    const sparcl_itype type = spc_position_type(n);
    SPC_TRY(spc_scratch_push(ctx, positions, n, sparcl_itype_size(type)));
    const spc_move move = {
        .to = *positions, .to_size = sparcl_itype_size(type), .from_size = sizeof(int32_t)};
    return spc_move_array(ctx, &move, (spc_items){.capacity = n});
}

/* --- entries that are kept -------------------------------------------------------------------- */

sparcl_status spc_kept_open(sparcl_ctx *ctx, spc_kept *kept, int64_t n, const sparcl_buf *count,
                            int64_t count_at) {
    *kept = (spc_kept){.n = n, .count = count, .count_at = count_at, .type = spc_position_type(n)};
    SPC_TRY(spc_scratch_push(ctx, &kept->marks, n, 1));
    SPC_TRY(spc_scratch_push(ctx, &kept->places, n, sparcl_itype_size(kept->type)));
    return spc_scratch_push(ctx, &kept->found, 1, sizeof(int64_t));
}

sparcl_status spc_kept_find(sparcl_ctx *ctx, const spc_kept *kept) {
    const spc_compact_job job = {.n = kept->n,
                                 .count = kept->count,
                                 .count_at = kept->count_at,
                                 .marks = kept->marks,
                                 .place_type = kept->type,
                                 .places = kept->places,
                                 .found = kept->found};
    return spc_compact(ctx, &job);
}

sparcl_status spc_mark_range(sparcl_ctx *ctx, const spc_kept *kept, bool append,
                             const sparcl_buf *ids, int64_t at, sparcl_itype type, int64_t low,
                             int64_t high) {
    if (kept->n == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "scan+entries+keep", spc_itype_options(SPARCL_INDEX32, type),
                      "mark_range", spc_range_each(ctx, kept->n), SPC_OUT(kept->marks),
                      SPC_I32(append), SPC_IN(ids), SPC_I64(at), SPC_I64(low), SPC_I64(high),
                      SPC_I64(kept->n), SPC_IN(kept->count), SPC_I64(kept->count_at));
}

sparcl_status spc_write_found(sparcl_ctx *ctx, const sparcl_buf *found, int64_t capacity,
                              sparcl_buf *count, int64_t count_at, const sparcl_moved *moved) {
    const spc_items items = {capacity, found, 0}, all = {INT64_MAX, found, 0};
    SPC_TRY(spc_write_count(ctx, count, count_at, items));
    return moved->needed ? spc_write_count(ctx, moved->needed, moved->needed_at, all) : SPARCL_OK;
}
