/* take.c: CSR matrices in another order: rows or columns of a list, the transpose, sorted rows. */
#include "base/size.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/moved.h"
#include "ops/structure/sort_rows.h"
#include "prim/scan.h"
#include "sparcl/ops/conversions.h"

typedef long long ll; /* for %lld */

/* --- values as positions ---------------------------------------------------------------------- */

/* Are positions not needed, because the operation moves such values itself? */
static bool moves_itself(const sparcl_csr *from, const sparcl_moved *moved) {
    return !moved->source && (from->dtype == SPARCL_F32 || from->dtype == SPARCL_F64);
}

sparcl_status spc_csr_with_positions(sparcl_ctx *ctx, sparcl_csr *view, const sparcl_csr *a) {
    sparcl_buf *positions = NULL;
    SPC_TRY(spc_push_positions(ctx, a->nnz, &positions));
    *view = *a;
    view->dtype = spc_position_type(a->nnz) == SPARCL_INDEX64 ? SPARCL_F64 : SPARCL_F32;
    view->values = positions;
    view->values_at = 0;
    return SPARCL_OK;
}

sparcl_status spc_csr_for_positions(sparcl_ctx *ctx, sparcl_csr *view, const sparcl_csr *to,
                                    sparcl_dtype dtype) {
    sparcl_buf *places = NULL;
    SPC_TRY(spc_scratch_push(ctx, &places, to->nnz, sparcl_dtype_size(dtype)));
    *view = *to;
    view->dtype = dtype;
    view->values = places;
    view->values_at = 0;
    return SPARCL_OK;
}

static spc_take_values values_of(const sparcl_csr *to, const sparcl_csr *from,
                                 const sparcl_moved *moved) {
    return (spc_take_values){.dtype = from->dtype,
                             .from = from->values,
                             .from_at = from->values_at,
                             .to = to->values,
                             .to_at = to->values_at,
                             .source = moved->source,
                             .source_at = moved->source_at};
}

sparcl_status spc_csr_take_values(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                  const sparcl_csr *places, const sparcl_moved *moved) {
    sparcl_buf *count = NULL;
    SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    SPC_TRY(spc_csr_write_count(ctx, count, 0, to));
    const spc_places at = {places->dtype == SPARCL_F64 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                           places->values, to->nnz, count, 0};
    const spc_take_values values = values_of(to, from, moved);
    return spc_take(ctx, at, NULL, &values);
}

/* --- rows of a list --------------------------------------------------------------------------- */

static sparcl_status take_rows(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                               const sparcl_list *list, const sparcl_moved *moved) {
    sparcl_csr positions, places;
    SPC_TRY(spc_csr_with_positions(ctx, &positions, from));
    SPC_TRY(spc_csr_for_positions(ctx, &places, to, positions.dtype));
    SPC_TRY(spc_csr_select_rows(ctx, &places, &positions, list, moved));
    return spc_csr_take_values(ctx, to, from, &places, moved);
}

sparcl_status sparcl_csr_take_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                   const sparcl_list *list, const sparcl_moved *moved) {
    static const char op[] = "csr_take_rows";
    SPC_TRY(spc_check_csr_moved(ctx, op, to, from, &moved));
    spc_spans results = spc_csr_spans(SPC_TO, to);
    SPC_TRY(spc_check_moved(ctx, op, &moved, to->nnz, &results));
    SPC_TRY(spc_check_row_list(ctx, op, list, from->rows, &results));
    if (to->rows != list->count || to->cols != from->cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: `to` is %lld x %lld, expected %lld rows (the list's) and %lld "
                            "columns",
                            op, (ll)to->rows, (ll)to->cols, (ll)list->count, (ll)from->cols);
    const uint32_t flags = sparcl_csr_flags(from);
    const int64_t longest = spc_csr_longest(from);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status =
        (moved->source ? take_rows : spc_csr_select_rows)(ctx, to, from, list, moved);
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    spc_prove_csr(to, flags);
    if (longest <= UINT32_MAX) to->proof.longest_row = (uint32_t)longest;
    return SPARCL_OK;
}

/* --- the transpose ---------------------------------------------------------------------------- */

/* The CSC view that has the same arrays as the CSR view of its transpose. */
static sparcl_csc transposed(const sparcl_csr *a) {
    return (sparcl_csc){.rows = a->cols,
                        .cols = a->rows,
                        .nnz = a->nnz,
                        .dtype = a->dtype,
                        .offset_type = a->offset_type,
                        .index_type = a->index_type,
                        .offsets = a->offsets,
                        .indices = a->indices,
                        .values = a->values,
                        .offsets_at = a->offsets_at,
                        .indices_at = a->indices_at,
                        .values_at = a->values_at};
}

static sparcl_status transpose(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                               const sparcl_moved *moved) {
    sparcl_csc result = transposed(to);
    sparcl_csr positions, places;
    if (moves_itself(from, moved)) return sparcl_csr_to_csc(ctx, &result, from);
    SPC_TRY(spc_csr_with_positions(ctx, &positions, from));
    SPC_TRY(spc_csr_for_positions(ctx, &places, to, positions.dtype));
    result = transposed(&places);
    SPC_TRY(sparcl_csr_to_csc(ctx, &result, &positions));
    return spc_csr_take_values(ctx, to, from, &places, moved);
}

typedef sparcl_status (*mover)(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                               const sparcl_moved *moved);

/* All entries in another order, which sorts the rows of `to`. */
static sparcl_status move_all(sparcl_ctx *ctx, const char *op, sparcl_csr *to,
                              const sparcl_csr *from, bool is_transposed, const sparcl_moved *moved,
                              mover move) {
    SPC_TRY(spc_check_csr_moved(ctx, op, to, from, &moved));
    const int64_t rows = is_transposed ? from->cols : from->rows;
    const int64_t cols = is_transposed ? from->rows : from->cols;
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, rows, cols));
    SPC_TRY(spc_check_capacity(ctx, op, to->nnz, from->nnz));
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = move(ctx, to, from, moved);
    if (status == SPARCL_OK && moved->needed)
        status = spc_csr_write_count(ctx, moved->needed, moved->needed_at, from);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK)
        spc_prove_csr(to, SPARCL_VALID | SPARCL_SORTED | (sparcl_csr_flags(from) & SPARCL_UNIQUE));
    return status;
}

sparcl_status sparcl_csr_transpose(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                   const sparcl_moved *moved) {
    return move_all(ctx, "transpose", to, from, true, moved, transpose);
}

/* --- sorted rows ------------------------------------------------------------------------------ */

/* An array of `count` integers, also to another type. */
static sparcl_status copy_ints(sparcl_ctx *ctx, sparcl_buf *to, int64_t to_at, sparcl_itype to_type,
                               const sparcl_buf *from, int64_t from_at, sparcl_itype from_type,
                               int64_t count) {
    const spc_move move = {.to = to,
                           .to_at = to_at,
                           .to_size = sparcl_itype_size(to_type),
                           .from = from,
                           .from_at = from_at,
                           .from_size = sparcl_itype_size(from_type)};
    return spc_move_array(ctx, &move, (spc_items){.capacity = count});
}

sparcl_status spc_csr_as_coo(sparcl_ctx *ctx, const sparcl_csr *a, sparcl_coo *view) {
    const sparcl_itype type = a->rows > INT32_MAX ? SPARCL_INDEX64 : a->index_type;
    sparcl_buf *rows = NULL, *count = NULL, *columns = a->indices;
    SPC_TRY(spc_scratch_push(ctx, &rows, a->nnz, sparcl_itype_size(type)));
    SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    SPC_TRY(spc_csr_write_rows(ctx, rows, 0, type, a));
    SPC_TRY(spc_csr_write_count(ctx, count, 0, a));
    if (type != a->index_type) {
        SPC_TRY(spc_scratch_push(ctx, &columns, a->nnz, sizeof(int64_t)));
        SPC_TRY(copy_ints(ctx, columns, 0, type, a->indices, a->indices_at, a->index_type, a->nnz));
    }
    *view = (sparcl_coo){.rank = 2,
                         .dtype = a->dtype,
                         .index_type = type,
                         .shape = {a->rows, a->cols},
                         .nnz = a->nnz,
                         .indices = {rows, columns},
                         .indices_at = {0, columns == a->indices ? a->indices_at : 0},
                         .values = a->values,
                         .values_at = a->values_at,
                         .count = count};
    view->proof.flags = SPARCL_TRUSTED | (sparcl_csr_flags(a) & (SPARCL_SORTED | SPARCL_UNIQUE));
    return SPARCL_OK;
}

static sparcl_status sort_indices(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                  const sparcl_moved *moved) {
    sparcl_coo entries;
    spc_coo_order order;
    SPC_TRY(copy_ints(ctx, to->offsets, to->offsets_at, to->offset_type, from->offsets,
                      from->offsets_at, from->offset_type, from->rows + 1));
    if (spc_sort_rows_applies(ctx, from))
        return spc_sort_rows(ctx, to, from, moved->source, moved->source_at);
    SPC_TRY(spc_csr_as_coo(ctx, from, &entries));
    SPC_TRY(spc_coo_find_order(ctx, &entries, false, &order));
    const spc_places places = {order.place_type, order.places, from->nnz, entries.count, 0};
    const spc_take_ids columns = {from->indices, from->indices_at, from->index_type, 0,
                                  to->indices,   to->indices_at,   to->index_type};
    const spc_take_values values = values_of(to, from, moved);
    return spc_take(ctx, places, &columns, &values);
}

sparcl_status sparcl_csr_sort_indices(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                      const sparcl_moved *moved) {
    return move_all(ctx, "sort_indices", to, from, false, moved, sort_indices);
}

/* --- columns of a list ------------------------------------------------------------------------ */

#define PROGRAM "scan+entries+columns_of"

/* The list in ascending order, and where each column is in it. */
typedef struct sorted_list {
    sparcl_itype type;
    sparcl_buf *order, *starts; /* positions [count]; [limit + 1] */
} sorted_list;

static sparcl_status sort_list(sparcl_ctx *ctx, const sparcl_list *list, sorted_list *s) {
    sparcl_buf *keys = NULL;
    SPC_TRY(spc_scratch_push(ctx, &s->order, list->count, sparcl_itype_size(s->type)));
    SPC_TRY(spc_scratch_push(ctx, &s->starts, list->limit + 1, sparcl_itype_size(s->type)));
    SPC_TRY(spc_scratch_push(ctx, &keys, list->count, sparcl_itype_size(list->index_type)));
    const spc_sort_job job = {.n = list->count,
                              .key_type = list->index_type,
                              .bits = spc_key_bits(list->limit),
                              .upper_bits_zero = true,
                              .from_keys = list->indices,
                              .from_keys_at = list->indices_at,
                              .keys = keys,
                              .payload_type = s->type,
                              .payload = s->order};
    SPC_TRY(spc_sort(ctx, &job));
    const spc_sorted_ids ids = {keys, 0, list->index_type};
    return spc_write_offsets(ctx, s->starts, 0, s->type, &ids, list->limit,
                             (spc_items){.capacity = list->count});
}

/* sums[k]: entries of the result before those of entry k. */
static sparcl_status sum_repeats(sparcl_ctx *ctx, const sparcl_csr *from, const sorted_list *s,
                                 sparcl_buf *sums) {
    sparcl_buf *count = NULL;
    const spc_scan_job scan = {.n = from->nnz,
                               .from_type = SPARCL_INDEX64,
                               .to_type = SPARCL_INDEX64,
                               .from = sums,
                               .to = sums};
    SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    SPC_TRY(spc_csr_write_count(ctx, count, 0, from));
    if (from->nnz > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(s->type, from->index_type), "repeats",
                           spc_range_each(ctx, from->nnz), SPC_IN(s->starts), SPC_IN(from->indices),
                           SPC_I64(from->indices_at), SPC_I64(from->nnz), SPC_IN(count),
                           SPC_OUT(sums)));
    return spc_scan(ctx, &scan);
}

static sparcl_status take_columns(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                  const sparcl_list *list, const sparcl_moved *moved) {
    sorted_list s = {.type = spc_position_type(spc_max_i64(from->nnz, list->count))};
    sparcl_buf *sums = NULL, *places = NULL, *count = NULL;
    const uint32_t options = spc_itype_options(s.type, from->index_type);
    SPC_TRY(sort_list(ctx, list, &s));
    SPC_TRY(spc_scratch_push(ctx, &sums, from->nnz + 1, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &places, to->nnz, sparcl_itype_size(s.type)));
    SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    SPC_TRY(sum_repeats(ctx, from, &s, sums));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "repeat_offsets", spc_range_each(ctx, to->rows + 1),
                       SPC_IN(sums), SPC_IN(from->offsets), SPC_I64(from->offsets_at),
                       SPC_I32(from->offset_type == SPARCL_INDEX64), SPC_I64(to->rows),
                       SPC_OUT(to->offsets), SPC_I64(to->offsets_at),
                       SPC_I32(to->offset_type == SPARCL_INDEX64), SPC_I64(to->nnz),
                       SPC_OUT(moved->needed), SPC_I64(moved->needed_at)));
    if (to->nnz == 0 || from->nnz == 0) return SPARCL_OK;
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "expand_columns",
                       spc_range_each(ctx, spc_ctx_is_gpu(ctx) ? to->nnz : from->nnz), SPC_IN(sums),
                       SPC_I64(from->nnz), SPC_IN(s.starts), SPC_IN(s.order), SPC_IN(from->indices),
                       SPC_I64(from->indices_at), SPC_I64(to->nnz), SPC_OUT(places),
                       SPC_OUT(to->indices), SPC_I64(to->indices_at),
                       SPC_I32(to->index_type == SPARCL_INDEX64)));
    SPC_TRY(spc_csr_write_count(ctx, count, 0, to));
    const spc_take_values values = values_of(to, from, moved);
    return spc_take(ctx, (spc_places){s.type, places, to->nnz, count, 0}, NULL, &values);
}

sparcl_status sparcl_csr_take_columns(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                      const sparcl_list *list, const sparcl_moved *moved) {
    SPC_TRY(spc_check_csr_moved(ctx, "take_columns", to, from, &moved));
    spc_spans results = spc_csr_spans(SPC_TO, to);
    SPC_TRY(spc_check_moved(ctx, "take_columns", &moved, to->nnz, &results));
    SPC_TRY(spc_check_row_list(ctx, "take_columns", list, from->cols, &results));
    SPC_TRY(spc_check_same_size(ctx, "take_columns", to->rows, to->cols, from->rows, list->count));
    const int mark = spc_scratch_mark(ctx);
    /* No entry is taken twice. */
    const bool is_unique = sparcl_list_flags(list) & SPARCL_UNIQUE && list->count <= INT32_MAX;
    const sparcl_status status =
        (is_unique ? spc_keep_columns : take_columns)(ctx, to, from, list, moved);
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    /* Ascending columns stay so; different ones stay different, and so do the numbers of one. */
    const uint32_t marks = sparcl_csr_flags(from), ascending = SPARCL_SORTED | SPARCL_UNIQUE;
    const bool sorted =
        (sparcl_list_flags(list) & ascending) == ascending && (marks & SPARCL_SORTED);
    spc_prove_csr(to, SPARCL_VALID | (marks & SPARCL_UNIQUE) | (sorted ? SPARCL_SORTED : 0u));
    return SPARCL_OK;
}
