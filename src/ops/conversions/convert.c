/* convert.c: matrices between COO, CSR and CSC format. */
#include "ops/shared/csr_parts.h"

#include "base/size.h"
#include "ops/conversions/tail.h"
#include "ops/products/pattern.h"
#include "ops/shared/order.h"
#include "ops/shared/pair.h"
#include "prim/sort.h"
#include "sparcl/ops/conversions.h"

typedef spc_sorted_ids numbers;

/* The values of a view, which are moved. */
typedef struct value_array {
    const sparcl_buf *buf;
    int64_t at;
    sparcl_dtype dtype;
} value_array;

/* Columns and values that both views have stay where they are. */
typedef struct shared_arrays {
    bool columns, values;
} shared_arrays;

static shared_arrays find_shared(const sparcl_coo *coo, const sparcl_csr *csr) {
    return (shared_arrays){
        .columns = coo->indices[1] == csr->indices && coo->indices_at[1] == csr->indices_at &&
                   coo->index_type == csr->index_type,
        .values = coo->values == csr->values && coo->values_at == csr->values_at};
}

/* The arrays of `to`, which has at least the capacity of `from`, are checked for both. */
static sparcl_status check_spans(sparcl_ctx *ctx, const char *op, const spc_spans *results,
                                 spc_spans operands, bool may_share, shared_arrays shared) {
    if (may_share && shared.columns) operands.at[1].bytes = 0;
    if (may_share && shared.values) operands.at[2].bytes = 0;
    return spc_check_spans(ctx, op, results, &operands);
}

/* --- COO to CSR --------------------------------------------------------------------------- */

/* One array of `from` in the given order, or as stored. */
static spc_move move_of(sparcl_buf *to, int64_t to_at, size_t to_size, numbers from,
                        const spc_coo_order *order) {
    return (spc_move){.to = to,
                      .to_at = to_at,
                      .to_size = to_size,
                      .from = from.buf,
                      .from_at = from.at,
                      .from_size = sparcl_itype_size(from.type),
                      .places = order->places,
                      .place_type = order->place_type};
}

static spc_move move_values(sparcl_buf *to, int64_t to_at, value_array from,
                            const spc_coo_order *order) {
    spc_move move = move_of(to, to_at, sparcl_dtype_size(from.dtype),
                            (numbers){from.buf, from.at, SPARCL_INDEX32}, order);
    move.from_size = move.to_size;
    return move;
}

/* Values that are sorted along with their indices. */
static bool has_words(sparcl_dtype dtype) {
    return sparcl_dtype_size(dtype) == 4;
}

/* Columns and values into `to`, sorted, and the rows into scratch memory. */
static sparcl_status bucket_to_csr(sparcl_ctx *ctx, const sparcl_csr *to,
                                   const spc_bucket_source *source, numbers *rows) {
    sparcl_buf *sorted = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sorted, source->n, sparcl_itype_size(source->type)));
    *rows = (numbers){sorted, 0, source->type};
    const spc_bucket_result result = {.a = sorted,
                                      .b = to->indices,
                                      .b_at = to->indices_at,
                                      .payload = to->values,
                                      .payload_at = to->values_at};
    return spc_bucket_order(ctx, source, &result);
}

/* Columns and values into `to`. *rows is the array of the sorted rows: that of `from`, or scratch
 * memory. */
static sparcl_status sort_to_csr(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_coo *from,
                                 numbers *rows) {
    spc_coo_order order = {.place_type = SPARCL_INDEX32};
    const bool sorted = sparcl_coo_flags(from) & SPARCL_SORTED;
    const sparcl_itype type = from->index_type;
    spc_bucket_source source;
    sparcl_buf *sorted_rows = NULL;
    bool done = false;
    if (!sorted && has_words(from->dtype) && to->index_type == type &&
        spc_coo_bucket_source(ctx, from, &source))
        return bucket_to_csr(ctx, to, &source, rows);
    *rows = (numbers){from->indices[0], from->indices_at[0], type};
    if (!sorted) {
        SPC_TRY(spc_scratch_push(ctx, &sorted_rows, from->nnz, sparcl_itype_size(type)));
        const bool same = to->index_type == type;
        const spc_bucket_result result = {.a = same ? sorted_rows : NULL,
                                          .b = to->indices,
                                          .b_at = to->indices_at,
                                          .payload = to->values,
                                          .payload_at = to->values_at};
        SPC_TRY(spc_coo_sort_values(ctx, from, &result, &order, &done));
    }
    if (done) {
        *rows = (numbers){sorted_rows, 0, type};
        if (!order.keys) return SPARCL_OK;
        const spc_items items = spc_coo_items(from);
        const sparcl_coo rows_only = {.index_type = type, .indices = {sorted_rows}};
        const sparcl_coo columns = {.index_type = to->index_type,
                                    .indices = {NULL, to->indices},
                                    .indices_at = {0, to->indices_at}};
        SPC_TRY(spc_coo_decode(ctx, from, order.keys, order.key_type, 0, 1, &rows_only, items));
        return spc_coo_decode(ctx, from, order.keys, order.key_type, 1, 2, &columns, items);
    }
    if (!sorted) {
        SPC_TRY(spc_coo_find_order(ctx, from, false, &order));
        const spc_move move = move_of(sorted_rows, 0, sparcl_itype_size(type), *rows, &order);
        SPC_TRY(spc_move_array(ctx, &move, spc_coo_items(from)));
        *rows = (numbers){sorted_rows, 0, type};
    }
    const spc_move columns =
        move_of(to->indices, to->indices_at, sparcl_itype_size(to->index_type),
                (numbers){from->indices[1], from->indices_at[1], type}, &order);
    const spc_move values =
        move_values(to->values, to->values_at,
                    (value_array){from->values, from->values_at, from->dtype}, &order);
    const shared_arrays shared = find_shared(from, to);
    if (!shared.columns) SPC_TRY(spc_move_array(ctx, &columns, spc_coo_items(from)));
    return shared.values ? SPARCL_OK : spc_move_array(ctx, &values, spc_coo_items(from));
}

sparcl_status sparcl_coo_to_csr(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_coo *from) {
    SPC_TRY(spc_check_csr_of(ctx, "coo_to_csr", "`to`", to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_coo_of(ctx, "coo_to_csr", "`from`", from, SPC_ALL_TYPES));
    if (from->rank != 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "coo_to_csr: `from` has rank %d, expected 2",
                            from->rank);
    SPC_TRY(
        spc_check_same_size(ctx, "coo_to_csr", to->rows, to->cols, from->shape[0], from->shape[1]));
    SPC_TRY(spc_check_same_dtype(ctx, "coo_to_csr", SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_check_capacity(ctx, "coo_to_csr", to->nnz, from->nnz));
    const spc_spans results = spc_csr_spans(SPC_TO, to), operands = spc_coo_spans(SPC_FROM, from);
    const bool is_sorted = sparcl_coo_flags(from) & SPARCL_SORTED;
    SPC_TRY(check_spans(ctx, "coo_to_csr", &results, operands, is_sorted, find_shared(from, to)));
    SPC_TRY(spc_need_coo(ctx, "coo_to_csr", "`from`", from, SPARCL_VALID));

    const int mark = spc_scratch_mark(ctx);
    numbers rows;
    sparcl_status status = sort_to_csr(ctx, to, from, &rows);
    if (status == SPARCL_OK)
        status = spc_write_offsets(ctx, to->offsets, to->offsets_at, to->offset_type, &rows,
                                   to->rows, spc_coo_items(from));
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    const uint32_t unique = sparcl_coo_flags(from) & SPARCL_UNIQUE;
    spc_prove_csr(to, SPARCL_VALID | SPARCL_SORTED | unique);
    return SPARCL_OK;
}

/* --- CSR to COO --------------------------------------------------------------------------- */

static uint32_t pad_options(sparcl_dtype dtype) {
    return sparcl_dtype_size(dtype) == 8 ? SPC_INDEX64 : spc_word_options(dtype);
}

sparcl_status spc_clear_tail(sparcl_ctx *ctx, const sparcl_dense *values, const sparcl_csr *a) {
    if (a->nnz == 0) return SPARCL_OK;
    return spc_csr_pad(ctx, values->values, values->values_at, pad_options(values->dtype), 0, a);
}

/* Without a count, later operations read all of `to`, so elements after the entries must be valid.
 */
static sparcl_status pad_entries(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_csr *from) {
    if (from->nnz == 0) return SPARCL_OK;
    const uint32_t index = spc_itype_options(SPARCL_INDEX32, to->index_type);
    SPC_TRY(spc_csr_pad(ctx, to->indices[0], to->indices_at[0], index, to->shape[0] - 1, from));
    SPC_TRY(spc_csr_pad(ctx, to->indices[1], to->indices_at[1], index, to->shape[1] - 1, from));
    return spc_csr_pad(ctx, to->values, to->values_at, pad_options(to->dtype), 0, from);
}

static sparcl_status check_csr_to_coo(sparcl_ctx *ctx, const sparcl_coo *to,
                                      const sparcl_csr *from) {
    SPC_TRY(spc_check_coo_of(ctx, "csr_to_coo", "`to`", to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csr_of(ctx, "csr_to_coo", "`from`", from, SPC_ALL_TYPES));
    if (to->rank != 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "csr_to_coo: `to` has rank %d, expected 2",
                            to->rank);
    SPC_TRY(
        spc_check_same_size(ctx, "csr_to_coo", to->shape[0], to->shape[1], from->rows, from->cols));
    SPC_TRY(spc_check_same_dtype(ctx, "csr_to_coo", SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_check_capacity(ctx, "csr_to_coo", to->nnz, from->nnz));
    const bool empty = from->rows == 0 || from->cols == 0;
    if (!to->count && (to->nnz > from->nnz || (empty && from->nnz > 0)))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "csr_to_coo: `to` has no count, expected one because `from` has %s",
                            empty ? "capacity for entries but none" : "fewer entries");
    const spc_spans results = spc_coo_spans(SPC_TO, to), operands = spc_csr_spans(SPC_FROM, from);
    SPC_TRY(check_spans(ctx, "csr_to_coo", &results, operands, to->count, find_shared(to, from)));
    return spc_need_csr(ctx, "csr_to_coo", "`from`", from, SPARCL_VALID);
}

static sparcl_status move_to_coo(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_csr *from) {
    const spc_coo_order as_stored = {.place_type = SPARCL_INDEX32};
    const size_t size = sparcl_itype_size(to->index_type);
    sparcl_buf *count = to->count;
    if (!count) SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    const spc_items items = {from->nnz, count, to->count ? to->count_at : 0};
    const spc_move columns =
        move_of(to->indices[1], to->indices_at[1], size,
                (numbers){from->indices, from->indices_at, from->index_type}, &as_stored);
    const spc_move values =
        move_values(to->values, to->values_at,
                    (value_array){from->values, from->values_at, from->dtype}, &as_stored);
    SPC_TRY(spc_csr_write_count(ctx, count, items.count_at, from));
    SPC_TRY(spc_csr_write_rows(ctx, to->indices[0], to->indices_at[0], to->index_type, from));
    const shared_arrays shared = find_shared(to, from);
    if (!shared.columns) SPC_TRY(spc_move_array(ctx, &columns, items));
    if (!shared.values) SPC_TRY(spc_move_array(ctx, &values, items));
    return to->count ? SPARCL_OK : pad_entries(ctx, to, from);
}

sparcl_status sparcl_csr_to_coo(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_csr *from) {
    SPC_TRY(check_csr_to_coo(ctx, to, from));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = move_to_coo(ctx, to, from);
    spc_scratch_release(ctx, mark);
    /* Without a count there may be duplicates at the last position: see pad_entries. */
    const bool padded = !to->count && from->nnz > 0;
    const uint32_t kept = padded ? ~(uint32_t)SPARCL_UNIQUE : ~(uint32_t)0;
    if (status == SPARCL_OK) spc_prove_coo(to, sparcl_csr_flags(from) & kept);
    return status;
}

/* --- CSR to CSC --------------------------------------------------------------------------- */

static sparcl_status check_csr_to_csc(sparcl_ctx *ctx, const sparcl_csc *to,
                                      const sparcl_csr *from) {
    SPC_TRY(spc_check_csc_of(ctx, "csr_to_csc", "`to`", to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csr_of(ctx, "csr_to_csc", "`from`", from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_size(ctx, "csr_to_csc", to->rows, to->cols, from->rows, from->cols));
    SPC_TRY(spc_check_same_dtype(ctx, "csr_to_csc", SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_check_capacity(ctx, "csr_to_csc", to->nnz, from->nnz));
    const spc_spans results = spc_csc_spans(SPC_TO, to), operands = spc_csr_spans(SPC_FROM, from);
    SPC_TRY(spc_check_spans(ctx, "csr_to_csc", &results, &operands));
    return spc_need_csr(ctx, "csr_to_csc", "`from`", from, SPARCL_VALID);
}

static sparcl_status bucket_to_csc(sparcl_ctx *ctx, const sparcl_csc *to, const sparcl_csr *from,
                                   spc_bucket_source *source) {
    const bool direct = has_words(from->dtype);
    spc_coo_order order = {.place_type = SPARCL_INDEX32};
    spc_bucket_columns result = {.index_type = to->index_type,
                                 .offset_type = to->offset_type,
                                 .rows = to->indices,
                                 .payload = to->values,
                                 .rows_at = to->indices_at,
                                 .payload_at = to->values_at,
                                 .offsets = to->offsets,
                                 .offsets_at = to->offsets_at};
    sparcl_buf *count = NULL;
    if (direct) {
        source->payload = from->values;
        source->payload_at = from->values_at;
    } else {
        SPC_TRY(spc_scratch_push(ctx, &order.places, from->nnz, sizeof(int32_t)));
        result.payload = order.places;
        result.payload_at = 0;
    }
    SPC_TRY(spc_bucket_by_columns(ctx, source, &result));
    if (direct) return SPARCL_OK;
    const spc_move values =
        move_values(to->values, to->values_at,
                    (value_array){from->values, from->values_at, from->dtype}, &order);
    SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    SPC_TRY(spc_csr_write_count(ctx, count, 0, from));
    return spc_move_array(ctx, &values, (spc_items){from->nnz, count, 0});
}

/* Sort by column; the sort is stable, so the rows of a column ascend. Where the types are equal,
 * the sorted columns are stored in the array of the result's rows until these are written. */
static sparcl_status sort_to_csc(sparcl_ctx *ctx, const sparcl_csc *to, const sparcl_csr *from) {
    const size_t row_size = sparcl_itype_size(to->index_type);
    const bool same = to->index_type == from->index_type;
    spc_coo_order order = {.place_type = spc_position_type(from->nnz)};
    sparcl_buf *count = NULL, *columns = to->indices, *rows = NULL;
    SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &order.places, from->nnz, sparcl_itype_size(order.place_type)));
    if (!same)
        SPC_TRY(spc_scratch_push(ctx, &columns, from->nnz, sparcl_itype_size(from->index_type)));
    const int64_t columns_at = same ? to->indices_at : 0;
    SPC_TRY(spc_csr_write_count(ctx, count, 0, from));
    const spc_items items = {from->nnz, count, 0};
    spc_sort_job job = spc_csr_sort_job(from);
    job.count = count;
    job.keys = columns;
    job.keys_at = columns_at;
    job.payload_type = order.place_type;
    job.payload = order.places;
    SPC_TRY(spc_sort(ctx, &job));
    const numbers sorted = {columns, columns_at, from->index_type};
    SPC_TRY(spc_write_offsets(ctx, to->offsets, to->offsets_at, to->offset_type, &sorted, to->cols,
                              items));
    if (spc_ctx_is_gpu(ctx)) {
        const spc_entry_order moved = {.places = order.places,
                                       .place_type = order.place_type,
                                       .rows = to->indices,
                                       .rows_at = to->indices_at,
                                       .row_type = to->index_type,
                                       .values = to->values,
                                       .values_at = to->values_at};
        return spc_csr_move_entries(ctx, from, &moved);
    }
    SPC_TRY(spc_scratch_push(ctx, &rows, from->nnz, row_size));
    SPC_TRY(spc_csr_write_rows(ctx, rows, 0, to->index_type, from));
    const spc_move indices =
        move_of(to->indices, to->indices_at, row_size, (numbers){rows, 0, to->index_type}, &order);
    const spc_move values =
        move_values(to->values, to->values_at,
                    (value_array){from->values, from->values_at, from->dtype}, &order);
    SPC_TRY(spc_move_array(ctx, &indices, items));
    return spc_move_array(ctx, &values, items);
}

sparcl_status sparcl_csr_to_csc(sparcl_ctx *ctx, sparcl_csc *to, const sparcl_csr *from) {
    SPC_TRY(check_csr_to_csc(ctx, to, from));
    const int mark = spc_scratch_mark(ctx);
    spc_bucket_source source = spc_csr_bucket_source(from);
    const sparcl_status status = spc_bucket_applies(ctx, &source)
                                     ? bucket_to_csc(ctx, to, from, &source)
                                     : sort_to_csc(ctx, to, from);
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    const uint32_t unique = sparcl_csr_flags(from) & SPARCL_UNIQUE;
    spc_prove_csc(to, SPARCL_VALID | SPARCL_SORTED | unique);
    return SPARCL_OK;
}
