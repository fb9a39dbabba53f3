/* unique.c: the distinct indices of a list. */
#include "ops/structure/unique.h"

#include "ops/shared/moved.h"
#include "prim/segment.h"
#include "prim/sort.h"

#define PROGRAM "scan+entries+unique"

static sparcl_status sort_ids(sparcl_ctx *ctx, spc_ids ids, sparcl_buf **keys,
                              spc_ordered_runs *runs) {
    sparcl_buf *places = NULL;
    SPC_TRY(spc_scratch_push(ctx, keys, ids.n, sparcl_itype_size(ids.type)));
    SPC_TRY(spc_scratch_push(ctx, &places, ids.n, sparcl_itype_size(runs->type)));
    runs->places = places;
    const spc_sort_job job = {.n = ids.n,
                              .count = ids.count,
                              .count_at = ids.count_at,
                              .key_type = ids.type,
                              .bits = spc_key_bits(ids.limit),
                              .upper_bits_zero = true,
                              .from_keys = ids.at,
                              .from_keys_at = ids.at_from,
                              .keys = *keys,
                              .payload_type = runs->type,
                              .payload = places};
    return spc_sort(ctx, &job);
}

sparcl_status spc_find_id_runs(sparcl_ctx *ctx, spc_ids ids, sparcl_buf *unique, int64_t unique_at,
                               sparcl_buf *found, int64_t found_at, spc_ordered_runs *runs) {
    sparcl_buf *keys = NULL;
    *runs = (spc_ordered_runs){
        .n = ids.n, .type = spc_position_type(ids.n), .found = found, .found_at = found_at};
    if (!ids.is_sorted) SPC_TRY(sort_ids(ctx, ids, &keys, runs));
    SPC_TRY(spc_scratch_push(ctx, &runs->starts, ids.n + 1, sparcl_itype_size(runs->type)));
    const spc_segment_job job = {.n = ids.n,
                                 .count = ids.count,
                                 .count_at = ids.count_at,
                                 .key_type = ids.type,
                                 .keys = keys ? keys : ids.at,
                                 .keys_at = keys ? 0 : ids.at_from,
                                 .start_type = runs->type,
                                 .starts = runs->starts,
                                 .unique = unique,
                                 .unique_at = unique_at,
                                 .found = found,
                                 .found_at = found_at};
    return spc_segments(ctx, &job);
}

sparcl_status spc_write_inverse(sparcl_ctx *ctx, const spc_ordered_runs *runs, sparcl_buf *inverse,
                                int64_t at) {
    if (!inverse || runs->n == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(runs->type, SPARCL_INDEX32), "unique_inverse",
                      spc_range_each(ctx, runs->n), SPC_RUN_ARGS(runs), SPC_OUT(inverse),
                      SPC_I64(at));
}

sparcl_status spc_write_keys(sparcl_ctx *ctx, const spc_ordered_runs *runs, sparcl_itype type,
                             const sparcl_buf *indices, sparcl_buf *keys) {
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(runs->type, type), "unique_keys",
                      spc_range_each(ctx, runs->n), SPC_RUN_ARGS(runs), SPC_IN(indices),
                      SPC_OUT(keys));
}

sparcl_status spc_write_runs(sparcl_ctx *ctx, const spc_ordered_runs *runs, sparcl_buf *counts,
                             int64_t counts_at, sparcl_buf *ends, int64_t ends_at, bool last) {
    if ((!counts && !ends) || runs->n == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(runs->type, SPARCL_INDEX32), "unique_runs",
                      spc_range_each(ctx, runs->n), SPC_RUN_ARGS(runs), SPC_OUT(counts),
                      SPC_I64(counts_at), SPC_OUT(ends), SPC_I64(ends_at), SPC_I32(last));
}

static sparcl_status check_unique(sparcl_ctx *ctx, const sparcl_unique_result *to,
                                  const sparcl_list *list) {
    SPC_TRY(spc_check_list(ctx, "unique", "the list", list));
    if (!to || !to->found)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "unique: %s is NULL", to ? "`found`" : "the result");
    if (to->reserved[0] || to->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "unique: the reserved fields of the result are not zero");
    spc_spans results = {.count = 0};
    const spc_spans operand = {.count = 1, .at = {spc_list_span("the list", list)}};
    const size_t size = sparcl_itype_size(list->index_type);
    SPC_TRY(spc_check_int64s(ctx, "unique", "`found`", to->found, to->found_at, 1, &results));
    SPC_TRY(spc_check_int64s(ctx, "unique", "the inverse", to->inverse, to->inverse_at, list->count,
                             &results));
    SPC_TRY(spc_check_int64s(ctx, "unique", "the counts", to->counts, to->counts_at, list->count,
                             &results));
    SPC_TRY(
        spc_check_int64s(ctx, "unique", "`first`", to->first, to->first_at, list->count, &results));
    if (to->indices)
        SPC_TRY(spc_check_buf(ctx, "unique", "the indices", to->indices, to->indices_at,
                              list->count, size));
    results.at[results.count++] = spc_array_span(NULL, "the indices", to->indices, to->indices_at,
                                                 to->indices ? list->count : 0, size);
    SPC_TRY(spc_check_spans(ctx, "unique", &results, &operand));
    return spc_need_list(ctx, "unique", "the list", list, SPARCL_VALID);
}

static sparcl_status find_unique(sparcl_ctx *ctx, const sparcl_unique_result *to,
                                 const sparcl_list *list) {
    const spc_ids ids = {.at = list->indices,
                         .at_from = list->indices_at,
                         .n = list->count,
                         .limit = list->limit,
                         .type = list->index_type,
                         .is_sorted = sparcl_list_flags(list) & SPARCL_SORTED};
    spc_ordered_runs runs;
    SPC_TRY(
        spc_find_id_runs(ctx, ids, to->indices, to->indices_at, to->found, to->found_at, &runs));
    SPC_TRY(spc_write_inverse(ctx, &runs, to->inverse, to->inverse_at));
    return spc_write_runs(ctx, &runs, to->counts, to->counts_at, to->first, to->first_at, false);
}

sparcl_status sparcl_unique(sparcl_ctx *ctx, const sparcl_unique_result *to,
                            const sparcl_list *list) {
    SPC_TRY(check_unique(ctx, to, list));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = find_unique(ctx, to, list);
    spc_scratch_release(ctx, mark);
    return status;
}
