/* convert_csc.c: from and to CSC, which is the CSR format of the transpose. */
#include "ops/shared/pair.h"
#include "sparcl/ops/conversions.h"

/* What holds of the result too. */
static uint32_t unique(uint32_t flags) {
    return SPARCL_VALID | SPARCL_SORTED | (flags & SPARCL_UNIQUE);
}

/* The transpose of a proven matrix. */
static sparcl_csr transposed(const sparcl_csc *a) {
    sparcl_csr t = spc_csc_transposed(a);
    t.proof.flags = SPARCL_TRUSTED | sparcl_csc_flags(a);
    return t;
}

/* Rows and columns exchanged, so that nothing is known of the order. */
static sparcl_coo exchanged(const sparcl_coo *a) {
    sparcl_coo t = *a;
    t.shape[0] = a->shape[1];
    t.shape[1] = a->shape[0];
    t.indices[0] = a->indices[1];
    t.indices[1] = a->indices[0];
    t.indices_at[0] = a->indices_at[1];
    t.indices_at[1] = a->indices_at[0];
    t.proof.flags = SPARCL_TRUSTED | (sparcl_coo_flags(a) & SPARCL_UNIQUE);
    t.proof.stamp = 0;
    return t;
}

static sparcl_status check_matrix(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_coo *a) {
    if (a->rank == 2) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has rank %d, expected 2", op, name, a->rank);
}

sparcl_status sparcl_csc_to_csr(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csc *from) {
    static const char op[] = "csc_to_csr";
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csc_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, from->rows, from->cols));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_check_capacity(ctx, op, to->nnz, from->nnz));
    const spc_spans results = spc_csr_spans(SPC_TO, to), operands = spc_csc_spans(SPC_FROM, from);
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    SPC_TRY(spc_need_csc(ctx, op, SPC_FROM, from, SPARCL_VALID));
    const sparcl_csr source = transposed(from);
    sparcl_csc result = {.rows = to->cols,
                         .cols = to->rows,
                         .nnz = to->nnz,
                         .dtype = to->dtype,
                         .offset_type = to->offset_type,
                         .index_type = to->index_type,
                         .offsets = to->offsets,
                         .indices = to->indices,
                         .values = to->values,
                         .offsets_at = to->offsets_at,
                         .indices_at = to->indices_at,
                         .values_at = to->values_at};
    SPC_TRY(sparcl_csr_to_csc(ctx, &result, &source));
    spc_prove_csr(to, unique(source.proof.flags));
    return SPARCL_OK;
}

sparcl_status sparcl_csc_to_coo(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_csc *from) {
    static const char op[] = "csc_to_coo";
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csc_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(check_matrix(ctx, op, SPC_TO, to));
    SPC_TRY(spc_check_same_size(ctx, op, to->shape[0], to->shape[1], from->rows, from->cols));
    SPC_TRY(spc_need_csc(ctx, op, SPC_FROM, from, SPARCL_VALID));
    const sparcl_csr source = transposed(from);
    sparcl_coo result = exchanged(to);
    SPC_TRY(sparcl_csr_to_coo(ctx, &result, &source));
    spc_prove_coo(to, sparcl_coo_flags(&result) & ~(uint32_t)SPARCL_SORTED);
    return SPARCL_OK;
}

sparcl_status sparcl_coo_to_csc(sparcl_ctx *ctx, sparcl_csc *to, const sparcl_coo *from) {
    static const char op[] = "coo_to_csc";
    SPC_TRY(spc_check_csc_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(check_matrix(ctx, op, SPC_FROM, from));
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, from->shape[0], from->shape[1]));
    SPC_TRY(spc_need_coo(ctx, op, SPC_FROM, from, SPARCL_VALID));
    const sparcl_coo source = exchanged(from);
    sparcl_csr result = spc_csc_transposed(to);
    SPC_TRY(sparcl_coo_to_csr(ctx, &result, &source));
    spc_prove_csc(to, unique(source.proof.flags));
    return SPARCL_OK;
}
