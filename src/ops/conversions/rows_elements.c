/* rows_elements.c: the elements of a row-sparse array at the entries of the matrix that it was made
 * of: the gradient of that conversion. */
#include "launch/scratch.h"
#include "ops/shared/check.h"
#include "ops/shared/match.h"
#include "sparcl/ops/conversions.h"

static const char op[] = "csr_to_rows_gradient";

static sparcl_status check(sparcl_ctx *ctx, const sparcl_dense *gv, const sparcl_rows *g,
                           const sparcl_csr *a) {
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_ALL_TYPES));
    SPC_TRY(spc_check_rows_of(ctx, op, "G", g, SPC_ALL_TYPES));
    const int64_t shape[] = {a->rows, a->cols};
    SPC_TRY(spc_check_same_shape(ctx, op, "G", g->rank, g->shape, "A", 2, shape));
    SPC_TRY(spc_check_entry_vector(ctx, op, "gv", gv, a->nnz));
    SPC_TRY(spc_check_same_dtype(ctx, op, "gv", gv->dtype, "G", g->dtype));
    const spc_span result = spc_dense_span("gv", gv);
    const spc_spans of_a = spc_csr_spans("A", a), of_g = spc_rows_spans("G", g);
    SPC_TRY(spc_check_alias(ctx, op, &result, of_a.at, of_a.count));
    SPC_TRY(spc_check_alias(ctx, op, &result, of_g.at, of_g.count));
    SPC_TRY(spc_need_rows(ctx, op, "G", g, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE));
    return spc_need_csr(ctx, op, "A", a, SPARCL_VALID);
}

/* The rows of A that G stores, one after the other, have the entries of A in their order. */
sparcl_status sparcl_csr_to_rows_gradient(sparcl_ctx *ctx, const sparcl_dense *gv,
                                          const sparcl_rows *g, const sparcl_csr *a) {
    SPC_TRY(check(ctx, gv, g, a));
    const sparcl_dense stored = {.rank = 2,
                                 .dtype = g->dtype,
                                 .shape = {g->nnr, a->cols},
                                 .values = g->values,
                                 .values_at = g->values_at};
    const int mark = spc_scratch_mark(ctx);
    sparcl_csr own;
    sparcl_status status = spc_match_rows(ctx, &own, a, g);
    if (status == SPARCL_OK) status = sparcl_sparse_mask(ctx, gv, &stored, &own);
    spc_scratch_release(ctx, mark);
    return status;
}
