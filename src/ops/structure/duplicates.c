/* duplicates.c: entries with equal indices combined: their sum, mean, largest, smallest, first or
 * last. */
#include "base/size.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/fold.h"
#include "ops/shared/moved.h"
#include "ops/shared/partition.h"
#include "ops/shared/rows.h"
#include "ops/structure/sort_rows.h"
#include "ops/structure/unique.h"
#include "prim/segment.h"

#define PROGRAM "scan+duplicates"

/* The values of an operand and a result, and what is made of runs. */
typedef struct combination {
    sparcl_duplicates how;
    sparcl_dtype dtype;
    const sparcl_buf *from;
    sparcl_buf *to;
    int64_t from_at, to_at;
} combination;

static bool is_computed(sparcl_duplicates how) {
    return how <= SPARCL_MIN;
}

/* --- checks ----------------------------------------------------------------------------------- */

static sparcl_status check_more(sparcl_ctx *ctx, const char *op, sparcl_duplicates how,
                                const sparcl_coalesced **more, int64_t from, int64_t to,
                                spc_spans *results) {
    static const sparcl_coalesced nothing = {.source = NULL};
    if (!*more) *more = &nothing;
    const sparcl_coalesced *const m = *more;
    if ((unsigned)how > SPARCL_LAST)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: how is %d, expected SPARCL_SUM to SPARCL_LAST",
                            op, (int)how);
    if (m->reserved[0] || m->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved fields of more are not zero", op);
    SPC_TRY(spc_check_int64s(ctx, op, "the inverse", m->inverse, m->inverse_at, from, results));
    SPC_TRY(spc_check_int64s(ctx, op, "the counts", m->counts, m->counts_at, to, results));
    return spc_check_int64s(ctx, op, "the source", m->source, m->source_at, to, results);
}

static spc_types types_of(sparcl_duplicates how) {
    return is_computed(how) ? SPC_FLOATS : SPC_ALL_TYPES;
}

static sparcl_status check_count(sparcl_ctx *ctx, const char *op, const sparcl_buf *count) {
    if (count) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has no count, expected one", op);
}

/* --- the values of runs ----------------------------------------------------------------------- */

/* Sums, or the best items, of the blocks of long runs. */
static sparcl_status combine_blocks(sparcl_ctx *ctx, const combination *c,
                                    const spc_ordered_runs *runs, uint32_t options,
                                    sparcl_buf **sums, sparcl_buf **picks) {
    const int64_t blocks = runs->n / SPC_ROW_BLOCK + 1;
    const bool adds = c->how <= SPARCL_MEAN;
    const size_t real = c->dtype == SPARCL_F64 ? 8 : 4;
    SPC_TRY(spc_scratch_push(ctx, adds ? sums : picks, blocks,
                             adds ? real : sparcl_itype_size(runs->type)));
    return SPC_LAUNCH(ctx, PROGRAM, options, "duplicate_blocks", spc_range_each(ctx, blocks * 8),
                      SPC_RUN_ARGS(runs), SPC_IN(c->from), SPC_I64(c->from_at), SPC_I32(c->how),
                      SPC_OUT(*sums), SPC_OUT(*picks));
}

/* chosen[u] := the first or the last item of run u. */
static sparcl_status choose_ends(sparcl_ctx *ctx, sparcl_duplicates how,
                                 const spc_ordered_runs *runs, sparcl_buf *chosen) {
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(runs->type, SPARCL_INDEX32), "duplicate_ends",
                      spc_range_each(ctx, runs->n), SPC_RUN_ARGS(runs), SPC_I32(how),
                      SPC_OUT(chosen));
}

static sparcl_status combine(sparcl_ctx *ctx, const combination *c, const spc_ordered_runs *runs,
                             sparcl_buf *chosen) {
    const uint32_t options = spc_options(c->dtype, runs->type, SPARCL_INDEX32);
    sparcl_buf *sums = NULL, *picks = NULL;
    if (!is_computed(c->how)) return choose_ends(ctx, c->how, runs, chosen);
    SPC_TRY(combine_blocks(ctx, c, runs, options, &sums, &picks));
    return SPC_LAUNCH(ctx, PROGRAM, options, "duplicate_values", spc_range_each(ctx, runs->n),
                      SPC_RUN_ARGS(runs), SPC_IN(c->from), SPC_I64(c->from_at), SPC_I32(c->how),
                      SPC_IN(sums), SPC_IN(picks), SPC_OUT(c->to), SPC_I64(c->to_at),
                      SPC_OUT(chosen));
}

/* The sum, mean, largest or smallest of each element of the items of a run. */
static sparcl_status fold_runs(sparcl_ctx *ctx, const char *op, const combination *c, int64_t width,
                               const spc_ordered_runs *runs) {
    static const sparcl_reduction kinds[] = {[SPARCL_SUM] = SPARCL_REDUCE_SUM,
                                             [SPARCL_MEAN] = SPARCL_REDUCE_MEAN,
                                             [SPARCL_MAX] = SPARCL_REDUCE_MAX,
                                             [SPARCL_MIN] = SPARCL_REDUCE_MIN};
    const spc_reduction r = spc_reduction_of(kinds[c->how]);
    const spc_fold_job job = {.fold = r.fold,
                              .finish = r.finish,
                              .rows = width,
                              .dtype = c->dtype,
                              .runs = {.count = runs->n,
                                       .items = runs->n,
                                       .offsets = runs->starts,
                                       .type = runs->type,
                                       .perm = runs->places,
                                       .longest = INT64_MAX,
                                       .found = runs->found,
                                       .found_at = runs->found_at},
                              .x = {c->from, c->from_at, width},
                              .to = c->to,
                              .to_at = c->to_at,
                              .to_ld = width};
    return width > 0 ? spc_fold_runs(ctx, op, &job) : SPARCL_OK;
}

/* The items of each run: `chosen`, and what the caller wants besides. */
static sparcl_status write_more(sparcl_ctx *ctx, const spc_ordered_runs *runs,
                                const sparcl_coalesced *more, spc_places chosen) {
    const spc_take_values source = {.source = more->source, .source_at = more->source_at};
    SPC_TRY(spc_write_inverse(ctx, runs, more->inverse, more->inverse_at));
    SPC_TRY(spc_write_runs(ctx, runs, more->counts, more->counts_at, NULL, 0, false));
    return more->source ? spc_take(ctx, chosen, NULL, &source) : SPARCL_OK;
}

/* --- COO -------------------------------------------------------------------------------------- */

static sparcl_status find_entry_runs(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                     spc_ordered_runs *runs) {
    spc_coo_order order;
    SPC_TRY(spc_coo_find_order(ctx, from, true, &order));
    *runs = (spc_ordered_runs){.n = from->nnz,
                               .type = order.place_type,
                               .places = order.places,
                               .found = to->count,
                               .found_at = to->count_at};
    SPC_TRY(spc_scratch_push(ctx, &runs->starts, from->nnz + 1, sparcl_itype_size(runs->type)));
    const spc_segment_job job = {.n = from->nnz,
                                 .count = from->count,
                                 .count_at = from->count_at,
                                 .key_type = order.key_type,
                                 .keys = order.keys,
                                 .start_type = runs->type,
                                 .starts = runs->starts,
                                 .found = to->count,
                                 .found_at = to->count_at};
    return spc_segments(ctx, &job);
}

static sparcl_status coalesce_entries(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                      sparcl_duplicates how, const sparcl_coalesced *more) {
    const combination c = {how,        from->dtype,     from->values,
                           to->values, from->values_at, to->values_at};
    spc_ordered_runs runs;
    sparcl_buf *chosen = NULL;
    if (from->nnz == 0) return spc_write_count(ctx, to->count, to->count_at, spc_coo_items(from));
    SPC_TRY(find_entry_runs(ctx, to, from, &runs));
    SPC_TRY(spc_scratch_push(ctx, &chosen, from->nnz, sparcl_itype_size(runs.type)));
    SPC_TRY(combine(ctx, &c, &runs, chosen));
    const spc_places places = {runs.type, chosen, from->nnz, to->count, to->count_at};
    sparcl_coo moved = *to;
    if (is_computed(how)) moved.values = NULL; /* they are there already */
    const sparcl_moved nothing = {.source = NULL};
    SPC_TRY(spc_take_coo(ctx, places, &moved, from, NULL, &nothing));
    return write_more(ctx, &runs, more, places);
}

sparcl_status spc_coo_fold(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                           const sparcl_coo *from, sparcl_duplicates how) {
    const combination c = {how,        from->dtype,     from->values,
                           to->values, from->values_at, to->values_at};
    const sparcl_moved nothing = {.source = NULL};
    sparcl_coo indices = *to;
    spc_ordered_runs runs;
    sparcl_buf *chosen = NULL;
    if (from->nnz == 0) return spc_write_count(ctx, to->count, to->count_at, spc_coo_items(from));
    SPC_TRY(find_entry_runs(ctx, to, from, &runs));
    SPC_TRY(spc_scratch_push(ctx, &chosen, from->nnz, sparcl_itype_size(runs.type)));
    SPC_TRY(choose_ends(ctx, SPARCL_FIRST, &runs, chosen));
    const spc_places places = {runs.type, chosen, from->nnz, to->count, to->count_at};
    indices.values = NULL;
    SPC_TRY(spc_take_coo(ctx, places, &indices, from, NULL, &nothing));
    return fold_runs(ctx, op, &c, 1, &runs);
}

sparcl_status sparcl_coo_coalesce(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                                  sparcl_duplicates how, const sparcl_coalesced *more) {
    static const char op[] = "coo_coalesce";
    const bool plain = how == SPARCL_SUM && !more;
    SPC_TRY(spc_check_coo_pair(ctx, op, to, from, types_of(how)));
    SPC_TRY(check_count(ctx, op, to->count));
    spc_spans results = spc_coo_spans(SPC_TO, to);
    const spc_spans operands = spc_coo_spans(SPC_FROM, from);
    SPC_TRY(check_more(ctx, op, how, &more, from->nnz, to->nnz, &results));
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    SPC_TRY(spc_need_coo(ctx, op, SPC_FROM, from, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status =
        plain ? spc_coo_sum(ctx, to, from) : coalesce_entries(ctx, to, from, how, more);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_coo(to, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}

/* --- row-sparse ------------------------------------------------------------------------------- */

/* The first or the last row of each run. */
static sparcl_status take_ends(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *from,
                               sparcl_duplicates how, const spc_ordered_runs *runs) {
    const spc_take_values values = {.dtype = from->dtype,
                                    .from = from->values,
                                    .from_at = from->values_at,
                                    .to = to->values,
                                    .to_at = to->values_at};
    sparcl_buf *chosen = NULL;
    SPC_TRY(spc_scratch_push(ctx, &chosen, from->nnr, sparcl_itype_size(runs->type)));
    SPC_TRY(choose_ends(ctx, how, runs, chosen));
    const spc_places places = {runs->type, chosen, from->nnr, to->count, to->count_at};
    return spc_take_rows(ctx, places, &values, spc_shape_width(from->rank, from->shape));
}

static sparcl_status coalesce_rows(sparcl_ctx *ctx, const char *op, const sparcl_rows *to,
                                   const sparcl_rows *from, sparcl_duplicates how,
                                   const sparcl_coalesced *more) {
    const spc_ids ids = {.at = from->indices,
                         .at_from = from->indices_at,
                         .n = from->nnr,
                         .limit = from->shape[0],
                         .type = from->index_type,
                         .count = from->count,
                         .count_at = from->count_at,
                         .is_sorted = sparcl_rows_flags(from) & SPARCL_SORTED};
    spc_ordered_runs runs;
    SPC_TRY(
        spc_find_id_runs(ctx, ids, to->indices, to->indices_at, to->count, to->count_at, &runs));
    if (from->nnr == 0) return SPARCL_OK;
    const combination c = {how,        from->dtype,     from->values,
                           to->values, from->values_at, to->values_at};
    SPC_TRY(is_computed(how)
                ? fold_runs(ctx, op, &c, spc_shape_width(from->rank, from->shape), &runs)
                : take_ends(ctx, to, from, how, &runs));
    SPC_TRY(spc_write_inverse(ctx, &runs, more->inverse, more->inverse_at));
    return spc_write_runs(ctx, &runs, more->counts, more->counts_at, more->source, more->source_at,
                          how == SPARCL_LAST);
}

sparcl_status sparcl_rows_coalesce(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *from,
                                   sparcl_duplicates how, const sparcl_coalesced *more) {
    static const char op[] = "rows_coalesce";
    const bool plain = how == SPARCL_SUM && !more;
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_TO, to, types_of(how)));
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_FROM, from, types_of(how)));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, SPC_FROM, from->rank,
                                 from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_check_same_itype(ctx, op, SPC_TO, to->index_type, SPC_FROM, from->index_type));
    SPC_TRY(spc_check_capacity(ctx, op, to->nnr, from->nnr));
    SPC_TRY(check_count(ctx, op, to->count));
    spc_spans results = spc_rows_spans(SPC_TO, to);
    const spc_spans operands = spc_rows_spans(SPC_FROM, from);
    SPC_TRY(check_more(ctx, op, how, &more, from->nnr, to->nnr, &results));
    if (more->source && (how == SPARCL_MAX || how == SPARCL_MIN))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: a source is wanted, but each element of a row may come from "
                            "another row; expected none",
                            op);
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    SPC_TRY(spc_need_rows(ctx, op, SPC_FROM, from, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status =
        plain ? spc_rows_sum(ctx, to, from) : coalesce_rows(ctx, op, to, from, how, more);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(to, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}

/* --- CSR -------------------------------------------------------------------------------------- */

/* The sorted entries as a COO array whose rows and columns are in scratch memory. */
static sparcl_status sum_entries(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                 sparcl_buf *inverse, int64_t inverse_at) {
    const sparcl_coalesced more = {.inverse = inverse, .inverse_at = inverse_at};
    sparcl_coo entries, sums;
    SPC_TRY(spc_csr_as_coo(ctx, from, &entries));
    sums = entries;
    const size_t size = sparcl_itype_size(entries.index_type);
    for (int d = 0; d < 2; ++d) {
        SPC_TRY(spc_scratch_push(ctx, &sums.indices[d], from->nnz, size));
        sums.indices_at[d] = 0;
    }
    SPC_TRY(spc_scratch_push(ctx, &sums.count, 1, sizeof(int64_t)));
    sums.values = to->values;
    sums.values_at = to->values_at;
    SPC_TRY(sparcl_coo_coalesce(ctx, &sums, &entries, SPARCL_SUM, inverse ? &more : NULL));
    const spc_take_ids columns = {
        sums.indices[1], 0, sums.index_type, 0, to->indices, to->indices_at, to->index_type};
    const spc_places all = {SPARCL_INDEX32, NULL, from->nnz, sums.count, 0};
    SPC_TRY(spc_take(ctx, all, &columns, NULL));
    const spc_sorted_ids rows = {sums.indices[0], 0, sums.index_type};
    return spc_write_offsets(ctx, to->offsets, to->offsets_at, to->offset_type, &rows, to->rows,
                             spc_coo_items(&sums));
}

static sparcl_status sum_duplicates(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                    sparcl_buf *inverse, int64_t inverse_at) {
    SPC_TRY((spc_sort_rows_applies(ctx, from) ? spc_sum_row_duplicates
                                              : sum_entries)(ctx, to, from, inverse, inverse_at));
    if (!inverse || from->nnz == 0) return SPARCL_OK;
    return spc_csr_pad(ctx, inverse, inverse_at, SPC_INDEX64, to->nnz - 1, from);
}

sparcl_status sparcl_csr_sum_duplicates(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                        sparcl_buf *inverse, int64_t inverse_at) {
    static const char op[] = "sum_duplicates";
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_TO, to, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_FROM, from, SPC_FLOATS));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, from->rows, from->cols));
    SPC_TRY(spc_check_capacity(ctx, op, to->nnz, from->nnz));
    spc_spans results = spc_csr_spans(SPC_TO, to);
    const spc_spans operands = spc_csr_spans(SPC_FROM, from);
    SPC_TRY(spc_check_int64s(ctx, op, "the inverse", inverse, inverse_at, from->nnz, &results));
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    SPC_TRY(spc_need_csr(ctx, op, SPC_FROM, from, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = sum_duplicates(ctx, to, from, inverse, inverse_at);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(to, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}
