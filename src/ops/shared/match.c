/* match.c: the entries of a CSR matrix that meet the stored rows of a row-sparse array. */
#include "ops/shared/match.h"

#include "launch/launch.h"
#include "prim/scan.h"

#define PROGRAM "scan+match"

/* Columns and values for as many entries as A has, and 64-bit offsets. */
static sparcl_status push_result(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *a, int64_t rows,
                                 int64_t cols) {
    *to = (sparcl_csr){.rows = rows,
                       .cols = cols,
                       .nnz = a->nnz,
                       .dtype = a->dtype,
                       .offset_type = SPARCL_INDEX64,
                       .index_type = a->index_type,
                       .proof = {.flags = SPARCL_TRUSTED, .longest_row = a->proof.longest_row}};
    SPC_TRY(spc_scratch_push(ctx, &to->offsets, rows + 1, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &to->indices, a->nnz, sparcl_itype_size(a->index_type)));
    return spc_scratch_push(ctx, &to->values, a->nnz, sparcl_dtype_size(a->dtype));
}

static void add_matrix(spc_args *list, const sparcl_csr *a) {
    spc_args_add_array(list, SPC_IN(a->offsets), a->offsets_at);
    spc_args_add_array(list, SPC_IN(a->indices), a->indices_at);
    spc_args_add_array(list, SPC_IN(a->values), a->values_at);
    spc_args_add(list, SPC_I64(a->rows));
    spc_args_add(list, SPC_I64(a->nnz));
}

static void add_stored(spc_args *list, const sparcl_rows *r) {
    spc_args_add_array(list, SPC_IN(r->indices), r->indices_at);
    spc_args_add(list, SPC_I64(r->nnr));
    spc_args_add_array(list, SPC_IN(r->count), r->count_at);
}

/* Where row i of the array is stored, or -1. */
static sparcl_status write_places(sparcl_ctx *ctx, sparcl_buf *places, const sparcl_rows *r) {
    const uint32_t options = spc_itype_options(SPARCL_INDEX32, r->index_type);
    spc_args list = {.count = 0};
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "match_clear", spc_range_each(ctx, r->shape[0]),
                       SPC_OUT(places), SPC_I64(r->shape[0])));
    if (r->nnr == 0) return SPARCL_OK;
    spc_args_add(&list, SPC_OUT(places));
    add_stored(&list, r);
    return spc_launch(ctx, PROGRAM, options, "match_places", spc_range_each(ctx, r->nnr), list.at,
                      list.count);
}

/* positions[e] := the number of entries before e in columns that are stored. */
static sparcl_status write_positions(sparcl_ctx *ctx, sparcl_buf *positions, const sparcl_csr *a,
                                     const sparcl_buf *places) {
    sparcl_buf *keep = NULL;
    SPC_TRY(spc_scratch_push(ctx, &keep, a->nnz, sizeof(int32_t)));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(a->offset_type, a->index_type), "match_keep",
                       spc_range_each(ctx, a->nnz), SPC_IN(a->offsets), SPC_I64(a->offsets_at),
                       SPC_I64(a->rows), SPC_IN(a->indices), SPC_I64(a->indices_at),
                       SPC_I64(a->nnz), SPC_IN(places), SPC_OUT(keep)));
    const spc_scan_job scan = {.n = a->nnz,
                               .from_type = SPARCL_INDEX32,
                               .to_type = SPARCL_INDEX64,
                               .from = keep,
                               .to = positions};
    return spc_scan(ctx, &scan);
}

sparcl_status spc_match_columns(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *a,
                                const sparcl_rows *r) {
    const uint32_t options = spc_options(a->dtype, a->offset_type, a->index_type);
    sparcl_buf *places = NULL, *positions = NULL;
    spc_args list = {.count = 0};
    SPC_TRY(push_result(ctx, to, a, a->rows, r->nnr));
    SPC_TRY(spc_scratch_push(ctx, &places, r->shape[0], sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &positions, a->nnz + 1, sizeof(int64_t)));
    SPC_TRY(write_places(ctx, places, r));
    SPC_TRY(write_positions(ctx, positions, a, places));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "match_offsets", spc_range_each(ctx, a->rows + 1),
                       SPC_IN(a->offsets), SPC_I64(a->offsets_at), SPC_I64(a->rows),
                       SPC_I64(a->nnz), SPC_IN(positions), SPC_OUT(to->offsets)));
    if (a->nnz == 0) return SPARCL_OK;
    add_matrix(&list, a);
    spc_args_add(&list, SPC_IN(places));
    spc_args_add(&list, SPC_IN(positions));
    spc_args_add(&list, SPC_OUT(to->indices));
    spc_args_add(&list, SPC_OUT(to->values));
    return spc_launch(ctx, PROGRAM, options, "match_columns", spc_range_each(ctx, a->nnz), list.at,
                      list.count);
}

static sparcl_status write_offsets(sparcl_ctx *ctx, sparcl_buf *offsets, const sparcl_csr *a,
                                   const sparcl_rows *r) {
    spc_args list = {.count = 0};
    spc_args_add_array(&list, SPC_IN(a->offsets), a->offsets_at);
    add_stored(&list, r);
    spc_args_add(&list, SPC_OUT(offsets));
    if (r->nnr > 0)
        SPC_TRY(spc_launch(ctx, PROGRAM, spc_itype_options(a->offset_type, r->index_type),
                           "match_lengths", spc_range_each(ctx, r->nnr), list.at, list.count));
    const spc_scan_job scan = {.n = r->nnr,
                               .from_type = SPARCL_INDEX64,
                               .to_type = SPARCL_INDEX64,
                               .from = offsets,
                               .to = offsets};
    return spc_scan(ctx, &scan);
}

sparcl_status spc_match_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *a,
                             const sparcl_rows *r) {
    const uint32_t options = spc_options(a->dtype, a->offset_type, a->index_type) |
                             (r->index_type == SPARCL_INDEX64 ? SPC_VARIANT : 0u);
    spc_args list = {.count = 0};
    SPC_TRY(push_result(ctx, to, a, r->nnr, a->cols));
    SPC_TRY(write_offsets(ctx, to->offsets, a, r));
    if (a->nnz == 0 || r->nnr == 0) return SPARCL_OK;
    add_matrix(&list, a);
    spc_args_add_array(&list, SPC_IN(r->indices), r->indices_at);
    spc_args_add(&list, SPC_I64(r->nnr));
    spc_args_add(&list, SPC_IN(to->offsets));
    spc_args_add(&list, SPC_OUT(to->indices));
    spc_args_add(&list, SPC_OUT(to->values));
    return spc_launch(ctx, PROGRAM, options, "match_rows", spc_range_each(ctx, a->nnz), list.at,
                      list.count);
}
