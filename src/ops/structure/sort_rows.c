/* sort_rows.c: launches of cl/sort_rows.cl. */
#include "ops/structure/sort_rows.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "prim/scan.h"
#include "prim/sort.h"

#define PROGRAM "partition+sort_rows"

/* Minimum rows plus entries per worker. */
#define GRAIN 2048

/* A column and a place in a row are one number of 63 bits. A worker sorts whole rows, so none may
 * be known to have more than a core's share of the entries. */
bool spc_sort_rows_applies(const sparcl_ctx *ctx, const sparcl_csr *a) {
    const int64_t longest = spc_csr_longest(a);
    return !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) &&
           spc_key_bits(a->cols) + spc_key_bits(a->nnz) <= 63 &&
           (longest == INT64_MAX || longest <= spc_ceil_div(a->nnz, spc_ctx_units(ctx)));
}

static spc_range range_of(const sparcl_ctx *ctx, const sparcl_csr *a) {
    return spc_range_groups(ctx, spc_workers(ctx, a->rows + a->nnz, GRAIN));
}

static void add_matrix(spc_args *list, const sparcl_csr *a) {
    spc_args_add_array(list, SPC_IN(a->offsets), a->offsets_at);
    spc_args_add(list, SPC_I64(a->rows));
    spc_args_add_array(list, SPC_IN(a->indices), a->indices_at);
}

static void add_ints(spc_args *list, spc_arg buf, int64_t at, sparcl_itype type) {
    spc_args_add_array(list, buf, at);
    spc_args_add(list, SPC_I32(type == SPARCL_INDEX64));
}

sparcl_status spc_sort_rows(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                            sparcl_buf *source, int64_t source_at) {
    sparcl_buf *items = NULL;
    spc_args list = {.count = 0};
    if (from->nnz == 0) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &items, 2 * from->nnz, sizeof(uint64_t)));
    add_matrix(&list, from);
    spc_args_add_array(&list, SPC_IN(from->values), from->values_at);
    add_ints(&list, SPC_OUT(to->indices), to->indices_at, to->index_type);
    spc_args_add_array(&list, SPC_OUT(to->values), to->values_at);
    spc_args_add_array(&list, SPC_OUT(source), source_at);
    spc_args_add(&list, SPC_OUT(items));
    spc_args_add(&list, SPC_I64(from->nnz));
    spc_args_add(&list, SPC_I32(spc_key_bits(from->nnz)));
    spc_args_add(&list, SPC_I32(spc_key_bits(from->cols)));
    return spc_launch(ctx, PROGRAM,
                      spc_word_options(from->dtype) |
                          spc_itype_options(from->offset_type, from->index_type),
                      "sort_rows", range_of(ctx, from), list.at, list.count);
}

/* --- duplicates ------------------------------------------------------------------------------- */

/* `from` with sorted rows, in scratch memory; and where entries were, where `source` is wanted.
 */
static sparcl_status sorted_rows(sparcl_ctx *ctx, const sparcl_csr *from, sparcl_csr *sorted,
                                 sparcl_buf **source) {
    const bool wants_source = *source;
    *source = NULL;
    *sorted = *from;
    if (sparcl_csr_flags(from) & SPARCL_SORTED) return SPARCL_OK;
    sorted->indices_at = sorted->values_at = 0;
    SPC_TRY(
        spc_scratch_push(ctx, &sorted->indices, from->nnz, sparcl_itype_size(from->index_type)));
    SPC_TRY(spc_scratch_push(ctx, &sorted->values, from->nnz, sparcl_dtype_size(from->dtype)));
    if (wants_source) SPC_TRY(spc_scratch_push(ctx, source, from->nnz, sizeof(int64_t)));
    return spc_sort_rows(ctx, sorted, from, *source, 0);
}

/* The offsets of the result: the numbers of columns before each row. */
static sparcl_status count_columns(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *a) {
    const spc_scan_job scan = {.n = a->rows,
                               .from_type = to->offset_type,
                               .to_type = to->offset_type,
                               .from = to->offsets,
                               .from_at = to->offsets_at,
                               .to = to->offsets,
                               .to_at = to->offsets_at};
    spc_args list = {.count = 0};
    add_matrix(&list, a);
    add_ints(&list, SPC_OUT(to->offsets), to->offsets_at, to->offset_type);
    SPC_TRY(spc_launch(ctx, PROGRAM, spc_options(a->dtype, a->offset_type, a->index_type),
                       "count_columns", range_of(ctx, a), list.at, list.count));
    return spc_scan(ctx, &scan);
}

sparcl_status spc_sum_row_duplicates(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                     sparcl_buf *inverse, int64_t inverse_at) {
    sparcl_csr a;
    sparcl_buf *source = inverse;
    spc_args list = {.count = 0};
    SPC_TRY(sorted_rows(ctx, from, &a, &source));
    SPC_TRY(count_columns(ctx, to, &a));
    add_matrix(&list, &a);
    spc_args_add_array(&list, SPC_IN(a.values), a.values_at);
    spc_args_add(&list, SPC_IN(source));
    add_ints(&list, SPC_IN(to->offsets), to->offsets_at, to->offset_type);
    add_ints(&list, SPC_OUT(to->indices), to->indices_at, to->index_type);
    spc_args_add_array(&list, SPC_OUT(to->values), to->values_at);
    spc_args_add_array(&list, SPC_OUT(inverse), inverse_at);
    return spc_launch(ctx, PROGRAM, spc_options(a.dtype, a.offset_type, a.index_type),
                      "add_columns", range_of(ctx, &a), list.at, list.count);
}
