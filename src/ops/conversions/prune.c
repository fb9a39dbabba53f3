/* prune.c: the entries of a CSR matrix that are not 0, or above a threshold; the elements of a
 * dense matrix at a pattern. */
#include "launch/launch.h"
#include "ops/conversions/threshold.h"
#include "ops/shared/moved.h"
#include "prim/scan.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/structure.h"

#define PROGRAM "scan+entries+elements+from_dense"

/* Entries whose marks are one word: cl/from_dense.cl. */
#define WORD_BITS 32

static sparcl_status prune(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                           const spc_keep *keep, const sparcl_moved *moved) {
    const uint32_t options =
        spc_word_options(from->dtype) | spc_itype_options(from->offset_type, from->index_type);
    const int64_t words = from->nnz / WORD_BITS + 1;
    sparcl_buf *marks = NULL, *counts = NULL, *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &marks, words, sizeof(uint32_t)));
    SPC_TRY(spc_scratch_push(ctx, &counts, words, sizeof(int32_t)));
    SPC_TRY(spc_scratch_push(ctx, &sums, words + 1, sparcl_itype_size(from->offset_type)));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "prune_mark", spc_range_each(ctx, words),
                       SPC_IN(from->offsets), SPC_I64(from->offsets_at), SPC_I64(from->rows),
                       SPC_IN(from->values), SPC_I64(from->values_at), SPC_I64(from->nnz),
                       SPC_I64(keep->mask), SPC_I64(keep->limit), SPC_I32(keep->all),
                       SPC_OUT(marks), SPC_OUT(counts)));
    const spc_scan_job job = {.n = words,
                              .from_type = SPARCL_INDEX32,
                              .to_type = from->offset_type,
                              .from = counts,
                              .to = sums};
    SPC_TRY(spc_scan(ctx, &job));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "prune_offsets", spc_range_each(ctx, from->rows + 1),
                       SPC_IN(marks), SPC_IN(sums), SPC_IN(from->offsets),
                       SPC_I64(from->offsets_at), SPC_OUT(to->offsets), SPC_I64(to->offsets_at),
                       SPC_I32(to->offset_type == SPARCL_INDEX64), SPC_I64(from->rows),
                       SPC_I64(to->nnz), SPC_OUT(moved->needed), SPC_I64(moved->needed_at)));
    if (from->nnz == 0 || to->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(
        ctx, PROGRAM, options, "prune_write", spc_range_each(ctx, from->nnz), SPC_IN(marks),
        SPC_IN(sums), SPC_IN(from->indices), SPC_I64(from->indices_at), SPC_IN(from->values),
        SPC_I64(from->values_at), SPC_I64(from->nnz), SPC_OUT(to->indices), SPC_I64(to->indices_at),
        SPC_I32(to->index_type == SPARCL_INDEX64), SPC_OUT(to->values), SPC_I64(to->values_at),
        SPC_OUT(moved->source), SPC_I64(moved->source_at), SPC_I64(to->nnz));
}

sparcl_status sparcl_csr_prune(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                               double threshold, const sparcl_moved *moved) {
    static const char op[] = "csr_prune";
    spc_keep keep;
    SPC_TRY(spc_check_csr_moved(ctx, op, to, from, &moved));
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, from->rows, from->cols));
    SPC_TRY(spc_keep_of(ctx, op, from->dtype, threshold, &keep));
    const uint32_t flags = sparcl_csr_flags(from);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = prune(ctx, to, from, &keep, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(to, flags);
    return status;
}

sparcl_status sparcl_sparse_mask(sparcl_ctx *ctx, const sparcl_dense *values, const sparcl_dense *x,
                                 const sparcl_csr *a) {
    static const char op[] = "sparse_mask";
    SPC_TRY(spc_check_dense_of(ctx, op, "values", values, SPC_ALL_TYPES));
    SPC_TRY(spc_check_dense_of(ctx, op, "X", x, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_ALL_TYPES));
    const int64_t shape[] = {a->rows, a->cols};
    SPC_TRY(spc_check_same_shape(ctx, op, "X", x->rank, x->shape, "A", 2, shape));
    SPC_TRY(spc_check_same_shape(ctx, op, "values", values->rank, values->shape, "A's entries", 1,
                                 &a->nnz));
    if (spc_dense_ld(values) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: values has ld %lld, expected packed elements",
                            op, (long long)values->ld);
    SPC_TRY(spc_check_same_dtype(ctx, op, "values", values->dtype, "X", x->dtype));
    const spc_span result = spc_dense_span("values", values);
    spc_spans operands = spc_csr_spans("A", a);
    operands.at[2] = spc_dense_span("X", x); /* A's values are not read */
    SPC_TRY(spc_check_alias(ctx, op, &result, operands.at, operands.count));
    SPC_TRY(spc_need_csr(ctx, op, "A", a, SPARCL_VALID));
    if (a->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_word_options(x->dtype) | spc_itype_options(a->offset_type, a->index_type),
        "mask_values", spc_range_each(ctx, a->nnz), SPC_IN(a->offsets), SPC_I64(a->offsets_at),
        SPC_I64(a->rows), SPC_IN(a->indices), SPC_I64(a->indices_at), SPC_IN(x->values),
        SPC_I64(x->values_at), SPC_I64(spc_dense_ld(x)), SPC_OUT(values->values),
        SPC_I64(values->values_at), SPC_I64(a->nnz));
}
