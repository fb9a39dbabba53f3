/* fill.c: an entry for each empty row of a COO array. */
#include <string.h>

#include "base/size.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/moved.h"
#include "prim/scan.h"
#include "sparcl/ops/reductions.h"
#include "sparcl/ops/structure.h"

typedef long long ll; /* for %lld */

#define PROGRAM "scan+entries+fill"

static sparcl_status check_results(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                   const sparcl_filled **more) {
    static const sparcl_filled nothing = {.source = NULL};
    if (!*more) *more = &nothing;
    const sparcl_filled *const m = *more;
    spc_spans results = spc_coo_spans(SPC_TO, to);
    spc_spans operands = spc_coo_spans(SPC_FROM, from);
    const size_t size = sparcl_dtype_size(to->dtype);
    if (m->reserved[0] || m->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "fill_empty_rows: the reserved fields of more are not zero");
    SPC_TRY(spc_check_int64s(ctx, "fill_empty_rows", "the inverse", m->inverse, m->inverse_at,
                             from->nnz, &results));
    SPC_TRY(spc_check_int64s(ctx, "fill_empty_rows", "the source", m->source, m->source_at, to->nnz,
                             &results));
    if (m->is_empty)
        SPC_TRY(spc_check_buf(ctx, "fill_empty_rows", "is_empty", m->is_empty, m->is_empty_at,
                              from->shape[0], 1));
    results.at[results.count++] = spc_array_span(NULL, "is_empty", m->is_empty, m->is_empty_at,
                                                 m->is_empty ? from->shape[0] : 0, 1);
    if (m->value)
        SPC_TRY(spc_check_buf(ctx, "fill_empty_rows", "the value", m->value, m->value_at, 1, size));
    operands.at[operands.count++] =
        spc_array_span(NULL, "the value", m->value, m->value_at, m->value ? 1 : 0, size);
    return spc_check_spans(ctx, "fill_empty_rows", &results, &operands);
}

static sparcl_status check_sizes(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from) {
    int64_t needed = 0;
    for (int d = 1; d < from->rank; ++d)
        if (from->shape[d] == 0 && from->shape[0] > 0)
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                                "fill_empty_rows: dimension %d is 0, expected 1 or more for an "
                                "entry in each row",
                                d);
    if (!to->count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "fill_empty_rows: `to` has no count, expected one");
    if (spc_add_i64(from->nnz, from->shape[0], &needed) && to->nnz >= needed) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "fill_empty_rows: `to` has capacity for %lld entries, expected at least "
                        "the %lld of `from` and %lld rows",
                        (ll)to->nnz, (ll)from->nnz, (ll)from->shape[0]);
}

/* The bits of the value; those of a float for types of 16 bits, which the kernel rounds. */
static int64_t bits_of(sparcl_dtype dtype, double value) {
    const float narrow = (float)value;
    int64_t bits = 0;
    int32_t word = 0;
    switch (dtype) {
    case SPARCL_F64:
        memcpy(&bits, &value, sizeof bits);
        return bits;
    case SPARCL_INT32:
        return (int32_t)value;
    case SPARCL_INT64:
        return (int64_t)value;
    case SPARCL_BOOL:
        return value != 0;
    default:
        memcpy(&word, &narrow, sizeof word);
        return word;
    }
}

/* Rows in sorted order: the order, where each row begins, and how many rows before it are empty. */
typedef struct sorted_rows {
    spc_coo_order order;
    sparcl_buf *starts, *before; /* int64 [rows + 1] */
} sorted_rows;

static sparcl_status sort_rows(sparcl_ctx *ctx, const sparcl_coo *from, sorted_rows *s) {
    const int64_t rows = from->shape[0];
    const size_t size = sizeof(int64_t);
    sparcl_buf *sorted = NULL;
    SPC_TRY(spc_coo_find_order(ctx, from, false, &s->order));
    SPC_TRY(spc_scratch_push(ctx, &s->starts, rows + 1, size));
    SPC_TRY(spc_scratch_push(ctx, &s->before, rows + 1, size));
    SPC_TRY(spc_scratch_push(ctx, &sorted, from->nnz, sparcl_itype_size(from->index_type)));
    const spc_places places = {s->order.place_type, s->order.places, from->nnz, from->count,
                               from->count_at};
    const spc_take_ids ids = {from->indices[0], from->indices_at[0], from->index_type, 0, sorted, 0,
                              from->index_type};
    SPC_TRY(spc_take(ctx, places, &ids, NULL));
    const spc_sorted_ids ascending = {sorted, 0, from->index_type};
    return spc_write_offsets(ctx, s->starts, 0, SPARCL_INDEX64, &ascending, rows,
                             spc_coo_items(from));
}

static sparcl_status count_empty(sparcl_ctx *ctx, const sparcl_coo *from, const sorted_rows *s,
                                 const sparcl_filled *more) {
    const int64_t rows = from->shape[0];
    const spc_scan_job scan = {.n = rows,
                               .from_type = SPARCL_INDEX64,
                               .to_type = SPARCL_INDEX64,
                               .from = s->before,
                               .to = s->before};
    if (rows > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, SPC_OFFSET64, "fill_marks", spc_range_each(ctx, rows),
                           SPC_IN(s->starts), SPC_I64(rows), SPC_OUT(s->before),
                           SPC_OUT(more->is_empty), SPC_I64(more->is_empty_at)));
    return spc_scan(ctx, &scan);
}

/* All dimensions but the first, whose indices are there already, and the values. */
static sparcl_status take_entries(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                  const sparcl_buf *places, const sparcl_filled *more) {
    const spc_places at = {SPARCL_INDEX64, places, to->nnz, to->count, to->count_at};
    const spc_take_values values = {.dtype = from->dtype,
                                    .from = from->values,
                                    .from_at = from->values_at,
                                    .to = to->values,
                                    .to_at = to->values_at,
                                    .source = more->source,
                                    .source_at = more->source_at};
    SPC_TRY(spc_take(ctx, at, NULL, &values));
    for (int d = 1; d < from->rank; ++d) {
        const spc_take_ids ids = {from->indices[d], from->indices_at[d], from->index_type, 0,
                                  to->indices[d],   to->indices_at[d],   to->index_type};
        SPC_TRY(spc_take(ctx, at, &ids, NULL));
    }
    return SPARCL_OK;
}

static sparcl_status fill(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                          double value, const sparcl_filled *more) {
    const int64_t rows = from->shape[0];
    sorted_rows s;
    sparcl_buf *places = NULL;
    SPC_TRY(sort_rows(ctx, from, &s));
    SPC_TRY(count_empty(ctx, from, &s, more));
    SPC_TRY(spc_scratch_push(ctx, &places, to->nnz, sizeof(int64_t)));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, SPC_OFFSET64, "fill_count", spc_range_groups(ctx, 1),
                       SPC_IN(s.starts), SPC_I64(rows), SPC_IN(s.before), SPC_OUT(to->count),
                       SPC_I64(to->count_at)));
    if (rows == 0) return SPARCL_OK;
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(SPARCL_INDEX64, to->index_type),
                       "fill_places", spc_range_each(ctx, to->nnz), SPC_IN(s.starts), SPC_I64(rows),
                       SPC_IN(s.before), SPC_IN(s.order.places),
                       SPC_I32(s.order.place_type == SPARCL_INDEX64), SPC_OUT(places),
                       SPC_OUT(to->indices[0]), SPC_I64(to->indices_at[0]), SPC_OUT(more->inverse),
                       SPC_I64(more->inverse_at)));
    SPC_TRY(take_entries(ctx, to, from, places, more));
    const uint32_t halves = spc_dtype_options(from->dtype) & (SPC_F16 | SPC_BF16);
    return SPC_LAUNCH(
        ctx, PROGRAM, SPC_OFFSET64 | (halves ? halves : spc_word_options(from->dtype)),
        "fill_values", spc_range_each(ctx, rows), SPC_IN(s.starts), SPC_I64(rows), SPC_IN(s.before),
        SPC_OUT(to->values), SPC_I64(to->values_at), SPC_I64(bits_of(from->dtype, value)),
        SPC_IN(more->value), SPC_I64(more->value_at));
}

sparcl_status sparcl_coo_fill_empty_rows(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                                         double value, const sparcl_filled *more) {
    static const char op[] = "fill_empty_rows";
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, SPC_FROM, from->rank,
                                 from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(check_sizes(ctx, to, from));
    SPC_TRY(check_results(ctx, to, from, &more));
    SPC_TRY(spc_need_coo(ctx, op, SPC_FROM, from, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = fill(ctx, to, from, value, more);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK)
        spc_prove_coo(to, SPARCL_VALID | SPARCL_SORTED | (sparcl_coo_flags(from) & SPARCL_UNIQUE));
    return status;
}

/* --- the gradient by the value ---------------------------------------------------------------- */

static sparcl_status check_gradient(sparcl_ctx *ctx, const sparcl_dense *gv, const sparcl_dense *gy,
                                    const sparcl_csr *to, const sparcl_csr *from) {
    static const char op[] = "fill_empty_rows_gradient";
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, from->rows, from->cols));
    SPC_TRY(spc_check_entry_vector(ctx, op, "gy", gy, to->nnz));
    SPC_TRY(spc_check_entry_vector(ctx, op, "gv", gv, 1));
    SPC_TRY(spc_check_same_dtype(ctx, op, "gv", gv->dtype, "gy", gy->dtype));
    const spc_span result = spc_dense_span("gv", gv), operand = spc_dense_span("gy", gy);
    const spc_spans of_to = spc_csr_spans(SPC_TO, to), of_from = spc_csr_spans(SPC_FROM, from);
    SPC_TRY(spc_check_alias(ctx, op, &result, &operand, 1));
    SPC_TRY(spc_check_alias(ctx, op, &result, of_to.at, of_to.count));
    SPC_TRY(spc_check_alias(ctx, op, &result, of_from.at, of_from.count));
    SPC_TRY(spc_need_csr(ctx, op, SPC_TO, to, SPARCL_VALID));
    return spc_need_csr(ctx, op, SPC_FROM, from, SPARCL_VALID);
}

static sparcl_status sum_new(sparcl_ctx *ctx, const sparcl_dense *gv, const sparcl_dense *gy,
                             const sparcl_csr *to, const sparcl_csr *from) {
    sparcl_dense rows = {.rank = 1, .dtype = gy->dtype, .shape = {from->rows}};
    SPC_TRY(spc_scratch_push(ctx, &rows.values, from->rows, sparcl_dtype_size(gy->dtype)));
    if (from->rows > 0)
        SPC_TRY(SPC_LAUNCH(
            ctx, PROGRAM,
            spc_word_options(gy->dtype) | spc_itype_options(from->offset_type, SPARCL_INDEX32),
            "fill_gradient", spc_range_each(ctx, from->rows), SPC_IN(from->offsets),
            SPC_I64(from->offsets_at), SPC_IN(to->offsets), SPC_I64(to->offsets_at),
            SPC_I32(to->offset_type == SPARCL_INDEX64), SPC_IN(gy->values), SPC_I64(gy->values_at),
            SPC_I64(to->nnz), SPC_OUT(rows.values), SPC_I64(from->rows)));
    return sparcl_dense_reduce(ctx, SPARCL_REDUCE_SUM, gv, &rows, -1);
}

sparcl_status sparcl_csr_fill_empty_rows_gradient(sparcl_ctx *ctx, const sparcl_dense *gv,
                                                  const sparcl_dense *gy, const sparcl_csr *to,
                                                  const sparcl_csr *from) {
    SPC_TRY(check_gradient(ctx, gv, gy, to, from));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = sum_new(ctx, gv, gy, to, from);
    spc_scratch_release(ctx, mark);
    return status;
}
