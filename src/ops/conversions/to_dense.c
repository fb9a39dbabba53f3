/* to_dense.c: sparse arrays as dense ones. */
#include "base/size.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/densify.h"
#include "ops/shared/order.h"
#include "ops/shared/pair.h"
#include "ops/shared/product_choice.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/structure.h"

#define PROGRAM "scan+entries+elements+entry_sums+to_dense"

sparcl_status spc_zero_dense(sparcl_ctx *ctx, const sparcl_dense *to) {
    const int64_t width = spc_shape_width(to->rank, to->shape), ld = spc_dense_ld(to);
    const int64_t size = (int64_t)sparcl_dtype_size(to->dtype), rows = to->shape[0];
    if (rows == 0 || width == 0) return SPARCL_OK;
    if (ld == width)
        return sparcl_buf_fill(ctx, to->values, to->values_at * size, rows * width * size, 0);
    return SPC_LAUNCH(ctx, PROGRAM, spc_place_options(to->dtype, SPARCL_INDEX32, SPARCL_INDEX32),
                      "zero_part", spc_range_each(ctx, rows * width), SPC_OUT(to->values),
                      SPC_I64(to->values_at), SPC_I64(ld), SPC_I64(rows), SPC_I64(width));
}

sparcl_status spc_scatter_lines(sparcl_ctx *ctx, const spc_scatter *job) {
    const sparcl_csr *const from = job->from;
    if (from->nnz == 0 || from->rows == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM,
                      spc_place_options(from->dtype, from->offset_type, from->index_type),
                      "scatter_lines", spc_range_each(ctx, from->nnz), SPC_IN(from->offsets),
                      SPC_I64(from->offsets_at), SPC_I64(from->rows), SPC_I64(job->line_step),
                      SPC_IN(from->indices), SPC_I64(from->indices_at), SPC_I64(job->index_step),
                      SPC_IN(from->values), SPC_I64(from->values_at), SPC_OUT(job->to),
                      SPC_I64(job->to_at), SPC_I64(from->nnz), SPC_IN(job->map),
                      SPC_I64(job->limit), SPC_I32((sparcl_csr_flags(from) & SPARCL_UNIQUE) != 0));
}

/* --- checks ------------------------------------------------------------------------------------
 */

/* What all conversions to a dense array check: `shape` and the other arguments are of `from`. */
static sparcl_status check_to_dense(sparcl_ctx *ctx, const char *op, const sparcl_dense *to,
                                    int rank, const int64_t *shape, sparcl_dtype dtype,
                                    const spc_spans *operands) {
    const spc_span result = spc_dense_span(SPC_TO, to);
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, SPC_FROM, rank, shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, dtype));
    return spc_check_alias(ctx, op, &result, operands->at, operands->count);
}

/* The last check: the policy of the context. */
static sparcl_status check_policy(sparcl_ctx *ctx, const char *op, const sparcl_dense *to,
                                  const spc_spans *operands) {
    int64_t sparse = 0;
    for (size_t i = 0; i < operands->count; ++i)
        sparse += operands->at[i].bytes;
    return spc_ctx_check_densify(ctx, op, spc_dense_span(SPC_TO, to).bytes, sparse);
}

static bool has_elements(const sparcl_dense *to) {
    return to->shape[0] > 0 && spc_shape_width(to->rank, to->shape) > 0;
}

/* --- csr and csc -------------------------------------------------------------------------------
 */

static bool fills_lines(sparcl_ctx *ctx) {
    return !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx);
}

/* On wide cores a row is made 0 and gets its entries at once. */
static sparcl_status fill_lines(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_csr *from) {
    const uint32_t flags = sparcl_csr_flags(from);
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_place_options(from->dtype, from->offset_type, from->index_type),
        "fill_lines", spc_range_each(ctx, to->shape[0] * to->shape[1]), SPC_IN(from->offsets),
        SPC_I64(from->offsets_at), SPC_IN(from->indices), SPC_I64(from->indices_at),
        SPC_IN(from->values), SPC_I64(from->values_at), SPC_OUT(to->values), SPC_I64(to->values_at),
        SPC_I64(spc_dense_ld(to)), SPC_I64(to->shape[0]), SPC_I64(to->shape[1]),
        SPC_I32((flags & SPARCL_SORTED) != 0), SPC_I32((flags & SPARCL_UNIQUE) != 0));
}

/* Fewer rows are not worth the search in each column. */
#define MIN_ROWS 8

/* The same in tiles, for sorted columns. */
static sparcl_status fill_columns(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_csr *from) {
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_place_options(from->dtype, from->offset_type, from->index_type),
        "fill_columns", spc_range_each(ctx, to->shape[0] * to->shape[1]), SPC_IN(from->offsets),
        SPC_I64(from->offsets_at), SPC_IN(from->indices), SPC_I64(from->indices_at),
        SPC_IN(from->values), SPC_I64(from->values_at), SPC_OUT(to->values), SPC_I64(to->values_at),
        SPC_I64(spc_dense_ld(to)), SPC_I64(to->shape[0]), SPC_I64(to->shape[1]),
        SPC_I32((sparcl_csr_flags(from) & SPARCL_UNIQUE) != 0));
}

/* With `transposed`, the rows of `from` are the columns of `to`. */
static sparcl_status compressed_to_dense(sparcl_ctx *ctx, const sparcl_dense *to,
                                         const sparcl_csr *from, bool transposed) {
    sparcl_csr a;
    SPC_TRY(spc_csr_in_order(ctx, from, true, &a));
    if (!transposed && fills_lines(ctx)) return fill_lines(ctx, to, &a);
    if (fills_lines(ctx) && (sparcl_csr_flags(&a) & SPARCL_SORTED) && to->shape[0] >= MIN_ROWS)
        return fill_columns(ctx, to, &a);
    const int64_t ld = spc_dense_ld(to);
    const spc_scatter job = {.from = &a,
                             .line_step = transposed ? 1 : ld,
                             .index_step = transposed ? ld : 1,
                             .to = to->values,
                             .to_at = to->values_at,
                             .limit = a.rows};
    SPC_TRY(spc_zero_dense(ctx, to));
    return spc_scatter_lines(ctx, &job);
}

sparcl_status spc_csr_place(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_csr *from) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = compressed_to_dense(ctx, to, from, false);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_csr_to_dense(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_csr *from) {
    static const char op[] = "csr_to_dense";
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    const int64_t shape[] = {from->rows, from->cols};
    const spc_spans operands = spc_csr_spans(SPC_FROM, from);
    SPC_TRY(check_to_dense(ctx, op, to, 2, shape, from->dtype, &operands));
    SPC_TRY(spc_need_csr(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(spc_check_duplicates(ctx, op, from->dtype, sparcl_csr_flags(from), "csr"));
    SPC_TRY(check_policy(ctx, op, to, &operands));
    return has_elements(to) ? spc_csr_place(ctx, to, from) : SPARCL_OK;
}

sparcl_status sparcl_csc_to_dense(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_csc *from) {
    static const char op[] = "csc_to_dense";
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csc_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    const int64_t shape[] = {from->rows, from->cols};
    const spc_spans operands = spc_csc_spans(SPC_FROM, from);
    SPC_TRY(check_to_dense(ctx, op, to, 2, shape, from->dtype, &operands));
    SPC_TRY(spc_need_csc(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(spc_check_duplicates(ctx, op, from->dtype, sparcl_csc_flags(from), "csc"));
    SPC_TRY(check_policy(ctx, op, to, &operands));
    if (!has_elements(to)) return SPARCL_OK;
    sparcl_csr transposed = spc_csc_transposed(from);
    transposed.proof.flags = SPARCL_TRUSTED | sparcl_csc_flags(from);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = compressed_to_dense(ctx, to, &transposed, true);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- coo ---------------------------------------------------------------------------------------
 */

/* The same entries in order, in scratch memory. */
static sparcl_status sort_entries(sparcl_ctx *ctx, const sparcl_coo *from, sparcl_coo *sorted) {
    *sorted = *from;
    for (int d = 0; d < from->rank; ++d) {
        SPC_TRY(spc_scratch_push(ctx, &sorted->indices[d], from->nnz,
                                 sparcl_itype_size(from->index_type)));
        sorted->indices_at[d] = 0;
    }
    SPC_TRY(spc_scratch_push(ctx, &sorted->values, from->nnz, sparcl_dtype_size(from->dtype)));
    if (from->count) SPC_TRY(spc_scratch_push(ctx, &sorted->count, 1, sizeof(int64_t)));
    sorted->values_at = sorted->count_at = 0;
    sorted->proof = (sparcl_proof){0};
    return sparcl_coo_sort(ctx, sorted, from, NULL, 0);
}

/* Dimensions d and d + 1 of a kernel's arguments. */
static void add_dimensions(spc_args *list, const sparcl_coo *a, const int64_t *steps, int d) {
    const bool two = d + 1 < a->rank;
    spc_args_add_array(list, SPC_IN(a->indices[d]), a->indices_at[d]);
    spc_args_add(list, SPC_I64(steps[d]));
    spc_args_add_array(list, SPC_IN(two ? a->indices[d + 1] : NULL),
                       two ? a->indices_at[d + 1] : 0);
    spc_args_add(list, SPC_I64(two ? steps[d + 1] : 0));
}

static void add_count(spc_args *list, const sparcl_coo *a) {
    spc_args_add(list, SPC_I64(a->nnz));
    spc_args_add_array(list, SPC_IN(a->count), a->count_at);
}

static sparcl_status scatter_entries(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_coo *a,
                                     const int64_t *steps) {
    const uint32_t options = spc_place_options(a->dtype, SPARCL_INDEX32, a->index_type);
    sparcl_buf *places = NULL;
    int d = 0;
    if (a->rank > 2) SPC_TRY(spc_scratch_push(ctx, &places, a->nnz, sizeof(int64_t)));
    for (; a->rank - d > 2; d += 2) {
        spc_args list = {.count = 0};
        spc_args_add(&list, SPC_OUT(places));
        spc_args_add(&list, SPC_I32(d > 0));
        add_dimensions(&list, a, steps, d);
        add_count(&list, a);
        SPC_TRY(spc_launch(ctx, PROGRAM, options, "place_entries", spc_range_each(ctx, a->nnz),
                           list.at, list.count));
    }
    spc_args list = {.count = 0};
    spc_args_add(&list, SPC_IN(places));
    add_dimensions(&list, a, steps, d);
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add_array(&list, SPC_OUT(to->values), to->values_at);
    add_count(&list, a);
    spc_args_add(&list, SPC_I32((sparcl_coo_flags(a) & SPARCL_UNIQUE) != 0));
    return spc_launch(ctx, PROGRAM, options, "scatter_entries", spc_range_each(ctx, a->nnz),
                      list.at, list.count);
}

/* On wide cores the entries of a sorted matrix are those of its CSR format. */
static sparcl_status fill_sorted(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_coo *from) {
    sparcl_csr a = {.rows = from->shape[0],
                    .cols = from->shape[1],
                    .nnz = from->nnz,
                    .dtype = from->dtype,
                    .offset_type = from->nnz > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32,
                    .index_type = from->index_type,
                    .indices = from->indices[1],
                    .indices_at = from->indices_at[1],
                    .values = from->values,
                    .values_at = from->values_at,
                    .proof.flags = SPARCL_TRUSTED | sparcl_coo_flags(from)};
    const spc_sorted_ids rows = {from->indices[0], from->indices_at[0], from->index_type};
    SPC_TRY(spc_scratch_push(ctx, &a.offsets, a.rows + 1, sparcl_itype_size(a.offset_type)));
    SPC_TRY(
        spc_write_offsets(ctx, a.offsets, 0, a.offset_type, &rows, a.rows, spc_coo_items(from)));
    return fill_lines(ctx, to, &a);
}

sparcl_status spc_coo_place(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_coo *from) {
    int64_t steps[SPARCL_MAX_RANK];
    sparcl_coo a = *from;
    if (!has_elements(to)) return SPARCL_OK;
    if (from->nnz > 0 && !(sparcl_coo_flags(from) & (SPARCL_SORTED | SPARCL_UNIQUE)))
        SPC_TRY(sort_entries(ctx, from, &a));
    if (fills_lines(ctx) && a.rank == 2 && (sparcl_coo_flags(&a) & SPARCL_SORTED))
        return fill_sorted(ctx, to, &a);
    steps[to->rank - 1] = 1;
    for (int d = to->rank - 1; d > 0; --d)
        steps[d - 1] = steps[d] * to->shape[d];
    steps[0] = spc_dense_ld(to);
    SPC_TRY(spc_zero_dense(ctx, to));
    return from->nnz > 0 ? scatter_entries(ctx, to, &a, steps) : SPARCL_OK;
}

sparcl_status sparcl_coo_to_dense(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_coo *from) {
    static const char op[] = "coo_to_dense";
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    const spc_spans operands = spc_coo_spans(SPC_FROM, from);
    SPC_TRY(check_to_dense(ctx, op, to, from->rank, from->shape, from->dtype, &operands));
    SPC_TRY(spc_need_coo(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(spc_check_duplicates(ctx, op, from->dtype, sparcl_coo_flags(from), "coo"));
    SPC_TRY(check_policy(ctx, op, to, &operands));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = spc_coo_place(ctx, to, from);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- bsr ---------------------------------------------------------------------------------------
 */

static sparcl_status place_blocks(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_bsr *from) {
    SPC_TRY(spc_zero_dense(ctx, to));
    if (from->nnzb == 0) return SPARCL_OK;
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_place_options(from->dtype, from->offset_type, from->index_type),
        "place_blocks", spc_range_each(ctx, spc_bsr_count(from)), SPC_IN(from->offsets),
        SPC_I64(from->offsets_at), SPC_I64(from->rows / from->block_rows), SPC_IN(from->indices),
        SPC_I64(from->indices_at), SPC_IN(from->values), SPC_I64(from->values_at),
        SPC_OUT(to->values), SPC_I64(to->values_at), SPC_I64(spc_dense_ld(to)),
        SPC_I64(from->block_rows), SPC_I64(from->block_cols), SPC_I64(from->nnzb));
}

/* Blocks of one place are added entry by entry. */
static sparcl_status add_blocks(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_bsr *from) {
    const int64_t nnz = spc_bsr_count(from);
    sparcl_csr a = {.rows = from->rows,
                    .cols = from->cols,
                    .nnz = nnz,
                    .dtype = from->dtype,
                    .offset_type = nnz > INT32_MAX ? SPARCL_INDEX64 : from->offset_type,
                    .index_type = from->cols > INT32_MAX ? SPARCL_INDEX64 : from->index_type};
    SPC_TRY(spc_scratch_push(ctx, &a.offsets, a.rows + 1, sparcl_itype_size(a.offset_type)));
    SPC_TRY(spc_scratch_push(ctx, &a.indices, nnz, sparcl_itype_size(a.index_type)));
    SPC_TRY(spc_scratch_push(ctx, &a.values, nnz, sparcl_dtype_size(a.dtype)));
    SPC_TRY(sparcl_bsr_to_csr(ctx, &a, from));
    return compressed_to_dense(ctx, to, &a, false);
}

sparcl_status sparcl_bsr_to_dense(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_bsr *from) {
    static const char op[] = "bsr_to_dense";
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_bsr_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    const int64_t shape[] = {from->rows, from->cols};
    const spc_spans operands = spc_bsr_spans(SPC_FROM, from);
    SPC_TRY(check_to_dense(ctx, op, to, 2, shape, from->dtype, &operands));
    SPC_TRY(spc_need_bsr(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(spc_check_duplicates(ctx, op, from->dtype, sparcl_bsr_flags(from), "bsr"));
    SPC_TRY(check_policy(ctx, op, to, &operands));
    if (!has_elements(to)) return SPARCL_OK;
    const bool unique = sparcl_bsr_flags(from) & SPARCL_UNIQUE;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = unique ? place_blocks(ctx, to, from) : add_blocks(ctx, to, from);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- row-sparse --------------------------------------------------------------------------------
 */

sparcl_status spc_rows_in_order(sparcl_ctx *ctx, const sparcl_rows *from, uint32_t flags,
                                sparcl_rows *sums) {
    const int64_t width = spc_shape_width(from->rank, from->shape);
    *sums = *from;
    if ((sparcl_rows_flags(from) & flags) == flags) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &sums->indices, from->nnr, sparcl_itype_size(from->index_type)));
    SPC_TRY(
        spc_scratch_push(ctx, &sums->values, from->nnr * width, sparcl_dtype_size(from->dtype)));
    SPC_TRY(spc_scratch_push(ctx, &sums->count, 1, sizeof(int64_t)));
    sums->indices_at = sums->values_at = sums->count_at = 0;
    sums->proof = (sparcl_proof){0};
    return sparcl_rows_coalesce(ctx, sums, from, SPARCL_SUM, NULL);
}

/* Shorter rows are less than one vector: we believe, but did not measure, that to make the whole
 * result 0 first is faster. */
#define MIN_WIDTH 16

/* On wide cores each row of the result is written once. */
static sparcl_status fill_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_rows *from) {
    const int64_t width = spc_shape_width(from->rank, from->shape), m = to->shape[0];
    return SPC_LAUNCH(
        ctx, "scan+elements+words+fill_rows",
        spc_word_options(from->dtype) | spc_itype_options(SPARCL_INDEX32, from->index_type),
        "fill_rows", spc_range_each(ctx, m * width), SPC_IN(from->indices),
        SPC_I64(from->indices_at), SPC_IN(from->values), SPC_I64(from->values_at),
        SPC_I64(from->nnr), SPC_IN(from->count), SPC_I64(from->count_at), SPC_OUT(to->values),
        SPC_I64(to->values_at), SPC_I64(spc_dense_ld(to)), SPC_I64(m), SPC_I64(width),
        SPC_I32(spc_result_streams(ctx, m, width, to->dtype)));
}

static sparcl_status place_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_rows *from) {
    const int64_t width = spc_shape_width(from->rank, from->shape);
    SPC_TRY(spc_zero_dense(ctx, to));
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_place_options(from->dtype, SPARCL_INDEX32, from->index_type),
        "place_rows", spc_range_each(ctx, from->nnr * width), SPC_IN(from->indices),
        SPC_I64(from->indices_at), SPC_IN(from->values), SPC_I64(from->values_at),
        SPC_OUT(to->values), SPC_I64(to->values_at), SPC_I64(spc_dense_ld(to)), SPC_I64(from->nnr),
        SPC_IN(from->count), SPC_I64(from->count_at), SPC_I64(width));
}

static sparcl_status rows_to_dense(sparcl_ctx *ctx, const sparcl_dense *to,
                                   const sparcl_rows *from) {
    const bool wide = spc_shape_width(from->rank, from->shape) >= MIN_WIDTH;
    sparcl_rows a;
    if (from->nnr == 0) return spc_zero_dense(ctx, to);
    SPC_TRY(spc_rows_in_order(ctx, from, SPARCL_UNIQUE, &a));
    return wide && fills_lines(ctx) && (sparcl_rows_flags(&a) & SPARCL_SORTED)
               ? fill_rows(ctx, to, &a)
               : place_rows(ctx, to, &a);
}

sparcl_status sparcl_rows_to_dense(sparcl_ctx *ctx, const sparcl_dense *to,
                                   const sparcl_rows *from) {
    static const char op[] = "rows_to_dense";
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    const spc_spans operands = spc_rows_spans(SPC_FROM, from);
    SPC_TRY(check_to_dense(ctx, op, to, from->rank, from->shape, from->dtype, &operands));
    SPC_TRY(spc_need_rows(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(spc_check_duplicates(ctx, op, from->dtype, sparcl_rows_flags(from), "rows"));
    SPC_TRY(check_policy(ctx, op, to, &operands));
    if (!has_elements(to)) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = rows_to_dense(ctx, to, from);
    spc_scratch_release(ctx, mark);
    return status;
}
